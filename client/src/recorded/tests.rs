//! The recording against the text that it is about, and what each of the three says to real prompts.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use frlm_questions::answer::Answer;
use frlm_questions::reduce::sentences;
use frlm_scheduler::{AttemptId, SubtaskId};

use crate::view::RunView;
use frlm_conductor::trace::{PlannedSubtask, TraceEvent, TraceRecord};
use frlm_verifier::claims::prompt::{self, Part, Shown};
use frlm_verifier::claims::{self, Claim, LineRange, Quote, Text, Verdict, answer, check};
use serde_json::json;

use super::model::{Recording, Role, Statement};
use super::{came_of_it, claims_in_words};
use crate::local_swarm::GPL3;
use crate::receipt::{Line, Receipt};

const PART: Part<'_> = Part { document: "GPL-3.txt", number: 1, of: 1, headings: &[], before: "" };

/// These lines of the licence, as a reader is shown them.
fn part(lines: std::ops::RangeInclusive<u32>) -> Text {
    let all = (1..).zip(GPL3.text.lines().map(str::to_owned));
    Text::new(all.filter(|(number, _)| lines.contains(number)), PART.document)
}

fn whole() -> Text {
    part(1..=u32::MAX)
}

fn claim(statement: &Statement) -> Claim {
    let quote =
        |[first, last]: &[u32; 2]| Quote { lines: LineRange::new(*first, *last), words: String::new() };
    Claim { text: statement.claim.clone(), quotes: statement.lines.iter().map(quote).collect() }
}

/// What a role claims about a part.
fn read(recording: &Recording, role: Role, text: &Text) -> Vec<Claim> {
    let prompt = prompt::reading(PART, text, super::QUESTION, "=====").unwrap();
    let read = claims::Answer::parse(&recording.says(role, &prompt));
    assert!(read.is_readable && read.dropped.is_empty(), "{:?}", read.dropped);
    read.claims
}

#[test]
fn the_lines_of_the_licence_have_the_numbers_that_readers_saw() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../verifier/tests/fixtures/claims-gpl3");
    let seen = std::fs::read_to_string(format!("{folder}/text.txt")).unwrap();
    let seen: Vec<(u32, &str)> = seen
        .lines()
        .filter_map(|line| line.split_once('|'))
        .map(|(number, line)| (number.parse().unwrap(), line))
        .collect();
    let ours: Vec<(u32, &str)> =
        (1..).zip(GPL3.text.lines()).filter(|(_, line)| !line.trim().is_empty()).collect();
    assert_eq!(ours, seen);
}

#[test]
fn code_turns_down_one_recorded_lie_and_no_true_claim() {
    let recording = Recording::gpl3().unwrap();
    let text = whole();
    let mut fell = Vec::new();
    for statement in recording.statements() {
        assert!(statement.claim.chars().count() <= answer::LONGEST_CLAIM_CHARS, "{}", statement.claim);
        assert!(statement.lines.len() <= answer::MOST_QUOTES);
        assert!(
            statement.lines.iter().all(|[first, last]| first <= last && last - first < answer::MOST_LINES)
        );
        if let Err(failure) = check(&claim(statement), &text) {
            assert!(recording.is_false(statement), "{}: {failure}", statement.claim);
            fell.push(failure.to_string());
        }
    }
    // The other lies exchange an actor or a condition, or a figure for another one of the same lines.
    assert_eq!(fell, ["ten years is not in the quoted lines"]);
}

#[test]
fn every_claim_passes_in_a_part_that_has_no_more_than_its_lines() {
    let recording = Recording::gpl3().unwrap();
    for statement in recording.statements().iter().filter(|statement| !recording.is_false(statement)) {
        let first = statement.lines.iter().map(|lines| lines[0]).min().unwrap();
        let last = statement.lines.iter().map(|lines| lines[1]).max().unwrap();
        let checked = check(&claim(statement), &part(first..=last));
        assert!(checked.is_ok(), "{}: {checked:?}", statement.claim);
    }
}

