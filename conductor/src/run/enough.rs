//! Before the first job: whether enough providers are there, and what to say if not.

use frlm_questions::plan::Skill;

use super::claims;
use super::subtasks::{Progress, SubtaskRecord};
use super::work::Work;

/// What all of these subtasks take, together.
fn skills_of<'a>(records: impl Iterator<Item = &'a SubtaskRecord>) -> u8 {
    records.fold(0, |skills, record| skills | record.subtask.skill() as u8)
}

impl Work {
    /// The subtasks without an answer that were not given up.
    pub fn open(&self) -> impl Iterator<Item = &SubtaskRecord> {
        self.subtasks.iter().filter(|record| matches!(record.state, Progress::Open))
    }

    /// Whether the user's own model could step in for everything.
    pub fn own_model_can_do_all(&self) -> bool {
        let own = self.setup.candidates.fallback.as_ref();
        let skills = skills_of(self.subtasks.iter());
        own.map_or(0, |own| Skill::of_dialect(own.dialect)) & skills == skills
    }

    /// Whether it is worth waiting for more providers.
    pub fn hopes_for_more(&self) -> bool {
        self.needs_more() || self.providers.peers.all().len() < self.setup.candidates.enough
    }

    /// Whether more providers are needed before the first subtasks can be decided.
    fn needs_more(&self) -> bool {
        let skills = skills_of(self.open());
        if skills == 0 {
            return false;
        }
        !self.providers.peers.is_own_machine_among(skills)
            && self.providers.peers.capable(skills) < self.answers_wanted()
    }

    /// How many must agree on what is open.
    fn answers_wanted(&self) -> usize {
        let wanted = self.open().map(|record| claims::fewest(&self.setup.policy, record.task()));
        wanted.max().unwrap_or(0) as usize
    }

    /// Whether the run cannot begin with those who are here. One whose word is enough will do, though others
    /// are worth waiting for: somebody must be there for spot checks.
    pub fn cannot_begin(&self) -> bool {
        let skills = skills_of(self.open());
        self.needs_more() && !self.providers.peers.has_one_who_is_enough(skills)
    }

    /// Why the run cannot begin, with the fix.
    pub fn too_few(&self) -> String {
        let seconds = self.setup.candidates.discovery.as_secs();
        let place = &self.setup.candidates.place;
        let adaptive = self.setup.policy.verification.is_adaptive();
        let needed = self.setup.policy.verification.first_replicas();
        let skills = skills_of(self.subtasks.iter());
        match (self.providers.peers.all().len(), self.providers.peers.capable(skills)) {
            (0, _) if self.setup.whom.only.is_empty() => format!(
                "no provider answered on {place} within {seconds} s. Is one running? \
                 Try: frlm provide --relay {place}"
            ),
            (0, _) => format!(
                "none of the providers given by --provider answered on {place} within {seconds} s; \
                 ask their operator to start frlm provide --relay {place}, or leave --provider out"
            ),
            (seen, 0) => format!(
                "{seen} providers are on {place}, but none with a model that can do this; start one with \
                 a general model: frlm provide --relay {place} --model PATH.gguf"
            ),
            (_, 1) if adaptive => format!(
                "one provider answered on {place} within {seconds} s, and its record alone is not \
                 enough. Start another (frlm provide --relay {place}), let your own model check the answers \
                 (--model), or accept unconfirmed answers (--verify none)"
            ),
            (_, able) => format!(
                "{} needs {needed} distinct providers and {able} answered on {place} within {seconds} s. \
                 Start another (frlm provide --relay {place}) or ask without redundancy: --verify none",
                self.setup.policy.verification
            ),
        }
    }

    /// Providers with a record, or that somebody vouches for, that are worth waiting for while relays have more to tell: a
    /// relay tells of a crowd of fresh keys first, which would have all of the work by then.
    pub fn recorded_to_wait_for(&self) -> usize {
        if !self.setup.policy.verification.is_adaptive() {
            return 0;
        }
        let vouched = self.setup.whom.vouched_providers.iter().map(|id| &**id);
        let vouched = vouched.filter(|id| !self.providers.trust.has_record(id));
        let recorded =
            self.providers.trust.recorded().chain(vouched).filter(|id| self.providers.peers.may_come(id));
        recorded.take(self.answers_wanted().max(1)).count()
    }
}
