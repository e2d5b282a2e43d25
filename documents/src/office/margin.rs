//! What stands in the margin of pages.

/// Whether a header or footer says nothing but which page it is: `Page 3 of 12`, `- 7 -`, or what is left of it without
/// its numbers.
pub(super) fn is_page_number(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "page", "pages", "of", "p", "pg", "seite", "von", "sur", "de", "página", "pagina", "di", "strona",
        "z",
    ];
    text.split(|character: char| !character.is_alphabetic())
        .filter(|word| !word.is_empty())
        .all(|word| WORDS.contains(&&*word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_told_from_other_margins() {
        for text in ["", "Page of", "– 7 –", "Seite 3 von 12", "12/40"] {
            assert!(is_page_number(text), "{text}");
        }
        for text in ["Lease agreement", "Page 3, draft", "ACME 2024"] {
            assert!(!is_page_number(text), "{text}");
        }
    }
}
