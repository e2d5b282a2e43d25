//! Documents inside of a prompt, without the instructions and marks that a program put around them.
//!
//! Frames that are known: `<context>…</context>` with `<source name="…">` in it, rules of dashes around a text that a
//! sentence announces, a line `Context:`, code fences, and instructions in the first paragraph. What has none of them is a
//! document as it stands.

use std::ops::Range;

use super::prompt::begins;

/// Shortest text of a system message that is taken for a document where nothing says that it is one.
const LEAST_CHARS: usize = 200;
/// Longest text that can be an instruction.
const MOST_INSTRUCTION_CHARS: usize = 4_000;
/// Sources that are told apart.
const MOST_SOURCES: usize = 1_000;
/// Shortest rule: Markdown has shorter ones inside of documents.
const LEAST_DASHES: usize = 10;
/// A line that begins with one of these, and a colon, announces documents.
const ANNOUNCES: [&str; 9] = [
    "Context",
    "CONTEXT",
    "Context documents",
    "Context information",
    "Retrieved context",
    "Documents",
    "DOCUMENTS",
    "Document",
    "DOCUMENT",
];
/// How instructions begin.
const OPENINGS: [&str; 21] = [
    // As LlamaIndex writes messages down for a model that knows none.
    "system:",
    "user:",
    "use the ",
    "use only ",
    "use these ",
    "answer ",
    "you are ",
    "you will ",
    "your task ",
    "given ",
    "based on ",
    "context ",
    "please ",
    "respond ",
    "### task",
    "here is ",
    "here are ",
    "below ",
    "the following ",
    "read the ",
    "act as ",
];
/// What instructions speak of where a document follows them.
const SPEAKS_OF: [&str; 7] = ["context", "document", "information", "passage", "source", "excerpt", "below"];
/// Their text, in a prompt, is not what a file of such a name holds.
const NOT_PLAIN: [&str; 21] = [
    "pdf", "docx", "doc", "pptx", "ppt", "xlsx", "xls", "odt", "ods", "odp", "epub", "eml", "mbox", "msg",
    "zip", "tar", "gz", "rtf", "html", "htm", "png",
];

/// A document in a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Empty where the prompt names none.
    pub name: String,
    /// Never blank.
    pub text: String,
}

/// The documents of a prompt whose question is elsewhere.
pub fn documents(prompt: &str) -> Vec<Text> {
    marked_documents(prompt).unwrap_or_else(|| texts(without_instructions(prompt)))
}

/// The same where the prompt says itself what of it is a document.
pub fn marked_documents(prompt: &str) -> Option<Vec<Text>> {
    if let Some(context) = tagged_context(prompt) {
        let inner = prompt[context].trim();
        let inner = inner.strip_prefix("<context>").unwrap_or(inner);
        let inner = inner.strip_suffix("</context>").unwrap_or(inner);
        return Some(sources(inner)).filter(|found| !found.is_empty());
    }
    let found = ruled(prompt).or_else(|| announced(prompt))?;
    Some(texts(found)).filter(|found| !found.is_empty())
}

/// The document of a system message that does not say what it is: what follows its instructions, if it is long enough.
pub fn system_documents(system: &str) -> Vec<Text> {
    let rest = without_instructions(system);
    let (first, others) = rest.split_once("\n\n").unwrap_or((rest, ""));
    let is_all_there_is = rest.trim() == system.trim();
    let rest = if is_all_there_is && opens_as_instruction(first) { others } else { rest };
    let is_enough = !is_all_there_is || rest.trim().chars().nth(LEAST_CHARS).is_some();
    if is_enough { texts(rest) } else { Vec::new() }
}

/// Where a context in tags stands, tags included. The first begins a line: instructions speak of such tags, too.
pub fn tagged_context(prompt: &str) -> Option<Range<usize>> {
    let closing = "</context>";
    let end = prompt.rfind(closing)?;
    let mut at = 0;
    for line in prompt[..end].split_inclusive('\n') {
        if line.trim_start().starts_with("<context>") {
            return Some(at..end + closing.len());
        }
        at += line.len();
    }
    None
}

