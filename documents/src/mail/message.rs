//! One message: its headers as fields, its text, and its attachments as files inside.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{
    Address, Encoding, GetHeader as _, HeaderName, HeaderValue, Message, MessageParser, MessagePart,
    MimeHeaders as _, PartType,
};

use super::body;
use crate::archive::safe_name;
use crate::block::{Kind, Place};
use crate::event::{Refusal, Warning};
use crate::output::{Output, collapsed};
use crate::{plain, web};

/// Headers that are told, in this order.
const FIELDS: [(HeaderName<'static>, &str); 5] = [
    (HeaderName::From, "From"),
    (HeaderName::To, "To"),
    (HeaderName::Cc, "Cc"),
    (HeaderName::Date, "Date"),
    (HeaderName::Subject, "Subject"),
];

/// A message and its bytes.
pub(super) struct Parsed<'x> {
    raw: &'x [u8],
    message: Message<'x>,
}

/// Messages may lie in messages as deep as the file is long; dropping them must not recurse.
impl Drop for Parsed<'_> {
    fn drop(&mut self) {
        let mut left = vec![std::mem::take(&mut self.message)];
        while let Some(message) = left.pop() {
            for part in message.parts {
                if let PartType::Message(inside) = part.body {
                    left.push(inside);
                }
            }
        }
    }
}

impl<'x> Parsed<'x> {
    /// `None` if the bytes have no headers.
    pub fn of(raw: &'x [u8]) -> Option<Self> {
        let message = MessageParser::default().parse(raw)?;
        let parsed = Self { raw, message };
        (!parsed.message.parts.is_empty()).then_some(parsed)
    }

    pub fn subject(&self) -> Option<String> {
        self.field(&HeaderName::Subject)
            .map(|subject| collapsed(&subject))
            .filter(|subject| !subject.is_empty())
    }

    /// Tells the message; its attachments are files inside, named with this prefix.
    pub fn tell(
        &self,
        number: u32,
        prefix: &str,
        tables: &mut u32,
        out: &mut Output<'_>,
    ) -> Result<(), Refusal> {
        let place = Place::Message { message: number, subject: self.subject() };
        for (name, shown) in &FIELDS {
            if let Some(value) = self.field(name).filter(|value| !value.trim().is_empty()) {
                out.block(Kind::Field, &format!("{shown}: {value}"), place.clone())?;
            }
        }
        self.tell_text(&place, tables, out)?;
        self.tell_attachments(prefix, out)
    }

