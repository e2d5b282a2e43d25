//! Templates of log lines that have no format of their own, found as Drain does (He and others, 2017): lines of one length
//! that share most words are one template, and the words in which they differ are its fields.

use std::collections::HashMap;

use crate::vocabulary;

/// The share of words that a line and a template must have in common, in hundredths.
const LEAST_SHARED_PERCENT: usize = 50;

/// Most words of a line that is part of a template.
const MAX_WORDS: usize = 60;

/// Most templates. What fits none beyond that is left without one.
const MAX_TEMPLATES: usize = 500;

/// Most templates with one length and one first word that a line is compared with.
const MAX_COMPARED: usize = 50;

/// What stands for a word that differs.
const ANY: &str = "<*>";

/// The templates of a text.
#[derive(Debug, Default)]
pub(super) struct Templates {
    templates: Vec<Template>,
    /// By how many words a line has and by its first, if that is none that differs.
    by_shape: HashMap<(usize, String), Vec<usize>>,
}

#[derive(Debug)]
struct Template {
    /// `None` where words differ.
    words: Vec<Option<String>>,
    lines: u64,
}

impl Templates {
    /// Learns all lines. `None` if they are prose: most lines fit no template, or no template has a field.
    pub fn of<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> Option<Self> {
        let mut templates = Self::default();
        for line in lines.clone() {
            templates.learn(line);
        }
        let (mut all, mut covered) = (0_usize, 0_usize);
        for line in lines {
            all += 1;
            covered += usize::from(templates.of_line(line).is_some_and(|found| templates.is_told(found)));
        }
        (all >= 4 && covered * 10 >= all * 8).then_some(templates)
    }

    fn learn(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().take(MAX_WORDS + 1).collect();
        if words.is_empty() || words.len() > MAX_WORDS {
            return;
        }
        if let Some(index) = self.closest(&words) {
            let template = &mut self.templates[index];
            template.lines += 1;
            for (known, word) in template.words.iter_mut().zip(&words) {
                if known.as_deref().is_some_and(|known| known != *word) {
                    *known = None;
                }
            }
            return;
        }
        if self.templates.len() < MAX_TEMPLATES {
            let masked = words.iter().map(|word| (!differs(word)).then(|| (*word).to_owned())).collect();
            self.by_shape.entry(shape(&words)).or_default().push(self.templates.len());
            self.templates.push(Template { words: masked, lines: 1 });
        }
    }

    fn closest(&self, words: &[&str]) -> Option<usize> {
        let candidates = self.by_shape.get(&shape(words))?;
        let shared = |index: &usize| {
            let template = &self.templates[*index];
            template.words.iter().zip(words).filter(|(known, word)| known.as_deref() == Some(**word)).count()
                + template
                    .words
                    .iter()
                    .zip(words)
                    .filter(|(known, word)| known.is_none() && differs(word))
                    .count()
        };
        let best =
            candidates.iter().take(MAX_COMPARED).max_by_key(|index| (shared(index), usize::MAX - **index))?;
        (shared(best) * 100 >= words.len() * LEAST_SHARED_PERCENT).then_some(*best)
    }

    /// The template that a line fits, word by word.
    pub fn of_line(&self, line: &str) -> Option<usize> {
        let words: Vec<&str> = line.split_whitespace().take(MAX_WORDS + 1).collect();
        if words.is_empty() || words.len() > MAX_WORDS {
            return None;
        }
        let index = self.closest(&words)?;
        let fits = |known: &Option<String>, word: &&str| known.as_deref().is_none_or(|known| known == *word);
        self.templates[index].words.iter().zip(&words).all(|(known, word)| fits(known, word)).then_some(index)
    }

    /// Whether a template was seen often enough to be one, and has fields.
    fn is_told(&self, index: usize) -> bool {
        let template = &self.templates[index];
        template.lines >= 2 && template.words.iter().any(Option::is_none)
    }

