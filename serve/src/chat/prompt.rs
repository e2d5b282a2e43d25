//! One string that holds a question and the text that it is about, as programs for language models put them together.
//!
//! What the string says of itself counts first, in this order:
//!
//! 1. `<user_query>…</user_query>`, and what follows `</context>`: Open WebUI;
//! 2. `Question:` with `Context:` in the next line and `Answer:` at the end: the prompt of LangChain's tutorials;
//! 3. what follows the last line that begins with `Question:` or `Query:`: LangChain, LlamaIndex.
//!
//! Where it says nothing, the question is its last paragraph, or what precedes the code fences that it ends with
//! ([`last_paragraph`]). The documents are what is left without the frame around it ([`super::frame`]).

use super::frame::{self, Text};

/// Nobody asks in more characters.
pub const MOST_QUESTION_CHARS: usize = 2_000;
/// Nor in more than this, where a label says that it is a question.
const MOST_LABELLED_CHARS: usize = 10_000;
/// Labels that are looked at, from the end: a document may have any number of them.
const MOST_LABELS: usize = 64;
/// A line that begins with one of these, and a colon, begins a question.
const ASKS: [&str; 8] =
    ["Question", "QUESTION", "User Question", "User question", "Query", "QUERY", "User Query", "User query"];
/// A line that begins with one of these, and a colon, ends it.
const ENDS: [&str; 10] = [
    "Answer",
    "ANSWER",
    "Helpful Answer",
    "Final Answer",
    "Your answer",
    "Context",
    "Instructions",
    "INSTRUCTIONS",
    "Response",
    "Assistant",
];

/// A question, and the texts that stood in one string with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Never empty.
    pub question: String,
    /// Empty where the string held nothing else.
    pub documents: Vec<Text>,
}

/// The parts of a string that says itself which of it is the question.
pub fn marked(text: &str) -> Option<Split> {
    let text = text.trim();
    let split = tagged(text).or_else(|| context_then_question(text));
    split.or_else(|| question_then_context(text)).or_else(|| labelled(text))
}

/// The last paragraph as the question, or what precedes the code fences that the string ends with; `None` where nothing
/// else is there.
pub fn last_paragraph(text: &str) -> Option<Split> {
    let text = text.trim();
    let (before, question) = match frame::fences_at_the_end(text) {
        Some((question, fences)) => (fences, question),
        None => text.split_at(paragraph_start(text)?),
    };
    let split = Split { question: question.trim().to_owned(), documents: frame::documents(before) };
    (is_question(&split.question) && !split.documents.is_empty()).then_some(split)
}

/// Where the last paragraph begins: after an empty line, or after a line that closes a code fence or a tag.
fn paragraph_start(text: &str) -> Option<usize> {
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let bare = line.trim();
        if at < text.len() && (bare.is_empty() || bare == "```" || bare.starts_with("</")) {
            start = Some(at);
        }
    }
    start
}

/// The question in tags of its own.
fn tagged(text: &str) -> Option<Split> {
    let end = text.rfind("</user_query>")?;
    let start = text[..end].rfind("<user_query>")?;
    let question = text[start + "<user_query>".len()..end].trim().to_owned();
    let documents = frame::documents(&text[..start]);
    (!question.is_empty()).then_some(Split { question, documents })
}

/// A context in tags, and the question behind it, or before it where nothing follows.
fn context_then_question(text: &str) -> Option<Split> {
    let context = frame::tagged_context(text)?;
    let (before, after) = (text[..context.start].trim(), text[context.end..].trim());
    let documents = frame::documents(&text[context.start..context.end]);
    let question = match labelled(after).or_else(|| labelled(before)) {
        Some(split) => split.question,
        None if !after.is_empty() => after.to_owned(),
        None => before.rsplit("\n\n").next().unwrap_or_default().trim().to_owned(),
    };
    (!question.is_empty()).then_some(Split { question, documents })
}

