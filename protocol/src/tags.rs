//! Reading and writing tag arrays.

use nostr::{Event, EventBuilder, EventId, Keys, Kind, PublicKey, Tag, TagKind, Timestamp};

use crate::error::{BuildError, ParseError};
use crate::limits::{MAX_CONTENT_BYTES, MAX_TAGS};
use crate::text::excerpt;

/// A borrowed view over tags, wherever they came from.
pub(crate) struct TagView<'a>(Vec<&'a [String]>);

impl<'a> TagView<'a> {
    pub(crate) fn of_event(event: &'a Event) -> Self {
        Self(event.tags.iter().map(Tag::as_slice).collect())
    }

    /// The tags of an event of this kind that tells `reader` of a job, and which job that is.
    pub(crate) fn about_a_job(
        event: &'a Event,
        kind: Kind,
        reader: &PublicKey,
    ) -> Result<(Self, EventId), ParseError> {
        expect_kind(event, kind)?;
        let tags = Self::of_event(event);
        if !tags.names(reader) {
            return Err(ParseError::NotForUs);
        }
        let job = tags.job_id()?;
        Ok((tags, job))
    }

    pub(crate) fn of_arrays(tags: &'a [Vec<String>]) -> Self {
        Self(tags.iter().map(Vec::as_slice).collect())
    }

    /// The values after the name, of every tag with that name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &'a [String]> {
        self.0.iter().filter_map(move |tag| match tag.split_first() {
            Some((first, values)) if first == name => Some(values),
            _ => None,
        })
    }

    /// The first value of the first tag with that name.
    pub(crate) fn first(&self, name: &str) -> Option<&'a str> {
        self.all(name).find_map(|values| values.first()).map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The first `e` tag that holds an event id.
    pub(crate) fn job_id(&self) -> Result<EventId, ParseError> {
        self.event_ids().next().ok_or(ParseError::MissingJobId)
    }

    /// Every `e` tag that holds an event id.
    pub(crate) fn event_ids(&self) -> impl Iterator<Item = EventId> {
        self.all("e").filter_map(|values| EventId::from_hex(values.first()?).ok())
    }

    /// Whether a `p` tag names this key.
    pub(crate) fn names(&self, key: &PublicKey) -> bool {
        let hex = key.to_hex();
        self.all("p").any(|values| values.first().is_some_and(|value| value.eq_ignore_ascii_case(&hex)))
    }

    /// `amount` in millisats and the invoice behind it; anything that is not a number is no amount.
    pub(crate) fn amount(&self) -> (Option<u64>, Option<String>) {
        let Some(values) = self.all("amount").next() else { return (None, None) };
        let msats = values.first().and_then(|value| whole_number(value));
        let invoice = values
            .get(1)
            .filter(|text| !text.is_empty() && text.len() <= crate::limits::MAX_INVOICE_BYTES)
            .cloned();
        (msats, invoice)
    }

    /// NIP-40.
    pub(crate) fn expiration(&self) -> Option<Timestamp> {
        self.first("expiration").and_then(whole_number).map(Timestamp::from_secs)
    }
}

/// A whole number as people send it: `100`, ` 100 `, `"100"`, `100.0`.
pub(crate) fn whole_number(text: &str) -> Option<u64> {
    let text = unquoted(text);
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let (whole, fraction) = text.split_once('.')?;
    fraction.bytes().all(|digit| digit == b'0').then(|| whole.parse().ok()).flatten()
}

/// A finite number as people send it.
pub(crate) fn finite_number(text: &str) -> Option<f64> {
    unquoted(text).parse().ok().filter(|number: &f64| number.is_finite())
}

/// Without surrounding blanks and quotation marks.
pub(crate) fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(|mark| mark == '"' || mark == '\'').trim()
}

/// Refuses other kinds, and anything larger than an honest event, before it is looked at.
pub(crate) fn expect_kind(event: &Event, expected: Kind) -> Result<(), ParseError> {
    if event.kind != expected {
        return Err(ParseError::WrongKind { expected: expected.as_u16(), got: event.kind.as_u16() });
    }
    within("bytes of content", event.content.len(), MAX_CONTENT_BYTES)?;
    within("tags", event.tags.len(), MAX_TAGS)
}

pub(crate) fn within(what: &'static str, size: usize, limit: usize) -> Result<(), ParseError> {
    if size > limit { Err(ParseError::TooLarge { what, size, limit }) } else { Ok(()) }
}

pub(crate) fn malformed(what: &'static str, reason: impl std::fmt::Display) -> ParseError {
    ParseError::Malformed { what, reason: excerpt(&reason.to_string()) }
}

/// A tag in array form, as it also stands inside encrypted content.
pub(crate) fn array<const N: usize>(values: [&str; N]) -> Vec<String> {
    values.map(str::to_owned).to_vec()
}

/// Signs an event with exactly these tags.
pub(crate) fn sign(
    kind: Kind,
    content: String,
    tags: impl IntoIterator<Item = Vec<String>>,
    keys: &Keys,
    created_at: Timestamp,
) -> Result<Event, BuildError> {
    let tags = tags.into_iter().filter_map(|values| {
        let mut values = values.into_iter();
        let name = values.next()?;
        Some(Tag::custom(TagKind::from(name.as_str()), values))
    });
    EventBuilder::new(kind, content)
        .tags(tags)
        // Without this the builder drops `p` when asker and provider share a key.
        .allow_self_tagging()
        .custom_created_at(created_at)
        .sign_with_keys(keys)
        .map_err(|error| BuildError::Sign(error.to_string()))
}
