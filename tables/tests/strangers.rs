//! What questions of people who did not know the grammar showed: answers that were wrong and sure, and words that were lost.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use frlm_tables::{Answer, LoadOptions, Table};

fn table(name: &str, text: &str) -> Table {
    Table::load(name, text, &LoadOptions::default()).unwrap()
}

/// The first row of the only answer, and how sure it is.
fn first(table: &Table, question: &str) -> (Vec<String>, f64) {
    match table.ask(question) {
        Answer::Unique(answer) => {
            let row = answer.outcome.rows.first();
            (row.into_iter().flatten().map(ToString::to_string).collect(), answer.confidence)
        }
        other => panic!("{question}: {other:?}"),
    }
}

fn cell(table: &Table, question: &str) -> String {
    first(table, question).0.first().cloned().unwrap_or_default()
}

const TILL: &str = "Receipt,Date,Item,Category,Qty,Unit price,Line total,Paid by\n\
    101,03/01/2025,Bun,Pastry,2,$3.00,$6.00,Card\n\
    102,03/02/2025,Tea,Drinks,10,$2.00,$20.00,Cash\n\
    103,03/03/2025,Bun,Pastry,1,$3.00,$3.00,Card\n\
    104,04/14/2025,Tea,Drinks,1,$2.00,$2.00,\n";

#[test]
fn a_line_total_is_an_amount_and_a_unit_price_counts_nothing() {
    let till = table("till.csv", TILL);
    assert_eq!(cell(&till, "What is the average Line total with Paid by Card?"), "4.5");
    assert_eq!(cell(&till, "How many buns have we sold altogether?"), "3");
    assert_eq!(cell(&till, "How much did we take in March?"), "29");
    assert_eq!(cell(&till, "How much does someone paying by card spend on average?"), "4.5");
}

#[test]
fn a_share_of_everything_is_none_of_the_rows() {
    let till = table("till.csv", TILL);
    let (row, confidence) = first(&till, "What percentage of everything we took came from pastry?");
    assert_eq!(row, ["29.03"]);
    assert!(confidence < 0.8, "{confidence}");
}

#[test]
fn when_something_was_highest_is_a_time() {
    let text = "time,pulse,note\n2026-01-02 08:00,70,\n2026-01-03 09:30,95,run\n2026-01-04 08:00,60,\n";
    let pulse = table("pulse.csv", text);
    for question in ["When was the pulse highest?", "When was the pulse at its highest?"] {
        assert_eq!(first(&pulse, question).0, ["2026-01-03 09:30:00", "95"], "{question}");
    }
}

#[test]
fn numbers_before_a_superlative_are_no_value_of_the_column_before() {
    let till = table("till.csv", TILL);
    let Answer::Unique(answer) = till.ask("Give me the receipt numbers of our three biggest sales.") else {
        panic!("no answer")
    };
    let receipts: Vec<String> = answer.outcome.rows.iter().map(|row| row[0].to_string()).collect();
    assert_eq!(receipts, ["102", "101", "103"]);
}

#[test]
fn a_total_below_a_table_is_no_record_whatever_the_format() {
    let text =
        "| Part | Stock | Shelf |\n|---|---|---|\n| Bolt | 5 | A1 |\n| Nut | 7 |  |\n| Total | 12 |  |\n";
    let parts = table("parts.md", text);
    assert_eq!(parts.rows(), 2);
    assert!(parts.flaws().has_total_row);
    assert_eq!(cell(&parts, "How many parts have no shelf?"), "1");
}

#[test]
fn lines_above_a_table_may_have_two_cells() {
    let text = "Account;DE02 1203\nPeriod:;01.01.2024 - 31.12.2024\n\nDay;Value date;Payee;Use;Kind;Amount\n\
        27.12.2024;27.12.2024;North;Pay;Salary;3.187,45\n19.12.2024;20.12.2024;South;Order;;-235,27\n";
    let account = table("account.csv", text);
    assert_eq!(account.rows(), 2);
    assert_eq!(account.columns()[5].name, "Amount");
    assert_eq!(cell(&account, "How many records have no kind?"), "1");
}

#[test]
fn a_first_record_with_few_cells_is_none_of_them() {
    let text = "1;Ann\n2;Bob;x;3;4\n3;Cem;y;5;6\n4;Dora;z;7;8\n";
    assert_eq!(table("rows.csv", text).rows(), 4);
}

#[test]
fn bytes_of_windows_1252_are_read_with_their_signs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("preise.csv");
    std::fs::write(&path, b"Ware;Preis\nK\xe4se;3,50 \x80\nM\xfcsli;4,20 \x80\n").unwrap();
    let prices = Table::load_file(&path, &LoadOptions::default()).unwrap();
    assert_eq!(prices.columns()[1].unit_label(), "EUR");
    assert_eq!(cell(&prices, "What is the Preis of Käse?"), "3.5");
}

