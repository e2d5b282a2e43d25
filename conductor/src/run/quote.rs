//! What work costs before it is done, and after; and how long it takes.

use std::time::Duration;

use frlm_inference::Dialect;
use frlm_protocol::{Mode, Speed};
use frlm_questions::dialect::Prompt;
use frlm_questions::ingest::estimate_tokens;
use frlm_questions::plan::Subtask;
use frlm_scheduler::{USUAL, USUALLY_WRITTEN};
use frlm_wallet::{Msats, Sats};

use crate::payment::PaymentRail;
use crate::policy::FrlmPolicy;
use crate::route::roles::{Role, longest_brief, tell};
use crate::swarm::{EscrowOffer, ProviderInfo, Tariff};

/// The price that quotes assume before providers are known, per 1,000 tokens (seeds/frlm-architecture.md,
/// `cost_per_1k_tokens`).
const ASSUMED_PER_1K: Sats = Sats(10);

/// What a run is expected to cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote {
    /// One answer per subtask.
    pub low: Sats,
    /// As many answers as must agree.
    pub expected: Sats,
    /// Every replica that the policy allows, and every recheck.
    pub high: Sats,
    /// About how much of the expected price is free, by the providers' announcements. Nothing relies on it.
    pub given: Sats,
}

/// The most a prompt can cost with a provider: everything it reads and may write, rounded up to
/// whole sats per job (design.md, section 5).
pub fn most(prompt: &Prompt, tariff: Tariff) -> Sats {
    // Counting the tokens of a long prompt takes time.
    if tariff.is_free() { Sats::ZERO } else { tariff.cost(read(prompt), may_write(prompt)) }
}

/// What a prompt takes, counted once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// As [`Prompt::longest`].
    pub longest: u64,
    read: u64,
    may_write: u64,
}

impl Extent {
    pub fn of(prompt: &Prompt) -> Self {
        Self { longest: prompt.longest(), read: read(prompt), may_write: may_write(prompt) }
    }

    /// As [`most`].
    pub fn most(self, tariff: Tariff) -> Sats {
        tariff.cost(self.read, self.may_write)
    }
}

/// Everything that a prompt has read and may have written, in tokens.
pub fn tokens(prompt: &Prompt) -> u64 {
    read(prompt) + may_write(prompt)
}

fn may_write(prompt: &Prompt) -> u64 {
    u64::from(prompt.max_tokens) * answers(prompt)
}

/// How long the answer of a slow machine may take, in percent of a usual one and never less than that; and how much of that
/// it reads, in percent. What code can copy out of records is short, and its time does not go by tokens.
pub fn time_of(subtask: &Subtask) -> (u16, Option<u8>) {
    if !subtask.skill().takes_words() {
        return (100, None);
    }
    let prompt = subtask.prompt(Dialect::Json);
    let reading = Speed::ASSUMED.secs(read(&prompt), 0);
    let all = reading + Speed::ASSUMED.secs(0, may_write(&prompt));
    let percent = |share: f64, least: f64, most: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 10,000")]
        let percent = (share * 100.0).clamp(least, most) as u16;
        percent
    };
    let reading = u8::try_from(percent(reading / all.max(f64::MIN_POSITIVE), 0.0, 100.0)).unwrap_or(100);
    (percent(all / USUAL.as_secs_f64(), 100.0, 10_000.0), Some(reading))
}

