//! What lies in the home folder, by the names under which it lies there.

use egui::Ui;

use super::view::named_ui;
use super::words;
use crate::desktop::widgets::{card_ui, headed_ui};

/// The card that lists them.
pub fn kept_ui(ui: &mut Ui, home: &str) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::KEPT, &words::kept_in(home));
        named_ui(ui, "kept", &words::FILES);
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
            assert!(words::FILES.iter().any(|(listed, _)| *listed == named), "{name}");
        }
        assert!(folder.path().join("service.key").exists() && home.service_credit().exists());
    }
}
