//! What the trials say: how often each way is right, what it costs and what it is worth; whether the trained policy
//! reaches the target; and how far any policy could get.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use frlm_learning::planning::reward::{Outcome, RewardSettings};
use serde_json::{Value, json};

use super::kept::Settings;
use super::trial::{Trial, Way, rating};

/// What the trained policy's reward is to be above the untrained one's.
pub const TARGET_GAIN: f64 = 0.15;

/// Means over trials.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Summary {
    /// How many.
    pub questions: usize,
    /// Share that was answered rightly.
    pub right: f64,
    /// Steps of a plan.
    pub steps: f64,
    /// Subtasks of a question.
    pub subtasks: f64,
    /// Cost of a question.
    pub sats: f64,
    /// Time of a question.
    pub secs: f64,
    /// Success, satisfaction, efficiency, simplicity, coherence, before their weights.
    pub components: [f64; 5],
    /// What all that is worth.
    pub reward: f64,
}

impl Summary {
    /// Of these trials.
    pub fn of<'a>(trials: &(impl Iterator<Item = &'a Trial> + Clone)) -> Self {
        let count = trials.clone().count();
        let mean =
            |figure: &dyn Fn(&Trial) -> f64| trials.clone().map(figure).sum::<f64>() / count.max(1) as f64;
        let settings = RewardSettings::default();
        Self {
            questions: count,
            right: mean(&|trial| f64::from(u8::from(trial.right))),
            steps: mean(&|trial| f64::from(trial.outcome.steps)),
            subtasks: mean(&|trial| trial.subtasks as f64),
            sats: mean(&|trial| trial.sats as f64),
            secs: mean(&|trial| trial.outcome.latency_secs),
            components: [
                mean(&|trial| trial.outcome.success),
                mean(&|trial| trial.outcome.satisfaction.share()),
                mean(&|trial| settings.efficiency_of(trial.outcome.success, trial.outcome.latency_secs)),
                mean(&|trial| trial.outcome.simplicity),
                mean(&|trial| trial.outcome.coherence),
            ],
            reward: mean(&|trial| trial.reward),
        }
    }
}

/// Whether the trained policy reaches what is asked of it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Verdict {
    /// Share of right answers of the trained policy less that of the untrained one.
    pub accuracy_gain: f64,
    /// Reward of the trained policy above the untrained one's, as a share of that.
    pub reward_gain: f64,
    /// The same of one that answered every question rightly at once, in the simplest steps that were seen.
    pub most_possible: f64,
    /// The same of a reward of 1, which is the highest that there is.
    pub ceiling: f64,
}

/// All of it right, at once, in steps than which none is simpler (seeds/super-llm-block.md, `calculate_reward`).
const HIGHEST_REWARD: f64 = 1.0;

impl Verdict {
    /// Of the trials; `None` while one of the policies has none.
    pub fn of(trials: &[Trial]) -> Option<Self> {
        let summary = |way| Summary::of(&of_way(trials, way));
        let (untrained, trained) = (summary(Way::Untrained), summary(Way::Trained));
        if untrained.questions == 0 || trained.questions == 0 {
            return None;
        }
        let above = |reward: f64| reward / untrained.reward - 1.0;
        let best = of_way(trials, Way::Untrained).map(|trial| most_of(trial, trials)).sum::<f64>()
            / untrained.questions as f64;
        Some(Self {
            accuracy_gain: trained.right - untrained.right,
            reward_gain: above(trained.reward),
            most_possible: above(best),
            ceiling: above(HIGHEST_REWARD),
        })
    }

    /// At least as often right, and so much better.
    pub fn is_reached(&self) -> bool {
        self.accuracy_gain >= 0.0 && self.reward_gain >= TARGET_GAIN
    }

    fn in_words(&self) -> String {
        let percent = |share: f64| format!("{:+.1} %", share * 100.0);
        let mut text = format!(
            "trained against untrained: reward {} (target {}), right answers {}: {}\n",
            percent(self.reward_gain),
            percent(TARGET_GAIN),
            percent(self.accuracy_gain),
            if self.is_reached() { "reached" } else { "missed" },
        );
        // Writing into a String cannot fail, here and below.
        let _ = writeln!(
            text,
            "all parts right at once, in the simplest steps that any way asked, would be worth {} against untrained",
            percent(self.most_possible)
        );
        let _ = writeln!(text, "the highest reward that there is, 1, would be {}", percent(self.ceiling));
        if self.most_possible < TARGET_GAIN {
            text += "so no policy can reach the target here: whatever is chosen, code asks the same parts and puts them \
                     together, and only time and wording are left to gain by\n";
        }
        text
    }
}

