//! Decisions against the figures of seeds/llm-reasoning-refactor.md. The block of section 4.1 (`window_optimizer.json`)
//! reproduces the document's example: no run calls it, because runs have stages of their own.

mod grammar;

use proptest::prelude::*;
use serde_json::json;

use super::priors::{Prior, RatePrior};
use super::*;
use crate::template::Template;

const WINDOW_OPTIMIZER: &str = include_str!("../../priors/window_optimizer.json");
const STEP: &str = "step_1_window_optimizer";

fn seed_priors() -> Priors {
    Priors::parse(WINDOW_OPTIMIZER).unwrap()
}

fn outcome(source: DataSource, bidirectional: f64) -> Outcome {
    let rates = [
        ("bidirectional_rate", bidirectional),
        ("forward_rate", 0.05),
        ("reverse_rate", 0.05),
        ("overlap_ratio", 0.5),
    ];
    Outcome {
        step: STEP.to_owned(),
        data_source: source,
        metrics: [("seeds_tested".to_owned(), 1e6)].into(),
        rates: rates.into_iter().map(|(name, rate)| (name.to_owned(), rate)).collect(),
    }
}

fn decided(outcome: &Outcome) -> StageDecision {
    let priors = seed_priors();
    by_code(outcome, priors.of(STEP, outcome.data_source).unwrap(), &priors.suggestions(STEP))
}

/// Sections 4.1 and 4.2: 2 %, 0.5 % and 1 % are good; section 7: beyond `warn_max` a person decides.
#[test]
fn section_4_thresholds_decide_by_kind_of_data() {
    for (source, good, warn) in [
        (DataSource::Synthetic, 0.02, 0.10),
        (DataSource::Real, 0.005, 0.03),
        (DataSource::Hybrid, 0.01, 0.06),
    ] {
        let verb = |rate: f64| {
            let decision = decided(&outcome(source, rate));
            (decision.decision, decision.retry_reason, decision.confidence)
        };
        assert_eq!(verb(good), (Verb::Proceed, None, 0.80));
        assert_eq!(verb(good + 1e-6), (Verb::Retry, Some(RetryReason::Tighten), 0.60));
        assert_eq!(verb(warn), (Verb::Retry, Some(RetryReason::Tighten), 0.60));
        assert_eq!(verb(warn + 1e-6), (Verb::Escalate, None, 0.70));
    }
}

/// Section 4.1: every number of the block, by step, kind of data and rate.
#[test]
fn section_4_1_is_reproduced_number_for_number() {
    let priors = seed_priors();
    for (source, good, warn, fail, one_way, overlap_good, overlap_warn, least) in [
        (DataSource::Synthetic, 0.02, 0.10, 0.30, 0.25, 0.25, 0.12, 250_000.0),
        (DataSource::Real, 0.005, 0.03, 0.10, 0.10, 0.20, 0.10, 500_000.0),
        (DataSource::Hybrid, 0.01, 0.06, 0.20, 0.15, 0.20, 0.10, 350_000.0),
    ] {
        let most = |warn| RatePrior { warn_max: Some(warn), ..RatePrior::default() };
        let wanted = [
            (
                "bidirectional_rate",
                Prior::Rate(RatePrior { good_max: Some(good), fail_max: Some(fail), ..most(warn) }),
            ),
            ("forward_rate", Prior::Rate(most(one_way))),
            ("reverse_rate", Prior::Rate(most(one_way))),
            (
                "overlap_ratio",
                Prior::Rate(RatePrior {
                    good_min: Some(overlap_good),
                    warn_min: Some(overlap_warn),
                    ..RatePrior::default()
                }),
            ),
            ("min_seeds_tested", Prior::Least(least)),
        ];
        let wanted: StepPriors = wanted.into_iter().map(|(name, prior)| (name.to_owned(), prior)).collect();
        assert_eq!(priors.of(STEP, source), Some(&wanted), "{source:?}");
    }
}

