//! How far answers are believed where the adaptive policy decides: folded from what the run says of
//! its posteriors. *Fidelity*: an honest run of the claimed model stands behind the answer.
//! *Correctness*: it is right, which is never likelier than that the model itself is.

use frlm_client::conductor::trace::PosteriorStep;

/// How far one answer is believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// 0..=1
    pub fidelity: f64,
    /// 0..=1
    pub correctness: f64,
}

/// How far the answers of a run are believed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Beliefs {
    /// By subtask: what was said last.
    lanes: Vec<Option<Belief>>,
    /// Answers that were accepted.
    pub accepted: u64,
    /// Times another provider was asked because nobody was believed enough.
    pub asked_on: u64,
    /// The least that an accepted answer is believed.
    pub weakest: Option<Belief>,
}

impl Beliefs {
    /// Folds what the run says of a subtask's leading answer.
    pub fn take(&mut self, subtask: u32, step: PosteriorStep, belief: Belief) {
        let place = subtask as usize;
        if self.lanes.len() <= place {
            self.lanes.resize(place + 1, None);
        }
        self.lanes[place] = Some(belief);
        match step {
            PosteriorStep::Ask(_) => self.asked_on += 1,
            PosteriorStep::Stop => {}
            PosteriorStep::Accept => {
                self.accepted += 1;
                let weakest = self.weakest.unwrap_or(belief);
                self.weakest = Some(Belief {
                    fidelity: weakest.fidelity.min(belief.fidelity),
                    correctness: weakest.correctness.min(belief.correctness),
                });
            }
        }
    }

    /// Of a subtask's leading answer.
    pub fn of(&self, subtask: u32) -> Option<Belief> {
        self.lanes.get(subtask as usize).copied().flatten()
    }
}

/// A probability as people read it. It never reads as certain: nothing is.
pub fn percent(probability: f64) -> String {
    let percent = probability * 100.0;
    if percent > 99.9 { "> 99.9%".to_owned() } else { format!("{percent:.1}%") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn belief(fidelity: f64) -> Belief {
        Belief { fidelity, correctness: fidelity / 2.0 }
    }

    #[test]
    fn the_weakest_accepted_answer_counts_and_no_rejected_one() {
        let mut beliefs = Beliefs::default();
        beliefs.take(2, PosteriorStep::Stop, belief(0.3));
        beliefs.take(0, PosteriorStep::Accept, belief(0.99));
        beliefs.take(1, PosteriorStep::Accept, belief(0.97));
        assert_eq!((beliefs.accepted, beliefs.asked_on), (2, 0));
        assert!((beliefs.weakest.unwrap().fidelity - 0.97).abs() < 1e-9);
        assert_eq!(beliefs.of(2), Some(belief(0.3)));
        assert_eq!(beliefs.of(7), None);
    }

    #[test]
    fn nothing_reads_as_certain() {
        assert_eq!((percent(0.981), percent(1.0)), ("98.1%".to_owned(), "> 99.9%".to_owned()));
    }
}
