//! `frlm-lab words`: a **simulated** world of claims in words, under the rules of runs (docs/claims.md).
//!
//! The simulation is `frlm_client::attack_simulation::words`, of which the window shows one small world.
//!
//! - [`mod@rows`]: the worlds and policies that are compared; [`report`]: what came of them

mod report;
mod rows;

use std::time::Instant;

use frlm_client::attack_simulation::parallel;
use frlm_client::attack_simulation::words::simulate;
use frlm_client::failure::Failure;

use crate::arguments::LabWordsArgs;
use rows::{Row, rows};

/// Simulates all rows in all worlds on all cores, and prints what came of them.
pub async fn run(args: &LabWordsArgs) -> anyhow::Result<()> {
    let rows: Vec<Row> = rows().into_iter().filter(|row| row.is_wanted(&args.only)).collect();
    if rows.is_empty() || args.seeds == 0 || args.claims == 0 {
        let why = "--seeds and --claims must be at least 1, and --only part of a row's name, of its policy's or its reviewers'";
        return Err(Failure::usage(why.to_owned()).into());
    }
    let (claims, seeds) = (args.claims, args.seeds);
    let warm_up = claims / 5;
    eprintln!(
        "SIMULATED: documents written by code, readers and reviewers drawn at assumed rates; no model is asked. Code checks, \
         reviews, gold, records, disputes, pay and prompts are the program's own. {claims} claims after {warm_up} of warm-up, \
         median of {seeds} seeds; tokens as a multiple of one honest reading of every part without any check"
    );
    let began = Instant::now();
    let cells: Vec<(Row, u64)> =
        rows.iter().flat_map(|row| (0..seeds).map(|seed| (*row, args.seed.wrapping_add(seed)))).collect();
    // Nothing else runs here, but the runtime's threads are not for computing.
    let tallies = tokio::task::spawn_blocking(move || {
        parallel::over(&cells, |(row, seed)| simulate(&row.world, &row.policy.policy, warm_up, claims, *seed))
    })
    .await??;
    eprintln!("took {:.1} s", began.elapsed().as_secs_f64());
    let of_rows = tallies.chunks(usize::try_from(seeds)?);
    if args.json {
        let rows: Vec<serde_json::Value> =
            rows.iter().zip(of_rows).map(|(row, tallies)| report::json(&row.whole_name(), tallies)).collect();
        println!("{}", serde_json::json!({ "simulated": true, "claims": claims, "rows": rows }));
        return Ok(());
    }
    let (mut section, mut notes) = (String::new(), Vec::new());
    for (row, tallies) in rows.iter().zip(of_rows) {
        if row.section() != section {
            print_all(&mut notes);
            section = row.section();
            println!("\nSIMULATED. {section}\n\n{}", report::head());
            notes.push(String::new());
        }
        println!("{}", report::row(row.name, row.targets, tallies));
        notes.push(format!("- {}: {}", row.name, report::more(tallies)));
    }
    print_all(&mut notes);
    Ok(())
}

fn print_all(notes: &mut Vec<String>) {
    for note in notes.drain(..) {
        println!("{note}");
    }
}
