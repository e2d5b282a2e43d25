//! A model that is no model, for tests of front ends that ask one over a real socket.

#![cfg_attr(
    not(test),
    expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test that cannot go on panics")
)]
#![cfg_attr(test, expect(clippy::missing_panics_doc, reason = "a test that cannot go on panics"))]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// What an endpoint says to a prompt.
type Says = dyn Fn(&str) -> String + Send + Sync;

/// An OpenAI-compatible endpoint.
pub struct Endpoint {
    address: SocketAddr,
}

impl Endpoint {
    /// That says this to everyone.
    pub fn that_says(text: &'static str) -> Self {
        Self::that_says_after(text, || {})
    }

    /// The same; whenever it is asked something, this is done before it answers.
    pub fn that_says_after(text: &'static str, before: impl Fn() + Send + Sync + 'static) -> Self {
        Self::that_answers(move |_| {
            before();
            text.to_owned()
        })
    }

    /// That answers prompts by this function, and serves until the test process ends.
    pub fn that_answers(says: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let says: Arc<Says> = Arc::new(says);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let says = Arc::clone(&says);
                std::thread::spawn(move || say(stream, &*says));
            }
        });
        Self { address }
    }

    /// As `--model` takes it.
    pub fn model(&self) -> String {
        format!("http://{}/v1#scripted", self.address)
    }
}

fn say(stream: TcpStream, says: &Says) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut first, mut length) = (String::new(), 0);
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let text = if first.starts_with("GET") { String::new() } else { says(&prompt(&body)) };
        let (kind, body) = if first.starts_with("GET") {
            ("application/json", r#"{"data":[{"id":"scripted"}]}"#.to_owned())
        } else if String::from_utf8_lossy(&body).contains("\"stream\":true") {
            let chunk = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
            let last = serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            ("text/event-stream", format!("data: {chunk}\n\ndata: {last}\n\ndata: [DONE]\n\n"))
        } else {
            let message = serde_json::json!({"role": "assistant", "content": text});
            let answer =
                serde_json::json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
            ("application/json", answer.to_string())
        };
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", body.len());
        let sent = reader.get_mut().write_all((head + &body).as_bytes());
        if sent.is_err() {
            return;
        }
    }
}

/// All that a request's messages say.
fn prompt(body: &[u8]) -> String {
    let request: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let messages = request["messages"].as_array().into_iter().flatten();
    let words: Vec<&str> = messages.filter_map(|message| message["content"].as_str()).collect();
    words.join("\n")
}
