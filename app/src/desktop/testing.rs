//! For tests of screens: the whole window without a display, and its pictures.

use egui::{Theme, Vec2, vec2};
use egui_kittest::{Harness, SnapshotOptions};
use tokio::sync::mpsc;

use super::app::Desktop;
use super::state::State;

/// The size that pictures are taken at.
pub const WINDOW: Vec2 = vec2(1280.0, 800.0);

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

/// One picture per theme: `NAME_light.png` and `NAME_dark.png` in app/tests/snapshots/desktop.
pub fn pictures(name: &str, state: &State) {
    for (theme, suffix) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let mut harness = window(state.clone(), theme);
        harness.snapshot(format!("{name}_{suffix}"));
    }
}

impl Desktop {
    /// The window with another state.
    pub fn showing(mut self, state: State) -> Self {
        *self.state_mut() = state;
        self
    }
}