/// `Question:` first and `Context:` right behind it. The context may hold lines that begin with `Question:`, too.
fn question_then_context(text: &str) -> Option<Split> {
    let (head, last) = text.trim_end().rsplit_once('\n')?;
    if begins(last, &ENDS).is_none_or(|rest| !rest.trim().is_empty()) {
        return None;
    }
    let paragraph = head.split("\n\n").next().unwrap_or_default();
    let mut lines = paragraph.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some((*at, line))
    });
    let (_, asked) = lines.find(|(_, line)| begins(line, &ASKS).is_some())?;
    let (end, context) = lines.next()?;
    let first = begins(context, &["Context", "CONTEXT"])?;
    let question = begins(asked, &ASKS)?.trim().to_owned();
    let documents = frame::texts(&format!("{}{}", first.trim_start(), &head[end..]));
    (!question.is_empty() && !documents.is_empty()).then_some(Split { question, documents })
}

/// What follows the last line that begins with `Question:` or `Query:`.
fn labelled(text: &str) -> Option<Split> {
    let (mut end, mut seen) = (text.len(), 0);
    for line in text.split_inclusive('\n').rev() {
        let start = end - line.len();
        if let Some(rest) = begins(line, &ASKS) {
            let following = &text[end - rest.len()..];
            let question = asked(following);
            // Documents have queries of their own; the one that is asked stands at the end.
            let is_asked = !line.to_lowercase().contains("query") || !question.contains("\n\n");
            if is_question(&question) && is_asked && !is_answered(following) {
                return Some(Split { question, documents: frame::documents(&text[..start]) });
            }
            seen += 1;
            if seen == MOST_LABELS {
                return None;
            }
        }
        end = start;
    }
    None
}

/// A question up to the label that ends it, without rules below it.
fn asked(text: &str) -> String {
    let (mut end, mut has_words) = (0, false);
    for line in text.split_inclusive('\n') {
        let ends = begins(line, &ENDS).is_some() || line.starts_with("Answer ");
        if (ends && has_words) || (end > 0 && begins(line, &ASKS).is_some()) {
            break;
        }
        end += line.len();
        has_words |= !line.trim().is_empty();
    }
    let is_rule = |line: &str| line.trim().chars().all(|letter| "-=*`".contains(letter));
    let mut lines: Vec<&str> = text[..end].trim().lines().collect();
    while lines.last().is_some_and(|line| is_rule(line)) {
        lines.pop();
    }
    lines.join("\n").trim().to_owned()
}

/// Whether a text can be a question at all.
fn is_question(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric) && text.chars().nth(MOST_LABELLED_CHARS).is_none()
}

/// Whether an answer stands behind a question, and more behind that: then it is a part of a document.
fn is_answered(following: &str) -> bool {
    let mut lines = following.lines();
    let answer = lines.find_map(|line| begins(line, &["Answer", "ANSWER", "A"]));
    answer.is_some_and(|answer| !answer.trim().is_empty())
        && lines.skip_while(|line| !line.trim().is_empty()).any(|line| !line.trim().is_empty())
}

