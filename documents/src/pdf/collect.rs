//! What a page draws: its glyphs with their characters, and the lines that may rule a table.

use std::collections::HashMap;

use hayro_interpret::font::{Glyph as Drawing, GlyphIdentifier, GlyphRun};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::kurbo::{Affine, BezPath, Rect, Shape, Vec2};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};

use super::geometry::narrow;
use super::unicode::{self, Letters};
use crate::block::Bounds;

/// Glyphs of one page; what is more is not read. A page of small print has ten thousand.
const MOST_GLYPHS: usize = 400_000;
/// Lines of one page that may rule tables.
const MOST_RULES: usize = 20_000;
/// Outlines that are measured; fonts of Chinese and Japanese have more glyphs, but their weight is not asked for.
const MOST_OUTLINES: usize = 20_000;

/// What a page draws, in points from its top left corner as it is shown.
#[derive(Default)]
pub(super) struct Drawn {
    pub width: f32,
    pub height: f32,
    pub glyphs: Vec<Shown>,
    pub rules: Vec<Bounds>,
    /// Filled rectangles, such as the background of a cell.
    pub fills: Vec<Bounds>,
    /// Glyphs that do not say which character they are.
    pub unknown: u32,
}

/// A glyph on a page.
pub(super) struct Shown {
    pub letters: Letters,
    /// Where its baseline begins.
    pub x: f32,
    pub y: f32,
    /// Degrees from the direction to the right, clockwise.
    pub angle: f32,
    /// How far the next glyph is.
    pub advance: f32,
    /// The size of its font.
    pub size: f32,
    /// How thick its strokes are, in thousandths of the size; 0 where that is not known.
    pub weight: f32,
    /// The level of the heading that the file says it belongs to, or 0.
    pub heading: u8,
}

/// How thick the strokes of the glyphs of a document are.
pub(super) type Weights = HashMap<GlyphIdentifier, f32>;

/// Collects what one page draws.
pub(super) struct Collector<'w> {
    pub drawn: Drawn,
    weights: &'w mut Weights,
    /// What is visible, the innermost last.
    clips: Vec<Bounds>,
    marks: Vec<Mark>,
    last_run: Option<(usize, usize)>,
}

/// A stretch of content that the file says something about.
#[derive(Default)]
struct Mark {
    heading: u8,
    artifact: bool,
    /// The text that stands for its glyphs, until the first of them has taken it.
    text: Option<String>,
    /// The glyph that has taken it.
    bearer: Option<usize>,
}

impl<'w> Collector<'w> {
    #[expect(clippy::mutable_key_type, reason = "a glyph's hash and equality do not change")]
    pub fn new(width: f32, height: f32, weights: &'w mut Weights) -> Self {
        let page = Bounds { left: 0.0, top: 0.0, right: width, bottom: height };
        let drawn = Drawn { width, height, ..Drawn::default() };
        Self { drawn, weights, clips: vec![page], marks: Vec::new(), last_run: None }
    }

    fn clip(&mut self, bounds: Option<Bounds>) {
        let outer = self.visible();
        let bounds = bounds.map_or(outer, |inner| Bounds {
            left: inner.left.max(outer.left),
            top: inner.top.max(outer.top),
            right: inner.right.min(outer.right),
            bottom: inner.bottom.min(outer.bottom),
        });
        self.clips.push(bounds);
    }

    fn visible(&self) -> Bounds {
        let page = Bounds { left: 0.0, top: 0.0, right: self.drawn.width, bottom: self.drawn.height };
        self.clips.last().copied().unwrap_or(page)
    }

    fn in_artifact(&self) -> bool {
        self.marks.iter().any(|mark| mark.artifact)
    }

    /// A glyph takes the text that stands for the whole stretch, and those after it only widen its box.
    fn replaced(&mut self, shown: &mut Shown) -> bool {
        let next = self.drawn.glyphs.len();
        let Some(mark) =
            self.marks.iter_mut().rev().find(|mark| mark.text.is_some() || mark.bearer.is_some())
        else {
            return false;
        };
        if let Some(text) = mark.text.take() {
            shown.letters = Letters::of(&text);
            mark.bearer = Some(next);
            return false;
        }
        let bearer = mark.bearer.and_then(|bearer| self.drawn.glyphs.get_mut(bearer));
        if let Some(bearer) = bearer.filter(|bearer| (bearer.y - shown.y).abs() < bearer.size) {
            let (left, right) =
                (bearer.x.min(shown.x), (bearer.x + bearer.advance).max(shown.x + shown.advance));
            bearer.x = left;
            bearer.advance = right - left;
        }
        true
    }

