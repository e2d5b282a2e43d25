//! Words of questions and of names, in English and German, each to the letter.

/// Words in the name of a column whose numbers are not added up: `rate`, `rating`, `per`, …
pub(super) const NOT_ADDED: &[&str] = &[
    "rate",
    "ratio",
    "percent",
    "percentage",
    "pct",
    "share",
    "score",
    "rating",
    "grade",
    "mark",
    "per",
    "pro",
    "je",
    "average",
    "avg",
    "mean",
    "median",
    "max",
    "min",
    "temperature",
    "temp",
    "humidity",
    "pressure",
    "speed",
    "age",
    "level",
    "balance",
    "stock",
    "wage",
    "price",
    "index",
    "year",
    "rank",
    "place",
    "position",
    "quote",
    "anteil",
    "prozent",
    "bewertung",
    "note",
    "punktzahl",
    "schnitt",
    "durchschnitt",
    "temperatur",
    "feuchte",
    "druck",
    "alter",
    "stand",
    "saldo",
    "bestand",
    "lohn",
    "stundenlohn",
    "preis",
    "rang",
    "platz",
    "jahr",
    "turnout",
    "occupancy",
    "majority",
    "cpu",
    "uptime",
    "load",
    "limit",
    "capacity",
    "weight",
    "height",
    "latitude",
    "longitude",
    "lat",
    "lon",
];

/// Words in the name of a column where 1 may be the best: nobody knows which end is the highest.
pub(super) const RANKS: &[&str] = &[
    "rank",
    "ranking",
    "place",
    "placing",
    "position",
    "pos",
    "grade",
    "mark",
    "note",
    "noten",
    "zensur",
    "rang",
    "platz",
    "platzierung",
    "priority",
    "prio",
    "priorität",
    "severity",
    "level",
];

/// Words in the name of a date that is the time of a record, whatever its file is called.
pub(super) const NEUTRAL: &[&str] = &[
    "order",
    "transaction",
    "sale",
    "event",
    "log",
    "logged",
    "entry",
    "record",
    "recorded",
    "utc",
    "local",
];

/// Words between a preposition and its time: `from the 3rd of March`.
pub(super) const ARTICLES: &[&str] = &["the", "in", "on", "dem", "den", "der", "im", "am"];

/// Words behind a time with which a stretch begins: `from April on`.
pub(super) const ONWARDS: &[&str] = &["on", "onward", "onwards", "forward", "an"];

/// Words that join others, and say nothing of their own. `still`, `only` and `one` do.
pub(super) const SMALL: &[&str] = &[
    "the", "a", "an", "of", "in", "at", "on", "for", "with", "from", "to", "is", "are", "was", "were", "be",
    "been", "has", "have", "had", "does", "do", "did", "there", "all", "that", "which", "where", "whose",
    "please", "me", "show", "list", "give", "display", "print", "and", "i", "you", "can", "it", "its",
    "their", "this", "these", "those", "file", "table", "we", "our", "my", "value", "values", "der", "die",
    "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines", "im", "am", "bei", "beim",
    "mit", "von", "vom", "für", "aus", "auf", "zu", "zum", "zur", "ist", "sind", "war", "waren", "hat",
    "haben", "hatte", "hatten", "gibt", "gab", "es", "bitte", "alle", "aller", "allen", "mir", "zeige",
    "zeig", "liste", "nenne", "und", "wo", "wir", "wert", "werte", "datei", "tabelle", "deren", "dessen",
];

/// Words behind which a thing may or may not stand.
pub(super) const HAVING: &[&str] = &["has", "have", "had", "with", "hat", "haben", "hatte", "hatten", "mit"];

/// Words that say nothing at the end of a question: `which are out`.
pub(super) const PREPOSITIONS: &[&str] = &[
    "of", "in", "at", "on", "for", "with", "from", "to", "by", "im", "am", "bei", "mit", "von", "für", "aus",
    "auf", "zu",
];

/// Words for the largest of any number: `longest` and `best` speak of some column.
pub(super) const LARGEST: &[&str] = &[
    "highest",
    "largest",
    "biggest",
    "greatest",
    "maximum",
    "max",
    "höchste",
    "höchsten",
    "höchster",
    "höchstes",
    "größte",
    "größten",
    "größter",
    "größtes",
    "maximale",
    "maximalen",
];

/// Words for the smallest of any number.
pub(super) const SMALLEST: &[&str] = &[
    "lowest",
    "smallest",
    "minimum",
    "min",
    "niedrigste",
    "niedrigsten",
    "niedrigster",
    "niedrigstes",
    "kleinste",
    "kleinsten",
    "kleinster",
    "kleinstes",
    "geringste",
    "geringsten",
    "minimale",
];

/// Words for the latest of any moment.
pub(super) const LATEST: &[&str] =
    &["latest", "newest", "most recent", "neueste", "neuesten", "späteste", "spätesten"];

/// Words for the earliest of any moment.
pub(super) const EARLIEST: &[&str] = &["earliest", "früheste", "frühesten"];

/// Words for the most records.
pub(super) const MOST: &[&str] = &["most", "the most", "die meisten", "meisten", "meiste"];

/// Words for the fewest records.
pub(super) const FEWEST: &[&str] = &["fewest", "the fewest", "die wenigsten", "wenigsten", "wenigste"];

/// Words for rows of a table, whatever they are.
pub(super) const RECORDS: &[&str] = &[
    "record",
    "records",
    "row",
    "rows",
    "entry",
    "entries",
    "datensatz",
    "datensätze",
    "datensätzen",
    "eintrag",
    "einträge",
    "einträgen",
    "log entries",
];

/// Words of a row that adds up others, one of a few in its label.
pub(super) const TOTAL_WORDS: &[&str] = &[
    "total",
    "totals",
    "subtotal",
    "subtotals",
    "ttl",
    "sum",
    "overall",
    "aggregate",
    "average",
    "avg",
    "mean",
    "median",
    "summe",
    "summen",
    "zwischensumme",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "durchschnitt",
    "mittelwert",
];

/// Whole labels of such rows, which mean something else beside other words.
pub(super) const TOTAL_LABELS: &[&str] = &[
    "all",
    "alle",
    "alles",
    "world",
    "welt",
    "combined",
    "everyone",
    "everything",
    "max",
    "maximum",
    "min",
    "minimum",
    "tot",
    "ø",
    "saldo",
    "net",
    "balance",
    "opening balance",
    "closing balance",
    "balance forward",
    "brought forward",
    "carried forward",
    "übertrag",
    "anfangssaldo",
    "endsaldo",
    "kontostand",
];

/// Words for how many there are at a time: the same ones are there at the next.
pub(super) const STOCKS: &[&str] = &[
    "population",
    "inhabitant",
    "resident",
    "member",
    "membership",
    "subscriber",
    "follower",
    "inventory",
    "headcount",
    "employee",
    "staff",
    "einwohner",
    "einwohnerzahl",
    "bevölkerung",
    "mitglieder",
    "mitgliederzahl",
    "abonnenten",
    "beschäftigte",
    "mitarbeiter",
    "lagerbestand",
];

/// Words in the name of a column whose last number has all before it.
pub(super) const CUMULATIVE: &[&str] =
    &["cumulative", "cumulated", "cumul", "cum", "ytd", "kumuliert", "kumulativ", "kumulierte"];
