//! A front end: `cargo run -p frlm-client --example ask -- "How many orders failed?" orders.log --relay ws://127.0.0.1:7777`

use anyhow::Context as _;
use frlm_client::home::Home;
use frlm_client::run::{RunHandle, RunService, RunSpec};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().context("name a question, documents and a relay")?;
    let mut spec = RunSpec::over(question, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--relay" => spec.relays.extend(arguments.next()),
            document => spec.files.push(document.into()),
        }
    }
    let service = RunService::open(&Home::open(None)?).await?;
    let RunHandle { id, mut events, done, .. } = service.start(&spec).await?;
    println!("run {id}");
    while let Some(record) = events.recv().await {
        println!("{:>6} ms  {:?}", record.at_ms, record.event);
    }
    let answer = done.await?;
    println!("{} (confidence {:.2})", answer.answer, answer.confidence);
    Ok(())
}
