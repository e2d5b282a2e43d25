//! How far a commitment is from what the auditor's weights say of the same answer, in nats.

use frlm_inference::ReadAnswer;

use super::commitment::{COMMITTED_TOKENS, Commitment, MOST_TOKENS, Position, committed_positions};

/// Tokens that the auditor looks at for those of the provider; one that is not among them is less likely than
/// the last of these.
pub const READ_TOKENS: usize = 24;
/// Two models that differ by more nats than this at one token are simply different there.
const MOST_NATS: f64 = 5.0;

/// What one audit found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The mean of |Δ ln p| over the tokens that either side holds for the likeliest at the chosen positions.
    pub apart_nats: f64,
    /// How much likelier than the answer's own tokens the likeliest ones were, in the mean: of an answer that
    /// the claimed model drew greedily, nothing. 0 where the model was not free to take the likeliest.
    pub regret_nats: f64,
}

impl Score {
    /// What is held against a calibration.
    pub fn total(self) -> f64 {
        self.apart_nats + self.regret_nats
    }
}

/// Why a commitment cannot be audited. It proves no lie: engines break, and a newer peer may commit in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The tokens are not those of the answer that was sent.
    #[error("it commits to another text than it sent")]
    AnotherText,
    /// Not the positions that the job asks for, or fewer of the answer's tokens than may be named.
    #[error("it commits to other positions than the job asks for")]
    OtherPositions,
    /// Not as many tokens as asked for, one of them twice, out of order, or a number that is no ln p.
    #[error("what it commits to are no log-probabilities")]
    NoLogprobs,
}

/// Holds a commitment to an answer's text against what the auditor read. `greedy` says whether the job left
/// the model free to take the likeliest token, and nothing else: no temperature, no constraint.
pub fn score(
    job: &str,
    text: &str,
    commitment: &Commitment,
    read: &ReadAnswer,
    greedy: bool,
) -> Result<Score, Unreadable> {
    // Engines drop the space that some vocabularies put before the first word.
    let (whole, named) = (text.trim(), read.text.trim());
    let is_its_text =
        if commitment.tokens.len() < MOST_TOKENS { whole == named } else { whole.starts_with(named) };
    if !is_its_text {
        return Err(Unreadable::AnotherText);
    }
    let asked = committed_positions(job, commitment.answer, read.tokens.len());
    if asked.is_empty() || !commitment.positions.iter().map(|at| at.position).eq(asked) {
        return Err(Unreadable::OtherPositions);
    }
    let (mut sum, mut count) = (0.0, 0_u32);
    for at in &commitment.positions {
        check(at)?;
        let seen = read.tokens.get(at.position).ok_or(Unreadable::OtherPositions)?;
        let seen: Vec<(u32, f32)> =
            seen.top.iter().filter_map(|rival| Some((rival.id?, rival.logprob))).collect();
        for apart in differences(&at.top, &seen) {
            sum += f64::from(apart).min(MOST_NATS);
            count += 1;
        }
    }
    let regret_nats = if greedy { regret(read) } else { 0.0 };
    Ok(Score { apart_nats: sum / f64::from(count.max(1)), regret_nats })
}

fn check(at: &Position) -> Result<(), Unreadable> {
    let is_logprob = |logprob: f32| logprob.is_finite() && logprob <= 0.0;
    let in_order = at.top.windows(2).all(|pair| pair[0].1 >= pair[1].1);
    let distinct =
        at.top.iter().enumerate().all(|(i, (id, _))| at.top[..i].iter().all(|(other, _)| other != id));
    if at.top.len() == COMMITTED_TOKENS
        && in_order
        && distinct
        && at.top.iter().all(|(_, ln_p)| is_logprob(*ln_p))
    {
        Ok(())
    } else {
        Err(Unreadable::NoLogprobs)
    }
}

/// |Δ ln p| for every token that either side holds for one of the likeliest. Of one that the other side does
/// not name it is known only that it is no likelier there than the last that is named.
fn differences(committed: &[(u32, f32)], seen: &[(u32, f32)]) -> Vec<f32> {
    let by =
        |side: &[(u32, f32)], id: u32| side.iter().find(|(other, _)| *other == id).map(|(_, ln_p)| *ln_p);
    let least = |side: &[(u32, f32)]| side.last().map_or(0.0, |(_, ln_p)| *ln_p);
    let theirs = committed.iter().map(|(id, ln_p)| match by(seen, *id) {
        Some(read) => (ln_p - read).abs(),
        None => (ln_p - least(seen)).max(0.0),
    });
    let ours = seen.iter().take(COMMITTED_TOKENS).filter(|(id, _)| by(committed, *id).is_none());
    theirs.chain(ours.map(|(_, ln_p)| (ln_p - least(committed)).max(0.0))).collect()
}

