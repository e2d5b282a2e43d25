//! What this home knows of a provider, in a word and a figure.

use std::fmt::Write as _;

use frlm_protocol::{one_line, printable};
use frlm_verifier::trust::{Bias, ExportedRecord, Reputation};
use nostr::{PublicKey, ToBech32 as _};

/// What follows from a record, in a word.
pub fn status(reputation: &Reputation, record: &ExportedRecord) -> &'static str {
    match reputation.member(&record.provider) {
        _ if record.proven_lie => "lied",
        _ if record.excluded => "excluded",
        Some(member) if reputation.has_record(member) => "known",
        _ => "newcomer",
    }
}

/// How far its word is believed in each kind of work that it did, 0..=1, with the name of the kind.
pub fn fidelities(reputation: &Reputation, record: &ExportedRecord) -> Vec<(String, f64)> {
    let Some(member) = reputation.member(&record.provider) else { return Vec::new() };
    let classes = record.classes.iter();
    classes.map(|(class, _)| (class.name().to_owned(), reputation.fidelity(member, class))).collect()
}

/// All records in a table for people; nothing where nobody is known.
pub fn table(reputation: &Reputation) -> String {
    let mut text =
        "provider       record     answers  right  wrong  gold  timeouts  fitness  credits  fidelity by kind of work\n"
            .to_owned();
    for record in &reputation.export().providers {
        let fidelities = fidelities(reputation, record).into_iter();
        let fidelity: Vec<String> = fidelities.map(|(kind, share)| format!("{kind} {share:.3}")).collect();
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "{:13}  {:9}  {:7}  {:5.0}  {:5.0}  {:>4}  {:8}  {:7.2}  {:7}  {}",
            short(&record.provider),
            status(reputation, record),
            record.answers,
            record.overall.right,
            record.overall.wrong,
            format!("{:.0}/{:.0}", record.gold_right, record.gold_right + record.gold_wrong),
            record.timeouts,
            record.score.fitness,
            record.score.credits,
            printable(&fidelity.join(", "))
        );
    }
    text
}

/// A record for programs.
pub fn as_json(reputation: &Reputation, record: &ExportedRecord) -> serde_json::Value {
    let fidelities = fidelities(reputation, record).into_iter();
    let classes: serde_json::Map<String, serde_json::Value> =
        fidelities.map(|(kind, share)| (kind, share.into())).collect();
    serde_json::json!({
        "provider": record.provider, "standing": status(reputation, record), "answers": record.answers,
        "right": record.overall.right, "wrong": record.overall.wrong, "gold_right": record.gold_right,
        "gold_wrong": record.gold_wrong, "timeouts": record.timeouts, "fitness": record.score.fitness,
        "credits": record.score.credits, "fidelity": classes,
    })
}

/// Errors that are more than chance, in a sentence without its end.
pub fn in_words(bias: &Bias) -> String {
    let (who, errs) = match bias {
        Bias::Provider { provider, errs } => (short(provider), errs),
        Bias::Weights { weights_hash, runners, errs } => {
            let start: String = printable(weights_hash).chars().take(12).collect();
            (format!("weights {start} ({runners} providers)"), errs)
        }
        Bias::Alike { left, right, shared_errors, same_weights } => {
            let weights = if *same_weights { "the same weights" } else { "different weights" };
            return format!(
                "{} and {} ({weights}) gave the same wrong answer {shared_errors} times",
                short(left),
                short(right)
            );
        }
    };
    format!(
        "{who}: {:.1}% of {:.0} checked answers wrong in {}, where {:.1}% is usual",
        errs.wrong * 100.0,
        errs.checks,
        printable(errs.class.name()),
        errs.usual * 100.0
    )
}

/// The beginning of a key as people write it; of what is none, in a file from elsewhere, as it can be shown.
pub fn short(key: &str) -> String {
    let npub = PublicKey::parse(key).ok().and_then(|key| key.to_bech32().ok());
    npub.unwrap_or_else(|| one_line(key).into_owned()).chars().take(13).collect()
}

#[cfg(test)]
mod tests {
    use frlm_util::clock::unix_secs;
    use frlm_verifier::trust::{Errs, Evidence, ProviderTraits, ReputationStore, TaskClass};

    use super::*;

    #[test]
    fn a_record_says_how_a_provider_stands_and_how_far_it_is_believed() {
        let [honest, liar] = ["aa", "bb"]
            .map(|start| format!("{start}4fc8665f5696e33db7e1a572e3b0f5b3d615837b0f362dcb1c8068b098c7b4"));
        let folder = tempfile::tempdir().unwrap();
        let store = ReputationStore::at(folder.path().join("reputation.db"));
        let agreement = Evidence::Comparison {
            class: TaskClass::new("extract", "general", 1),
            groups: vec![vec![honest], vec![liar.clone()]],
            accepted: Some(0),
            certainty: 1.0,
            audited: true,
        };
        let mut evidence = vec![agreement; 10];
        evidence.push(Evidence::ProvenLie { provider: liar });
        let nobody: &[(String, ProviderTraits)] = &[];
        store.record(unix_secs(), nobody, &evidence).unwrap();
        let reputation = store.load(unix_secs()).unwrap();
        let rows: Vec<_> =
            reputation.export().providers.iter().map(|record| as_json(&reputation, record)).collect();
        assert_eq!(
            (rows[0]["standing"].as_str(), rows[1]["standing"].as_str()),
            (Some("known"), Some("lied"))
        );
        assert!(rows[0]["fidelity"]["extract/general/1"].as_f64().unwrap() > 0.9);
        assert_eq!(rows[1]["fidelity"]["extract/general/1"], 0.0);
        assert!(rows[0]["gold_right"].as_f64().unwrap() > 9.0, "{}", rows[0]);
    }

    #[test]
    fn what_is_no_key_is_shown_on_its_line_and_moves_nothing() {
        assert_eq!(short("\u{1b}[31mEVIL\nfrlm: paid"), r"EVIL\nfrlm: p");
        assert!(
            short("aa4fc8665f5696e33db7e1a572e3b0f5b3d615837b0f362dcb1c8068b098c7b4").starts_with("npub1")
        );
    }

    #[test]
    fn what_stands_out_is_said_in_words() {
        let errs =
            Errs { class: TaskClass::new("extract", "general", 1), wrong: 0.08, usual: 0.011, checks: 100.4 };
        let weights = Bias::Weights { weights_hash: "0123456789abcdef".to_owned(), runners: 3, errs };
        assert_eq!(
            in_words(&weights),
            "weights 0123456789ab (3 providers): 8.0% of 100 checked answers wrong in extract/general/1, where 1.1% \
             is usual"
        );
        let [left, right] = ["aa", "bb"]
            .map(|start| format!("{start}4fc8665f5696e33db7e1a572e3b0f5b3d615837b0f362dcb1c8068b098c7b4"));
        let words =
            in_words(&Bias::Alike { left, right: right.clone(), shared_errors: 6, same_weights: true });
        assert!(words.ends_with("(the same weights) gave the same wrong answer 6 times"), "{words}");
        assert!(words.starts_with("npub1") && !words.contains(&right), "{words}");
    }
}
