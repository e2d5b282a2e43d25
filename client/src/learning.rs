//! What front ends see of `frlm_learning`: what runs learn. Items are named one by one.

/// As [`frlm_learning::planning`].
pub mod planning {
    /// As [`frlm_learning::planning::account`].
    pub mod account {
        pub use frlm_learning::planning::account::{Appraisal, LearnerAccount, strategy_name};

        /// As [`frlm_learning::planning::account::memory`].
        pub mod memory {
            pub use frlm_learning::planning::account::memory::{LearnerError, LearnerMemory};
        }
    }

    /// As [`frlm_learning::planning::decompose`].
    pub mod decompose {
        pub use frlm_learning::planning::decompose::{Action, AskingOrder, Phrasing, Strategy};
    }

    /// As [`frlm_learning::planning::domain`].
    pub mod domain {
        pub use frlm_learning::planning::domain::Domain;
    }

    /// As [`frlm_learning::planning::hints`].
    pub mod hints {
        pub use frlm_learning::planning::hints::{Complexity, HintRecord, Suggested, hint};
    }

    /// As [`frlm_learning::planning::satisfaction`].
    pub mod satisfaction {
        pub use frlm_learning::planning::satisfaction::{Behaviour, Satisfaction};
    }

    /// As [`frlm_learning::planning::simplicity`].
    pub mod simplicity {
        pub use frlm_learning::planning::simplicity::{TaskType, simplicity};
    }

    /// As [`frlm_learning::planning::steps`].
    pub mod steps {
        pub use frlm_learning::planning::steps::Weighed;
    }
}

/// As [`frlm_learning::routing`].
pub mod routing {
    pub use frlm_learning::routing::{Health, RoutingMemory, STAMP, Training};

    /// As [`frlm_learning::routing::production`].
    pub mod production {
        pub use frlm_learning::routing::production::{CallerLimit, Health, OverLimit};
    }
}

/// As [`frlm_learning::saved`].
pub mod saved {
    pub use frlm_learning::saved::read;
}
