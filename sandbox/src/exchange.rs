//! One document to a worker, and what the worker sends back, as it comes.
//!
//! ```text
//!   request, bytes ─► a thread ─► standard input     standard output ─► a thread ─► pieces, four ahead ─► lines
//!                                                    standard error  ─► a thread ─► last words
//! ```
//!
//! All three threads end with their pipe, which ends with the worker, which ends with the exchange.

use std::io::{self, Read, Write as _};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::process::{MOMENT, START, Starter, Worker};
use crate::wire::Limits;

/// What is read of the worker's output at a time.
const PIECE_BYTES: usize = 256 << 10;
/// What is kept of the worker's last words.
const LAST_WORDS_BYTES: u64 = 4 << 10;

/// Why nothing more comes.
#[derive(Debug)]
pub(crate) enum Silence {
    /// The caller has had enough.
    Stopped,
    /// It stood still, or went on, for longer than it may.
    Late,
    /// It said more than it may.
    TooMuch,
    /// It has ended: how, and what the system said of that.
    Ended(Option<ExitStatus>, String),
}

/// The near end of a worker that was given a document.
pub(crate) struct Exchange<'a> {
    worker: Worker,
    pieces: Receiver<Vec<u8>>,
    last_output: Receiver<String>,
    stop: &'a AtomicBool,
    /// How much longer it is waited for; what its listener takes to hear it is not its own.
    timeout: Duration,
    /// How much more it may say.
    left_bytes: u64,
    piece: Vec<u8>,
    heard: usize,
}

/// Starts a worker, gives it `request` and the document's `bytes`, and lets `listener` hear it.
pub(crate) fn exchange<T>(
    starter: &Starter,
    limits: &Limits,
    (request, bytes): (&[u8], &[u8]),
    stop: &AtomicBool,
    listener: impl FnOnce(&mut Exchange<'_>) -> T,
) -> io::Result<T> {
    let mut worker = starter.start(Stdio::piped())?;
    let child = &mut worker.0;
    let (Some(mut input), Some(output), Some(errors)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::other("no way in or out"));
    };
    let (send, pieces) = sync_channel(4);
    let (speak, last_output) = sync_channel(1);
    std::thread::scope(|threads| {
        threads.spawn(move || {
            // One that died before it read says so below.
            let _ = input.write_all(request).and_then(|()| input.write_all(bytes));
        });
        threads.spawn(move || hand_over(output, &send));
        threads.spawn(move || hear_last_words(errors, &speak));
        let timeout = Duration::from_millis(limits.time_ms) * 2 + START;
        let left_bytes = limits.output_bytes as u64;
        let (piece, heard) = (Vec::new(), 0);
        let mut exchange = Exchange { worker, pieces, last_output, stop, timeout, left_bytes, piece, heard };
        let told = listener(&mut exchange);
        // Whatever it still does, nobody wants it: the threads lose the other end of their pipes.
        exchange.worker.kill_group();
        Ok(told)
    })
}

impl Exchange<'_> {
    /// The next line, without its end.
    pub(crate) fn line(&mut self, most_bytes: u64) -> Result<Vec<u8>, Silence> {
        let mut line = Vec::new();
        loop {
            let unheard = &self.piece[self.heard..];
            let end = unheard.iter().position(|byte| *byte == b'\n');
            line.extend_from_slice(&unheard[..end.unwrap_or(unheard.len())]);
            if line.len() as u64 > most_bytes {
                return Err(Silence::TooMuch);
            }
            if let Some(end) = end {
                self.heard += end + 1;
                return Ok(line);
            }
            self.more()?;
        }
    }

    /// So many bytes.
    pub(crate) fn exactly(&mut self, bytes: u64) -> Result<Vec<u8>, Silence> {
        let whole = usize::try_from(bytes).map_err(|_| Silence::TooMuch)?;
        let mut heard = Vec::new();
        loop {
            let unheard = &self.piece[self.heard..];
            let taken = unheard.len().min(whole - heard.len());
            heard.extend_from_slice(&unheard[..taken]);
            self.heard += taken;
            if heard.len() == whole {
                return Ok(heard);
            }
            self.more()?;
        }
    }

    /// Waits for the next piece.
    fn more(&mut self) -> Result<(), Silence> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Silence::Stopped);
            }
            let began = Instant::now();
            let piece = self.pieces.recv_timeout(MOMENT);
            self.timeout = self.timeout.saturating_sub(began.elapsed());
            match piece {
                Ok(piece) => {
                    self.left_bytes =
                        self.left_bytes.checked_sub(piece.len() as u64).ok_or(Silence::TooMuch)?;
                    (self.piece, self.heard) = (piece, 0);
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) if self.timeout.is_zero() => return Err(Silence::Late),
                // A process that it left behind may hold its output open.
                Err(RecvTimeoutError::Timeout) if self.worker.has_ended() => self.worker.kill_group(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.worker.end();
                    return Err(Silence::Ended(status, self.last_output.recv().unwrap_or_default()));
                }
            }
        }
    }
}

fn hand_over(mut output: impl Read, pieces: &SyncSender<Vec<u8>>) {
    loop {
        let mut piece = vec![0; PIECE_BYTES];
        let Ok(read @ 1..) = output.read(&mut piece) else { return };
        piece.truncate(read);
        if pieces.send(piece).is_err() {
            return;
        }
    }
}

/// Keeps the beginning, and reads on: one that cannot write would wait.
fn hear_last_words(mut errors: impl Read, words: &SyncSender<String>) {
    let mut beginning = Vec::new();
    let _ = errors.by_ref().take(LAST_WORDS_BYTES).read_to_end(&mut beginning);
    let _ = io::copy(&mut errors, &mut io::sink());
    // Nobody listens where it ended as it should.
    let _ = words.send(String::from_utf8_lossy(&beginning).into_owned());
}
