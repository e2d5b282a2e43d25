//! The shipped typefaces (assets/fonts) and the icon set, as egui font families.

use std::sync::Arc;

use egui::{FontData, FontDefinitions, FontFamily, FontId};
use lucide_icons::LUCIDE_FONT_BYTES;

const MEDIUM: &str = "inter-medium";
const STRONG: &str = "inter-semibold";
const ICONS: &str = "lucide";

/// All fonts: ours first, egui's own behind them for the characters that ours lack.
pub fn definitions() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let ours: [(&str, &'static [u8]); 5] = [
        ("inter", include_bytes!("../../../../assets/fonts/inter/Inter-Regular.otf")),
        (MEDIUM, include_bytes!("../../../../assets/fonts/inter/Inter-Medium.otf")),
        (STRONG, include_bytes!("../../../../assets/fonts/inter/Inter-SemiBold.otf")),
        ("mono", include_bytes!("../../../../assets/fonts/jetbrains-mono/JetBrainsMono-Regular.ttf")),
        (ICONS, LUCIDE_FONT_BYTES),
    ];
    for (name, bytes) in ours {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    let fallback = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    for (family, name) in [
        (FontFamily::Proportional, "inter"),
        (FontFamily::Name(MEDIUM.into()), MEDIUM),
        (FontFamily::Name(STRONG.into()), STRONG),
        (FontFamily::Name(ICONS.into()), ICONS),
        (FontFamily::Monospace, "mono"),
    ] {
        let names = std::iter::once(name.to_owned()).chain(fallback.clone()).collect();
        fonts.families.insert(family, names);
    }
    fonts
}

/// Body weight.
pub fn body(size: f32) -> FontId {
    FontId::proportional(size)
}

/// For buttons, column heads and names.
pub fn medium(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(MEDIUM.into()))
}

/// For titles and figures.
pub fn strong(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(STRONG.into()))
}

/// For quotes, ids and amounts in columns.
pub fn mono(size: f32) -> FontId {
    FontId::monospace(size)
}

/// For icons painted by hand.
pub fn icons(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(ICONS.into()))
}
