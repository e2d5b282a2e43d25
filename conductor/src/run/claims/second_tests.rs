use frlm_verifier::claims::{LineRange, Quote, Verdict};

use super::*;
use crate::run::claims::book::Book;
use crate::run::claims::rules::RULES;

fn person(id: &str) -> Person {
    Person { id: id.into(), family: id.to_owned() }
}

fn claim(text: &str, line: u32) -> Claim {
    Claim {
        text: text.to_owned(),
        quotes: vec![Quote { lines: LineRange::new(line, line), words: text.to_owned() }],
    }
}

/// One of many facts, on a line of its own.
fn fact(number: u32) -> Claim {
    claim(&format!("Room {number} is locked by the guard."), number)
}

fn settled(reading: u32, reader: &str, facts: impl IntoIterator<Item = u32>) -> Settled {
    Settled {
        reading: SubtaskId(reading),
        reader: reader.into(),
        claims: facts.into_iter().map(|number| (fact(number), ClaimOutcome::Accepted(0.02))).collect(),
        fallen: 0,
        prior: 0.1,
        again: None,
    }
}

/// So many parts were read by the first one.
fn book(seed: u64, parts: u32) -> Book {
    let mut book = Book::new(RULES, seed);
    (0..parts).for_each(|part| book.seconds.read_once(&settled(part, "first", part * 10..part * 10 + 8)));
    book
}

#[test]
fn of_twelve_parts_one_is_due() {
    for seed in 0..20 {
        let due = book(seed, 120).seconds.due();
        assert_eq!(due.len(), 10);
        assert!((0..).zip(&due).all(|(block, part)| part.0 / 12 == block), "{due:?}");
    }
    let places: BTreeSet<u32> = book(7, 1_200).seconds.due().iter().map(|part| part.0 % 12).collect();
    assert_eq!(places.len(), 12, "no place is safe");
    let mut book = book(7, 12);
    assert_eq!((book.seconds.due().len(), book.seconds.due().len()), (1, 0), "each is told once");
}

#[test]
fn a_second_reader_is_another_provider_preferably_one_without_a_review() {
    let mut book = Book::new(RULES, 7);
    let part = SubtaskId(0);
    book.take(part, person("first"), vec![fact(1)], 0);
    let here = [person("first"), person("reviewer")];
    let wanted = book.wanted(&here, false);
    let review = SubtaskId(1);
    book.asked(review, wanted[0].claims.clone());
    book.sheet((review, 0), &"reviewer".into(), true);
    book.reviewed((review, 0), &here[1], &[Verdict::Supported]);
    // Its verdict is not enough yet where others are here.
    book.wanted(&here, false);
    let settled = book.settled().remove(0);
    book.seconds.read_once(&settled);
    let not = |here: &[Person]| book.not_second(part, here);
    assert_eq!(not(&here[..1]), None, "the reader alone is here");
    let only: BTreeSet<ProviderId> = [ProviderId::from("first")].into();
    assert_eq!(not(&here), Some(only.clone()));
    let both = only.into_iter().chain(["reviewer".into()]).collect();
    assert_eq!(not(&[here[0].clone(), here[1].clone(), person("other")]), Some(both));
}

#[test]
fn what_both_state_needs_no_second_review_and_is_added_once() {
    let mut book = book(7, 12);
    let part = book.seconds.due()[0];
    let second = SubtaskId(100);
    book.seconds.note(second, part);
    let first = part.0 * 10;
    book.take(second, person("second"), vec![fact(first), fact(first + 9)], 0);
    let wanted = book.wanted(&[person("first"), person("second")], false);
    let asked: Vec<usize> = wanted.iter().flat_map(|wanted| &wanted.claims).map(|id| id.at).collect();
    assert_eq!(asked, [1], "the other claim is known");
    book.asked(SubtaskId(101), wanted[0].claims.clone());
    book.reviewed((SubtaskId(101), 0), &person("first"), &[Verdict::Supported]);
    book.wanted(&[person("first"), person("second")], false);
    let settled = book.settled().remove(0);
    assert_eq!(settled.claims[0].1, ClaimOutcome::Accepted(0.02));
    let added = book.seconds.compare(&settled);
    let texts: Vec<&str> = added.claims.iter().map(|(claim, _)| claim.text.as_str()).collect();
    assert_eq!(texts, [fact(first + 9).text]);
    assert_eq!(book.seconds.read_twice(), ReadTwice { parts: 1, first: 8, second: 2, shared: 1 });
}

