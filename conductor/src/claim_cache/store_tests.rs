//! What is kept, for how long, and what becomes of a file that is of no use.

use rusqlite::Connection;
use tempfile::TempDir;

use super::store::Bounds;
use super::*;

const STRONG: Strength = Strength { level: 1, fidelity: 990_000 };
const WEAK: Strength = Strength { level: 0, fidelity: 990_000 };

fn cache() -> (TempDir, ClaimCache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = ClaimCache::at(folder.path().join("claims.db"));
    (folder, cache)
}

fn reading(text: &str) -> KeptReading {
    let claims = vec![KeptClaim { text: text.to_owned(), lines: vec![[0, 1]], confidence: 0.97 }];
    KeptReading { claims, readers: Vec::new(), sats: 5 }
}

fn nothing(reader: &str) -> KeptReading {
    KeptReading { claims: Vec::new(), readers: vec![reader.to_owned()], sats: 1 }
}

fn entry(key: u8, reading: KeptReading) -> Entry {
    Entry { key: Key::of_bytes(key), file: "lease.txt".to_owned(), reading }
}

fn keep(cache: &ClaimCache, key: u8, reading: KeptReading, strength: Strength, now: u64) {
    cache.keep("run", "What is owed?", &[entry(key, reading)], strength, now).unwrap();
}

fn found(cache: &ClaimCache, key: u8, strength: Strength) -> Option<KeptReading> {
    let key = Key::of_bytes(key);
    cache.find(&[key], strength, 10).unwrap().remove(&key)
}

#[test]
fn what_is_kept_is_found_and_nothing_else() {
    let (_folder, cache) = cache();
    assert_eq!(found(&cache, 1, WEAK), None, "no file is made by looking");
    assert!(!cache.path().exists());
    keep(&cache, 1, reading("The rent is 900 EUR."), WEAK, 1);
    assert_eq!(found(&cache, 1, WEAK), Some(reading("The rent is 900 EUR.")));
    assert_eq!(found(&cache, 2, WEAK), None);
    keep(&cache, 1, reading("The rent is 950 EUR."), WEAK, 2);
    assert_eq!(found(&cache, 1, WEAK), Some(reading("The rent is 950 EUR.")), "the latest stands");
}

#[test]
fn a_stricter_run_does_not_use_what_a_laxer_one_verified() {
    let (_folder, cache) = cache();
    keep(&cache, 1, reading("lax"), WEAK, 1);
    assert_eq!(found(&cache, 1, STRONG), None);
    keep(&cache, 1, reading("strict"), STRONG, 1);
    assert_eq!(found(&cache, 1, STRONG), Some(reading("strict")));
    assert_eq!(found(&cache, 1, WEAK), Some(reading("strict")), "stricter is good enough");
    let stricter = Strength { fidelity: 999_000, ..WEAK };
    keep(&cache, 2, reading("lax"), WEAK, 1);
    assert_eq!(found(&cache, 2, stricter), None);
}

#[test]
fn that_a_part_says_nothing_is_used_once_two_have_said_so() {
    let (_folder, cache) = cache();
    keep(&cache, 1, nothing("alpha"), WEAK, 1);
    assert_eq!(found(&cache, 1, WEAK), None);
    keep(&cache, 1, nothing("alpha"), WEAK, 1);
    assert_eq!(found(&cache, 1, WEAK), None, "the same reader again");
    keep(&cache, 1, nothing("beta"), WEAK, 1);
    let kept = found(&cache, 1, WEAK).unwrap();
    assert_eq!((kept.readers.len(), kept.sats), (2, 3));
    keep(&cache, 2, reading("The rent is 900 EUR."), WEAK, 1);
    keep(&cache, 2, nothing("alpha"), WEAK, 1);
    assert!(found(&cache, 2, WEAK).is_some(), "verified claims stay");
}

