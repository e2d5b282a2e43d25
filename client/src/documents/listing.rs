//! What was understood of a document, in lines: for people, and for programs.

use frlm_protocol::{one_line, printable};
use frlm_questions::ingest::{Document, Unread};
use serde_json::json;

/// The lines of a document under its places. They are told as they are made: a log of a gigabyte has ten million.
pub fn as_text(document: &Document, fragments: usize, mut tell: impl FnMut(&str)) {
    let lines = document.text.lines().count();
    let tokens = document.text.tokens();
    tell(&format!("{}\n", one_line(&document.name)));
    if let Some(title) = &document.title {
        tell(&format!("  title: {}\n", one_line(title)));
    }
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let [lines, tokens, parts] =
        [(lines, "line"), (tokens, "token"), (fragments, "part")].map(|(count, what)| counted(count, what));
    tell(&format!("  {lines}, {tokens}, {parts}\n"));
    let mut before = String::new();
    for (number, line) in (1..).zip(document.text.lines()) {
        let place = document.transcript.as_ref().map(|text| text.location(number).to_string());
        // A place is told where it begins.
        if let Some(place) = place.filter(|place| *place != before) {
            tell(&format!("  [{}]\n", one_line(&place)));
            before = place;
        }
        tell(&format!("{number:>7}  {}\n", printable(&line)));
    }
}

/// One object on one line, told as it is made.
pub fn as_json(document: &Document, fragments: usize, mut tell: impl FnMut(&str)) {
    let head = json!({
        "name": document.name,
        "title": document.title,
        "sha256": document.sha256,
        "tokens": document.text.tokens(),
        "fragments": fragments,
    });
    let head = head.to_string();
    tell(&format!("{},\"lines\":[", head.strip_suffix('}').unwrap_or(&head)));
    for (number, text) in (1..).zip(document.text.lines()) {
        let comma = if number == 1 { "" } else { "," };
        tell(&format!("{comma}{}", line_as_json(document, number, &text)));
    }
    tell("]}\n");
}

/// A file that could not be read, on one line, for programs.
pub fn unread_as_json(unread: &Unread) -> String {
    json!({ "name": unread.path, "unread": unread.why }).to_string()
}

fn line_as_json(document: &Document, number: u32, text: &str) -> serde_json::Value {
    let mut line = json!({ "line": number, "text": text });
    if let Some(transcript) = &document.transcript {
        line["place"] = json!(transcript.location(number));
        if let Some(entry) = transcript.entry(number) {
            line["kind"] = json!(entry.kind);
            let fields = entry.fields.iter().map(|(name, cell)| (name.clone(), json!(cell)));
            line["fields"] = json!(fields.collect::<serde_json::Map<_, _>>());
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_not_called_several() {
        let head = |text: &str, fragments| {
            let mut told = Vec::new();
            as_text(&Document::of_text("a.txt", text), fragments, |line| told.push(line.to_owned()));
            told.swap_remove(1)
        };
        assert_eq!(head("the", 1), "  1 line, 1 token, 1 part\n");
        assert!(
            head("One\ntwo\n", 2).starts_with("  2 lines, ")
                && head("One\ntwo\n", 2).ends_with(" tokens, 2 parts\n")
        );
    }
}