    /// The template and the fields of a line, each named by the word before it.
    pub fn fields(&self, line: &str) -> Vec<(String, String)> {
        let Some(index) = self.of_line(line).filter(|index| self.templates[*index].lines >= 2) else {
            return Vec::new();
        };
        let template = &self.templates[index];
        let shown: Vec<&str> = template.words.iter().map(|word| word.as_deref().unwrap_or(ANY)).collect();
        let mut fields = vec![("template".to_owned(), shown.join(" "))];
        let words: Vec<&str> = line.split_whitespace().collect();
        for (place, word) in words.iter().enumerate() {
            if template.words[place].is_some() {
                continue;
            }
            let value =
                word.trim_matches(|letter: char| ",;()[]\"'".contains(letter)).trim_end_matches([':', '.']);
            // A number before its unit is read as a quantity, which knows more.
            if let Some(name) = name_of(template, place, value)
                && !fields.iter().any(|(other, _)| *other == name)
            {
                fields.push((name, value.to_owned()));
            }
        }
        fields
    }
}

/// What a field is called: by its form, else by the word before it. `None` if nothing tells.
fn name_of(template: &Template, place: usize, value: &str) -> Option<String> {
    if value.parse::<std::net::Ipv4Addr>().is_ok() {
        return Some("ip".to_owned());
    }
    let next = template.words.get(place + 1).and_then(Option::as_deref);
    if next.is_some_and(|word| crate::value::unit::measure_of(word.trim_end_matches([',', '.'])).is_some()) {
        return None;
    }
    let before = template.words.get(place.checked_sub(1)?)?.as_deref()?;
    let name = before.trim_end_matches([':', '=']).trim_matches(|letter: char| !letter.is_alphanumeric());
    let names = name.chars().count() > 1
        && name.chars().all(|letter| letter.is_alphabetic() || letter == '_' || letter == '-')
        && !is_small_word(name);
    names.then(|| name.to_lowercase())
}

fn is_small_word(word: &str) -> bool {
    let low = word.to_lowercase();
    matches!(
        low.as_str(),
        "in" | "on"
            | "at"
            | "of"
            | "to"
            | "the"
            | "a"
            | "an"
            | "for"
            | "with"
            | "by"
            | "from"
            | "after"
            | "is"
            | "was"
            | "and"
            | "or"
            | "not"
            | "no"
            | "than"
            | "as"
            | "took"
            | "im"
            | "mit"
            | "von"
            | "der"
            | "die"
            | "das"
    ) && !vocabulary::names_time(&low)
}

fn shape(words: &[&str]) -> (usize, String) {
    (words.len(), if differs(words[0]) { String::new() } else { words[0].to_owned() })
}

/// Whether a word is one that differs from line to line by its form: it holds a digit.
fn differs(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOBS: &str = "job copy finished in 412 ms\njob sync finished in 9 ms\njob purge failed with code 7\njob copy failed with code 9\n";

    #[test]
    fn words_that_differ_become_fields() {
        let templates = Templates::of(JOBS.lines()).unwrap();
        let fields = templates.fields("job copy failed with code 7");
        let expected = [("template", "job <*> failed with code <*>"), ("job", "copy"), ("code", "7")];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let fields = templates.fields("job sync finished in 9 ms");
        assert_eq!(fields[0].1, "job <*> finished in <*> ms");
        assert_eq!(fields.len(), 2, "the number is a quantity");
    }

    #[test]
    fn prose_has_no_templates() {
        let text = "Permission is granted\nto use and copy\nNo warranty of any kind.\nThe licence ends here\nAnd so on\n";
        assert!(Templates::of(text.lines()).is_none());
    }

    #[test]
    fn many_different_lines_make_a_bounded_number_of_templates() {
        let lines: Vec<String> =
            (0..5_000).map(|number| format!("w{} x{} y", number % 7, "z".repeat(number % 50))).collect();
        let mut templates = Templates::default();
        for line in lines.iter().map(String::as_str).chain(["a b c"; 10]) {
            templates.learn(line);
        }
        for number in 0..2_000_u32 {
            let word: String =
                number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
            templates.learn(&format!("{word} q{word} r{word}"));
        }
        assert!(templates.templates.len() <= MAX_TEMPLATES);
    }
}
