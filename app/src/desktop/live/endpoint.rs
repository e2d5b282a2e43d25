//! An OpenAI-compatible endpoint on loopback that says the same to everyone.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// Serves until the test process ends, which owns its threads; the address as `--model` takes it.
pub fn endpoint_that_says(text: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || while answer(&stream, text).is_some() {});
        }
    });
    format!("http://{address}/v1#scripted")
}

/// Answers one request; `None` when there is no further one.
fn answer(stream: &TcpStream, text: &str) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        (reader.read_line(&mut head).ok()? > 0).then_some(())?;
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let (kind, body) = if head.starts_with("GET") {
        ("application/json", serde_json::json!({"data": [{"id": "scripted"}]}).to_string())
    } else if String::from_utf8_lossy(&body).contains("\"stream\":true") {
        let chunk = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
        let last = serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        ("text/event-stream", format!("data: {chunk}\n\ndata: {last}\n\ndata: [DONE]\n\n"))
    } else {
        let message = serde_json::json!({"role": "assistant", "content": text});
        let whole =
            serde_json::json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
        ("application/json", whole.to_string())
    };
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n");
    let mut stream = stream;
    stream.write_all((head + &body).as_bytes()).ok()
}
