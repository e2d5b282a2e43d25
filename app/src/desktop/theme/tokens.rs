//! Every colour, distance and size of the app. No other file constructs a colour (clippy.toml), and none names one that
//! egui brings along: clippy knows no constants, so a test looks for those.
//!
//! Text on its ground always has a contrast of at least 4.5 : 1 (WCAG 2.2, 1.4.3); a test
//! computes it for both themes. What marks a control has 3 : 1 (1.4.11), and so has the text of one
//! that cannot be used now, which is not as strong as any that counts.

#![expect(clippy::disallowed_methods, reason = "this is the one file that may make colours")]

use egui::Color32;

/// Colours of one theme, named by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Behind everything.
    pub canvas: Color32,
    /// The side navigation.
    pub rail: Color32,
    /// Cards and panels.
    pub surface: Color32,
    /// Menus, dialogues, what the pointer is over.
    pub raised: Color32,
    /// Wells, tracks of meters.
    pub sunken: Color32,
    /// Text fields.
    pub field: Color32,
    /// Hairlines.
    pub line: Color32,
    /// Hairlines that hold something together.
    pub line_strong: Color32,
    /// Outlines of what can be pressed, set or typed into; the grey of meters and of the minimap.
    pub outline: Color32,
    /// Body text.
    pub text: Color32,
    /// Labels and explanations.
    pub text_soft: Color32,
    /// On what cannot be used now.
    pub text_off: Color32,
    /// Focus, the chosen thing, the one important button.
    pub accent: Color32,
    /// A wash of the accent, behind the chosen thing.
    pub accent_soft: Color32,
    /// Text on the accent.
    pub on_accent: Color32,
    /// Verified, settled, earned.
    pub good: Color32,
    /// A wash of it.
    pub good_soft: Color32,
    /// Disputed, waiting, partial.
    pub warn: Color32,
    /// A wash of it.
    pub warn_soft: Color32,
    /// Failed, refused, over the budget.
    pub bad: Color32,
    /// A wash of it.
    pub bad_soft: Color32,
    /// At work, on its way.
    pub busy: Color32,
    /// A wash of it.
    pub busy_soft: Color32,
    /// Behind dialogues.
    pub veil: Color32,
    /// Under what floats.
    pub shadow: Color32,
}

/// Warm near-white paper.
pub const LIGHT: Tokens = Tokens {
    canvas: rgb(0xF7_F6F3),
    rail: rgb(0xEF_EDE8),
    surface: rgb(0xFF_FFFF),
    raised: rgb(0xFF_FFFF),
    sunken: rgb(0xEE_ECE6),
    field: rgb(0xFF_FFFF),
    line: rgb(0xE2_DFD7),
    line_strong: rgb(0xC4_C0B5),
    outline: rgb(0x8A_867B),
    text: rgb(0x1F_1E1B),
    text_soft: rgb(0x5C_5952),
    text_off: rgb(0x8A_867B),
    accent: rgb(0x2B_5BB8),
    accent_soft: rgb(0xE1_E9F8),
    on_accent: rgb(0xFF_FFFF),
    good: rgb(0x1D_7044),
    good_soft: rgb(0xDD_F0E4),
    warn: rgb(0x8A_5A00),
    warn_soft: rgb(0xFA_EED1),
    bad: rgb(0xB0_2E2B),
    bad_soft: rgb(0xFA_E3E1),
    busy: rgb(0x5B_4BB0),
    busy_soft: rgb(0xE9_E6F8),
    veil: Color32::from_rgba_premultiplied(12, 11, 9, 96),
    shadow: Color32::from_rgba_premultiplied(0, 0, 0, 36),
};

