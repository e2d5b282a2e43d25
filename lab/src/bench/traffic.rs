//! What goes through a relay for one subtask: how many events, and how many bytes of them.

use std::collections::BTreeMap;
use std::time::Duration;

use frlm_protocol::kinds::{CANCELLATION, JOB_FEEDBACK, JOB_REQUEST, JOB_RESULT, VERDICT};
use frlm_questions::dialect::claims::Form;
use frlm_questions::dialect::{MapTask, json};
use frlm_relay::{ConnectOptions, Connection, RelayMessage};
use nostr::{Filter, JsonUtil as _};

use super::rig::{ANSWER, Rig, fragments, query, scripted};
use super::{Row, Target};

/// Records of each subtask.
const LINES: usize = 16;
/// A relay on this machine that says nothing for so long has said all.
const SILENCE: Duration = Duration::from_secs(1);
/// A job and its result.
const LEAST_EVENTS: f64 = 2.0;
/// How many times the text may travel, and what comes on top for each subtask.
const MOST_BYTES: (f64, usize) = (2.2, 2_048);

/// Asks free providers, with an onlooker at the relay who counts. Parts of answers on their way are counted apart.
pub async fn measure(subtasks: usize) -> anyhow::Result<[Row; 2]> {
    let rig = Rig::start((0..4).map(|_| scripted(Duration::from_millis(20), 4)).collect()).await?;
    let (publisher, mut incoming) =
        Connection::connect(std::slice::from_ref(rig.url()), ConnectOptions::default()).await?;
    let kinds = [JOB_REQUEST, JOB_RESULT, JOB_FEEDBACK, CANCELLATION, VERDICT];
    publisher.subscribe("all", vec![Filter::new().kinds(kinds)]).await;
    let fragments = fragments(subtasks, LINES);
    let task = MapTask {
        question: String::new(),
        query: Some(query()),
        manner: String::new(),
        form: Form::default(),
    };
    let texts: usize = fragments
        .iter()
        .map(|fragment| {
            json::prompt(&task, fragment).texts().iter().map(String::len).sum::<usize>() + ANSWER.len()
        })
        .sum();
    let counting = async {
        let (mut events, mut bytes) = (BTreeMap::new(), 0_usize);
        while let Some(message) = incoming.recv().await {
            if let RelayMessage::Event(event) = message {
                *events.entry(event.kind.as_u16()).or_default() += 1;
                bytes += event.as_json().len();
            }
        }
        (events, bytes)
    };
    let working = async {
        let measured = rig.ask(fragments).await;
        tokio::time::sleep(SILENCE).await;
        publisher.shutdown().await;
        rig.shutdown().await;
        measured
    };
    let ((events, bytes), measured) = tokio::join!(counting, working);
    measured?;
    let per = |count: usize| count as f64 / subtasks as f64;
    let kinds: Vec<String> =
        events.iter().map(|(kind, count)| format!("{kind}: {:.2}", per(*count))).collect();
    let events: usize = events.into_values().sum();
    let (times, more) = MOST_BYTES;
    let most = times * per(texts) + more as f64;
    Ok([
        Row {
            what: format!("events per subtask, free, {subtasks} subtasks ({})", kinds.join(", ")),
            floor: "2, a job and its result".to_owned(),
            measured: format!("{:.2}", per(events)),
            ratio: per(events) / LEAST_EVENTS,
            target: Target::AtMost(1.5),
        },
        Row {
            what: format!("bytes per subtask, prompt and answer have {:.0}", per(texts)),
            floor: format!("{times} times those and {more}: {most:.0}"),
            measured: format!("{:.0}", per(bytes)),
            ratio: per(bytes) / most,
            target: Target::AtMost(1.0),
        },
    ])
}
