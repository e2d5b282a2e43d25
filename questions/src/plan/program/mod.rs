//! A program of the user's as a plan: it looks at the documents, asks about pieces of them, and what it asks next may
//! depend on what it was answered (design.md, sections 1 and 3).
//!
//! ```text
//!   thinking ─► a call ─► inquiries ─► their subtasks ─► verified ─► waiting … ─► every inquiry has its answer ─┐
//!    ▲  │                                 what could not be had, once nothing is open ─► missed ────────────────┤
//!    │  └─► ended: its answer, or why it has none                                                               │
//!    └───────────────────────────── the answers, or an error that it may catch ◄───────────────────────────────┘
//! ```
//!
//! The program runs elsewhere ([`Script`]), and a thread talks to it ([`thread`]): the run goes on meanwhile. A call
//! ([`call`]) is one inquiry or several ([`inquiry`]): a question and the fragments that it is about, answered as any
//! question over them is: by code where code can, or by subtasks like any other. Nothing that was asked before is asked
//! again. A program is told what is verified and nothing else, and it has neither clock nor chance: run again, it asks the
//! same, so a run that goes on runs its program from the beginning, over the answers that it knows. Answers are known by
//! what was asked of which text, never by their place in the order of calls.

mod account;
mod call;
mod inquiry;
mod keys;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests;
mod thread;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use account::ProgramAccount;
use frlm_protocol::one_line;
use frlm_scheduler::SubtaskId;
pub(super) use keys::key_of_asked;
use serde_json::{Map, Value};
use tokio::sync::Notify;

use self::call::{Asked, Wanted};
use self::inquiry::{Inquiry, Library, Open, Reading};
use self::thread::Conversation;
use super::{Contexts, Outcome, PlanError, PlanSource, Settled, Subtask};
use crate::ingest::Fragment;

/// Calls that one program may make.
pub const MOST_CALLS: u32 = 10_000;
/// Questions to fragments that it may ask in all.
pub const MOST_QUESTIONS: usize = 100_000;
/// Characters of a question that a note names.
const NAMED: usize = 120;

/// A function that a program calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its name.
    pub function: String,
    /// What is given in order; a fragment as its index.
    pub arguments: Vec<Value>,
    /// What is given by name.
    pub named: Map<String, Value>,
}

/// The functions that a program may call.
pub const FUNCTIONS: [&str; 3] = ["ask", "ask_each", "ask_all"];

/// What a call comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// It gives this.
    Gives(Value),
    /// It raises an error with these words, which the program may catch.
    Raises(String),
    /// The function does not take what it was given.
    Misused(String),
}

/// What a program does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// It calls a function, and waits.
    Calls(Call),
    /// It has ended, with this as its answer if it has one.
    Ended(Option<String>),
}

/// Why a program goes no further.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

/// A program that runs elsewhere. It has no clock and draws no lots: answered the same, it says the same.
pub trait Script: Send {
    /// Lets it go on, with the answer to its call where it made one, until it calls again or ends. Blocks as long as it
    /// computes, or until `stop` is set.
    fn go_on(&mut self, reply: Option<Reply>, stop: &AtomicBool) -> Result<Said, Broken>;
}

/// Where the program stands.
enum State {
    /// It has not begun.
    Asleep(Box<dyn Script>),
    /// It computes.
    Thinking(Conversation),
    /// It waits for answers.
    Waiting(Conversation, Waiting),
    /// It has ended.
    Ended,
}

/// A call whose answers are awaited.
struct Waiting {
    wanted: Wanted,
    /// In the order in which it asks.
    places: Vec<Place>,
    /// Places of which something new is known.
    due: BTreeSet<usize>,
    /// Places without their answer.
    left: usize,
}

/// Where the answer to an inquiry comes from.
enum Place {
    Open(Box<Open>),
    Read(Arc<Reading>),
    Missed,
}

/// Asks what a program asks.
pub struct ProgramPlan {
    state: State,
    library: Library,
    /// The number of the call that it waits for.
    calls: u32,
    /// Questions to fragments so far.
    questions: usize,
    /// Subtasks by what they ask.
    planned: HashMap<String, SubtaskId>,
    /// What was accepted, and how far it is believed.
    known: HashMap<u32, (Outcome, f64)>,
    /// Which places wait for a subtask.
    waited_for: HashMap<u32, Vec<usize>>,
    /// What was answered already.
    read: HashMap<Inquiry, Arc<Reading>>,
    /// The words of the last error that it was told of.
    raised: Option<String>,
    account: ProgramAccount,
    notes: Vec<String>,
}