/// Section 4.1, and seed-arithmetic.md, "Decisions": `fail_max` is used, too: beyond it nobody need look whether it is so.
#[test]
fn section_4_1_fail_max_is_where_it_is_beyond_doubt() {
    for (source, fail) in
        [(DataSource::Synthetic, 0.30), (DataSource::Real, 0.10), (DataSource::Hybrid, 0.20)]
    {
        let warnings = |rate: f64| decided(&outcome(source, rate)).warnings;
        assert_eq!(warnings(fail), ["rate_too_high", "human_review_recommended"], "{source:?}");
        assert_eq!(
            warnings(fail + 1e-6),
            ["rate_too_high", "human_review_recommended", "far_beyond_threshold"],
            "{source:?}"
        );
    }
}

/// Section 3.1: a confidence of 0 to 1, and 20 to 500 characters of reasoning.
#[test]
fn section_3_1_bounds_are_kept_to_the_character() {
    let outcome = outcome(DataSource::Real, 0.2);
    let words = "bidirectional_rate, real";
    let of_length =
        |length: usize| answer(|a| a["reasoning"] = json!(format!("{words}{}", "x".repeat(length - 24))));
    assert_eq!(words.len(), 24);
    assert!(StageDecision::read(&of_length(500), &outcome).is_ok());
    let too_long = StageDecision::read(&of_length(501), &outcome);
    assert_eq!(too_long, Err(InvalidDecision::Bounds("reasoning")));
    let short = |text: &str| {
        let claims =
            json!({"used_rates": false, "mentioned_data_source": false, "avoided_absolute_only": false});
        let text = answer(|a| (a["reasoning"], a["checks"]) = (json!(text), claims));
        StageDecision::read(&text, &outcome)
    };
    assert!(short("twenty characters, 1").is_ok());
    assert_eq!(short("nineteen characters"), Err(InvalidDecision::Bounds("reasoning")));
    for (confidence, valid) in [(0.0, true), (1.0, true), (-0.001, false), (1.001, false)] {
        let read = StageDecision::read(&answer(|a| a["confidence"] = json!(confidence)), &outcome);
        assert_eq!(read.is_ok(), valid, "{confidence}");
    }
}

/// Section 3.1: `retry_reason`, `suggested_params` and `warnings` are optional.
#[test]
fn section_3_1_optional_fields_may_be_left_out_and_no_others() {
    let outcome = outcome(DataSource::Real, 0.2);
    let without = |field: &str| {
        let text = answer(|a| {
            a.as_object_mut().unwrap().remove(field);
        });
        StageDecision::read(&text, &outcome)
    };
    for field in ["retry_reason", "suggested_params", "warnings"] {
        assert!(without(field).is_ok(), "{field}");
    }
    for field in ["decision", "confidence", "reasoning", "primary_signal", "checks"] {
        assert!(matches!(without(field), Err(InvalidDecision::Shape(_))), "{field}");
    }
}

/// Section 5, "Decision Mapping": the old verbs are reasons of a retry, `proceed` and `escalate` stay. `investigate` is a
/// retry, too, that audits first (seed-arithmetic.md, "Decisions"; the section maps it to `escalate` with the warning
/// `needs_investigation`; a person who is asked here is told what the audit came to).
#[test]
fn section_5_old_verbs_are_reasons_of_a_retry() {
    let outcome = outcome(DataSource::Real, 0.2);
    let read = |verb: &str, reason: Option<&str>| {
        let text = answer(|a| (a["decision"], a["retry_reason"]) = (json!(verb), json!(reason)));
        StageDecision::read(&text, &outcome).map(|decision| (decision.decision, decision.retry_reason))
    };
    for (word, reason) in [
        ("tighten", RetryReason::Tighten),
        ("widen", RetryReason::Widen),
        ("rerun", RetryReason::Rerun),
        ("investigate", RetryReason::Investigate),
    ] {
        assert_eq!(read("retry", Some(word)), Ok((Verb::Retry, Some(reason))));
        assert!(read(word, None).is_err());
    }
    assert_eq!(read("proceed", None), Ok((Verb::Proceed, None)));
    assert_eq!(read("escalate", None), Ok((Verb::Escalate, None)));
    assert_eq!(read("proceed", Some("tighten")), Err(InvalidDecision::RetryReason));
}