#[test]
fn what_rests_on_the_same_line_is_no_new_fact_but_for_another_figure() {
    let mut book = Book::new(RULES, 7);
    let (part, second) = (SubtaskId(0), SubtaskId(1));
    let one = |text: &str| (claim(text, 3), ClaimOutcome::Accepted(0.02));
    let rent = Settled { claims: vec![one("The tenant pays 900 EUR a month.")], ..settled(0, "first", []) };
    book.seconds.note(second, part);
    let cases = [
        ("The tenant pays 900 EUR each month.", true, 1),
        ("Each month the tenant has to pay 900 EUR.", false, 1),
        ("The deposit is returned by the landlord.", false, 1),
        ("The tenant pays 950 EUR a month.", false, 0),
    ];
    for (text, is_known, shared) in cases {
        book.seconds.read_once(&rent);
        assert_eq!(book.seconds.known(second, &claim(text, 3)).is_some(), is_known, "{text}");
        let before = book.seconds.read_twice().shared;
        let said = Settled { claims: vec![one(text)], ..settled(1, "second", []) };
        assert_eq!(book.seconds.compare(&said).claims.is_empty(), is_known, "{text}");
        assert_eq!(book.seconds.read_twice().shared - before, shared, "{text}");
    }
    book.seconds.read_once(&rent);
    assert_eq!(
        book.seconds.known(second, &claim("The tenant pays 900 EUR a month.", 4)),
        None,
        "other lines"
    );
}

#[test]
fn many_new_findings_of_second_readers_make_all_parts_due() {
    let mut book = book(7, 12);
    let part = book.seconds.due()[0];
    book.seconds.note(SubtaskId(100), part);
    let liar = Settled { fallen: 40, ..settled(100, "second", 5_000..5_030) };
    book.seconds.compare(&liar);
    assert_eq!((book.seconds.due().len(), book.seconds.read_twice().parts), (0, 0));
    let mut book = self::book(7, 12);
    let part = book.seconds.due()[0];
    book.seconds.note(SubtaskId(100), part);
    book.seconds.compare(&settled(100, "second", 5_000..5_030));
    assert_eq!(
        (book.seconds.due().len(), book.seconds.read_twice().parts),
        (11, 1),
        "all but the one that was read twice"
    );
    book.seconds.read_once(&settled(12, "first", 120..128));
    assert_eq!(book.seconds.due(), [SubtaskId(12)]);
}

/// A row of the recordings of two honest readers.
#[derive(serde::Deserialize)]
struct Row {
    reader: String,
    document: String,
    claim: String,
    lines: Vec<[u32; 2]>,
}

/// Two people who read the same by hand, in words of their own (`tests/data/by-hand`).
#[test]
fn two_honest_readers_share_seven_facts_of_ten_in_other_words() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/by-hand");
    let (mut all, mut in_like_words) = (ReadTwice::default(), 0);
    for name in ["gpl3", "lease", "licences", "minutes", "pump"] {
        let text = std::fs::read_to_string(folder.join(name).join("readers.jsonl")).unwrap();
        let rows: Vec<Row> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let documents: BTreeSet<&str> = rows.iter().map(|row| row.document.as_str()).collect();
        for document in documents {
            let of = |reader: &str| {
                let rows = rows.iter().filter(|row| row.reader == reader && row.document == document);
                let claims = rows.map(|row| {
                    let quotes = row.lines.iter().map(|[first, last]| Quote {
                        lines: LineRange::new(*first, *last),
                        words: String::new(),
                    });
                    (
                        Claim { text: row.claim.clone(), quotes: quotes.collect() },
                        ClaimOutcome::Accepted(0.02),
                    )
                });
                claims.collect::<Vec<_>>()
            };
            let mut book = Book::new(RULES, 7);
            book.seconds.read_once(&Settled { claims: of("a"), ..settled(0, "a", []) });
            book.seconds.note(SubtaskId(1), SubtaskId(0));
            let second = Settled { claims: of("b"), ..settled(1, "b", []) };
            let added = book.seconds.compare(&second);
            in_like_words += second.claims.len() - added.claims.len();
            let ReadTwice { first, second, shared, .. } = book.seconds.read_twice();
            all.observe(first, second, shared);
        }
    }
    assert_eq!(in_like_words, 1, "of what both say");
    assert_eq!(all, ReadTwice { parts: 8, first: 92, second: 82, shared: 57 });
    assert!((all.found_by_one().unwrap() - 0.66).abs() < 0.01, "{:?}", all.found_by_one());
    assert!(!all.is_worth_asking());
}

#[test]
fn of_several_claims_on_one_line_each_has_one_partner() {
    let mut book = Book::new(RULES, 7);
    let said = |texts: &[(&str, u32)], reading: u32, reader: &str| Settled {
        claims: texts.iter().map(|(text, line)| (claim(text, *line), ClaimOutcome::Accepted(0.02))).collect(),
        ..settled(reading, reader, [])
    };
    let both = claim("Heating and water are paid by the tenant.", 4);
    let wide = Claim { quotes: vec![both.quotes[0].clone(), claim("", 5).quotes[0].clone()], ..both };
    let mut first = said(&[("The rent is paid monthly.", 5)], 0, "first");
    first.claims.push((wide, ClaimOutcome::Accepted(0.02)));
    book.seconds.read_once(&first);
    book.seconds.note(SubtaskId(1), SubtaskId(0));
    let texts = [
        ("Each month has its rent.", 5),
        ("The tenant heats at his own cost.", 4),
        ("Water costs extra.", 4),
    ];
    book.seconds.compare(&said(&texts, 1, "second"));
    assert_eq!(book.seconds.read_twice(), ReadTwice { parts: 1, first: 2, second: 3, shared: 2 });
}
