//! The window: folds what the engine reports, draws, and passes on what the user asked for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Context, Ui, ViewportCommand, gui_zoom};
use frlm_client::learning::planning::satisfaction::Behaviour;
use tokio::sync::mpsc;

use super::command::{Command, Commands, Shell, Zoom};
use super::engine::tray::{Serving, Tray};
use super::engine::{Engine, Event};
use super::notify;
use super::screens::run::Stage;
use super::screens::{Screen, answer, ask, run};
use super::shell;
use super::state::State;
use super::widgets::forget_copied;
use super::{tabs, theme};
use frlm_client::reading_time::{Front, ReadingTime};

/// How long one frame may fold events; the rest waits for the next frame.
const FOLD_LIMIT: Duration = Duration::from_millis(3);
/// The same while a recorded run is read: nothing else happens on screen.
const READ_LIMIT: Duration = Duration::from_millis(6);
/// Reports folded between two looks at the clock; one holds up to a thousand trace events.
const FOLD_STEP: usize = 4;
/// Where the open screen is remembered.
const SCREEN_KEY: &str = "screen";
/// Where the tabs of all screens are remembered.
const TABS_KEY: &str = "tabs";
/// Where it is remembered that the checklist was taken away.
const CHECKLIST_KEY: &str = "checklist";
const DISMISSED: &str = "dismissed";
/// Where it is remembered that earning goes on while the window is closed.
const BACKGROUND_KEY: &str = "background";
const ON: &str = "on";
/// What quitting would lose.
const UNSAVED: &str = "your changes to the settings are not saved and would be lost";

/// The app as eframe sees it.
pub struct Desktop {
    state: Arc<State>,
    inbox: mpsc::Receiver<Event>,
    engine: Option<Engine>,
    commands: Commands,
    /// The user has agreed to interrupt what is under way.
    leaving: bool,
    /// Whether the window had the focus in the last frame.
    focused: bool,
    /// What the tray was told last.
    served: Serving,
    /// How long the answer in front has been there.
    reading: ReadingTime,
    /// When the app began, in Unix milliseconds.
    began_ms: u64,
}

impl Desktop {
    /// An app over an engine and its reports.
    pub fn new(ctx: &Context, engine: Option<Engine>, inbox: mpsc::Receiver<Event>) -> Self {
        theme::install(ctx);
        Self {
            state: Arc::new(State::default()),
            inbox,
            engine,
            commands: Commands::default(),
            leaving: false,
            focused: true,
            served: Serving::default(),
            reading: ReadingTime::default(),
            began_ms: frlm_client::util::clock::unix_millis(),
        }
    }

    /// Opens the screen that was open last, and the tabs of all of them with their tables' orders.
    pub fn remembering(mut self, storage: Option<&dyn eframe::Storage>) -> Self {
        let name = storage.and_then(|storage| storage.get_string(SCREEN_KEY));
        let screen = Screen::ALL.iter().find(|screen| Some(screen.title()) == name.as_deref());
        let state = Arc::make_mut(&mut self.state);
        let dismissed = storage.and_then(|storage| storage.get_string(CHECKLIST_KEY));
        state.checklist_dismissed = dismissed.as_deref() == Some(DISMISSED);
        let left = storage.and_then(|storage| storage.get_string(TABS_KEY)).unwrap_or_default();
        // What a tab shows is looked up when its screen opens.
        for command in &tabs::opening(&left) {
            state.perform(command);
        }
        let background = storage.and_then(|storage| storage.get_string(BACKGROUND_KEY));
        let background = (background.as_deref() == Some(ON)).then_some(Command::Background(true));
        for command in screen.map(|screen| Command::Go(*screen)).into_iter().chain(background) {
            Arc::make_mut(&mut self.state).perform(&command);
            if let Some(engine) = &self.engine {
                engine.perform(&command, &self.state);
            }
        }
        self
    }

