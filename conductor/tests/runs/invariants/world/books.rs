//! What the ledger, the mint and the verdicts must say of each other once a process of a run is over.

use std::collections::HashSet;

use frlm_conductor::swarm::Ticket;
use frlm_verifier::VerificationPolicy;
use frlm_wallet::ledger::{Entry, State};
use frlm_wallet::{Key, Ledger, Sats};

use super::{At, Book, Job, World};

impl World {
    /// An answer is accepted for as many distinct providers as the policy says, all of whom have said the same.
    pub(super) fn must_agree(&self, book: &mut Book, subtask: u32, agreeing: &[String]) {
        let distinct: HashSet<&String> = agreeing.iter().collect();
        if distinct.len() < agreeing.len() {
            book.broke(format!("one provider counts twice for subtask {subtask}: {agreeing:?}"));
        }
        let least =
            if let VerificationPolicy::Redundancy { agree, .. } = self.policy { agree as usize } else { 1 };
        if distinct.len() < least {
            book.broke(format!("{agreeing:?} are too few for subtask {subtask}: {least} must agree"));
        }
        let mut all: Option<HashSet<Vec<usize>>> = None;
        for provider in distinct {
            let theirs = book
                .jobs
                .iter()
                .filter(|(ticket, job)| ticket.subtask.0 == subtask && job.provider == *provider);
            let theirs: HashSet<Vec<usize>> = theirs.filter_map(|(_, job)| job.found()).collect();
            all = Some(match all {
                Some(all) => all.intersection(&theirs).cloned().collect(),
                None => theirs,
            });
        }
        if all.is_none_or(|all| all.is_empty()) {
            book.broke(format!("{agreeing:?} agree on subtask {subtask}, and have said nothing that agrees"));
        }
    }
}

/// Nothing is reserved any more, no sat is missing, and no more was signed over than the run may cost.
pub async fn books_are_closed(world: &World, ledger: &Ledger, was_killed: bool) {
    let budget = ledger.budget(world.run.as_str()).await.unwrap();
    let audit = ledger.audit().await.unwrap();
    locks_and_ledger_agree(world, ledger, was_killed).await;
    if !was_killed {
        accepted_are_paid(world, ledger).await;
    }
    let mut book = world.book();
    if budget.reserved > Sats::ZERO {
        book.broken.push(format!("the run is over and {} are reserved", budget.reserved));
    }
    if budget.spent < book.released || budget.spent > budget.limit {
        let released = book.released;
        book.broken
            .push(format!("{} of {} are spent, and {released} signed over", budget.spent, budget.limit));
    }
    if !audit.is_clean() {
        book.broken.push(format!("the ledger's sums do not follow from its entries: {audit:?}"));
    }
}

/// Whether, with a run over, each lock and the ledger say the same.
async fn locks_and_ledger_agree(world: &World, ledger: &Ledger, was_killed: bool) {
    let locks: Vec<(Key, At)> = world.book().locks.iter().map(|(key, lock)| (key.clone(), lock.at)).collect();
    for (key, at) in locks {
        let Ok(entry) = ledger.entry(key.clone()).await else {
            world.book().broke(format!("{key} is {at:?} at the mint, and the ledger does not know it"));
            continue;
        };
        let fits = match at {
            // Counts as spent, at least until it is known.
            At::Released => matches!(entry.state, State::Settled | State::Released | State::Doubtful),
            // On its way back; or spent where it could not be signed over, or a process died.
            At::Locked => matches!(entry.state, State::Reclaimed | State::Released | State::Doubtful),
            At::Back => matches!(entry.state, State::Settled | State::Reclaimed | State::Doubtful),
        };
        // What a killed process left is doubtful, and never more than that.
        if !fits || (entry.state == State::Doubtful && !was_killed) {
            world.book().broke(format!("{key} is {at:?} at the mint and {:?} in the ledger", entry.state));
        }
    }
}

/// Whether, with a run over that no process died in, each provider is paid whose answer was accepted, unless it works for free.
async fn accepted_are_paid(world: &World, ledger: &Ledger) {
    let accepted: Vec<(u32, String)> = world.book().accepted.iter().cloned().collect();
    for (subtask, provider) in accepted {
        let is_its_own =
            |(ticket, job): &(&Ticket, &Job)| ticket.subtask.0 == subtask && job.provider == provider;
        let tickets: Vec<Ticket> =
            world.book().jobs.iter().filter(is_its_own).map(|(ticket, _)| *ticket).collect();
        let mut entries = Vec::new();
        for ticket in tickets {
            let key = Key::new(world.run.as_str(), ticket.subtask.0, ticket.attempt.0);
            entries.extend(ledger.entry(key).await.ok().filter(|entry| entry.amount > Sats::ZERO));
        }
        let is_paid = |entry: &Entry| match entry.state {
            State::Released | State::Doubtful => true,
            State::Settled => entry.actual > Sats::ZERO,
            _ => false,
        };
        if !entries.is_empty() && !entries.iter().any(is_paid) {
            world.book().broke(format!(
                "an answer of {provider} to subtask {subtask} is accepted, and it is not paid: {entries:?}"
            ));
        }
    }
}
