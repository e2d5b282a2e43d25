use std::time::Duration;

use frlm_questions::plan::FragmentMap;
use frlm_questions::question::FieldHints;
use frlm_scheduler::SchedulerConfig;
use frlm_scheduler::SubtaskId;
use frlm_verifier::claims::{LineRange, Quote};

use super::*;
use crate::policy::FrlmPolicy;

const TEXT: &str = "The boats came at nine. The boats came back.";

/// What settling works on, without a run.
struct Parts {
    claims: ClaimDesk,
    setup: RunSetup,
    peers: Peers,
    scheduler: Scheduler,
    subtasks: Subtasks,
    journal: Journal,
}

impl Parts {
    fn new() -> Self {
        let plan = FragmentMap::new("When?", None, FieldHints::default(), Vec::new(), true);
        Self {
            claims: ClaimDesk::new(None, false),
            setup: RunSetup::new("run", "When?", Vec::new(), Box::new(plan), FrlmPolicy::standard()),
            peers: Peers::default(),
            scheduler: Scheduler::new(SchedulerConfig::default()),
            subtasks: Subtasks::default(),
            journal: Journal::new("run", None, None, 0, Duration::ZERO),
        }
    }

    /// A writer's text whose two sentences come to this.
    fn text(&mut self, outcomes: [ClaimOutcome; 2]) -> Follows {
        let answer = Outcome::Combined(TEXT.to_owned());
        let replica = Replica {
            provider: "writer".to_owned(),
            key: answer.agreement_key(),
            trusted: false,
            confidence: None,
            attested: None,
            answer,
        };
        let split = TEXT.find(" The boats came back").unwrap();
        let places = vec![0..split, split..TEXT.len()];
        let about = Arc::new(frlm_questions::dialect::testing::fragment("notes", "a note"));
        let ticket = Ticket::at(0, 0);
        self.claims.held.insert(SubtaskId(0), Held { ticket, replica, about, places: places.clone() });
        let quotes = vec![Quote { lines: LineRange::new(1, 1), words: String::new() }];
        let claims = places.into_iter().zip(outcomes).map(|(place, outcome)| {
            (Claim { text: TEXT[place].trim().to_owned(), quotes: quotes.clone() }, outcome)
        });
        let (claims, reader) = (claims.collect(), "writer".into());
        let settled = Settled { reading: SubtaskId(0), reader, claims, fallen: 0, prior: 0.1, again: None };
        let mut settling = Settling {
            desk: &mut self.claims,
            setup: &self.setup,
            peers: &self.peers,
            scheduler: &self.scheduler,
            subtasks: &mut self.subtasks,
            journal: &mut self.journal,
        };
        settling.settle(&settled).unwrap()
    }
}

#[test]
fn a_text_is_written_again_once_and_then_goes_without_what_fell() {
    let (stands, falls) = (ClaimOutcome::Accepted(0.02), ClaimOutcome::Rejected);
    let mut desk = Parts::new();
    let Follows::Failed { why, .. } = desk.text([stands, falls]) else { panic!("it is written once more") };
    assert!(why.ends_with("“The boats came back.”"), "{why}");
    let next = desk.text([stands, falls]);
    let Follows::Settled { replica, earned, .. } = next else {
        panic!("it goes without that sentence: {next:?}")
    };
    assert_eq!((replica.answer, earned), (Outcome::Combined("The boats came at nine.".to_owned()), true));
    assert_eq!(desk.claims.report.sentences_dropped, 1);
    assert!(matches!(desk.text([falls; 2]), Follows::Failed { .. }), "nothing of it is left");
    assert!(matches!(desk.text([stands; 2]), Follows::Settled { .. }));
    let unseen = desk.text([ClaimOutcome::Unjudged; 2]);
    assert!(matches!(unseen, Follows::Unjudged { .. }), "whose verdict it needs was not there: {unseen:?}");
}