    #[cfg(any(test, feature = "frames"))]
    /// What is on screen.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// What takes time, for tests that reach into it.
    #[cfg(test)]
    pub fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the window has an engine until it is shut down")
    }

    /// What is on screen, for tests that begin elsewhere.
    #[cfg(test)]
    pub fn state_mut(&mut self) -> &mut State {
        Arc::make_mut(&mut self.state)
    }

    /// Folds reports until none are left or the time is up; `true` if some are left.
    pub fn fold(&mut self, ctx: &Context) -> bool {
        let began = Instant::now();
        let limit = if self.state.run.stage == Stage::Reading { READ_LIMIT } else { FOLD_LIMIT };
        loop {
            for _ in 0..FOLD_STEP {
                match self.inbox.try_recv() {
                    Ok(Event::Do(command)) => self.perform(ctx, &command),
                    Ok(event) if !self.focused => {
                        self.tell(&event);
                        Arc::make_mut(&mut self.state).apply(event);
                    }
                    // Nobody else holds the snapshot between frames, so this copies nothing.
                    Ok(event) => Arc::make_mut(&mut self.state).apply(event),
                    Err(_) => return false,
                }
            }
            if began.elapsed() > limit {
                return true;
            }
        }
    }

    /// Tells the system about an event that the user cannot see now.
    fn tell(&self, event: &Event) {
        if let (Some(engine), Some((what, body))) = (&self.engine, notify::words(event, &self.state)) {
            engine.spawn_blocking(move || notify::show(&what, &body));
        }
    }

    /// Draws one frame and does what the user asked for in it.
    pub fn draw(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        for command in shell::pressed(&ctx, &self.state) {
            self.perform(&ctx, &command);
        }
        for command in shell::dropped(&ctx, self.state.ask.wants_paste) {
            self.perform(&ctx, &command);
        }
        shell::shell_ui(ui, &self.state, &mut self.commands);
        for command in self.commands.take() {
            self.perform(&ctx, &command);
        }
    }

    /// Does what the user asked for.
    pub fn perform(&mut self, ctx: &Context, command: &Command) {
        if !command.is_available(&self.state) {
            return;
        }
        if let Some(seen) = answer::work::looked_behind(command, &self.state) {
            self.reading.acted(Instant::now());
            self.note(Some(seen));
        }
        match command {
            Command::Go(_) => forget_copied(ctx),
            Command::Shell(action) => self.perform_shell(ctx, action),
            Command::Run(run::Action::AskBudget(true)) => {
                ctx.memory_mut(|memory| memory.request_focus(run::budget_field_id()));
            }
            Command::Answer(_) => self.reading.acted(Instant::now()),
            Command::Ask(ask::Action::WantPaste) => ctx.send_viewport_cmd(ViewportCommand::RequestPaste),
            Command::StartLocalSwarm(_)
            | Command::StopLocalSwarm
            | Command::Ask(_)
            | Command::Run(_)
            | Command::Refresh
            | Command::Changed(_)
            | Command::Runs(_)
            | Command::Providers(_)
            | Command::Models(_)
            | Command::Earn(_)
            | Command::Wallet(_)
            | Command::Learning(_)
            | Command::Known(_)
            | Command::Settings(_)
            | Command::Background(_) => {}
        }
        Arc::make_mut(&mut self.state).perform(command);
        if let Some(engine) = &self.engine {
            engine.perform(command, &self.state);
        }
        ctx.request_repaint();
    }

    /// The part of it that only the system can do.
    fn perform_shell(&mut self, ctx: &Context, action: &Shell) {
        match action {
            Shell::Theme(theme) => ctx.set_theme(*theme),
            Shell::Zoom(Zoom::Bigger) => gui_zoom::zoom_in(ctx),
            Shell::Zoom(Zoom::Smaller) => gui_zoom::zoom_out(ctx),
            Shell::Zoom(Zoom::Usual) => ctx.set_zoom_factor(1.0),
            Shell::Zoom(Zoom::To(percent)) => ctx.set_zoom_factor(f32::from(*percent) / 100.0),
            Shell::TogglePalette => ctx.memory_mut(|memory| memory.request_focus(shell::field_id())),
            Shell::Show => show(ctx),
            Shell::Quit => self.leave(ctx),
            Shell::QuitFromTray => {
                show(ctx);
                self.leave(ctx);
            }
            Shell::QuitNow => {
                self.leaving = true;
                ctx.send_viewport_cmd(ViewportCommand::Close);
            }
            Shell::PaletteQuery(_)
            | Shell::PaletteMove(_)
            | Shell::DismissNotice(_)
            | Shell::DismissNotices
            | Shell::DismissChecklist
            | Shell::ShowChecklist
            | Shell::Stay => {}
        }
    }

    /// Looks whether an answer is in front, and notes how long one was that is not any more.
    fn watch_reading(&mut self, ctx: &Context) {
        let answer = self.state.answered().filter(|_| self.state.screen == Screen::Answer);
        let is_new = self.state.run.view.start.started_at_ms >= self.began_ms;
        let front = answer.map(|answer| Front { run: &answer.run_id, is_new });
        let touched = ctx.input(|input| !input.events.is_empty());
        let left = self.reading.look(front, self.focused, touched, Instant::now());
        self.note(left);
    }

    fn note(&self, left: Option<(String, Behaviour)>) {
        if let (Some((run, seen)), Some(engine)) = (left, &self.engine) {
            answer::work::note(run, seen, engine);
        }
    }

    /// Closes the window, unless something is under way: then the user is asked.
    fn leave(&mut self, ctx: &Context) {
        let mut under_way = self.engine.as_ref().map(Engine::under_way).unwrap_or_default();
        if self.state.settings.is_changed() {
            under_way.push(UNSAVED.to_owned());
        }
        if under_way.is_empty() {
            self.leaving = true;
            ctx.send_viewport_cmd(ViewportCommand::Close);
        } else {
            Arc::make_mut(&mut self.state).leaving = under_way;
        }
    }

    /// The tray tells how this machine serves, whether there is a window or not.
    fn tell_tray(&mut self) {
        let serving = Serving::of(&self.state.earn);
        if let Some(engine) = self.engine.as_ref().filter(|_| serving != self.served) {
            engine.show_serving(serving);
            self.served = serving;
        }
    }

    /// The window's own close button asks as well; while earning goes on in the background, it only
    /// takes the window away.
    fn watch_closing(&mut self, ctx: &Context) {
        if !ctx.input(|input| input.viewport().close_requested()) || self.leaving {
            return;
        }
        let serving = self.engine.as_ref().is_some_and(Engine::is_serving);
        if goes_on_alone(&self.state, serving) {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.hide(ctx);
            return;
        }
        self.leave(ctx);
        if !self.leaving {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
        }
    }

    fn hide(&self, ctx: &Context) {
        // A Wayland compositor takes no window away; it puts it aside.
        ctx.send_viewport_cmd(ViewportCommand::Minimized(true));
        ctx.send_viewport_cmd(ViewportCommand::Visible(false));
        if let Some(engine) = &self.engine {
            let body = "The tray's icon brings the window back and quits.";
            engine.spawn_blocking(|| notify::show("FRLM keeps earning", body));
        }
    }

    /// Tells the engine to end, and waits for it within limits.
    pub fn shut_down(&mut self) {
        let left = self.reading.leave(Instant::now());
        self.note(left);
        if let Some(engine) = self.engine.take() {
            // A task that reports must not wait for a window that is gone.
            self.inbox.close();
            engine.shut_down();
        }
    }
}

