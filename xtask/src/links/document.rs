//! One Markdown file: its headings, the text of its sections, and whether it says something.

/// A Markdown file, taken apart.
pub struct Document {
    headings: Vec<Heading>,
    text: String,
}

struct Heading {
    level: usize,
    title: String,
    /// The text below the heading, down to the next heading of the same level or a higher one.
    body: String,
}

impl Document {
    /// Takes `text` apart.
    pub fn of(text: &str) -> Self {
        let mut headings: Vec<Heading> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (_, line, fenced) in lines(text) {
            if let Some((level, title)) = heading(line).filter(|_| !fenced) {
                open.retain(|at| headings[*at].level < level);
                open.push(headings.len());
                headings.push(Heading { level, title: title.to_owned(), body: String::new() });
            }
            for at in &open {
                headings[*at].body.push_str(line);
                headings[*at].body.push('\n');
            }
        }
        Self { headings, text: plain(text) }
    }

    /// The names under which the headings can be linked to, as forges make them.
    pub fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        for heading in &self.headings {
            let anchor = anchor(&heading.title);
            let mut name = anchor.clone();
            let mut number = 0;
            while anchors.contains(&name) {
                number += 1;
                name = format!("{anchor}-{number}");
            }
            anchors.push(name);
        }
        anchors
    }

    /// The text of the sections with this number ("3.2"), their subsections included. `None` if there is none.
    pub fn section(&self, number: &str) -> Option<String> {
        let numbered = |heading: &&Heading| {
            heading.title.split_whitespace().next().is_some_and(|word| word.trim_end_matches('.') == number)
        };
        let bodies: Vec<&str> =
            self.headings.iter().filter(numbered).map(|heading| heading.body.as_str()).collect();
        (!bodies.is_empty()).then(|| plain(&bodies.concat()))
    }

    /// Whether some section has a number.
    pub fn is_numbered(&self) -> bool {
        self.section("1").is_some()
    }

    /// Whether the whole text says `quote`.
    pub fn says(&self, quote: &str) -> bool {
        says(&self.text, quote)
    }

    /// Whether the text names something by word and number: "step 4", "FUNCTION #6".
    pub fn names(&self, word: &str, number: &str) -> bool {
        [format!("{word} {number}"), format!("{word} #{number}")].iter().any(|name| {
            self.text.match_indices(name.as_str()).any(|(at, found)| {
                !self.text[at + found.len()..].starts_with(|next: char| next.is_ascii_digit())
            })
        })
    }
}

/// Whether `text`, which is plain already, says `quote`. What an ellipsis leaves out may be anything.
pub fn says(text: &str, quote: &str) -> bool {
    let mut rest = text;
    for part in plain(quote).split('…').map(str::trim) {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// The lines of a Markdown file: number from 1, text, whether it is fenced code.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().map(move |(at, line)| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        let fenced = fence.is_some() || mark.is_some();
        match fence {
            Some(opened) if mark == Some(opened) => fence = None,
            Some(_) => {}
            None => fence = mark,
        }
        (at + 1, line, fenced)
    })
}

/// Lower case, without emphasis and code marks, one space between words, one kind of quotes and dashes.
fn plain(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|character| !matches!(character, '*' | '`'))
        .map(|character| match character {
            '“' | '”' => '"',
            '’' => '\'',
            '–' | '—' | '−' => '-',
            other => other,
        })
        .collect();
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    (1..=6).contains(&level).then_some(())?;
    Some((level, title.strip_prefix(' ')?.trim()))
}

fn anchor(title: &str) -> String {
    title
        .to_lowercase()
        .chars()
        .filter(|character| character.is_alphanumeric() || matches!(character, '-' | '_' | ' '))
        .map(|character| if character == ' ' { '-' } else { character })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A plan\n\n## 3. Commands\n\nOne **binary**.\n\n### 3.1 `ask`\n\n```\n# 9. no heading\n```\n\n\
                        ## 4. The wire\n\nTools: `top_k`, top\n10.\n\n## 4. The wire\n";

    #[test]
    fn a_section_holds_its_subsections_and_ends_at_the_next() {
        let document = Document::of(TEXT);
        let section = document.section("3").unwrap();
        assert!(says(&section, "One binary") && says(&section, "ask") && !says(&section, "wire"));
        assert!(document.section("3.1").is_some() && document.section("9").is_none());
    }

    #[test]
    fn a_quote_is_found_across_lines_and_marks_and_ellipses() {
        let document = Document::of(TEXT);
        assert!(document.says("tools: top_k, top 10") && document.says("one … binary"));
        assert!(!document.says("two binaries") && !document.says("binary … one"));
        assert!(document.names("top", "10") && !document.names("top", "1"));
    }

    #[test]
    fn anchors_are_made_of_headings_and_numbered_when_equal() {
        assert_eq!(
            Document::of(TEXT).anchors(),
            ["a-plan", "3-commands", "31-ask", "4-the-wire", "4-the-wire-1"]
        );
    }
}
