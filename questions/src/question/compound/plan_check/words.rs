//! The words of a question or part, and what kinds of words there are.

/// Words that bear meaning wherever they stand.
pub const WEIGHTY: &str = "most least fewest common frequent commonest total sum average mean median not no without except \
    excluding never neither nor other different exactly distinct errors warnings error warning highest lowest longest \
    shortest largest biggest maximum greatest max smallest minimum min any besides";

/// Those that do so before a number or a date.
pub const BOUNDS: &str = "over above under below exceeding before after since until least from to between";

/// Those that do so before one of these and "than".
pub const COMPARING: &str =
    "more less fewer greater higher lower larger smaller bigger later earlier longer shorter";

/// Words that ask, are polite or belong to grammar: they say nothing of their own, and parts may leave them out.
pub const LOOSE: &str = "a an the and or of for by with to in on at as well also then plus besides along finally next that all \
    begin please can could would should you i we me us let know like want need learn find finds out tell say give whoever \
    whichever who whom whose which what what's how high many much are is was were be been do does did has have had having \
    there one ones take look more fewer higher lower greater than compare so hello hi quick check wonder help addition \
    together moreover furthermore our about log placed made now lastly it its their theirs them they this these those \
    same said first last after";

/// What a model puts in the place of other words.
pub const GRAMMAR: &str = "which what how many is are was were the of that there has had have";

/// Words by which a sentence asks.
pub const ASKING: &str =
    "which what what's who whom whose whoever whichever how count compare many whether if";

/// Words by which it does at its very beginning, and behind a word or two that join: "Then, list …".
pub const OPENING: &str = "is are was were does did do";
pub const ORDERING: &str = "list show name find give";

/// Words with which something of its own is asked for, so that a list can begin there.
pub const HEADS: &str = "which what what's who whoever whichever whom how any list show name find give tell";

/// Words that make a sentence more than talk.
pub const RESTRICTING: &str = "only just ignore ignoring consider considering exclude excluding except without limit limited \
    restrict restricted skip skipping leave within during from until since before after between not never no count treat \
    assume suppose instead unless test tests dummy sample samples one two three four five six seven eight nine ten \
    dozen hundred thousand half week weeks weekend weekends month months year years quarter night nights";

/// Words that speak of somebody before, and of something.
pub const THEY: &str = "their theirs them they";
pub const IT: &str = "it its";
/// Those that do so before a noun.
pub const POINTING: &str = "that this said same";

/// Words that stand between two questions.
pub const JOINING: &str =
    "and or then also plus along well addition together furthermore moreover next finally lastly";
/// Those that may also stand within one.
pub const HOLDING: &str = "than versus vs against with to";

/// Ways to ask how many.
pub const COUNTING: &str = "many count number";

/// A word in lower case, without the marks around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    /// The comma or other mark behind it.
    pub mark: Option<char>,
    /// Whether it begins with a capital letter.
    pub capital: bool,
}

impl Word {
    /// Whether a sentence ends here.
    pub fn ends_sentence(&self) -> bool {
        self.mark.is_some_and(|mark| mark != ',')
    }

    /// Whether a question does.
    pub fn asks(&self) -> bool {
        self.mark == Some('?')
    }
}

/// Stands between the words of one value. No text has it, and it is as long as a space.
const WITHIN_VALUE: &str = "\u{1f}";

/// The words of a text. Each of the `values` is one word, however many it consists of.
pub fn words(text: &str, values: &[String]) -> Vec<Word> {
    let around = |c: char| ",;()\"'«»“”?!.:".contains(c);
    let mut words: Vec<Word> = Vec::new();
    for raw in joined(text, values).split_whitespace() {
        let last = raw.chars().rev().find(|c| !")\"'»”".contains(*c));
        let mark = last.filter(|c| ",.;:?!".contains(*c));
        let lower = raw.to_lowercase().replace('’', "'");
        // "!=" is no mark.
        let bare = lower.trim_start_matches(|c: char| c != '!' && around(c)).trim_end_matches(around);
        let bare = if bare == "what's" { bare } else { bare.strip_suffix("'s").unwrap_or(bare) };
        if bare.is_empty() {
            if let Some(last) = words.last_mut() {
                last.mark = mark.or(last.mark);
            }
            continue;
        }
        let capital = raw.trim_start_matches(around).starts_with(char::is_uppercase);
        words.push(Word { text: bare.to_owned(), mark, capital });
    }
    words
}

/// The text with each of the values in one piece.
fn joined(text: &str, values: &[String]) -> String {
    let mut text = text.to_owned();
    for value in values.iter().filter(|value| value.contains(' ')) {
        // Lower case of ASCII alone has every byte where it was.
        let lower = text.to_ascii_lowercase();
        for (at, _) in lower.match_indices(&value.to_ascii_lowercase()) {
            let whole = text[at..at + value.len()].replace(' ', WITHIN_VALUE);
            text.replace_range(at..at + value.len(), &whole);
        }
    }
    text
}

/// Whether a list of words has this one.
pub fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}
