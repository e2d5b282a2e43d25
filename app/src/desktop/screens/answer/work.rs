//! Reads the lines around citations, saves answers, keeps ratings.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use frlm_client::answer_markdown::markdown;
use frlm_client::conductor::store::Store;
use frlm_client::learning::planning::satisfaction::Behaviour;
use frlm_client::protocol::shown_path;
use frlm_client::questions::answer::Answer;

use super::page::Page;
use super::state::{Action, AnswerScreen, Context, Event, Format};
use super::{table, words};
use crate::desktop::command::Command;
use crate::desktop::engine::runs;
use crate::desktop::engine::{Engine, Event as AppEvent, blocking};
use crate::desktop::screens::run::Run;
use crate::desktop::screens::{Screen, ask};
use crate::desktop::state::State;
use crate::desktop::widgets::Tone;
use frlm_client::home::Home;
use frlm_client::known;
use frlm_client::ratings::{self, Rating};
use frlm_client::run::{RunRequest, cited_page, lines_around};

/// Does what takes time. `state` is what is on screen after the action.
pub fn perform(action: &Action, state: &State, engine: &Engine, last: &table::work::LastTable) {
    let Some(answer) = state.answered().cloned() else { return };
    if let Some(seen) = seen(action) {
        note(answer.run_id.clone(), seen, engine);
    }
    match action {
        Action::Cite(position) => cite(*position, &answer, engine),
        Action::Export(format) => save(*format, &state.run, answer, engine),
        Action::FollowUp => follow_up(answer.run_id, engine),
        Action::Rate => rate(answer.run_id, state.answer.clone(), engine),
        Action::Keep => keep(answer.run_id, engine),
        Action::Forget => forget(answer.run_id, &state.run, engine),
        Action::Table(action) => table::work::perform(action, answer, &state.answer.table, engine, last),
        Action::Copied | Action::AskForget(_) | Action::Stars(_) | Action::Thumbs(_) | Action::Comment(_) => {
        }
    }
}

/// Has the brain hear what was seen of the user and an answer.
pub fn note(run: String, seen: Behaviour, engine: &Engine) {
    let home = engine.home().clone();
    engine.spawn(observed(run, seen, home));
}

async fn observed(run: String, seen: Behaviour, home: Home) {
    let noted = tokio::task::spawn_blocking(move || ratings::observe(&run, &seen, &home));
    // It says itself what it could not note.
    let _ = noted.await;
}

/// What an action says of how content the user is (seeds/super-llm-block.md, `calculate_implicit_satisfaction`): where a
/// citation stands is how it came about, and so is the run ([`looked_behind`]). A saved answer is a bookmarked one, once it is saved. Nobody can see that one is
/// passed on (`shared_answer`): a copy and a file may be for oneself.
fn seen(action: &Action) -> Option<Behaviour> {
    let nothing = Behaviour::default();
    Some(match action {
        Action::Copied => Behaviour { copied: true, ..nothing },
        Action::Cite(_) => Behaviour { expanded_reasoning: true, ..nothing },
        // A question that follows counts when it is asked, a file when it is written.
        Action::Export(_)
        | Action::FollowUp
        | Action::Stars(_)
        | Action::Thumbs(_)
        | Action::Comment(_)
        | Action::Rate
        | Action::Keep
        | Action::AskForget(_)
        | Action::Forget
        | Action::Table(_) => return None,
    })
}

/// A user who goes from an answer to its run looks at how it was taken apart (`expanded_reasoning`: "clicked to see decomposition").
pub fn looked_behind(command: &Command, state: &State) -> Option<(String, Behaviour)> {
    let goes = state.screen == Screen::Answer && matches!(command, Command::Go(Screen::Run));
    let answer = state.answered().filter(|_| goes)?;
    Some((answer.run_id.clone(), Behaviour { expanded_reasoning: true, ..Behaviour::default() }))
}

fn cite(position: usize, answer: &Answer, engine: &Engine) {
    let Some(citation) = answer.citations.get(position).cloned() else { return };
    let (home, outbox, run) = (engine.home().clone(), engine.outbox(), answer.run_id.clone());
    let reader = engine.documents();
    engine.spawn(async move {
        let id = run.clone();
        let read = blocking(move || {
            let page = cited_page(&reader, &home, &id, &citation)
                .map(|(number, picture)| Page { number, picture: Arc::new(picture) });
            lines_around(&reader, &home, &id, &citation).map(|lines| (lines, page))
        });
        let context = match read.await {
            Ok((lines, page)) => Context { citation: position, lines: Ok(lines), page },
            Err(error) => Context { citation: position, lines: Err(runs::words(&error)), page: None },
        };
        let event = Event::Context(context);
        outbox.send(AppEvent::Answer { run, event }).await;
    });
}

