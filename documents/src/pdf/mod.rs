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

use hayro_interpret::hayro_syntax::page::{A4, Page};
use hayro_interpret::hayro_syntax::{Pdf, object};
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, RenderContent, interpret_page};

use self::collect::{Collector, Drawn, Weights};
use self::flow::Flow;
use self::geometry::narrow;
use self::layout::Parts;
use self::outline::Outline;
use self::repeat::Edges;
use crate::event::{Refusal, Warning};
use crate::output::Output;

/// Pages that are compared with each other and held in memory.
const BATCH: usize = 48;

/// The sides of the smallest and the largest page, in points. Programs write at most 14,400, and units up to 75,000 times as
/// large, on which letters could not be told apart any more.
const SMALLEST_PAGE: f32 = 3.0;
const LARGEST_PAGE: f32 = 1.0e6;

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

/// How a page is placed, its width and its height. Where what is cut out of the paper has an impossible size, that is all of
/// the paper, and where that has one, A4: what the page draws is mostly there.
fn page_space(page: &Page<'_>) -> (Affine, f32, f32) {
    let sides = |area: object::Rect| (narrow(area.width()), narrow(area.height()));
    if let (Some(width), Some(height)) = sides(page.intersected_crop_box())
        && is_possible(width, height)
    {
        let (width, height) = page.render_dimensions();
        return (Affine::new(page.initial_transform(true).as_coeffs()), width, height);
    }
    let (paper, width, height) = match sides(page.media_box()) {
        (Some(width), Some(height)) if is_possible(width, height) => (page.media_box(), width, height),
        _ => (A4, 595.0, 842.0),
    };
    (Affine::new([1.0, 0.0, 0.0, -1.0, -paper.x0, paper.y1]), width, height)
}

/// Whether a page has a size that can be read and drawn.
fn is_possible(width: f32, height: f32) -> bool {
    [width, height].iter().all(|side| (SMALLEST_PAGE..=LARGEST_PAGE).contains(side))
}

/// What a page draws.
#[expect(clippy::mutable_key_type, reason = "a glyph's hash and equality do not change")]
fn draw<'p>(pdf: &'p Pdf, page: &'p Page<'p>, cache: &InterpreterCache<'p>, weights: &mut Weights) -> Drawn {
    let (initial, width, height) = page_space(page);
    let area = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let settings =
        InterpreterSettings { render_content: RenderContent::all(), ..InterpreterSettings::default() };
    let mut context = Context::new(initial, area, cache, pdf.xref(), settings);
    let mut collector = Collector::new(width, height, weights);
    interpret_page(page, &mut context, &mut collector);
    collector.drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Options};

    /// A file with one page that says "Here it is" at the bottom left.
    fn file(boxes: &str) -> Vec<u8> {
        let content = "BT /F 12 Tf 72 72 Td (Here it is) Tj ET";
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            format!(
                "<< /Type /Page /Parent 2 0 R {boxes} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
            ),
            format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        ];
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut starts = Vec::new();
        for (object, number) in objects.iter().zip(1..) {
            starts.push(format!("{:010} 00000 n \n", file.len()));
            file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
        }
        let trailer = format!(
            "xref\n0 6\n0000000000 65535 f \n{}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n",
            starts.concat(),
            file.len()
        );
        file.extend(trailer.bytes());
        file
    }

    #[test]
    fn a_page_of_an_impossible_size_is_read_as_one_of_a_usual_size() {
        let endless = format!("/MediaBox [0 0 1{0} 1{0}]", "0".repeat(300));
        for boxes in [
            "/MediaBox [0 0 0 0]",
            "/MediaBox [0 0 595 0]",
            "/MediaBox [0 0 0.5 0.5]",
            "/MediaBox [0 0 595 842] /CropBox [2000 2000 2100 2100]",
            "/MediaBox [0 0 100000000 100000000]",
            "",
            &endless,
        ] {
            let (mut texts, mut ended) = (Vec::new(), None);
            crate::read("a.pdf", &file(boxes), &Options::default(), &mut |event| match event {
                Event::Block(block) => texts.push((block.text, block.place)),
                Event::End(end) => ended = Some(end),
                _ => {}
            });
            assert_eq!(ended, Some(Ok(())), "{boxes}");
            let [(text, place)] = &texts[..] else { panic!("{boxes}: {texts:?}") };
            assert_eq!(text, "Here it is", "{boxes}");
            let crate::Place::Page { page: 1, bounds: Some(bounds) } = place else { panic!("{place:?}") };
            assert!(
                (bounds.left - 72.0).abs() < 2.0 && (bounds.bottom - 770.0).abs() < 10.0,
                "{boxes}: {bounds:?}"
            );
        }
    }

    #[test]
    fn no_picture_is_made_of_an_endless_page() {
        let endless = format!("/MediaBox [0 0 1{0} 1{0}]", "0".repeat(300));
        let words = picture::page(&file(&endless), 1, 1.0, &[], &Options::default()).unwrap_err().to_string();
        assert!(words.contains("page 1 has a size that cannot be drawn"), "{words}");
        assert!(picture::page(&file("/MediaBox [0 0 0 0]"), 1, 1.0, &[], &Options::default()).is_ok());
    }
}
