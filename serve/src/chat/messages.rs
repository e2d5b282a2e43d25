//! Messages → the question, its documents and what was said before.
//!
//! The question is the last text of the last user message. Documents are the files in user messages, texts that stand before
//! the last one of their message, and what stands in one string with a question ([`super::prompt`]). Where user messages
//! hold none, the system message is one, as far as it is more than instructions.
//!
//! A string is taken apart where it says itself what is what. Its last paragraph is the question only where no document is
//! known otherwise, or where it is too long for a question: people ask in several paragraphs, too.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frlm_client::questions::question::follow_up::Turn;
use serde::Deserialize;

use super::super::refusal::Refusal;
use super::super::uploads::Upload;
use super::frame::{self, Text};
use super::prompt::{self, MOST_QUESTION_CHARS, Split};

/// Documents of one question.
const MOST_DOCUMENTS: usize = 1_000;

/// A message as it came.
#[derive(Debug, Deserialize)]
pub struct Message {
    role: String,
    #[serde(default)]
    content: Option<Content>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    file: Option<File>,
}

#[derive(Debug, Deserialize)]
#[expect(clippy::struct_field_names, reason = "as the interface names them")]
struct File {
    filename: Option<String>,
    file_data: Option<String>,
    file_id: Option<String>,
}

impl Message {
    /// One that holds nothing but a text.
    pub fn from_user(text: String) -> Self {
        Self { role: "user".to_owned(), content: Some(Content::Text(text)) }
    }
}

/// What messages come to.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    /// Not blank.
    pub question: String,
    /// Never empty.
    pub documents: Vec<Upload>,
    /// What was asked and answered before.
    pub conversation: Vec<Turn>,
}

/// A message of the user.
struct Asking {
    documents: Vec<Upload>,
    /// Its last text.
    text: Option<String>,
    /// That text taken apart, where it says how.
    split: Option<Split>,
}

enum Spoken {
    User(Asking),
    Assistant(String),
}

/// Reads messages. `kept`: the file that the caller uploaded under an id.
pub fn read(messages: Vec<Message>, kept: &dyn Fn(&str) -> Result<Upload, Refusal>) -> Result<Said, Refusal> {
    let (mut systems, mut spoken) = (Vec::new(), Vec::new());
    for (at, message) in messages.into_iter().enumerate() {
        match (message.role.as_str(), message.content) {
            ("system" | "developer", content) => systems.extend(content.map(Content::text)),
            ("assistant", content) => {
                spoken.push(Spoken::Assistant(content.map(Content::text).unwrap_or_default()));
            }
            ("user", content) => spoken.push(Spoken::User(Asking::of(content, at, kept)?)),
            (role, _) => {
                return Err(Refusal::field(
                    format!("messages[{at}].role"),
                    format!(
                        "messages of the role `{role}` cannot be read: system, developer, user and assistant can"
                    ),
                ));
            }
        }
    }
    let marked = systems.iter().filter_map(|system| frame::marked_documents(system));
    let mut documents: Vec<Upload> = marked.flatten().map(upload).collect();
    let mut is_any_known = !documents.is_empty()
        || spoken.iter().any(|spoken| match spoken {
            Spoken::User(asking) => asking.has_documents(),
            Spoken::Assistant(_) => false,
        });
    let mut question: Option<String> = None;
    let mut conversation = Vec::new();
    for spoken in spoken {
        match spoken {
            Spoken::Assistant(answer) => {
                let asked = question.iter().filter(|_| !answer.trim().is_empty());
                conversation.extend(asked.map(|asked| Turn::new(asked, &answer)));
            }
            Spoken::User(mut asking) => {
                documents.append(&mut asking.documents);
                let Some(split) = asking.taken_apart(is_any_known) else { continue };
                is_any_known |= !split.documents.is_empty();
                documents.extend(split.documents.into_iter().map(upload));
                question = Some(split.question);
            }
        }
    }
    let question = question.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let question = question.ok_or_else(|| {
        Refusal::field("messages", "there is no question: the last text of a user message is one")
    })?;
    if documents.is_empty() {
        documents.extend(systems.iter().flat_map(|system| frame::system_documents(system)).map(upload));
    }
    if documents.is_empty() {
        return Err(Refusal::field(
            "messages",
            "there is no document: send it in a part of type file, as a part of type text before the question, or in one \
             text with it, the question last, after an empty line or a line that begins with `Question:`",
        ));
    }
    if documents.len() > MOST_DOCUMENTS {
        let words = format!("{} documents are more than the {MOST_DOCUMENTS} that are read", documents.len());
        return Err(Refusal::field("messages", words));
    }
    // The same question once more follows nothing.
    conversation.retain(|turn| turn.question != question);
    Ok(Said { question, documents: each_once(documents), conversation })
}