/// What the question of a trial could have been worth.
fn most_of(trial: &Trial, trials: &[Trial]) -> f64 {
    let same = trials.iter().filter(|other| (other.seed, other.question) == (trial.seed, trial.question));
    let settings = RewardSettings::default();
    settings.reward(&Outcome {
        success: 1.0,
        satisfaction: rating(true),
        latency_secs: 0.0,
        simplicity: same.map(|other| other.outcome.simplicity).fold(0.0, f64::max),
        coherence: 1.0,
        steps: trial.outcome.steps.clamp(settings.fewest_steps, settings.most_steps),
        complex: true,
    })
}

fn of_way(trials: &[Trial], way: Way) -> impl Iterator<Item = &Trial> + Clone {
    trials.iter().filter(move |trial| trial.way == way)
}

fn by<'a>(trials: &'a [Trial], name: impl Fn(&'a Trial) -> String) -> Vec<(String, Vec<&'a Trial>)> {
    let mut groups: BTreeMap<String, Vec<&Trial>> = BTreeMap::new();
    for trial in trials {
        groups.entry(name(trial)).or_default().push(trial);
    }
    groups.into_iter().collect()
}

/// Tables and the verdict.
pub fn tables(trials: &[Trial]) -> String {
    let mut text = String::from(
        "| who chooses | questions | right | steps | subtasks | sats | seconds | reward | success | content | quick | \
         simple | coherent |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for way in Way::ALL {
        let Summary { questions, right, steps, subtasks, sats, secs, components, reward } =
            Summary::of(&of_way(trials, way));
        let [success, content, quick, simple, coherent] = components;
        let _ = writeln!(
            text,
            "| {} | {questions} | {:.1} % | {steps:.1} | {subtasks:.1} | {sats:.1} | {secs:.2} | {reward:.4} | \
             {success:.3} | {content:.3} | {quick:.3} | {simple:.3} | {coherent:.3} |",
            way.name(),
            right * 100.0,
        );
    }
    text += "\n| seed | planner | untrained | trained | trained against untrained |\n| --- | --- | --- | --- | --- |\n";
    let mut seeds: Vec<u64> = trials.iter().map(|trial| trial.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    for seed in seeds {
        let own: Vec<Trial> = trials.iter().filter(|trial| trial.seed == seed).cloned().collect();
        let [planner, untrained, trained] = Way::ALL.map(|way| Summary::of(&of_way(&own, way)));
        let _ = writeln!(
            text,
            "| {seed} | {:.4}, {:.1} % right | {:.4}, {:.1} % | {:.4}, {:.1} % | {:+.1} % |",
            planner.reward,
            planner.right * 100.0,
            untrained.reward,
            untrained.right * 100.0,
            trained.reward,
            trained.right * 100.0,
            (trained.reward / untrained.reward - 1.0) * 100.0,
        );
    }
    for (heading, groups) in [
        ("how the parts were asked", by(trials, |trial| trial.strategy.clone())),
        ("type of question", by(trials, |trial| trial.kind.clone())),
    ] {
        let _ = writeln!(
            text,
            "\n| {heading} | questions | right | seconds | simple | reward |\n| --- | --- | --- | --- | --- | --- |"
        );
        for (name, group) in groups {
            let summary = Summary::of(&group.into_iter());
            let _ = writeln!(
                text,
                "| {name} | {} | {:.1} % | {:.2} | {:.3} | {:.4} |",
                summary.questions,
                summary.right * 100.0,
                summary.secs,
                summary.components[3],
                summary.reward,
            );
        }
    }
    text.push('\n');
    match Verdict::of(trials) {
        Some(verdict) => text += &verdict.in_words(),
        None => text += "nothing was asked in both ways, so nothing can be compared\n",
    }
    text
}

/// Everything, for programs.
pub fn json(trials: &[Trial], settings: &Settings) -> Value {
    let ways: serde_json::Map<String, Value> = Way::ALL
        .into_iter()
        .map(|way| (way.name().to_owned(), json!(Summary::of(&of_way(trials, way)))))
        .collect();
    let verdict = Verdict::of(trials);
    json!({
        "simulated": false,
        "settings": settings,
        "ways": ways,
        "target_gain": TARGET_GAIN,
        "verdict": verdict,
        "reached": verdict.is_some_and(|verdict| verdict.is_reached()),
        "trials": trials,
    })
}

#[cfg(test)]
mod tests {
    use super::super::trial::rated;
    use super::*;

    fn trial(way: Way, question: usize, right: bool, secs: f64, simplicity: f64) -> Trial {
        let measured = Outcome {
            success: 1.0,
            satisfaction: rating(true),
            latency_secs: secs,
            simplicity,
            coherence: 1.0,
            steps: 3,
            complex: true,
        };
        let (outcome, reward) = rated(Some(measured), right, secs);
        Trial {
            seed: 1,
            question,
            kind: "fan".to_owned(),
            way,
            strategy: way.name().to_owned(),
            right,
            subtasks: 9,
            sats: 60,
            outcome,
            reward,
        }
    }

    #[test]
    fn with_all_answers_right_the_report_says_the_target_is_out_of_reach() {
        let mut trials = Vec::new();
        for question in 0..4 {
            trials.push(trial(Way::Planner, question, true, 1.0, 0.8));
            trials.push(trial(Way::Untrained, question, true, 3.0, 0.7));
            trials.push(trial(Way::Trained, question, true, 1.0, 0.8));
        }
        let verdict = Verdict::of(&trials).unwrap();
        let reward =
            |secs: f64, simplicity: f64| 0.35 + 0.25 + 0.20 / (1.0 + secs / 30.0) + 0.15 * simplicity + 0.05;
        let above = |reward: f64, untrained: f64| reward / untrained - 1.0;
        let untrained = reward(3.0, 0.7);
        assert!((verdict.reward_gain - above(reward(1.0, 0.8), untrained)).abs() < 1e-9, "{verdict:?}");
        assert!((verdict.most_possible - above(reward(0.0, 0.8), untrained)).abs() < 1e-9, "{verdict:?}");
        assert!((verdict.ceiling - above(1.0, untrained)).abs() < 1e-9, "{verdict:?}");
        assert!(!verdict.is_reached() && verdict.most_possible < TARGET_GAIN);
        let text = tables(&trials);
        assert!(text.contains("missed") && text.contains("no policy can reach the target"), "{text}");
        assert!(text.contains("the highest reward that there is, 1, would be +6.7 %\n"), "{text}");
        assert_eq!(json(&trials, &settings())["reached"], false);
    }

    #[test]
    fn a_policy_reaches_the_target_only_if_it_is_right_more_often() {
        let mut trials = Vec::new();
        for question in 0..4 {
            trials.push(trial(Way::Untrained, question, false, 1.0, 0.8));
            trials.push(trial(Way::Trained, question, true, 1.0, 0.8));
        }
        let verdict = Verdict::of(&trials).unwrap();
        assert!(verdict.is_reached() && verdict.reward_gain > 0.25, "{verdict:?}");
        assert!(tables(&trials).contains("reached\n"));
        for trial in &mut trials {
            trial.way = if trial.way == Way::Trained { Way::Untrained } else { Way::Trained };
        }
        assert!(!Verdict::of(&trials).unwrap().is_reached());
    }

    #[test]
    fn without_trials_nothing_is_compared_and_nothing_is_divided_by() {
        assert_eq!(Verdict::of(&[]), None);
        let text = tables(&[]);
        assert!(text.contains("nothing can be compared") && !text.contains("NaN"), "{text}");
        assert_eq!(Verdict::of(&[trial(Way::Trained, 0, true, 1.0, 0.8)]), None);
    }

    fn settings() -> Settings {
        Settings {
            questions: 4,
            training: 0,
            lines: 48,
            model: String::new(),
            planner: None,
            learner: frlm_learning::planning::decompose::LearnerSettings::default(),
        }
    }
}
