//! Messages and mailboxes → blocks; attachments are files inside.

mod body;
mod mailbox;
mod message;

use crate::event::Refusal;
use crate::format::Format;
use crate::output::Output;

pub(crate) use mailbox::mbox;

/// One message.
pub(crate) fn eml(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let parsed =
        message::Parsed::of(bytes).ok_or_else(|| Refusal::damaged(Format::Eml, "it has no headers"))?;
    if let Some(subject) = parsed.subject() {
        out.title(&subject);
    }
    parsed.tell(1, "", &mut 0, out)
}