#[test]
fn what_was_used_longest_ago_goes_first() {
    let (folder, _) = cache();
    let path = folder.path().join("claims.db");
    let three = ClaimCache::at(&path).within(Bounds { entries: 3, bytes: 1 << 20 });
    for key in 1..=3 {
        keep(&three, key, reading("kept"), WEAK, key.into());
    }
    assert!(found(&three, 1, WEAK).is_some(), "used at 10");
    keep(&three, 4, reading("new"), WEAK, 11);
    let left: Vec<u8> = (1..=4).filter(|key| found(&three, *key, WEAK).is_some()).collect();
    assert_eq!(left, [1, 3, 4]);
    let short = ClaimCache::at(&path).within(Bounds { entries: 100, bytes: 700 });
    keep(&short, 5, reading(&"long ".repeat(100)), WEAK, 12);
    let left: Vec<u8> = (1..=5).filter(|key| found(&short, *key, WEAK).is_some()).collect();
    assert_eq!(left, [5]);
    keep(&short, 6, reading(&"long ".repeat(20_000)), WEAK, 13);
    assert!(found(&short, 6, WEAK).is_none(), "too long to be kept at all");
}

#[test]
fn a_list_says_what_is_kept_and_clearing_it_leaves_nothing() {
    let (folder, cache) = cache();
    assert!(cache.list().unwrap().is_empty() && cache.clear().unwrap() == 0);
    keep(&cache, 1, reading("one secret sentence"), WEAK, 3);
    keep(&cache, 2, reading("two"), WEAK, 4);
    let listed = cache.list().unwrap();
    let [one] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((one.question.as_str(), one.file.as_str()), ("What is owed?", "lease.txt"));
    assert_eq!((one.parts, one.claims, one.sats, one.used_at), (2, 2, 10, 4));
    assert_eq!(cache.forget_run("another").unwrap(), 0);
    assert_eq!(cache.forget_run("run").unwrap(), 2);
    keep(&cache, 1, reading("one secret sentence"), WEAK, 3);
    assert_eq!(cache.clear().unwrap(), 1);
    assert!(cache.list().unwrap().is_empty());
    let bytes = std::fs::read(folder.path().join("claims.db")).unwrap();
    assert!(!bytes.windows(6).any(|window| window == b"secret"), "it is overwritten");
}

#[test]
fn a_damaged_or_newer_file_is_set_aside_and_named() {
    let (folder, cache) = cache();
    assert_eq!(cache.make_ready().unwrap(), None);
    std::fs::write(cache.path(), "this is no database, and was never one").unwrap();
    let said = cache.make_ready().unwrap().unwrap();
    assert!(said.contains("damaged") && folder.path().join("claims.damaged").exists(), "{said}");
    keep(&cache, 1, reading("kept"), WEAK, 1);
    assert_eq!(cache.make_ready().unwrap(), None);
    Connection::open(cache.path()).unwrap().pragma_update(None, "user_version", 9).unwrap();
    let said = cache.make_ready().unwrap().unwrap();
    assert!(said.contains("newer program (form 9") && folder.path().join("claims.newer").exists(), "{said}");
    assert_eq!(found(&cache, 1, WEAK), None);
    cache.clear().unwrap();
    assert!(!folder.path().join("claims.damaged").exists() && !folder.path().join("claims.newer").exists());
}

#[test]
fn a_row_that_is_no_reading_is_not_found_and_harms_nobody() {
    let (_folder, cache) = cache();
    keep(&cache, 1, reading("kept"), WEAK, 1);
    Connection::open(cache.path())
        .unwrap()
        .execute("UPDATE reading SET reading = '{\"claims\": 7}'", [])
        .unwrap();
    assert_eq!(found(&cache, 1, WEAK), None);
    keep(&cache, 1, nothing("alpha"), WEAK, 1);
    keep(&cache, 1, reading("kept"), WEAK, 1);
    assert!(found(&cache, 1, WEAK).is_some());
}
