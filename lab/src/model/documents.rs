//! Generated order logs with questions, and what is right by the rows they were written from.
//!
//! Nothing here uses the conductor's code: a row is written once, and the right answers are counted
//! from the rows as grep and awk would count them in the file.

use super::compound;

/// How a document writes its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Form {
    /// `2026-03-02T08:14:07Z order=40117 user=mara amount=118.40 status=failed`
    Pairs,
    /// A table with a header.
    Csv,
    /// One JSON object per line.
    Json,
    /// `40117 | 2026-03-02 | mara | 118.40 | failed`
    Bars,
    /// `order 40117 by user mara amount 118.40 status failed`
    Words,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 5] = [Self::Pairs, Self::Csv, Self::Json, Self::Bars, Self::Words];

    /// The form of the `number`th document.
    pub fn of(number: usize) -> Self {
        Self::ALL[number % Self::ALL.len()]
    }

    /// The name in tables, and of files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs.log",
            Self::Csv => "table.csv",
            Self::Json => "rows.jsonl",
            Self::Bars => "bars.log",
            Self::Words => "words.log",
        }
    }
}

/// An order.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub line: u32,
    pub order: u32,
    day: u32,
    pub user: &'static str,
    pub cents: u32,
    pub status: &'static str,
}

impl Row {
    pub fn amount(&self) -> String {
        format!("{}.{:02}", self.cents / 100, self.cents % 100)
    }

    fn write(&self, form: Form) -> String {
        let Self { order, user, status, .. } = self;
        let (amount, day) =
            (self.amount(), format!("2026-{:02}-{:02}", 1 + self.day / 28, 1 + self.day % 28));
        match form {
            Form::Pairs => {
                format!("{day}T08:14:07Z order={order} user={user} amount={amount} status={status}")
            }
            Form::Csv => format!("{order},{day},{user},{amount},{status}"),
            Form::Json => format!(
                "{{\"order\": {order}, \"date\": \"{day}\", \"user\": \"{user}\", \"amount\": {amount}, \"status\": \"{status}\"}}"
            ),
            Form::Bars => format!("{order} | {day} | {user} | {amount} | {status}"),
            Form::Words => format!("order {order} by user {user} amount {amount} status {status}"),
        }
    }
}

/// What is right.
#[derive(Debug, Clone, PartialEq)]
pub enum Right {
    /// So many records.
    Count(usize),
    /// Exactly these lines.
    Lines(Vec<u32>),
    /// Whether there is one.
    Exists(bool),
    /// This value, in one of these lines.
    Value(String, Vec<u32>),
    /// This line.
    Line(u32),
    /// A question in parts: what the answer's lines must say, each in its words before a space, a
    /// comma or a bracket.
    Parts(Vec<String>),
}

/// A question with its right answer.
#[derive(Debug)]
pub struct Question {
    /// The type, for the table.
    pub kind: &'static str,
    /// As a person asks it.
    pub text: String,
    /// What is right.
    pub right: Right,
}

/// A document and what is asked of it.
#[derive(Debug)]
pub struct Document {
    /// How its rows are written.
    pub form: Form,
    /// The file's content.
    pub text: String,
    /// One question per type.
    pub questions: Vec<Question>,
    /// Questions of several parts.
    pub compound: Vec<Question>,
    /// One of many parts, where the rows allow it.
    pub many: Option<Question>,
}

const USERS: [&str; 16] = [
    "mara",
    "priya.nair",
    "user7",
    "tomas",
    "wei_chen",
    "ada",
    "omar.haddad",
    "kim42",
    "lucia",
    "bjorn",
    "user31",
    "noor",
    "pavel",
    "ines.costa",
    "jo",
    "zhu",
];
const STATUSES: [&str; 8] =
    ["shipped", "failed", "delivered", "refunded", "pending", "cancelled", "returned", "paid"];

impl Document {
    /// The `number`th document: its form, names and rows follow from it alone.
    pub fn generate(number: usize, lines: usize) -> Self {
        let form = Form::of(number);
        let mut dice = Dice(0x5eed_0000 + number as u64);
        let users: Vec<&str> = (0..4 + dice.below(5)).map(|_| USERS[dice.below(USERS.len())]).collect();
        // The last two are asked for and never written.
        let first = dice.below(STATUSES.len());
        let statuses: Vec<&str> =
            (0..STATUSES.len()).map(|at| STATUSES[(first + at) % STATUSES.len()]).collect();
        let (used, unused) = statuses.split_at(4 + dice.below(3));
        let header = u32::from(form == Form::Csv);
        let mut order = 40_000 + u32::try_from(dice.below(9_000)).unwrap_or(0);
        let rows: Vec<Row> = (0..lines)
            .map(|at| {
                order += 1 + u32::try_from(dice.below(4)).unwrap_or(0);
                Row {
                    line: u32::try_from(at + 1).unwrap_or(u32::MAX) + header,
                    order,
                    day: u32::try_from(at * 300 / lines.max(1)).unwrap_or(0),
                    user: users[dice.below(users.len())],
                    cents: 100 + u32::try_from(dice.below(90_000)).unwrap_or(0),
                    // The first status is common, the others rare enough for first and last to differ.
                    status: if dice.below(2) == 0 { used[0] } else { used[dice.below(used.len())] },
                }
            })
            .collect();
        let mut text = if header == 1 { "order,date,user,amount,status\n".to_owned() } else { String::new() };
        for row in &rows {
            text.push_str(&row.write(form));
            text.push('\n');
        }
        let questions = questions(&rows, used, unused, number, &mut dice);
        let compound = compound::questions(&rows, used, &mut dice);
        let many = compound::many(&rows, used, &mut dice);
        Self { form, text, questions, compound, many }
    }
}

