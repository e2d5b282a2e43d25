//! PDF → blocks: glyphs → words → lines → columns → paragraphs, headings, tables.
//!
//! ```text
//! bytes ─ open ─ collect ─ sheet ─ word ─ grid, segment ─ repeat ─ columns ─ line ─ align, paragraph ─ flow ─ blocks
//! ```
//!
//! A page is turned so that its text runs from left to right ([`sheet`]), and everything up to [`flow`] works in that space;
//! places are told in the page as it is shown. Pages are read in batches: what repeats over pages is told from several.

mod align;
mod collect;
mod columns;
mod flow;
mod geometry;
mod grid;
mod join;
mod layout;
mod line;
mod marker;
mod open;
mod outline;
mod paragraph;
mod picture;
mod repeat;
mod segment;
mod sheet;
mod style;
mod table;
mod unicode;
mod word;

pub use self::picture::{PageImage, page};

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, RenderContent, interpret_page};

use self::collect::{Collector, Drawn, Weights};
use self::flow::Flow;
use self::layout::Parts;
use self::outline::Outline;
use self::repeat::Edges;
use crate::event::{Refusal, Warning};
use crate::output::Output;

/// Pages that are compared with each other and held in memory.
const BATCH: usize = 48;

/// Reads a PDF. Its pages are told in order; what a page ends with may wait for the next.
pub(crate) fn read(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let limits = out.options().limits;
    let pdf = open::open(bytes, out.options())?;
    let mut reading = Reading {
        cache: InterpreterCache::new(),
        weights: Weights::new(),
        flow: Flow::new(Outline::of(&pdf, limits.nesting)),
        without_text: Vec::new(),
        has_text: false,
        has_unknown: false,
    };
    if let Some(title) = pdf.metadata().title.as_ref().map(|title| unicode::text_string(title))
        && is_title(&title)
    {
        out.title(&title);
    }
    let pages = pdf.pages();
    let limit = usize::try_from(limits.pages).unwrap_or(usize::MAX);
    let read = pages.get(..limit).unwrap_or(pages);
    let count = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    let mut number = 1;
    for batch in read.chunks(BATCH) {
        reading.batch(&pdf, batch, number, count, out)?;
        number = number.saturating_add(u32::try_from(batch.len()).unwrap_or(u32::MAX));
    }
    reading.flow.finish(out)?;
    if pages.len() > read.len() {
        return Err(Refusal::too_much("pages", u64::from(limits.pages)));
    }
    if !reading.has_text {
        return Err(Refusal::Scan { pages: count });
    }
    if !reading.flow.told && reading.has_unknown {
        return Err(Refusal::Unsupported {
            what: "a PDF whose fonts do not tell which characters they show".to_owned(),
            remedy: "run text recognition (OCR) on it first".to_owned(),
        });
    }
    Ok(())
}

struct Reading<'p> {
    cache: InterpreterCache<'p>,
    weights: Weights,
    flow: Flow,
    /// Pages without a glyph, until one with glyphs shows that the document is not a scan as a whole.
    without_text: Vec<u32>,
    has_text: bool,
    has_unknown: bool,
}

impl<'p> Reading<'p> {
    fn batch(
        &mut self,
        pdf: &'p Pdf,
        pages: &'p [Page<'p>],
        first: u32,
        count: u32,
        out: &mut Output<'_>,
    ) -> Result<(), Refusal> {
        let mut parts: Vec<Parts> = Vec::new();
        for (page, number) in pages.iter().zip(first..) {
            let drawn = draw(pdf, page, &self.cache, &mut self.weights);
            self.warn(&drawn, number, out);
            for (index, sheet) in sheet::sheets(drawn).into_iter().enumerate() {
                parts.push(layout::parts(number, sheet, index > 0));
            }
        }
        let edges: Vec<Edges> = parts
            .iter()
            .map(|parts| Edges::of(parts.number, parts.area, &parts.segments, parts.tables.len()))
            .collect();
        let repeated = repeat::repeated(&edges, count);
        for (parts, repeated) in parts.iter_mut().zip(&repeated) {
            let mut index = 0;
            parts.segments.retain(|_| {
                index += 1;
                !repeated.contains(&(index - 1))
            });
            for segment in parts.segments.iter().filter(|_| !parts.aside) {
                self.flow.style.learn(segment);
            }
        }
        let layouts: Vec<_> = parts.into_iter().map(layout::layout).collect();
        self.flow.learn(&layouts);
        for layout in layouts {
            self.flow.page(layout, out)?;
        }
        Ok(())
    }

    fn warn(&mut self, drawn: &Drawn, page: u32, out: &mut Output<'_>) {
        if drawn.glyphs.is_empty() {
            self.without_text.push(page);
            if !self.has_text {
                return;
            }
        } else {
            self.has_text = true;
        }
        for page in self.without_text.drain(..) {
            out.warn(Warning::PageWithoutText { page });
        }
        if drawn.unknown > 0 {
            self.has_unknown = true;
            let glyphs = drawn.glyphs.len().max(1) as u64;
            let percent = (u64::from(drawn.unknown) * 100).div_ceil(glyphs).min(100);
            out.warn(Warning::UnknownGlyphs { page, percent: u8::try_from(percent).unwrap_or(100) });
        }
    }
}

/// Whether a title is one, not the name that a program gives to every file.
fn is_title(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    let names =
        [".html", ".htm", ".doc", ".docx", ".odt", ".tex", ".dvi", ".indd", ".xlsx", ".pptx", ".pdf", ".txt"];
    !names.iter().any(|name| title.ends_with(name))
        && !matches!(title.as_str(), "untitled" | "untitled document" | "anonymous")
}

/// What a page draws.
fn draw<'p>(pdf: &'p Pdf, page: &'p Page<'p>, cache: &InterpreterCache<'p>, weights: &mut Weights) -> Drawn {
    let (width, height) = page.render_dimensions();
    let initial = Affine::new(page.initial_transform(true).as_coeffs());
    let area = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let settings =
        InterpreterSettings { render_content: RenderContent::all(), ..InterpreterSettings::default() };
    let mut context = Context::new(initial, area, cache, pdf.xref(), settings);
    let mut collector = Collector::new(width, height, weights);
    interpret_page(page, &mut context, &mut collector);
    collector.drawn
}
