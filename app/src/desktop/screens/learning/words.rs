//! What learners and figures are called here, and what they mean: some of their names are those of methods.

/// How decisions are made, in words, and what the learner's name stands for.
pub fn learner(name: &str) -> (&'static str, &'static str) {
    match name {
        "q-table" => (
            "by a table of the mean reward of each choice",
            "Q-table: for each kind of task and state of load, the mean reward of each role and venue so far",
        ),
        _ => (
            "by an estimate of the reward of each choice",
            "LinUCB: the reward of each role and venue is estimated from kind of task and load; rarely tried \
             choices get a bonus",
        ),
    }
}

/// What the line of figures means.
pub const NOW: &str = "Imbalance: how much the roles' shares of the latest work differ (standard deviation \
                       divided by mean). Hot: a role that does much more than its share";
