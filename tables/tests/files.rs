//! Files that are read block by block: the same tables as from memory, in a database that leaves nothing behind.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frlm_tables::{Answer, LoadError, LoadOptions, Source, Store, Table};

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
        paths.push(frlm_tables::corpus::unpacked(&plain, unpacked.path()).unwrap());
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

/// Every file is read block by block, whatever its size.
fn in_blocks() -> LoadOptions {
    LoadOptions { memory_bytes: 0, ..LoadOptions::default() }
}

/// The table of a file, kept; its bytes are told apart by the file's path.
fn stored(store: &Store, path: &Path, options: &LoadOptions) -> Result<Table, LoadError> {
    let source: Arc<dyn Source> = Arc::new(File::open(path).unwrap());
    store.load(path.file_name().unwrap().to_str().unwrap(), path.to_str().unwrap(), &source, options)
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_kept_table_is_the_one_that_was_made() {
    let (unpacked, paths) = corpus();
    let store = Store::at(unpacked.path().join("tables"));
    let mut kept = 0;
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        let made = stored(&store, &path, &in_blocks()).unwrap();
        kept += usize::from(store.list().unwrap().len() > kept);
        let found = stored(&store, &path, &in_blocks()).unwrap();
        let large = from_file(&path);
        for table in [made, found] {
            assert_eq!((table.name(), table.format()), (large.name(), large.format()), "{name}");
            assert_eq!(table.columns(), large.columns(), "{name}");
            assert_eq!(table.notes(), large.notes(), "{name}");
            assert_eq!((table.flaws(), table.rows()), (large.flaws(), large.rows()), "{name}");
            let sql = format!("SELECT * FROM \"{}\"", table.name());
            assert_eq!(table.run_sql(&sql).unwrap().rows, large.run_sql(&sql).unwrap().rows, "{name}");
            let lines = "SELECT count(*), max(length(text)) FROM lines";
            assert_eq!(table.run_sql(lines).unwrap().rows, large.run_sql(lines).unwrap().rows, "{name}");
        }
    }
    assert!(kept > 40, "{kept}");
    assert_eq!(store.list().unwrap().len(), kept);
}

#[test]
fn the_second_question_reads_no_rows_of_the_file() {
    /// Counts how often it is read.
    struct Counted(&'static [u8], std::sync::atomic::AtomicUsize);
    impl Source for Counted {
        fn bytes(&self) -> std::io::Result<u64> {
            Ok(self.0.len() as u64)
        }
        fn reader(&self) -> std::io::Result<Box<dyn std::io::Read + '_>> {
            self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(Box::new(self.0))
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("tables"));
    let text = b"order,state\n1,open\n2,paid\n3,Open\n";
    let source = Arc::new(Counted(text, std::sync::atomic::AtomicUsize::new(0)));
    let shared: Arc<dyn Source> = source.clone();
    let ask = |hash| {
        let table = store.load("orders.csv", hash, &shared, &in_blocks()).unwrap();
        let answer = table.ask("How many orders are open?");
        answer.unique().unwrap().text()
    };
    let read = || source.1.load(std::sync::atomic::Ordering::Relaxed);
    // Its beginning, which tells the format, and all of it twice.
    assert_eq!((ask("one").as_str(), read()), ("2", 3));
    assert_eq!((ask("one").as_str(), read()), ("2", 4));
    assert_eq!((ask("another").as_str(), read()), ("2", 7));
    assert_eq!(store.list().unwrap().len(), 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let tables = folder.path().join("tables");
        assert_eq!(mode(&tables), 0o700);
        for entry in std::fs::read_dir(&tables).unwrap() {
            assert_eq!(mode(&entry.unwrap().path()), 0o600);
        }
    }
    assert_eq!((store.clear().unwrap(), store.list().unwrap().len()), (2, 0));
}

#[test]
fn kept_tables_are_bounded_and_a_damaged_one_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables");
    let (store, options) = (Store::at(tables.clone()).bounded(1), in_blocks());
    for name in ["may.csv", "june.csv"] {
        stored(&store, &written(folder.path(), name, "id,city\n1,Rome\n2,Oslo\n"), &options).unwrap();
    }
    let names = || store.list().unwrap().into_iter().map(|kept| kept.name).collect::<Vec<_>>();
    assert_eq!(names(), ["june.csv"]);
    let only = std::fs::read_dir(&tables).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&only, "nonsense").unwrap();
    assert_eq!(stored(&store, &folder.path().join("june.csv"), &options).unwrap().rows(), 2);
    assert_eq!(names(), ["june.csv"]);
    // What was not asked for long goes, whatever its size.
    let store = Store::at(tables);
    let long_ago =
        std::time::SystemTime::now().checked_sub(std::time::Duration::from_hours(24 * 31)).unwrap();
    File::options().append(true).open(&only).unwrap().set_modified(long_ago).unwrap();
    stored(&store, &folder.path().join("may.csv"), &options).unwrap();
    assert_eq!(names(), ["may.csv"]);
}

