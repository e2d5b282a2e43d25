//! What learners and figures are called here, and what they mean: some of their names are those of methods.

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
