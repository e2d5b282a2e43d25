use proptest::prelude::*;

use super::*;
use crate::ingest::FragmentId;

proptest! {
    /// Whatever is to be combined, and under whatever caps: these hold, each level reads all of the one before and
    /// nothing else, so that nothing waits for itself, and one text comes of it.
    #[test]
    fn caps_hold_and_the_plan_is_a_tree(
        sizes in prop::collection::vec(1_usize..3_000, 0..400), depth in 0_usize..5, count in 1_usize..80,
        reads in 200_usize..6_000, share in 2_usize..20,
    ) {
        let caps = Caps { depth, count, reads, writes: reads / share };
        let Some(levels) = levels(&sizes, caps) else { return Ok(()) };
        prop_assert!(levels.len() <= depth + 1);
        prop_assert!(levels.iter().map(Vec::len).sum::<usize>() <= count);
        prop_assert_eq!(levels.last().map(Vec::len), Some(1));
        let mut below = sizes;
        for groups in levels {
            let mut next = 0;
            for group in &groups {
                prop_assert_eq!(group.start, next);
                prop_assert!(group.end > group.start);
                prop_assert!(below[group.clone()].iter().sum::<usize>() <= reads);
                next = group.end;
            }
            prop_assert_eq!(next, below.len());
            below = vec![caps.writes + FRAME_BYTES; groups.len()];
        }
    }
}

#[test]
fn there_is_no_tree_where_a_cap_cannot_be_kept() {
    let caps = Caps { depth: 1, count: 10, reads: 1_000, writes: 400 };
    let two = levels(&[600, 600, 300], caps).unwrap();
    assert_eq!((two.len(), &two[0][..]), (2, &[0..1, 1..3][..]));
    assert_eq!(two[1].len(), 1);
    assert_eq!(
        levels(&[600; 3], caps),
        None,
        "three digests are too much for one, and the tree may be no deeper"
    );
    assert_eq!(levels(&[600; 20], Caps { depth: 9, ..caps }), None, "too many");
    assert_eq!(levels(&[1_001], caps), None, "too large for anybody");
    assert_eq!(levels(&[], caps), None);
}

/// So many different notes of so many bytes, too much for one job together.
fn task(count: u32, bytes: usize) -> CombineTask {
    let note = |id: u32| {
        let at = FragmentRef { id: FragmentId(id), file: "report.txt".into() };
        let answer = format!("Note {id} says {}", "so ".repeat(bytes / 3));
        (at, MapAnswer::Words { answer, quotes: Vec::new() })
    };
    CombineTask {
        question: "What is said?".to_owned(),
        answers: (0..count).map(note).collect(),
        coverage: Coverage::full(count as usize),
        conflicts: String::new(),
        correction: String::new(),
        manner: "Be concise.".to_owned(),
        share: Share::default(),
    }
}

#[test]
fn notes_are_digested_in_groups_and_the_answer_is_written_from_the_digests() {
    let mut tree = CombineTree::new(task(90, 900), Caps::default()).unwrap();
    let digests = tree.next_level(SubtaskId(91));
    assert!((3..=12).contains(&digests.len()), "{}", digests.len());
    let prompts: Vec<String> =
        digests.iter().map(|subtask| subtask.prompt(frlm_inference::Dialect::Json).inputs.concat()).collect();
    assert!(prompts[0].contains("[1] Note 0 ") && !prompts[0].contains("Note 89"));
    assert!(prompts[digests.len() - 1].contains("[90] Note 89 "), "numbers are those among all notes");
    assert!(prompts.iter().all(|prompt| prompt.len() <= MOST_NOTES_BYTES + 100));

    let said: Vec<Outcome> =
        (0..digests.len()).map(|number| Outcome::Combined(format!("So it is [{}].", number + 1))).collect();
    let settled: Vec<Settled<'_>> =
        (91..).zip(&said).map(|(id, outcome)| Settled { id: SubtaskId(id), outcome, belief: 1.0 }).collect();
    assert!(!tree.hear(&settled[1..]), "one is missing");
    assert!(tree.hear(&settled[..1]));
    let last = tree.next_level(SubtaskId(200));
    let [Subtask { key, task: Task::Combine(task) }] = last.as_slice() else { panic!("{last:?}") };
    assert!(key == "combine" && task.is_last() && task.answers.len() == 90);
    let prompt = last[0].prompt(frlm_inference::Dialect::Json);
    assert!(prompt.inputs.concat().contains("So it is [1].") && prompt.instruction.contains("Be concise."));
    assert!(tree.next_level(SubtaskId(201)).is_empty());
}

#[test]
fn a_digest_keeps_to_its_budget_and_to_its_own_notes() {
    let mut tree = CombineTree::new(task(90, 900), Caps::default()).unwrap();
    let digests = tree.next_level(SubtaskId(0));
    let second = &digests[1];
    let Task::Combine(task) = &second.task else { panic!("{second:?}") };
    let own = task.share.notes_before + 1;
    let read = |text: String| second.parse(frlm_inference::Dialect::Json, &[text]);
    assert!(own > 1 && read(format!("So it is [{own}].")).is_ok());
    assert!(read("So it is [1].".to_owned()).is_err(), "another one's note");
    assert!(read("So it is.".to_owned()).is_err(), "nobody could tell what it rests on");
    assert!(read(format!("{} [{own}].", "so ".repeat(2_000))).is_err(), "longer than its parent can read");
    let lines = "so\n".repeat(500);
    assert!(lines.len() < Caps::default().writes, "short as it is written");
    assert!(read(format!("{lines} [{own}].")).is_err(), "and too long where its lines are indented");
}

#[test]
fn what_fits_into_one_job_needs_no_tree() {
    assert!(CombineTree::new(task(5, 900), Caps::default()).is_none());
}