fn regret(read: &ReadAnswer) -> f64 {
    let regrets = read.tokens.iter().map(|token| {
        let best = token.top.first().map_or(token.logprob, |best| best.logprob);
        f64::from((best - token.logprob).max(0.0)).min(MOST_NATS)
    });
    regrets.sum::<f64>() / read.tokens.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use frlm_inference::{RankedToken, TokenLogprob};
    use proptest::prelude::*;

    use super::super::commitment::commit;
    use super::*;

    /// A position at which these tokens are the likeliest, and the first of them was written.
    fn token(top: &[(u32, f32)]) -> TokenLogprob {
        let ranked = |(id, logprob): &(u32, f32)| RankedToken {
            id: Some(*id),
            text: String::new(),
            logprob: *logprob,
        };
        TokenLogprob {
            id: Some(top[0].0),
            token: "w".to_owned(),
            logprob: top[0].1,
            top: top.iter().map(ranked).collect(),
        }
    }

    fn read(tokens: Vec<TokenLogprob>) -> ReadAnswer {
        ReadAnswer { text: " ww".to_owned(), tokens }
    }

    const LIKELY: [(u32, f32); 5] = [(1, -0.1), (2, -3.0), (3, -4.0), (4, -5.0), (5, -6.0)];

    #[test]
    fn who_read_the_same_is_nothing_apart() {
        let said = vec![token(&LIKELY), token(&LIKELY)];
        let commitment = commit("job", 0, &said).unwrap();
        let same = score("job", "ww", &commitment, &read(said), true).unwrap();
        assert!(same.total().abs() < 1e-9, "{same:?}");
    }

    #[test]
    fn the_difference_counts_tokens_that_one_side_alone_holds_for_likely() {
        let seen = [(1, -0.2), (2, -3.0), (3, -4.0), (9, -4.5), (4, -5.0), (6, -5.5)];
        let apart = differences(&LIKELY, &seen);
        // 0.1 at 1; 5, which the auditor does not name, is no likelier than its last; 9 is likelier than the
        // provider's last by 1.5.
        let expected = [0.1, 0.0, 0.0, 0.0, 0.0, 1.5];
        assert_eq!(apart.len(), expected.len());
        assert!(apart.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{apart:?}");
    }

    #[test]
    fn tokens_that_nobody_finds_likely_are_no_way_out() {
        let said = vec![token(&LIKELY)];
        let junk = Position { position: 0, top: (90..95).map(|id| (id, -30.0)).collect() };
        let commitment = Commitment { positions: vec![junk], ..commit("job", 0, &said).unwrap() };
        let found = score("job", "ww", &commitment, &read(said), true).unwrap();
        assert!(found.apart_nats > 2.0, "{found:?}");
    }

    #[test]
    fn a_word_the_claimed_weights_would_not_write_costs_unless_it_was_drawn() {
        let mut written = token(&LIKELY);
        (written.id, written.logprob) = (Some(2), -3.0);
        let answer = read(vec![written, token(&LIKELY)]);
        let commitment = commit("job", 0, &answer.tokens).unwrap();
        let greedy = score("job", "ww", &commitment, &answer, true).unwrap();
        assert!((greedy.regret_nats - 2.9 / 2.0).abs() < 1e-5 && greedy.apart_nats < 1e-9, "{greedy:?}");
        let drawn = score("job", "ww", &commitment, &answer, false).unwrap();
        assert!(drawn.total().abs() < 1e-9);
    }

    #[test]
    fn what_is_no_commitment_to_this_answer_is_not_scored() {
        let said = vec![token(&LIKELY), token(&LIKELY)];
        let good = commit("job", 0, &said).unwrap();
        let against =
            |commitment: &Commitment, text: &str| score("job", text, commitment, &read(said.clone()), true);
        assert_eq!(against(&good, "something else"), Err(Unreadable::AnotherText));
        let mut other = good.clone();
        other.positions.pop();
        assert_eq!(against(&other, "ww"), Err(Unreadable::OtherPositions));
        let with = |top: Vec<(u32, f32)>| {
            let mut odd = good.clone();
            odd.positions[1].top = top;
            against(&odd, "ww")
        };
        let mut odd = vec![LIKELY.to_vec(); 5];
        odd[0][1].1 = f32::NAN;
        odd[1][0].1 = 0.5;
        odd[2][1].0 = 1;
        odd[3].pop();
        odd[4].swap(0, 4);
        for top in odd {
            assert_eq!(with(top), Err(Unreadable::NoLogprobs));
        }
    }

    proptest! {
        #[test]
        fn no_commitment_breaks_the_score(
            top in proptest::collection::vec((0_u32..9, proptest::num::f32::ANY), 0..8),
            position in 0_usize..4,
            answer in 0_usize..3,
            text in "[w ]{0,4}",
        ) {
            let commitment = Commitment { answer, tokens: vec![1, 1], positions: vec![Position { position, top }] };
            let answer = read(vec![token(&LIKELY)]);
            if let Ok(score) = score("job", &text, &commitment, &answer, true) {
                prop_assert!((0.0..=2.0 * MOST_NATS).contains(&score.total()), "{score:?}");
            }
        }

        #[test]
        fn further_apart_is_never_less(by in 0.0_f32..4.0, more in 0.0_f32..4.0) {
            let said = vec![token(&LIKELY)];
            let commitment = commit("job", 0, &said).unwrap();
            let shifted = |by: f32| {
                let top: Vec<(u32, f32)> = LIKELY.iter().map(|(id, ln_p)| (*id, ln_p - by)).collect();
                score("job", "ww", &commitment, &read(vec![token(&top)]), true).unwrap().total()
            };
            prop_assert!(shifted(by + more) >= shifted(by) - 1e-6);
        }
    }
}
