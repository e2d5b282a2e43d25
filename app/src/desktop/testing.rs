//! For tests of screens: the whole window without a display, and its pictures.

use egui::{Theme, Ui, Vec2, vec2};
use egui_kittest::{Harness, SnapshotOptions};
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
        .with_options(SnapshotOptions::new().output_path("tests/snapshots/desktop").max_failed_pixels(40))
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

/// One picture per theme: `NAME_light.png` and `NAME_dark.png` in app/tests/snapshots/desktop.
pub fn pictures(name: &str, state: &State) {
    compare([
        (window(state.clone(), Theme::Light), format!("{name}_light")),
        (window(state.clone(), Theme::Dark), format!("{name}_dark")),
    ]);
}

/// What a window of 1920 × 1200 pixels holds at twice the scale: little more than the smallest window.
const SMALL_WINDOW: Vec2 = vec2(960.0, 600.0);

/// The same state in a large window, and at twice the scale: `NAME_large.png` and `NAME_200.png`.
pub fn sizes(name: &str, state: &State) {
    compare([
        (window_sized(state.clone(), Theme::Light, vec2(1920.0, 1080.0), 1.0), format!("{name}_large")),
        (window_sized(state.clone(), Theme::Light, SMALL_WINDOW, 2.0), format!("{name}_200")),
    ]);
}

/// What stands over a screen, in the smallest window at twice the scale, once something was done: `NAME_200.png`.
pub fn small_picture(name: &str, state: &State, then: impl FnOnce(&mut Harness<'static, Desktop>)) {
    let mut window = window_sized(state.clone(), Theme::Light, SMALL_WINDOW, 2.0);
    then(&mut window);
    window.run_ok();
    compare([(window, format!("{name}_200"))]);
}

/// Compares all of them before it fails for any, so that one look shows every difference.
pub fn compare<const N: usize>(windows: [(Harness<'static, Desktop>, String); N]) {
    let errors: Vec<String> = windows
        .into_iter()
        .filter_map(|(mut window, name)| window.try_snapshot(name).err())
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

impl Desktop {
    /// The window with another state.
    pub fn showing(mut self, state: State) -> Self {
        *self.state_mut() = state;
        self
    }
}