impl std::fmt::Debug for ProgramPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgramPlan").field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl ProgramPlan {
    /// A plan that a program makes over these fragments. `text`: the program's, and what was asked of it: by what they
    /// speak of it is known how much is at stake.
    pub fn new(
        script: Box<dyn Script>,
        text: &str,
        fragments: Vec<Arc<Fragment>>,
        words_possible: bool,
    ) -> Self {
        Self {
            state: State::Asleep(script),
            library: Library::new(fragments, words_possible),
            calls: 0,
            questions: 0,
            planned: HashMap::new(),
            known: HashMap::new(),
            waited_for: HashMap::new(),
            read: HashMap::new(),
            raised: None,
            account: ProgramAccount::new(text),
            notes: Vec::new(),
        }
    }

    /// The same for readers who answer in words as one, if they are to: what is judged as a whole.
    #[must_use]
    pub fn as_one(mut self, as_one: bool) -> Self {
        self.library.as_one = as_one;
        self
    }

    fn hear(&mut self, verified: &[Settled<'_>]) {
        for settled in verified {
            self.known.insert(settled.id.0, (settled.outcome.clone(), settled.confidence));
            if let State::Waiting(_, waiting) = &mut self.state {
                for place in self.waited_for.get(&settled.id.0).into_iter().flatten() {
                    if let Place::Open(open) = &mut waiting.places[*place] {
                        open.tell_again(settled.id);
                        waiting.due.insert(*place);
                    }
                }
            }
        }
    }

    /// Takes up what the program has said.
    fn take_up(&mut self, said: Result<Said, Broken>, conversation: Conversation) -> Result<(), PlanError> {
        match said {
            Ok(Said::Calls(call)) => self.called(&call, conversation),
            Ok(Said::Ended(Some(answer))) => {
                self.account.answer = Some(answer);
                self.account.ended = true;
                self.state = State::Ended;
                Ok(())
            }
            Ok(Said::Ended(None)) => Err(PlanError::Program(
                "the program ended without an answer: end it with an expression, or set answer = … outside of any \
                 function"
                    .to_owned(),
            )),
            // An answer that could not be had, and that it did not catch: why is known of the subtasks.
            Err(Broken(why)) if self.raised.as_ref().is_some_and(|raised| why.trim_end().ends_with(raised)) => {
                self.notes.push("an answer is missing, and the program cannot continue without it".to_owned());
                self.account.ended = true;
                self.state = State::Ended;
                Ok(())
            }
            Err(Broken(why)) => Err(PlanError::Program(why)),
        }
    }

    fn called(&mut self, call: &Call, mut conversation: Conversation) -> Result<(), PlanError> {
        self.calls += 1;
        if self.calls > MOST_CALLS {
            return Err(PlanError::Program(format!(
                "the program was stopped: it called more than {MOST_CALLS} times"
            )));
        }
        let Asked { wanted, inquiries } = match call::read(call, self.library.len()) {
            Ok(asked) => asked,
            Err(words) => {
                conversation.reply(Reply::Misused(words));
                self.state = State::Thinking(conversation);
                return Ok(());
            }
        };
        let new = inquiries.iter().filter(|inquiry| !self.read.contains_key(*inquiry));
        self.questions += new.map(|inquiry| inquiry.fragments.len()).sum::<usize>();
        if self.questions > MOST_QUESTIONS {
            return Err(PlanError::Program(format!(
                "the program was stopped: it asks more than {MOST_QUESTIONS} questions of fragments"
            )));
        }
        self.note_call(call, &inquiries);
        let mut places = Vec::with_capacity(inquiries.len());
        for inquiry in inquiries {
            let place = match self.read.get(&inquiry) {
                Some(reading) => Place::Read(Arc::clone(reading)),
                None => match self.library.by_code(&inquiry) {
                    Some(reading) => {
                        let reading = Arc::new(reading);
                        self.account.by_code += inquiry.fragments.len();
                        self.account.has_read(&reading);
                        self.read.insert(inquiry, Arc::clone(&reading));
                        Place::Read(reading)
                    }
                    None => Place::Open(Box::new(self.library.open(inquiry))),
                },
            };
            places.push(place);
        }
        let open = |place: &Place| matches!(place, Place::Open(_));
        let left = places.iter().filter(|place| open(place)).count();
        let due = (0..places.len()).filter(|at| open(&places[*at])).collect();
        self.waited_for.clear();
        self.state = State::Waiting(conversation, Waiting { wanted, places, due, left });
        Ok(())
    }

    fn note_call(&mut self, call: &Call, inquiries: &[Inquiry]) {
        let Some(first) = inquiries.first() else { return };
        let question: String = one_line(&first.question).chars().take(NAMED).collect();
        let more = match inquiries.iter().filter(|inquiry| inquiry.question != first.question).count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let fragments = inquiries.iter().map(|inquiry| inquiry.fragments.len()).sum();
        let fragments = crate::reduce::sentence::counted(fragments, "fragment");
        let again = match inquiries.iter().filter(|inquiry| self.read.contains_key(*inquiry)).count() {
            0 => "",
            again if again == inquiries.len() => "; all of it was answered before",
            _ => "; some of it was answered before",
        };
        self.notes.push(format!(
            "call {}: {} \"{question}\"{more} of {fragments}{again}",
            self.calls, call.function
        ));
    }

    /// Lets open inquiries go on of which something new is known, and answers the program where all have their answer.
    fn go_on(
        &mut self,
        conversation: Conversation,
        mut waiting: Waiting,
        planned: &mut Vec<Subtask>,
        first_id: SubtaskId,
    ) -> Result<(), PlanError> {
        while let Some(at) = waiting.due.pop_first() {
            let Place::Open(open) = &mut waiting.places[at] else { continue };
            let mut reserve = |subtask: Subtask| {
                let key = subtask.key();
                let next = first_id.0 + u32::try_from(planned.len()).unwrap_or(u32::MAX);
                let id = *self.planned.entry(key).or_insert_with(|| {
                    planned.push(subtask);
                    SubtaskId(next)
                });
                self.waited_for.entry(id.0).or_default().push(at);
                id
            };
            let read = open.advance(self.calls, &self.known, &mut self.library, &mut reserve)?;
            if let Some(reading) = read {
                let reading = Arc::new(reading);
                self.account.has_read(&reading);
                self.account.rests_on(open.subtasks(), &self.known);
                self.read.insert(open.inquiry.clone(), Arc::clone(&reading));
                waiting.places[at] = Place::Read(reading);
                waiting.left -= 1;
            }
        }
        if waiting.left > 0 {
            self.state = State::Waiting(conversation, waiting);
        } else {
            self.answer(conversation, &waiting);
        }
        Ok(())
    }

    fn answer(&mut self, mut conversation: Conversation, waiting: &Waiting) {
        let values = waiting.places.iter().map(|place| match place {
            Place::Read(reading) => Some(reading.value.clone()),
            Place::Open(_) | Place::Missed => None,
        });
        let reply = waiting.wanted.reply(values.collect());
        self.raised = match &reply {
            Reply::Raises(words) => Some(words.clone()),
            Reply::Gives(_) | Reply::Misused(_) => None,
        };
        conversation.reply(reply);
        self.state = State::Thinking(conversation);
    }
}

