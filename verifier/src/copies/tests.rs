//! Copies with the mistakes that small models make, over lines of several forms.

use proptest::prelude::*;

use super::{Basis, Checked, Copy, check};

fn value(text: &str) -> Copy {
    Copy::Value(text.to_owned())
}

fn checked(field: &str, texts: &[&str], copies: &[Copy]) -> Vec<Checked> {
    check(field, texts, copies, |at, found| texts[at].contains(found).then(|| found.to_owned()))
}

fn values(checked: &[Checked]) -> Vec<&str> {
    checked.iter().map(|line| line.value.as_deref().unwrap_or("-")).collect()
}

fn bases(checked: &[Checked]) -> Vec<Basis> {
    checked.iter().map(|line| line.basis).collect()
}

const ORDERS: [&str; 5] = [
    "001 order 4001 by user1 amount 3 shipped",
    "002 order 4002 by user3 amount 357 failed",
    "003 order 4003 by user3 amount 20 failed",
    "004 order 4004 by user9 amount 8 shipped",
    "005 order 4005 by user2 amount 12 open",
];

#[test]
fn a_lone_wrong_copy_is_overruled_by_the_place_of_the_others() {
    let copies = [value("shipped"), value("failed"), value("user3"), value("shipped"), value("open")];
    let lines = checked("status", &ORDERS, &copies);
    assert_eq!(values(&lines), ["shipped", "failed", "failed", "shipped", "open"]);
    assert_eq!(lines[2].basis, Basis::Corrected);
    assert_eq!(lines.iter().filter(|line| line.basis == Basis::Confirmed).count(), 4);
}

#[test]
fn a_missed_or_garbled_copy_is_filled_from_the_same_place() {
    let copies =
        [Copy::Absent, value("failed"), value("failed"), Copy::Garbled("ship".into()), value("open")];
    assert_eq!(
        values(&checked("status", &ORDERS, &copies)),
        ["shipped", "failed", "failed", "shipped", "open"]
    );
}

#[test]
fn the_fields_name_before_its_value_outweighs_copies_that_stop_half_way() {
    let texts = [
        "order 1 by user omar.haddad amount 3.10 status failed",
        "order 2 by user ines.costa amount 2.50 status open",
        "order 3 by user omar.haddad amount 9.00 status open",
        "order 4 by user zhu amount 1.20 status failed",
        "order 5 by user ines.costa amount 7.70 status open",
    ];
    let half = || Copy::Garbled("omar.h".into());
    let users = ["omar.haddad", "ines.costa", "omar.haddad", "zhu", "ines.costa"];
    let copies = [half(), Copy::Absent, half(), value("zhu"), Copy::Absent];
    assert_eq!(values(&checked("user", &texts, &copies)), users);
    // The name itself points to what stands behind it, but not alone.
    let copies = [half(), Copy::Name, Copy::Name, Copy::Name, Copy::Name];
    assert_eq!(values(&checked("user", &texts, &copies)), users);
    let pointing = std::array::from_fn::<_, 5, _>(|_| Copy::Name);
    assert_eq!(values(&checked("user", &texts, &pointing)), ["-"; 5]);
}

#[test]
fn a_word_that_only_occurs_names_nothing() {
    let texts = [
        "the user service failed for mara",
        "the user service is down for tom",
        "the user gave up, says ada",
        "no answer for noor",
    ];
    let copies = ["mara", "tom", "ada", "noor"];
    assert_eq!(values(&checked("user", &texts, &copies.map(value))), copies);
    let absent = [Copy::Absent, Copy::Absent, value("ada"), Copy::Absent];
    assert_eq!(values(&checked("user", &texts, &absent)), ["-", "-", "ada", "-"]);
}

#[test]
fn two_copies_are_no_majority_and_change_nothing() {
    let copies = [value("user1"), value("357"), Copy::Absent];
    let lines = checked("status", &ORDERS[..3], &copies);
    assert_eq!(values(&lines), ["user1", "357", "-"]);
    assert_eq!(bases(&lines), [Basis::Alone; 3]);
    let garbled = checked("status", &ORDERS[..2], &[Copy::Garbled("ship".into()), value("failed")]);
    assert_eq!(bases(&garbled), [Basis::Unreadable, Basis::Alone]);
}

#[test]
fn lines_of_a_second_template_keep_their_copies() {
    let texts = [
        "a login by ida ok",
        "b login by kim ok",
        "c login by lee ok",
        "d login by zoe ok",
        "e login by max ok",
        "f login by eva ok",
        "g login by tom ok",
        "x: amy failed to log in",
        "y: bob failed to log in",
        "z: cai failed to log in",
    ];
    let names = ["ida", "kim", "lee", "zoe", "max", "eva", "tom", "amy", "bob", "cai"];
    let lines = checked("user", &texts, &names.map(value));
    assert_eq!(values(&lines), names);
    assert_eq!(lines[8].basis, Basis::Alone);
}