/// Section 7's words, and its self-checks: the fallback keeps to the rules that it sets for models.
#[test]
fn section_7_reasoning_names_rate_value_and_data_and_is_valid() {
    let good = outcome(DataSource::Real, 0.0042);
    let decision = decided(&good);
    assert_eq!(decision.reasoning, "bidirectional_rate 0.0042 within good range for real data");
    assert_eq!(decision.primary_signal, "bidirectional_rate");
    assert_eq!(decision.check(&good), Ok(()));
    let words = |rate: f64| decided(&outcome(DataSource::Real, rate)).reasoning;
    assert_eq!(words(0.025), "bidirectional_rate 0.0250 in warning range for real data");
    assert_eq!(words(0.031), "bidirectional_rate 0.0310 exceeds fail threshold for real data");
    let bad = outcome(DataSource::Real, 0.2);
    assert_eq!(decided(&bad).warnings, ["rate_too_high", "human_review_recommended", "far_beyond_threshold"]);
    assert_eq!(decided(&bad).check(&bad), Ok(()));
}

/// Section 7: each of the three branches with the values that the document gives it, `suggested_params` included.
#[test]
fn section_7_fallback_suggests_what_the_document_suggests() {
    let all = |decision: StageDecision| {
        let params = decision.suggested_params.map(|params| json!(params));
        (decision.decision, decision.retry_reason, decision.confidence, params, decision.warnings)
    };
    let none = Vec::<String>::new();
    assert_eq!(
        all(decided(&outcome(DataSource::Real, 0.004))),
        (Verb::Proceed, None, 0.80, None, none.clone())
    );
    let params = json!({"forward_threshold": 0.005, "reverse_threshold": 0.005});
    for source in [DataSource::Synthetic, DataSource::Real, DataSource::Hybrid] {
        let retry = (Verb::Retry, Some(RetryReason::Tighten), 0.60, Some(params.clone()), none.clone());
        assert_eq!(all(decided(&outcome(source, 0.025))), retry, "{source:?}");
    }
    let warnings = ["rate_too_high", "human_review_recommended"].map(str::to_owned).to_vec();
    assert_eq!(all(decided(&outcome(DataSource::Real, 0.031))), (Verb::Escalate, None, 0.70, None, warnings));
    // The document names no values for a retry that widens.
    let mut narrow = outcome(DataSource::Real, 0.001);
    narrow.rates.insert("overlap_ratio".to_owned(), 0.15);
    assert_eq!(decided(&narrow).retry_reason, Some(RetryReason::Widen));
    assert_eq!(decided(&narrow).suggested_params, None);
}

#[test]
fn what_is_too_low_or_was_not_measured_is_not_said_to_be_too_high() {
    let mut low = outcome(DataSource::Real, 0.001);
    low.rates.insert("overlap_ratio".to_owned(), 0.09);
    let decision = decided(&low);
    assert_eq!(decision.warnings, ["rate_too_low", "human_review_recommended"]);
    assert_eq!(decision.reasoning, "overlap_ratio 0.0900 falls short of fail threshold for real data");
    low.rates.remove("overlap_ratio");
    assert_eq!(decided(&low).warnings, ["rate_unmeasured", "human_review_recommended"]);
}

