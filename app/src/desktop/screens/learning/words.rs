//! What learners, figures and policies are called here, and what they mean: some of their names are those of methods.

/// How decisions are made, in words, and what the learner's name stands for.
pub fn learner(name: &str) -> (&'static str, &'static str) {
    match name {
        "q-table" => (
            "by a table of what each way was worth",
            "Q-table: for each kind of task and state of load, the mean worth of each role and venue so far",
        ),
        _ => (
            "by an estimate of what each way is worth",
            "LinUCB: the worth of each role and venue is estimated from kind of task and load; what was tried seldom gets \
             the benefit of the doubt",
        ),
    }
}

/// What the line of figures means.
pub const NOW: &str = "Imbalance: how far the roles' shares of the latest work lie apart, as their standard deviation over \
                       their mean. Hot: a role that does much more than its share";

/// How a verification policy decides; nothing of one that is not known here.
pub fn policy(name: &str) -> Option<&'static str> {
    match name.split(':').next()? {
        "none" => Some("one answer is asked for and believed"),
        "objective" => Some("what has the right form is believed: here an amount of the right size"),
        "validated" => {
            Some("a provider that is trusted does it again: here an honest one, which errs like the others")
        }
        "redundancy" => Some("so many are asked and so many must agree: five and three for 5/3"),
        "adaptive" => Some("as many are asked as it takes to believe an answer, by their records"),
        _ => None,
    }
}

/// The same of each kind of policy among these, in a line.
pub fn policies<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut said: Vec<String> = Vec::new();
    for name in names {
        let kind = name.split(':').next().unwrap_or(name);
        let Some(about) = policy(name) else { continue };
        let words = format!("{kind}: {about}");
        if !said.contains(&words) {
            said.push(words);
        }
    }
    if said.is_empty() { String::new() } else { format!("{}.", said.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_policy_is_explained_once() {
        let words = policies(["none", "redundancy:3/2", "redundancy:5/3", "sideways"].into_iter());
        assert!(words.starts_with("none: one answer") && words.ends_with('.'), "{words}");
        assert_eq!((words.matches("redundancy:").count(), words.contains("sideways")), (1, false), "{words}");
        assert_eq!(policies(std::iter::empty()), "");
    }
}