impl PlanSource for ProgramPlan {
    fn next(&mut self, verified: &[Settled<'_>], first_id: SubtaskId) -> Result<Vec<Subtask>, PlanError> {
        self.hear(verified);
        let mut planned = Vec::new();
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Asleep(script) => self.state = State::Thinking(Conversation::begin(script)),
                State::Thinking(conversation) => {
                    let Some(said) = conversation.heard() else {
                        self.state = State::Thinking(conversation);
                        break;
                    };
                    self.take_up(said, conversation)?;
                }
                State::Waiting(conversation, waiting) => {
                    self.go_on(conversation, waiting, &mut planned, first_id)?;
                    if matches!(self.state, State::Waiting(..)) {
                        break;
                    }
                }
                State::Ended => break,
            }
        }
        Ok(planned)
    }

    fn may_combine(&self) -> bool {
        matches!(self.state, State::Waiting(..))
    }

    fn keep_within(&mut self, contexts: Contexts) {
        self.library.contexts = contexts;
        if let State::Waiting(_, waiting) = &mut self.state {
            for place in &mut waiting.places {
                if let Place::Open(open) = place {
                    open.keep_within(contexts);
                }
            }
        }
    }

    fn is_thinking(&self) -> bool {
        matches!(self.state, State::Thinking(_))
    }

    fn has_news(&self) -> bool {
        matches!(&self.state, State::Thinking(conversation) if conversation.has_news())
    }

    fn woken(&self) -> Option<Arc<Notify>> {
        match &self.state {
            State::Thinking(conversation) => Some(conversation.woken()),
            _ => None,
        }
    }

    fn go_without(&mut self) -> bool {
        let State::Waiting(conversation, mut waiting) = std::mem::replace(&mut self.state, State::Ended)
        else {
            return false;
        };
        for place in &mut waiting.places {
            if let Place::Open(open) = place {
                self.account.unmapped += open.unmapped();
                *place = Place::Missed;
            }
        }
        self.answer(conversation, &waiting);
        true
    }

    fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn program(&self) -> Option<&ProgramAccount> {
        Some(&self.account)
    }
}
