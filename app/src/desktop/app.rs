//! The window: folds what the engine reports, draws, and passes on what the user asked for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Context, Ui, ViewportCommand};
use tokio::sync::mpsc;

use super::command::{Command, Commands};
use super::engine::{Engine, Event};
use super::screens::Screen;
use super::shell;
use super::state::State;
use super::theme;

/// How long one frame may fold events; the rest waits for the next frame.
const FOLD_LIMIT: Duration = Duration::from_millis(3);
/// Events folded between two looks at the clock.
const FOLD_STEP: usize = 64;
/// Where the open screen is remembered.
const SCREEN_KEY: &str = "screen";

/// The app as eframe sees it.
pub struct Desktop {
    state: Arc<State>,
    inbox: mpsc::Receiver<Event>,
    engine: Option<Engine>,
    commands: Commands,
}

impl Desktop {
    /// An app over an engine and its reports.
    pub fn new(ctx: &Context, engine: Option<Engine>, inbox: mpsc::Receiver<Event>) -> Self {
        theme::install(ctx);
        Self { state: Arc::new(State::default()), inbox, engine, commands: Commands::default() }
    }

    /// Opens the screen that was open last.
    pub fn remembering(mut self, storage: Option<&dyn eframe::Storage>) -> Self {
        let name = storage.and_then(|storage| storage.get_string(SCREEN_KEY));
        let screen = Screen::ALL.iter().find(|screen| Some(screen.title()) == name.as_deref());
        if let Some(screen) = screen {
            Arc::make_mut(&mut self.state).screen = *screen;
        }
        self
    }

    /// What is on screen.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// What is on screen, for tests that begin elsewhere.
    #[cfg(test)]
    pub fn state_mut(&mut self) -> &mut State {
        Arc::make_mut(&mut self.state)
    }

    /// Folds reports until none are left or the time is up; `true` if some are left.
    fn fold(&mut self, ctx: &Context) -> bool {
        let began = Instant::now();
        loop {
            for _ in 0..FOLD_STEP {
                match self.inbox.try_recv() {
                    Ok(Event::Do(command)) => self.perform(ctx, &command),
                    // Nobody else holds the snapshot between frames, so this copies nothing.
                    Ok(event) => Arc::make_mut(&mut self.state).apply(event),
                    Err(_) => return false,
                }
            }
            if began.elapsed() > FOLD_LIMIT {
                return true;
            }
        }
    }

    /// Does what the user asked for.
    pub fn perform(&mut self, ctx: &Context, command: &Command) {
        if !command.is_available(&self.state) {
            return;
        }
        match command {
            Command::Theme(theme) => ctx.set_theme(*theme),
            Command::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            _ => {}
        }
        Arc::make_mut(&mut self.state).perform(command);
        if let Some(engine) = &self.engine {
            engine.perform(command, &self.state);
        }
        ctx.request_repaint();
    }

    /// Tells the engine to end, and waits for it within limits.
    pub fn shut_down(&mut self) {
        if let Some(engine) = self.engine.take() {
            // Whoever waits to report must not wait for a window that is gone.
            self.inbox.close();
            engine.shut_down();
        }
    }
}

impl eframe::App for Desktop {
    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        if self.fold(ctx) {
            ctx.request_repaint();
        }
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        for command in shell::pressed(&ctx, &self.state) {
            self.perform(&ctx, &command);
        }
        for command in shell::dropped(&ctx) {
            self.perform(&ctx, &command);
        }
        shell::shell_ui(ui, &self.state, &mut self.commands);
        for command in self.commands.take() {
            self.perform(&ctx, &command);
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        storage.set_string(SCREEN_KEY, self.state.screen.title().to_owned());
    }

    fn on_exit(&mut self) {
        self.shut_down();
    }
}