/// Deep slate, never pure black.
pub const DARK: Tokens = Tokens {
    canvas: rgb(0x14_161B),
    rail: rgb(0x10_1216),
    surface: rgb(0x1B_1E25),
    raised: rgb(0x24_2830),
    sunken: rgb(0x0A_0B0E),
    field: rgb(0x11_1318),
    line: rgb(0x2B_2F38),
    line_strong: rgb(0x48_4E5B),
    outline: rgb(0x6C_7381),
    text: rgb(0xEC_EBE7),
    text_soft: rgb(0xA9_ADB6),
    text_off: rgb(0x6C_7381),
    accent: rgb(0x7F_AAF5),
    accent_soft: rgb(0x22_3047),
    on_accent: rgb(0x0E_1626),
    good: rgb(0x6C_CF97),
    good_soft: rgb(0x18_3326),
    warn: rgb(0xE8_BB62),
    warn_soft: rgb(0x39_2E17),
    bad: rgb(0xF2_8B82),
    bad_soft: rgb(0x3F_2122),
    busy: rgb(0xB1_A3F2),
    busy_soft: rgb(0x2B_2745),
    veil: Color32::from_rgba_premultiplied(4, 5, 7, 150),
    shadow: Color32::from_rgba_premultiplied(0, 0, 0, 120),
};

/// What QR codes stand on, in both themes: cameras want dark on light.
pub const PAPER: Color32 = rgb(0xFF_FFFF);
/// Their modules.
pub const PRINT: Color32 = rgb(0x00_0000);

/// Over words on a page that are quoted, in both themes: a page is white in both.
pub const MARKER: Color32 = Color32::from_rgba_premultiplied(110, 90, 0, 110);

/// The icon in the desktop's tray, as its protocol wants it: alpha, red, green, blue.
#[cfg(target_os = "linux")]
pub const TRAY: [u8; 4] = {
    let [red, green, blue, alpha] = DARK.accent.to_array();
    [alpha, red, green, blue]
};

/// How much of the colour of text the handle of a scroll bar has that is not in use.
pub const HANDLE: f32 = 0.5;

/// Nothing is painted.
pub const CLEAR: Color32 = Color32::from_rgba_premultiplied(0, 0, 0, 0);

/// Distances, in points.
pub mod space {
    /// Between an icon and its word.
    pub const XS: f32 = 4.0;
    /// Between things that belong together.
    pub const S: f32 = 8.0;
    /// Inside controls and between rows.
    pub const M: f32 = 12.0;
    /// Inside cards and between them.
    pub const L: f32 = 16.0;
    /// Above a title, and between columns of figures.
    pub const XL: f32 = 24.0;
    /// Around a screen.
    pub const XXL: f32 = 32.0;
}

/// Heights, widths and roundings, in points.
pub mod size {
    /// Buttons and text fields.
    pub const CONTROL: f32 = 34.0;
    /// Rows of tables and lists.
    pub const ROW: f32 = 30.0;
    /// The side navigation.
    pub const RAIL: f32 = 204.0;
    /// The widest that a form or a table of few columns gets.
    pub const CONTENT: f32 = 1080.0;
    /// Corners of cards.
    pub const ROUND: u8 = 10;
    /// Corners of controls.
    pub const ROUND_CONTROL: u8 = 7;
}

/// Text sizes, in points.
pub mod text {
    /// The one line that a screen is about.
    pub const TITLE: f32 = 24.0;
    /// Headings of cards.
    pub const HEADING: f32 = 16.0;
    /// Everything else.
    pub const BODY: f32 = 14.0;
    /// Labels, columns, explanations.
    pub const SMALL: f32 = 12.5;
    /// Code and amounts in columns.
    pub const MONO: f32 = 13.0;
    /// Icons beside body text.
    pub const ICON: f32 = 16.0;
}

