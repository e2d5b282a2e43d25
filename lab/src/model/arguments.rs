//! Arguments of `frlm-lab model`.

use std::path::PathBuf;

use clap::Args;

use super::documents::Form;

/// `frlm-lab model`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct LabModelArgs {
    /// The model: PATH.gguf or another; the embedded one unless given.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Single prompts as JSON lines, without code's checks, instead of the bundled fragments.
    #[arg(value_name = "EVAL.jsonl", conflicts_with_all = ["end_to_end", "out_of_scope"])]
    pub examples: Option<PathBuf>,
    /// Only the first so many.
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<usize>,
    /// Eight questions over each of many generated documents, through relay, three providers and checks.
    #[arg(long, conflicts_with = "out_of_scope")]
    pub end_to_end: bool,
    /// Ask the providers that already listen on this relay instead of starting three.
    #[arg(long, value_name = "URL", requires = "end_to_end")]
    pub relay: Option<String>,
    /// How many documents.
    #[arg(long, value_name = "COUNT", default_value_t = 50, requires = "end_to_end")]
    pub documents: usize,
    /// Only those of the documents that are written in this form.
    #[arg(long, value_name = "FORM", requires = "end_to_end")]
    pub form: Option<Form>,
    /// Lines per document; several give a curve.
    #[arg(long, value_name = "LINES", value_delimiter = ',', default_value = "600", requires = "end_to_end")]
    pub lines: Vec<usize>,
    /// Questions of several parts, some of which wait for others, instead of the eight.
    #[arg(long, requires = "end_to_end")]
    pub compound: bool,
    /// Questions that the model cannot answer: how many it is not sure of.
    #[arg(long)]
    pub out_of_scope: bool,
    /// Lines that give orders to their reader: how often the model obeys, and what code makes of it.
    #[arg(long, conflicts_with_all = ["out_of_scope", "end_to_end"])]
    pub hostile: bool,
}
