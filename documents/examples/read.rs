//! Prints what is read of a file: its blocks with their places, its warnings, and how it ended.
//!
//! ```text
//! cargo run --release -p frlm-documents --example read -- report.pdf
//! cargo run --release -p frlm-documents --example read -- --time 20 report.pdf    # pages per second, of 20 readings
//! cargo run --release -p frlm-documents --example read -- --json report.pdf       # one event a line
//! ```

use std::time::Instant;

use frlm_documents::{Event, Kind, Options, Place, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut times, mut json, mut options, mut paths) = (0_u32, false, Options::default(), Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--time" => times = arguments.next().ok_or("--time needs a number")?.parse()?,
            "--password" => options.password = Some(arguments.next().ok_or("--password needs a password")?),
            "--json" => json = true,
            _ => paths.push(argument),
        }
    }
    let (mut all_pages, mut all_seconds) = (0, 0.0);
    for path in &paths {
        let bytes = std::fs::read(path)?;
        if times > 0 {
            let (pages, seconds) = time(path, &bytes, &options, times);
            println!("{path}: {}", rate(pages, seconds));
            all_pages += pages;
            all_seconds += seconds;
        } else if json {
            let mut events = Vec::new();
            read(path, &bytes, &options, &mut |event| events.push(event));
            for event in events {
                println!("{}", serde_json::to_string(&event)?);
            }
        } else {
            read(path, &bytes, &options, &mut |event| print(&event));
        }
    }
    if times > 0 && paths.len() > 1 {
        println!("{} files: {}", paths.len(), rate(all_pages, all_seconds));
    }
    Ok(())
}

fn rate(pages: u32, seconds: f64) -> String {
    format!(
        "{:.1} ms of processor time, {pages} pages, {:.0} a second",
        seconds * 1000.0,
        f64::from(pages) / seconds
    )
}

/// The pages of a file, and the seconds that one reading takes.
fn time(path: &str, bytes: &[u8], options: &Options, times: u32) -> (u32, f64) {
    let mut pages = 0;
    let (started, used) = (Instant::now(), processor_time());
    for _ in 0..times {
        read(path, bytes, options, &mut |event| {
            if let Event::Block(block) = event
                && let Place::Page { page, .. } = block.place
            {
                pages = pages.max(page);
            }
        });
    }
    let seconds = match (used, processor_time()) {
        (Some(before), Some(after)) => after - before,
        _ => started.elapsed().as_secs_f64(),
    };
    (pages, seconds / f64::from(times.max(1)))
}

/// Seconds that this thread has computed, where the system tells: other programs do not count then.
fn processor_time() -> Option<f64> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = statistics.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1.0e9)
}

fn print(event: &Event) {
    match event {
        Event::Block(block) => {
            let kind = match &block.kind {
                Kind::Row { table, header: true, .. } => format!("Header {table}"),
                Kind::Row { table, .. } => format!("Row {table}"),
                kind => format!("{kind:?}"),
            };
            let place = match &block.place {
                Place::Page { page, bounds: Some(bounds) } => format!(
                    "p. {page} {:.0},{:.0}-{:.0},{:.0}",
                    bounds.left, bounds.top, bounds.right, bounds.bottom
                ),
                place => format!("{place:?}"),
            };
            println!("{kind:14} {place:26} {}", block.text);
        }
        Event::Warning(warning) => println!("warning: {warning}"),
        Event::End(Err(refusal)) => println!("refused: {refusal}"),
        Event::End(Ok(())) => println!("end"),
        event => println!("{event:?}"),
    }
}