    fn glyph(&mut self, glyph: &Drawing<'_>, place: Affine, vertical: bool, stretched: bool) {
        let visible = self.visible();
        let Some(mut shown) = placed(glyph, place, vertical, stretched) else { return };
        let middle = shown.advance / 2.0;
        let (sin, cos) = shown.angle.to_radians().sin_cos();
        let (x, y) = (shown.x + cos * middle, shown.y + sin * middle);
        let near = shown.size * 0.5;
        if x < visible.left || x > visible.right || y < visible.top || y - near > visible.bottom {
            return;
        }
        if let Some(letters) = letters(glyph) {
            shown.letters = letters;
        } else {
            shown.letters = Letters::of("\u{fffd}");
            self.drawn.unknown += 1;
        }
        shown.heading =
            self.marks.iter().rev().map(|mark| mark.heading).find(|level| *level > 0).unwrap_or(0);
        if self.replaced(&mut shown) {
            return;
        }
        if let Drawing::Outline(outline) = glyph
            && shown.letters.first().is_alphabetic()
            && !unicode::is_wide(shown.letters.first())
            && (self.weights.len() < MOST_OUTLINES)
        {
            let weight = self.weights.entry(outline.identifier());
            shown.weight = *weight.or_insert_with(|| stroke_weight(&outline.outline()));
        }
        self.drawn.glyphs.push(shown);
    }

    fn rule(&mut self, bounds: Bounds) {
        let visible = self.visible();
        let bounds = Bounds {
            left: bounds.left.max(visible.left),
            top: bounds.top.max(visible.top),
            right: bounds.right.min(visible.right),
            bottom: bounds.bottom.min(visible.bottom),
        };
        if bounds.right >= bounds.left && bounds.bottom >= bounds.top && self.drawn.rules.len() < MOST_RULES {
            self.drawn.rules.push(bounds);
        }
    }

    fn filled(&mut self, bounds: Bounds) {
        if bounds.right - bounds.left <= 3.0 || bounds.bottom - bounds.top <= 3.0 {
            self.rule(bounds);
        } else if self.drawn.fills.len() < MOST_RULES {
            self.drawn.fills.push(bounds);
        }
    }
}

impl<'a> Device<'a> for Collector<'_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        // Text that is filled and outlined comes twice; it is drawn so to look bold.
        if matches!(mode, DrawMode::Stroke(_))
            && let Some((first, count)) = self.last_run.take()
            && count == run.glyphs().len()
        {
            for shown in self.drawn.glyphs.iter_mut().skip(first) {
                shown.weight *= 1.4;
            }
            return;
        }
        let first = self.drawn.glyphs.len();
        let vertical = run.writing_mode() == WritingMode::Vertical;
        let stretched = !vertical && are_stretched(run);
        for glyph in run.glyphs() {
            if self.drawn.glyphs.len() >= MOST_GLYPHS {
                break;
            }
            self.glyph(glyph, props.transform * glyph.transform(), vertical, stretched);
        }
        self.last_run = Some((first, run.glyphs().len()));
    }

    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.last_run = None;
        if self.in_artifact() && self.drawn.rules.len() >= MOST_RULES {
            return;
        }
        let stroke = !matches!(mode, DrawMode::Fill(_));
        if !stroke {
            // One path may hold the borders of a whole table.
            for part in parts(path) {
                if let Some(bounds) = bounds_of(props.transform.transform_rect_bbox(part)) {
                    self.filled(bounds);
                }
            }
            return;
        }
        for segment in path.segments().take(MOST_RULES) {
            let hayro_interpret::kurbo::PathSeg::Line(line) = segment else { continue };
            let (from, to) = (props.transform * line.p0, props.transform * line.p1);
            if let Some(bounds) = bounds_of(Rect::from_points(from, to)) {
                let thin = bounds.right - bounds.left <= 1.0 || bounds.bottom - bounds.top <= 1.0;
                if thin {
                    self.rule(bounds);
                }
            }
        }
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.last_run = None;
        if let DrawMode::Fill(_) = mode {
            if let Some(bounds) = bounds_of(props.transform.transform_rect_bbox(*rect)) {
                self.filled(bounds);
            }
        } else {
            self.draw_path(&rect.to_path(0.1), props, mode);
        }
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.clip(bounds_of(clip.path.bounding_box()));
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.clip(bounds_of(*rect));
    }

    fn pop_clip(&mut self) {
        if self.clips.len() > 1 {
            self.clips.pop();
        }
    }

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        let heading = match tag {
            [b'H', digit @ b'1'..=b'6'] => digit - b'0',
            _ => 0,
        };
        let text = properties.and_then(|dict| dict.get::<PdfString<'_>>("ActualText".as_bytes()));
        let text = text.map(|text| unicode::text_string(text.as_bytes())).filter(|text| text.len() < 1000);
        self.marks.push(Mark { heading, artifact: tag == b"Artifact", text, bearer: None });
    }

    fn end_marked_content(&mut self) {
        self.marks.pop();
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn pop_transparency_group(&mut self) {}
}

