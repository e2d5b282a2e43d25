//! Asks the questions of the corpus and prints how many were answered right, wrong and sure of it, or not at all.

#[path = "../tests/scoring/mod.rs"]
mod scoring;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scored = scoring::ask_all()?;
    for line in &scored.lines {
        println!("{line}");
    }
    for line in &scored.bad_suggestions {
        println!("BAD SUGGESTION {line}");
    }
    for (phrasing, score) in &scored.scores {
        println!(
            "{phrasing}: {} asked, {} right, {} wrong, {} of them sure, {} refused or put back",
            score.asked, score.right, score.wrong, score.wrong_and_sure, score.refused
        );
    }
    println!("sure from a confidence of {} on", scoring::SURE);
    Ok(())
}
