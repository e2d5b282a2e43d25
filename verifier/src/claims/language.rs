//! Words of English, German and French that carry no fact of their own, or a fixed one.
//!
//! All three are read at once: claims and documents need not be in one language. What differs by language is only how
//! far a capital letter makes a name, because German writes every noun with one.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_decimal::Decimal;

use super::token::{Kind, Token};
use crate::value::measure;

type Table = LazyLock<HashSet<&'static str>>;

/// Words that say how others relate.
static FUNCTION_WORDS: Table = LazyLock::new(|| {
    words(
        "a about above after again against all also although always among an and any anyone are as at \
    be because been before being below between both but by can cannot could did do does during each either every everyone \
    except few for from further had has have he her here his how however i if in into is it its may more moreover most must \
    neither never no nobody nor not now of off on once only or other otherwise our out over own same section shall she should \
    since so some such than that the their them then there therefore these they this those though through to under unless \
    until up upon was we were what when where whether which while who whoever whose why will with within without would you \
    your \
    aber alle allen aller alles als also am an auch auf aus außer bei bis da dabei dadurch daher damit dann darf das dass \
    daß dem den denn der deren des dessen die dies diese diesem diesen dieser dieses doch durch ein eine einem einen einer \
    eines er es falls für gegen hat haben hatte hatten hier ihr ihre ihrem ihren ihrer im in ist ja jede jedem jeden jeder \
    jedes jedoch kann kein keine keinem keinen keiner können man mehr mit muss muß müssen nach nicht noch nur ob oder ohne \
    sein seine seinem seinen seiner seit sich sie sind so sofern soll sollen sondern sowie über um und unter vom von vor \
    während war waren weder weil wenn wer werden wie wird wir wo wurde wurden zu zum zur zwischen \
    à afin ainsi après au aucun aucune aussi autre aux avant avec c car ce cela celle celui ces cet cette ceux chaque comme \
    d dans de depuis des donc dont du elle elles en entre est et être eu il ils j je l la laquelle le lequel les leur leurs \
    lors lorsque m mais même n ne ni nos notre nous on ont ou où par parce pas pendant peut plus pour qu quand que quel \
    quelle qui quiconque s sa sans sauf se selon ses si soit son sont sous sur tout toute toutes tous un une vos votre vous y",
    )
});

/// German determiners: what may stand after one is an ordinary noun.
static DETERMINERS: Table = LazyLock::new(|| {
    words(
        "der die das den dem des ein eine einem einen einer eines kein keine keinem keinen keiner dieser diese dieses diesem \
    diesen jeder jede jedes jedem jeden sein seine seinem seinen seiner ihr ihre ihrem ihren ihrer unser unsere am im vom \
    zum zur beim ins ans alle allen aller mehr",
    )
});

static GERMAN: Table = LazyLock::new(|| {
    words(
        "der die das und ist nicht von den dem des ein eine einen einer mit für auf wird sich im zu bei oder als \
    nach sind hat muss werden durch zum zur am über bis kann darf",
    )
});
static FRENCH: Table = LazyLock::new(|| {
    words(
        "le la les et est pas de des du un une dans pour par sur que qui au aux se sont il elle ce cette doit avec \
    peut ne",
    )
});
static ENGLISH: Table = LazyLock::new(|| {
    words(
        "the and is not of a an in for to by on that which or as are has must with be at from was if may this",
    )
});

static NEGATIONS: Table = LazyLock::new(|| {
    words(
        "not no never neither none nobody nothing without cannot t non nicht kein keine keinem keinen keiner \
    keines nie niemals niemand nichts ohne weder pas jamais aucun aucune sans ni rien nul nulle",
    )
});

static LIMITS: Table = LazyLock::new(|| {
    words(
        "before after above below over under until since from more less fewer most least only if unless except some few half \
    within outside minimum maximum always sometimes \
    vor nach über unter bis seit ab mehr weniger mindestens höchstens nur falls wenn sofern außer manche einige halb innerhalb \
    immer manchmal \
    avant après jusqu depuis dès plus moins seulement uniquement si sauf quelques moitié toujours parfois",
    )
});

static REFERENCES: Table = LazyLock::new(|| {
    words(
        "section sections article articles clause clauses paragraph paragraphs page pages line lines chapter \
    annex appendix item step schedule abschnitt abschnitte abschnitten artikel artikeln absatz absätze abs ziffer ziffern \
    paragraf paragraph seite seiten zeile zeilen kapitel anlage anhang nummer nr punkt satz alinéa paragraphe paragraphes \
    annexe chapitre ligne lignes no numéro point",
    )
});

const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "jänner", "janvier", "jan", "janv"],
    &["february", "februar", "février", "feb", "févr"],
    &["march", "märz", "mars"],
    &["april", "avril", "apr", "avr"],
    &["may", "mai"],
    &["june", "juni", "juin", "jun"],
    &["july", "juli", "juillet", "jul", "juil"],
    &["august", "août", "aug"],
    &["september", "septembre", "sep", "sept"],
    &["october", "oktober", "octobre", "oct", "okt"],
    &["november", "novembre", "nov"],
    &["december", "dezember", "décembre", "dec", "dez", "déc"],
];

