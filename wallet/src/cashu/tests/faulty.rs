//! A mint behind a bad line: requests that fail, stall, arrive late, arrive twice, and answers that
//! get lost. The mint itself is real and honest; where a test wants a liar, its word on what is spent
//! is changed on the way.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Larger than any request of the tests.
const MOST_BYTES: usize = 4 << 20;

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is answered.
    None,
    /// Something before the mint fails.
    Broken,
    /// The mint's front door refuses it: too many requests.
    Refused,
    /// The mint does it; the answer is lost.
    Unanswered,
    /// Nobody answers, and it arrives later.
    Late,
    /// It arrives twice; the second answer counts.
    Twice,
    /// Everything that is late arrives before it.
    Overtaken,
    /// The mint is just signing what it is asked about (NUT-09), and names the second half of it alone.
    Halved,
}

/// A line whose faults follow from a seed.
#[derive(Clone)]
pub(crate) struct Line(Arc<Mutex<Inner>>);

#[expect(clippy::struct_excessive_bools, reason = "each is a fault of its own")]
struct Inner {
    random: StdRng,
    /// Of a hundred requests, so many meet a fault.
    faults_percent: u32,
    cut: bool,
    refuses: bool,
    /// Nobody answers anything; how often somebody was asked in vain.
    silent: bool,
    asked_in_vain: usize,
    /// What stands before the mint lets no longer lists through, and answers with this status.
    longest: Option<(usize, StatusCode)>,
    /// What the mint is made to say of every proof (NUT-07).
    says: Option<&'static str>,
    /// The mint describes itself without the time.
    describes_no_time: bool,
    /// What happens to the next requests whose path ends like this, where a test says so.
    script: HashMap<&'static str, VecDeque<Fault>>,
    late: Vec<(Request, Next)>,
    /// Requests that the mint is working on.
    at_mint: usize,
    met: usize,
}

impl Line {
    /// A line without faults until [`Line::set_faults`].
    pub fn seeded(seed: u64) -> Self {
        let random = StdRng::seed_from_u64(seed);
        let inner = Inner {
            random,
            faults_percent: 0,
            cut: false,
            refuses: false,
            silent: false,
            asked_in_vain: 0,
            longest: None,
            says: None,
            describes_no_time: false,
            script: HashMap::new(),
            late: Vec::new(),
            at_mint: 0,
            met: 0,
        };
        Self(Arc::new(Mutex::new(inner)))
    }

    /// Puts a mint behind the line.
    pub fn before(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), pass))
    }

    /// Of a hundred requests, so many meet a fault from now on.
    pub fn set_faults(&self, percent: u32) {
        let mut inner = self.0.lock().unwrap();
        (inner.faults_percent, inner.cut, inner.refuses, inner.silent) = (percent, false, false, false);
    }

    /// Nothing reaches the mint until [`Line::set_faults`].
    pub fn cut(&self) {
        self.0.lock().unwrap().cut = true;
    }

    /// Whatever reaches the mint is never answered, until [`Line::set_faults`].
    pub fn fall_silent(&self) {
        self.0.lock().unwrap().silent = true;
    }

    /// How many requests nobody has answered since the mint fell silent.
    pub fn asked_in_vain(&self) -> usize {
        self.0.lock().unwrap().asked_in_vain
    }

    /// The mint refuses every exchange until [`Line::set_faults`].
    pub fn refuse_exchanges(&self) {
        self.0.lock().unwrap().refuses = true;
    }

    /// What stands before the mint lets no lists through that are longer, and answers with this status; without a word of
    /// how long they may be.
    pub fn refuse_longer(&self, most: usize, status: StatusCode) {
        self.0.lock().unwrap().longest = Some((most, status));
    }

    /// From now on the mint says of every proof that it is in this state: `SPENT`, `UNSPENT`.
    pub fn lie_about_states(&self, state: &'static str) {
        self.0.lock().unwrap().says = Some(state);
    }

    /// From now on the mint leaves the time out when it describes itself (NUT-06).
    pub fn describe_no_time(&self) {
        self.0.lock().unwrap().describes_no_time = true;
    }

    /// What happens to the next requests of one kind: `swap`, `restore`, `checkstate`.
    pub fn script(&self, kind: &'static str, faults: impl IntoIterator<Item = Fault>) {
        self.0.lock().unwrap().script.insert(kind, faults.into_iter().collect());
    }

    /// How many requests have met a fault.
    pub fn faults_met(&self) -> usize {
        self.0.lock().unwrap().met
    }

    /// Delivers one request whose sender has long given up; whether there was one.
    pub async fn deliver_late(&self) -> bool {
        let next = {
            let mut inner = self.0.lock().unwrap();
            if inner.late.is_empty() {
                return false;
            }
            let count = inner.late.len();
            let index = inner.random.random_range(0..count);
            inner.late.swap_remove(index)
        };
        self.finish(next.0, next.1).await;
        true
    }

    /// Waits until a request is on its way that nobody has answered.
    pub async fn holds_late(&self) {
        while self.0.lock().unwrap().late.is_empty() {
            tokio::task::yield_now().await;
        }
    }

    /// Waits until the mint has finished what it has begun, also for those who have given up.
    pub async fn quiet(&self) {
        while self.0.lock().unwrap().at_mint > 0 {
            tokio::task::yield_now().await;
        }
    }

    /// Nothing that is late ever arrives.
    pub fn lose_late(&self) {
        self.0.lock().unwrap().late.clear();
    }

    /// The mint finishes what it has begun, whether or not somebody still listens.
    async fn finish(&self, request: Request, next: Next) -> Response {
        self.0.lock().unwrap().at_mint += 1;
        let line = self.clone();
        let working = tokio::spawn(async move {
            let answer = next.run(request).await;
            line.0.lock().unwrap().at_mint -= 1;
            answer
        });
        working.await.unwrap()
    }

    fn is_asked_in_vain(&self) -> bool {
        let mut inner = self.0.lock().unwrap();
        inner.asked_in_vain += usize::from(inner.silent);
        inner.silent
    }

    fn draw(&self, path: &str) -> Fault {
        let mut inner = self.0.lock().unwrap();
        let kind = path.rsplit('/').next().unwrap_or_default();
        if let Some(fault) = inner.script.get_mut(kind).and_then(VecDeque::pop_front) {
            return fault;
        }
        if inner.cut {
            return Fault::Broken;
        }
        if inner.refuses && kind == "swap" {
            return Fault::Refused;
        }
        if inner.random.random_range(0..100) >= inner.faults_percent {
            return Fault::None;
        }
        inner.met += 1;
        match inner.random.random_range(0..5) {
            0 => Fault::Broken,
            1 => Fault::Refused,
            2 => Fault::Unanswered,
            3 => Fault::Late,
            _ => Fault::Twice,
        }
    }
}

