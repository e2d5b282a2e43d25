//! Rulings over replicas, and what they teach.

use super::*;

const EVERYBODY: Reach = Reach { anyone: true, known: true };
const NEWCOMERS: Reach = Reach { anyone: true, known: false };
const NOBODY: Reach = Reach { anyone: false, known: false };

fn replica(provider: &str, key: &str) -> Replica<String> {
    Replica {
        provider: provider.to_owned(),
        key: key.to_owned(),
        trusted: false,
        confidence: Some(0.9),
        attested: None,
        answer: key.to_owned(),
    }
}

fn question(id: u64) -> Question {
    let class = TaskClass::new("map", "general", 0);
    Question { id, class, high_stakes: false, flagged: false, gold: None }
}

fn assessor(sampling: SamplingRules) -> Assessor {
    let mut assessor = Assessor::new(AdaptiveConfig::default(), sampling, Reputation::new(), 7);
    for name in ["a", "b", "c", "d"] {
        assessor.meet(name, ProviderTraits::default());
    }
    assessor
}

fn never() -> SamplingRules {
    SamplingRules { random: 0.0, new_provider: 0.0, ..SamplingRules::default() }
}

/// Rules over these answers and, if one is accepted, learns from it.
fn settle(assessor: &mut Assessor, id: u64, replicas: &[Replica<String>], reach: Reach) -> bool {
    let question = question(id);
    match assessor.rule(&question, replicas, reach) {
        Ruling::Accepted { verified, assessment } => {
            assessor.accepted(&question, replicas, verified.report(), assessment.fidelity);
            true
        }
        _ => false,
    }
}

