//! What learners and figures are called here, and what they mean: some of their names are those of methods.

/// What the line of figures means.
pub const NOW: &str = "Imbalance: how much the roles' shares of the latest work differ (standard deviation \
                       divided by mean). Hot: a role that does much more than its share";
