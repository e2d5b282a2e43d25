//! The numbers of lists, which a Word file does not hold as text: "1.2.3", "(a)", "IV.".

use std::collections::{HashMap, HashSet};

use super::styles::{ListLevel, Styles};
use crate::event::Refusal;
use crate::office::counting::Counting;
use crate::office::xml::{Space, Xml};

const LEVELS: usize = 9;
/// Characters of a level's text, at most; it stands before every item.
const MOST_LEVEL_TEXT: usize = 64;

#[derive(Debug, Clone, Default)]
struct Level {
    start: i64,
    counting: Counting,
    /// With `%1` for the number of the first level.
    text: String,
    /// All numbers in it are decimal.
    legal: bool,
    /// The level, counted from 1, after which it begins again; 0 for never. Without it, after any higher one.
    restart: Option<u8>,
    /// The style whose paragraphs stand at this level.
    style: Option<String>,
}

/// The look of a list, which several lists may share.
#[derive(Debug, Default)]
struct Pattern {
    levels: [Option<Level>; LEVELS],
    /// A style whose list has the levels.
    style: Option<String>,
}

#[derive(Debug, Default)]
struct List {
    pattern: String,
    starts: HashMap<usize, i64>,
    levels: HashMap<usize, Level>,
}

#[derive(Debug, Default)]
pub(super) struct Numbering {
    patterns: HashMap<String, Pattern>,
    lists: HashMap<String, List>,
    /// The last number of each level, by pattern: lists that share one go on counting.
    counters: HashMap<String, [Option<i64>; LEVELS]>,
    /// Starts of a list's own that were already used.
    started: HashSet<(String, usize)>,
}

/// An item of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// 0 is the outermost list.
    pub depth: u8,
    /// Its number; empty for a bullet.
    pub mark: String,
}

impl Numbering {
    pub fn read(xml: &mut Xml<'_>) -> Result<Self, Refusal> {
        let mut numbering = Self::default();
        xml.child()?;
        while let Some(element) = xml.child()? {
            match (element.space, element.name()) {
                (Space::W, b"abstractNum") => {
                    let id = element.attr(b"abstractNumId").unwrap_or_default().into_owned();
                    let pattern = read_pattern(xml)?;
                    numbering.patterns.insert(id, pattern);
                }
                (Space::W, b"num") => {
                    let id = element.attr(b"numId").unwrap_or_default().into_owned();
                    let list = read_list(xml)?;
                    numbering.lists.insert(id, list);
                }
                _ => xml.skip()?,
            }
        }
        Ok(numbering)
    }

    /// Counts a paragraph of this list, which has this style. Nothing if no list has such an id.
    pub fn count(&mut self, at: &ListLevel, style: &str, styles: &Styles) -> Option<Item> {
        let id = at.list.as_ref().filter(|id| *id != "0")?;
        let list = self.lists.get(id)?;
        let pattern_id = self.pattern_of(list, styles);
        let pattern = self.patterns.get(&pattern_id)?;
        let tied = || {
            pattern.levels.iter().position(|level| {
                level.as_ref().and_then(|level| level.style.as_deref()).is_some_and(|tied| tied == style)
            })
        };
        let level = at.level.map(usize::from).or_else(tied).unwrap_or(0).min(LEVELS - 1);
        let levels: [Option<&Level>; LEVELS] =
            std::array::from_fn(|index| list.levels.get(&index).or(pattern.levels[index].as_ref()));
        let start = |index: usize| {
            list.starts.get(&index).copied().unwrap_or(levels[index].map_or(1, |level| level.start))
        };

        let counters = self.counters.entry(pattern_id).or_default();
        let restarts = list.starts.contains_key(&level) && self.started.insert((id.clone(), level));
        counters[level] = Some(match counters[level] {
            Some(number) if !restarts => number.saturating_add(1),
            _ => start(level),
        });
        for (deeper, counter) in counters.iter_mut().enumerate().skip(level + 1) {
            let restart = levels[deeper].and_then(|level| level.restart).map_or(deeper, usize::from);
            if level < restart {
                *counter = None;
            }
        }
        let number = |index: usize| counters[index].unwrap_or_else(|| start(index));
        Some(Item { depth: u8::try_from(level).unwrap_or(0), mark: mark(&levels, level, number) })
    }