impl Asking {
    fn of(
        content: Option<Content>,
        at: usize,
        kept: &dyn Fn(&str) -> Result<Upload, Refusal>,
    ) -> Result<Self, Refusal> {
        let (mut documents, mut last) = (Vec::new(), None);
        match content {
            None => {}
            Some(Content::Text(text)) => last = Some(text),
            Some(Content::Parts(parts)) => {
                for (number, part) in parts.into_iter().enumerate() {
                    let field = |name: &str| format!("messages[{at}].content[{number}]{name}");
                    match (part.kind.as_str(), part.text, part.file) {
                        ("text", Some(text), _) => documents.extend(last.replace(text).map(Upload::text)),
                        ("file", _, Some(file)) => documents.push(file.upload(&field(".file"), kept)?),
                        (kind, ..) => {
                            let words = format!(
                                "a part of type `{kind}` cannot be read; documents come as parts of type file (filename \
                                 and file_data, or file_id) or text"
                            );
                            return Err(Refusal::field(field(".type"), words));
                        }
                    }
                }
            }
        }
        let text = last.map(|text| text.replace("\r\n", "\n"));
        if text.as_deref().is_some_and(is_about_a_conversation) {
            return Err(Refusal::field(
                "messages",
                "this asks for a title, tags or the like of a conversation; documents are read here. Choose another model \
                 for such tasks in your program, or turn them off",
            ));
        }
        let split = text.as_deref().and_then(prompt::marked);
        Ok(Self { documents, text, split })
    }

    fn has_documents(&self) -> bool {
        let in_text = self.split.as_ref().is_some_and(|split| !split.documents.is_empty());
        in_text || !self.documents.is_empty()
    }

    /// Its question, and the documents in its last text.
    fn taken_apart(self, is_any_known: bool) -> Option<Split> {
        let text = self.text?;
        let by_paragraph = || {
            let is_too_long = text.chars().nth(MOST_QUESTION_CHARS).is_some();
            prompt::last_paragraph(&text).filter(|_| is_too_long || !is_any_known)
        };
        let split = self.split.or_else(by_paragraph);
        Some(split.unwrap_or(Split { question: text, documents: Vec::new() }))
    }
}

/// What Open WebUI asks beside the user's question: a title, tags, what could be asked next.
fn is_about_a_conversation(text: &str) -> bool {
    text.trim_start().starts_with("### Task:") && text.contains("<chat_history>")
}

fn upload(Text { name, text }: Text) -> Upload {
    if name.is_empty() { Upload::text(text) } else { Upload::file(&name, text.into_bytes()) }
}

/// Programs send a conversation's documents again with each question.
fn each_once(documents: Vec<Upload>) -> Vec<Upload> {
    let mut once: Vec<Upload> = Vec::with_capacity(documents.len());
    for document in documents {
        if !once.contains(&document) {
            once.push(document);
        }
    }
    once
}

