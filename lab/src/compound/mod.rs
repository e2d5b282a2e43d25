//! `frlm-lab learn compound`: whether the policy that arranges the parts of a question is worth its training, over an
//! embedded swarm with real inference.
//!
//! ```text
//!   for each seed:  training questions ─► runs with the policy, as `frlm ask` makes them ─► a rating ─► policy
//!                   held-out questions ─► each asked three times: planner, untrained policy, trained policy
//! ```
//!
//! The lab's asker knows the answers, so that it rates each one: that is the satisfaction of the seed's reward. While
//! measuring, nothing is learned. The three ways take turns at being the first, so that no one of them has the quieter
//! machine.
//!
//! With `--planner` the questions are put so that code cannot take them apart: the asker's own model does, guided by
//! what the policy chose, and the deterministic planner does without; `--planner embedded` is the small model inside the
//! program, which needs no guide.
//!
//! - [`questions`]: generated documents, and what is right by their rows
//! - [`swarm`]: relay, providers, and one run
//! - [`mod@trial`]: a question with what came of it
//! - [`kept`]: what was asked so far
//! - [`report`]: tables, and what the target is held against

mod kept;
mod questions;
mod report;
mod swarm;
#[cfg(test)]
mod tests;
mod trial;

use std::sync::Arc;
use std::time::Instant;

use frlm_inference::{Dialect, LanguageModel};
use frlm_learning::planning::account::{Chosen, LearnerAccount};
use frlm_learning::planning::decompose::LearnerSettings;
use frlm_questions::small_model::SmallModel;

use self::kept::{Kept, Settings};
use self::questions::{Case, Drawn, Purpose, Wording, draw};
use self::swarm::{Choice, LabSwarm, POLICY, PROVIDERS, Went};
use self::trial::{Trial, Way, rated, rating, strategy_of};
use crate::arguments::LabCompoundArgs;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::models;

/// Questions between two lines on stderr.
const REPORT_EVERY: usize = 25;

/// Trains, measures, prints.
pub async fn run(args: &LabCompoundArgs, home: &Home) -> anyhow::Result<()> {
    if args.questions == 0 || args.seeds == 0 || args.lines == 0 {
        return Err(Failure::usage("--questions, --seeds and --lines must be at least 1").into());
    }
    let mut swarm = LabSwarm::start(args.model.as_deref().unwrap_or("embedded"), home).await?;
    if let Some(spec) = &args.planner {
        match planner(spec, home).await {
            Ok(Planner::General(model)) => swarm = swarm.planned_by(model),
            Ok(Planner::Small(model)) => swarm = swarm.helped_by(SMALL.to_owned(), model),
            Err(error) => {
                swarm.stop().await;
                return Err(error);
            }
        }
    }
    let done = Box::pin(experiment(args, &swarm, home)).await;
    swarm.stop().await;
    let kept = done?;
    let trials = kept.trials(seeds(args));
    if args.json {
        println!("{}", report::json(&trials, kept.settings()));
    } else {
        print!("{}", report::tables(&trials));
    }
    Ok(())
}

/// What takes questions apart.
enum Planner {
    /// A model of the asker's own.
    General(Arc<dyn LanguageModel>),
    /// The one inside the program that has learned nothing else.
    Small(SmallModel),
}

/// What the small model is called in records.
const SMALL: &str = "frlm-brain, embedded";

/// A model that may take questions apart.
async fn planner(spec: &str, home: &Home) -> anyhow::Result<Planner> {
    if spec == "embedded"
        && let Some(small) = models::small(home)
    {
        return Ok(Planner::Small(small));
    }
    let planner = models::open(spec, None, home).await?;
    if planner.info().dialect == Dialect::Json {
        return Ok(Planner::General(planner));
    }
    let why = "copies fields and can do nothing else; name a general model: PATH.gguf or http://HOST/v1#NAME";
    Err(Failure::usage(format!("--planner {spec}: this model {why}")).into())
}

fn seeds(args: &LabCompoundArgs) -> std::ops::Range<u64> {
    args.seed..args.seed.saturating_add(args.seeds)
}

/// Everything that is not there yet.
async fn experiment(args: &LabCompoundArgs, swarm: &LabSwarm, home: &Home) -> anyhow::Result<Kept> {
    let settings = Settings {
        questions: args.questions,
        training: args.training,
        lines: args.lines,
        model: swarm.model().to_owned(),
        planner: swarm.planner(),
        learner: super::decompose::settings(args.settings.as_deref())?,
    };
    let mut kept = Kept::open(&home.root().join("lab-compound"), &settings, args.fresh)?;
    eprintln!(
        "real inference ({}) by {PROVIDERS} providers behind an embedded relay, {POLICY}, prices counted and not paid; \
         documents of {} lines; the asker knows the answers and gives five stars or one",
        frlm_protocol::printable(swarm.model()),
        args.lines
    );
    if let Some(planner) = swarm.planner() {
        eprintln!(
            "questions are put loosely, so that {} must take them apart; the deterministic planner does without it",
            frlm_protocol::printable(&planner)
        );
    }
    for seed in seeds(args) {
        let learner = LearnerSettings { seed, ..kept.settings().learner };
        let untrained = LearnerAccount::with_policy(learner)?;
        let trained = train(&kept, seed, &untrained, swarm).await?;
        measure(&mut kept, seed, [untrained, trained], swarm).await?;
    }
    Ok(kept)
}

