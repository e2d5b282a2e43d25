//! `frlm docs`

use std::path::PathBuf;

use clap::Args;

/// `frlm docs`
#[derive(Debug, Args)]
pub struct DocsArgs {
    /// Files and folders.
    #[arg(value_name = "PATH", required_unless_present_any = ["kept", "forget"])]
    pub paths: Vec<PathBuf>,
    /// Read the password of encrypted documents from this file.
    #[arg(long, value_name = "PATH")]
    pub password_file: Option<PathBuf>,
    /// List the texts and large tables of earlier documents that are kept for the next question.
    #[arg(long, conflicts_with = "paths")]
    pub kept: bool,
    /// Delete what is kept.
    #[arg(long, conflicts_with_all = ["paths", "kept"])]
    pub forget: bool,
    /// Print one JSON object for each document.
    #[arg(long)]
    pub json: bool,
}
