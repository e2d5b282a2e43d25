//! Documents as people have them: a PDF report is asked about, and its pages are cited.

use std::path::{Path, PathBuf};

use crate::common::{Background, json, run, stderr, stdout};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../documents/corpus").join(name)
}

/// The answers were computed by the script that made the report (documents/corpus/make/report.py).
#[test]
fn ten_questions_over_a_report_of_300_pages_are_answered_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let (_relay, url) = Background::relay(folder.path());
    let _providers: Vec<_> = (0..3).map(|_| Background::provider(folder.path(), &url)).collect();
    let expected: serde_json::Value =
        serde_json::from_slice(&std::fs::read(corpus("report/incidents.json")).unwrap()).unwrap();
    let (home, file) = (folder.path().join("asker"), corpus("report/incidents.pdf"));
    let questions = expected["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 10);
    for question in questions {
        let asked = question["question"].as_str().unwrap();
        let args = [
            "ask",
            asked,
            "--by",
            "swarm",
            "--file",
            file.to_str().unwrap(),
            "--relay",
            &url,
            "--json",
            "--yes",
        ];
        let output = run(&home, &args);
        assert!(output.status.success(), "{asked}: {}", stderr(&output));
        let answer = json(&output);
        let words = answer["answer"].as_str().unwrap();
        let right = question["answer"].as_str().unwrap();
        let mut said = words.split(|letter: char| !letter.is_alphanumeric() && letter != ' ');
        let first = said.next().unwrap_or_default();
        assert!(
            first.split(' ').any(|word| word == right) || words.contains(right) && right.contains(' '),
            "{asked}: {words} instead of {right}"
        );
        let pages: Vec<u64> =
            question["pages"].as_array().unwrap().iter().map(|page| page.as_u64().unwrap()).collect();
        assert!(!words.contains("(line "), "a PDF has no lines: {words}");
        let citations = answer["citations"].as_array().unwrap();
        assert!(!citations.is_empty(), "{asked}: {answer}");
        for citation in citations {
            let page = citation["page"].as_u64().unwrap();
            assert!(pages.contains(&page), "{asked}: {citation}");
            let heading = citation["heading"].as_str().unwrap();
            assert!(heading.ends_with(&format!("Week {page}")), "{citation}");
        }
    }
}

#[test]
fn what_was_understood_is_printed_kept_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let file = corpus("report/incidents.pdf");
    let printed = run(folder.path(), &["docs", file.to_str().unwrap()]);
    assert!(printed.status.success(), "{}", stderr(&printed));
    let text = stdout(&printed);
    assert!(text.contains("[p. 20, § 3.10 Week 20]"), "{}", &text[..2_000]);
    assert!(text.contains("incident | site | status | cost | reporter"));
    let kept = stdout(&run(folder.path(), &["docs", "--kept"]));
    assert!(kept.trim_end().ends_with("incidents.pdf") && kept.lines().count() == 1, "{kept}");
    assert_eq!(stdout(&run(folder.path(), &["docs", "--forget"])), "1 document deleted\n");
    assert_eq!(stdout(&run(folder.path(), &["docs", "--kept"])), "");
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for (path, said) in [
        (write("a.rtf", b"{\\rtf1 words}"), "save it as"),
        (write("b.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "text recognition"),
        (write("c.pdf", b"%PDF-1.7\nnothing of a PDF"), "damaged"),
    ] {
        let output = run(folder.path(), &["docs", &path]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(said), "{said}: {}", stderr(&output));
    }
    let log = write("d.log", b"user=mara\n");
    let [rtf, png] = ["a.rtf", "b.png"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let asked = ["ask", "How many lines mention mara?", "--by", "swarm", "--json"];
    let output =
        run(folder.path(), &[&asked[..], &["--file", &rtf, "--file", &log, "--file", &png]].concat());
    let answer = json(&output);
    assert!(answer["answer"].as_str().unwrap().contains("nothing about 2 files:\n- a.rtf: "), "{answer}");
    assert_eq!(answer["documents"]["unread"][1]["path"], "b.png");
    assert!(answer["coverage"] == 0.3333 && stderr(&output).contains("b.png: not read, "), "{answer}");
}