const UNITS: [(&str, &[&str]); 14] = [
    ("days", &["day", "days", "tag", "tage", "tagen", "tages", "jour", "jours"]),
    ("hours", &["hour", "hours", "stunde", "stunden", "heure", "heures"]),
    ("minutes", &["minute", "minutes", "minuten"]),
    ("seconds", &["second", "seconds", "sekunde", "sekunden", "seconde", "secondes"]),
    ("percent", &["percent", "prozent"]),
    ("EUR", &["euro", "euros", "eur"]),
    ("USD", &["dollar", "dollars", "usd"]),
    ("pieces", &["piece", "pieces", "stück", "pièce", "pièces"]),
    ("kg", &["kg", "kilogram", "kilograms", "kilogramm", "kilo", "kilos", "kilogrammes"]),
    ("km", &["km", "kilometre", "kilometres", "kilometers", "kilometer", "kilometern", "kilomètres"]),
    ("metres", &["metre", "metres", "meter", "meters", "metern", "mètre", "mètres"]),
    ("weeks", &["week", "weeks", "woche", "wochen", "semaine", "semaines"]),
    ("months", &["month", "months", "monat", "monate", "monaten", "monats", "mois"]),
    ("years", &["year", "years", "jahr", "jahre", "jahren", "jahres", "an", "ans", "année", "années"]),
];

const NUMBERS: [(&str, u32); 67] = [
    ("zero", 0),
    ("null", 0),
    ("zéro", 0),
    ("one", 1),
    ("two", 2),
    ("zwei", 2),
    ("deux", 2),
    ("three", 3),
    ("drei", 3),
    ("trois", 3),
    ("four", 4),
    ("vier", 4),
    ("quatre", 4),
    ("five", 5),
    ("fünf", 5),
    ("cinq", 5),
    ("six", 6),
    ("sechs", 6),
    ("seven", 7),
    ("sieben", 7),
    ("sept", 7),
    ("eight", 8),
    ("acht", 8),
    ("huit", 8),
    ("nine", 9),
    ("neun", 9),
    ("neuf", 9),
    ("ten", 10),
    ("zehn", 10),
    ("dix", 10),
    ("eleven", 11),
    ("elf", 11),
    ("onze", 11),
    ("twelve", 12),
    ("zwölf", 12),
    ("douze", 12),
    ("fourteen", 14),
    ("vierzehn", 14),
    ("quatorze", 14),
    ("fifteen", 15),
    ("fünfzehn", 15),
    ("quinze", 15),
    ("eighteen", 18),
    ("achtzehn", 18),
    ("twenty", 20),
    ("zwanzig", 20),
    ("vingt", 20),
    ("thirty", 30),
    ("dreißig", 30),
    ("trente", 30),
    ("forty", 40),
    ("vierzig", 40),
    ("quarante", 40),
    ("fifty", 50),
    ("fünfzig", 50),
    ("cinquante", 50),
    ("sixty", 60),
    ("sechzig", 60),
    ("soixante", 60),
    ("seventy", 70),
    ("siebzig", 70),
    ("eighty", 80),
    ("achtzig", 80),
    ("ninety", 90),
    ("neunzig", 90),
    ("hundred", 100),
    ("hundert", 100),
];

const MAGNITUDES: [(&[&str], u64); 3] = [
    (&["thousand", "tausend", "mille", "tsd"], 1_000),
    (&["million", "millions", "millionen", "mio"], 1_000_000),
    (&["billion", "billions", "milliarde", "milliarden", "milliard", "milliards", "mrd"], 1_000_000_000),
];

/// A language that names are told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Also where nothing is known.
    English,
    /// Every noun has a capital letter.
    German,
    /// As English, for what matters here.
    French,
}

impl Language {
    /// The language whose common words a text has most of.
    pub fn of(text: &str) -> Self {
        let mut counts = [0_u32; 3];
        for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(2_000) {
            let word = word.to_lowercase();
            for (count, table) in counts.iter_mut().zip([&ENGLISH, &GERMAN, &FRENCH]) {
                *count += u32::from(is_in(table, &word));
            }
        }
        match counts {
            [english, german, french] if german > english && german >= french => Self::German,
            [english, _, french] if french > english => Self::French,
            _ => Self::English,
        }
    }
}

/// A unit of measure with the base that it is counted in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Units with one name can be converted into each other.
    pub base: &'static str,
    /// How many of the base one is.
    pub factor: Decimal,
}

