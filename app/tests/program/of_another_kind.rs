//! Files, tokens and addresses that are not what a command takes: what is said names what it takes, in words.

use std::net::TcpListener;

use crate::common::{Background, run, stderr, stdout};

#[test]
fn a_log_in_the_place_of_an_export_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("orders.log");
    std::fs::write(&log, "2026-03-02 order=1 status=failed\n").unwrap();
    let log = log.to_str().unwrap();
    for (args, says) in [
        (["known", "import", log], "a question with its answer"),
        (["providers", "import", log], "what frlm providers export writes"),
    ] {
        let output = run(folder.path(), &args);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(says) && !said.contains("struct"), "{said}");
    }
}

#[test]
fn a_wallet_without_a_mint_says_how_to_get_one_and_names_a_bad_token() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(folder.path(), &["wallet", "create", "--yes"]).status.success());
    let listed = run(folder.path(), &["wallet", "mints", "list"]);
    assert_eq!((listed.status.code(), stdout(&listed)), (Some(0), String::new()));
    assert!(stderr(&listed).contains("frlm wallet mints add"), "{}", stderr(&listed));
    let received = run(folder.path(), &["wallet", "receive", "cashuBxyz"]);
    assert_eq!(received.status.code(), Some(2), "{}", stderr(&received));
    assert!(stderr(&received).contains("copy all of it"), "{}", stderr(&received));
}

#[test]
fn an_endpoint_at_an_address_in_use_is_told_to_take_another() {
    let folder = tempfile::tempdir().unwrap();
    let (_relay, url) = Background::relay(folder.path());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = run(folder.path(), &["serve", "--relay", &url, "--listen", &address]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("pass another address with --listen"), "{}", stderr(&output));
}
