//! Words of questions that name no column and no value: what is asked, compared, counted, put together.

use super::condition_words;
use super::verb_words::{Verb, verb};
use crate::query::{Bucket, Comparison};

/// What a word or a phrase of a question does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Count,
    HowMuch,
    /// `how long`, `how warm`: a value of the column that the hint says.
    How(Hint),
    /// `in total`
    InTotal,
    /// Below zero (true) or above it.
    Negative(bool),
    Sum,
    Average,
    Median,
    Deviation,
    Percentile(u8),
    Range,
    /// Largest (true) or smallest, of what the hint says.
    Extreme(bool, Hint),
    /// Most (true) or fewest.
    Most(bool),
    Top,
    List,
    /// `sort the names`: a list, and what comes after `by` puts it in order.
    Sorted,
    Which,
    Who,
    When,
    Exists,
    Share,
    /// `how much more` (true), `the difference`
    Difference(bool),
    /// Before the second of two that are told apart.
    Than,
    /// `better in Maths than in English` (true), `worse`
    Better(bool),
    Distinct,
    Per,
    By,
    SortBy,
    Ascending,
    Descending,
    Compare(Comparison),
    Between,
    Contains,
    Mentions,
    StartsWith,
    EndsWith,
    Matches,
    Before,
    After,
    Since,
    Until,
    Not,
    Or,
    And,
    /// `loans and total fines`: how many there are, before (true) or behind what is made of numbers.
    CountToo(bool),
    /// `without`, `no`
    Without,
    /// `is missing`
    Missing,
    Records,
    Lines,
    People,
    Unit(Bucket),
    /// A form of be or have: carries nothing, but parts what is asked from what is said of it.
    Verb,
    Noise,
    /// What code here has no answer to: today, yesterday, why.
    Beyond,
    Small(u32),
}

/// Which kind of column a superlative speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    None,
    Price,
    Duration,
    /// Later is larger.
    Moment,
    /// Of people: an age, or an earlier moment.
    Age,
    Temperature,
    Weight,
    Height,
    Distance,
    /// Of marks and ratings: the largest.
    Best,
}

/// Most words of a phrase.
pub(super) const LONGEST: usize = 6;

