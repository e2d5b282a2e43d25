//! What lines begin with: bullets and numbers of lists, numbers of headings, words of captions, marks of footnotes.

/// What an item of a list begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    pub kind: MarkerKind,
}

/// How items of one list are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkerKind {
    Bullet(char),
    /// `1.`, `1)`, `(1)`: what stands around the number.
    Number(char, char),
    /// `a.`, `a)`, `(a)`, `ii.`
    Letter(char, char),
}

impl Marker {
    pub fn is_bullet(&self) -> bool {
        matches!(self.kind, MarkerKind::Bullet(_))
    }
}

const BULLETS: &[char] = &[
    '•', '◦', '▪', '▫', '‣', '⁃', '●', '○', '■', '□', '➢', '✓', '–', '—', '-', '*', '·', '∙', '◆', '►', '→',
];

/// The marker of an item at the beginning of a line, if it has one with text behind it.
pub(super) fn of(line: &str) -> Option<Marker> {
    let (first, rest) = line.split_once(' ')?;
    let mut characters = first.chars();
    let character = characters.next()?;
    if characters.next().is_none() && BULLETS.contains(&character) {
        let dash = matches!(character, '–' | '—' | '-' | '*');
        let text = rest.chars().next().is_some_and(char::is_alphabetic) || !dash;
        return text.then_some(Marker { kind: MarkerKind::Bullet(character) });
    }
    let before = if first.starts_with(['(', '[']) { first.chars().next()? } else { ' ' };
    let after = first.chars().next_back().filter(|last| matches!(last, '.' | ')' | ']'))?;
    if before == '(' && after != ')' || before == '[' && after != ']' || before == ' ' && after == ']' {
        return None;
    }
    let inside = first.trim_start_matches(before).strip_suffix(after)?;
    let length = inside.chars().count();
    let kind = if (1..=3).contains(&length) && inside.chars().all(|digit| digit.is_ascii_digit()) {
        MarkerKind::Number(before, after)
    } else if length == 1 && inside.chars().all(|letter| letter.is_ascii_alphabetic())
        || (2..=5).contains(&length) && inside.chars().all(|letter| matches!(letter, 'i' | 'v' | 'x'))
    {
        MarkerKind::Letter(before, after)
    } else {
        return None;
    };
    // `J. Smith` is a name.
    if let MarkerKind::Letter(' ', '.') = kind
        && inside.chars().all(char::is_uppercase)
    {
        return None;
    }
    Some(Marker { kind })
}

/// How deep a heading is numbered: 1 for `4 Rent` or `§ 4`, 2 for `4.2`; `None` for a line that is not numbered like a heading.
pub(super) fn heading_depth(line: &str) -> Option<u8> {
    let mut words = line.split(' ');
    let first = words.next()?;
    let second = words.next();
    let lower = first.to_lowercase();
    let named = matches!(
        lower.as_str(),
        "chapter"
            | "part"
            | "article"
            | "section"
            | "appendix"
            | "annex"
            | "schedule"
            | "§"
            | "kapitel"
            | "teil"
            | "artikel"
            | "abschnitt"
            | "anhang"
            | "chapitre"
            | "partie"
            | "capítulo"
            | "art."
    );
    if named {
        let number = second?.trim_end_matches(['.', ':', ')', '—', '–']);
        let is_number = number.len() <= 6
            && !number.is_empty()
            && (number.chars().all(|digit| digit.is_ascii_digit() || digit == '.')
                || number.chars().all(|digit| "IVXLC".contains(digit))
                || number.chars().count() == 1 && number.chars().all(char::is_uppercase));
        return is_number.then_some(1);
    }
    if lower.starts_with('第') && first.contains(['章', '節', '条', '节', '條']) {
        return Some(1);
    }
    second?;
    let number = first.trim_start_matches('§').trim_end_matches(['.', ')', ':']);
    let parts: Vec<&str> = number.split('.').collect();
    let (head, rest) = parts.split_first()?;
    let digits =
        |part: &&str| (1..=3).contains(&part.len()) && part.chars().all(|digit| digit.is_ascii_digit());
    let roman = !head.is_empty()
        && head.len() <= 5
        && head.chars().all(|digit| "IVX".contains(digit))
        && first.ends_with('.');
    let letter = head.len() == 1
        && head.chars().all(|letter| letter.is_ascii_uppercase())
        && (!rest.is_empty() || first.ends_with('.'));
    ((digits(head) || roman || letter) && rest.iter().all(digits) && parts.len() <= 5)
        .then(|| u8::try_from(parts.len()).unwrap_or(5))
}

