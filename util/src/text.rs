//! White space, words and shortened lines.

/// One space for each run of white space, and none at the ends.
pub fn collapse_whitespace(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}

/// The words of a text: runs of letters and digits. Everything else stands between words.
pub fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    words_of(text, char::is_alphanumeric)
}

/// The same with other characters in words. No word is empty.
pub fn words_of(text: &str, is_in_word: impl Fn(char) -> bool + Clone) -> impl Iterator<Item = &str> + Clone {
    text.split(move |letter| !is_in_word(letter)).filter(|word| !word.is_empty())
}

/// At most `most_chars` characters; the last of them is `…` if some are missing.
pub fn shortened(text: &str, most_chars: usize) -> String {
    if text.chars().nth(most_chars).is_none() {
        return text.to_owned();
    }
    text.chars().take(most_chars.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_of_any_kind_is_one_space_and_none_at_the_ends() {
        assert_eq!(collapse_whitespace("\n a\u{a0}\u{2003}b\t c  "), "a b c");
        assert_eq!(collapse_whitespace(" \n"), "");
    }

    #[test]
    fn words_are_never_empty_whatever_stands_between_them() {
        assert_eq!(
            words("It's 5%—naïve, no_name").collect::<Vec<_>>(),
            ["It", "s", "5", "naïve", "no", "name"]
        );
        let with_apostrophes = |letter: char| letter.is_alphanumeric() || letter == '\'';
        assert_eq!(words_of("It's 5% …", with_apostrophes).collect::<Vec<_>>(), ["It's", "5"]);
        assert_eq!(words(" .,").count(), 0);
    }

    #[test]
    fn a_shortened_text_has_as_many_characters_as_it_may_have() {
        assert_eq!(shortened("größe", 5), "größe");
        assert_eq!(shortened("größer", 5), "größ…");
        assert_eq!(shortened("a", 1), "a");
        assert_eq!(shortened("ab", 1), "…");
        assert_eq!(shortened("", 0), "");
    }
}