#[test]
fn values_to_try_are_plain_and_a_users_take_the_place_of_the_shipped_ones() {
    let of = |params: serde_json::Value| {
        let file = json!({"evaluation_thresholds": {}, "suggested_params": {"verify": {"widen": params}}});
        Priors::parse(&file.to_string())
    };
    let nested = Err(PriorsError::Suggestion { step: "verify".to_owned(), name: "a".to_owned() });
    assert_eq!(of(json!({"a": [1]})), nested);
    assert_eq!(of(json!({"a": {"b": 1}})), nested);
    let shipped = Priors::shipped();
    assert_eq!(shipped.suggestions("verify")[&RetryReason::Widen]["patience_factor"], json!(2.0));
    let mine = shipped.overruled_by(of(json!({"patience_factor": 3})).unwrap());
    assert_eq!(mine.suggestions("verify")[&RetryReason::Widen]["patience_factor"], json!(3));
    assert_eq!(mine.suggestions("collect")[&RetryReason::Widen]["patience_factor"], json!(2.0));
    let nested = answer(|a| a["suggested_params"] = json!({"a": {"b": 1}}));
    let read = StageDecision::read(&nested, &outcome(DataSource::Real, 0.2));
    assert_eq!(read, Err(InvalidDecision::Param("a".to_owned())));
}

/// seed-arithmetic.md, "Decisions": forward and reverse rates, overlap and `min_seeds_tested` count too.
#[test]
fn every_threshold_of_the_block_is_used() {
    let with = |name: &str, value: f64| {
        let mut outcome = outcome(DataSource::Real, 0.001);
        outcome.rates.insert(name.to_owned(), value);
        let decision = decided(&outcome);
        (decision.decision, decision.retry_reason, decision.primary_signal)
    };
    assert_eq!(with("forward_rate", 0.11).0, Verb::Escalate);
    assert_eq!(with("reverse_rate", 0.11), (Verb::Escalate, None, "reverse_rate".to_owned()));
    assert_eq!(with("overlap_ratio", 0.15).1, Some(RetryReason::Widen));
    assert_eq!(with("overlap_ratio", 0.09).0, Verb::Escalate);
    let mut few = outcome(DataSource::Real, 0.001);
    few.metrics.insert("seeds_tested".to_owned(), 499_999.0);
    let decision = decided(&few);
    assert_eq!((decision.decision, decision.retry_reason), (Verb::Retry, Some(RetryReason::Widen)));
    assert_eq!(decision.check(&few), Ok(()));
    let mut unmeasured = outcome(DataSource::Real, 0.001);
    unmeasured.rates.remove("overlap_ratio");
    assert_eq!(decided(&unmeasured).decision, Verb::Escalate, "nothing is assumed of what was not measured");
}

/// Section 7, "Default to strictest": what is missing is held to the thresholds for real data.
#[test]
fn a_kind_of_data_without_priors_is_held_to_the_strictest() {
    let mut priors = seed_priors();
    priors.evaluation_thresholds.get_mut(STEP).unwrap().remove(&DataSource::Hybrid);
    assert_eq!(priors.of(STEP, DataSource::Hybrid), priors.of(STEP, DataSource::Real));
    assert_eq!(priors.of("step_9", DataSource::Real), None);
    let least = priors.of(STEP, DataSource::Real).unwrap()["min_seeds_tested"];
    assert_eq!(least, Prior::Least(500_000.0));
}

/// Design, section 7: unknown data are held to the strictest thresholds, and in the shipped file those for
/// real data are nowhere looser than the others.
#[test]
fn the_shipped_thresholds_are_strictest_for_real_data() {
    let shipped = Priors::shipped();
    let bounds = |priors: &StepPriors, rate: &str| match priors.get(rate) {
        Some(Prior::Rate(prior)) => (prior.good_max.unwrap_or(0.0), prior.warn_max.unwrap_or(f64::MAX)),
        other => panic!("{rate}: {other:?}"),
    };
    for step in ["verify", "collect", "synthesise"] {
        let real = shipped.of(step, DataSource::Real).unwrap();
        for source in [DataSource::Synthetic, DataSource::Hybrid] {
            let other = shipped.of(step, source).unwrap();
            assert!(real.keys().eq(other.keys()), "{step} weighs the same rates for all kinds of data");
            for rate in real.keys() {
                let (strict, loose) = (bounds(real, rate), bounds(other, rate));
                assert!(strict.0 <= loose.0 && strict.1 <= loose.1, "{step} {rate}");
            }
        }
    }
}