impl Content {
    /// Its texts, one after the other.
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => {
                parts.into_iter().filter_map(|part| part.text).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

impl File {
    /// `file_data` is a data URL, or bare base64. `field`: where it stands.
    fn upload(self, field: &str, kept: &dyn Fn(&str) -> Result<Upload, Refusal>) -> Result<Upload, Refusal> {
        let named = self.filename.unwrap_or_default();
        let refused = |words: String| Refusal::field(format!("{field}.file_data"), words);
        let (kind, encoded) = match (self.file_data, self.file_id) {
            (None, None) => {
                return Err(Refusal::field(field, "a file part holds neither file_data nor file_id"));
            }
            (None, Some(id)) => return kept(&id).map_err(|refusal| refusal.at(format!("{field}.file_id"))),
            (Some(data), _) => match data.strip_prefix("data:") {
                None => (String::new(), data),
                Some(url) => match url.split_once(";base64,") {
                    Some((kind, encoded)) => (kind.to_owned(), encoded.to_owned()),
                    None => {
                        return Err(refused(format!("file_data of `{named}` is a data URL without base64")));
                    }
                },
            },
        };
        let bytes = STANDARD
            .decode(encoded.trim())
            .map_err(|error| refused(format!("file_data of `{named}` is not base64: {error}")))?;
        let name = if named.is_empty() { name_of(&kind) } else { &named };
        Ok(Upload::file(name, bytes))
    }
}

/// Readers tell formats by the name, too.
fn name_of(media_type: &str) -> &'static str {
    let bare = media_type.split(';').next().unwrap_or_default();
    match bare.trim() {
        "application/pdf" => "document.pdf",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "document.docx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => "slides.pptx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "table.xlsx",
        "application/vnd.oasis.opendocument.text" => "document.odt",
        "application/vnd.oasis.opendocument.presentation" => "slides.odp",
        "application/vnd.oasis.opendocument.spreadsheet" => "table.ods",
        "application/vnd.ms-excel" => "table.xls",
        "application/epub+zip" => "book.epub",
        "application/zip" => "files.zip",
        "application/json" => "data.json",
        "message/rfc822" => "message.eml",
        "text/csv" => "table.csv",
        "text/html" => "page.html",
        "text/markdown" => "text.md",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn said(messages: Value) -> Result<Said, Refusal> {
        let kept = |id: &str| match id {
            "file-1" => Ok(Upload::file("kept.log", b"kept".to_vec())),
            _ => Err(Refusal::not_found(format!("there is no file {id}"))),
        };
        read(serde_json::from_value(messages).unwrap(), &kept)
    }

    fn log() -> Upload {
        Upload::text("order=1\norder=2".to_owned())
    }

    #[test]
    fn one_string_holds_document_and_question() {
        for string in
            ["order=1\norder=2\n\nHow many?", "order=1\r\norder=2\r\n\r\nQuestion: How many?\r\nAnswer:"]
        {
            let said = said(json!([{ "role": "user", "content": string }])).unwrap();
            assert_eq!((said.question.as_str(), said.documents), ("How many?", vec![log()]));
        }
    }

    #[test]
    fn the_system_message_is_the_document_where_it_holds_one() {
        let system = "Use the context below.\n\norder=1\norder=2";
        let messages = json!([
            { "role": "system", "content": system },
            { "role": "user", "content": "How many?" },
        ]);
        let said = said(messages).unwrap();
        assert_eq!((said.question.as_str(), said.documents), ("How many?", vec![log()]));
    }

    #[test]
    fn a_persona_beside_a_document_is_no_document() {
        let messages = json!([
            { "role": "system", "content": "You are kind.\n\n".to_owned() + &"Be kind. ".repeat(50) },
            { "role": "user", "content": "order=1\norder=2\n\nHow many?" },
            { "role": "assistant", "content": "2" },
            { "role": "user", "content": "And how many are even?\n\nI mean their numbers." },
        ]);
        let said = said(messages).unwrap();
        assert_eq!(said.documents, [log()]);
        assert_eq!(said.question, "And how many are even?\n\nI mean their numbers.");
        assert_eq!(said.conversation, [Turn::new("How many?", "2")]);
    }

    #[test]
    fn a_long_text_beside_a_file_is_a_document_too() {
        let long = "word ".repeat(500);
        let data = STANDARD.encode("a,b");
        let messages = json!([{ "role": "user", "content": [
            { "type": "file", "file": { "file_data": format!("data:text/csv;base64,{data}") } },
            { "type": "text", "text": format!("{long}\n\nHow many?") },
        ] }]);
        let said = said(messages).unwrap();
        let long = Upload::text(long.trim().to_owned());
        assert_eq!(said.documents, [Upload::file("table.csv", b"a,b".to_vec()), long]);
        assert_eq!(said.question, "How many?");
    }

    #[test]
    fn an_uploaded_file_is_named_by_its_id_and_sent_twice_is_read_once() {
        let part = json!({ "type": "file", "file": { "file_id": "file-1" } });
        let text = |text: &str| json!({ "type": "text", "text": text });
        let messages = json!([
            { "role": "user", "content": [part, text("How many?")] },
            { "role": "assistant", "content": null },
            { "role": "user", "content": [part, text("How few?")] },
        ]);
        let said = said(messages).unwrap();
        assert_eq!(said.documents, [Upload::file("kept.log", b"kept".to_vec())]);
        assert_eq!((said.question.as_str(), said.conversation), ("How few?", vec![]));
    }

    #[test]
    fn a_refusal_names_the_field_of_the_message() {
        let user = |content: Value| json!([{ "role": "user", "content": content }]);
        let image = json!([{ "type": "image_url", "image_url": {} }]);
        let title =
            "### Task:\nGenerate a title.\n### Chat History:\n<chat_history>\nUSER: Hi\n</chat_history>";
        for (messages, field, words) in [
            (user(json!("How many?")), "messages", "there is no document"),
            (json!([]), "messages", "there is no question"),
            (user(json!(title)), "messages", "title"),
            (user(image), "messages[0].content[0].type", "`image_url`"),
            (json!([{ "role": "tool", "content": "a" }]), "messages[0].role", "`tool`"),
            (
                user(json!([{ "type": "file", "file": { "file_id": "f" } }])),
                "messages[0].content[0].file.file_id",
                "no file f",
            ),
            (
                user(json!([{ "type": "file", "file": { "file_data": "~" } }])),
                "messages[0].content[0].file.file_data",
                "not base64",
            ),
        ] {
            let body = said(messages).unwrap_err().body();
            assert_eq!(body["error"]["param"], field);
            assert!(body["error"]["message"].as_str().unwrap().contains(words), "{body}");
        }
    }
}