/// The unit that a word or sign stands for, singular or plural, in any of the languages.
pub fn unit(word: &str) -> Option<Unit> {
    let lower = word.to_lowercase();
    let found = UNITS.iter().find(|(_, words)| words.contains(&lower.as_str())).map(|(name, _)| *name);
    match found {
        Some("weeks") => {
            measure("days").map(|day| Unit { base: day.kind.name(), factor: day.factor * Decimal::from(7) })
        }
        Some("months") => Some(Unit { base: "months", factor: Decimal::ONE }),
        Some("years") => Some(Unit { base: "months", factor: Decimal::from(12) }),
        known => {
            // Single letters are too often something else: "5 d'entre eux".
            let name =
                known.or((word.chars().count() > 1 || !word.is_ascii() || word == "%" || word == "$")
                    .then_some(word))?;
            measure(name).map(|measure| Unit { base: measure.kind.name(), factor: measure.factor })
        }
    }
}

/// The month that a word names. `may` and `march` are months only with a capital letter.
pub fn month(word: &str) -> Option<u8> {
    if matches!(word, "may" | "march") {
        return None;
    }
    let lower = word.to_lowercase();
    let at = MONTHS.iter().position(|names| names.contains(&lower.as_str()))?;
    u8::try_from(at + 1).ok()
}

/// The number that a word names; German articles and `un` are none.
pub fn number_word(word: &str) -> Option<u32> {
    let lower = word.to_lowercase();
    NUMBERS.iter().find(|(name, _)| *name == lower).map(|(_, number)| *number)
}

/// What a word after a number multiplies it with.
pub fn magnitude(word: &str) -> Option<u64> {
    let lower = word.to_lowercase();
    MAGNITUDES.iter().find(|(names, _)| names.contains(&lower.as_str())).map(|(_, factor)| *factor)
}

/// Whether a word only relates others.
pub fn is_function_word(word: &str) -> bool {
    is_in(&FUNCTION_WORDS, &word.to_lowercase())
}

/// Whether a word is an English one that stands before roles and not before names. "an" is German, too.
pub fn is_article(word: &str) -> bool {
    matches!(word, "the" | "The" | "a" | "each" | "Each" | "any" | "Any" | "every" | "Every" | "such")
}

/// Whether a word stands before a name and is none.
pub fn is_title(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "herr"
            | "herrn"
            | "herren"
            | "frau"
            | "frauen"
            | "familie"
            | "dr"
            | "prof"
            | "mr"
            | "mrs"
            | "ms"
            | "madame"
            | "monsieur"
            | "mme"
    )
}

/// Whether a word is a German determiner.
pub fn is_determiner(word: &str) -> bool {
    is_in(&DETERMINERS, &word.to_lowercase())
}

/// Whether a word negates. Of "neither … nor" only the first does, of "a-t-on" none.
pub fn negates(token: &Token<'_>) -> bool {
    let is_part = token.text == "t" && !matches!(token.before, Some('\'' | '’'));
    token.kind == Kind::Word && !is_part && is_in(&NEGATIONS, &token.text.to_lowercase())
}

/// Whether a word limits what is stated: "only", "before", "at most".
pub fn is_limit(word: &str) -> bool {
    is_in(&LIMITS, &word.to_lowercase())
}

/// Whether the number after a word says which part of a text, and no amount.
pub fn is_reference(word: &str) -> bool {
    word == "§" || is_in(&REFERENCES, &word.to_lowercase())
}

/// Whether a word is a German noun by its ending, and so no name.
pub fn is_german_noun(word: &str) -> bool {
    const ENDINGS: [&str; 14] = [
        "ung", "ungen", "heit", "keit", "schaft", "tion", "tionen", "tät", "nis", "ment", "ismus", "frist",
        "zahlung", "tag",
    ];
    ENDINGS.iter().any(|ending| word.ends_with(ending))
}

fn is_in(table: &Table, word: &str) -> bool {
    table.contains(word)
}

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_three_languages_are_one() {
        for (left, right) in
            [("Tage", "days"), ("jours", "day"), ("Jahren", "ans"), ("Prozent", "%"), ("€", "euros")]
        {
            assert_eq!(unit(left), unit(right), "{left} {right}");
            assert!(unit(left).is_some(), "{left}");
        }
        assert_ne!(unit("Monate"), unit("Tage"));
        assert_eq!(unit("d"), None);
    }

    #[test]
    fn a_verb_is_no_month() {
        assert_eq!(
            (month("May"), month("mai"), month("may"), month("march")),
            (Some(5), Some(5), None, None)
        );
        assert_eq!((month("März"), month("août"), month("Dez")), (Some(3), Some(8), Some(12)));
    }

    #[test]
    fn the_language_is_told_by_common_words() {
        assert_eq!(Language::of("Der Mieter zahlt die Miete bis zum dritten Werktag."), Language::German);
        assert_eq!(Language::of("Le locataire paie le loyer avant le trois du mois."), Language::French);
        assert_eq!(Language::of("The tenant pays the rent by the third working day."), Language::English);
    }
}
