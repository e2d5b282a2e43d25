//! Something that must be looked up before it can be shown.

/// How looking it up stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Load<T> {
    /// It is being looked up.
    #[default]
    Busy,
    /// Here it is.
    Ready(T),
    /// It could not be looked up: why, and what to do.
    Failed(String),
}

impl<T> Load<T> {
    /// What was found, once it was.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(found) => Some(found),
            Self::Busy | Self::Failed(_) => None,
        }
    }
}

impl<T> From<anyhow::Result<T>> for Load<T> {
    fn from(outcome: anyhow::Result<T>) -> Self {
        match outcome {
            Ok(found) => Self::Ready(found),
            Err(error) => Self::Failed(crate::desktop::engine::runs::words(&error)),
        }
    }
}
