//! A model that is no model: the tests of the program and those of the window over real sockets ask it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// An OpenAI-compatible endpoint that says the same to everyone.
pub struct Endpoint {
    address: SocketAddr,
}

impl Endpoint {
    /// Serves until the test process ends.
    pub fn that_says(text: &'static str) -> Self {
        Self::that_says_after(text, || {})
    }

    /// The same; whenever it is asked something, this is done before it answers.
    pub fn that_says_after(text: &'static str, before: impl Fn() + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let before = Arc::new(before);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let before = Arc::clone(&before);
                std::thread::spawn(move || say(stream, text, &*before));
            }
        });
        Self { address }
    }

    /// As `--model` takes it.
    pub fn model(&self) -> String {
        format!("http://{}/v1#scripted", self.address)
    }
}

fn say(stream: TcpStream, text: &str, before: &dyn Fn()) {
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
        if !first.starts_with("GET") {
            before();
        }
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
