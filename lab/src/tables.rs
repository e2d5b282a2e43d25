//! Questions over tables: how many code answers right, refuses, or gets wrong, and of these how many with confidence; and how many are
//! right if a model reads what code is not sure of.

use std::path::Path;

use anyhow::Context as _;
use frlm_inference::{Constraint, GenerationRequest, LanguageModel, Message, ModelSpec, Sampling};
use frlm_tables::corpus::{self, Open, Replies, Reply, Scored};
use futures::{StreamExt as _, stream};

use crate::arguments::LabTablesArgs;

/// Longest reply of a model.
const REPLY_TOKENS: usize = 800;

/// Asks the questions of a corpus and prints the scores, and each question that was not answered right.
pub async fn run(args: &LabTablesArgs) -> anyhow::Result<()> {
    let mut scored = score(&args.corpus, args.replies.as_deref())?;
    if let (Some(planner), Some(path)) = (&args.planner, &args.replies) {
        let spec: ModelSpec = planner.parse()?;
        let model = frlm_inference::open(&spec).await?;
        let open: Vec<Open> = std::mem::take(&mut scored.open);
        eprintln!("{} questions that code is not sure of are put to {planner}", open.len());
        let mut asked = stream::iter(open.iter().map(|open| ask(model.as_ref(), open)))
            .buffer_unordered(args.at_once.max(1));
        while let Some(reply) = asked.next().await {
            match reply {
                Ok(reply) => Replies::append(path, &reply).map_err(|error| anyhow::anyhow!(error))?,
                Err(error) => eprintln!("{error:#}"),
            }
        }
        scored = score(&args.corpus, args.replies.as_deref())?;
    }
    println!("{}", scored.text());
    if !scored.open.is_empty() {
        println!("{} questions that code is not sure of have no reply of a planner", scored.open.len());
    }
    Ok(())
}

fn score(folder: &Path, replies: Option<&Path>) -> anyhow::Result<Scored> {
    let replies = replies.map(Replies::read).transpose().map_err(|error| anyhow::anyhow!(error))?;
    corpus::ask_all(folder, replies.as_ref())
        .map_err(|error| anyhow::anyhow!(error))
        .with_context(|| format!("{}: no corpus of questions over tables", folder.display()))
}

async fn ask(model: &dyn LanguageModel, open: &Open) -> anyhow::Result<Reply> {
    let request = GenerationRequest {
        messages: vec![Message::system(&open.prompt.system), Message::user(&open.prompt.user)],
        max_tokens: REPLY_TOKENS,
        sampling: Sampling::GREEDY,
        constraint: Some(Constraint::JsonSchema(open.prompt.schema.clone())),
        top_logprobs: 0,
        stop: Vec::new(),
    };
    let answer = model.generate(request).await.with_context(|| open.question.clone())?;
    Ok(Reply { file: open.file.clone(), question: open.question.clone(), reply: answer.text })
}
