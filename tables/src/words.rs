//! Words as people write them: case folded, split at underscores and humps, and cut to a common stem.

use frlm_util::text;

/// The text in lower case, with one space for each run of white space.
pub(crate) fn fold(text: &str) -> String {
    text::collapse_whitespace(&text.to_lowercase())
}

/// The words of a name or a value, folded: `orderDate`, `order_date` and `Order Date` all give `order`, `date`.
pub(crate) fn parts(name: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(name.len() + 8);
    let mut before = ' ';
    let mut before_that = ' ';
    for letter in name.chars() {
        // `kWh` is one word.
        let is_oxygen = letter == 'O' && spaced.ends_with("Sp");
        let hump =
            before.is_lowercase() && letter.is_uppercase() && before_that.is_alphanumeric() && !is_oxygen;
        let edge = (before.is_ascii_digit() && letter.is_alphabetic() && letter.is_uppercase())
            || (before.is_alphabetic() && letter.is_ascii_digit() && spaced.len() > 3);
        if hump || edge {
            spaced.push(' ');
        }
        spaced.push(letter);
        before_that = before;
        before = letter;
    }
    text::words(&spaced).map(str::to_lowercase).collect()
}

/// The words of a value, folded, with no splitting inside a word.
pub(crate) fn value_words(value: &str) -> Vec<String> {
    text::words(value).map(str::to_lowercase).collect()
}

/// A word without the endings of English and German plurals and tenses, so that `hired` meets `hire` and `Kunden`
/// meets `Kunde`. Short words stay as they are.
pub(crate) fn stem(word: &str) -> String {
    const ENDINGS: &[&str] =
        &["ungen", "ing", "ung", "ies", "est", "ed", "er", "en", "em", "es", "s", "e", "n", "y", "d"];
    let mut stem = plain(word);
    if let Some(rest) = stem.strip_suffix("ies").filter(|rest| rest.len() >= 3) {
        return rest.to_owned();
    }
    for _ in 0..2 {
        let Some(shorter) = ENDINGS
            .iter()
            .filter(|ending| stem.ends_with(*ending) && !(**ending == "s" && stem.ends_with("ss")))
            .map(|ending| stem.len() - ending.len())
            .find(|length| *length >= 4 || (*length == 3 && stem.len() <= 5 && !stem.ends_with("er")))
        else {
            break;
        };
        stem.truncate(shorter);
        // `dropped` and `drop`
        let letters = stem.as_bytes();
        if let [.., left, right] = letters
            && letters.len() > 4
            && left == right
            && b"bdgmnprt".contains(right)
        {
            stem.pop();
        }
    }
    stem
}

/// What a verb and the noun of it share: `gespendet` and `Spende`, `verbraucht` and `Verbrauch`, `borrowed` and `borrower`.
pub(crate) fn verb_root(word: &str) -> String {
    let word = plain(word);
    let participle =
        word.strip_suffix("et").or_else(|| word.strip_suffix('t')).filter(|rest| rest.len() >= 5);
    let Some(rest) = participle else { return stem(&word) };
    // As the infinitive, so that both lose the same endings.
    stem(&format!("{}en", rest.strip_prefix("ge").filter(|root| root.len() >= 4).unwrap_or(rest)))
}

/// Whether two words are one but for plural, case and tense.
pub(crate) fn same_word(left: &str, right: &str) -> bool {
    left == right || (left.len() >= 3 && right.len() >= 3 && stem(left) == stem(right))
}

/// Whether a compound ends in a word but for its case and number: `bauantraege` in `Antrag`.
pub(crate) fn ends_in(compound: &str, word: &str) -> bool {
    let bare = |text: &str| stem(&plain(text).replace("ae", "a").replace("oe", "o").replace("ue", "u"));
    let (compound, word) = (bare(compound), bare(word));
    word.len() >= 5 && compound.len() > word.len() && compound.ends_with(&word)
}

/// Whether two words differ by a plural ending at most: stricter than [`same_word`], for values.
pub(crate) fn same_but_plural(left: &str, right: &str) -> bool {
    left == right || singular(left) == singular(right)
}

/// A word without an English plural ending.
pub(crate) fn singular(word: &str) -> String {
    if let "movies" | "series" | "cookies" | "calories" = word {
        return if word == "series" { word.to_owned() } else { word[..word.len() - 1].to_owned() };
    }
    for (ending, instead) in [("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")] {
        if let Some(rest) = word.strip_suffix(ending).filter(|rest| rest.len() >= 2) {
            return format!("{rest}{instead}");
        }
    }
    match word.strip_suffix('s') {
        Some(rest) if rest.len() >= 3 && !rest.ends_with('s') => rest.to_owned(),
        _ => word.to_owned(),
    }
}

/// Umlauts and accents as their plain letters.
pub(crate) fn plain(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for letter in word.chars() {
        match letter {
            'ä' | 'á' | 'à' | 'â' | 'ã' | 'å' => plain.push('a'),
            'ö' | 'ó' | 'ò' | 'ô' | 'õ' => plain.push('o'),
            'ü' | 'ú' | 'ù' | 'û' => plain.push('u'),
            'é' | 'è' | 'ê' | 'ë' => plain.push('e'),
            'í' | 'ì' | 'î' | 'ï' => plain.push('i'),
            'ß' => plain.push_str("ss"),
            'ç' => plain.push('c'),
            'ñ' => plain.push('n'),
            other => plain.push(other),
        }
    }
    plain
}

/// A byte of Windows-1252, which is Latin-1 with printable signs for most of its control characters.
pub(crate) fn western(byte: u8) -> char {
    const SIGNS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    byte.checked_sub(0x80)
        .and_then(|place| SIGNS.get(usize::from(place)))
        .copied()
        .unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words_at_humps_and_signs() {
        assert_eq!(parts("orderDate"), ["order", "date"]);
        assert_eq!(parts("Order_Date (UTC)"), ["order", "date", "utc"]);
        assert_eq!(parts("http.status"), ["http", "status"]);
        assert_eq!(parts("Verbrauch (kWh)"), ["verbrauch", "kwh"]);
    }

    #[test]
    fn tenses_and_plurals_share_a_stem() {
        for (left, right) in [
            ("hired", "hire"),
            ("Kunden", "Kunde"),
            ("orders", "order"),
            ("cities", "city"),
            ("users", "user"),
        ] {
            assert!(same_word(&left.to_lowercase(), &right.to_lowercase()), "{left} {right}");
        }
        assert!(same_word("dropped", "drop"));
        assert!(!same_word("status", "state"));
        assert!(!same_word("price", "print"));
    }

    #[test]
    fn a_verb_and_its_noun_share_a_root() {
        for (verb, noun) in [("gespendet", "spenden"), ("verbraucht", "verbrauch"), ("borrowed", "borrower")]
        {
            assert_eq!(verb_root(verb), verb_root(noun), "{verb}");
        }
        assert_ne!(verb_root("geliefert"), verb_root("gelesen"));
    }

    #[test]
    fn a_value_is_met_by_its_plural_only() {
        assert!(same_but_plural("errors", "error"));
        assert!(same_but_plural("batteries", "battery"));
        assert!(!same_but_plural("open", "opened"));
    }
}
