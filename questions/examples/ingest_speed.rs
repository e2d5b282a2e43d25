//! How fast documents become fragments: `cargo run --release --example ingest_speed [MEGABYTES]`.
//!
//! Writes one file per format into a temporary folder, reads and splits each, and prints MB/s. `ingest_speed FILE` reads that
//! file instead, and prints the most memory that it took.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use frlm_questions::ingest::{SplitOptions, TextOnly, read_documents};

type Lines = fn(&mut String, usize);

const FORMATS: &[(&str, Lines)] = &[
    ("server.log", |text, line| {
        let _ = writeln!(
            text,
            "2026-11-20T12:{:02}:{:02}Z INFO request id={line} user=alice path=/api/v1/orders status=200 took={}ms",
            line / 60 % 60,
            line % 60,
            line % 977
        );
    }),
    ("orders.csv", |text, line| {
        if line == 0 {
            text.push_str("id,customer,city,amount,note\n");
        }
        let _ = writeln!(text, "{line},\"Doe, Jane {line}\",Lisbon,{}.50,paid in full", line % 900);
    }),
    ("events.jsonl", |text, line| {
        let _ =
            writeln!(text, "{{\"id\":{line},\"kind\":\"login\",\"user\":\"bob\",\"ok\":{}}}", line % 3 == 0);
    }),
    ("book.txt", |text, line| {
        text.push_str(
            "It was a bright cold day in the valley, and the clocks of the old town were all wrong.\n",
        );
        if line % 6 == 5 {
            text.push('\n');
        }
    }),
    ("manual.md", |text, line| {
        if line % 12 == 0 {
            let _ = write!(text, "\n## Section {line}\n\n");
        }
        text.push_str("Open the *cover*, press `reset`, then wait until the [lamp](#lamp) is green again.\n");
        if line % 4 == 3 {
            text.push('\n');
        }
    }),
    ("program.rs", |text, line| {
        let _ = write!(text, "fn step_{line}(state: &mut State) {{\n    state.count += {line};\n}}\n\n");
    }),
    ("one_line.txt", |text, line| {
        let _ = write!(text, "sentence number {line} stands in one very long line. ");
    }),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "10".to_owned());
    let Ok(megabytes) = argument.parse::<usize>() else {
        return measure_file(Path::new(&argument));
    };
    let folder = std::env::temp_dir().join(format!("frlm-ingest-speed-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    println!(
        "{:<14} {:>9} {:>10} {:>9} {:>9} {:>9}",
        "file", "fragments", "records", "read", "split", "MB/s"
    );
    let result = FORMATS.iter().try_for_each(|(name, lines)| measure(&folder, name, *lines, megabytes));
    std::fs::remove_dir_all(&folder)?;
    result
}

fn measure_file(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let bytes = std::fs::metadata(path)?.len();
    let started = Instant::now();
    let ingested = read_documents(&[path.to_owned()], &TextOnly)?;
    let read = started.elapsed();
    println!("{} bytes read in {} ms; {}", bytes, read.as_millis(), most_memory());
    // As `frlm ask` cuts.
    let options = SplitOptions { max_tokens: 2_000, max_records: 16 };
    let fragments = frlm_questions::ingest::split(&ingested.documents, options);
    println!("{} fragments after {} ms; {}", fragments.len(), started.elapsed().as_millis(), most_memory());
    // Copies, as a quote takes them: what was read of a long document is let go with them.
    let records: usize = fragments.iter().map(|fragment| fragment.unread().records.iter().count()).sum();
    println!("{records} records looked at after {} ms; {}", started.elapsed().as_millis(), most_memory());
    Ok(())
}

/// The most memory that this process ever held, where the system tells.
fn most_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("unknown");
    format!("most memory: {}", line.trim_start_matches("VmHWM:").trim())
}

fn measure(
    folder: &Path,
    name: &str,
    lines: Lines,
    megabytes: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    for line in 0.. {
        lines(&mut text, line);
        if text.len() >= megabytes * 1_000_000 {
            break;
        }
    }
    let path = folder.join(name);
    std::fs::write(&path, &text)?;

    let started = Instant::now();
    let ingested = read_documents(&[path], &TextOnly)?;
    let read = started.elapsed();
    let fragments = frlm_questions::ingest::split(
        &ingested.documents,
        SplitOptions { max_tokens: 1024, max_records: 32 },
    );
    let total = started.elapsed();
    let split = total.saturating_sub(read);

    let records: usize = fragments.iter().map(|fragment| fragment.records.len()).sum();
    println!(
        "{name:<14} {:>9} {records:>10} {:>6} ms {:>6} ms {:>9.0}",
        fragments.len(),
        read.as_millis(),
        split.as_millis(),
        text.len() as f64 / 1e6 / total.as_secs_f64()
    );
    Ok(())
}
