//! The numbers of lists and headings, which an OpenDocument file does not hold as text.

use std::collections::HashMap;

use crate::event::Refusal;
use crate::office::counting::Counting;
use crate::office::xml::{Element, Space, Xml};

const LEVELS: usize = 10;
/// Characters before and behind a number, at most; they stand at every item.
const MOST_AFFIX: usize = 32;

/// How a level counts.
#[derive(Debug, Clone, Default)]
struct Level {
    counting: Counting,
    prefix: String,
    suffix: String,
    /// How many levels its number shows, itself included.
    shown: usize,
    start: i64,
}

/// The last number of each level.
type Counters = [Option<i64>; LEVELS];

#[derive(Debug, Default)]
struct Style {
    levels: [Option<Level>; LEVELS],
    counters: Counters,
}

#[derive(Debug, Default)]
pub(super) struct Lists {
    styles: HashMap<String, Style>,
    outline: Style,
    /// The style of each list that another may continue, by its id.
    continued: HashMap<String, String>,
}

impl Lists {
    pub fn read_style(&mut self, name: String, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        let style = read_levels(xml)?;
        self.styles.insert(name, style);
        Ok(())
    }

    pub fn read_outline(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        self.outline = read_levels(xml)?;
        Ok(())
    }

    /// A list begins at a level, counted from 0; tells its style, which is that of the list around it if it names none.
    pub fn begin(&mut self, element: &Element<'_>, level: usize, around: Option<&str>) -> String {
        let before = element.attr(b"continue-list").and_then(|id| self.continued.get(&*id).cloned());
        let goes_on = before.is_some() || element.switch(b"continue-numbering") == Some(true);
        let named = element.attr(b"style-name").map(String::from).or(before);
        let style = named.or(around.map(String::from)).unwrap_or_default();
        if let Some(id) = element.attr(b"id") {
            self.continued.insert(id.into_owned(), style.clone());
        }
        if !goes_on && let Some(style) = self.styles.get_mut(&style) {
            style.counters[level.min(LEVELS)..].fill(None);
        }
        style
    }

    /// Counts an item of a list at a level, counted from 0; `from` is the number that it sets itself. Empty without a number.
    pub fn count(&mut self, style: &str, level: usize, from: Option<i64>) -> String {
        self.styles.get_mut(style).map(|style| style.count(level, from)).unwrap_or_default()
    }

    /// Counts a heading of this level, counted from 1.
    pub fn count_heading(&mut self, level: usize, from: Option<i64>) -> String {
        self.outline.count(level.saturating_sub(1), from)
    }
}

impl Style {
    fn count(&mut self, level: usize, from: Option<i64>) -> String {
        let level = level.min(LEVELS - 1);
        let start = |index: usize| self.levels[index].as_ref().map_or(1, |level| level.start);
        let next = self.counters[level].map_or_else(|| start(level), |last| last.saturating_add(1));
        self.counters[level] = Some(from.unwrap_or(next));
        self.counters[level + 1..].fill(None);
        let Some(own) = self.levels[level].as_ref() else { return String::new() };
        if matches!(own.counting, Counting::Bullet | Counting::Nothing) {
            return String::new();
        }
        let first = (level + 1).saturating_sub(own.shown.max(1));
        let numbers = (first..=level).filter_map(|index| {
            let counting = self.levels[index].as_ref()?.counting;
            let number = self.counters[index].unwrap_or_else(|| start(index));
            Some(counting.write(number)).filter(|number| !number.is_empty())
        });
        let numbers = numbers.collect::<Vec<_>>().join(".");
        format!("{}{numbers}{}", own.prefix, own.suffix)
    }
}

fn read_levels(xml: &mut Xml<'_>) -> Result<Style, Refusal> {
    let mut style = Style::default();
    while let Some(element) = xml.child()? {
        let index = element.number::<usize>(b"level").and_then(|level| level.checked_sub(1));
        if let (Space::Text, Some(place)) =
            (element.space, index.and_then(|index| style.levels.get_mut(index)))
        {
            let is_numbered = matches!(element.name(), b"list-level-style-number" | b"outline-level-style");
            let format = element.attr(b"num-format").unwrap_or_default();
            let affix = |name| element.attr(name).unwrap_or_default().chars().take(MOST_AFFIX).collect();
            *place = Some(Level {
                counting: if is_numbered { Counting::of_open_document(&format) } else { Counting::Bullet },
                prefix: affix(b"num-prefix"),
                suffix: affix(b"num-suffix"),
                shown: element.number(b"display-levels").unwrap_or(1),
                start: element.number(b"start-value").unwrap_or(1),
            });
        }
        xml.skip()?;
    }
    Ok(style)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    fn lists() -> Lists {
        let text = "<t:list-style xmlns:t='urn:oasis:names:tc:opendocument:xmlns:text:1.0' \
                    xmlns:s='urn:oasis:names:tc:opendocument:xmlns:style:1.0'>\
                    <t:list-level-style-number t:level='1' s:num-format='1' s:num-suffix='.' t:start-value='3'/>\
                    <t:list-level-style-number t:level='2' s:num-format='a' t:display-levels='2' s:num-prefix='('\
                     s:num-suffix=')'/><t:list-level-style-bullet t:level='3'/></t:list-style>";
        let mut xml = Xml::new(text, Format::Odt, 16);
        xml.child().unwrap();
        let mut lists = Lists::default();
        lists.read_style("L".into(), &mut xml).unwrap();
        lists
    }

    #[test]
    fn items_count_within_the_levels_above() {
        let mut lists = lists();
        let items =
            [(0, None), (1, None), (1, None), (2, None), (0, None), (1, None), (0, Some(9)), (0, None)];
        let marks = items.map(|(level, from)| lists.count("L", level, from));
        assert_eq!(marks, ["3.", "(3.a)", "(3.b)", "", "4.", "(4.a)", "9.", "10."]);
        assert_eq!(lists.count("unknown", 99, Some(i64::MAX)), "");
    }

    #[test]
    fn a_list_begins_again_unless_it_continues_another() {
        let mut lists = lists();
        let mut begin = |attributes: &str| {
            let text = format!("<list xmlns:x='y' style-name='L' {attributes}/>");
            let mut xml = Xml::new(&text, Format::Odt, 4);
            let element = xml.child().unwrap().unwrap();
            let style = lists.begin(&element, 0, None);
            lists.count(&style, 0, None)
        };
        assert_eq!(begin("x:id='a'"), "3.");
        assert_eq!(begin("continue-numbering='true'"), "4.");
        assert_eq!(begin("continue-list='a'"), "5.");
        assert_eq!(begin(""), "3.");
    }
}