const fn rgb(hex: u32) -> Color32 {
    let [_, red, green, blue] = hex.to_be_bytes();
    Color32::from_rgb(red, green, blue)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::desktop::testing::sources;

    #[test]
    fn no_other_file_of_the_window_names_a_colour_that_is_no_token() {
        let window = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/desktop");
        let own = window.join("theme/tokens.rs");
        let files = sources(&window);
        assert!(files.contains(&own) && files.len() > 100, "{}", files.len());
        for file in files.iter().filter(|file| **file != own) {
            let text = std::fs::read_to_string(file).unwrap();
            for made in ["Color32::", "Rgba::", "Hsva", "hex_color!"] {
                assert!(!text.contains(made), "{}: {made}", file.display());
            }
        }
    }

    /// Relative luminance (WCAG 2.2).
    fn luminance(colour: Color32) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour.r()) + 0.7152 * linear(colour.g()) + 0.0722 * linear(colour.b())
    }

    fn contrast(one: Color32, other: Color32) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn grounds(theme: &Tokens) -> [(&'static str, Color32); 6] {
        [
            ("canvas", theme.canvas),
            ("rail", theme.rail),
            ("surface", theme.surface),
            ("raised", theme.raised),
            ("sunken", theme.sunken),
            ("field", theme.field),
        ]
    }

    #[test]
    fn controls_are_seen_and_what_cannot_be_used_is_weaker_than_any_text() {
        for (name, theme) in [("light", LIGHT), ("dark", DARK)] {
            for (ground_name, ground) in grounds(&theme) {
                for (what, colour) in [("outline", theme.outline), ("text_off", theme.text_off)] {
                    let ratio = contrast(colour, ground);
                    assert!(ratio >= 3.0, "{name}: {what} on {ground_name} has {ratio:.2} : 1");
                }
                let (off, soft) = (contrast(theme.text_off, ground), contrast(theme.text_soft, ground));
                assert!(off * 1.5 < soft, "{name}: on {ground_name}, {off:.2} : 1 against {soft:.2} : 1");
            }
        }
    }

    #[test]
    fn a_scroll_bar_is_seen_on_every_ground() {
        for (name, theme) in [("light", LIGHT), ("dark", DARK)] {
            for (ground_name, ground) in grounds(&theme) {
                let ratio = contrast(ground.lerp_to_gamma(theme.text, HANDLE), ground);
                assert!(ratio >= 3.0, "{name}: the handle on {ground_name} has {ratio:.2} : 1");
            }
        }
    }

    #[test]
    fn what_marks_a_lane_in_the_strip_is_set_off_from_every_cell() {
        for (name, theme) in [("light", LIGHT), ("dark", DARK)] {
            let cells = [theme.outline, theme.text_soft, theme.busy, theme.accent, theme.good, theme.bad];
            for other in cells.into_iter().chain([theme.text]) {
                let ratio = contrast(theme.canvas, other);
                assert!(ratio >= 3.0, "{name}: {other:?} has {ratio:.2} : 1");
            }
        }
    }

    #[test]
    fn all_text_can_be_read_on_every_ground() {
        for (name, theme) in [("light", LIGHT), ("dark", DARK)] {
            for (ground_name, ground) in grounds(&theme) {
                for (text_name, text) in [
                    ("text", theme.text),
                    ("text_soft", theme.text_soft),
                    ("accent", theme.accent),
                    ("good", theme.good),
                    ("warn", theme.warn),
                    ("bad", theme.bad),
                    ("busy", theme.busy),
                ] {
                    let ratio = contrast(text, ground);
                    assert!(ratio >= 4.5, "{name}: {text_name} on {ground_name} has {ratio:.2} : 1");
                }
            }
            for (text, wash) in [
                (theme.accent, theme.accent_soft),
                (theme.good, theme.good_soft),
                (theme.warn, theme.warn_soft),
                (theme.bad, theme.bad_soft),
                (theme.busy, theme.busy_soft),
                (theme.on_accent, theme.accent),
                (theme.text, theme.accent_soft),
                (theme.text_soft, theme.accent_soft),
                (theme.text_soft, theme.warn_soft),
                (theme.text_soft, theme.bad_soft),
                (theme.text_soft, theme.busy_soft),
                (theme.text_soft, theme.line),
            ] {
                let ratio = contrast(text, wash);
                assert!(ratio >= 4.5, "{name}: {text:?} on {wash:?} has {ratio:.2} : 1");
            }
        }
    }
}