/// Each source under its name; pieces of one file are put together again.
fn sources(inner: &str) -> Vec<Text> {
    let mut found: Vec<Text> = Vec::new();
    let mut rest = inner;
    while let Some((_, after)) = rest.split_once("<source") {
        let Some((attributes, body)) = after.split_once('>') else { break };
        let Some((body, after)) = body.split_once("</source>") else { break };
        let name = attributes.split_once("name=\"").and_then(|(_, value)| value.split_once('"'));
        let name = plain_name(name.map_or("", |(name, _)| name));
        let is_full = found.len() == MOST_SOURCES;
        match found.iter_mut().find(|text| !name.is_empty() && text.name == name) {
            Some(known) => {
                known.text.push('\n');
                known.text.push_str(body.trim_matches('\n'));
            }
            None if is_full => return texts(inner),
            None => found.extend(text(&name, body)),
        }
        rest = after;
    }
    if found.is_empty() { texts(inner) } else { found }
}

/// What stands between rules of dashes, or behind the only one, where a sentence before them announces it.
fn ruled(prompt: &str) -> Option<&str> {
    let mut rules = Vec::new();
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        let bare = line.trim();
        if bare.len() >= LEAST_DASHES && bare.chars().all(|letter| letter == '-') {
            rules.push((at, at + line.len()));
        }
        at += line.len();
    }
    let (&(start, first), &(last, end)) = (rules.first()?, rules.last()?);
    if !is_instruction(&prompt[..start]) {
        return None;
    }
    let tail = prompt[end..].trim();
    if rules.len() > 1 && (tail.is_empty() || is_instruction(tail)) {
        return Some(&prompt[first..last]);
    }
    Some(&prompt[first..])
}

/// What follows a line `Context:`, where nothing but instructions stands before it.
fn announced(prompt: &str) -> Option<&str> {
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        if let Some(rest) = begins(line, &ANNOUNCES) {
            let before = prompt[..at].trim();
            let start = at + line.len() - rest.len();
            return (before.is_empty() || opens_as_instruction(before)).then(|| &prompt[start..]);
        }
        at += line.len();
    }
    None
}

/// A text without the paragraphs at its beginning that say what to do with it.
fn without_instructions(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let (first, rest) = text.split_once("\n\n").unwrap_or((text, ""));
        if !is_instruction(first) {
            return text;
        }
        match first.split_once('\n') {
            // `Answer from this document:`, and then the document.
            Some((line, _)) if line.trim_end().ends_with(':') && is_instruction(line) => {
                return text[line.len()..].trim();
            }
            _ if rest.trim().is_empty() => return text,
            _ => text = rest.trim(),
        }
    }
}

fn is_instruction(text: &str) -> bool {
    opens_as_instruction(text) && {
        let lower = text.to_lowercase();
        SPEAKS_OF.iter().any(|noun| lower.contains(noun))
    }
}

fn opens_as_instruction(text: &str) -> bool {
    let text = text.trim();
    let start: String = text.chars().take(40).collect::<String>().to_lowercase();
    text.chars().nth(MOST_INSTRUCTION_CHARS).is_none()
        && OPENINGS.iter().any(|opening| start.starts_with(opening))
}

/// A text as a document, or as several where it consists of code fences.
pub fn texts(inner: &str) -> Vec<Text> {
    fenced(inner).unwrap_or_else(|| text("", inner).into_iter().collect())
}

fn text(name: &str, text: &str) -> Option<Text> {
    // The first line may be indented.
    let text = text.trim_end().trim_start_matches(['\n', '\r']);
    (!text.trim().is_empty()).then(|| Text { name: name.to_owned(), text: text.trim_end().to_owned() })
}

