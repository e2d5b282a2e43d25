//! Where a line stands in its file, as a person would say it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::block::Place;

/// Where a line stands in its file. What a format does not have is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The page, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The slide, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide: Option<u32>,
    /// Sheet and cells: `Costs!B7:D7`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    /// The chapter of a book, with its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
    /// The message of a mailbox, with its subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When it is said: `00:12:03`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The headings that it stands under, the highest first: `Lease › 4 Rent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
}

impl Location {
    pub(crate) fn of(place: &Place) -> Self {
        let mut location = Self::default();
        match place {
            Place::Text => {}
            Place::Page { page, .. } => location.page = Some(*page),
            Place::Slide { slide } => location.slide = Some(*slide),
            Place::Cells { sheet, first, last } if first == last => {
                location.cell = Some(format!("{sheet}!{first}"));
            }
            Place::Cells { sheet, first, last } => location.cell = Some(format!("{sheet}!{first}:{last}")),
            Place::Chapter { chapter, title } => location.chapter = Some(titled(*chapter, title.as_deref())),
            Place::Message { message, subject } => {
                location.message = Some(titled(*message, subject.as_deref()));
            }
            Place::Time { start_ms, .. } => location.time = Some(clock(*start_ms)),
        }
        location
    }

    /// Whether a heading tells nothing that the place does not.
    pub(crate) fn says(&self, heading: &str) -> bool {
        let sheet = self.cell.as_deref().and_then(|cell| cell.rsplit_once('!')).map(|(sheet, _)| sheet);
        let title = |part: &Option<String>| {
            part.as_deref().and_then(|part| part.split_once(' ')).map(|(_, title)| title.to_owned())
        };
        sheet == Some(heading)
            || title(&self.chapter).as_deref() == Some(heading)
            || title(&self.message).as_deref() == Some(heading)
    }
}

fn titled(number: u32, title: Option<&str>) -> String {
    title.map_or_else(|| number.to_string(), |title| format!("{number} {title}"))
}

fn clock(ms: u64) -> String {
    let seconds = ms / 1_000;
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// `p. 12, § 4 Rent`; empty if nothing is known.
impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.heading.as_deref().and_then(|path| path.rsplit(" › ").next());
        let numbered = last.is_some_and(|heading| heading.starts_with(|first: char| first.is_ascii_digit()));
        let parts = [
            self.page.map(|page| format!("p. {page}")),
            self.slide.map(|slide| format!("slide {slide}")),
            self.cell.clone(),
            self.chapter.as_ref().map(|chapter| format!("chapter {chapter}")),
            self.message.as_ref().map(|message| format!("message {message}")),
            self.time.clone(),
            last.map(|heading| if numbered { format!("§ {heading}") } else { heading.to_owned() }),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        formatter.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Cell;

    #[test]
    fn places_are_told_as_a_person_would() {
        let page = Location {
            heading: Some("Lease › 4 Rent".to_owned()),
            ..Location::of(&Place::Page { page: 12, bounds: None })
        };
        assert_eq!(page.to_string(), "p. 12, § 4 Rent");
        let (first, last) = (Cell { row: 7, column: 2 }, Cell { row: 7, column: 4 });
        let cells = Location::of(&Place::Cells { sheet: "Costs".to_owned(), first, last });
        assert_eq!(cells.to_string(), "Costs!B7:D7");
        assert!(cells.says("Costs"));
        let chapter = Location::of(&Place::Chapter { chapter: 2, title: Some("The Carpet-Bag".to_owned()) });
        assert_eq!(chapter.to_string(), "chapter 2 The Carpet-Bag");
        let time = Location::of(&Place::Time { start_ms: 3_723_000, end_ms: 3_730_000 });
        assert_eq!(time.to_string(), "01:02:03");
        assert_eq!(Location::default().to_string(), "");
    }
}
