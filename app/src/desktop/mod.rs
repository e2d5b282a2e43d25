//! The desktop app.
//!
//! ```text
//!   engine (tokio) ── Event ──► State::apply ──► State (Arc) ──► view functions
//!        ▲                                          ▲                 │
//!        └────────── Engine::perform ◄── Command ───┴─ State::perform ◄┘
//! ```
//!
//! Layout, in reading order:
//! - [`command`]: everything that can be done, as one enum
//! - [`state`]: what is known; pure
//! - [`engine`]: everything that takes time; knows nothing of egui
//! - [`app`]: the window around them
//! - `tabs`, `orders`: what of it is remembered between starts
//! - `notify`: what the system tells while the window is behind others
//! - `reading`: how long an answer was in front of its reader
//! - [`theme`]: colours, sizes, typefaces
//! - [`widgets`]: what screens are made of
//! - [`shell`]: navigation, palette, notices, keys
//! - [`screens`]: one folder each
//!
//! README.md in this folder says how a screen is added.

// The compiler names each place that must know of a new command, event or state.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod app;
pub mod command;
pub mod engine;
#[cfg(feature = "frames")]
pub mod frames;
#[cfg(test)]
mod live;
mod notify;
mod orders;
pub mod screens;
pub mod shell;
pub mod state;
mod tabs;
#[cfg(test)]
mod testing;
pub mod theme;
pub mod widgets;

use std::path::PathBuf;

use app::Desktop;
use egui::{ViewportBuilder, vec2};
use engine::Engine;
use tokio::runtime::Handle;

use crate::display;
use frlm_client::failure::Failure;
use frlm_client::home::Home;

const NAME: &str = "FRLM";

/// Opens the window and returns when it is closed and everything that was under way has ended.
pub fn open(home: Home, runtime: &Handle) -> anyhow::Result<()> {
    if !display::is_there() {
        return Err(no_display("neither DISPLAY nor WAYLAND_DISPLAY is set").into());
    }
    let options = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title(NAME)
            .with_app_id("frlm")
            .with_inner_size(vec2(1280.0, 800.0))
            .with_min_inner_size(vec2(900.0, 600.0)),
        persistence_path: Some(layout_file(&home)),
        ..eframe::NativeOptions::default()
    };
    let handle = runtime.clone();
    eframe::run_native(
        NAME,
        options,
        Box::new(move |creation| {
            let ctx = creation.egui_ctx.clone();
            let wake = ctx.clone();
            let (engine, inbox) = Engine::new(home, handle, move || wake.request_repaint());
            Ok(Box::new(Desktop::new(&ctx, Some(engine), inbox).remembering(creation.storage)))
        }),
    )
    .map_err(|error| no_display(&error.to_string()).into())
}

/// Where window position, zoom, theme and the open screen are remembered.
fn layout_file(home: &Home) -> PathBuf {
    home.root().join("desktop.ron")
}

fn no_display(why: &str) -> Failure {
    Failure::usage(format!(
        "cannot open a window here ({why}). Everything works without one: frlm --help lists the commands, \
         frlm demo shows the whole thing"
    ))
}
