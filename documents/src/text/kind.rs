//! What kind of text a document is, by its name and by its content.

use memchr::memchr;

use super::lines::{is_blank, lines, without_ending};
use super::table;

/// Lines that are looked at to tell one kind from another.
const SAMPLE_LINES: usize = 50;

/// Fewest lines from which a kind is concluded by content alone.
const MIN_SAMPLE_LINES: usize = 3;

/// How a document is cut and which of its lines are records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Prose, cut at paragraphs.
    Text,
    /// Cut at headings, then paragraphs and list items.
    Markdown,
    /// One record per line.
    Log,
    /// One record per row.
    Table {
        /// What separates the fields: a comma, semicolon, tab or bar.
        delimiter: u8,
    },
    /// One JSON value per line.
    JsonLines,
    /// A JSON array with one element per line.
    JsonArray,
    /// Cut at blank lines between blocks.
    Code,
}

impl TextKind {
    /// Tells the kind of a text; its extension decides where that is unambiguous.
    pub fn detect(name: &str, text: &str) -> Self {
        let extension = name
            .rsplit(['/', '\\'])
            .next()
            .and_then(|file| file.rsplit_once('.'))
            .map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            Some("md" | "markdown" | "mdx") => Self::Markdown,
            Some("log") => Self::Log,
            Some("tsv" | "tab") => Self::Table { delimiter: b'\t' },
            Some("csv") => Self::Table { delimiter: table::sniff_delimiter(text).unwrap_or(b',') },
            Some("jsonl" | "ndjson") => Self::JsonLines,
            Some("json") => json(text),
            Some(extension) if is_code(extension) => Self::Code,
            _ => by_content(text),
        }
    }

    /// Whether each line (or row) is asked about on its own, so that fragments are cut at a
    /// number of records and not only at a number of tokens.
    pub fn is_record_like(self) -> bool {
        !matches!(self, Self::Text | Self::Markdown | Self::Code)
    }
}

fn is_code(extension: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "asm", "bash", "c", "cc", "clj", "cpp", "cs", "css", "cu", "dart", "el", "erl", "ex", "exs", "f90",
        "fs", "go", "gradle", "groovy", "h", "hpp", "hs", "html", "java", "jl", "js", "jsx", "kt", "lisp",
        "lua", "m", "ml", "nim", "php", "pl", "proto", "ps1", "py", "r", "rb", "rs", "scala", "scss", "sh",
        "sol", "sql", "svelte", "swift", "tcl", "tf", "toml", "ts", "tsx", "vb", "vue", "wat", "xml", "yaml",
        "yml", "zig",
    ];
    EXTENSIONS.binary_search(&extension).is_ok()
}

fn sample(text: &str) -> impl Iterator<Item = &str> {
    lines(text)
        .map(|line| without_ending(&text[line.bytes()]))
        .filter(|line| !is_blank(line))
        .take(SAMPLE_LINES)
}

fn by_content(text: &str) -> TextKind {
    let sampled: Vec<&str> = sample(text).collect();
    if sampled.len() < MIN_SAMPLE_LINES {
        return TextKind::Text;
    }
    if sampled.iter().all(|line| is_json_object(line)) {
        return TextKind::JsonLines;
    }
    if json(text) == TextKind::JsonArray {
        return TextKind::JsonArray;
    }
    if let Some(delimiter) = table::sniff_delimiter(text)
        && table::looks_like_table(&sampled, delimiter)
    {
        return TextKind::Table { delimiter };
    }
    let logged = sampled.iter().filter(|line| is_log_line(line)).count();
    if logged * 10 >= sampled.len() * 8 {
        return TextKind::Log;
    }
    TextKind::Text
}

fn is_json_object(line: &str) -> bool {
    line.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
}

