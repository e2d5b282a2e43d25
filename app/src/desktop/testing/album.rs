//! Which states have a picture in the repository. Every state is drawn by its test; a picture is for what a person must judge.

/// Where the pictures lie, seen from `app`.
pub const FOLDER: &str = "tests/snapshots/desktop";

/// What to do about a picture that differs.
pub const HOW_TO_REDRAW: &str =
    "Redraw with UPDATE_SNAPSHOTS=1, look at each picture, then run app/tests/snapshots/shrink.sh.";

/// The states that have a picture, by form. `FOLDER/STATE_FORM.png` is the picture.
const ALBUM: [(&str, &str); 4] = [
    (
        "light",
        "answer_code answer_done answer_empty answer_failed answer_objected answer_page answer_partial answer_sql answer_unsure
         ask_empty ask_nobody ask_partial ask_ready ask_refused ask_unreachable ask_unreadable ask_wishes
         drop notices quit
         earn_busy earn_error earn_no_relay earn_offer earn_owed earn_paid earn_pay earn_unusable earn_waiting
         learning_empty learning_known learning_red_team learning_red_team_words learning_strategies
         models_chat models_empty models_error models_fetch_failed models_fetching models_found
         providers_busy providers_error providers_no_relay providers_nobody
         run_busy run_cap run_damaged run_disk_full run_done run_empty run_event run_hover run_judged run_lane
         run_left_to_a_person run_mint_down run_over_budget run_owed run_planned run_provider run_refused
         run_relay_gone run_replay run_verdict
         runs_chosen runs_compared runs_damaged runs_delete runs_empty runs_error
         settings_appearance settings_asking settings_diagnostics settings_error settings_logs settings_money
         settings_privacy settings_relays settings_thresholds
         start_fresh start_looking start_swarm_failed start_swarm_on start_unusable
         wallet_empty wallet_error wallet_history wallet_none wallet_owed wallet_payments wallet_play
         wallet_remove wallet_restore wallet_sats wallet_token wallet_unclear wallet_words",
    ),
    (
        "dark",
        "answer_chart learning_routing palette run_busy settings_providing",
    ),
    ("large", "answer_done ask_ready run_done"),
    ("200", "answer_done ask_ready wallet_history"),
];

/// Whether there is a picture `NAME.png`.
pub fn holds(name: &str) -> bool {
    entries().any(|(state, form)| name.strip_suffix(form).and_then(|it| it.strip_suffix('_')) == Some(state))
}

/// Every picture as its state and form.
fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALBUM.iter().flat_map(|(form, states)| states.split_whitespace().map(move |state| (state, *form)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::super::sources;
    use super::*;

    const MOST_PICTURES: usize = 120;
    const MOST_BYTES: usize = 150_000;

    /// The pictures of a folder, without those that a failed comparison left.
    fn pictures_in(folder: &str) -> Vec<PathBuf> {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let left = [".new.png", ".old.png", ".diff.png"];
        let is_picture = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "png");
        files
            .filter(|file| is_picture(file) && !left.iter().any(|end| file.to_string_lossy().ends_with(end)))
            .collect()
    }

    #[test]
    fn the_folder_holds_the_album_and_nothing_else() {
        let stem = |file: PathBuf| file.file_stem().unwrap().to_string_lossy().into_owned();
        let there: BTreeSet<String> = pictures_in(FOLDER).into_iter().map(stem).collect();
        let listed: BTreeSet<String> = entries().map(|(state, form)| format!("{state}_{form}")).collect();
        let odd: Vec<_> = there.symmetric_difference(&listed).collect();
        assert!(odd.is_empty(), "in the folder or in the album, and not in both: {odd:?}");
        assert_eq!(listed.len(), entries().count(), "a picture is listed twice");
        assert!(listed.len() <= MOST_PICTURES, "{} pictures", listed.len());
    }

    #[test]
    fn a_test_compares_each_picture_of_the_album() {
        let window = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/desktop");
        let own = window.join("testing");
        let files = sources(&window).into_iter().filter(|file| !file.starts_with(&own));
        let tests: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        for (state, form) in entries() {
            let calls = match form {
                "large" => vec![format!("sizes(\"{state}\"")],
                "200" => vec![format!("sizes(\"{state}\""), format!("small_picture(\"{state}\"")],
                _ => vec![format!("pictures(\"{state}\""), format!("\"{state}_{form}\"")],
            };
            assert!(calls.iter().any(|call| tests.contains(call)), "no test draws {state}_{form}");
        }
    }

    #[test]
    fn every_picture_has_a_palette_and_is_small() {
        for file in pictures_in(FOLDER).into_iter().chain(pictures_in("../docs/screenshots")) {
            let bytes = std::fs::read(&file).unwrap();
            // Byte 25 of a PNG is its colour type; 3 is a palette.
            let has_palette = bytes.get(25) == Some(&3);
            assert!(has_palette, "{}: run app/tests/snapshots/shrink.sh", file.display());
            assert!(bytes.len() <= MOST_BYTES, "{}: {} bytes", file.display(), bytes.len());
        }
    }

    #[test]
    fn the_pictures_in_the_documents_are_those_of_the_album() {
        let album: Vec<Vec<u8>> =
            pictures_in(FOLDER).iter().map(|file| std::fs::read(file).unwrap()).collect();
        let shown = pictures_in("../docs/screenshots");
        assert!(!shown.is_empty());
        for file in shown {
            let is_there = album.contains(&std::fs::read(&file).unwrap());
            assert!(is_there, "{} is out of date: run app/tests/snapshots/shrink.sh", file.display());
        }
    }
}
