//! How sure tables are of what a question means.

use frlm_questions::ingest::Document;
use frlm_tables::{Answer, SURE, Store, Table};

use super::by_code::MOST_BYTES_UNASKED;
use super::document_tables::{is_too_long, tables};
use super::readings::NEARLY_SURE;

/// How sure a table is of its one answer.
pub(super) fn confidence(answer: &Answer) -> Option<f64> {
    match answer {
        Answer::Unique(answered) => Some(answered.confidence),
        Answer::Ambiguous(_) | Answer::Asked(_) | Answer::Refused(_) => None,
    }
}

/// The names of a table's columns: files with the same ones hold the same kind of rows, such as one file a month.
pub(super) fn shape(table: &Table) -> Vec<String> {
    table.columns().iter().map(|column| column.name.clone()).collect()
}

/// Leaves out, of the answers by tables of these shapes, the guesses beside an answer that is nearly sure, and what was refused beside
/// what was not. Nothing is left out if an answer is by one of several tables of the same shape, as it would pass for an answer by all.
pub(super) fn drop_guesses(answers: &mut Vec<(usize, Answer)>, shapes: &[Vec<String>]) {
    let is_refused = |answer: &Answer| matches!(answer, Answer::Refused(_));
    let is_one_of_several = |at: usize| shapes.iter().filter(|shape| **shape == shapes[at]).count() > 1;
    if answers.iter().any(|(at, answer)| !is_refused(answer) && is_one_of_several(*at)) {
        return;
    }
    let best = answers.iter().filter_map(|(_, answer)| confidence(answer)).fold(0.0, f64::max);
    if best >= NEARLY_SURE {
        answers.retain(|(_, answer)| confidence(answer).is_none_or(|confidence| confidence >= NEARLY_SURE));
    }
    if answers.iter().any(|(_, answer)| !is_refused(answer)) {
        answers.retain(|(_, answer)| !is_refused(answer));
    }
}

/// Whether some tables tell how a question is meant, and none is in doubt.
pub(super) fn are_sure<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> bool {
    let mut any = false;
    for answer in answers {
        match answer {
            Answer::Unique(answered) if answered.confidence >= SURE => any = true,
            Answer::Refused(_) => {}
            Answer::Unique(_) | Answer::Ambiguous(_) | Answer::Asked(_) => return false,
        }
    }
    any
}

/// Whether documents hold tables, and code is not sure how one of these questions over them is meant; or it has none to ask them.
pub(super) fn is_unsure_over(questions: &[&str], documents: &[Document], store: Option<&Store>) -> bool {
    let mut shapes = Vec::new();
    let mut answers: Vec<Vec<(usize, Answer)>> = questions.iter().map(|_| Vec::new()).collect();
    for document in documents {
        if store.is_none() && is_too_long(document, MOST_BYTES_UNASKED) {
            return true;
        }
        let Ok(tables) = tables(document, store, MOST_BYTES_UNASKED) else { return true };
        for table in &tables {
            for (question, answers) in questions.iter().zip(&mut answers) {
                answers.push((shapes.len(), table.ask(question)));
            }
            shapes.push(shape(table));
        }
    }
    let is_unsure = |mut answers: Vec<(usize, Answer)>| {
        drop_guesses(&mut answers, &shapes);
        !are_sure(answers.iter().map(|(_, answer)| answer))
    };
    !shapes.is_empty() && (questions.is_empty() || answers.into_iter().any(is_unsure))
}

#[cfg(test)]
mod tests {
    use crate::config::{By, Config};
    use crate::documents::Documents;
    use crate::run::prepare;
    use crate::run::request::RunRequest;
    use crate::run::spec::RunSpec;

    #[test]
    fn code_is_as_sure_of_a_question_as_of_its_least_sure_part() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("orders.csv");
        std::fs::write(&file, "order,status,carrier\n1,failed,Swift\n2,shipped,Swift\n3,failed,Tortoise\n")
            .unwrap();
        let unsure = |question: &str| {
            let spec = RunSpec {
                relays: vec!["ws://127.0.0.1:1".to_owned()],
                ..RunSpec::over(question.to_owned(), vec![file.clone()])
            };
            let request = RunRequest::from_spec(&spec, &Config::default()).unwrap();
            let prepared = prepare(RunRequest { by: By::Swarm, ..request }, &Documents::default()).unwrap();
            (prepared.compound.map_or(1, |compound| compound.parts.len()), prepared.reading_is_unsure)
        };
        for (question, said) in [
            ("How many orders have status failed?", (1, false)),
            ("How many orders have status failed, and how many orders have status shipped?", (2, false)),
            ("How many orders have status failed, and how many orders have carrier Snail?", (2, true)),
        ] {
            assert_eq!(unsure(question), said, "{question}");
        }
    }
}