fn questions(rows: &[Row], used: &[&str], unused: &[&str], number: usize, dice: &mut Dice) -> Vec<Question> {
    let lines = |fits: &dyn Fn(&Row) -> bool| -> Vec<u32> {
        rows.iter().filter(|row| fits(row)).map(|row| row.line).collect()
    };
    let one = &rows[dice.below(rows.len())];
    let status = used[dice.below(used.len())];
    let someone = rows[dice.below(rows.len())].user;
    let pair = &rows[dice.below(rows.len())];
    // Every other document is asked for what it does not have.
    let exists = if number.is_multiple_of(2) { unused[dice.below(unused.len())] } else { status };
    let of_status = lines(&|row| row.status == status);
    let of_user = lines(&|row| row.user == someone);
    let of_both = lines(&|row| row.user == pair.user && row.status == pair.status);
    let largest = rows.iter().filter(|row| row.status == pair.status).map(|row| row.cents).max().unwrap_or(0);
    let at_largest = lines(&|row| row.status == pair.status && row.cents == largest);
    let largest = format!("{}.{:02}", largest / 100, largest % 100);
    let mut asked = vec![
        ("count", format!("How many orders have status {status}?"), Right::Count(of_status.len())),
        (
            "count, two",
            format!("How many orders of user {} have status {}?", pair.user, pair.status),
            Right::Count(of_both.len()),
        ),
        (
            "list",
            format!("List all orders of user {} with status {}", pair.user, pair.status),
            Right::Lines(of_both),
        ),
        (
            "exists",
            format!("Is there any order with status {exists}?"),
            Right::Exists(rows.iter().any(|row| row.status == exists)),
        ),
        (
            "find",
            format!("What is the amount of order {}?", one.order),
            Right::Value(one.amount(), vec![one.line]),
        ),
        (
            "largest",
            format!("What is the largest amount of orders with status {}?", pair.status),
            Right::Value(largest, at_largest),
        ),
    ];
    if let (Some(first), Some(last)) = (of_status.first(), of_user.last()) {
        asked.push(("first", format!("What is the first order with status {status}?"), Right::Line(*first)));
        asked.push(("last", format!("What is the last order of user {someone}?"), Right::Line(*last)));
    } else {
        // Short documents may lack the drawn status; its rows are then counted instead.
        asked.push(("first", format!("What is the first order of user {someone}?"), Right::Line(of_user[0])));
        asked.push((
            "last",
            format!("What is the last order of user {someone}?"),
            Right::Line(of_user[of_user.len() - 1]),
        ));
    }
    asked.into_iter().map(|(kind, text, right)| Question { kind, text, right }).collect()
}

/// splitmix64: enough for test data, the same on every machine.
pub(super) struct Dice(u64);

impl Dice {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit.max(1) as u64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `grep -n` on the document's text, by whole words.
    fn grep(text: &str, words: &[&str]) -> Vec<u32> {
        let in_word = |c: char| c.is_alphanumeric() || "._-".contains(c);
        (1..)
            .zip(text.lines())
            .filter(|(_, line)| {
                words.iter().all(|word| line.split(|c| !in_word(c)).any(|part| part == *word))
            })
            .map(|(number, _)| number)
            .collect()
    }

    #[test]
    fn what_is_right_is_what_grep_finds_in_the_file() {
        for number in 0..10 {
            let document = Document::generate(number, 200);
            assert_eq!(document.questions.len(), 8);
            for question in &document.questions {
                let words: Vec<&str> = question.text.trim_end_matches('?').split(' ').collect();
                let last = words[words.len() - 1];
                match (&question.right, question.kind) {
                    (Right::Count(count), "count") => {
                        assert_eq!(grep(&document.text, &[last]).len(), *count, "{question:?}");
                    }
                    (Right::Count(count), _) => {
                        assert_eq!(grep(&document.text, &[words[5], last]).len(), *count, "{question:?}");
                    }
                    (Right::Lines(lines), _) => {
                        assert_eq!(grep(&document.text, &[words[5], last]), *lines, "{question:?}");
                    }
                    (Right::Exists(exists), _) => {
                        assert_eq!(!grep(&document.text, &[last]).is_empty(), *exists, "{question:?}");
                    }
                    (Right::Value(value, lines), _) => {
                        assert_eq!(grep(&document.text, &[last, value]), *lines, "{question:?}");
                    }
                    (Right::Parts(_), _) => unreachable!("these questions have one part"),
                    (Right::Line(line), kind) => {
                        let found = grep(&document.text, &[last]);
                        let end = if kind == "first" { found.first() } else { found.last() };
                        assert_eq!(end, Some(line), "{question:?}");
                    }
                }
            }
        }
    }
}