#[test]
fn a_table_that_takes_too_much_room_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..20_000).map(|number| format!("{number},a text of some length\n"));
    let path = written(folder.path(), "rows.csv", &format!("id,text\n{}", rows.collect::<String>()));
    let store = Store::at(folder.path().join("tables"));
    let options = LoadOptions { disk_bytes: 200 << 10, ..in_blocks() };
    for refused in [stored(&store, &path, &options), Table::load_file(&path, &options)] {
        assert!(matches!(refused, Err(LoadError::NoRoom { disk_bytes: 204_800 })), "{refused:?}");
    }
    assert_eq!(store.list().unwrap(), []);
    // Where nothing can be kept, the table has no name.
    let nowhere = Store::at(path.join("tables"));
    assert_eq!(stored(&nowhere, &path, &in_blocks()).unwrap().rows(), 20_000);
}

#[test]
fn lines_that_end_with_a_carriage_return_alone_are_read_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "old.csv", "id,city\r1,Rome\r2,Oslo\r");
    assert_eq!(from_file(&path).rows(), 2);
    let options = LoadOptions { whole_bytes: 8, ..in_blocks() };
    let refused = Table::load_file(&path, &options);
    assert!(matches!(refused, Err(LoadError::TooLarge { limit_bytes: 8 })), "{refused:?}");
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

#[test]
fn numbers_of_several_units_are_turned_into_one() {
    let text =
        "run,distance,weight\n1,12.4 km,320 g\n2,900 m,1.4 kg\n3,8.6km,250 g\n4,1000 m,2 kg\n5,5 km,1 kg\n";
    let table = Table::load("runs.csv", text, &LoadOptions::default()).unwrap();
    let answered = |question: &str| {
        let answer = table.ask(question);
        answer.unique().unwrap_or_else(|| panic!("{question}: {answer:?}")).outcome.rows[0][0].to_string()
    };
    assert_eq!(answered("What is the total distance?"), "27.9");
    assert_eq!(answered("What is the largest weight?"), "2");
    assert_eq!(table.columns()[1].misfits, 0);
}

#[test]
fn cells_that_read_in_one_way_only_are_read_beside_others() {
    let text = "bed,temp\nA,37.5\nB,\"36,6\"\nC,37.0\nD,36.9\n";
    let table = Table::load("ward.csv", text, &LoadOptions::default()).unwrap();
    let answer = table.ask("What is the average temp?");
    assert_eq!(answer.unique().unwrap().outcome.rows[0][0].to_string(), "37");
    let text = "bed,temp\nA,37.5\nB,\"36,6\"\nC,\"37,125\"\nD,36.9\n";
    let doubtful = Table::load("ward.csv", text, &LoadOptions::default()).unwrap();
    assert!(matches!(doubtful.ask("What is the average temp?"), Answer::Asked(_)));
}
