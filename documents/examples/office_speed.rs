//! Measures how long a file is read and how much memory that takes:
//! `cargo run --release -p frlm-documents --example office_speed -- FILE…`
//!
//! `documents/corpus/make/office_large.py FOLDER` makes files that are large enough.

use std::time::Instant;

use frlm_documents::{Event, Options, read};

fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let (mut blocks, mut text_bytes, mut ended) = (0_u64, 0, Ok(()));
        let begin = Instant::now();
        read(&path, &bytes, &Options::default(), &mut |event| match event {
            Event::Block(block) => {
                blocks += 1;
                text_bytes += block.text.len();
            }
            Event::End(end) => ended = end,
            _ => {}
        });
        let seconds = begin.elapsed().as_secs_f64();
        let bytes = bytes.len();
        println!(
            "{path}: {bytes} bytes, {blocks} blocks, {text_bytes} bytes of text, {seconds:.2} s, {ended:?}"
        );
    }
    // The most memory that this process ever held, as Linux tells it.
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    Ok(())
}
