//! `frlm-lab learn decompose`: whether the policy that takes questions apart learns, how fast, and what it
//! does when tastes change.
//!
//! Questions, answers and users are **simulated** ([`world`]); state, policy, baseline, exploration, reward and
//! updates are the program's own (`frlm_learning::planning`).
//!
//! - [`world`]: domains with hidden preferences
//! - [`experiment`]: a learner, and ways that do not learn, in one world
//! - [`report`]: tables and curves over several worlds

mod experiment;
mod report;
mod world;

use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use frlm_learning::planning::decompose::LearnerSettings;

use crate::arguments::LabDecomposeArgs;
use frlm_client::attack_simulation::parallel;
use frlm_client::failure::Failure;

/// Runs the experiment in all worlds on all cores and prints or writes what came of it.
pub async fn run(args: &LabDecomposeArgs) -> anyhow::Result<()> {
    if args.episodes < report::WINDOW || args.worlds == 0 {
        let least = report::WINDOW;
        return Err(
            Failure::usage(format!("--episodes must be at least {least} and --worlds at least 1")).into()
        );
    }
    let settings = settings(args.settings.as_deref())?;
    eprintln!(
        "SIMULATED questions, answers and users, with hidden preferences; policy, reward and updates are the \
         program's own. {} worlds, {} questions, then other preferences and {} more",
        args.worlds, args.episodes, args.after_shift
    );
    let began = Instant::now();
    let worlds: Vec<u64> = (0..args.worlds).map(|world| args.seed.wrapping_mul(1_000) + world).collect();
    let (episodes, after_shift) = (args.episodes, args.after_shift);
    // Nothing else runs here, but the runtime's threads are not for computing.
    let courses = tokio::task::spawn_blocking(move || {
        parallel::over(&worlds, |seed| experiment::run(*seed, settings, episodes, after_shift))
    })
    .await??;
    let courses = courses.into_iter().collect::<Result<Vec<_>, _>>()?;
    eprintln!("took {:.1} s", began.elapsed().as_secs_f64());
    if let Some(folder) = &args.plots {
        let path = folder.join("decomposition.svg");
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, report::svg(&courses)))
            .with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("plot: {}", path.display());
    }
    if args.json {
        println!("{}", report::json(&courses, &settings));
    } else {
        print!("{}", report::table(&courses));
    }
    Ok(())
}

/// Hyperparameters from a file; what it does not name keeps its default.
pub fn settings(file: Option<&Path>) -> anyhow::Result<LearnerSettings> {
    let Some(path) = file else { return Ok(LearnerSettings::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    Ok(serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{} holds no hyperparameters: {error}", path.display())))?)
}