    fn pattern_of(&self, list: &List, styles: &Styles) -> String {
        let style = self.patterns.get(&list.pattern).and_then(|pattern| pattern.style.as_deref());
        let linked = style.and_then(|style| styles.list_of(style)).and_then(|id| self.lists.get(id));
        linked.unwrap_or(list).pattern.clone()
    }
}

/// The number of an item, such as `1.2.3`.
fn mark(levels: &[Option<&Level>; LEVELS], level: usize, number: impl Fn(usize) -> i64) -> String {
    let Some(shown) = levels[level].filter(|level| level.counting != Counting::Bullet) else {
        return String::new();
    };
    let mut mark = String::new();
    let mut characters = shown.text.chars().peekable();
    while let Some(character) = characters.next() {
        let index = characters.peek().filter(|_| character == '%').and_then(|digit| digit.to_digit(10));
        match index.map(|index| index as usize) {
            Some(index @ 1..=LEVELS) => {
                characters.next();
                let counting = match levels[index - 1].map_or(Counting::Decimal, |level| level.counting) {
                    counting if counting != Counting::Nothing && shown.legal => Counting::Decimal,
                    counting => counting,
                };
                mark.push_str(&counting.write(number(index - 1)));
            }
            _ => mark.push(character),
        }
    }
    mark
}

fn read_pattern(xml: &mut Xml<'_>) -> Result<Pattern, Refusal> {
    let mut pattern = Pattern::default();
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::W, b"lvl") => {
                let index: Option<usize> = element.number(b"ilvl");
                let level = read_level(xml)?;
                if let Some(place) = index.and_then(|index| pattern.levels.get_mut(index)) {
                    *place = Some(level);
                }
            }
            (Space::W, b"numStyleLink") => {
                pattern.style = element.attr(b"val").map(Into::into);
                xml.skip()?;
            }
            _ => xml.skip()?,
        }
    }
    Ok(pattern)
}

fn read_list(xml: &mut Xml<'_>) -> Result<List, Refusal> {
    let mut list = List::default();
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::W, b"abstractNumId") => {
                list.pattern = element.attr(b"val").unwrap_or_default().into_owned();
                xml.skip()?;
            }
            (Space::W, b"lvlOverride") => {
                let index = element.number(b"ilvl").filter(|index| *index < LEVELS).unwrap_or(0);
                while let Some(element) = xml.child()? {
                    match (element.space, element.name()) {
                        (Space::W, b"startOverride") => {
                            list.starts.insert(index, element.number(b"val").unwrap_or(1));
                            xml.skip()?;
                        }
                        (Space::W, b"lvl") => {
                            let level = read_level(xml)?;
                            list.levels.insert(index, level);
                        }
                        _ => xml.skip()?,
                    }
                }
            }
            _ => xml.skip()?,
        }
    }
    Ok(list)
}

