//! For tests of screens: the whole window without a display, and its pictures.

mod album;

use std::path::{Path, PathBuf};

use egui::{Theme, Ui, Vec2, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, SnapshotOptions, SnapshotResult, try_image_snapshot_options};
use image::RgbaImage;
use tokio::sync::mpsc;

use super::app::Desktop;
use super::state::State;
use super::theme;

/// The size that pictures are taken at.
pub const WINDOW: Vec2 = vec2(1280.0, 800.0);

/// Where the settings, runs and sats of the sample lie, wherever a picture names them.
pub const HOME: &str = "/home/ada/.local/share/frlm";

/// The window in a state, without an engine: commands change what is on screen and nothing else.
pub fn window(state: State, theme: Theme) -> Harness<'static, Desktop> {
    window_sized(state, theme, WINDOW, 1.0)
}

/// The same at a size and scale.
pub fn window_sized(state: State, theme: Theme, size: Vec2, scale: f32) -> Harness<'static, Desktop> {
    let mut harness = Harness::builder()
        .with_size(size)
        .with_pixels_per_point(scale)
        .with_theme(theme)
        .with_max_steps(12)
        .build_eframe(move |creation| {
            let (_sender, inbox) = mpsc::channel(1);
            Desktop::new(&creation.egui_ctx, None, inbox).showing(state)
        });
    harness.run_ok();
    harness
}

/// Some widgets by themselves. The shipped typefaces are there from the second frame on.
pub fn widgets(size: Vec2, mut content: impl FnMut(&mut Ui) + 'static) -> Harness<'static> {
    let mut has_fonts = false;
    let mut harness = Harness::builder().with_size(size).build_ui(move |ui| {
        if std::mem::replace(&mut has_fonts, true) {
            content(ui);
        } else {
            theme::install(ui.ctx());
        }
    });
    harness.run_ok();
    harness
}

/// Clicks with the pointer on what has this label, which must be in sight.
pub fn click<S>(window: &mut Harness<'_, S>, label: &str) {
    window.get_by_label(label).click();
    window.run_ok();
}

/// The same as assistive technology does it: also on what is out of sight.
pub fn press<S>(window: &mut Harness<'_, S>, label: &str) {
    window.get_by_label(label).click_accesskit();
    window.run_ok();
}

/// Draws a state in both themes, which differ in colours and in nothing else: `NAME_light` and `NAME_dark`.
pub fn pictures(name: &str, state: &State) {
    let (light, dark) = (window(state.clone(), Theme::Light), window(state.clone(), Theme::Dark));
    let (in_light, in_dark) = (layout(&light), layout(&dark));
    let other = in_light.iter().zip(&in_dark).find(|(light, dark)| light != dark);
    assert!(in_light == in_dark, "{name}: the theme changes more than colours: {other:?}");
    compare([(light, format!("{name}_light")), (dark, format!("{name}_dark"))]);
}

/// What a window of 1920 × 1200 pixels holds at twice the scale: little more than the smallest window.
const SMALL_WINDOW: Vec2 = vec2(960.0, 600.0);

/// The same state in a large window, and at twice the scale: `NAME_large` and `NAME_200`.
pub fn sizes(name: &str, state: &State) {
    compare([
        (window_sized(state.clone(), Theme::Light, vec2(1920.0, 1080.0), 1.0), format!("{name}_large")),
        (window_sized(state.clone(), Theme::Light, SMALL_WINDOW, 2.0), format!("{name}_200")),
    ]);
}

/// What stands over a screen, in the smallest window at twice the scale, once something was done: `NAME_200`.
pub fn small_picture(name: &str, state: &State, then: impl FnOnce(&mut Harness<'static, Desktop>)) {
    let mut window = window_sized(state.clone(), Theme::Light, SMALL_WINDOW, 2.0);
    then(&mut window);
    window.run_ok();
    compare([(window, format!("{name}_200"))]);
}

/// Compares those that have a picture (`album.rs`), all of them before it fails for any, so that one look shows every
/// difference.
pub fn compare<const N: usize>(windows: [(Harness<'static, Desktop>, String); N]) {
    let errors: Vec<String> = windows
        .into_iter()
        .filter(|(_, name)| album::holds(name))
        .filter_map(|(mut window, name)| {
            compare_with(Path::new(album::FOLDER), &name, &window.render().unwrap()).err()
        })
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{}\n{}", errors.join("\n"), album::HOW_TO_REDRAW);
}

/// How far a window may be from its picture: the squared YIQ distance of two pixels, and how many may be further off.
/// The pictures have 256 colours, which changes the shades of up to 2,400 pixels a little and of up to 5 more. The
/// first pair finds another digit, icon or line, the second another shade of an area of 55 × 55 pixels.
const TOLERANCES: [(f32, usize); 2] = [(120.0, 10), (2.0, 3_000)];

/// Fails where a drawn window is not as its picture in the folder.
pub fn compare_with(folder: &Path, name: &str, drawn: &RgbaImage) -> SnapshotResult {
    TOLERANCES.into_iter().try_for_each(|(threshold, pixels)| {
        let options =
            SnapshotOptions::new().output_path(folder).threshold(threshold).max_failed_pixels(pixels);
        try_image_snapshot_options(drawn, name, &options)
    })
}

/// What stands where, as AccessKit tells it.
fn layout(window: &Harness<'_, Desktop>) -> Vec<String> {
    let nodes = window.root().children_recursive();
    nodes
        .map(|node| {
            let node = node.accesskit_node();
            format!("{:?} {:?} {:?} {:?}", node.role(), node.label(), node.value(), node.bounding_box())
        })
        .collect()
}

/// Every file below a folder, for tests that hold the source to a rule.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

impl Desktop {
    /// The window with another state.
    pub fn showing(mut self, state: State) -> Self {
        *self.state_mut() = state;
        self
    }
}
