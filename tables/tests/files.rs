//! Files that are read block by block: the same tables as from memory, in a database that leaves nothing behind.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::path::{Path, PathBuf};

use frlm_tables::{Answer, LoadOptions, Table};

#[path = "scoring/packed.rs"]
mod packed;

/// The files of the corpus, some of them in a folder that is gone when it is dropped.
fn corpus() -> (tempfile::TempDir, Vec<PathBuf>) {
    let unpacked = tempfile::tempdir().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/files");
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in ["", "nine", "ten"].iter().flat_map(|part| std::fs::read_dir(folder.join(part)).unwrap()) {
        let path = entry.unwrap().path();
        let plain =
            if path.extension().is_some_and(|end| end == "gz") { path.with_extension("") } else { path };
        // Two files may have one name.
        if plain.is_dir() || unpacked.path().join(plain.file_name().unwrap()).exists() {
            continue;
        }
        paths.push(packed::unpacked(&plain, unpacked.path()).unwrap());
    }
    paths.sort();
    (unpacked, paths)
}

fn from_file(path: &Path) -> Table {
    Table::load_file(path, &LoadOptions { memory_bytes: 0, ..LoadOptions::default() }).unwrap()
}

#[test]
fn a_file_read_in_blocks_is_the_table_read_from_memory() {
    let (_unpacked, paths) = corpus();
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        // Whatever its encoding, what `load_file` hands to `load` as a whole.
        let (small, large) = (Table::load_file(&path, &LoadOptions::default()).unwrap(), from_file(&path));
        assert_eq!(small.format(), large.format(), "{name}");
        assert_eq!(small.rows(), large.rows(), "{name}");
        assert_eq!(small.columns(), large.columns(), "{name}");
        assert_eq!(small.notes(), large.notes(), "{name}");
        assert_eq!(small.flaws(), large.flaws(), "{name}");
        let sql = format!("SELECT * FROM \"{}\"", small.name());
        assert_eq!(small.run_sql(&sql).unwrap().rows, large.run_sql(&sql).unwrap().rows, "{name}");
        assert_eq!(small.line(3), large.line(3), "{name}");
    }
}

#[test]
fn questions_are_answered_from_a_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/files");
    let Answer::Unique(answer) = from_file(&folder.join("orders.csv")).ask("How many orders are open?")
    else {
        panic!("one reading")
    };
    assert_eq!((answer.text().as_str(), answer.confidence), ("21", 1.0));
    let lines = from_file(&folder.join("notes.csv"));
    assert_eq!(lines.ask("How many lines are in the file?").unique().unwrap().text(), "6");
}

#[test]
fn a_file_that_is_not_there_or_too_large_is_refused() {
    assert!(Table::load_file(Path::new("/nowhere/to.csv"), &LoadOptions::default()).is_err());
    let (_unpacked, paths) = corpus();
    let path = &paths[0];
    let options = LoadOptions { limit_bytes: 10, ..LoadOptions::default() };
    assert!(Table::load_file(path, &options).is_err());
}

/// What is open of files that have no name any more: their size and who may read them.
#[cfg(target_os = "linux")]
fn nameless_files() -> Vec<(u64, u32)> {
    use std::os::unix::fs::PermissionsExt as _;
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    open.filter_map(|entry| {
        let path = entry.ok()?.path();
        let target = std::fs::read_link(&path).ok()?;
        let is_gone = target.to_str()?.ends_with("(deleted)") && target.to_str()?.contains("etilqs");
        let found = std::fs::metadata(&path).ok()?;
        is_gone.then(|| (found.len(), found.permissions().mode() & 0o777))
    })
    .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_table_lies_in_a_nameless_file_of_its_owner() {
    use std::io::Write as _;
    let path = std::env::temp_dir().join(format!("frlm-tables-{}.csv", std::process::id()));
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    writeln!(file, "id,text").unwrap();
    // More than is kept in memory of a database in a file.
    let text = "x".repeat(9_000);
    for number in 0..9_000 {
        writeln!(file, "{number},{text}").unwrap();
    }
    file.flush().unwrap();
    let table = Table::load_file(&path, &LoadOptions::default()).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(table.rows(), 9_000);
    let files = nameless_files();
    assert!(files.iter().any(|(bytes, _)| *bytes > 8 << 20), "{files:?}");
    assert!(files.iter().all(|(_, mode)| *mode == 0o600), "{files:?}");
    drop(table);
    assert!(nameless_files().iter().all(|(bytes, _)| *bytes < 8 << 20));
}