/// What a phrase of folded words does.
#[expect(clippy::too_many_lines, reason = "one table, by what the words are")]
pub(super) fn meaning(phrase: &str) -> Option<Word> {
    Some(match phrase {
        "how many" | "number of" | "numbers of" | "count" | "count of" | "count the" | "wie viele"
        | "wieviele" | "wie vielen" | "an wie vielen" | "über wie viele" | "bei wie vielen"
        | "in wie vielen" | "von wie vielen" | "in how many" | "on how many" | "for how many"
        | "how frequently" | "wie häufig" | "anzahl" | "anzahl der" | "how often" | "wie oft"
        | "total number of" | "the number of" | "number" | "zähle" | "gesamtzahl" | "amount of times"
        | "how many times" => Word::Count,
        "how much" | "wie viel" | "wieviel" | "how much money" | "wie viel geld" => Word::HowMuch,
        "total" | "sum" | "sum of" | "summe" | "gesamt" | "gesamte" | "gesamten" | "gesamter" | "overall"
        | "combined" | "add up" | "add up to" | "adds up to" | "summiere" | "the sum of" | "totals"
        | "summe der" => Word::Sum,
        "average"
        | "mean"
        | "avg"
        | "durchschnitt"
        | "durchschnittlich"
        | "durchschnittliche"
        | "durchschnittlichen"
        | "durchschnittlicher"
        | "durchschnitts"
        | "mittelwert"
        | "mittlere"
        | "mittleren"
        | "mittlerer"
        | "on average"
        | "im durchschnitt"
        | "im schnitt"
        | "schnitt"
        | "durchschnittliches"
        | "averages"
        | "im mittel"
        | "mittlerem"
        | "klassenschnitt"
        | "klassendurchschnitt" => Word::Average,
        "median" | "zentralwert" => Word::Median,
        "standard deviation" | "stddev" | "std dev" | "standardabweichung" | "standard deviation of" => {
            Word::Deviation
        }
        "range"
        | "difference between the lowest and the highest"
        | "spread"
        | "spannweite"
        | "difference between the highest and lowest"
        | "difference between highest and lowest"
        | "difference between lowest and highest"
        | "difference between max and min" => Word::Range,
        "highest" | "largest" | "biggest" | "greatest" | "maximum" | "max" | "maximal" | "top"
        | "höchste" | "höchsten" | "höchster" | "höchstes" | "höchst" | "größte" | "größten" | "größter"
        | "größtes" | "maximale" | "maximalen" => {
            if phrase == "top" {
                Word::Top
            } else {
                Word::Extreme(true, Hint::None)
            }
        }
        "at its lowest" | "at their lowest" | "lowest" | "smallest" | "minimum" | "min"
        | "least amount of" | "minimal" | "mindest" | "niedrigste" | "niedrigsten" | "niedrigster"
        | "niedrigstes" | "kleinste" | "kleinsten" | "kleinster" | "kleinstes" | "geringste"
        | "geringsten" | "minimale" | "weakest" | "nearest" | "closest" | "tiefste" | "tiefsten"
        | "tiefster" | "tiefstes" | "schwächste" | "schwächsten" | "am niedrigsten" | "am kleinsten"
        | "am geringsten" => Word::Extreme(false, Hint::None),
        "most expensive" | "the most expensive" | "priciest" | "dearest" | "teuerste" | "teuersten"
        | "teuerster" | "teuerstes" | "am teuersten" => Word::Extreme(true, Hint::Price),
        "cheapest"
        | "the least expensive"
        | "least expensive"
        | "billigste"
        | "billigsten"
        | "günstigste"
        | "günstigsten"
        | "billigster"
        | "am billigsten"
        | "am günstigsten"
        | "günstigstes" => Word::Extreme(false, Hint::Price),
        "longest" | "slowest" | "längste" | "längsten" | "langsamste" | "langsamsten" | "am längsten"
        | "am langsamsten" => Word::Extreme(true, Hint::Duration),
        "shortest" | "fastest" | "quickest" | "kürzeste" | "kürzesten" | "schnellste" | "schnellsten"
        | "am kürzesten" | "am schnellsten" => Word::Extreme(false, Hint::Duration),
        "the most recently" | "latest" | "newest" | "most recent" | "the most recent" | "most recently"
        | "last" | "zuletzt" | "neueste" | "neuesten" | "letzte" | "letzten" | "letzter" | "jüngste" => {
            Word::Extreme(true, Hint::Moment)
        }
        "earliest" | "first" | "früheste" | "frühesten" | "erste" | "ersten" | "erster" | "erstes" => {
            Word::Extreme(false, Hint::Moment)
        }
        "hottest" | "warmest" | "wärmste" | "wärmsten" | "heißeste" | "heißesten" => {
            Word::Extreme(true, Hint::Temperature)
        }
        "coldest" | "coolest" | "kälteste" | "kältesten" => Word::Extreme(false, Hint::Temperature),
        "most highly rated" | "best rated" | "top rated" | "highest rated" | "bestbewertete" => {
            Word::Extreme(true, Hint::Best)
        }
        "worst rated" | "lowest rated" | "worst" => Word::Extreme(false, Hint::Best),
        "best" | "beste" | "besten" | "bester" | "bestes" => Word::Extreme(true, Hint::Best),
        "oldest" | "älteste" | "ältesten" => Word::Extreme(true, Hint::Age),
        "youngest" => Word::Extreme(false, Hint::Age),
        "heaviest" | "schwerste" | "schwersten" | "schwerster" => Word::Extreme(true, Hint::Weight),
        "lightest" | "leichteste" | "leichtesten" | "leichtester" => Word::Extreme(false, Hint::Weight),
        "tallest" => Word::Extreme(true, Hint::Height),
        "farthest" | "furthest" | "am weitesten" | "weiteste" | "weitesten" => {
            Word::Extreme(true, Hint::Distance)
        }
        "peak" | "strongest" | "deepest" | "widest" | "steepest" | "at its highest" | "at their highest"
        | "at its peak" | "stärkste" | "stärksten" | "stärkster" | "stärkstes" | "am stärksten"
        | "am höchsten" | "am größten" => Word::Extreme(true, Hint::None),
        "most number of"
        | "the most number of"
        | "largest number of"
        | "the largest number of"
        | "greatest number of"
        | "the greatest number of"
        | "größte anzahl an"
        | "größte anzahl von"
        | "die größte anzahl an"
        | "most"
        | "the most"
        | "most often"
        | "most frequent"
        | "the most frequent"
        | "the most common"
        | "most common"
        | "most frequently"
        | "most popular"
        | "the most popular"
        | "busiest"
        | "most active"
        | "aktivste"
        | "aktivsten"
        | "beliebteste"
        | "beliebtesten"
        | "meisten"
        | "am meisten"
        | "die meisten"
        | "häufigste"
        | "häufigsten"
        | "häufigster"
        | "am häufigsten"
        | "meiste" => Word::Most(true),
        "smallest number of"
        | "least number of"
        | "the least number of"
        | "the smallest number of"
        | "fewest"
        | "least"
        | "the fewest"
        | "least often"
        | "least common"
        | "least frequent"
        | "quietest"
        | "least active"
        | "wenigsten"
        | "wenigste"
        | "am wenigsten"
        | "die wenigsten"
        | "seltenste" => Word::Most(false),
        "list" | "show" | "show me" | "give me" | "display" | "print" | "tell me" | "zeige" | "zeig"
        | "zeige mir" | "liste" | "nenne" | "find" | "finde" | "get" | "return" | "give" | "zeig mir"
        | "gib mir" => Word::List,
        "sorted" | "ordered" | "sort" | "order" | "sortiere" => Word::Sorted,
        "which" | "what" | "what is" | "what are" | "what was" | "what were" | "welche" | "welcher"
        | "welches" | "welchen" | "welchem" | "where" | "wo" | "was ist" | "was war" | "what's" | "whats"
        | "wie hoch ist" | "wie hoch war" | "wie hoch" | "wie groß ist" | "wie lautet" | "wie ist"
        | "wie war" | "wie sind" | "wie waren" | "wie hoch sind" | "how high is" | "how big is"
        | "how large is" | "in which" | "how high" | "how low" | "how big" | "how large" | "how small"
        | "wie groß" | "wie klein" | "in what" | "in welcher" | "in welchem" | "from which"
        | "what's the" | "an welchem" | "an welcher" | "on which" | "on what" | "at which" | "at what"
        | "zu welcher" | "zu welchem" | "von welcher" | "von welchem" | "für welche" | "for which" => {
            Word::Which
        }
        "how long" | "how slow" | "how fast" | "how quick" | "how short" | "wie lange" | "wie lang"
        | "wie schnell" | "wie langsam" => Word::How(Hint::Duration),
        "how warm" | "how hot" | "how cold" | "wie warm" | "wie kalt" | "wie heiß" => {
            Word::How(Hint::Temperature)
        }
        "how far" | "wie weit" => Word::How(Hint::Distance),
        "how old" | "wie alt" => Word::How(Hint::Age),
        "how tall" => Word::How(Hint::Height),
        "how heavy" | "wie schwer" => Word::How(Hint::Weight),
        "how expensive" | "how cheap" | "wie teuer" => Word::How(Hint::Price),
        "who" | "whose" | "wer" | "wessen" | "whom" | "an wen" | "von wem" | "wen" | "wem" => Word::Who,
        "when" | "wann" | "on what date" | "on which date" | "when was" | "when did" | "at which times"
        | "at what times" | "at what time" | "at which time" | "zu welchen zeiten" | "um wie viel uhr"
        | "zu welcher uhrzeit" => Word::When,
        "is there" | "are there" | "gibt es" | "does any" | "do any" | "is there any" | "are there any"
        | "was there" | "were there" | "gab es" | "did any" => Word::Exists,
        "how much more" | "how many more" | "how much longer" | "how much higher" | "how much larger"
        | "how much heavier" | "how much warmer" | "wie viel mehr" | "wieviel mehr" | "wie viele mehr"
        | "um wie viel mehr" => Word::Difference(true),
        "difference" | "difference in" | "unterschied" | "differenz" => Word::Difference(false),
        "than" => Word::Than,
        "better" | "besser" => Word::Better(true),
        "worse" | "schlechter" => Word::Better(false),
        "percentage"
        | "percent"
        | "what percentage"
        | "share"
        | "fraction"
        | "proportion"
        | "anteil"
        | "prozent"
        | "prozentsatz"
        | "wie viel prozent"
        | "how many percent"
        | "what percent"
        | "what share"
        | "portion"
        | "what portion"
        | "percentage of"
        | "share of"
        | "percent of"
        | "prozentualer anteil"
        | "what fraction"
        | "welcher anteil"
        | "wieviel prozent"
        | "what proportion" => Word::Share,
        "distinct" | "different" | "unique" | "verschiedene" | "verschiedenen" | "unterschiedliche"
        | "unterschiedlichen" | "eindeutige" | "various" => Word::Distinct,
        "per"
        | "for all the different"
        | "for all different"
        | "for each"
        | "for every"
        | "each"
        | "je"
        | "pro"
        | "grouped by"
        | "group by"
        | "broken down by"
        | "jede"
        | "jeder"
        | "jedes"
        | "für jede"
        | "für jeden"
        | "für jedes"
        | "every"
        | "gruppiert nach" => Word::Per,
        "by" | "nach" => Word::By,
        "in the order of" | "in order of" | "and sort by" | "sorted by" | "ordered by" | "order by"
        | "sort by" | "sortiert nach" | "ranked by" => Word::SortBy,
        "ascending"
        | "rarest first"
        | "aufsteigend"
        | "increasing"
        | "in ascending order"
        | "alphabetically"
        | "in alphabetical order"
        | "in lexicographical order"
        | "in increasing order"
        | "ascending order" => Word::Ascending,
        "descending"
        | "absteigend"
        | "decreasing"
        | "in descending order"
        | "in reverse order"
        | "in reversed lexicographical order"
        | "in reverse alphabetical order"
        | "in reversed alphabetical order"
        | "in decreasing order"
        | "from new to old"
        | "descending order" => Word::Descending,
        _ => {
            return condition_words::meaning(phrase)
                .or_else(|| percentile(phrase).map(Word::Percentile))
                .or_else(|| order(phrase));
        }
    })
}

