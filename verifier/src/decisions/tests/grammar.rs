//! The grammar of seeds/llm-reasoning-refactor.md, section 3.2, read by the parser that the engine derives with.

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};

use super::*;

/// What engines are held to, compiled once.
struct Grammar(Matcher);

impl Grammar {
    fn of(grammar: TopLevelGrammar) -> Self {
        // A token is a byte: a grammar knows nothing of a model's words.
        let factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).unwrap();
        let matcher = Matcher::new(factory.create_parser(grammar));
        assert_eq!(matcher.get_error(), None);
        Self(matcher)
    }

    fn lark() -> Self {
        Self::of(TopLevelGrammar::from_lark(StageDecision::GRAMMAR.to_owned()))
    }

    /// Whether a text may be derived, from its first byte to its end.
    fn takes(&self, text: &str) -> bool {
        let mut matcher = self.0.deep_clone();
        let bytes: Vec<u32> = text.bytes().map(u32::from).collect();
        if matcher.validate_tokens(&bytes).unwrap() < bytes.len() {
            return false;
        }
        matcher.consume_tokens(&bytes).unwrap();
        matcher.is_accepting().unwrap()
    }
}

fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut value = serde_json::from_str(&answer(|_| {})).unwrap();
    change(&mut value);
    value
}

/// Decisions that are of the shape, whatever they say.
fn shaped() -> Vec<Value> {
    vec![
        changed(|_| {}),
        changed(|a| {
            (a["decision"], a["retry_reason"]) = (json!("retry"), json!("tighten"));
            a["suggested_params"] = json!({"forward_threshold": 0.005, "reverse_threshold": 0.005});
        }),
        changed(|a| {
            a["decision"] = json!("escalate");
            a["warnings"] = json!(["rate_too_high", "human_review_recommended"]);
        }),
        changed(|a| (a["decision"], a["retry_reason"]) = (json!("retry"), json!("widen"))),
        changed(|a| (a["decision"], a["retry_reason"]) = (json!("retry"), json!("rerun"))),
        changed(|a| (a["decision"], a["retry_reason"]) = (json!("retry"), json!("investigate"))),
        changed(|a| a["confidence"] = json!(1)),
        changed(|a| a["confidence"] = json!(0.0)),
        changed(|a| a["reasoning"] = json!("x".repeat(20))),
        changed(|a| a["reasoning"] = json!("x".repeat(500))),
        changed(|a| a["reasoning"] = json!("«so» it is, \"really\", 1\\2\n".repeat(3))),
        changed(|a| a["suggested_params"] = json!({})),
        changed(|a| a["suggested_params"] = json!({"a": null, "b": true, "c": "x", "d": -3, "e": 1e-7})),
    ]
}

/// Decisions that are not.
fn misshapen() -> Vec<Value> {
    vec![
        changed(|a| a["decision"] = json!("tighten")),
        changed(|a| a["decision"] = json!(null)),
        changed(|a| a["retry_reason"] = json!("sideways")),
        changed(|a| a["confidence"] = json!(1.5)),
        changed(|a| a["confidence"] = json!(-0.1)),
        changed(|a| a["confidence"] = json!("high")),
        changed(|a| a["reasoning"] = json!("x".repeat(19))),
        changed(|a| a["reasoning"] = json!("x".repeat(501))),
        changed(|a| a["primary_signal"] = json!(3)),
        changed(|a| a["suggested_params"] = json!([1])),
        changed(|a| a["suggested_params"] = json!({"a": {"b": 1}})),
        changed(|a| a["warnings"] = json!(null)),
        changed(|a| a["warnings"] = json!([1])),
        changed(|a| a["checks"] = json!({"used_rates": true})),
        changed(|a| a["checks"]["used_rates"] = json!("yes")),
        changed(|a| a["mood"] = json!("good")),
    ]
}

#[test]
fn section_3_2_grammar_takes_and_refuses_what_the_schema_does() {
    let (lark, schema) = (Grammar::lark(), StageDecision::schema());
    let derived = Grammar::of(TopLevelGrammar::from_json_schema(schema.clone()));
    let satisfies = |value: &Value| crate::satisfies(&schema, &value.to_string()).is_ok();
    for value in shaped() {
        assert!(satisfies(&value), "{value}");
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            assert!(lark.takes(&text) && derived.takes(&text), "{text}");
        }
    }
    for value in misshapen() {
        assert!(!satisfies(&value), "{value}");
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            assert!(!lark.takes(&text) && !derived.takes(&text), "{text}");
        }
    }
}

/// Section 3.1: `retry_reason` is required if the decision is to retry. A schema of this kind cannot say so.
#[test]
fn the_grammar_pairs_every_retry_with_a_reason_and_no_reason_without_one() {
    let lark = Grammar::lark();
    let retry =
        |verb: &str, reason: Value| changed(|a| (a["decision"], a["retry_reason"]) = (json!(verb), reason));
    for value in [
        retry("retry", Value::Null),
        retry("proceed", json!("widen")),
        retry("escalate", json!("investigate")),
    ] {
        assert!(crate::satisfies(&StageDecision::schema(), &value.to_string()).is_ok());
        assert!(!lark.takes(&value.to_string()), "{value}");
    }
}

/// The document's own grammar lets both of these through.
#[test]
fn what_the_grammar_derives_is_json() {
    let lark = Grammar::lark();
    let text = answer(|_| {});
    assert!(lark.takes(&text));
    assert!(!lark.takes(&text.replace("for real", "for\nreal")), "a raw line break");
    assert!(!lark.takes(&text.replace("real data\"", "real data\\\"")), "a lone backslash");
    assert!(!lark.takes(&text[..text.len() - 1]), "no end");
    assert!(!lark.takes(&format!("{text}}}")), "more than one object");
}

/// What is taken is read: nothing that an engine derives fails for its shape.
#[test]
fn what_code_decides_can_be_derived() {
    let lark = Grammar::lark();
    for rate in [0.001, 0.01, 0.05, 0.2] {
        let decision = decided(&outcome(DataSource::Real, rate));
        let text = serde_json::to_string(&decision).unwrap();
        assert!(lark.takes(&text), "{text}");
    }
}
