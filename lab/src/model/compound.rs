//! Questions of several parts over a generated document, and what is right by its rows.

use std::collections::BTreeMap;

use super::documents::{Dice, Question, Right, Row};

/// A chain, a fan of parts that wait for one, and parts that do not wait.
pub(super) fn questions(rows: &[Row], used: &[&str], dice: &mut Dice) -> Vec<Question> {
    let mut asked = Vec::new();
    let drawn = || used.iter().copied();
    let status = used[dice.below(used.len())];
    let other = used[dice.below(used.len())];
    // A tie has no single answer, so another status is asked for.
    if let Some((status, user, most, all)) =
        std::iter::once(status).chain(drawn()).find_map(|status| most(rows, status))
    {
        let own: Vec<&Row> = rows.iter().filter(|row| row.user == user).collect();
        let of_other = own.iter().filter(|row| row.status == other).count();
        let records = if of_other == 1 { "record matches" } else { "records match" };
        asked.push(Question {
            kind: "fan",
            text: format!(
                "Which user has the most orders with status {status}, how many orders of that user have status {other}, and \
                 what is the largest amount of orders of that user?"
            ),
            right: Right::Parts(vec![
                format!("{user}: {most} of {all} record"),
                format!("[{user}] {of_other} {records}"),
                format!("[{user}] The largest amount is {} ", largest(&own)),
            ]),
        });
    }
    if let Some(top) = only_largest(rows)
        && let Some(first) = rows.iter().find(|row| row.user == top.user)
    {
        asked.push(Question {
            kind: "chain",
            text: "Which user has the largest amount? What is the first order of that user? And what is the status of that order?"
                .to_owned(),
            right: Right::Parts(vec![
                format!("The largest amount is {} ({},", top.amount(), top.user),
                format!("[{}] The first order is {} ", top.user, first.order),
                format!("[{}] The status is {} ", first.order, first.status),
            ]),
        });
    }
    let someone = &rows[dice.below(rows.len())];
    let counted = rows.iter().filter(|row| row.status == someone.status).count();
    let records = if counted == 1 { "record matches" } else { "records match" };
    asked.push(Question {
        kind: "side by side",
        text: format!(
            "How many orders have status {}, and what is the amount of order {}?",
            someone.status, someone.order
        ),
        right: Right::Parts(vec![
            format!("? {counted} {records}"),
            format!("The amount is {} ", someone.amount()),
        ]),
    });
    asked
}

/// Four to seven parts, the first of which some of the others speak of; `None` where two rows share the largest
/// amount.
pub(super) fn many(rows: &[Row], used: &[&str], dice: &mut Dice) -> Option<Question> {
    let top = only_largest(rows)?;
    let whose = top.user;
    let own: Vec<&Row> = rows.iter().filter(|row| row.user == whose).collect();
    let (first, last) = (own.first()?, own.last()?);
    let (status, other) = (used[dice.below(used.len())], used[dice.below(used.len())]);
    let any = &rows[dice.below(rows.len())];
    let matching = |count: usize| {
        if count == 1 { "1 record matches".to_owned() } else { format!("{count} records match") }
    };
    let of_user = own.iter().filter(|row| row.status == status).count();
    let of_all = rows.iter().filter(|row| row.status == other).count();
    let mut others = vec![
        (
            "what is the first order of that user".to_owned(),
            format!("[{whose}] The first order is {} ", first.order),
        ),
        (
            "what is the last order of that user".to_owned(),
            format!("[{whose}] The last order is {} ", last.order),
        ),
        (
            "what is the largest amount of orders of that user".to_owned(),
            format!("[{whose}] The largest amount is {} ", top.amount()),
        ),
        (
            format!("how many orders of that user have status {status}"),
            format!("[{whose}] {}", matching(of_user)),
        ),
        (format!("how many orders have status {other}"), format!("? {}", matching(of_all))),
        (format!("what is the amount of order {}", any.order), format!("The amount is {} ", any.amount())),
    ];
    let wanted = 3 + dice.below(4);
    while others.len() > wanted {
        others.remove(dice.below(others.len()));
    }
    let (mut text, mut right) = (
        "Which user has the largest amount".to_owned(),
        vec![format!("The largest amount is {} ({whose},", top.amount())],
    );
    let end = others.len() - 1;
    for (at, (part, says)) in others.into_iter().enumerate() {
        text += if at == end { ", and " } else { ", " };
        text += &part;
        right.push(says);
    }
    text.push('?');
    Some(Question { kind: "many", text, right: Right::Parts(right) })
}

/// The status, the one user with most orders of it, how many, and of how many.
fn most<'row>(rows: &[Row], status: &'row str) -> Option<(&'row str, &'static str, usize, usize)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.status == status) {
        *counts.entry(row.user).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    let mut leaders = counts.iter().filter(|(_, count)| **count == most);
    let (user, _) = leaders.next()?;
    leaders.next().is_none().then(|| (status, *user, most, counts.values().sum()))
}

fn largest(rows: &[&Row]) -> String {
    rows.iter().max_by_key(|row| row.cents).map(|row| row.amount()).unwrap_or_default()
}

fn only_largest(rows: &[Row]) -> Option<&Row> {
    let top = rows.iter().max_by_key(|row| row.cents)?;
    (rows.iter().filter(|row| row.cents == top.cents).count() == 1).then_some(top)
}

#[cfg(test)]
mod tests {
    use frlm_questions::ingest::{SplitOptions, TextOnly, read_documents, split};
    use frlm_questions::question::compound::Compound;

    use super::super::documents::{Document, Form, Right};

    #[test]
    fn every_question_is_read_in_its_parts_whatever_the_form() {
        for number in 0..20 {
            let document = Document::generate(number, 200);
            let folder = tempfile::tempdir().expect("a temporary folder");
            let file = folder.path().join(document.form.name());
            std::fs::write(&file, &document.text).expect("writable");
            let read = read_documents(&[file], &TextOnly).expect("readable");
            let fragments = split(&read.documents, SplitOptions { max_tokens: 2_000, max_records: 16 });
            for question in document.compound.iter().chain(&document.many) {
                let Right::Parts(right) = &question.right else { panic!("in parts") };
                let compound = Compound::read(&question.text, &fragments);
                // Bars name nothing at all: what stands between them is for a model to find out.
                if document.form != Form::Bars || compound.is_some() {
                    let parts = compound.map_or(0, |compound| compound.parts.len());
                    assert_eq!(parts, right.len(), "{}: {}", document.form.name(), question.text);
                }
            }
        }
    }
}