fn save(format: Format, run: &Run, answer: Answer, engine: &Engine) {
    let (outbox, question, unit) = (engine.outbox(), run.view.start.question.clone(), run.unit);
    let home = engine.home().clone();
    engine.spawn(async move {
        let (extension, text) = match format {
            Format::Markdown => ("md", markdown(&question, &answer, unit)),
            Format::Json => ("json", frlm_client::output::json(&answer)),
        };
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(words::SAVE_TITLE)
            .set_file_name(format!("answer-{}.{extension}", answer.run_id));
        let Some(file) = dialog.save_file().await else { return };
        let path = file.path().to_owned();
        match tokio::fs::write(&path, text)
            .await
            .with_context(|| format!("cannot write {}", shown_path(&path)))
        {
            Ok(()) => {
                let what = words::SAVED.to_owned();
                outbox.send(AppEvent::Notice { tone: Tone::Good, what, then: shown_path(&path) }).await;
                let seen = Behaviour { bookmarked: true, ..Behaviour::default() };
                observed(answer.run_id, seen, home).await;
            }
            Err(error) => outbox.fail(words::NOT_SAVED, &error).await,
        }
    });
}

fn follow_up(run: String, engine: &Engine) {
    let (home, outbox) = (engine.home().clone(), engine.outbox());
    engine.spawn(async move {
        let read = blocking(move || {
            let stored = Store::open(&home.store())?.find(&run)?;
            let followed = ask::Followed { run, question: stored.question };
            Ok((followed, serde_json::from_value::<RunRequest>(stored.request)?))
        });
        match read.await {
            Ok((followed, request)) => {
                for command in opening(followed, request.files) {
                    outbox.send(AppEvent::Do(command)).await;
                }
            }
            Err(error) => outbox.fail(words::NOT_FOLLOWED, &error).await,
        }
    });
}

/// What opens the form for a question about the same documents, and about no others that stood in it.
fn opening(followed: ask::Followed, files: Vec<PathBuf>) -> [Command; 5] {
    [
        Command::Ask(ask::Action::Follow(Some(followed))),
        Command::Ask(ask::Action::Question(String::new())),
        Command::Ask(ask::Action::RemoveAll),
        Command::Ask(ask::Action::Add(files)),
        Command::Go(Screen::Ask),
    ]
}

fn rate(run: String, rating: AnswerScreen, engine: &Engine) {
    let rating = Rating {
        run_id: run.clone(),
        stars: (rating.stars > 0).then_some(rating.stars),
        thumbs_up: rating.thumbs,
        comment: rating.comment,
    };
    let rate = move |home: &Home| Ok(ratings::keep_and_teach(&rating, home)?);
    let report = |taught| AppEvent::Answer { run, event: Event::Rated(taught) };
    engine.change(words::NOT_RATED, rate, report);
}

fn forget(run: String, shown: &Run, engine: &Engine) {
    let (question, documents) = (shown.view.start.question.clone(), shown.view.start.documents.clone());
    let forget = move |home: &Home| known::forget(home, &question, &documents);
    // What was not there any more is forgotten, too.
    engine.change(words::NOT_FORGOTTEN, forget, |_| AppEvent::Answer { run, event: Event::Forgotten });
}

fn keep(run: String, engine: &Engine) {
    let id = run.clone();
    let report = |(_, new)| AppEvent::Answer { run, event: Event::Kept(new) };
    engine.change(words::NOT_KEPT, move |home| known::keep(home, &id, None), report);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::screens::run::samples::{Recipe, shown};

    #[test]
    fn only_what_was_done_counts_and_not_what_was_begun() {
        let copied = Behaviour { copied: true, ..Behaviour::default() };
        assert_eq!(seen(&Action::Copied), Some(copied));
        // The dialogue may be closed without saving.
        assert_eq!(seen(&Action::Export(Format::Markdown)), None);
        assert_eq!(seen(&Action::FollowUp), None);
    }

    #[test]
    fn who_goes_from_an_answer_to_its_run_has_looked_at_how_it_came_about() {
        let answered =
            State { screen: Screen::Answer, run: shown(Recipe::done(41), false), ..State::default() };
        let looked = |screen, state: &State| looked_behind(&Command::Go(screen), state);
        let (run, seen) = looked(Screen::Run, &answered).unwrap();
        let expanded = Behaviour { expanded_reasoning: true, ..Behaviour::default() };
        assert_eq!((Some(run), seen), (answered.answered().map(|answer| answer.run_id.clone()), expanded));
        assert_eq!(looked(Screen::Runs, &answered), None, "a list of runs says nothing of this one");
        let elsewhere = State { screen: Screen::Ask, ..answered };
        assert_eq!(looked(Screen::Run, &elsewhere), None, "nobody looked at the answer");
        let unanswered = State { screen: Screen::Answer, ..State::default() };
        assert_eq!(looked(Screen::Run, &unanswered), None);
    }

    #[test]
    fn a_follow_up_takes_no_documents_along_that_its_answer_did_not_read() {
        let mut state = State::default();
        state.perform(&Command::Ask(ask::Action::Add(vec![PathBuf::from("letters.txt")])));
        let question = "How many orders have status failed?".to_owned();
        let followed = ask::Followed { run: "5e1f".to_owned(), question };
        for command in opening(followed, vec![PathBuf::from("orders.log")]) {
            state.perform(&command);
        }
        assert_eq!((state.screen, state.ask.files), (Screen::Ask, vec![PathBuf::from("orders.log")]));
    }
}
