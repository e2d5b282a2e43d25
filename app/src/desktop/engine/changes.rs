//! Tells a screen that lists what lies in a database when somebody has written to it: a run of this
//! window, or a command in another process.

use std::time::Duration;

use frlm_client::conductor::store::Changes;

use super::{Engine, Event, Switch};
use crate::desktop::command::Command;
use crate::desktop::screens::Screen;

/// Time between two looks. A look asks SQLite for a number; the window sleeps unless it has changed.
const TICK: Duration = Duration::from_secs(1);

/// Watches what a screen lists, and nothing if it lists nothing.
pub fn watch(screen: Screen, switch: &Switch, engine: &Engine) {
    let path = match screen {
        Screen::Runs => engine.home().store(),
        Screen::Wallet => engine.home().ledger(),
        Screen::Start
        | Screen::Ask
        | Screen::Run
        | Screen::Answer
        | Screen::Providers
        | Screen::Models
        | Screen::Earn
        | Screen::Learning
        | Screen::Settings => return switch.off(),
    };
    let (off, outbox) = (switch.turn(engine), engine.outbox());
    engine.spawn(async move {
        let watching = async {
            let mut watched = None;
            loop {
                let path = path.clone();
                let look = tokio::task::spawn_blocking(move || look(&path, watched)).await;
                let Ok((after, news)) = look else { return };
                watched = after;
                if news {
                    outbox.send(Event::Do(Command::Changed(screen))).await;
                }
                tokio::time::sleep(TICK).await;
            }
        };
        tokio::select! {
            () = off.cancelled() => {}
            () = watching => {}
        }
    });
}

/// One look. A database that cannot be read now is tried again: the screen itself says what is wrong
/// with it. Blocks.
fn look(path: &std::path::Path, watched: Option<Changes>) -> (Option<Changes>, bool) {
    match watched {
        None => (Changes::of(path).ok(), false),
        Some(mut watched) => match watched.any() {
            Ok(news) => (Some(watched), news),
            Err(_) => (None, true),
        },
    }
}
