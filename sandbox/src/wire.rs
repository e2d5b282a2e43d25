//! What the sandbox and its worker say to each other: one line of JSON each way; where a program calls functions of
//! its caller, one line each way for every call; where a document is read, its bytes behind the line, and a line
//! back for each thing that is found.

use frlm_documents::{Bounds, Event, Options, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The exit code of a worker that does nothing because it could not limit itself.
pub(crate) const NOT_CONFINED: u8 = 77;
/// The exit code of a worker that had more to tell of a document than the limits let it.
pub(crate) const TOO_MUCH: u8 = 78;

/// What a program, or the reader of a document, may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time, in milliseconds; what stands still is stopped a little later by the clock.
    pub time_ms: u64,
    /// Memory beyond what the worker itself takes, in bytes.
    pub memory_bytes: u64,
    /// Bytes of what it prints and of what it gives, each; of what is told of a document, in all.
    pub output_bytes: usize,
    /// Calls within calls of a program.
    pub depth: usize,
}

impl Limits {
    /// For reading a document: 30 seconds, 1 GiB, 1 GiB.
    pub const DOCUMENTS: Self =
        Self { time_ms: 30_000, memory_bytes: 1 << 30, output_bytes: 1 << 30, depth: 0 };
}

impl Default for Limits {
    /// Two seconds, 256 MiB, 64 KiB, 400 calls.
    fn default() -> Self {
        Self { time_ms: 2_000, memory_bytes: 256 << 20, output_bytes: 64 << 10, depth: 400 }
    }
}

/// A program and the names that it finds set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Its text.
    pub code: String,
    /// Values by name. Objects become dicts, arrays lists.
    pub inputs: Map<String, Value>,
}

impl Program {
    /// A program that is told nothing.
    pub fn new(code: impl Into<String>) -> Self {
        Self { code: code.into(), inputs: Map::new() }
    }
}

/// What a program came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// What it printed.
    pub printed: String,
    /// The value of its last line as text, if that line is an expression and its value not `None`.
    pub value: Option<String>,
    /// That value, where it is `True` or `False`.
    pub truth: Option<bool>,
}

impl Ran {
    /// What it printed, and after that the value of its last line.
    pub fn output(&self) -> String {
        self.printed.clone() + self.value.as_deref().unwrap_or_default()
    }
}

/// A program that calls functions of its caller, and the names that it finds set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// What its file is called, for tracebacks.
    pub name: String,
    /// Its text.
    pub code: String,
    /// Values by name. Objects become dicts, arrays lists.
    pub inputs: Map<String, Value>,
    /// Lists of records.
    pub records: Vec<Records>,
    /// Functions that it may call.
    pub functions: Vec<String>,
}

/// A list of records that a program finds set: their fields have names. One that is given to a function arrives there as
/// its first field alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Records {
    /// The name of the list.
    pub name: String,
    /// The name of one of them.
    pub kind: String,
    /// The names of their fields.
    pub fields: Vec<String>,
    /// Their fields, as many as there are names.
    pub rows: Vec<Vec<Value>>,
}

/// A function that a program calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its name.
    pub function: String,
    /// What is given in order. Tuples and sets have become arrays.
    pub arguments: Vec<Value>,
    /// What is given by name.
    pub named: Map<String, Value>,
}

/// What a call comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It gives this.
    Gives(Value),
    /// It raises a `RuntimeError` with these words, which the program may catch.
    Raises(String),
    /// It raises a `TypeError`: it was called in a way that it does not take.
    Misused(String),
}

/// What a worker is given.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub limits: Limits,
    pub work: Work,
}

/// What a worker is to do.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Work {
    /// Run a program.
    Run(Program),
    /// Say whether it is one.
    Read(Script),
    /// Run it, and ask back what it asks.
    Talk(Script),
    /// Read a document.
    Document(Document),
    /// Draw a page of one.
    Page(Page),
}

/// A document whose bytes follow the line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Document {
    pub name: String,
    /// How many bytes follow.
    pub bytes: u64,
    pub options: Options,
}

/// A page of a document whose bytes follow the line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Page {
    /// How many bytes follow.
    pub bytes: u64,
    /// Counted from 1.
    pub number: u32,
    /// Pixels for each point.
    pub scale: f32,
    /// What is marked on it.
    pub quotes: Vec<String>,
    pub options: Options,
}

/// What a worker says of a page.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PageLine {
    /// Its picture, whose pixels follow the line, four bytes each.
    Image { width: u32, height: u32, marks: Vec<Bounds> },
    /// There is none.
    Refused(Refusal),
}

/// The longest line about a page: the places of its quotes.
pub(crate) const LONGEST_PAGE_LINE: u64 = 4 << 20;

/// What a worker says of a document, a line each.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DocumentLine {
    /// The next thing that it found.
    Event(Event),
    /// There is no more.
    Done,
}

/// The longest line about a document: a block tells its text, and a row that of its cells besides.
pub(crate) fn longest_line(options: &Options) -> u64 {
    options.limits.text_bytes.saturating_mul(2).saturating_add(1 << 20)
}

/// Why a worker ends without its last word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It could not limit itself.
    NotConfined,
    /// What it reads or writes is no conversation any more.
    Broken,
}

/// What a worker says of a program that talks.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Turn {
    /// What it printed since the last turn.
    pub printed: String,
    pub comes: Comes,
}

/// Why a worker speaks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Comes {
    /// It calls a function, and waits.
    Call(Call),
    /// It has ended.
    End(Word),
}

/// What a worker says at its end.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    /// It ran to its end.
    Gave(Ran),
    /// The error that it ended with.
    Raised(String),
    /// It needs what the interpreter does not have.
    Lacks(String),
    /// It used up its time.
    OutOfTime,
    /// It printed or gave too much.
    TooMuch,
}
