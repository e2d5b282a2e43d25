//! How likely answers are right where the adaptive policy decides: folded from the posteriors in the run's trace.
//! *Fidelity*: an honest run of the claimed model stands behind the answer.
//! *Correctness*: it is right, which is never likelier than that the model itself is.

use frlm_client::conductor::trace::PosteriorStep;

/// How likely one answer is right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Posterior {
    /// 0..=1
    pub fidelity: f64,
    /// 0..=1
    pub correctness: f64,
}

/// The posteriors of a run's answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Posteriors {
    /// By subtask: what was said last.
    lanes: Vec<Option<Posterior>>,
    /// Answers that were accepted.
    pub accepted: u64,
    /// Times another provider was asked because no answer was likely enough.
    pub asked_on: u64,
    /// Those of the least certain accepted answer.
    pub weakest: Option<Posterior>,
}

impl Posteriors {
    /// Folds what the run says of a subtask's leading answer.
    pub fn take(&mut self, subtask: u32, step: PosteriorStep, posterior: Posterior) {
        let place = subtask as usize;
        if self.lanes.len() <= place {
            self.lanes.resize(place + 1, None);
        }
        self.lanes[place] = Some(posterior);
        match step {
            PosteriorStep::Ask(_) => self.asked_on += 1,
            PosteriorStep::Stop => {}
            PosteriorStep::Accept => {
                self.accepted += 1;
                let weakest = self.weakest.unwrap_or(posterior);
                self.weakest = Some(Posterior {
                    fidelity: weakest.fidelity.min(posterior.fidelity),
                    correctness: weakest.correctness.min(posterior.correctness),
                });
            }
        }
    }

    /// Of a subtask's leading answer.
    pub fn of(&self, subtask: u32) -> Option<Posterior> {
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

    fn posterior(fidelity: f64) -> Posterior {
        Posterior { fidelity, correctness: fidelity / 2.0 }
    }

    #[test]
    fn the_weakest_accepted_answer_counts_and_no_rejected_one() {
        let mut posteriors = Posteriors::default();
        posteriors.take(2, PosteriorStep::Stop, posterior(0.3));
        posteriors.take(0, PosteriorStep::Accept, posterior(0.99));
        posteriors.take(1, PosteriorStep::Accept, posterior(0.97));
        assert_eq!((posteriors.accepted, posteriors.asked_on), (2, 0));
        assert!((posteriors.weakest.unwrap().fidelity - 0.97).abs() < 1e-9);
        assert_eq!(posteriors.of(2), Some(posterior(0.3)));
        assert_eq!(posteriors.of(7), None);
    }

    #[test]
    fn nothing_reads_as_certain() {
        assert_eq!((percent(0.981), percent(1.0)), ("98.1%".to_owned(), "> 99.9%".to_owned()));
    }
}