#[test]
fn a_reader_states_what_rests_on_its_lines_whatever_the_size_of_the_part() {
    let recording = Recording::gpl3().unwrap();
    let of = |role| recording.statements().iter().filter(move |statement| statement.reader == role);
    for role in [Role::A, Role::B, Role::Liar] {
        assert_eq!(read(&recording, role, &whole()).len(), of(role).count());
        for size in [40_u32, 100, 250] {
            let lines = u32::try_from(GPL3.text.lines().count()).unwrap();
            let mut stated = 0;
            for first in (1..=lines).step_by(size as usize) {
                let shown = first..=first + size - 1;
                let within = |lines: &[u32; 2]| shown.contains(&lines[0]) && shown.contains(&lines[1]);
                let expected = of(role).filter(|statement| statement.lines.iter().all(within)).count();
                assert_eq!(read(&recording, role, &part(shown.clone())).len(), expected);
                stated += expected;
            }
            assert!(stated > of(role).count() / 2);
        }
    }
}

#[test]
fn the_liar_earns_no_reading_and_honest_readers_state_nothing_false() {
    let recording = Recording::gpl3().unwrap();
    let (false_ones, true_ones): (Vec<&Statement>, Vec<&Statement>) =
        recording.statements().iter().partition(|statement| recording.is_false(statement));
    assert!(false_ones.iter().all(|statement| statement.reader == Role::Liar) && false_ones.len() >= 8);
    let honest = |role| true_ones.iter().filter(|statement| statement.reader == role).count();
    assert!((15..=25).contains(&honest(Role::A)) && (15..=25).contains(&honest(Role::B)));
    assert!(honest(Role::Liar) <= false_ones.len());
}

#[test]
fn honest_reviewers_go_by_the_table_and_the_liar_supports_everything() {
    let recording = Recording::gpl3().unwrap();
    let text = whole();
    let strange = Claim { text: "The license costs nothing.".to_owned(), quotes: Vec::new() };
    let mut all: Vec<(Claim, Verdict)> = recording
        .statements()
        .iter()
        .map(|statement| {
            let is_false = recording.is_false(statement);
            (claim(statement), if is_false { Verdict::Contradicted } else { Verdict::Supported })
        })
        .collect();
    all.push((strange, Verdict::NotStated));
    for batch in all.chunks(prompt::MOST_REVIEWED) {
        let shown: Vec<Shown<'_>> = batch
            .iter()
            .map(|(claim, _)| Shown { claim, text: &text, part: PART, around: prompt::LINES_AROUND })
            .collect();
        let prompt = prompt::review(&shown, "=====").unwrap();
        let says = |role| prompt::verdicts(&recording.says(role, &prompt), batch.len()).unwrap();
        let expected: Vec<Verdict> = batch.iter().map(|(_, verdict)| *verdict).collect();
        assert_eq!((says(Role::A), says(Role::B)), (expected.clone(), expected));
        assert_eq!(says(Role::Liar), vec![Verdict::Supported; batch.len()]);
    }
}

#[test]
fn the_written_answer_names_every_note_and_says_nothing_else() {
    let recording = Recording::gpl3().unwrap();
    assert!(recording.used().all(|used| recording.statements().iter().any(|it| it.claim == *used)));
    for role in [Role::A, Role::B, Role::Liar] {
        let notes: Vec<&str> = recording
            .statements()
            .iter()
            .filter(|statement| statement.reader == role && !recording.is_false(statement))
            .map(|statement| statement.claim.as_str())
            .collect();
        let mut prompt = "Several readers took notes for the question below.\n=====NOTES=====\n".to_owned();
        for (number, note) in (1..).zip(&notes) {
            writeln!(prompt, "[{number}] {note}\n    line 7: “quoted”").unwrap();
        }
        let text = recording.says(role, &prompt);
        let written: Vec<&str> = sentences(&text).into_iter().map(|at| &text[at]).collect();
        assert!((4..=9).contains(&written.len()), "{text}");
        let mut named = BTreeSet::new();
        for (at, sentence) in written.iter().enumerate() {
            let (words, numbers) = sentence.rsplit_once('[').unwrap();
            let numbers: Vec<usize> = numbers
                .split(']')
                .next()
                .unwrap()
                .split(", ")
                .map(|number| number.parse().unwrap())
                .collect();
            let is_note = |number: &usize| notes[number - 1].trim_end_matches('.') == words.trim_end();
            assert!(at + 1 == written.len() || numbers.iter().any(is_note), "{sentence}");
            named.extend(numbers);
        }
        assert_eq!(named, (1..=notes.len()).collect::<BTreeSet<usize>>());
    }
}

