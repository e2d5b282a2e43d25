//! Why a text is no table, and why a query has no result.

use thiserror::Error;

/// Why a text did not become a table.
#[derive(Debug, Error)]
pub enum LoadError {
    /// No record stands in it.
    #[error("there are no records in this file")]
    NoRecords,
    /// It calls itself JSON and is none.
    #[error("this is not valid JSON: {0}")]
    Json(String),
    /// More than may be read.
    #[error("the file is larger than the {limit_bytes} bytes that are read")]
    TooLarge {
        /// Most bytes.
        limit_bytes: usize,
    },
    /// The file could not be read.
    #[error("the file could not be read: {0}")]
    Read(#[from] std::io::Error),
    /// Its table takes more room than it may, or than there is.
    #[error(
        "the table takes more than the {disk_bytes} bytes that it may take on the disk, or more than are free there"
    )]
    NoRoom {
        /// Most bytes.
        disk_bytes: u64,
    },
    /// The database refused it.
    #[error("the table could not be stored: {0}")]
    Store(#[from] rusqlite::Error),
}

/// Why a query has no result.
#[derive(Debug, Error)]
pub enum QueryError {
    /// It names a column that is not there.
    #[error("there is no column {0}")]
    NoColumn(usize),
    /// A column cannot be compared, added or bucketed so.
    #[error("{0}")]
    Unfit(String),
    /// It would change something, or is more than one statement.
    #[error("only one statement that reads is run")]
    NotReadOnly,
    /// It took more steps, time or memory than a query may.
    #[error("the query was stopped: it takes too long or too much memory")]
    TooLong,
    /// The database refused it.
    #[error("{0}")]
    Sql(String),
}

impl From<rusqlite::Error> for QueryError {
    fn from(error: rusqlite::Error) -> Self {
        match &error {
            rusqlite::Error::SqliteFailure(failure, _)
                if failure.code == rusqlite::ErrorCode::OperationInterrupted =>
            {
                Self::TooLong
            }
            rusqlite::Error::SqliteFailure(failure, _) if failure.code == rusqlite::ErrorCode::ReadOnly => {
                Self::NotReadOnly
            }
            rusqlite::Error::MultipleStatement => Self::NotReadOnly,
            _ => Self::Sql(error.to_string()),
        }
    }
}