/// Has the policy of a seed learn from its questions, or from those that are left.
async fn train(
    kept: &Kept,
    seed: u64,
    untrained: &LearnerAccount,
    swarm: &LabSwarm,
) -> anyhow::Result<LearnerAccount> {
    let memory = kept.memory(seed);
    memory.begin(untrained)?;
    let account = || anyhow::Ok(memory.load()?.unwrap_or_default());
    let chosen = account()?.policy_so_far().map_or(0, |(_, episodes)| episodes);
    let asked = usize::try_from(chosen).unwrap_or(usize::MAX);
    let Settings { training, lines, .. } = *kept.settings();
    if asked < training {
        let drawn = drawn(Purpose::Training, seed, training, lines, swarm)?;
        eprintln!("seed {seed}: {asked} of {training} training questions are done");
        let began = Instant::now();
        for (number, case) in (1..).zip(&drawn.cases).skip(asked) {
            let went = swarm.ask(case, Choice::By(memory.clone())).await?;
            // A run that measured nothing is no episode.
            memory.rate(&went.run, rating(went.right))?;
            say_if_wrong(case, &went);
            if number % REPORT_EVERY == 0 || number == training {
                eprintln!(
                    "seed {seed}: {number} of {training} learned from, {:.0} s",
                    began.elapsed().as_secs_f64()
                );
            }
        }
    }
    let trained = account()?;
    let updates = trained.policy_so_far().map_or(0, |(updates, _)| updates);
    if updates == 0 {
        eprintln!(
            "seed {seed}: the policy has not learned yet: it does so after every {} questions (--training)",
            kept.settings().learner.update_every
        );
    }
    Ok(trained)
}

/// Asks the held-out questions of a seed in every way in which they were not asked yet.
async fn measure(
    kept: &mut Kept,
    seed: u64,
    [untrained, trained]: [LearnerAccount; 2],
    swarm: &LabSwarm,
) -> anyhow::Result<()> {
    let Settings { questions, lines, .. } = *kept.settings();
    let drawn = drawn(Purpose::Measuring, seed, questions, lines, swarm)?;
    eprintln!(
        "seed {seed}: {questions} held-out questions; {} more were passed over, because nobody would choose in them",
        drawn.passed_over
    );
    let (untrained, trained) = (choices(untrained, &drawn.cases)?, choices(trained, &drawn.cases)?);
    let began = Instant::now();
    for (question, case) in drawn.cases.iter().enumerate() {
        for turn in 0..Way::ALL.len() {
            let way = Way::ALL[(question + turn) % Way::ALL.len()];
            if kept.has(seed, way, question) {
                continue;
            }
            let choice = match way {
                Way::Planner => Choice::Nobody,
                Way::Untrained => Choice::Made(Box::new(untrained[question].clone())),
                Way::Trained => Choice::Made(Box::new(trained[question].clone())),
            };
            let went = swarm.ask(case, choice).await?;
            say_if_wrong(case, &went);
            kept.add(trial(seed, question, way, case, &went))?;
        }
        let number = question + 1;
        if number % REPORT_EVERY == 0 || number == questions {
            eprintln!(
                "seed {seed}: {number} of {questions} measured, {:.0} s",
                began.elapsed().as_secs_f64()
            );
        }
    }
    Ok(())
}

/// Questions that code reads in parts, or such as only the planner may.
fn drawn(purpose: Purpose, seed: u64, count: usize, lines: usize, swarm: &LabSwarm) -> anyhow::Result<Drawn> {
    let folder = swarm.folder();
    if swarm.planner().is_some() {
        return draw(purpose, seed, count, lines, folder, Wording::Loose, swarm::read_loosely);
    }
    draw(purpose, seed, count, lines, folder, Wording::Plain, swarm::read)
}

/// What a policy chooses for each question. It is drawn ahead and taught nothing, so that an experiment which goes on
/// asks what it would have asked.
fn choices(mut account: LearnerAccount, cases: &[Case]) -> anyhow::Result<Vec<Chosen>> {
    cases.iter().map(|case| Ok(account.choose(&case.asked)?)).collect()
}

fn trial(seed: u64, question: usize, way: Way, case: &Case, went: &Went) -> Trial {
    let (outcome, reward) = rated(went.outcome, went.right, went.secs);
    let answer = went.answer.as_ref().ok();
    Trial {
        seed,
        question,
        kind: case.kind.to_owned(),
        way,
        strategy: strategy_of(went.action.as_ref()),
        right: went.right,
        subtasks: answer.map_or(0, |answer| answer.subtasks.total),
        sats: answer.map_or(0, |answer| answer.budget.spent_sats),
        outcome,
        reward,
    }
}

fn say_if_wrong(case: &Case, went: &Went) {
    if went.right {
        return;
    }
    let said = match &went.answer {
        Ok(answer) => &answer.answer,
        Err(error) => error,
    };
    let said: String = said.chars().take(200).collect();
    eprintln!("  wrong: \"{}\" {} / right is {:?}", case.text, frlm_protocol::printable(&said), case.right);
}
