use frlm_inference::Dialect;
use proptest::prelude::*;

use super::*;
use crate::ingest::FragmentId;
use crate::reduce::words::MOST_NOTES_BYTES;

/// Words, figures, letters of several bytes: bytes and tokens differ.
const UNITS: [&str; 4] = ["so ", "1 2 3; ", "и так ", "漢字"];

fn sum_of(sizes: &[Size]) -> Size {
    sizes.iter().fold(Size::NONE, |sum, size| sum.plus(*size))
}

proptest! {
    /// Whatever is to be combined, and under whatever bounds: these hold, each level reads all of the one before and
    /// nothing else, so that nothing waits for itself, and one text comes of it.
    #[test]
    fn bounds_hold_and_the_plan_is_a_tree(
        sizes in prop::collection::vec((1_usize..3_000, 1_usize..1_500), 0..400), depth in 0_usize..5,
        count in 1_usize..80, bytes in 200_usize..6_000, tokens in 100_usize..3_000, batch in 2_usize..20,
    ) {
        let sizes: Vec<Size> = sizes.into_iter().map(|(bytes, tokens)| Size { bytes, tokens }).collect();
        let reads = Size { bytes, tokens };
        let bounds = Bounds { depth, count, reads, writes: Size { bytes: bytes / batch, tokens: tokens / batch } };
        let Some(levels) = levels(&sizes, bounds) else { return Ok(()) };
        prop_assert!(levels.len() <= depth + 1);
        prop_assert!(levels.iter().map(Vec::len).sum::<usize>() <= count);
        prop_assert_eq!(levels.last().map(Vec::len), Some(1));
        let mut below = sizes;
        for groups in levels {
            let mut next = 0;
            for group in &groups {
                prop_assert_eq!(group.start, next);
                prop_assert!(group.end > group.start);
                prop_assert!(sum_of(&below[group.clone()]).fits(reads));
                next = group.end;
            }
            prop_assert_eq!(next, below.len());
            below = vec![bounds.writes.plus(FRAME); groups.len()];
        }
    }

    /// Whatever the notes are made of: each step, with whatever role it is told in, is read at once by those for whom the
    /// tree was made, however long the digests are that pass.
    #[test]
    fn each_step_fits_those_for_whom_it_was_made(
        count in 2_u32..60, bytes in 30_usize..1_500, unit in prop::sample::select(UNITS.to_vec()),
        context in 1_000_usize..40_000,
    ) {
        let Some(way) = Way::of(task_of(count, unit, bytes), Contexts::same(context)) else { return Ok(()) };
        let fits = |subtask: &Subtask| {
            let mut prompt = subtask.prompt(Dialect::Json);
            prompt.instruction.insert_str(0, &"role ".repeat(LONGEST_ROLE / 5));
            prompt.longest() <= context as u64
        };
        let mut tree = match way {
            Way::AtOnce(task) => {
                prop_assert!(fits(&Subtask::new(Task::Combine(task))));
                return Ok(());
            }
            Way::InGroups(tree) => tree,
        };
        let mut level = tree.next_level(SubtaskId(0));
        while level.len() > 1 {
            prop_assert!(level.iter().all(fits), "{context}");
            let said: Vec<Outcome> = level.iter().map(|one| Outcome::Combined(longest_digest(one))).collect();
            let settled: Vec<Settled<'_>> = (0..)
                .zip(&said)
                .map(|(id, outcome)| Settled { id: SubtaskId(id), outcome, confidence: 1.0 })
                .collect();
            prop_assert!(tree.hear(&settled));
            level = tree.next_level(SubtaskId(0));
        }
        prop_assert!(level.iter().all(fits), "{context}");
    }
}

/// As long as its reader can take.
fn longest_digest(subtask: &Subtask) -> String {
    let Task::Combine(task) = &subtask.task else { panic!("{subtask:?}") };
    let most = task.batch.writes.unwrap();
    let text = |words: usize| format!("{}it is so [{}].", "so ".repeat(words), task.batch.notes_before + 1);
    let fixed = Size::of(&text(0));
    // Each of them is three bytes and a token.
    let text = text(((most.bytes - fixed.bytes) / 3).min(most.tokens - fixed.tokens));
    assert!(subtask.read(Dialect::Json, std::slice::from_ref(&text), &[]).is_ok(), "{text}");
    text
}

#[test]
fn there_is_no_tree_if_a_bound_cannot_be_kept() {
    let size = |bytes| Size { bytes, tokens: bytes / 2 };
    let bounds = Bounds { depth: 1, count: 10, reads: size(1_000), writes: size(400) };
    let two = levels(&[600, 600, 300].map(size), bounds).unwrap();
    assert_eq!((two.len(), &two[0][..]), (2, &[0..1, 1..3][..]));
    assert_eq!(two[1].len(), 1);
    assert_eq!(
        levels(&[size(600); 3], bounds),
        None,
        "three digests are too much for one, and the tree may be no deeper"
    );
    assert_eq!(levels(&[size(600); 20], Bounds { depth: 9, ..bounds }), None, "too many");
    assert_eq!(levels(&[size(1_001)], bounds), None, "too large for anybody");
    assert_eq!(levels(&[Size { bytes: 1, tokens: 501 }], bounds), None, "by tokens, too");
    assert_eq!(levels(&[], bounds), None);
}