/// What follows a label and its colon at the beginning of a line. Marks of Markdown around the label do not count.
pub fn begins<'a>(line: &'a str, labels: &[&str]) -> Option<&'a str> {
    let bare = line.trim_start_matches(['#', '*', '>', ' ', '\t']);
    labels.iter().find_map(|label| {
        let rest = bare.strip_prefix(label)?.trim_start_matches('*').strip_prefix(':')?;
        Some(rest.strip_prefix("**").unwrap_or(rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "order=1 status=shipped\norder=2 status=failed\norder=3 status=failed";

    fn plain(text: &str) -> Text {
        Text { name: String::new(), text: text.to_owned() }
    }

    fn check(string: &str) {
        let expected = Split { question: "How many failed?".to_owned(), documents: vec![plain(LOG)] };
        assert_eq!(marked(string), Some(expected), "{string}");
    }

    #[test]
    fn the_prompts_of_known_programs_are_read_as_they_are_meant() {
        // LlamaIndex.
        let rule = "-".repeat(21);
        check(&format!(
            "Context information is below.\n{rule}\n{LOG}\n{rule}\nGiven the context information and not prior \
             knowledge, answer the query.\nQuery: How many failed?\nAnswer: "
        ));
        // LangChain.
        check(&format!(
            "Use the following pieces of context to answer the question at the end. If you don't know the answer, just \
             say that you don't know.\n\n{LOG}\n\nQuestion: How many failed?\nHelpful Answer:"
        ));
        check(&format!(
            "You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer \
             the question.\nQuestion: How many failed? \nContext: {LOG} \nAnswer:"
        ));
        // Open WebUI, as it was and as it is.
        let task =
            "### Task:\nRespond to the user query using the provided context.\n\n### Output:\nBe clear.\n\n";
        check(&format!(
            "{task}<context>\n{LOG}\n</context>\n\n<user_query>\nHow many failed?\n</user_query>"
        ));
        check(&format!("{task}<context>\n{LOG}\n</context>\nHow many failed?"));
        check(&format!("<context>\n{LOG}\n</context>\nGiven the context, answer.\nQuery: How many failed?"));
        // By hand.
        check(&format!("Context:\n{LOG}\n\nQuestion:\nHow many failed?\n---------\n\nAnswer:"));
        check(&format!(
            "Context documents:\n{LOG}\n\nQuestion: How many failed?\n\nAnswer from the context."
        ));
        check(&format!("{LOG}\n\n**Question:** How many failed?"));
    }

    #[test]
    fn sources_in_a_context_are_documents_with_their_names() {
        let string = "<context>\n<source id=\"1\" name=\"a.log\">one</source>\n<source id=\"2\" name=\"b.pdf\">two\
                      </source>\n<source id=\"3\" name=\"a.log\">three</source>\n</context>\n\nHow many?";
        let documents = marked(string).unwrap().documents;
        let named = |name: &str, text: &str| Text { name: name.to_owned(), text: text.to_owned() };
        // What is left of a PDF is text.
        assert_eq!(documents, [named("a.log", "one\nthree"), named("b.pdf.txt", "two")]);
    }

    #[test]
    fn questions_inside_of_a_document_are_not_asked() {
        let faq = "Question: How long?\nAnswer: 14 days.\n\nQuestion: How much?\nAnswer: Nothing.";
        let split = marked(&format!("{faq}\n\nQuestion: Who pays?")).unwrap();
        assert_eq!((split.question.as_str(), split.documents), ("Who pays?", vec![plain(faq)]));
        assert_eq!(marked(&format!("{faq}\n\nWho pays?")), None, "all of them are answered");
        let split = last_paragraph(&format!("{faq}\n\nWho pays?")).unwrap();
        assert_eq!((split.question.as_str(), split.documents), ("Who pays?", vec![plain(faq)]));
        let yaml = "query: SELECT 1\n\nQuery: SELECT 2\n\nlimit: 3\n\nHow many queries?";
        assert_eq!(marked(yaml), None);
        let split = marked("Rows: 3\n\nQuestion: How many?\nAnswer: Let us think step by step.").unwrap();
        assert_eq!(split.question, "How many?");
    }

    #[test]
    fn without_a_label_the_last_paragraph_is_the_question() {
        let of = |string: &str| last_paragraph(string).map(|split| (split.question, split.documents));
        let expected = Some(("How many failed?".to_owned(), vec![plain(LOG)]));
        assert_eq!(of(&format!("{LOG}\n\nHow many failed?\n")), expected);
        assert_eq!(of(&format!("{LOG}\r\n\r\nHow many failed?")), expected);
        assert_eq!(of("How many failed?"), None);
        assert_eq!(of("one\ntwo"), None);
        let named = vec![Text { name: "orders.log".to_owned(), text: LOG.to_owned() }];
        let expected = Some(("How many failed?".to_owned(), named));
        assert_eq!(of(&format!("```orders.log\n{LOG}\n```\nHow many failed?")), expected);
        assert_eq!(of(&format!("How many failed?\n\n```log logs/orders.log (1-3)\n{LOG}\n```")), expected);
    }

    #[test]
    fn strings_made_to_confuse_are_read_in_passing() {
        let labels = "Question:\n".repeat(20_000);
        assert_eq!(marked(&labels), None);
        let tags = "<context><source name=\"".repeat(20_000);
        assert_eq!(marked(&tags), None);
        let answered = "Question: a\nAnswer: b\n\n".repeat(2_000);
        assert_eq!(marked(&format!("{answered}c")), None);
        let open = format!("a{}</context>", "<context>".repeat(20_000));
        assert_eq!(marked(&open), None);
        for odd in [
            "",
            "</context>",
            "<context></context>",
            "```",
            "```\n```",
            "Question:",
            "</user_query><user_query>",
        ] {
            assert_eq!(marked(odd), None, "{odd}");
            assert_eq!(last_paragraph(odd), None, "{odd}");
        }
    }
}