/// Whether a paragraph begins as captions do: `Figure 3:`. `certain` is false where running text may begin so, too.
pub(super) fn caption(text: &str) -> Option<bool> {
    let mut words = text.split(' ');
    let first = words.next()?;
    let lower = first.trim_end_matches('.').to_lowercase();
    let wide = first.chars().next().filter(|character| matches!(character, '图' | '表' | '図'));
    let number = if wide.is_some() {
        first.trim_start_matches(['图', '表', '図']).to_owned()
    } else {
        let known = matches!(
            lower.as_str(),
            "figure"
                | "fig"
                | "table"
                | "tab"
                | "abbildung"
                | "abb"
                | "tabelle"
                | "chart"
                | "listing"
                | "plate"
                | "exhibit"
                | "scheme"
                | "diagram"
                | "box"
                | "tableau"
                | "figura"
                | "tabla"
                | "map"
        );
        if !known || !first.chars().next()?.is_uppercase() {
            return None;
        }
        words.next()?.to_owned()
    };
    let bare = number.trim_end_matches(['.', ':', '|', '–', '—', ')']);
    let is_number = bare
        .chars()
        .next()
        .is_some_and(|first| first.is_ascii_digit() || "IVX".contains(first) || first.is_ascii_uppercase())
        && bare.len() <= 7
        && bare.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '.' | '-'));
    let next = words.next();
    let certain = bare.len() < number.len()
        || next.is_none()
        || next.is_some_and(|next| matches!(next, ":" | "|" | "–" | "—"));
    (is_number || wide.is_some() && bare.is_empty()).then_some(certain)
}

/// Whether a line begins with the mark of a footnote.
pub(super) fn footnote(line: &str) -> bool {
    let Some((first, rest)) = line.split_once(' ') else { return false };
    let mark = first.trim_matches(['[', ']', '(', ')', '.']);
    let number = (1..=3).contains(&mark.len()) && mark.chars().all(|digit| digit.is_ascii_digit());
    let sign = !mark.is_empty()
        && mark.chars().count() <= 3
        && mark
            .chars()
            .all(|sign| matches!(sign, '*' | '∗' | '†' | '‡' | '§' | '¶' | '¹' | '²' | '³' | '⁴'..='⁹'));
    let letter =
        mark.len() == 1 && first.len() == 1 && mark.chars().all(|letter| letter.is_ascii_lowercase());
    (number || sign || letter) && rest.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_and_numbers_of_items_are_known() {
        let kind = |line| of(line).map(|marker| marker.kind);
        assert_eq!(kind("• apples"), Some(MarkerKind::Bullet('•')));
        assert_eq!(kind("(a) the tenant"), Some(MarkerKind::Letter('(', ')')));
        assert_eq!(kind("12. the rent"), Some(MarkerKind::Number(' ', '.')));
        assert_eq!(kind("J. Smith"), None);
        assert_eq!(kind("1990. That year"), None);
        assert_eq!(kind("- 5 degrees"), None);
    }

    #[test]
    fn numbers_of_headings_tell_their_depth() {
        assert_eq!(heading_depth("4 Rent"), Some(1));
        assert_eq!(heading_depth("4.2. Amount due"), Some(2));
        assert_eq!(heading_depth("§ 4 Rent"), Some(1));
        assert_eq!(heading_depth("Chapter IV"), Some(1));
        assert_eq!(heading_depth("A. Scope"), Some(1));
        assert_eq!(heading_depth("Rent of 4"), None);
    }

    #[test]
    fn captions_are_told_from_sentences_about_figures() {
        assert_eq!(caption("Figure 3: The plant"), Some(true));
        assert_eq!(caption("Table 2 The plant"), Some(false));
        assert_eq!(caption("图1 结构"), Some(false));
        assert_eq!(caption("Figures are shown"), None);
    }

    #[test]
    fn footnotes_begin_with_their_mark() {
        assert!(footnote("1 See there") && footnote("* See there") && footnote("[2] See"));
        assert!(!footnote("1990 was a year") && !footnote("See there"));
    }
}