/// So many different notes of so many bytes, too much for one job together.
fn task(count: u32, bytes: usize) -> CombineTask {
    task_of(count, "so ", bytes)
}

/// The same of something else.
fn task_of(count: u32, unit: &str, bytes: usize) -> CombineTask {
    let note = |id: u32| {
        let at = FragmentRef::of_text(FragmentId(id), "report.txt");
        let answer = format!("Note {id} says {}", unit.repeat(bytes / unit.len()));
        (at, MapAnswer::Words { answer, quotes: Vec::new() })
    };
    CombineTask {
        question: "What is said?".to_owned(),
        answers: (0..count).map(note).collect(),
        coverage: Coverage::full(count as usize),
        conflicts: String::new(),
        correction: String::new(),
        manner: "Be concise.".to_owned(),
        batch: NoteBatch::default(),
    }
}

/// The tree of what no job holds, for any reader.
fn tree_of(task: CombineTask) -> Box<CombineTree> {
    match Way::of(task, Contexts::UNBOUNDED) {
        Some(Way::InGroups(tree)) => tree,
        other => panic!("{other:?}"),
    }
}

#[test]
fn notes_are_digested_in_groups_and_the_answer_comes_from_the_digests() {
    let mut tree = tree_of(task(90, 900));
    let digests = tree.next_level(SubtaskId(91));
    assert!((3..=12).contains(&digests.len()), "{}", digests.len());
    let prompts: Vec<String> =
        digests.iter().map(|subtask| subtask.prompt(Dialect::Json).inputs.concat()).collect();
    assert!(prompts[0].contains("[1] Note 0 ") && !prompts[0].contains("Note 89"));
    assert!(prompts[digests.len() - 1].contains("[90] Note 89 "), "numbers are those among all notes");
    assert!(prompts.iter().all(|prompt| prompt.len() <= MOST_NOTES_BYTES + 100));

    let said: Vec<Outcome> =
        (0..digests.len()).map(|number| Outcome::Combined(format!("So it is [{}].", number + 1))).collect();
    let settled: Vec<Settled<'_>> = (91..)
        .zip(&said)
        .map(|(id, outcome)| Settled { id: SubtaskId(id), outcome, confidence: 1.0 })
        .collect();
    assert!(!tree.hear(&settled[1..]), "one is missing");
    assert!(tree.hear(&settled[..1]));
    let last = tree.next_level(SubtaskId(200));
    let [Subtask { task: Task::Combine(task), .. }] = last.as_slice() else { panic!("{last:?}") };
    assert!(last[0].key() == "combine" && task.is_last() && task.answers.len() == 90);
    let prompt = last[0].prompt(Dialect::Json);
    assert!(prompt.inputs.concat().contains("So it is [1].") && prompt.instruction.contains("Be concise."));
    assert!(tree.next_level(SubtaskId(201)).is_empty());
}

#[test]
fn a_digest_keeps_to_its_budget_and_to_its_own_notes() {
    let mut tree = tree_of(task(90, 900));
    let digests = tree.next_level(SubtaskId(0));
    let second = &digests[1];
    let Task::Combine(task) = &second.task else { panic!("{second:?}") };
    let own = task.batch.notes_before + 1;
    let read = |text: String| second.read(Dialect::Json, &[text], &[]);
    assert!(own > 1 && read(format!("So it is [{own}].")).is_ok());
    assert!(read("So it is [1].".to_owned()).is_err(), "another one's note");
    assert!(read("So it is.".to_owned()).is_err(), "nobody could tell what it rests on");
    assert!(read(format!("{} [{own}].", "so ".repeat(2_000))).is_err(), "longer than its parent can read");
    let lines = "so\n".repeat(500);
    let most = task.batch.writes.unwrap();
    assert!(Size::of(&lines).fits(most), "short as it is written");
    assert!(read(format!("{lines} [{own}].")).is_err(), "and too long where its lines are indented");
}

#[test]
fn what_fits_into_one_job_needs_no_tree() {
    assert!(matches!(Way::of(task(5, 900), Contexts::UNBOUNDED), Some(Way::AtOnce(_))));
    assert!(Way::of(task(1, 900), Contexts::UNBOUNDED).is_none(), "there is nothing to combine");
}

/// Less than a job holds, and more tokens than one of 8,192 reads beside what it writes.
#[test]
fn what_one_context_takes_in_at_once_is_cut_for_a_smaller_one() {
    let way = |contexts| Way::of(task_of(40, "1 2 3; ", 560), contexts);
    assert!(matches!(way(Contexts::same(32_768)), Some(Way::AtOnce(_))));
    let Some(Way::InGroups(mut tree)) = way(Contexts::same(8_192)) else { panic!("it fits nobody at once") };
    let keys: Vec<String> = tree.next_level(SubtaskId(0)).into_iter().map(|subtask| subtask.key()).collect();
    assert!(keys.len() > 1 && keys.iter().all(|key| context_of_key(key) == Some(8_192)), "{keys:?}");
    assert!(way(Contexts::same(1_000)).is_none(), "too little for the instruction and an answer");
    let enough = Contexts { with_one_to_spare: 1_000, of_enough: 32_768 };
    assert!(matches!(way(enough), Some(Way::AtOnce(_))), "as many as must agree take it in at once");
    for other in ["combine", "combine:corrected", "map:7:ab@8192", "combine:0:1-9"] {
        assert_eq!(context_of_key(other), None, "{other}");
    }
}