/// Brings the window back.
fn show(ctx: &Context) {
    ctx.send_viewport_cmd(ViewportCommand::Visible(true));
    ctx.send_viewport_cmd(ViewportCommand::Minimized(false));
    ctx.send_viewport_cmd(ViewportCommand::Focus);
}

/// Whether closing the window leaves the app running: it earns, the user wants it to go on, and there
/// is an icon that brings the window back.
fn goes_on_alone(state: &State, serving: bool) -> bool {
    state.background && serving && state.tray == Tray::There
}

impl eframe::App for Desktop {
    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        self.focused = ctx.input(|input| input.focused);
        if self.fold(ctx) {
            ctx.request_repaint();
        }
        self.watch_reading(ctx);
        self.tell_tray();
        self.watch_closing(ctx);
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.draw(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        storage.set_string(SCREEN_KEY, self.state.screen.title().to_owned());
        storage.set_string(TABS_KEY, tabs::written(&self.state));
        let checklist = if self.state.checklist_dismissed { DISMISSED } else { "" };
        storage.set_string(CHECKLIST_KEY, checklist.to_owned());
        storage.set_string(BACKGROUND_KEY, if self.state.background { ON } else { "" }.to_owned());
    }

    fn on_exit(&mut self) {
        self.shut_down();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use eframe::{App as _, Storage};

    use super::*;
    use crate::desktop::screens::{runs, wallet};
    use crate::desktop::widgets::Order;

    /// What eframe keeps in a file.
    #[derive(Default)]
    struct Kept(HashMap<String, String>);

    impl Storage for Kept {
        fn get_string(&self, key: &str) -> Option<String> {
            self.0.get(key).cloned()
        }

        fn set_string(&mut self, key: &str, value: String) {
            self.0.insert(key.to_owned(), value);
        }

        fn remove_string(&mut self, key: &str) {
            self.0.remove(key);
        }

        fn flush(&mut self) {}
    }

    /// A window without an engine, that begins with what is kept.
    fn window(kept: &Kept) -> Desktop {
        let (_, inbox) = mpsc::channel(1);
        Desktop::new(&Context::default(), None, inbox).remembering(Some(kept))
    }

    #[test]
    fn the_next_start_begins_where_this_one_ended() {
        let mut kept = Kept::default();
        let mut first = window(&kept);
        assert_eq!(first.state().screen, Screen::Start);
        let commands = [
            Command::Go(Screen::Wallet),
            Command::Wallet(wallet::Action::Tab(wallet::Tab::Payments)),
            Command::Run(run::Action::Beside(run::Side::Events)),
            Command::Runs(runs::Action::Sort(Some(Order::falling(4)))),
        ];
        for command in &commands {
            first.state_mut().perform(command);
        }
        first.save(&mut kept);
        let next = window(&kept);
        let state = next.state();
        assert_eq!((state.screen, state.wallet.tab), (Screen::Wallet, wallet::Tab::Payments));
        assert_eq!(state.run.side, run::Side::Events);
        assert_eq!(state.runs.sorted.chosen(), Some(Order::falling(4)));
    }

    #[test]
    fn the_window_closes_to_the_tray_only_while_it_earns_and_comes_back() {
        let state = |background, tray| State { background, tray, ..State::default() };
        assert!(goes_on_alone(&state(true, Tray::There), true));
        assert!(!goes_on_alone(&state(true, Tray::There), false), "nothing would go on");
        assert!(!goes_on_alone(&state(false, Tray::There), true), "the user does not want it");
        let missing = Tray::Missing("no tray".to_owned());
        assert!(!goes_on_alone(&state(true, missing), true), "nothing would bring it back");
    }
}
