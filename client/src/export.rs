//! A recorded run as a file, for people who look at it with other programs.

use frlm_conductor::store::Store;

use crate::perfetto::chrome_trace;
use crate::recorded_run::each_page;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per event.
    JsonLines,
    /// One object for Perfetto and chrome://tracing.
    Perfetto,
}

/// Hands over the lines of the file, without their ends; returns why the rest of the record cannot be read. Blocks.
pub fn lines(
    store: &Store,
    run: &str,
    format: Format,
    mut take: impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<Option<String>> {
    match format {
        Format::JsonLines => each_page(store, run, |records| {
            records.iter().try_for_each(|record| take(&serde_json::to_string(record)?))
        }),
        Format::Perfetto => {
            let loaded = store.trace(run)?;
            take(&chrome_trace(&loaded.records).to_string())?;
            Ok(loaded.damage)
        }
    }
}

#[cfg(test)]
mod tests {
    use frlm_conductor::store::NewRun;

    use super::*;
    use crate::recorded_run::{PAGE, view_of};
    use crate::testing_traces::Recipe;

    #[tokio::test]
    async fn an_export_holds_every_event_of_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("runs.db")).unwrap();
        let run = NewRun {
            id: "abc".to_owned(),
            started_at_ms: 1,
            question: "how many?".to_owned(),
            request: serde_json::Value::Null,
            secret_key: "00".to_owned(),
        };
        store.begin(run).await.unwrap();
        // More than one page.
        let count = u64::from(PAGE) + 7;
        store.append("abc", Recipe::long(PAGE as usize + 7)).await.unwrap();
        store.flush("abc").await.unwrap();
        let exported = |format| {
            let mut all: Vec<serde_json::Value> = Vec::new();
            let take = |line: &str| {
                all.push(serde_json::from_str(line)?);
                Ok(())
            };
            assert_eq!(lines(&store, "abc", format, take).unwrap(), None);
            all
        };
        assert_eq!(exported(Format::JsonLines).len() as u64, count);
        let trace = exported(Format::Perfetto);
        assert!(trace.len() == 1 && trace[0]["traceEvents"].is_array());
        assert_eq!(view_of(&store, "abc").unwrap().0.events, count);
    }
}
