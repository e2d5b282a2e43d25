//! What can be said of a request before its documents are read, which may take a while.

use frlm_questions::ingest;

use super::follow_up::recall;
use super::own_models::check;
use super::request::{Prepared, RunRequest, prepare};
use crate::config::By;
use crate::documents::Documents;
use crate::home::Home;
use crate::units;

/// Documents of which somebody waits for the reading.
const LONG_BYTES: u64 = 64 << 20;

/// Checks a request, looks up what it follows, and reads its documents once nothing else is wrong. Nothing leaves this
/// machine.
pub fn prepare_in(home: &Home, mut request: RunRequest, documents: &Documents) -> anyhow::Result<Prepared> {
    recall(&mut request, home)?;
    check(&request, &home.config()?)?;
    prepare(request, documents)
}

/// Tells what to know while long documents are read, where code alone can answer for want of a relay.
pub fn tell_before_reading(request: &RunRequest) {
    if let Some(told) = told_before_reading(request) {
        notice!("{told}");
    }
}

fn told_before_reading(request: &RunRequest) -> Option<String> {
    let is_of_no_use = request.by == By::Code || takes_a_reader(request);
    if is_of_no_use || !request.relays.is_empty() || !request.uses_swarm() {
        return None;
    }
    let files = ingest::stamp(&request.files)?;
    let bytes = files.iter().map(|(_, bytes, _)| bytes).sum();
    (bytes >= LONG_BYTES).then(|| {
        format!(
            "no relay is configured: after the documents ({}) are read, only code can answer; with --relay URL \
             providers are asked, too",
            units::bytes(bytes)
        )
    })
}

/// Whether a question is one that code answers over no document, whatever it says: a program's, or one about reasons.
pub(super) fn takes_a_reader(request: &RunRequest) -> bool {
    let first = request.question.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    let asks_why = ["why", "warum"].contains(&first.to_lowercase().as_str());
    request.program.is_some() || request.by != By::Code && request.follows.is_none() && asks_why
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::failure::render_error;
    use crate::run::{NO_RELAY, RunSpec};

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        (folder, home)
    }

    /// Why a question is refused over a document that is not there: it was not looked for.
    fn refused(home: &Home, spec: RunSpec) -> String {
        let spec = RunSpec { files: vec![PathBuf::from("/nowhere/a.log")], ..spec };
        let request = RunRequest::from_spec(&spec, &home.config().unwrap()).unwrap();
        let (words, code) = render_error(&prepare_in(home, request, &Documents::default()).unwrap_err());
        assert_eq!(code, 2, "{words}");
        words
    }

    #[test]
    fn what_is_wrong_without_the_documents_is_said_before_they_are_read() {
        let (_folder, home) = home();
        let asked = |question: &str| RunSpec { question: question.to_owned(), ..RunSpec::default() };
        assert_eq!(refused(&home, asked("Why were Ada's orders late?")), NO_RELAY);
        let local =
            |model: Option<&str>| RunSpec { local: true, model: model.map(str::to_owned), ..asked("Who?") };
        assert!(refused(&home, local(None)).contains("--local"));
        assert!(refused(&home, local(Some("/nowhere/a.gguf"))).contains("/nowhere/a.gguf"));
        let venues = vec!["office".to_owned()];
        assert!(refused(&home, RunSpec { venues, ..asked("Who?") }).contains("--venue office"));
        // Code may answer this one.
        assert!(refused(&home, asked("How many lines mention Ada?")).contains("a.log: no such file"));
    }

    #[test]
    fn that_no_relay_is_named_is_told_before_a_long_reading() {
        let (folder, home) = home();
        let told = |bytes: u64, spec: RunSpec| {
            let path = folder.path().join("a.log");
            std::fs::File::create(&path).unwrap().set_len(bytes).unwrap();
            let spec = RunSpec { question: "Who?".to_owned(), files: vec![path], ..spec };
            told_before_reading(&RunRequest::from_spec(&spec, &home.config().unwrap()).unwrap())
        };
        let words = told(1 << 30, RunSpec::default()).unwrap();
        assert!(words.contains("no relay is configured") && words.contains("1.0 GiB"), "{words}");
        assert_eq!(told(1 << 20, RunSpec::default()), None);
        assert_eq!(
            told(1 << 30, RunSpec { relays: vec!["ws://127.0.0.1:1".to_owned()], ..RunSpec::default() }),
            None
        );
        assert_eq!(told(1 << 30, RunSpec { by: Some(By::Code), ..RunSpec::default() }), None);
    }
}