#[test]
fn a_users_thresholds_replace_the_shipped_ones_and_leave_the_others() {
    let file = json!({"evaluation_thresholds": {"verify": {"real": {"dissent_rate": {"good_max": 0.01}}}}});
    let priors = Priors::shipped().overruled_by(Priors::parse(&file.to_string()).unwrap());
    assert_eq!(priors.of("verify", DataSource::Real).unwrap().len(), 1);
    assert!(priors.of("verify", DataSource::Hybrid).unwrap().len() > 1);
    assert!(priors.of("collect", DataSource::Real).unwrap().len() > 1);
}

#[test]
fn priors_that_make_no_sense_are_refused() {
    let of = |rate: serde_json::Value| {
        Priors::parse(&json!({"evaluation_thresholds": {"s": {"real": {"r": rate}}}}).to_string())
    };
    assert!(of(json!({"good_max": 0.1, "warn_max": 0.2})).is_ok());
    assert!(matches!(of(json!({"good_max": 0.3, "warn_max": 0.2})), Err(PriorsError::Order { .. })));
    assert!(matches!(of(json!({"good_max": 0.1, "best": 1})), Err(PriorsError::Shape(_))));
    let synthetic = json!({"evaluation_thresholds": {"s": {"synthetic": {}}}}).to_string();
    assert_eq!(Priors::parse(&synthetic), Err(PriorsError::NoReal("s".to_owned())));
}

fn answer(change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut answer = json!({
        "decision": "proceed", "retry_reason": null, "confidence": 0.9,
        "reasoning": "bidirectional_rate is low for real data", "primary_signal": "bidirectional_rate",
        "suggested_params": null, "warnings": [],
        "checks": {"used_rates": true, "mentioned_data_source": true, "avoided_absolute_only": true},
    });
    change(&mut answer);
    answer.to_string()
}

/// Section 6, phase 4: a reasoning is held against its own self-checks.
#[test]
fn a_models_decision_counts_only_if_it_is_what_it_says() {
    let outcome = outcome(DataSource::Real, 0.2);
    let priors = seed_priors();
    let priors = priors.of(STEP, DataSource::Real).unwrap();
    let none = Suggestions::new();
    let by = |text: String| decide(&outcome, priors, &none, Some(&text)).1;
    assert_eq!(by(answer(|_| {})), DecidedBy::Model);
    let refused = |text: String| match by(text) {
        DecidedBy::Code(Some(why)) => why.to_string(),
        other => panic!("it was taken: {other:?}"),
    };
    assert!(refused("proceed!".to_owned()).contains("no decision"));
    assert!(refused(answer(|a| a["confidence"] = json!(1.5))).contains("confidence"));
    assert!(refused(answer(|a| a["reasoning"] = json!("too short"))).contains("reasoning"));
    assert!(refused(answer(|a| a["decision"] = json!("retry"))).contains("reason"));
    assert!(refused(answer(|a| a["decision"] = json!("tighten"))).contains("no decision"));
    assert!(refused(answer(|a| a["primary_signal"] = json!("mood"))).contains("mood"));
    assert!(
        refused(answer(|a| a["reasoning"] = json!("353911 is far too many for real data"))).contains("rates")
    );
    let no_source = json!("bidirectional_rate is low, all is well");
    assert!(refused(answer(|a| a["reasoning"] = no_source)).contains("kind of data"));
    // What does not count is replaced by code's own decision, and without a model code decides.
    let (decision, _) = decide(&outcome, priors, &none, Some("?"));
    assert_eq!(decision.decision, Verb::Escalate);
    assert_eq!(decide(&outcome, priors, &none, None), (decision, DecidedBy::Code(None)));
}