/// How long providers take to answer these subtasks in words, each once and all of them at work, by the speeds that they
/// announce; never less than the quickest takes for the longest one. `None` where nobody announces a speed, or nothing takes
/// words. What is reviewed of the answers comes on top.
pub fn time(subtasks: &[Subtask], providers: &[ProviderInfo]) -> Option<Duration> {
    let speeds: Vec<(Speed, u32)> = providers
        .iter()
        .filter(|info| info.dialect == Dialect::Json)
        .filter_map(|info| Some((info.speed?, info.workers.max(1))))
        .collect();
    if speeds.is_empty() {
        // Nobody need look at a long text for nothing.
        return None;
    }
    let in_words = subtasks.iter().filter(|subtask| subtask.skill().takes_words());
    let jobs: Vec<(u64, f64)> = in_words
        .map(|subtask| {
            let prompt = subtask.prompt(Dialect::Json);
            (read(&prompt), may_write(&prompt) as f64 * USUALLY_WRITTEN)
        })
        .collect();
    let secs = |speed: Speed, (read, written): &(u64, f64)| speed.secs(*read, 0) + written / speed.decode();
    let (mut a_sec, mut least) = (0.0, f64::INFINITY);
    for (speed, workers) in speeds {
        let each = jobs.iter().map(|job| secs(speed, job));
        a_sec += f64::from(workers) / each.clone().sum::<f64>();
        least = least.min(each.fold(0.0, f64::max));
    }
    Duration::try_from_secs_f64((1.0 / a_sec).max(least)).ok().filter(|_| !jobs.is_empty())
}

/// The most that a prompt can cost with this provider: by the token, or its flat price.
pub fn price(prompt: &Prompt, provider: &ProviderInfo) -> Sats {
    provider.flat_price.unwrap_or_else(|| most(prompt, provider.tariff))
}

/// What a finished job costs by our own count: a provider's claim never sets its own pay.
pub fn actual(prompt: &Prompt, written: impl FnOnce() -> usize, tariff: Tariff) -> Sats {
    if tariff.is_free() { Sats::ZERO } else { tariff.cost(read(prompt), written() as u64) }
}

/// What a validator reads to hold its own answers, of so many tokens, against those it is shown: both of a pair, in both
/// orders, and nothing where code compares. Never less than the validator itself counts, which counts bytes.
fn compared(shown: &[String], own: u64, dialect: Dialect) -> u64 {
    if dialect == Dialect::Json { shown_tokens(shown).saturating_add(own).saturating_mul(2) } else { 0 }
}

fn shown_tokens(shown: &[String]) -> u64 {
    shown.iter().map(|text| estimate_tokens(text).max(text.len().div_ceil(4)) as u64).sum()
}

/// The most that a verdict about these answers can cost: the task once more, and the comparison.
pub fn price_of_verdict(prompt: &Prompt, shown: &[String], validator: &ProviderInfo) -> Sats {
    validator.flat_price.unwrap_or_else(|| {
        if validator.tariff.is_free() {
            return Sats::ZERO;
        }
        let written = may_write(prompt);
        validator
            .tariff
            .cost(read(prompt).saturating_add(compared(shown, written, validator.dialect)), written)
    })
}

/// What a verdict costs by our own count. What the validator wrote for itself never comes here; it is taken to be as long
/// as what it was shown.
pub fn actual_of_verdict(prompt: &Prompt, shown: &[String], validator: &ProviderInfo) -> Sats {
    if validator.tariff.is_free() {
        return Sats::ZERO;
    }
    let written = shown_tokens(shown).min(may_write(prompt));
    validator.tariff.cost(read(prompt).saturating_add(compared(shown, written, validator.dialect)), written)
}

