//! Numbers, dates and names of sentences in three languages.

use proptest::prelude::*;

use super::*;

fn dates(text: &str) -> Vec<(Option<i32>, u8, Option<u8>)> {
    let facts = Facts::of(text, &Lexicon::default());
    facts
        .dates
        .iter()
        .map(|date| (date.readings[0].year, date.readings[0].month, date.readings[0].day))
        .collect()
}

fn figures(text: &str) -> Vec<(String, Option<&'static str>)> {
    let facts = Facts::of(text, &Lexicon::default());
    facts
        .figures
        .iter()
        .map(|figure| (figure.values[0].normalize().to_string(), figure.unit.map(|unit| unit.base)))
        .collect()
}

#[test]
fn dates_are_read_in_any_notation() {
    for text in [
        "28 March 2007",
        "28. März 2007",
        "28 mars 2007",
        "March 28, 2007",
        "the 28th of March 2007",
        "2007-03-28",
        "28.03.2007",
        "28.3.07",
        "28/03/2007",
    ] {
        assert_eq!(dates(text), [(Some(2007), 3, Some(28))], "{text}");
    }
    assert_eq!(dates("from 3 to 5 May 2026"), [(Some(2026), 5, Some(3)), (Some(2026), 5, Some(5))]);
    assert_eq!(dates("le 1er mai"), [(None, 5, Some(1))]);
    assert_eq!(dates("in May 2026"), [(Some(2026), 5, None)]);
    assert_eq!(dates("you may 30 days after"), []);
}

#[test]
fn numbers_are_read_with_their_units_in_digits_and_words() {
    let of = |number: &str, unit| vec![(number.to_owned(), unit)];
    assert_eq!(figures("valid two years"), of("2", Some("months")));
    assert_eq!(figures("eine Frist von drei Monaten"), of("3", Some("months")));
    assert_eq!(figures("thirty (30) days"), of("30", Some("ns")));
    assert_eq!(figures("30 calendar days"), of("30", Some("ns")));
    assert_eq!(figures("€ 1 200,50"), of("1200.5", Some("EUR")));
    assert_eq!(figures("3,5 Millionen Euro"), of("3500000", Some("EUR")));
    assert_eq!(figures("in one of five ways"), []);
    assert_eq!(figures("12 %"), of("12", Some("%")));
    assert_eq!(figures("Apache-2.0, and -5 apart"), [("2".to_owned(), None), ("-5".to_owned(), None)]);
}

#[test]
fn a_value_is_the_same_in_other_units_and_spellings() {
    let bears = |quote: &str, claim: &str| {
        let figure = |text: &str| Facts::of(text, &Lexicon::default()).figures.remove(0);
        figure(quote).bears_out(&figure(claim))
    };
    assert!(bears("twelve months", "one year"));
    assert!(bears("2 Wochen", "14 jours"));
    assert!(bears("1.500 Euro", "1500 EUR"));
    assert!(bears("a fee of 40", "40 dollars"));
    assert!(!bears("section 10", "10 years"), "a reference is no amount");
    assert!(!bears("(2) access", "2 years"), "the number of an entry is none");
    assert!(!bears("30 days", "30 months"));
}

#[test]
fn names_are_told_from_nouns_and_from_first_words() {
    let names = |document: &str, claim: &str| Facts::of(claim, &Lexicon::of(document)).names;
    let english = "The lease was signed by Anna Weber. Later, Weber left; duties ended.";
    assert_eq!(names(english, "Weber has duties to Miller & Sons."), ["Weber", "Miller", "Sons"]);
    assert_eq!(names(english, "Duties end. Signatures too."), Vec::<String>::new());
    let german = "Die Miete wird an Herrn Weber gezahlt. Der Mieter und Schulze haften.";
    assert_eq!(
        names(german, "Die Zahlung der Miete geht vom Mieter an Weber und die GmbH."),
        ["Weber", "GmbH"]
    );
    assert_eq!(names("Madame Durand habite à Lyon.", "Le loyer est dû à Durand."), ["Durand"]);
}

#[test]
fn a_german_noun_without_an_article_is_no_name() {
    let document =
        "Herr Tobias Wernicke empfiehlt Weg b.\nFür Weg b stimmen 71 Mitglieder.\nFrau Dr. Amrein rät zu.";
    let names = |claim: &str| Facts::of(claim, &Lexicon::of(document)).names;
    assert_eq!(names("Nach Herrn Wernicke ist der Weg b mit Mitgliedern nicht billig."), ["Wernicke"]);
    assert_eq!(names("Der Rat zu Weg b ist von Frau Dr. Amrein und nicht von Tobias."), ["Amrein", "Tobias"]);
}

#[test]
fn a_role_that_the_document_names_with_an_article_is_no_name() {
    let document = "1. The rights of the Initial Developer end, and each Contributor stays.\nAnna Weber signs for Norden Ltd.";
    let names = |claim: &str| Facts::of(claim, &Lexicon::of(document)).names;
    assert_eq!(
        names("No licence is granted by the Initial Developer or by a Contributor to Weber."),
        ["Weber"]
    );
    assert_eq!(names("It is signed for Norden by Anna."), ["Norden", "Anna"]);
}

#[test]
fn amounts_in_brackets_are_no_marks_of_a_list() {
    let role = |text: &str| Facts::of(text, &Lexicon::default()).figures[0].role;
    assert_eq!([role("Rent (2) is due."), role("Rent (900) is due.")], [Role::Marker, Role::Plain]);
    let roles = Facts::of("Sections 4 and 5 hold for 6 rooms.", &Lexicon::default()).figures;
    let roles: Vec<Role> = roles.iter().map(|figure| figure.role).collect();
    assert_eq!(roles, [Role::Reference, Role::Reference, Role::Plain]);
}

#[test]
fn words_of_headings_are_no_names() {
    let document = "5.2 Regular Descaling\nThe pump of Weber stops.";
    let names = |claim: &str| Facts::of(claim, &Lexicon::of(document)).names;
    assert_eq!(names("Descaling is due when the pump of Weber stops."), ["Weber"]);
}

#[test]
fn times_of_day_are_one_in_all_notations() {
    for text in ["at 14:30", "um 14.30 Uhr", "à 14h30", "at 2:30 pm"] {
        assert_eq!(Facts::of(text, &Lexicon::default()).times[0].0, 870, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "[-0-9., :/h€%§()a-zA-Zäß\\n]{0,60}|(?s:.{0,40})") {
        let _ = Facts::of(&text, &Lexicon::of(&text));
    }
}