/// Where a glyph stands and how large it is; `None` for what is on no page.
fn placed(glyph: &Drawing<'_>, place: Affine, vertical: bool, stretched: bool) -> Option<Shown> {
    let (along, up, origin) = axes(place);
    let mut size = narrow(up.hypot() * 1000.0)?;
    let width = match glyph {
        Drawing::Outline(outline) => outline.advance_width(),
        Drawing::Type3(drawing) => drawing.advance_width(),
    };
    let width = f64::from(width.filter(|width| width.is_finite()).unwrap_or(500.0));
    let scale = if stretched { up.hypot() } else { along.hypot() };
    let mut advance = narrow(width.abs() * scale)?;
    if let Drawing::Type3(_) = glyph {
        // The size of such a font may stand in its own matrix, and then the text's is 1.
        if advance > size * 2.0 {
            size = advance / 0.5;
        }
    }
    let mut angle = narrow(along.y.atan2(along.x).to_degrees())?;
    let (mut x, mut y) = (narrow(origin.x)?, narrow(origin.y)?);
    if !(0.5..5000.0).contains(&size) || along.hypot() == 0.0 {
        return None;
    }
    if vertical {
        let up = up / up.hypot().max(f64::MIN_POSITIVE);
        let along = along / along.hypot();
        x += narrow(along.x * f64::from(size) * 0.12 + up.x * f64::from(size) * 0.88)?;
        y += narrow(along.y * f64::from(size) * 0.12 + up.y * f64::from(size) * 0.88)?;
        angle += 90.0;
        advance = size;
    }
    let letters = Letters::default();
    Some(Shown { letters, x, y, angle, advance, size, weight: 0.0, heading: 0 })
}

/// Where the directions to the right and up lead, and the origin.
fn axes(place: Affine) -> (Vec2, Vec2, Vec2) {
    let [right_x, right_y, up_x, up_y, x, y] = place.as_coeffs();
    (Vec2::new(right_x, right_y), Vec2::new(up_x, up_y), Vec2::new(x, y))
}

/// Whether glyphs of another font are stretched to the widths of one that is not in the file. Then the distance between two of
/// them is what the height of the text tells, not its width.
fn are_stretched(run: &GlyphRun<'_, '_>) -> bool {
    let (mut by_height, mut by_width) = (0.0, 0.0);
    for pair in run.glyphs().windows(2).take(40) {
        let [first, second] = pair else { continue };
        let Drawing::Outline(outline) = &**first else { return false };
        let (along, up, origin) = axes(first.transform());
        let (_, _, next) = axes(second.transform());
        let step = (next - origin).hypot();
        let width = f64::from(outline.advance_width().unwrap_or(0.0));
        by_height += (step - width * up.hypot()).abs();
        by_width += (step - width * along.hypot()).abs();
    }
    by_height < by_width
}

/// The characters of a glyph, if its font tells.
fn letters(glyph: &Drawing<'_>) -> Option<Letters> {
    match glyph.as_unicode()? {
        BfString::Char(character) => unicode::is_text(character).then(|| Letters::from_char(character)),
        BfString::String(text) => {
            let text: String =
                text.chars().filter(|character| unicode::is_text(*character)).take(32).collect();
            (!text.is_empty()).then(|| Letters::of(&text))
        }
    }
}

/// How thick the strokes of an outline are: twice its area for each unit of its length.
fn stroke_weight(outline: &BezPath) -> f32 {
    if outline.elements().len() > 400 {
        return 0.0;
    }
    let length = outline.perimeter(2.0);
    if length > 1.0 { narrow(2.0 * outline.area().abs() / length).unwrap_or_default() } else { 0.0 }
}

fn bounds_of(rect: Rect) -> Option<Bounds> {
    Some(Bounds {
        left: narrow(rect.x0)?,
        top: narrow(rect.y0)?,
        right: narrow(rect.x1)?,
        bottom: narrow(rect.y1)?,
    })
}

/// The boxes of the closed parts of a path that consist of straight lines only.
fn parts(path: &BezPath) -> Vec<Rect> {
    use hayro_interpret::kurbo::PathEl;
    let mut parts: Vec<Rect> = Vec::new();
    let mut current: Option<Rect> = None;
    let mut straight = true;
    for element in path.elements() {
        match element {
            PathEl::MoveTo(point) => {
                parts.extend(current.take().filter(|_| straight));
                straight = true;
                current = Some(Rect::from_points(*point, *point));
            }
            PathEl::LineTo(point) => current = current.map(|rect| rect.union_pt(*point)),
            PathEl::QuadTo(..) | PathEl::CurveTo(..) => straight = false,
            PathEl::ClosePath => {}
        }
        if parts.len() >= MOST_RULES {
            return parts;
        }
    }
    parts.extend(current.filter(|_| straight));
    parts
}