async fn pass(State(line): State<Line>, request: Request, next: Next) -> Response {
    if line.is_asked_in_vain() {
        return std::future::pending().await;
    }
    let longest = line.0.lock().unwrap().longest;
    let request = match longest {
        Some((most, status)) => {
            let (kept, seen) = copy(request).await;
            if longest_list(seen).await > most {
                return (status, "no").into_response();
            }
            kept
        }
        None => request,
    };
    let says = line.0.lock().unwrap().says.filter(|_| request.uri().path().ends_with("/checkstate"));
    if let Some(state) = says {
        return rewritten(line.finish(request, next).await, |said| {
            for proof in said["states"].as_array_mut().unwrap() {
                proof["state"] = state.into();
            }
        })
        .await;
    }
    let is_described = request.method() == Method::GET && request.uri().path().ends_with("/info");
    if is_described && line.0.lock().unwrap().describes_no_time {
        return rewritten(line.finish(request, next).await, |said| {
            said.as_object_mut().unwrap().remove("time");
        })
        .await;
    }
    match line.draw(request.uri().path()) {
        Fault::None => line.finish(request, next).await,
        Fault::Broken => (StatusCode::BAD_GATEWAY, "no mint here").into_response(),
        Fault::Refused => (StatusCode::TOO_MANY_REQUESTS, "later").into_response(),
        Fault::Unanswered => {
            line.finish(request, next).await;
            std::future::pending().await
        }
        Fault::Late => {
            let (kept, _) = copy(request).await;
            line.0.lock().unwrap().late.push((kept, next));
            std::future::pending().await
        }
        Fault::Twice => {
            let (first, second) = copy(request).await;
            line.finish(first, next.clone()).await;
            line.finish(second, next).await
        }
        Fault::Halved => {
            rewritten(line.finish(request, next).await, |said| {
                for list in ["outputs", "signatures"] {
                    let list = said[list].as_array_mut().unwrap();
                    list.drain(..list.len() / 2);
                }
            })
            .await
        }
        Fault::Overtaken => {
            while line.deliver_late().await {}
            line.finish(request, next).await
        }
    }
}

/// How long the longest list in a request is.
async fn longest_list(request: Request) -> usize {
    let body = to_bytes(request.into_body(), MOST_BYTES).await.unwrap();
    let asked: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    let lists = asked.as_object().into_iter().flat_map(|fields| fields.values());
    lists.filter_map(|field| field.as_array()).map(Vec::len).max().unwrap_or(0)
}

/// The mint's answer with something else in it.
async fn rewritten(answer: Response, rewrite: impl FnOnce(&mut serde_json::Value)) -> Response {
    let (mut parts, body) = answer.into_parts();
    let mut said: serde_json::Value =
        serde_json::from_slice(&to_bytes(body, MOST_BYTES).await.unwrap()).unwrap();
    rewrite(&mut said);
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(said.to_string()))
}

async fn copy(request: Request) -> (Request, Request) {
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, MOST_BYTES).await.unwrap_or_default();
    let again = Request::from_parts(parts.clone(), Body::from(bytes.clone()));
    (Request::from_parts(parts, Body::from(bytes)), again)
}
