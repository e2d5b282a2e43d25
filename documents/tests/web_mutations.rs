//! No reader panics or runs on, whatever a file of the corpus is turned into.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::path::Path;

use frlm_documents::{Event, Limits, Options, read};
use proptest::prelude::*;

fn files() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut files = Vec::new();
    for folder in ["web", "text"] {
        for file in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().unwrap() != "json" {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                files.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// One change of a file's bytes.
#[derive(Debug, Clone)]
enum Change {
    Set(usize, u8),
    Cut(usize),
    Remove(usize, usize),
    Repeat(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        any::<usize>().prop_map(Change::Cut),
        (any::<usize>(), 1..200_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<usize>(), 1..200_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match *change {
        Change::Set(at, byte) => bytes[at % length] = byte,
        Change::Cut(at) => bytes.truncate(at % length),
        Change::Remove(at, count) => {
            let at = at % length;
            bytes.drain(at..length.min(at + count));
        }
        Change::Repeat(at, count) => {
            let at = at % length;
            let again = bytes[at..length.min(at + count)].to_vec();
            bytes.splice(at..at, again);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_document_that_begins_ends(file in any::<usize>(), changes in prop::collection::vec(change(), 1..12)) {
        let files = files();
        let (name, bytes) = &files[file % files.len()];
        let mut bytes = bytes.clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        let limits = Limits { member_bytes: 1 << 20, unpacked_bytes: 4 << 20, ..Limits::default() };
        let (mut begun, mut ended) = (0, 0);
        read(name, &bytes, &Options { limits, ..Options::default() }, &mut |event| match event {
            Event::Document { .. } => begun += 1,
            Event::End(_) => ended += 1,
            _ => {}
        });
        prop_assert!(begun > 0 && begun == ended);
    }
}