#[test]
fn amounts_beside_a_column_of_currencies_are_never_added_across_them() {
    let text = "Invoice,Client,Net,Currency,Due,Paid on\n\
        A-1,North,100,EUR,2025-01-10,2025-01-09\nA-2,North,50,USD,2025-01-10,2025-02-01\n\
        A-3,South,70,EUR,2025-02-10,\nA-4,South,90,GBP,2025-03-10,2025-03-12\n";
    let invoices = table("invoices.csv", text);
    let Answer::Unique(answer) = invoices.ask("What is the total net?") else { panic!("no answer") };
    assert_eq!(answer.outcome.rows.len(), 3);
    assert_eq!(cell(&invoices, "What is the total net in euros?"), "170");
    // Nothing stands where it was not paid, and one day is compared with another.
    assert_eq!(cell(&invoices, "How many invoices are unpaid?"), "1");
    assert_eq!(cell(&invoices, "How many invoices were paid late?"), "2");
    assert_eq!(cell(&invoices, "How many invoices were paid after their due date?"), "2");
    assert_eq!(cell(&invoices, "Which client has the most unpaid invoices?"), "South");
}

#[test]
fn nothing_of_an_object_is_no_column_of_its_own() {
    let text = "{\"id\":\"T-1\",\"closed\":\"2025-05-02\",\"agent\":{\"name\":\"Ines\"},\"tags\":[\"bug\",\"billing\"],\"country\":\"DE\"}\n\
        {\"id\":\"T-2\",\"closed\":null,\"agent\":null,\"tags\":[\"billing\"],\"country\":\"NO\"}\n\
        {\"id\":\"T-3\",\"closed\":null,\"agent\":{\"name\":\"Dev\"},\"tags\":[\"login\"],\"country\":\"DE\"}\n";
    let tickets = table("tickets.jsonl", text);
    assert_eq!(cell(&tickets, "How many tickets have no agent at all?"), "1");
    assert_eq!(cell(&tickets, "How many tickets are still open?"), "2");
    assert_eq!(cell(&tickets, "How many tickets are tagged billing?"), "2");
    assert_eq!(cell(&tickets, "How many tickets came from Germany?"), "2");
}

#[test]
fn times_without_a_year_show_none_and_have_no_weekday() {
    let text = "Mar  2 00:26:56 pi sshd[1]: Failed password for admin\nMar  3 01:50:44 pi CRON[2]: backup\n\
        Mar  3 02:24:44 pi CRON[3]: backup\n";
    let log = table("pi.log", text);
    assert_eq!(first(&log, "How many messages were there on each day?").0, ["03-02", "1"]);
    assert!(!matches!(log.ask("How many messages were there on Monday?"), Answer::Unique(_)));
    assert!(!matches!(log.ask("How many messages were there per weekday?"), Answer::Unique(_)));
}

#[test]
fn two_groups_are_told_apart() {
    let text =
        "day,weather,yield\n2024-04-01,sunny,10\n2024-04-02,rain,4\n2024-07-01,sunny,20\n2024-07-02,rain,2\n";
    let roof = table("roof.csv", text);
    let question = "What is the difference in average yield between rain and sunny?";
    assert_eq!(cell(&roof, question), "12");
    assert_eq!(cell(&roof, "How much more yield was there in July than in April?"), "8");
    assert_eq!(cell(&roof, "How much more yield was there in April than in July?"), "-8");
    // Which of the two is the first is not said in order.
    assert!(!matches!(roof.ask("How much more yield than in April was there in July?"), Answer::Unique(_)));
}

#[test]
fn numbers_of_records_are_never_added() {
    let text = "Loan,Title,Borrower,Borrowed,Due,Returned,Renewals\n7001,Emma,Ann,2025-01-02,2025-02-02,2025-02-01,0\n\
        7002,Dune,Bob,2025-01-03,2025-02-03,2025-02-09,1\n7003,Ubik,Ann,2025-01-04,2025-02-04,,2\n";
    let loans = table("loans.csv", text);
    assert_eq!(cell(&loans, "How many loans have not been returned yet?"), "1");
    assert_eq!(cell(&loans, "Which borrower has the most loans?"), "Ann");
    // The longest is not the one with the largest number: it is told by its days.
    let Answer::Unique(longest) = loans.ask("What was the longest loan?") else { panic!("no answer") };
    assert_eq!(longest.outcome.rows[0].last().unwrap().to_string(), "37");
    assert!(longest.confidence < 0.8, "{}", longest.confidence);
    assert_eq!(cell(&loans, "How many loans came back after their due date?"), "1");
    assert_eq!(cell(&loans, "What percentage of loans was renewed at least once?"), "66.67");
}

#[test]
fn columns_of_a_row_are_compared_with_each_other() {
    let text = "Pupil,Maths,English\nAnn,70,60\nBob,50,80\nCem,90,10\n";
    let marks = table("marks.csv", text);
    assert_eq!(cell(&marks, "How many pupils did better in Maths than in English?"), "2");
    let text = "Artikel;Bestand;Mindestbestand\nBolzen;5;10\nMutter;70;20\n";
    let stock = table("lager.csv", text);
    assert_eq!(cell(&stock, "Von welchen Artikeln haben wir weniger als den Mindestbestand?"), "Bolzen");
}

#[test]
fn from_one_day_to_another_means_the_only_year_there_is() {
    let text = "Name,Joined,Paid on\nAnn,1998-02-03,2025-04-01\nBob,2004-05-06,2025-04-14\nCem,2010-07-08,2025-05-02\n";
    let members = table("members.csv", text);
    let question = "How many members paid from 1 April up to and including 14 April?";
    assert_eq!(cell(&members, question), "2");
    assert_eq!(cell(&members, "How many members joined before the year 2000?"), "1");
    assert_eq!(cell(&members, "Wie viele haben von April bis Mai bezahlt?"), "3");
}
