//! Which jobs are refused, and why.

use super::*;
use crate::testing::{NOW, directed, model_info, request};
use frlm_protocol::{InputSource, Mode};
use serde_json::json;

struct Load {
    config: ProviderConfig,
    model: ModelInfo,
    prompts_ahead: usize,
    prompt_duration: Option<Duration>,
    trial: bool,
    gives_away: bool,
    stopping: bool,
}

type Change<T> = fn(&mut T);
type Case = (&'static str, Change<ReceivedJob>, Change<Load>, Option<RefusalReason>);

/// A small job for an idle, free provider with 1,024 tokens of context, with a change to each.
fn admitted(change_job: Change<ReceivedJob>, change_load: Change<Load>) -> Result<Admitted, Refusal> {
    let mut job = directed(request("copy status", &["001 shipped", "002 failed"], Mode::Each));
    let mut load = Load {
        config: ProviderConfig::default(),
        model: model_info(),
        prompts_ahead: 0,
        prompt_duration: None,
        trial: false,
        gives_away: false,
        stopping: false,
    };
    change_job(&mut job);
    change_load(&mut load);
    let state = State {
        config: &load.config,
        model: &load.model,
        prompts_ahead: load.prompts_ahead,
        prompt_duration: load.prompt_duration,
        trial: load.trial,
        gives_away: load.gives_away,
        stopping: load.stopping,
    };
    admit(&job, &state, NOW)
}

fn check(cases: &[Case]) {
    for (name, job, load, expected) in cases {
        let refused = admitted(*job, *load).err();
        assert_eq!(refused.as_ref().map(|refusal| refusal.reason), *expected, "{name}: {refused:?}");
    }
}

fn in_secs(secs: u64) -> Timestamp {
    Timestamp::from_secs(NOW.as_secs() + secs)
}

#[test]
fn only_jobs_that_can_be_served_are_taken() {
    let unsupported = Some(RefusalReason::Unsupported);
    check(&[
        ("an ordinary job", |_| {}, |_| {}, None),
        ("stopping", |_| {}, |l| l.stopping = true, Some(RefusalReason::ShuttingDown)),
        ("an open job", |j| j.audience = Audience::Open, |_| {}, unsupported),
        ("a welcome open job", |j| j.audience = Audience::Open, |l| l.config.accept_open_jobs = true, None),
        ("an address", |j| j.request.inputs[1].source = InputSource::Url, |_| {}, unsupported),
        ("an event", |j| j.request.inputs[1].source = InputSource::Event, |_| {}, unsupported),
        ("a job's output", |j| j.request.inputs[0].source = InputSource::Job, |_| {}, unsupported),
        ("nothing to do", |j| j.request = request("", &[" "], Mode::Together), |_| {}, unsupported),
        ("no tokens", |j| j.request.max_tokens = Some(0), |_| {}, unsupported),
        ("the model by name", |j| j.request.model = Some("Test-Model".to_owned()), |_| {}, None),
        (
            "another model",
            |j| j.request.model = Some("gpt".to_owned()),
            |_| {},
            Some(RefusalReason::WrongModel),
        ),
    ]);
}

#[test]
fn constraints_must_compile_and_grammars_need_an_engine() {
    let unsupported = Some(RefusalReason::Unsupported);
    let grammar: Change<ReceivedJob> =
        |j| j.request.constraint = Some(OutputConstraint::Lark("start: \"a\"".to_owned()));
    check(&[
        ("a grammar without an engine for it", grammar, |l| l.model.constraints = false, unsupported),
        ("a grammar with an engine for it", grammar, |l| l.model.constraints = true, None),
        (
            "a broken regular expression",
            |j| j.request.constraint = Some(OutputConstraint::Regex("(".to_owned())),
            |_| {},
            unsupported,
        ),
        (
            "a schema that names another document",
            |j| {
                let schema = json!({ "$ref": "http://127.0.0.1/schema" });
                j.request.constraint = Some(OutputConstraint::JsonSchema(schema));
            },
            |_| {},
            unsupported,
        ),
    ]);
}

#[test]
fn jobs_must_fit_the_context_and_the_operators_limits() {
    let too_large = Some(RefusalReason::TooLarge);
    check(&[
        ("a long prompt", |j| j.request.inputs[0].data = "word ".repeat(2000), |_| {}, too_large),
        (
            "a prompt over the operator's limit",
            |j| j.request.inputs[0].data = "word ".repeat(200),
            |l| l.config.max_prompt_tokens = Some(100),
            too_large,
        ),
        ("prompt and answer together", |j| j.request.max_tokens = Some(1024), |_| {}, too_large),
        (
            "a foreign client's generous limit",
            |j| {
                j.request.max_tokens = Some(1024);
                j.request.profile = None;
            },
            |_| {},
            None,
        ),
        ("many inputs", |_| {}, |l| l.config.max_inputs = 1, too_large),
        (
            "two inputs that fit alone",
            |j| j.request.inputs.iter_mut().for_each(|input| input.data = "w".repeat(2400)),
            |_| {},
            None,
        ),
        (
            "two inputs that do not fit together",
            |j| {
                j.request.mode = Mode::Together;
                j.request.inputs.iter_mut().for_each(|input| input.data = "w".repeat(2400));
            },
            |_| {},
            too_large,
        ),
    ]);
}

#[test]
fn jobs_must_pay_the_most_that_they_may_cost() {
    let too_low = Some(RefusalReason::BidTooLow);
    check(&[
        ("no bid", |_| {}, |l| l.config.price_msats_per_1k = 1000, too_low),
        ("a low bid", |j| j.request.bid_msats = Some(1000), |l| l.config.price_msats_per_1k = 1000, too_low),
        ("the price", |j| j.request.bid_msats = Some(2000), |l| l.config.price_msats_per_1k = 1000, None),
        (
            "a low bid for short answers",
            |j| {
                j.request.bid_msats = Some(1000);
                j.request.max_tokens = Some(8);
            },
            |l| l.config.price_msats_per_1k = 1000,
            None,
        ),
        ("no bid for a free provider", |_| {}, |_| {}, None),
    ]);
}

#[test]
fn what_is_given_away_needs_no_bid_and_what_can_pay_is_paid() {
    let giving: Change<Load> = |l| {
        l.config.price_msats_per_1k = 1000;
        l.config.free_jobs_per_day = 5;
        l.gives_away = true;
    };
    assert!(admitted(|_| {}, giving).unwrap().free);
    assert!(admitted(|j| j.request.bid_msats = Some(1), giving).unwrap().free, "too little is nothing");
    assert!(!admitted(|j| j.request.bid_msats = Some(2000), giving).unwrap().free, "it would pay");
    assert!(!admitted(|_| {}, |l| l.gives_away = true).unwrap().free, "nothing costs anything here");
    let locked = admitted(|j| j.request.payment = Some("{}".to_owned()), giving).unwrap_err();
    assert_eq!(locked.reason, RefusalReason::BidTooLow, "its lock goes back to it");
    let used_up: Change<Load> = |l| {
        l.config.price_msats_per_1k = 1000;
        l.config.free_jobs_per_day = 5;
    };
    let refused = admitted(|_| {}, used_up).unwrap_err();
    assert_eq!(refused.reason, RefusalReason::BidTooLow);
    assert!(refused.detail.contains("used up") && refused.detail.contains("2 sats"), "{}", refused.detail);
}

#[test]
fn jobs_must_be_done_before_they_expire() {
    let busy: Change<Load> = |l| {
        l.prompts_ahead = 20;
        l.prompt_duration = Some(Duration::from_secs(1));
    };
    check(&[
        (
            "a queue that lasts longer than the job",
            |j| j.request.expires_at = Some(in_secs(10)),
            busy,
            Some(RefusalReason::TooLate),
        ),
        ("enough time", |j| j.request.expires_at = Some(in_secs(30)), busy, None),
        ("no expiration", |_| {}, busy, None),
        (
            "more slots",
            |j| j.request.expires_at = Some(in_secs(10)),
            |l| {
                l.prompts_ahead = 20;
                l.prompt_duration = Some(Duration::from_secs(1));
                l.model.concurrency = 4;
            },
            None,
        ),
        (
            "an engine whose speed is unknown",
            |j| j.request.expires_at = Some(in_secs(10)),
            |l| l.prompts_ahead = 20,
            None,
        ),
    ]);
}

#[test]
fn an_engine_that_rested_is_tried_with_a_job_that_would_be_late() {
    let slow: Change<Load> = |l| {
        l.prompt_duration = Some(Duration::from_mins(1));
        l.trial = true;
    };
    let trial = |expires_in: Change<ReceivedJob>| admitted(expires_in, slow).unwrap().trial;
    assert!(trial(|j| j.request.expires_at = Some(in_secs(10))));
    assert!(!trial(|j| j.request.expires_at = Some(in_secs(600))), "it is in time by what is known");
    assert!(!trial(|_| {}), "it is never late");
}

#[test]
fn the_answers_limit_is_the_jobs_or_what_fits() {
    let max_tokens = |job| admitted(job, |_| {}).unwrap().max_tokens;
    assert_eq!(max_tokens(|j| j.request.max_tokens = Some(7)), 7);
    assert_eq!(max_tokens(|_| {}), 509);
    assert_eq!(max_tokens(|j| j.request.inputs[0].data = "w".repeat(3600)), 61);
}

#[test]
fn a_constraint_reaches_only_engines_that_enforce_it() {
    let constrained: Change<ReceivedJob> =
        |j| j.request.constraint = Some(OutputConstraint::Regex("a|b".to_owned()));
    assert!(admitted(constrained, |l| l.model.constraints = true).unwrap().constraint.is_some());
    assert!(admitted(constrained, |l| l.model.constraints = false).unwrap().constraint.is_none());
}

#[test]
fn a_field_copying_model_takes_its_own_tasks_and_no_foreign_prompt() {
    for (instruction, input, taken) in [
        ("copy status, user", "001 shipped", true),
        ("plan", "How many orders failed?", true),
        ("", "copy status\n001 shipped", true),
        ("", "What is the capital of France?", false),
        ("Summarise this", "a text", false),
        ("copying", "a text", false),
        ("", "", false),
    ] {
        let mut job = directed(request(instruction, &[input], Mode::Each));
        job.request.profile = None;
        let mut model = model_info();
        let verdict = |model: &ModelInfo| {
            let config = ProviderConfig::default();
            let state = State {
                config: &config,
                model,
                prompts_ahead: 0,
                prompt_duration: None,
                trial: false,
                gives_away: false,
                stopping: false,
            };
            admit(&job, &state, NOW).map(|_| ()).map_err(|refusal| refusal.reason)
        };
        if !(instruction.is_empty() && input.is_empty()) {
            assert_eq!(verdict(&model), Ok(()), "a general model takes it: {instruction} {input}");
        }
        model.dialect = Dialect::Records;
        let expected = if taken { Ok(()) } else { Err(RefusalReason::Unsupported) };
        assert_eq!(verdict(&model), expected, "{instruction} {input}");
    }
}

#[test]
fn more_answers_than_a_result_holds_are_refused_before_any_is_written() {
    let of = |inputs: usize| {
        let inputs = vec!["a"; inputs];
        let job = directed(request("copy", &inputs, Mode::Each));
        let (config, model) = (ProviderConfig::default(), model_info());
        let state = State {
            config: &config,
            model: &model,
            prompts_ahead: 0,
            prompt_duration: None,
            trial: false,
            gives_away: false,
            stopping: false,
        };
        admit(&job, &state, NOW).map(|needs| needs.prompts).map_err(|refusal| refusal.reason)
    };
    assert_eq!(of(800), Ok(800));
    assert_eq!(of(1_024), Err(RefusalReason::TooLarge));
}