/// A JSON file is a list of records only if each element has a line of its own. Anything else,
/// such as a pretty-printed document, is cut like text.
fn json(text: &str) -> TextKind {
    let mut sampled = sample(text).map(str::trim);
    match sampled.next() {
        Some("[") => {}
        // JSON lines under the wrong extension.
        Some(first) if is_json_object(first) => {
            let mut more = false;
            for line in sampled {
                more = true;
                if !is_json_object(line) {
                    return TextKind::Text;
                }
            }
            return if more { TextKind::JsonLines } else { TextKind::Text };
        }
        _ => return TextKind::Text,
    }
    let mut elements = 0;
    for line in sampled {
        if is_array_end(line) {
            break;
        }
        if serde_json::from_str::<serde::de::IgnoredAny>(array_element(line)).is_err() {
            return TextKind::Text;
        }
        elements += 1;
    }
    if elements > 0 { TextKind::JsonArray } else { TextKind::Text }
}

/// The closing bracket of a JSON array on a line of its own.
pub fn is_array_end(line: &str) -> bool {
    line.trim() == "]"
}

/// An element's line without the comma that belongs to the array.
pub fn array_element(line: &str) -> &str {
    let line = line.trim();
    line.strip_suffix(',').unwrap_or(line)
}

/// A time, a level or a priority near the front of the line.
fn is_log_line(line: &str) -> bool {
    const LEVELS: &[&str] =
        &["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "ERR", "FATAL", "CRITICAL", "CRIT"];
    let head = &line[..line.floor_char_boundary(80)];
    head.split(|character: char| !character.is_ascii_alphanumeric() && character != ':' && character != '-')
        .any(|word| {
            is_clock(word) || LEVELS.contains(&word.trim_end_matches(':').to_ascii_uppercase().as_str())
        })
}

/// `12:34` and longer, also behind a date as in `2026-11-20T12:34:56`.
fn is_clock(word: &str) -> bool {
    memchr(b':', word.as_bytes()).is_some_and(|colon| {
        let bytes = word.as_bytes();
        colon >= 2
            && bytes.len() >= colon + 3
            && [colon - 2, colon - 1, colon + 1, colon + 2].iter().all(|at| bytes[*at].is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_where_it_can() {
        assert_eq!(TextKind::detect("notes/README.md", ""), TextKind::Markdown);
        assert_eq!(TextKind::detect("server.LOG", ""), TextKind::Log);
        assert_eq!(TextKind::detect("a.csv", "x;y\n1;2\n"), TextKind::Table { delimiter: b';' });
        assert_eq!(TextKind::detect("a.tsv", "x,y\n"), TextKind::Table { delimiter: b'\t' });
        assert_eq!(TextKind::detect("a.ndjson", ""), TextKind::JsonLines);
        assert_eq!(TextKind::detect("main.rs", "fn main() {}"), TextKind::Code);
        assert_eq!(TextKind::detect("folder.rs/plain", "hello"), TextKind::Text);
    }

    #[test]
    fn the_code_extensions_are_sorted_for_the_search() {
        for extension in ["asm", "c", "py", "rs", "ts", "yml", "zig"] {
            assert!(is_code(extension), "{extension}");
        }
        assert!(!is_code("txt"));
    }

    #[test]
    fn logs_without_an_extension_are_known_by_their_times_and_levels() {
        let text = "2026-11-20T12:00:01Z INFO started\n2026-11-20T12:00:02Z WARN slow\n[error] gone\n";
        assert_eq!(TextKind::detect("(standard input)", text), TextKind::Log);
        let prose = "At first there was nothing.\nThen, at noon, something came.\nIt stayed.\n";
        assert_eq!(TextKind::detect("story.txt", prose), TextKind::Text);
    }

    #[test]
    fn json_is_a_list_of_records_only_with_one_element_per_line() {
        assert_eq!(TextKind::detect("a.json", "[\n  {\"a\": 1},\n  {\"a\": 2}\n]\n"), TextKind::JsonArray);
        assert_eq!(TextKind::detect("a.json", "[\n  {\n    \"a\": 1\n  }\n]\n"), TextKind::Text);
        assert_eq!(TextKind::detect("a.json", "[{\"a\": 1}, {\"a\": 2}]"), TextKind::Text);
        assert_eq!(TextKind::detect("a.json", "{\"a\": 1}\n{\"a\": 2}\n"), TextKind::JsonLines);
        assert_eq!(TextKind::detect("a.json", "{\"a\": 1}"), TextKind::Text);
        assert_eq!(TextKind::detect("a.json", "{\n\"a\": 1\n}"), TextKind::Text);
    }
}