/// Quotes subtasks for the providers at hand: as many of the cheapest as must agree, and, for the
/// worst case, as many of the dearest as the policy allows. `told`: the roles that general models may be told,
/// the longest of which counts. The cap holds whatever comes.
pub fn quote(subtasks: &[Subtask], providers: &[ProviderInfo], policy: &FrlmPolicy, told: &[Role]) -> Quote {
    let policy_of = &policy.verification;
    // Where every answer is shown to a validator, each counts twice: its price is taken for the others'.
    let jobs = policy_of.jobs_per_answer();
    let first = (policy_of.first_replicas() * jobs) as usize;
    let most_replicas = (policy_of.most_asked() * jobs) as usize;
    // Foreign providers are a choice of the user's; what they cost is not known before they ask for it.
    let mut offers: Vec<(Tariff, Dialect)> = providers
        .iter()
        .filter(|provider| provider.flat_price.is_none())
        .map(|provider| (provider.tariff, provider.dialect))
        .collect();
    let flat: Vec<Sats> = providers.iter().filter_map(|provider| provider.flat_price).collect();
    if let (true, Some(dearest)) = (offers.is_empty(), flat.iter().max()) {
        let each = |replicas: usize| Sats(dearest.0.saturating_mul((replicas * subtasks.len()) as u64));
        return Quote { low: each(1), expected: each(first), high: each(most_replicas), given: Sats::ZERO };
    }
    offers.sort_by_key(|(tariff, _)| tariff.usual());
    let unknown = (Tariff::per_1k(in_msats(ASSUMED_PER_1K)), Dialect::Json);
    let cheap: Vec<Sats> =
        padded(offers.iter(), first, unknown).map(|offer| total(subtasks, offer, told)).collect();
    let dear = padded(offers.iter().rev(), most_replicas, unknown).map(|offer| total(subtasks, offer, told));
    let expected = sum(cheap.iter().copied());
    Quote {
        low: cheap.first().copied().unwrap_or(Sats::ZERO),
        expected,
        high: sum(dear),
        given: given(expected, first.saturating_mul(subtasks.len()), &offers),
    }
}

/// A quote with what a mint takes for each of its jobs.
#[must_use]
pub fn with_fees(quote: Quote, subtasks: usize, policy: &FrlmPolicy, each: Sats) -> Quote {
    let once = u64::try_from(subtasks).unwrap_or(u64::MAX);
    let verification = &policy.verification;
    let plus = |sats: Sats, jobs: u64| sats.saturating_add(Sats(each.0.saturating_mul(jobs)));
    Quote {
        low: plus(quote.low, once),
        expected: plus(quote.expected, jobs(policy, verification.first_replicas(), once)),
        high: plus(quote.high, jobs(policy, verification.most_asked(), once)),
        given: quote.given,
    }
}

/// Where the fee of a usual job can be asked for, and what such a job costs without it; `None` where nobody here is
/// paid through a mint.
pub fn payee(
    quote: Quote,
    subtasks: usize,
    providers: &[ProviderInfo],
    policy: &FrlmPolicy,
) -> Option<(EscrowOffer, Sats)> {
    let usual =
        jobs(policy, policy.verification.first_replicas(), u64::try_from(subtasks).unwrap_or(u64::MAX));
    let price = Sats(quote.expected.0.checked_div(usual).unwrap_or(0));
    let paid = |info: &&ProviderInfo| !info.tariff.is_free() && !info.trusted && info.flat_price.is_none();
    let offers = providers
        .iter()
        .filter(paid)
        .filter_map(|info| Some((info.tariff.dearest_per_1k(), info.escrow.clone()?)));
    let (_, offer) = offers.min_by_key(|(dearest, _)| *dearest)?;
    (price > Sats::ZERO).then_some((offer, price))
}

/// What a mint takes on top of a job's price; `None` where none can be asked now.
pub async fn fee_of_a_job(rail: &dyn PaymentRail, offer: &EscrowOffer, price: Sats) -> Option<Sats> {
    rail.cost(offer, price).await.ok().map(|cost| cost.total.saturating_sub(price))
}

/// Jobs of so many subtasks, each with so many replicas.
fn jobs(policy: &FrlmPolicy, replicas: u32, subtasks: u64) -> u64 {
    u64::from(replicas).saturating_mul(policy.verification.jobs_per_answer().into()).saturating_mul(subtasks)
}

/// About how much of what so many jobs cost is given away: each provider gives a run, whose key is new to it, as
/// many jobs as it announces.
fn given(expected: Sats, jobs: usize, offers: &[(Tariff, Dialect)]) -> Sats {
    let free: u64 = offers.iter().map(|(tariff, _)| u64::from(tariff.free_jobs)).sum();
    let jobs = (jobs as u64).max(1);
    let share = u128::from(expected.0) * u128::from(free.min(jobs)) / u128::from(jobs);
    Sats(u64::try_from(share).unwrap_or(u64::MAX))
}

