//! The words that the parser knows. Whatever is not in here or in the documents ends a parse.

use crate::query::Comparison;

/// What any record may be called.
pub const GENERIC_NOUNS: [(&str, &str); 8] = [
    ("log line", "log lines"),
    ("log entry", "log entries"),
    ("log message", "log messages"),
    ("line", "lines"),
    ("record", "records"),
    ("entry", "entries"),
    ("row", "rows"),
    ("item", "items"),
];

/// Words for the state of a thing, as past participles and adjectives.
pub const STATUS_WORDS: [&str; 44] = [
    "accepted",
    "active",
    "approved",
    "archived",
    "assigned",
    "blocked",
    "canceled",
    "cancelled",
    "closed",
    "completed",
    "confirmed",
    "declined",
    "delivered",
    "denied",
    "disputed",
    "done",
    "expired",
    "failed",
    "finished",
    "inactive",
    "initiated",
    "invalid",
    "open",
    "overdue",
    "paid",
    "pending",
    "processed",
    "processing",
    "queued",
    "received",
    "refunded",
    "rejected",
    "reopened",
    "reserved",
    "resolved",
    "returned",
    "running",
    "scheduled",
    "sent",
    "shipped",
    "stopped",
    "succeeded",
    "successful",
    "unpaid",
];

/// Names of the field that level words belong to.
pub const LEVEL_FIELDS: [&str; 5] = ["level", "severity", "lvl", "loglevel", "log level"];

/// Fields that are recognised by name alone where the documents name none.
pub const CORE_FIELDS: [&str; 14] = [
    "status", "state", "level", "severity", "user", "customer", "order", "ticket", "invoice", "amount",
    "price", "latency", "duration", "service",
];

/// Those of [`CORE_FIELDS`] that tell records apart.
pub const CORE_KEYS: [&str; 3] = ["order", "ticket", "invoice"];

/// Those of [`CORE_FIELDS`] that are numbers.
pub const CORE_NUMBERS: [&str; 4] = ["amount", "price", "latency", "duration"];

/// Words too general to stand for a longer field name: `time` is not `response_time`.
pub const TOO_GENERAL: [&str; 10] =
    ["id", "time", "date", "name", "type", "number", "code", "value", "key", "address"];

/// Last words of fields whose numbers are names: they are never added up.
pub const IDENTIFIERS: [&str; 15] = [
    "id", "order", "number", "no", "nr", "key", "uuid", "code", "zip", "phone", "year", "port", "pid",
    "line", "ticket",
];

/// Adjectives of the greatest value.
pub const LARGEST: [&str; 6] = ["largest", "highest", "biggest", "maximum", "greatest", "max"];

/// Adjectives of the smallest value.
pub const SMALLEST: [&str; 4] = ["smallest", "lowest", "minimum", "min"];

/// Comparisons in words, longer phrases before their beginnings.
pub const COMPARISONS: [(&str, Comparison); 46] = [
    ("greater than or equal to", Comparison::AtLeast),
    ("less than or equal to", Comparison::AtMost),
    ("not less than", Comparison::AtLeast),
    ("not more than", Comparison::AtMost),
    ("no less than", Comparison::AtLeast),
    ("no more than", Comparison::AtMost),
    ("not equal to", Comparison::NotEqual),
    ("different from", Comparison::NotEqual),
    ("other than", Comparison::NotEqual),
    ("greater than", Comparison::Greater),
    ("larger than", Comparison::Greater),
    ("higher than", Comparison::Greater),
    ("bigger than", Comparison::Greater),
    ("more than", Comparison::Greater),
    ("later than", Comparison::Greater),
    ("smaller than", Comparison::Less),
    ("lower than", Comparison::Less),
    ("less than", Comparison::Less),
    ("earlier than", Comparison::Less),
    ("at least", Comparison::AtLeast),
    ("at most", Comparison::AtMost),
    ("equal to", Comparison::Equal),
    ("exceeding", Comparison::Greater),
    ("exceeds", Comparison::Greater),
    ("above", Comparison::Greater),
    ("over", Comparison::Greater),
    ("after", Comparison::Greater),
    ("below", Comparison::Less),
    ("under", Comparison::Less),
    ("before", Comparison::Less),
    ("since", Comparison::AtLeast),
    ("equals", Comparison::Equal),
    ("exactly", Comparison::Equal),
    ("contains", Comparison::Contains),
    ("containing", Comparison::Contains),
    ("not", Comparison::NotEqual),
    ("!=", Comparison::NotEqual),
    ("<>", Comparison::NotEqual),
    (">=", Comparison::AtLeast),
    ("≥", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    ("≤", Comparison::AtMost),
    (">", Comparison::Greater),
    ("<", Comparison::Less),
    ("==", Comparison::Equal),
    ("=", Comparison::Equal),
];

/// Words of the question's frame: without quotation marks they are never a value.
const FRAME: &str = "the a an of for by with without and or not no nor in on at to from is are was were be been \
    being have has had having do does did that which who whom whose where when why how what many much more most \
    less least fewer than all any each every both either neither there here it its their this these those me my \
    you your we us our they them i list show count total sum average mean max maximum min minimum largest highest \
    biggest greatest smallest lowest first last next previous over under above below between after before since \
    until during if then else but except excluding besides other same different equal equals null none missing \
    empty per as so like about only also still ever never please mention mentions mentioning contain contains \
    containing include includes including word text phrase string latest earliest second third top set field value \
    lines line records record entries entry rows row items item can could should would will might must";

/// Whether a word belongs to the frame of a question.
pub fn is_frame(word: &str) -> bool {
    FRAME.split_whitespace().any(|frame| frame == word)
}

/// The singular of a plural, for nouns that follow the rules.
pub fn singular(word: &str) -> Option<String> {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return Some(format!("{stem}y"));
    }
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 1 && !stem.ends_with('s'))?;
    let sibilant = ["sse", "she", "che", "xe", "use"].iter().any(|ending| stem.ends_with(ending));
    Some(if sibilant { stem.strip_suffix('e').unwrap_or(stem).to_owned() } else { stem.to_owned() })
}

/// A word in the singular; as it is where it is no plural.
pub fn in_singular(word: &str) -> String {
    singular(word).unwrap_or_else(|| word.to_owned())
}
