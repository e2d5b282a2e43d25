//! Whether a model's weights fit into memory.

use serde::Serialize;

use crate::units::bytes;

/// Whether weights fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// With room for what it reads.
    Yes,
    /// The weights alone take most of what is free.
    Tight,
    /// They do not.
    No,
    /// The system does not tell how much memory is free.
    Unknown,
}

/// Weights up to this share of the free memory leave room for prompts and answers.
const COMFORTABLE: f64 = 0.8;

impl Fit {
    /// Weights of so many bytes on a machine with so much free memory.
    pub fn of(weights_bytes: u64, free_bytes: Option<u64>) -> Self {
        match free_bytes {
            None => Self::Unknown,
            Some(free) if weights_bytes > free => Self::No,
            Some(free) if weights_bytes as f64 > free as f64 * COMFORTABLE => Self::Tight,
            Some(_) => Self::Yes,
        }
    }

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "fits",
            Self::Tight => "tight",
            Self::No => "too big",
            Self::Unknown => "unknown",
        }
    }

    /// Why.
    pub fn why(self, weights_bytes: u64, free_bytes: Option<u64>) -> String {
        let (weights, free) = (bytes(weights_bytes), free_bytes.map(bytes).unwrap_or_default());
        match self {
            Self::Yes => {
                format!("its weights take {weights} of {free} free memory, which leaves room for its context")
            }
            Self::Tight => format!(
                "its weights take {weights} of {free} free memory; long prompts may not fit beside them"
            ),
            Self::No => format!(
                "its weights take {weights}, but only {free} are free; close other programs, or choose a \
                 smaller model"
            ),
            Self::Unknown => {
                format!("its weights take {weights}; this system does not tell how much memory is free")
            }
        }
    }
}

/// Memory that could be used now, in bytes, where the system tells.
pub fn free_bytes() -> Option<u64> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    Some(system.available_memory()).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_tells_how_much_memory_is_free() {
        assert!(free_bytes().is_some_and(|bytes| bytes > 1 << 20));
    }

    #[test]
    fn weights_need_room_beside_them() {
        const GIB: u64 = 1 << 30;
        assert_eq!(Fit::of(4 * GIB, Some(8 * GIB)), Fit::Yes);
        assert_eq!(Fit::of(7 * GIB, Some(8 * GIB)), Fit::Tight);
        assert_eq!(Fit::of(9 * GIB, Some(8 * GIB)), Fit::No);
        assert_eq!(Fit::of(GIB, None), Fit::Unknown);
        assert!(Fit::No.why(9 * GIB, Some(8 * GIB)).contains("9.0 GiB"));
    }
}