/// The first offers, the last of them repeated if there are too few.
fn padded<'a>(
    offers: impl Iterator<Item = &'a (Tariff, Dialect)>,
    count: usize,
    unknown: (Tariff, Dialect),
) -> impl Iterator<Item = (Tariff, Dialect)> {
    let mut offers = offers.copied().take(count).collect::<Vec<_>>();
    let last = offers.last().copied().unwrap_or(unknown);
    offers.resize(count, last);
    offers.into_iter()
}

/// What the subtasks cost with one provider, each asked once and told the longest of these roles.
pub(super) fn total<'a>(
    subtasks: impl IntoIterator<Item = &'a Subtask>,
    (tariff, dialect): (Tariff, Dialect),
    told: &[Role],
) -> Sats {
    if tariff.is_free() {
        return Sats::ZERO;
    }
    sum(subtasks.into_iter().map(|subtask| most(&foreseen(subtask, dialect, told), tariff)))
}

/// A subtask's prompt at its longest: a role may be told before it.
pub(super) fn foreseen(subtask: &Subtask, dialect: Dialect, told: &[Role]) -> Prompt {
    let mut prompt = subtask.prompt(dialect);
    tell(longest_brief(told), dialect, &mut prompt);
    prompt
}

fn sum(amounts: impl Iterator<Item = Sats>) -> Sats {
    amounts.fold(Sats::ZERO, Sats::saturating_add)
}

fn answers(prompt: &Prompt) -> u64 {
    match prompt.mode {
        Mode::Each => prompt.inputs.len() as u64,
        Mode::Together => 1,
    }
}

/// Everything that a prompt has read, in tokens.
pub(super) fn read(prompt: &Prompt) -> u64 {
    let inputs: u64 = prompt.inputs.iter().map(|input| estimate_tokens(input) as u64).sum();
    inputs + estimate_tokens(&prompt.instruction) as u64 * answers(prompt)
}