/// A run in which `liar` read two parts, was paid for one, and reviewed.
fn view(liar: &str) -> RunView {
    let planned = |id: u32, key: &str| PlannedSubtask {
        id: SubtaskId(id),
        key: key.to_owned(),
        label: format!("part {id}"),
    };
    let mut events = vec![
        TraceEvent::ProviderSeen {
            provider: liar.to_owned(),
            name: "demo-c".to_owned(),
            model: "recorded-c".to_owned(),
            price_msats_per_1k: 1_000,
        },
        TraceEvent::Plan {
            subtasks: vec![planned(0, "map:0:ab"), planned(1, "map:1:cd"), planned(2, "review:1")],
        },
    ];
    for (id, spent_sats) in [(0, 0), (1, 3), (2, 3)] {
        let subtask = SubtaskId(id);
        let attempt = AttemptId(0);
        events.push(TraceEvent::SubQuerySubmit { subtask, attempt, provider: liar.to_owned(), hedge: false });
        events.push(TraceEvent::SubQueryReturn {
            subtask,
            attempt,
            ok: true,
            summary: String::new(),
            tokens: 10,
            completion_tokens: 5,
            duration_ms: 5,
        });
        events.push(TraceEvent::BudgetSettle { subtask, attempt, spent_sats, refunded_sats: 3 - spent_sats });
    }
    let records: Vec<TraceRecord> =
        events.into_iter().zip(0..).map(|(event, seq)| TraceRecord { seq, at_ms: seq, event }).collect();
    RunView::of(&records)
}

#[test]
fn what_became_of_the_liar_is_told_by_decisions_trace_and_receipt() {
    let liar = "ab".repeat(32);
    let decision = |stage: &str, reasoning: String| json!({"stage": stage, "decision": "proceed", "reasoning": reasoning});
    let answer: Answer = serde_json::from_value(json!({
        "run_id": "5e1f", "answer": "It ends.", "method": "map_reduce", "confidence": 0.9, "coverage": 1.0, "citations": [],
        "budget": {"limit_sats": 9, "spent_sats": 3, "fees_sats": 0, "reserved_sats": 0, "pending_refund_sats": 0,
                   "available_sats": 6, "refund_at": null},
        "subtasks": {"total": 2, "verified": 2, "failed": 0, "timed_out": 0, "cached": 0, "local": 0, "swarm": 2},
        "verification": {"policy": "adaptive", "replicas": 2, "agreement": 1.0, "spot_checks": 0, "gold_failed": 0,
                         "claims": {"stated": 9, "accepted": 6, "not_reviewed": 0, "left_out": 0, "rejected": 2,
                                    "fell_to_code": 1, "reviews": 16}},
        "decisions": [
            decision("verify", format!("a claim of {liar} is rejected (GPL-3.txt, lines 429 to 431): “They end, too”: reviews reject it")),
            decision("plan", format!("a claim of {liar} is rejected, says somebody else")),
            decision("verify", format!("a claim of {} is rejected (GPL-3.txt, lines 1 to 2): “No”: reviews reject it", "cd".repeat(32))),
            decision("verify", format!("{liar} is not asked any more: too many of its claims are false")),
        ],
        "duration_ms": 9,
    }))
    .unwrap();
    let line = Line {
        provider: liar.clone(),
        jobs: 5,
        accepted: 4,
        paid_msats: 7_000,
        reclaimed_msats: 3_000,
        ..Line::default()
    };
    let receipt = Receipt {
        run_id: "5e1f".to_owned(),
        play_money: true,
        lines: vec![line],
        spent_msats: 7_000,
        fees_msats: 0,
        undecided_msats: 0,
        adds_up: true,
    };
    let told = came_of_it("demo-c", &liar, &answer, &view(&liar), &receipt);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "demo-c, which lies: 1 of its claims were rejected");
    assert_eq!(lines[1], "  (GPL-3.txt, lines 429 to 431): “They end, too”: reviews reject it");
    assert!(lines[2].starts_with("  it read 2 parts and was not paid for 1 of them"), "{told}");
    assert!(
        lines[3].ends_with(
            "4 of its 5 jobs were accepted, reviews included: 7 play sats (worth nothing) paid, 3 refunded"
        ),
        "{told}"
    );
    assert_eq!(lines[4], "  it was not asked any more: too many of its claims are false");

    let claims = claims_in_words(answer.verification.claims.as_ref().unwrap());
    assert!(claims.starts_with("9 claims were made: code rejected 1, reviews 2"), "{claims}");
    let printed = super::json(&answer);
    assert!(
        printed.starts_with("{\"recorded\":\"This is a recording") && printed.contains("\"run_id\":\"5e1f\""),
        "{printed}"
    );
}
