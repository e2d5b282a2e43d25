//! `frlm models`: what is on this machine, what fits, and how more comes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;

use crate::common::{run, stderr, stdout};
use serde_json::Value;

/// The shipped weights, as a file like any other.
const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/model/frlm-records.gguf");
/// What they hash to.
const SUMS: &str = include_str!("../../../assets/model/SHA256SUMS");

/// Serves these bytes as often as `times`; its address.
fn serving(bytes: Vec<u8>, times: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/small.gguf", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for _ in 0..times {
            let (mut stream, _) = listener.accept().unwrap();
            let asked = BufReader::new(stream.try_clone().unwrap());
            asked.lines().map(Result::unwrap).find(String::is_empty).unwrap();
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", bytes.len());
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(&bytes).unwrap();
        }
    });
    url
}

fn json(home: &Path, args: &[&str]) -> Value {
    let done = run(home, args);
    assert!(done.status.success(), "{}", stderr(&done));
    serde_json::from_str(&stdout(&done)).unwrap()
}

#[test]
fn what_is_fetched_is_listed_and_said_to_fit() {
    let home = tempfile::tempdir().unwrap();
    let weights = std::fs::read(WEIGHTS).unwrap();
    let line = SUMS.lines().find(|line| line.ends_with("frlm-records.gguf")).unwrap();
    let digest = line.split_whitespace().next().unwrap().to_owned();
    let url = serving(weights, 1);
    let fetched = json(home.path(), &["models", "get", &url, "--sha256", &digest, "--json"]);
    assert_eq!((&fetched["sha256"], &fetched["checked"]), (&Value::from(digest), &Value::from(true)));
    let path = fetched["path"].as_str().unwrap();

    let listed = json(home.path(), &["models", "list", "--json"]);
    let specs: Vec<&str> =
        listed["models"].as_array().unwrap().iter().map(|entry| entry["spec"].as_str().unwrap()).collect();
    assert_eq!(specs, ["embedded", path]);

    let fit = json(home.path(), &["models", "fit", path, "--json"]);
    assert_eq!(fit["models"][0]["weights_bytes"], std::fs::metadata(WEIGHTS).unwrap().len());
    let expected = if fit["free_bytes"].is_null() { "unknown" } else { "yes" };
    assert_eq!(fit["models"][0]["fit"], expected, "{fit}");
}

#[test]
fn another_file_than_the_one_that_was_named_is_not_kept() {
    let home = tempfile::tempdir().unwrap();
    let url = serving(b"GGUF and nothing else".to_vec(), 1);
    let done = run(home.path(), &["models", "get", &url, "--sha256", &"0".repeat(64)]);
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("not the one that was named"), "{}", stderr(&done));
    let listed = json(home.path(), &["models", "list", "--json"]);
    assert_eq!(listed["models"].as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn what_cannot_be_fetched_or_read_says_why() {
    let home = tempfile::tempdir().unwrap();
    let nowhere = home.path().join("nowhere.gguf").display().to_string();
    let broken = home.path().join("broken.gguf").display().to_string();
    std::fs::write(&broken, "nonsense").unwrap();
    for (args, says) in [
        (vec!["models", "get", "ftp://host.example/m.gguf"], "only https and http"),
        (vec!["models", "get", "http://host.example/m.gguf"], "name its sha256"),
        (vec!["models", "get", "https://host.example/m.bin"], "must end with the file"),
        (vec!["models", "get", "https://host.example/m.gguf", "--sha256", "12"], "64 digits"),
        (vec!["models", "fit", &nowhere], "cannot be read"),
        (vec!["models", "fit", &broken], "GGUF"),
    ] {
        let done = run(home.path(), &args);
        assert_eq!(done.status.code(), Some(2), "{args:?}: {}", stderr(&done));
        assert!(stderr(&done).contains(says), "{args:?}: {}", stderr(&done));
    }
}

#[test]
fn a_page_in_the_place_of_a_model_is_not_recommended() {
    let home = tempfile::tempdir().unwrap();
    let url = serving(b"<html>please log in</html>".to_vec(), 1);
    let done = run(home.path(), &["models", "get", &url]);
    assert_eq!(done.status.code(), Some(1), "{}", stderr(&done));
    assert!(
        stderr(&done).contains("cannot be used") && !stderr(&done).contains("use it:"),
        "{}",
        stderr(&done)
    );
}

#[cfg(feature = "embedded")]
#[test]
fn the_model_inside_is_known_by_its_name() {
    let home = tempfile::tempdir().unwrap();
    let fit = json(home.path(), &["models", "fit", "embedded", "--json"]);
    assert_eq!(fit["models"][0]["model"], "embedded", "{fit}");
}
