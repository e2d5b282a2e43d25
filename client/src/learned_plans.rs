//! What runs have taught about taking questions apart, in words and figures to be drawn.

use frlm_learning::planning::account::LearnerAccount;
use frlm_learning::planning::episodes::Episode;
use frlm_learning::planning::evaluation::History;
use frlm_learning::planning::hints::{HintRecord, Suggested};
use frlm_learning::planning::performance::{PATTERNS, PHASES, Performance, Phase, Synthesis};
use frlm_learning::planning::phrasing::{Tally, Template};
use frlm_learning::planning::reward::{Outcome, RewardSettings};
use frlm_learning::planning::simplicity::TaskType;
use frlm_protocol::printable;

use crate::strategies::{Row, favourites, rows};

/// What the account of the brain holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plans {
    /// What it is, in words.
    pub about: String,
    /// How well the swarm served so far, in words; empty before that was kept.
    pub history: String,
    /// What became of the hints, in words.
    pub hints: String,
    /// How large the plans were, in words.
    pub sizes: String,
    /// What the policy has learned, in words.
    pub policy: String,
    /// Rewards of the newest episodes, oldest first.
    pub rewards: Vec<f64>,
    /// What rewards are made of: the part, and its mean over the newest episodes.
    pub components: Vec<(&'static str, String)>,
    /// Where the time of answers went: the phase, and its mean; empty before that was measured.
    pub phases: Vec<(&'static str, String)>,
    /// How answers were put together: the way, and its share; empty before any was.
    pub syntheses: Vec<(&'static str, String)>,
    /// By kind of document.
    pub domains: Vec<DomainRow>,
    /// By kind of document and way, best first.
    pub strategies: Vec<Row>,
    /// By kind of question and the words in which readers were asked, best first.
    pub phrasings: Vec<PhrasingRow>,
    /// Best first.
    pub best: Vec<EpisodeRow>,
    /// Worst first.
    pub worst: Vec<EpisodeRow>,
}

/// One kind of document.
#[derive(Debug, Clone, PartialEq)]
pub struct DomainRow {
    /// Its name.
    pub domain: String,
    /// Questions.
    pub questions: u64,
    /// Those with an answer.
    pub answered: u64,
    /// Mean reward.
    pub reward: f64,
    /// Mean share of their steps that were answered.
    pub success: f64,
    /// How content the user was, as far as that is known.
    pub satisfaction: f64,
}

/// One way to put questions to readers.
#[derive(Debug, Clone, PartialEq)]
pub struct PhrasingRow {
    /// The kind of question.
    pub task_type: String,
    /// How it was put.
    pub words: &'static str,
    /// Questions.
    pub questions: u64,
    /// Mean worth.
    pub worth: f64,
}

/// A question that taught something.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeRow {
    /// The question.
    pub question: String,
    /// What the way to take it apart was worth.
    pub reward: f64,
    /// What made it so.
    pub why: String,
}

/// Episodes that are shown at either end.
const SHOWN: usize = 3;

/// The account; `None` before the first evaluation.
pub fn of_account(account: &LearnerAccount) -> Option<Plans> {
    if account.evaluations() == 0 {
        return None;
    }
    let hints = account.hints();
    let share = |share: Option<f64>| share.unwrap_or(0.0) * 100.0;
    let policy = match account.policy_so_far() {
        None => {
            "No choice yet: the policy chooses how a question with several parts is taken apart.".to_owned()
        }
        Some((updates, choices)) => {
            let times = if updates == 1 { "once".to_owned() } else { format!("{updates} times") };
            let best = favourites(account);
            let so_far = format!(
                "The policy has chosen for {choices} questions with several parts and learned {times}; by \
                 default it learns after every hundred rewards. {best}"
            );
            so_far.trim_end().to_owned()
        }
    };
    let domains = account.domains().iter().map(|(domain, record)| DomainRow {
        domain: domain.to_string(),
        questions: record.questions(),
        answered: record.answered,
        reward: record.rewards.mean,
        success: record.success.mean,
        satisfaction: record.satisfaction.mean,
    });
    let shown = |episodes: &[Episode]| episodes.iter().take(SHOWN).map(episode).collect();
    Some(Plans {
        about: format!(
            "{} runs were evaluated; score of the swarm now: {:.2}",
            account.evaluations(),
            account.score()
        ),
        history: history(account.history(), hints.given() > 0),
        hints: match hints.given() {
            0 => "No advice on who should answer was given yet.".to_owned(),
            given => format!(
                "Of {given} pieces of advice on who should answer, {:.0}% were followed and {:.0}% were \
                 right{}.",
                share(hints.follow_rate()),
                share(hints.accuracy()),
                by_kind(hints)
            ),
        },
        sizes: sizes(account),
        policy,
        components: components(account),
        phases: phases(account.performance()),
        syntheses: syntheses(account.performance()),
        rewards: account.episodes().map(|episode| episode.reward).collect(),
        domains: domains.collect(),
        strategies: rows(account),
        phrasings: phrasings(account),
        best: shown(&account.extremes().best),
        worst: shown(&account.extremes().worst),
    })
}

/// The means of what rewards are made of, in the order of their weights (`reward_components`, `current_average`).
fn components(account: &LearnerAccount) -> Vec<(&'static str, String)> {
    let settings = RewardSettings::default();
    let episodes = account.episodes().len().max(1) as f64;
    let mean = |part: &dyn Fn(&Outcome) -> f64| {
        account.episodes().map(|episode| part(&episode.outcome)).sum::<f64>() / episodes
    };
    let means = [
        ("Steps answered", mean(&|outcome| outcome.success)),
        ("User content", mean(&|outcome| outcome.satisfaction.share())),
        (
            "Answered and quick",
            mean(&|outcome| settings.efficiency_of(outcome.success, outcome.latency_secs)),
        ),
        ("Steps simple", mean(&|outcome| outcome.simplicity)),
        ("Parts fit together", mean(&|outcome| outcome.coherence)),
    ];
    means.into_iter().map(|(name, mean)| (name, format!("{mean:.2}"))).collect()
}

/// The mean seconds of each phase, and of all (`latency_breakdown`).
fn phases(performance: Performance) -> Vec<(&'static str, String)> {
    if performance.measured() == 0 {
        return Vec::new();
    }
    let secs = performance.secs();
    let named = PHASES.map(|phase| match phase {
        Phase::Understanding => "Understanding",
        Phase::Decomposition => "Taking apart",
        Phase::Routing => "Finding providers",
        Phase::Waiting => "Waiting for answers",
        Phase::Synthesis => "Putting together",
    });
    let each = named.into_iter().zip(secs).chain([("In all", secs.iter().sum())]);
    each.map(|(name, secs)| (name, format!("{secs:.2}"))).collect()
}

/// The share of each pattern (`synthesis_patterns`).
fn syntheses(performance: Performance) -> Vec<(&'static str, String)> {
    if performance.put_together() == 0 {
        return Vec::new();
    }
    let named = PATTERNS.map(|pattern| match pattern {
        Synthesis::Aggregative => "Brought together",
        Synthesis::Narrative => "Told in order",
        Synthesis::Comparative => "Compared",
        Synthesis::Analytical => "Reasoned",
    });
    named
        .into_iter()
        .zip(performance.shares())
        .map(|(name, share)| (name, format!("{:.0}%", share * 100.0)))
        .collect()
}

fn phrasings(account: &LearnerAccount) -> Vec<PhrasingRow> {
    let row = |(task_type, template, tally): (TaskType, Template, Tally)| PhrasingRow {
        task_type: task_type.to_string(),
        words: template.name(),
        questions: tally.uses,
        worth: tally.mean().unwrap_or(0.0),
    };
    let mut rows: Vec<PhrasingRow> = account.phrasings().used().map(row).collect();
    rows.sort_by(|one, other| {
        one.task_type.cmp(&other.task_type).then_with(|| other.worth.total_cmp(&one.worth))
    });
    rows
}

/// What the evaluations came to (`evaluation_history`). Where no hint was given, the share of right ones is a default,
/// of which nothing is said.
fn history(history: History, hinted: bool) -> String {
    if history.evaluations() == 0 {
        return String::new();
    }
    let [correct, quick, routed] = history.components.map(|component| component.mean * 100.0);
    let hints = if hinted { format!(", {routed:.0}% of the advice right") } else { String::new() };
    format!(
        "On average {correct:.0}% correct, {quick:.0}% as fast as expected{hints}; clearly better than before \
         {} times, about the same {}, worse {}.",
        history.better, history.same, history.worse
    )
}

/// How often each kind of hint was right (`routing_hints_accuracy`); nothing where only one kind was given, or none was
/// counted apart.
fn by_kind(hints: HintRecord) -> String {
    let kinds: Vec<String> = hints
        .by_kind()
        .map(|(hint, given, right)| {
            let named = match hint {
                Suggested::One => "one provider",
                Suggested::Several => "several",
                Suggested::Any => "any provider with room",
            };
            format!("{:.0}% of {given} for {named}", right * 100.0)
        })
        .collect();
    if kinds.len() < 2 { String::new() } else { format!(": {}", kinds.join(", ")) }
}

/// How many plans were how large (`complexity_distribution`).
fn sizes(account: &LearnerAccount) -> String {
    let mut counts = [0_u32; 4];
    for episode in account.episodes() {
        counts[size(episode.outcome.steps)] += 1;
    }
    let [one, few, many, most] = counts;
    format!(
        "Of the newest {}: {one} took one step, {few} two to five, {many} six to ten, {most} more.",
        account.episodes().len()
    )
}

/// Simple, medium, complex, very complex.
fn size(steps: u32) -> usize {
    match steps {
        0 | 1 => 0,
        2..=5 => 1,
        6..=10 => 2,
        _ => 3,
    }
}

fn episode(episode: &Episode) -> EpisodeRow {
    EpisodeRow {
        question: printable(&episode.question).into_owned(),
        reward: episode.reward,
        why: episode.why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// seeds/super-llm-block.md, `complexity_distribution`: one, 2 to 5, 6 to 10, more.
    #[test]
    fn the_bounds_of_complexity_distribution() {
        let sizes = [0, 1, 2, 5, 6, 10, 11, 1_000].map(size);
        assert_eq!(sizes, [0, 0, 1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn kinds_of_hints_are_told_apart_where_there_are_several() {
        let mut hints = HintRecord::default();
        hints.note(Suggested::One, Suggested::One, Suggested::One);
        assert_eq!(by_kind(hints), "");
        hints.note(Suggested::One, Suggested::One, Suggested::Several);
        hints.note(Suggested::Several, Suggested::Several, Suggested::Several);
        assert_eq!(by_kind(hints), ": 50% of 2 for one provider, 100% of 1 for several");
    }
}