#[test]
fn three_newcomers_become_one_trusted_provider() {
    let mut assessor = assessor(never());
    let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
    assert!(!settle(&mut assessor, 0, &three[..1], NEWCOMERS));
    (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
    assert!(settle(&mut assessor, 12, &three[..1], EVERYBODY), "one answer is enough now");
    assert_eq!(assessor.seen().len(), 13);
    assert_eq!(assessor.spot_checks(), 0);
}

#[test]
fn an_answer_that_could_stand_alone_is_checked_where_the_lot_falls_on_it() {
    let mut assessor = assessor(SamplingRules { random: 0.1, new_provider: 0.0, ..SamplingRules::default() });
    let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
    (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
    let alone = (0..1_000).filter(|id| settle(&mut assessor, *id, &three[..1], EVERYBODY)).count();
    assert!((870..930).contains(&alone), "{alone}");
    assert_eq!(assessor.spot_checks(), 1_000 - alone);
    let stakes = Question { high_stakes: true, ..question(5_000) };
    let ruling = assessor.rule(&stakes, &three[..1], EVERYBODY);
    let because = AskReason::SpotCheck(SampledBecause::HighStakes);
    assert!(matches!(ruling, Ruling::Ask { because: why, .. } if why == because), "{ruling:?}");
}

#[test]
fn what_was_drawn_before_there_was_an_answer_is_rechecked() {
    let sampling =
        SamplingRules { random: 0.0, new_provider: 1.0, new_provider_tasks: 13, ..SamplingRules::default() };
    let mut assessor = assessor(sampling);
    let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
    (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
    assert!(assessor.will_recheck(&question(20), "a"), "it has given twelve answers");
    assert!(settle(&mut assessor, 12, &three, NEWCOMERS));
    assert!(!assessor.will_recheck(&question(21), "a"), "it has given thirteen");
    let because = AskReason::SpotCheck(SampledBecause::NewProvider);
    let ruling = assessor.rule(&question(20), &three[..1], EVERYBODY);
    assert!(matches!(ruling, Ruling::Ask { because: why, .. } if why == because), "{ruling:?}");
    assert!(settle(&mut assessor, 20, &three[..2], EVERYBODY));
    assert!(settle(&mut assessor, 21, &three[..1], EVERYBODY));
}

/// seeds/verifier-block.md, "When to spot-check": the shares are of all tasks, whatever accepted their answers.
#[test]
fn what_another_policy_accepts_is_looked_at_again_by_the_same_shares() {
    let mut assessor = assessor(SamplingRules { random: 0.1, new_provider: 0.0, ..SamplingRules::default() });
    let one = [replica("a", "42")];
    let report = Report::of(&one[0], &one);
    let mut looks = |question: &Question, looks| assessor.looks_again(question, &one, &report, looks);
    let sampled = (0..1_000).filter(|id| looks(&question(*id), LooksAgain::Sampled).is_some()).count();
    assert!((70..130).contains(&sampled), "{sampled}");
    let stakes = Question { high_stakes: true, ..question(1) };
    let because = Some(AskReason::SpotCheck(SampledBecause::HighStakes));
    assert_eq!(looks(&stakes, LooksAgain::Sampled), because);
    assert_eq!(looks(&stakes, LooksAgain::AgainstGold), None, "nobody ordered another answer");
    let gold = |key: &str| Question { gold: Some(key.to_owned()), ..question(1) };
    assert_eq!(looks(&gold("43"), LooksAgain::AgainstGold), Some(AskReason::Gold));
    assert_eq!(looks(&gold("43"), LooksAgain::Never), None);
    let known = Question { high_stakes: true, ..gold("42") };
    assert_eq!(looks(&known, LooksAgain::Sampled), because, "nothing tells it from another task");
    assert_eq!(assessor.spot_checks(), sampled + 2);
}

#[test]
fn what_a_sleeper_said_alone_is_in_doubt_once_it_is_contradicted() {
    let mut assessor = assessor(never());
    let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
    (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
    (20..25).for_each(|id| assert!(settle(&mut assessor, id, &[replica("a", "41")], EVERYBODY)));
    assert!(settle(&mut assessor, 25, &[replica("b", "42")], EVERYBODY));
    let (checked, caught) = (question(26), [replica("a", "41"), replica("b", "42"), replica("c", "42")]);
    let Ruling::Accepted { verified, assessment } = assessor.rule(&checked, &caught, EVERYBODY) else {
        panic!("two trusted providers are believed against one");
    };
    let changes = assessor.accepted(&checked, &caught, verified.report(), assessment.fidelity);
    let doubted: Vec<u64> = changes.doubted.iter().map(|doubted| doubted.subtask).collect();
    assert_eq!(doubted, [20, 21, 22, 23, 24]);
    let name = |doubted: &super::super::Doubted| assessor.reputation().name(doubted.provider);
    assert!(changes.doubted.iter().all(|doubted| name(doubted) == "a"));
}

#[test]
fn answers_are_audited_by_a_lot_that_no_provider_shares_with_another() {
    let assessor = assessor(SamplingRules { random: 0.1, new_provider: 0.0, ..SamplingRules::default() });
    let drawn = |name: &str| -> Vec<u64> {
        (0..2_000).filter(|id| assessor.audited(&question(*id), &replica(name, "42")).is_some()).collect()
    };
    let (a, b) = (drawn("a"), drawn("b"));
    assert!((150..250).contains(&a.len()) && (150..250).contains(&b.len()), "{} {}", a.len(), b.len());
    assert_ne!(a, b);
    let stakes = Question { high_stakes: true, ..question(7) };
    assert_eq!(assessor.audited(&stakes, &replica("a", "42")), Some(SampledBecause::HighStakes));
    assert_eq!(assessor.audited(&stakes, &replica("nobody", "42")), None);
}

#[test]
fn answers_given_alone_are_doubted_once_an_audit_shows_another_model() {
    let mut assessor = assessor(never());
    let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
    (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
    (20..23).for_each(|id| assert!(settle(&mut assessor, id, &three[..1], EVERYBODY)));
    let weights_hash = crate::audit::Calibrations::shipped().calibrations.remove(0).weights_hash;
    let audited = Evidence::Audited { provider: "a".to_owned(), weights_hash, score_nats: 0.05 };
    let changes = assessor.observe(audited);
    assert_eq!(changes.out.len(), 1);
    assert_eq!(changes.doubted.iter().map(|doubted| doubted.subtask).collect::<Vec<_>>(), [20, 21, 22]);
}

#[test]
fn an_uncertain_answer_needs_three_and_a_dissenter_confirms_nothing() {
    let mut assessor = assessor(never());
    let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
    (0..40).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
    let shaky = |name: &str| Replica { confidence: Some(0.1), ..replica(name, "7") };
    let needs_more = |assessor: &mut Assessor, question: &Question, replicas: &[Replica<String>]| {
        let ruling = assessor.rule(question, replicas, EVERYBODY);
        matches!(ruling, Ruling::Ask { because: AskReason::SpotCheck(_), .. })
    };
    let all = [shaky("a"), shaky("b"), shaky("c")];
    let unsure = question(50);
    assert!(needs_more(&mut assessor, &unsure, &all[..1]));
    assert!(needs_more(&mut assessor, &unsure, &all[..2]));
    assert!(!needs_more(&mut assessor, &unsure, &all));
    assert!(!needs_more(&mut assessor, &unsure, &[shaky("a"), replica("b", "7")]), "one is sure");
    // Somebody who lies says something else: nobody has looked at the answer yet.
    assessor.observe(Evidence::ProvenLie { provider: "d".to_owned() });
    let flagged = Question { flagged: true, ..question(51) };
    assert!(needs_more(&mut assessor, &flagged, &[replica("a", "7"), replica("d", "8")]));
    assert!(!needs_more(&mut assessor, &flagged, &[replica("a", "7"), replica("d", "8"), replica("b", "7")]));
}

/// design.md, section 6: "Gold tasks look like real ones in shape, length, timing and replica count". A provider that answers rightly
/// sees nobody asked, or not asked, because of the gold; before the first answer there is nothing to see at all.
#[test]
fn a_gold_task_that_is_answered_rightly_has_as_many_replicas_as_any_other() {
    let mut assessor = assessor(SamplingRules::default());
    let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
    let asks_as_often = |assessor: &Assessor| {
        let mut asked = 0;
        for id in 0..400 {
            let plain = Question { high_stakes: id % 40 == 0, flagged: id % 50 == 0, ..question(id) };
            let gold = Question { gold: Some("42".to_owned()), ..plain.clone() };
            for replicas in [&three[..0], &three[..1], &three[1..3], &three] {
                for reach in [EVERYBODY, NEWCOMERS] {
                    let asks = |question: &Question| {
                        let ruling = assessor.clone().rule(question, replicas, reach);
                        matches!(ruling, Ruling::Ask { .. })
                    };
                    assert_eq!(asks(&plain), asks(&gold), "{plain:?} {} answers", replicas.len());
                    asked += usize::from(asks(&plain));
                }
            }
        }
        asked
    };
    let at_first = asks_as_often(&assessor);
    for id in 1_000..1_060 {
        settle(&mut assessor, id, &three, NEWCOMERS);
    }
    let later = asks_as_often(&assessor);
    assert!(
        0 < later && later < at_first,
        "the test asks both of newcomers and of known ones: {later} {at_first}"
    );
}

#[test]
fn a_gold_task_needs_one_right_answer_and_shows_up_a_wrong_one() {
    let mut assessor = assessor(never());
    let gold = Question { gold: Some("42".to_owned()), ..question(0) };
    let right = [replica("a", "42")];
    let asked_on = assessor.rule(&gold, &right, NEWCOMERS);
    assert!(matches!(asked_on, Ruling::Ask { .. }), "as for any other task: {asked_on:?}");
    let Ruling::Accepted { verified, assessment } = assessor.rule(&gold, &right, NOBODY) else {
        panic!("what is known to be right is accepted from anybody, if nobody else is asked");
    };
    assessor.accepted(&gold, &right, verified.report(), assessment.fidelity);
    let both = [replica("b", "41"), replica("c", "42")];
    let Ruling::Accepted { verified, assessment } = assessor.rule(&gold, &both, NOBODY) else {
        panic!("the right one is accepted");
    };
    assert_eq!(verified.answer(), "42");
    assessor.accepted(&gold, &both, verified.report(), assessment.fidelity);
    assert_eq!(assessor.gold(), GoldTally { tasks: 2, failed: 1, doubted: 0 });
    let fidelity = |name: &str| {
        let reputation = assessor.reputation();
        reputation.fidelity(reputation.member(name).unwrap(), &gold.class)
    };
    assert!(fidelity("b") < fidelity("d") && fidelity("d") < fidelity("a"));
}

#[test]
fn a_trusted_provider_cannot_pass_gold_alone_and_two_cast_doubt_on_it() {
    let mut assessor = assessor(never());
    let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
    (0..40).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
    let gold = Question { gold: Some("7".to_owned()), ..question(50) };
    let alone = assessor.rule(&gold, &three[..1], EVERYBODY);
    assert!(matches!(alone, Ruling::Ask { because: AskReason::Gold, .. }), "{alone:?}");
    let Ruling::Accepted { verified, assessment } = assessor.rule(&gold, &three[..2], EVERYBODY) else {
        panic!("two trusted providers are believed");
    };
    assessor.accepted(&gold, &three[..2], verified.report(), assessment.fidelity);
    assert_eq!(assessor.gold(), GoldTally { tasks: 0, failed: 0, doubted: 1 });
}

#[test]
fn a_flagged_answer_is_always_looked_at_again_and_gold_falls_by_lot() {
    let mut assessor = assessor(never());
    let three = [replica("a", "42"), replica("b", "42"), replica("c", "42")];
    (0..12).for_each(|id| assert!(settle(&mut assessor, id, &three, NEWCOMERS)));
    let flagged = Question { flagged: true, ..question(20) };
    let because = AskReason::SpotCheck(SampledBecause::Flagged);
    let ruling = assessor.rule(&flagged, &three[..1], EVERYBODY);
    assert!(matches!(ruling, Ruling::Ask { because: why, .. } if why == because), "{ruling:?}");
    let gold = (0..10_000).filter(|id| assessor.is_gold(*id)).count();
    assert!((900..1_100).contains(&gold), "{gold}");
}

#[test]
fn the_users_own_machine_decides_and_teaches() {
    let mut assessor = assessor(never());
    let own = Replica { trusted: true, ..replica("local", "42") };
    let replicas = [replica("a", "43"), replica("b", "42"), own];
    let question = question(0);
    let Ruling::Accepted { verified, assessment } = assessor.rule(&question, &replicas, NEWCOMERS) else {
        panic!("its own machine is believed");
    };
    assert_eq!(verified.answer(), "42");
    assessor.accepted(&question, &replicas, verified.report(), assessment.fidelity);
    let fidelity = |name: &str| {
        let reputation = assessor.reputation();
        reputation.fidelity(reputation.member(name).unwrap(), &question.class)
    };
    assert!(fidelity("a") < fidelity("d") && fidelity("d") < fidelity("b"));
    assert!(assessor.reputation().member("local").is_none());
}

#[test]
fn a_split_names_who_said_what() {
    let mut assessor = assessor(never());
    let config = AdaptiveConfig { most_replicas: 2, ..AdaptiveConfig::default() };
    assessor.config = config;
    let split = assessor.rule(&question(0), &[replica("a", "1"), replica("b", "2")], NEWCOMERS);
    assert!(matches!(&split, Ruling::Split { report, .. } if report.dissenting.len() == 1), "{split:?}");
}