/// `busiest first`, `höchste zuerst`: what a superlative begins with. The oldest come first by their dates.
fn order(phrase: &str) -> Option<Word> {
    let superlative = phrase.strip_suffix(" first").or_else(|| phrase.strip_suffix(" zuerst"))?;
    match meaning(superlative)? {
        Word::Extreme(_, Hint::Best) => Some(Word::Descending),
        Word::Extreme(is_most, Hint::Age) => Some(if is_most { Word::Ascending } else { Word::Descending }),
        Word::Extreme(is_most, _) | Word::Most(is_most) => {
            Some(if is_most { Word::Descending } else { Word::Ascending })
        }
        _ => None,
    }
}

/// `server error`: the first digit of the status codes that it names.
pub(super) fn class_of_status(phrase: &str) -> Option<u8> {
    match phrase {
        "server error" | "server errors" | "serverfehler" => Some(5),
        "client error" | "client errors" => Some(4),
        _ => None,
    }
}

/// A number that is written as a word.
pub(super) fn small_number(word: &str) -> Option<i64> {
    Some(match word {
        "once" | "einmal" | "one" | "an" | "ein" | "eine" | "einen" | "einer" | "einem" => 1,
        "twice" | "zweimal" | "two" | "zwei" => 2,
        "three" | "drei" => 3,
        "four" | "vier" => 4,
        "five" | "fünf" => 5,
        "six" | "sechs" => 6,
        "seven" | "sieben" => 7,
        "eight" | "acht" => 8,
        "nine" | "neun" => 9,
        "ten" | "zehn" => 10,
        _ => return None,
    })
}

/// Whether a verb says something of its own, so that it may name a value.
pub(super) fn is_content_verb(word: &str) -> bool {
    matches!(verb(word), Verb::Plain | Verb::Action)
}

/// `p95`, `95th percentile`, `90. Perzentil`
fn percentile(phrase: &str) -> Option<u8> {
    let digits = phrase.strip_prefix('p').or_else(|| {
        let number = phrase.strip_suffix(" percentile").or_else(|| phrase.strip_suffix(" perzentil"))?;
        Some(
            number
                .trim_end_matches("th")
                .trim_end_matches("st")
                .trim_end_matches("nd")
                .trim_end_matches("rd")
                .trim_end_matches('.'),
        )
    })?;
    digits.parse().ok().filter(|percent| (1..=99).contains(percent))
}
