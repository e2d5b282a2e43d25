//! Charts: a title, and the numbers that they show as a table.

use std::collections::BTreeMap;

use super::flow::{Flow, Piece};
use super::package::Package;
use super::xml::{Node, Space, Xml};
use crate::block::Kind;
use crate::event::Refusal;

/// Points and series of a chart, at most; nobody sees more.
const MOST_POINTS: u32 = 10_000;
const MOST_SERIES: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Chart {
    title: String,
    series: Vec<Series>,
}

#[derive(Debug, Default)]
struct Series {
    name: String,
    categories: BTreeMap<u32, String>,
    values: BTreeMap<u32, String>,
}

/// Reads the chart in this member. A damaged one is none: it is beside the text.
pub(super) fn read(package: &mut Package<'_>, member: &str) -> Result<Option<Chart>, Refusal> {
    let Some(text) = package.text(member)? else { return Ok(None) };
    let mut chart = Chart::default();
    let mut xml = package.xml(&text);
    Ok(chart.read(&mut xml).ok().map(|()| chart))
}

impl Chart {
    /// Tells the chart.
    pub fn put(self, flow: &mut Flow<'_, '_>) -> Result<(), Refusal> {
        flow.block(Kind::Caption, self.title)?;
        let names = self.series.iter().map(|series| series.name.clone());
        let header: Vec<String> = std::iter::once(String::new()).chain(names).collect();
        let mut first = true;
        if header.iter().any(|name| !name.is_empty()) {
            flow.put(Piece::Row { first, header: true, cells: header })?;
            first = false;
        }
        let mut points: Vec<u32> =
            self.series.iter().flat_map(|series| series.values.keys().copied()).collect();
        points.sort_unstable();
        points.dedup();
        for point in points {
            let category = self.series.iter().find_map(|series| series.categories.get(&point));
            let values =
                self.series.iter().map(|series| series.values.get(&point).cloned().unwrap_or_default());
            let cells = std::iter::once(category.cloned().unwrap_or_default()).chain(values).collect();
            flow.put(Piece::Row { first, header: false, cells })?;
            first = false;
        }
        Ok(())
    }

    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Refusal> {
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            match (element.space, element.name()) {
                (Space::Chart, b"title") if self.title.is_empty() => self.title = drawing_text(xml)?,
                (Space::Chart, b"ser") => {
                    let series = read_series(xml)?;
                    if self.series.len() < MOST_SERIES {
                        self.series.push(series);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The text of all runs in the element that is open.
fn drawing_text(xml: &mut Xml<'_>) -> Result<String, Refusal> {
    let mut text = String::new();
    while let Some(element) = xml.child()? {
        if (element.space, element.name()) == (Space::A, b"t") {
            xml.text_into(&mut text)?;
        } else {
            text.push_str(&drawing_text(xml)?);
        }
    }
    Ok(text)
}

fn read_series(xml: &mut Xml<'_>) -> Result<Series, Refusal> {
    let mut series = Series::default();
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::Chart, b"tx") => {
                let mut name = BTreeMap::new();
                points(xml, &mut name)?;
                series.name = name.into_values().next().unwrap_or_default();
            }
            (Space::Chart, b"cat" | b"xVal") => points(xml, &mut series.categories)?,
            (Space::Chart, b"val" | b"yVal") => points(xml, &mut series.values)?,
            _ => xml.skip()?,
        }
    }
    Ok(series)
}

/// The values that a chart keeps of its cells.
fn points(xml: &mut Xml<'_>, found: &mut BTreeMap<u32, String>) -> Result<(), Refusal> {
    while let Some(element) = xml.child()? {
        match (element.space, element.name()) {
            (Space::Chart, b"pt") => {
                let index = element.number(b"idx").unwrap_or(0);
                let mut value = String::new();
                while let Some(element) = xml.child()? {
                    if element.name() == b"v" { xml.text_into(&mut value)? } else { xml.skip()? }
                }
                if index < MOST_POINTS {
                    found.insert(index, super::value::cached_number(&value));
                }
            }
            (Space::Chart, b"v") => {
                let value = xml.text()?;
                found.insert(0, value);
            }
            _ => points(xml, found)?,
        }
    }
    Ok(())
}