/// An amount too large for millisats is beyond any budget either way.
pub(super) fn in_msats(amount: Sats) -> Msats {
    amount.to_msats().unwrap_or(Msats(u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frlm_questions::plan::{CombineTask, Task};
    use frlm_questions::reduce::Coverage;
    use frlm_questions::reduce::words::NoteBatch;

    use super::*;
    use crate::route::roles::OF_RUNS;

    #[test]
    fn the_assumed_price_is_the_documents() {
        assert_eq!(ASSUMED_PER_1K, Sats(10));
    }

    /// The last step of a question in words.
    fn combining() -> Subtask {
        let task = CombineTask {
            question: "What changed?".to_owned(),
            answers: Vec::new(),
            coverage: Coverage::full(0),
            conflicts: String::new(),
            correction: String::new(),
            manner: String::new(),
            batch: NoteBatch::default(),
        };
        Subtask::new(Task::Combine(Arc::new(task)))
    }

    #[test]
    fn parallel_providers_take_as_long_as_their_speeds_say() {
        let machine = |workers, times| ProviderInfo {
            workers,
            speed: Some(Speed::ASSUMED.times(times)),
            ..ProviderInfo::foreign("a".into(), Sats::ZERO)
        };
        let subtasks: Vec<Subtask> = (0..12).map(|_| combining()).collect();
        let prompt = subtasks[0].prompt(Dialect::Json);
        let one = Speed::ASSUMED.secs(read(&prompt), 0) + may_write(&prompt) as f64 / 4.0 / 8.0;
        let takes = |count: usize, providers: &[ProviderInfo]| {
            time(&subtasks[..count], providers).map(|time| time.as_secs_f64() / one)
        };
        let near = |left: Option<f64>, right: f64| {
            assert!((left.unwrap() - right).abs() < 1e-6, "{left:?}, not {right}");
        };
        near(takes(12, &[machine(1, 1.0)]), 12.0);
        near(takes(12, &[machine(1, 1.0), machine(2, 1.0)]), 4.0);
        near(takes(12, &[machine(1, 1.0), machine(1, 2.0)]), 4.0);
        near(takes(1, &[machine(9, 1.0), machine(9, 2.0)]), 0.5);
        assert_eq!(takes(0, &[machine(1, 1.0)]), None);
        assert_eq!(takes(12, &[]), None);
        let silent = ProviderInfo { speed: None, ..machine(1, 1.0) };
        let copies = ProviderInfo { dialect: Dialect::Records, ..machine(1, 1.0) };
        assert_eq!(takes(12, &[silent, copies]), None, "nobody says how quickly it answers in words");
    }

    #[test]
    fn a_quote_covers_whichever_role_a_general_model_is_told() {
        let subtask = combining();
        let price = Tariff::per_1k(Msats(1_000_000));
        let quoted = |dialect, told: &[Role]| total([&subtask], (price, dialect), told);
        for role in OF_RUNS {
            for dialect in [Dialect::Json, Dialect::Records] {
                let mut prompt = subtask.prompt(dialect);
                tell(role.brief, dialect, &mut prompt);
                assert!(quoted(dialect, &OF_RUNS) >= most(&prompt, price), "{} {dialect:?}", role.name);
            }
        }
        assert!(quoted(Dialect::Json, &OF_RUNS) > quoted(Dialect::Json, &[]));
        assert_eq!(quoted(Dialect::Records, &OF_RUNS), quoted(Dialect::Records, &[]), "it hears no role");
    }

    #[test]
    fn a_verdict_costs_its_task_and_comparison_and_at_most_what_was_agreed() {
        let validator = |dialect| ProviderInfo {
            tariff: Tariff::per_1k(Msats(1_000_000)),
            flat_price: None,
            dialect,
            ..ProviderInfo::foreign("v".into(), Sats::ZERO)
        };
        let (words, code) = (validator(Dialect::Json), validator(Dialect::Records));
        let prompt = combining().prompt(Dialect::Json);
        let task = most(&prompt, words.tariff);
        let shown = vec!["four letter words each".to_owned()];
        let both = 2 * (6 + may_write(&prompt));
        assert_eq!(price_of_verdict(&prompt, &shown, &words), Sats(task.0 + both));
        assert_eq!(price_of_verdict(&prompt, &shown, &code), task, "code compares for nothing");
        for long in [1, 100_000] {
            let shown = vec!["x y ".repeat(long)];
            for validator in [&words, &code] {
                let actual = actual_of_verdict(&prompt, &shown, validator);
                assert!(actual > Sats::ZERO && actual <= price_of_verdict(&prompt, &shown, validator));
            }
        }
    }

    #[test]
    fn what_is_looked_at_again_is_in_the_most_that_a_run_may_cost() {
        let subtasks = [combining()];
        let policy =
            FrlmPolicy { verification: frlm_verifier::VerificationPolicy::None, ..FrlmPolicy::default() };
        let Quote { low, expected, high, given } = quote(&subtasks, &[], &policy, &[]);
        assert!(low > Sats::ZERO && low == expected, "one answer is what is usual");
        assert_eq!(given, Sats::ZERO, "nobody is here who gives anything");
        assert_eq!(high.0, 3 * low.0, "code may find another answer");
    }

    #[test]
    fn what_a_mint_takes_for_each_job_is_in_every_figure() {
        let policy =
            FrlmPolicy { verification: frlm_verifier::VerificationPolicy::None, ..FrlmPolicy::default() };
        let bare = Quote { low: Sats(10), expected: Sats(10), high: Sats(30), given: Sats(4) };
        let Quote { low, expected, high, given } = with_fees(bare, 5, &policy, Sats(2));
        assert_eq!((low, expected, given), (Sats(20), Sats(20), Sats(4)));
        assert_eq!(high, Sats(30 + 3 * 10), "a second look is a job, too");
    }

    #[test]
    fn the_fee_is_asked_for_the_cheapest_of_those_who_are_paid_through_a_mint() {
        let asking = |id: &str, price, mint: Option<&str>| ProviderInfo {
            tariff: Tariff::per_1k(Msats(price)),
            flat_price: None,
            trusted: false,
            escrow: mint.map(|mint| EscrowOffer {
                key: id.to_owned(),
                mints: vec![mint.to_owned()],
                pay_after_jobs: 0,
            }),
            ..ProviderInfo::foreign(id.into(), Sats::ZERO)
        };
        let policy =
            FrlmPolicy { verification: frlm_verifier::VerificationPolicy::None, ..FrlmPolicy::default() };
        let bare = Quote { low: Sats(10), expected: Sats(10), high: Sats(30), given: Sats::ZERO };
        let providers = [
            asking("a", 1_000, None),
            asking("b", 3_000, Some("b.mint")),
            asking("c", 2_000, Some("c.mint")),
        ];
        let (offer, price) = payee(bare, 5, &providers, &policy).unwrap();
        assert_eq!((offer.key.as_str(), price), ("c", Sats(2)));
        assert!(payee(bare, 5, &providers[..1], &policy).is_none());
        assert!(payee(bare, 0, &providers, &policy).is_none(), "nothing is asked");
    }

    #[test]
    fn what_is_given_away_is_named_and_never_taken_off() {
        let offer = |free_jobs| (Tariff { free_jobs, ..Tariff::per_1k(Msats(1_000)) }, Dialect::Json);
        assert_eq!(given(Sats(40), 20, &[offer(0)]), Sats::ZERO);
        assert_eq!(given(Sats(40), 20, &[offer(3), offer(2)]), Sats(10));
        assert_eq!(
            given(Sats(40), 20, &[offer(u32::MAX), offer(u32::MAX)]),
            Sats(40),
            "no more than there is"
        );
        assert_eq!(given(Sats::ZERO, 0, &[offer(1)]), Sats::ZERO);
        assert!(Tariff { free_jobs: 9, ..Tariff::FREE }.is_free() && !offer(9).0.is_free());
        assert_eq!(offer(9).0.cost(1_000, 0), Sats(1), "a price is what a job may cost");
    }

    #[test]
    fn a_job_costs_whole_sats_rounded_up() {
        let cost = |read, written, price| Tariff::per_1k(Msats(price)).cost(read, written);
        assert_eq!(cost(600, 400, 5_000), Sats(5));
        assert_eq!(cost(600, 401, 5_000), Sats(6));
        assert_eq!(cost(0, 1, 1), Sats(1));
        assert_eq!(cost(1_000_000, 0, 0), Sats(0));
        assert_eq!(cost(u64::MAX, u64::MAX, u64::MAX), Msats(u64::MAX).ceil_to_sats());
    }

    #[test]
    fn writing_may_cost_more_than_reading_and_each_job_at_least_the_minimum() {
        let tariff = Tariff { written_per_1k: Msats(8_000), least: Sats(3), ..Tariff::per_1k(Msats(1_000)) };
        assert_eq!(tariff.cost(2_000, 500), Sats(6));
        assert_eq!(tariff.cost(10, 10), Sats(3));
        assert_eq!((tariff.dearest_per_1k(), tariff.usual()), (Msats(8_000), Msats(3_000)));
        assert!(!Tariff { least: Sats(1), ..Tariff::FREE }.is_free());
    }

    #[test]
    fn free_tokens_with_a_huge_minimum_per_job_are_not_the_cheapest() {
        let subtasks = [combining()];
        let asking = |id: &str, tariff| ProviderInfo {
            tariff,
            flat_price: None,
            ..ProviderInfo::foreign(id.into(), Sats::ZERO)
        };
        let fortune = Sats(1_000_000_000);
        let providers = [
            asking("a", Tariff { least: fortune, ..Tariff::FREE }),
            asking("b", Tariff::per_1k(Msats(1_000))),
        ];
        let policy =
            FrlmPolicy { verification: frlm_verifier::VerificationPolicy::None, ..FrlmPolicy::default() };
        let Quote { low, expected, high, .. } = quote(&subtasks, &providers, &policy, &[]);
        assert!(low < fortune && expected < fortune, "{low} {expected}");
        assert!(high >= fortune, "any of them may be asked in the end");
    }
}