/// The contents of code fences, where there is nothing else.
fn fenced(inner: &str) -> Option<Vec<Text>> {
    let (mut found, mut open): (Vec<Text>, Option<(String, String)>) = (Vec::new(), None);
    for line in inner.trim().split_inclusive('\n') {
        match (&mut open, line.trim_end().strip_prefix("```")) {
            (Some((name, body)), Some("")) => {
                found.extend(text(name, body));
                open = None;
            }
            (Some((_, body)), _) => body.push_str(line),
            (None, Some(info)) => open = Some((name_in(info), String::new())),
            (None, None) if line.trim().is_empty() => {}
            (None, None) => return None,
        }
    }
    (open.is_none() && !found.is_empty()).then_some(found)
}

/// What stands before the code fences that a text ends with, and those.
pub fn fences_at_the_end(text: &str) -> Option<(&str, &str)> {
    if text.lines().last()?.trim_end() != "```" {
        return None;
    }
    let start = if text.starts_with("```") { 0 } else { text.find("\n```")? + 1 };
    let (before, fences) = text.split_at(start);
    (!before.trim().is_empty() && fenced(fences).is_some()).then_some((before, fences))
}

/// The file that a code fence names beside or instead of its language.
fn name_in(info: &str) -> String {
    let named = info.split_whitespace().find(|word| word.contains('.') && !word.starts_with('('));
    let file = named.and_then(|path| path.rsplit(['/', '\\']).next());
    plain_name(file.unwrap_or_default())
}

/// A name that promises no more than text.
fn plain_name(name: &str) -> String {
    let kind = name.rsplit_once('.').map_or("", |(_, kind)| kind).to_lowercase();
    if NOT_PLAIN.contains(&kind.as_str()) { format!("{name}.txt") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: Vec<Text>) -> Vec<String> {
        texts.into_iter().map(|text| text.text).collect()
    }

    #[test]
    fn a_system_message_holds_a_document_behind_its_instructions() {
        let rule = "-".repeat(16);
        let chat =
            format!("Use the following pieces of context to answer the user's question.\n{rule}\none\n\ntwo");
        assert_eq!(found(marked_documents(&chat).unwrap()), ["one\n\ntwo"]);
        let tutorial = "You are an assistant for question-answering tasks. Use the following pieces of retrieved context \
                        to answer the question.\n\none\n\ntwo";
        assert_eq!(marked_documents(tutorial), None);
        assert_eq!(found(system_documents(tutorial)), ["one\n\ntwo"]);
        assert_eq!(found(system_documents("Answer from this document:\none\ntwo")), ["one\ntwo"]);
        let log = "order=1 status=failed\n".repeat(20);
        assert_eq!(found(system_documents(&log)), [log.trim()]);
    }

    #[test]
    fn a_persona_is_no_document() {
        for persona in [
            "You are a helpful assistant.",
            "Be brief.\nSpeak German.",
            "You are an expert Q&A system that is trusted around the world.\nAlways answer the query using the provided \
             context information, and not prior knowledge.\nSome rules to follow:\n1. Never directly reference the given \
             context in your answer.",
        ] {
            assert_eq!(marked_documents(persona), None, "{persona}");
            assert_eq!(system_documents(persona), [], "{persona}");
        }
    }

    #[test]
    fn rules_and_headings_of_a_document_stay_in_it() {
        let report = "Report\n----------\nThis document answers questions.\n\nAll is well.";
        assert_eq!(found(documents(report)), [report]);
        let inside = "Context information is below.\n---------------------\nReport\n----------\nAll is well.\n\
                      ---------------------\nGiven the context information, answer the query.";
        assert_eq!(found(documents(inside)), ["Report\n----------\nAll is well."]);
        assert_eq!(found(documents("  indented\nnot")), ["indented\nnot"]);
        assert!(documents(" \n").is_empty());
    }
}
