//! A page turned so that its text runs from left to right.

use super::collect::{Drawn, Shown};
use super::geometry::Turn;
use super::unicode::Letters;
use crate::block::Bounds;

/// Text may be this many degrees off the direction of its page and still be part of it: scans lie a little askew.
const ASKEW: f32 = 1.5;
/// Text at the page's side that is shorter is no text of its own.
const LEAST_ASIDE: usize = 8;

/// What stands on a page in one direction.
pub(super) struct Sheet {
    pub turn: Turn,
    /// The page, as its text sees it.
    pub area: Bounds,
    pub glyphs: Vec<Glyph>,
    pub rules: Vec<Bounds>,
    pub fills: Vec<Bounds>,
}

/// A glyph of a line that runs from left to right.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    pub letters: Letters,
    pub left: f32,
    pub right: f32,
    pub baseline: f32,
    pub size: f32,
    pub weight: f32,
    pub heading: u8,
}

impl Glyph {
    /// The rectangle that letters of its size fill.
    pub fn bounds(&self) -> Bounds {
        let (above, below) =
            if super::unicode::is_wide(self.letters.first()) { (0.86, 0.12) } else { (0.74, 0.22) };
        Bounds {
            left: self.left,
            top: self.baseline - above * self.size,
            right: self.right,
            bottom: self.baseline + below * self.size,
        }
    }
}

/// The text of a page in its main direction, and then what stands at a right angle to that. Text at other angles, such as a
/// watermark, is left out.
pub(super) fn sheets(drawn: Drawn) -> Vec<Sheet> {
    let main = main_angle(&drawn.glyphs);
    let mut straight = Vec::new();
    let mut aside: [Vec<Shown>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    for shown in drawn.glyphs {
        let off = (shown.angle - main).rem_euclid(360.0);
        if !(ASKEW..=360.0 - ASKEW).contains(&off) {
            straight.push(shown);
            continue;
        }
        for (quarter, group) in [90.0, 180.0, 270.0].iter().zip(&mut aside) {
            if (off - quarter).abs() <= ASKEW {
                group.push(shown);
                break;
            }
        }
    }
    let sheet = |angle: f32, glyphs: Vec<Shown>, rules: &[Bounds], fills: &[Bounds]| {
        let turn = Turn::new(angle, drawn.width, drawn.height);
        let page = Bounds { left: 0.0, top: 0.0, right: drawn.width, bottom: drawn.height };
        let glyphs = glyphs.into_iter().map(|shown| laid(shown, &turn)).collect();
        let turned = |boxes: &[Bounds]| boxes.iter().map(|bounds| turn.text_bounds(*bounds)).collect();
        Sheet { turn, area: turn.text_bounds(page), glyphs, rules: turned(rules), fills: turned(fills) }
    };
    let mut sheets = vec![sheet(main, straight, &drawn.rules, &drawn.fills)];
    for (quarter, group) in [90.0, 180.0, 270.0].into_iter().zip(aside) {
        if group.len() >= LEAST_ASIDE {
            sheets.push(sheet(main + quarter, group, &[], &[]));
        }
    }
    sheets
}

fn laid(shown: Shown, turn: &Turn) -> Glyph {
    let (left, baseline) = turn.text_point(shown.x, shown.y);
    Glyph {
        letters: shown.letters,
        left,
        right: left + shown.advance,
        baseline,
        size: shown.size,
        weight: shown.weight,
        heading: shown.heading,
    }
}

/// The angle at which most glyphs stand, in whole degrees where it is a right angle.
fn main_angle(glyphs: &[Shown]) -> f32 {
    let mut counts = [0_u32; 360];
    for shown in glyphs {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 360")]
        let degrees = shown.angle.rem_euclid(360.0).round() as usize % 360;
        counts[degrees] += 1;
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    // An empty page, or one with as much text in this direction as in any other, is read as it is shown.
    let Some(degrees) = counts.iter().position(|count| *count == most).filter(|_| most > counts[0]) else {
        return mean_near(glyphs, 0.0);
    };
    mean_near(glyphs, degrees as f32)
}

/// The mean of the angles next to a whole degree: a scan is seldom askew by whole degrees.
fn mean_near(glyphs: &[Shown], degrees: f32) -> f32 {
    let (mut sum, mut count) = (0.0_f32, 0.0_f32);
    for shown in glyphs {
        let off = (shown.angle - degrees + 180.0).rem_euclid(360.0) - 180.0;
        if off.abs() <= 0.6 {
            sum += off;
            count += 1.0;
        }
    }
    let mean = if count > 0.0 { sum / count } else { 0.0 };
    if mean.abs() < 0.02 { degrees } else { degrees + mean }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(x: f32, y: f32, angle: f32) -> Shown {
        let letters = Letters::from_char('a');
        Shown { letters, x, y, angle, advance: 5.0, size: 10.0, weight: 0.0, heading: 0 }
    }

    #[test]
    fn a_page_turned_by_a_quarter_is_read_along_its_text() {
        let glyphs = vec![shown(590.0, 10.0, 90.0), shown(590.0, 15.0, 90.0), shown(570.0, 10.0, 90.0)];
        let drawn = Drawn { width: 600.0, height: 800.0, glyphs, ..Drawn::default() };
        let sheets = sheets(drawn);
        let [first, second, below] = &sheets[0].glyphs[..] else { panic!("three glyphs") };
        assert!((second.left - first.right).abs() < 0.01);
        assert!((first.baseline - second.baseline).abs() < 0.01);
        assert!((below.baseline - first.baseline - 20.0).abs() < 0.01);
        let back = sheets[0].turn.page_bounds(first.bounds());
        assert!((back.left - (590.0 - 2.2)).abs() < 0.01 && (back.top - 10.0).abs() < 0.01, "{back:?}");
    }

    #[test]
    fn a_watermark_at_an_angle_is_left_out() {
        let mut glyphs: Vec<Shown> =
            (0..20_u8).map(|index| shown(f32::from(index) * 5.0, 50.0, 0.0)).collect();
        glyphs.push(shown(200.0, 200.0, -45.0));
        let drawn = Drawn { width: 600.0, height: 800.0, glyphs, ..Drawn::default() };
        let sheets = sheets(drawn);
        assert_eq!((sheets.len(), sheets[0].glyphs.len()), (1, 20));
    }
}