#[test]
fn every_valid_decision_satisfies_the_schema_and_the_old_verbs_do_not() {
    let schema = StageDecision::schema();
    crate::check_schema(&schema).unwrap();
    for rate in [0.001, 0.01, 0.5] {
        let text = serde_json::to_string(&decided(&outcome(DataSource::Real, rate))).unwrap();
        crate::satisfies(&schema, &text).unwrap();
    }
    for old in ["tighten", "widen", "investigate"] {
        assert!(crate::satisfies(&schema, &answer(|a| a["decision"] = json!(old))).is_err());
    }
}

/// A server that does not decode under the schema knows of the fields by the prompt alone.
#[test]
fn the_prompt_names_every_field_and_word_of_the_schema() {
    let schema = StageDecision::schema();
    let mut wanted: Vec<String> = Vec::new();
    for object in [&schema, &schema["properties"]["checks"]] {
        wanted.extend(object["properties"].as_object().unwrap().keys().cloned());
    }
    for field in ["decision", "retry_reason"] {
        let words = schema["properties"][field]["enum"].as_array().unwrap();
        wanted.extend(words.iter().filter_map(|word| word.as_str().map(str::to_owned)));
    }
    assert!(wanted.len() > 15, "{wanted:?}");
    for word in wanted {
        assert!(prompt::DECISION.contains(&format!("\"{word}\"")), "{word}");
    }
    let order: Vec<usize> = schema["required"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| prompt::DECISION.find(&format!("- {field}:")).unwrap_or_else(|| panic!("no {field}")))
        .collect();
    assert!(order.is_sorted(), "in the order of the grammar: {order:?}");
}

proptest! {
    /// Section 10: varying the metrics changes the metric slots of the prompt and nothing else.
    #[test]
    fn only_the_slots_of_the_prompt_follow_the_metrics(
        rates in proptest::collection::btree_map("[a-z_\"\\n{}]{1,12}", any::<f64>(), 0..5),
        metrics in proptest::collection::btree_map("[a-z_]{1,12}", -1e12_f64..1e12, 0..5)
    ) {
        let template = Template::parse(prompt::DECISION).unwrap();
        let outcome = Outcome { metrics, rates, ..outcome(DataSource::Real, 0.1) };
        let priors = seed_priors();
        let real = priors.of(STEP, DataSource::Real).unwrap();
        let filled = prompt::fill(&template, &outcome, real, &priors.suggestions(STEP)).unwrap();
        // Whatever the values are, the fixed text stands in its order, and between its parts one line of JSON.
        let mut rest = filled.as_str();
        for (at, fixed) in template.fixed_text().enumerate() {
            let Some(found) = rest.find(fixed) else { return Err(TestCaseError::fail("the fixed text changed")) };
            if at > 0 {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&rest[..found]).is_ok(), "{}", &rest[..found]);
            }
            rest = &rest[found + fixed.len()..];
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn no_model_output_panics_and_what_is_taken_is_valid(
        text in "\\PC{0,120}", json in "[{}\\[\\]\":,a-z0-9._ ]{0,80}", field in 0_usize..8, value in "\\PC{0,40}"
    ) {
        let outcome = outcome(DataSource::Real, 0.2);
        let fields = [
            "decision", "retry_reason", "confidence", "reasoning", "primary_signal", "suggested_params", "warnings",
            "checks",
        ];
        // One field of a valid decision is whatever it is.
        let odd = answer(|a| a[fields[field]] = serde_json::from_str(&value).unwrap_or_else(|_| json!(value)));
        for output in [text, json, odd] {
            if let Ok(decision) = StageDecision::read(&output, &outcome) {
                prop_assert_eq!(decision.check(&outcome), Ok(()));
            }
        }
    }

    #[test]
    fn code_decides_about_any_rates_without_a_panic_and_validly(rate in any::<f64>(), tested in any::<f64>()) {
        let mut outcome = outcome(DataSource::Hybrid, rate);
        outcome.metrics.insert("seeds_tested".to_owned(), tested);
        prop_assert_eq!(decided(&outcome).check(&outcome), Ok(()));
    }
}
