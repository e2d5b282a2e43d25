//! What a role tells a general model before its task (seeds/load-balanced-rl-workflow.md, sections 2.1
//! and 10: "System Prompts … per AgentRole"; the document names the roles, the words are ours).
//!
//! Models that copy fields of records were trained on fixed words and hear no role.

use frlm_inference::Dialect;
use frlm_questions::dialect::Prompt;

/// A role of a general model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// As in tables.
    pub name: &'static str,
    /// What the model is told to be; empty: the task stands alone.
    pub brief: &'static str,
}

/// The task as it is.
pub const PLAIN: Role = Role { name: "plain", brief: "" };
/// Weighs.
pub const ANALYST: Role = Role {
    name: "analyst",
    brief: "You are an analyst. Weigh figures and arguments against each other, say what follows and how sure that \
            is.",
};
/// Programs.
pub const CODER: Role = Role {
    name: "coder",
    brief: "You are a programmer. Write short, correct code and say what it does in one line.",
};
/// Gathers.
pub const RESEARCHER: Role = Role {
    name: "researcher",
    brief: "You are a researcher. Gather what is known, tell facts from guesses, and be brief.",
};
/// Checks.
pub const VALIDATOR: Role = Role {
    name: "validator",
    brief: "You are a validator. Check every claim and every step, and correct what is wrong.",
};

/// The source document's.
pub const SEED: [Role; 4] = [ANALYST, CODER, RESEARCHER, VALIDATOR];

/// Those that a run's subtasks can be put in: the plain one first, which every model can take on.
pub const OF_RUNS: [Role; 5] = [PLAIN, ANALYST, CODER, RESEARCHER, VALIDATOR];

/// Puts a brief before a prompt, if the model hears it. An empty brief changes nothing.
pub fn tell(brief: &str, dialect: Dialect, prompt: &mut Prompt) {
    if dialect == Dialect::Json && !brief.is_empty() {
        prompt.instruction = format!("{brief}\n\n{}", prompt.instruction);
    }
}

/// The longest brief of these roles: what a quote must allow for.
pub fn longest_brief(roles: &[Role]) -> &'static str {
    roles.iter().map(|role| role.brief).max_by_key(|brief| brief.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use frlm_questions::plan::LONGEST_ROLE;

    use super::*;

    #[test]
    fn steps_have_room_for_every_role() {
        assert!(longest_brief(&OF_RUNS).len() <= LONGEST_ROLE);
    }
}