fn read_level(xml: &mut Xml<'_>) -> Result<Level, Refusal> {
    let mut level = Level { start: 1, ..Level::default() };
    while let Some(element) = xml.child()? {
        if element.space == Space::W {
            match element.name() {
                b"start" => level.start = element.number(b"val").unwrap_or(1),
                b"numFmt" => {
                    level.counting = Counting::of_word(&element.attr(b"val").unwrap_or_default());
                }
                b"lvlText" => {
                    let text = element.attr(b"val").unwrap_or_default();
                    level.text = text.chars().take(MOST_LEVEL_TEXT).collect();
                }
                b"isLgl" => level.legal = element.is_on(),
                b"lvlRestart" => level.restart = element.number(b"val"),
                b"pStyle" => level.style = element.attr(b"val").map(Into::into),
                _ => {}
            }
        }
        xml.skip()?;
    }
    Ok(level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    fn level(index: usize, format: &str, text: &str, more: &str) -> String {
        format!(
            "<w:lvl w:ilvl='{index}'><w:start w:val='1'/><w:numFmt w:val='{format}'/>\
             <w:lvlText w:val='{text}'/>{more}</w:lvl>"
        )
    }

    fn numbering(levels: &str, lists: &str) -> Numbering {
        let text = format!(
            "<w:numbering xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>\
             <w:abstractNum w:abstractNumId='0'>{levels}</w:abstractNum>{lists}</w:numbering>"
        );
        Numbering::read(&mut Xml::new(&text, Format::Docx, 16)).unwrap()
    }

    fn legal() -> Numbering {
        let levels = level(0, "upperRoman", "%1.", "")
            + &level(1, "decimal", "%1.%2", "<w:isLgl/>")
            + &level(2, "lowerLetter", "(%3)", "");
        numbering(
            &levels,
            "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>\
             <w:num w:numId='2'><w:abstractNumId w:val='0'/>\
             <w:lvlOverride w:ilvl='0'><w:startOverride w:val='4'/></w:lvlOverride></w:num>",
        )
    }

    fn marks(numbering: &mut Numbering, items: &[(&str, u8)]) -> Vec<String> {
        let styles = Styles::default();
        let mark = |(list, level): &(&str, u8)| {
            let at = ListLevel { list: Some((*list).to_owned()), level: Some(*level) };
            numbering.count(&at, "", &styles).unwrap().mark
        };
        items.iter().map(mark).collect()
    }

    #[test]
    fn levels_count_within_the_ones_above_them() {
        let items = [("1", 0), ("1", 1), ("1", 2), ("1", 2), ("1", 1), ("1", 2), ("1", 0), ("1", 1)];
        assert_eq!(marks(&mut legal(), &items), ["I.", "1.1", "(a)", "(b)", "1.2", "(a)", "II.", "2.1"]);
    }

    #[test]
    fn lists_of_one_look_go_on_counting_unless_they_say_where_to_start() {
        let items = [("1", 0), ("1", 0), ("2", 0), ("2", 0), ("1", 0)];
        assert_eq!(marks(&mut legal(), &items), ["I.", "II.", "IV.", "V.", "VI."]);
    }

    #[test]
    fn a_level_without_one_above_it_counts_from_the_start() {
        assert_eq!(marks(&mut legal(), &[("1", 1), ("1", 0), ("1", 1)]), ["1.1", "I.", "1.1"]);
    }

    #[test]
    fn a_level_may_never_begin_again() {
        let levels = level(0, "decimal", "%1", "") + &level(1, "decimal", "%2", "<w:lvlRestart w:val='0'/>");
        let mut numbering = numbering(&levels, "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>");
        let items = [("1", 0), ("1", 1), ("1", 0), ("1", 1)];
        assert_eq!(marks(&mut numbering, &items), ["1", "1", "2", "2"]);
    }

    #[test]
    fn a_style_may_stand_for_a_level() {
        let levels = level(0, "decimal", "%1", "") + &level(1, "decimal", "%1.%2", "<w:pStyle w:val='H2'/>");
        let mut numbering = numbering(&levels, "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>");
        let at = ListLevel { list: Some("1".into()), level: None };
        let item = numbering.count(&at, "H2", &Styles::default());
        assert_eq!(item, Some(Item { depth: 1, mark: "1.1".into() }));
    }

    #[test]
    fn bullets_have_no_mark_and_lists_that_are_missing_no_item() {
        let mut numbering = numbering(
            &level(0, "bullet", "\u{f0b7}", ""),
            "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>",
        );
        assert_eq!(marks(&mut numbering, &[("1", 0)]), [""]);
        for id in ["0", "9"] {
            let at = ListLevel { list: Some(id.into()), level: Some(0) };
            assert_eq!(numbering.count(&at, "", &Styles::default()), None);
        }
    }

    #[test]
    fn numbers_at_the_end_of_their_range_do_not_overflow() {
        let levels =
            "<w:lvl w:ilvl='0'><w:start w:val='9223372036854775807'/><w:lvlText w:val='%1'/></w:lvl>";
        let mut numbering = numbering(levels, "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>");
        assert_eq!(
            marks(&mut numbering, &[("1", 0), ("1", 0)]),
            [i64::MAX.to_string(), i64::MAX.to_string()]
        );
    }
}