#[test]
fn a_key_that_is_the_fields_name_outweighs_a_half_wrong_model() {
    let texts = [
        r#"{"priority": "low", "tax": 30, "note": "a"}"#,
        r#"{"priority": "high", "tax": 7, "note": "b"}"#,
        r#"{"priority": "low", "tax": 12, "note": "c"}"#,
        r#"{"tax": 9, "note": "d"}"#,
    ];
    let copies = [value("low"), value("7"), value("low"), value("9")];
    let lines = checked("Priority", &texts, &copies);
    assert_eq!(values(&lines), ["low", "high", "low", "-"]);
    assert_eq!(lines[3].basis, Basis::Corrected, "the key is not in this line");
}

#[test]
fn a_value_that_the_model_always_truncates_is_read_to_its_end() {
    let texts = [
        "id: 7; mail: a.b@c.org; age: 6",
        "id: 8; mail: d.e@f.org; age: 7",
        "id: 9; mail: g.h@i.org; age: 8",
    ];
    let copies = ["a", "d", "g"].map(|text| Copy::Garbled(text.to_owned()));
    assert_eq!(values(&checked("mail", &texts, &copies)), ["a.b@c.org", "d.e@f.org", "g.h@i.org"]);
}

#[test]
fn a_longer_copy_is_not_cut_at_a_space_if_several_lines_have_longer_ones() {
    let texts = [
        "2026-01-01 rent 500 EUR",
        "2026-01-02 phone bill 61 EUR",
        "2026-01-03 books 12 EUR",
        "2026-01-04 gym 30 EUR",
        "2026-01-05 train ticket 20 EUR",
        "2026-01-06 fuel 41 EUR",
        "2026-01-07 hotel 90 EUR",
        "2026-01-08 tax 70 EUR",
    ];
    let items = ["rent", "phone bill", "books", "gym", "train ticket", "fuel", "hotel", "tax"];
    assert_eq!(values(&checked("item", &texts, &items.map(value))), items);
}

#[test]
fn quoted_and_bare_values_of_one_key_follow_one_rule() {
    let texts = [
        r#"user=ida status=ok note="all fine""#,
        r#"user="kim b" status=ok note=late"#,
        r#"user=lee status=ok note="no way""#,
        "user=zoe status=ok note=early",
    ];
    let copies = [value("ida"), value("kim b"), value("ok"), value("zoe")];
    assert_eq!(values(&checked("user", &texts, &copies)), ["ida", "kim b", "lee", "zoe"]);
}

proptest! {
    #[test]
    fn whatever_is_copied_a_value_is_the_copy_or_stands_in_its_line(
        texts in prop::collection::vec("[a-c =:;|\"ü0-9]{0,24}", 1..12),
        seeds in prop::collection::vec(any::<prop::sample::Index>(), 24),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let copies: Vec<Copy> = texts.iter().zip(&seeds).map(|(text, seed)| {
            let words: Vec<&str> = text.split_whitespace().collect();
            if words.is_empty() { Copy::Absent } else { value(words[seed.index(words.len())]) }
        }).collect();
        for (line, (text, copy)) in checked("ab", &texts, &copies).iter().zip(texts.iter().zip(&copies)) {
            match (&line.value, line.basis) {
                (Some(found), Basis::Corrected) => prop_assert!(text.contains(found.as_str())),
                (Some(found), _) => prop_assert_eq!(&value(found), copy),
                (None, Basis::Corrected) => prop_assert!(matches!(copy, Copy::Value(_))),
                (None, _) => prop_assert_eq!(&Copy::Absent, copy),
            }
        }
    }

    #[test]
    fn copies_without_fault_are_never_changed(
        rows in prop::collection::vec(("[a-z]{2,8}", "[0-9]{1,5}", "(open|shipped|failed)"), 1..20),
        form in 0_usize..4,
    ) {
        let texts: Vec<String> = rows.iter().map(|(user, amount, status)| match form {
            0 => format!("user={user} amount={amount} status={status}"),
            1 => format!("{{\"user\":\"{user}\",\"amount\":{amount},\"status\":\"{status}\"}}"),
            2 => format!("{amount} | {user} | {status}"),
            _ => format!("{user} paid {amount}, {status}"),
        }).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let wanted: Vec<&str> = rows.iter().map(|(_, _, status)| status.as_str()).collect();
        let copies: Vec<Copy> = wanted.iter().map(|status| value(status)).collect();
        let lines = checked("status", &texts, &copies);
        prop_assert_eq!(values(&lines), wanted);
    }
}