    fn tell_text(&self, place: &Place, tables: &mut u32, out: &mut Output<'_>) -> Result<(), Refusal> {
        let parts = |ids: &[u32]| ids.iter().filter_map(|id| self.message.part(*id)).collect::<Vec<_>>();
        let is_blank = |part: &&MessagePart<'_>| match &part.body {
            PartType::Text(text) => text.trim().is_empty(),
            PartType::Html(_) => false,
            _ => true,
        };
        let mut shown = parts(&self.message.text_body);
        if shown.iter().all(is_blank) {
            shown = parts(&self.message.html_body);
        }
        for part in shown {
            match &part.body {
                PartType::Text(text) => {
                    let restored = self.restored(part, text, out);
                    body::tell(restored.as_deref().unwrap_or(text), place, out)?;
                }
                PartType::Html(text) => {
                    let restored = self.restored(part, text, out);
                    web::fragment(restored.as_deref().unwrap_or(text), place, tables, out)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Text that does not say how it is encoded was taken for UTF-8; if it is none, its encoding is guessed.
    fn restored(&self, part: &MessagePart<'_>, text: &str, out: &mut Output<'_>) -> Option<String> {
        let decoded = plain::decode(&self.original(part, text)?);
        plain::warn(&decoded, out);
        Some(decoded.text)
    }

    /// The bytes of a text that was decoded with losses.
    fn original(&self, part: &MessagePart<'_>, text: &str) -> Option<Vec<u8>> {
        if !text.contains(char::REPLACEMENT_CHARACTER) {
            return None;
        }
        let raw = self.raw.get(part.offset_body as usize..part.offset_end as usize)?;
        match part.encoding {
            Encoding::None => Some(raw.to_vec()),
            Encoding::Base64 => base64_decode(raw),
            Encoding::QuotedPrintable => quoted_printable_decode(raw),
        }
    }

    fn tell_attachments(&self, prefix: &str, out: &mut Output<'_>) -> Result<(), Refusal> {
        let limits = out.options().limits;
        for (index, id) in self.message.attachments.iter().enumerate() {
            let Some(part) = self.message.part(*id) else {
                continue;
            };
            // Pictures that the text shows are part of its looks.
            let shown = matches!(part.body, PartType::InlineBinary(_)) && part.attachment_name().is_none();
            if shown || part.content_id().is_some() && part.is_content_type_image() {
                continue;
            }
            let Some((kind, content)) = self.content(part) else {
                continue;
            };
            let name = name_of(part, index + 1, kind);
            if out.inner.len() as u64 >= u64::from(limits.files) {
                return Err(Refusal::too_much("files inside", u64::from(limits.files)));
            }
            if content.len() as u64 > limits.member_bytes.min(out.unpacked_left) {
                let reason = "it has more bytes than are read".to_owned();
                out.warn(Warning::Skipped { name, reason });
                continue;
            }
            out.inner(format!("{prefix}{name}"), content);
        }
        Ok(())
    }

    /// The extension that fits, and the bytes.
    fn content(&self, part: &MessagePart<'_>) -> Option<(&'static str, Vec<u8>)> {
        Some(match &part.body {
            PartType::Text(text) => {
                ("txt", self.original(part, text).unwrap_or_else(|| text.as_bytes().to_vec()))
            }
            // It is no longer encoded as it says.
            PartType::Html(text) => ("html", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => ("bin", bytes.to_vec()),
            PartType::Message(inside) => {
                let within = self.raw.get(part.offset_body as usize..part.offset_end as usize);
                let bytes = match part.encoding {
                    Encoding::None => within.unwrap_or_default().to_vec(),
                    _ => inside.raw_message.to_vec(),
                };
                ("eml", bytes)
            }
            PartType::Multipart(_) => return None,
        })
    }

    fn field(&self, name: &HeaderName<'static>) -> Option<String> {
        let value = self.message.parts.first()?.headers.header_value(name)?;
        match value {
            HeaderValue::Text(text) => Some(text.to_string()),
            HeaderValue::TextList(texts) => Some(texts.join(", ")),
            HeaderValue::DateTime(time) if time.is_valid() => Some(time.to_rfc3339()),
            HeaderValue::Address(Address::List(list)) => Some(addresses(list)),
            HeaderValue::Address(Address::Group(groups)) => {
                let shown = groups.iter().map(|group| match &group.name {
                    Some(name) => format!("{name}: {}", addresses(&group.addresses)),
                    None => addresses(&group.addresses),
                });
                Some(shown.collect::<Vec<_>>().join("; "))
            }
            _ => None,
        }
    }
}

/// `Ann Lee <ann@example.org>, bob@example.org`
fn addresses(list: &[mail_parser::Addr<'_>]) -> String {
    let shown = list.iter().map(|address| match (&address.name, &address.address) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (name, address) => name.as_ref().or(address.as_ref()).map(ToString::to_string).unwrap_or_default(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// What an attachment is called; it names no folder.
fn name_of(part: &MessagePart<'_>, number: usize, extension: &str) -> String {
    let subject = match &part.body {
        PartType::Message(inside) => inside.parts.first().and_then(|part| {
            let subject = part.headers.header_value(&HeaderName::Subject)?.as_text()?;
            Some(format!("{}.eml", subject.replace(['/', '\\'], "-")))
        }),
        _ => None,
    };
    let name = part.attachment_name().map(str::to_owned).or(subject);
    let safe = name.and_then(|name| safe_name(&name));
    let file = safe.and_then(|name| name.rsplit('/').next().map(str::to_owned));
    file.unwrap_or_else(|| format!("attachment {number}.{extension}"))
}

/// Whether a part is a picture.
trait IsImage {
    fn is_content_type_image(&self) -> bool;
}

impl IsImage for MessagePart<'_> {
    fn is_content_type_image(&self) -> bool {
        self.content_type().is_some_and(|kind| kind.c_type.eq_ignore_ascii_case("image"))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Event, Kind, Options, Place, read};

    /// Documents, and the blocks of the first one with what they are.
    fn told(name: &str, bytes: &[u8]) -> Vec<String> {
        let mut told = Vec::new();
        read(name, bytes, &Options::default(), &mut |event| match event {
            Event::Document { name, .. } => told.push(format!("= {name}")),
            Event::Block(block) => told.push(match (block.kind, block.place) {
                (Kind::Heading(_), Place::Message { message, .. }) => format!("# {message} {}", block.text),
                _ => block.text,
            }),
            Event::Plain(text) => told.push(format!("plain {text}")),
            Event::Warning(warning) => told.push(format!("warning {warning}")),
            Event::End(Err(refusal)) => told.push(format!("refused {refusal}")),
            _ => {}
        });
        told
    }

    #[test]
    fn headers_text_and_attachments_are_told() {
        let mail = "From: =?utf-8?q?J=C3=B6rg?= <j@example.org>\r\nTo: a@example.org, \"B, C\" <b@example.org>\r\n\
            Date: Mon, 1 Jan 2024 10:00:00 +0100\r\nSubject: The\r\n rent\r\nMIME-Version: 1.0\r\n\
            Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\n\
            --y\r\nContent-Type: text/plain\r\n\r\nIt is 1200.\r\n--y\r\nContent-Type: text/html\r\n\r\n<p>Not this\r\n--y--\r\n\
            --x\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=\"../a\\b.csv\"\r\n\
            Content-Transfer-Encoding: base64\r\n\r\nTfxsbGVyLDEK\r\n--x\r\nContent-Type: message/rfc822\r\n\r\n\
            From: b@example.org\r\nSubject: Old/new\r\n\r\nEarlier.\r\n--x--\r\n";
        assert_eq!(
            told("m.eml", mail.as_bytes()),
            [
                "= m.eml",
                "From: Jörg <j@example.org>",
                "To: a@example.org, B, C <b@example.org>",
                "Date: 2024-01-01T10:00:00+01:00",
                "Subject: The rent",
                "It is 1200.",
                "= m.eml/ab.csv",
                "warning read as windows-1252, which was guessed",
                "plain Müller,1\n",
                "= m.eml/Old-new.eml",
                "From: b@example.org",
                "Subject: Old/new",
                "Earlier.",
            ]
        );
    }

    #[test]
    fn a_message_in_html_alone_is_read_as_a_page() {
        let mail = "From: a@b.c\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/html; charset=iso-8859-1\n\n\
                    <h1>Hi</h1><p>The rent<table><tr><td>is<td>1200<tr><td>due<td>now</table>";
        assert_eq!(told("m", mail.as_bytes())[3..], ["# 1 Hi", "The rent", "is | 1200", "due | now"]);
        let latin = b"From: a@b.c\nSubject: x\nMIME-Version: 1.0\n\nsch\xf6ne Gr\xfc\xdfe";
        assert_eq!(told("m", latin)[4], "schöne Grüße");
    }

    #[test]
    fn messages_of_a_mailbox_have_headings_and_numbers() {
        let mail = "From a@b Mon Jan  1 10:00:00 2024\nFrom: a@b\nSubject: One\n\n>From here.\n\n\
                    From a@b Mon Jan  1 10:00:00 2024\nFrom: a@b\n\nTwo.\n";
        assert_eq!(
            told("box", mail.as_bytes()),
            [
                "= box",
                "# 1 One",
                "From: a@b",
                "Subject: One",
                "From here.",
                "# 2 Message 2",
                "From: a@b",
                "Two."
            ]
        );
    }

    #[test]
    fn messages_within_messages_without_end_are_read_to_a_depth() {
        let header = "From: a@b.c\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n";
        let told = told("m.eml", format!("{}Hi", header.repeat(20_000)).as_bytes());
        assert!(
            told.last().unwrap().starts_with("From: a@b.c") || told.last().unwrap().contains("too many"),
            "{told:?}"
        );
    }
}
