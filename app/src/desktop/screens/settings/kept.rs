//! What lies in the home folder, by the names under which it lies there.

use egui::Ui;

use super::named::named_ui;
use crate::desktop::widgets::{card_ui, heading, soft};

/// Everything that a home may hold, with what it is.
const KEPT: [(&str, &str); 22] = [
    ("runs.db", "every run with its events, its answer and its key; you can delete them one by one in Runs"),
    (
        "run-….events.jsonl",
        "what a run and its providers sent each other, signed and encrypted; it goes with its run",
    ),
    ("ledger.db", "every movement of every sat"),
    ("wallet", "your sats, and the encrypted recovery phrase"),
    ("reputation.db", "the record of each provider from earlier runs"),
    ("brain.json", "what runs taught about taking questions apart"),
    ("routing.json", "what runs taught about routing"),
    ("routing-training.json", "the latest training of routing"),
    ("known.db", "answers that you have confirmed"),
    ("feedback.jsonl", "your ratings of answers"),
    ("pasted", "text that you pasted as a document"),
    ("samples", "the sample document, once it was tried"),
    ("models", "models that you downloaded, and the built-in one, unpacked"),
    ("provider.key", "the key that this machine earns under, readable only by you"),
    ("asker.key", "the key that vouches for your runs, if you want that"),
    ("service.key", "the key that \"frlm serve --nostr\" answers whole questions under"),
    ("service-credit.json", "per asker's key: payments, remaining credit and open bills"),
    ("asked-…", "documents that were sent to \"frlm serve\", until their question is done"),
    ("config.toml", "these settings"),
    ("priors.json", "your own thresholds, if you wrote any"),
    ("desktop.ron", "the size and appearance of this window"),
    ("exports", "what you exported"),
];

/// The card that lists them.
pub fn kept_ui(ui: &mut Ui, home: &str) {
    card_ui(ui, |ui| {
        ui.label(heading("Files on this machine"));
        ui.label(soft(ui, &format!("In {home}, which only you can read:")));
        named_ui(ui, "kept", &KEPT);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_client::home::Home;
    use frlm_client::local_swarm::ORDERS;

    #[test]
    fn what_a_home_keeps_is_listed_also_what_questions_over_nostr_leave_there() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let _service = home.service_identity().unwrap();
        let _asker = home.asker_identity().unwrap();
        ORDERS.unpack(&home).unwrap();
        let named = [
            home.store(),
            home.ledger(),
            home.wallet(),
            home.reputation(),
            home.learner(),
            home.routing(),
            home.routing_training(),
            home.known(),
            home.ratings(),
            home.models(),
            home.service_credit(),
            home.config_file(),
            home.priors(),
        ];
        let made = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        for path in named.into_iter().chain(made) {
            let name = path.file_name().and_then(std::ffi::OsStr::to_str).unwrap();
            // A lock stands beside its key, and holds nothing.
            let named = name.replace(".lock", ".key");
            assert!(KEPT.iter().any(|(listed, _)| *listed == named), "{name}");
        }
        assert!(folder.path().join("service.key").exists() && home.service_credit().exists());
    }
}
