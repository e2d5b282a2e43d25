//! What a frame of the run screen costs, without a display.
//!
//! The traces are simulated (`frlm_client::testing_traces`); everything after them is the app's own:
//! the store, the reader, the fold, the views, egui's layout and tessellation. Frame times are the
//! thread's own processor time, so that other programs on the machine do not count; what the GPU
//! would do with the triangles is not in them.

use std::time::{Duration, Instant};

use egui::{Context, Event as Input, Modifiers, MouseWheelUnit, RawInput, Rect, pos2, vec2};
use frlm_client::conductor::store::{NewRun, RunState, Store};
use frlm_client::conductor::trace::TraceRecord;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::desktop::app::Desktop;
use crate::desktop::command::Command;
use crate::desktop::engine::{Engine, Event};
use crate::desktop::screens::{Screen, run};
use crate::desktop::widgets::Unit;
use frlm_client::home::Home;
use frlm_client::testing_traces::Recipe;

const ID: &str = "5e1f0c9a7b3d2468";
/// Frames per measurement.
const FRAMES: usize = 600;
/// 2,000 events a second at 60 frames a second.
const ARRIVING_PER_FRAME: usize = 34;
/// A frame at 60 per second.
const FRAME: Duration = Duration::from_micros(16_667);

/// Measures and prints the table; `quick`: over a tenth of the events.
pub fn run(quick: bool) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    measure(quick, runtime.handle())
}

fn measure(quick: bool, handle: &Handle) -> anyhow::Result<()> {
    let scale = if quick { 10 } else { 1 };
    let (short, long) = (100_000 / scale, 1_000_000 / scale);
    println!("simulated runs; processor time per frame, 1280×800, in ms      p50    p99    max  must reach");
    steady(short);
    arriving(short);
    recorded(long, handle)?;
    println!("memory now {} MiB", resident_mib().map_or("?".to_owned(), |mib| mib.to_string()));
    Ok(())
}

/// The window without a display.
struct Window {
    ctx: Context,
    desktop: Desktop,
    frame: u64,
}

impl Window {
    fn new(engine: Option<Engine>, inbox: mpsc::Receiver<Event>) -> Self {
        let ctx = Context::default();
        let desktop = Desktop::new(&ctx, engine, inbox);
        let mut window = Self { ctx, desktop, frame: 0 };
        let ctx = window.ctx.clone();
        window.desktop.perform(&ctx, &Command::Go(Screen::Run));
        window
    }

    /// One frame with a turn of the wheel over the lanes; its processor time in nanoseconds.
    fn frame(&mut self, scroll: f32) -> u64 {
        self.frame += 1;
        let over_lanes = pos2(500.0, 550.0);
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(1_280.0, 800.0))),
            time: Some(self.frame as f64 / 60.0),
            events: vec![
                Input::PointerMoved(over_lanes),
                Input::MouseWheel {
                    unit: MouseWheelUnit::Point,
                    delta: vec2(0.0, scroll),
                    phase: egui::TouchPhase::Move,
                    source: egui::MouseWheelSource::Unknown,
                    modifiers: Modifiers::NONE,
                },
            ],
            ..RawInput::default()
        };
        let began = processor_nanos();
        let Self { ctx, desktop, .. } = self;
        desktop.fold(ctx);
        let output = ctx.run_ui(input, |ui| desktop.draw(ui));
        let triangles = ctx.tessellate(output.shapes, output.pixels_per_point);
        let took = processor_nanos() - began;
        drop(triangles);
        took
    }

    fn frames(&mut self, count: usize, mut before: impl FnMut(usize)) -> Vec<u64> {
        // Fonts and first layouts are not steady state.
        for _ in 0..30 {
            self.frame(0.0);
        }
        (0..count)
            .map(|number| {
                before(number);
                let back = number / 100 % 2 == 1;
                self.frame(if back { 240.0 } else { -240.0 })
            })
            .collect()
    }
}

fn deliver(sender: &mpsc::Sender<Event>, records: Vec<TraceRecord>) {
    // The channel is as large as what is delivered before the window takes it up.
    let _ = sender.try_send(Event::Run(run::Event::Records { id: ID.to_owned(), records }));
}

fn opened(events: usize) -> (Window, mpsc::Sender<Event>, Vec<TraceRecord>) {
    let records = Recipe::long(events);
    let (sender, inbox) = mpsc::channel(4_096);
    let _ =
        sender.try_send(Event::Run(run::Event::Opened { id: ID.to_owned(), live: true, unit: Unit::Sats }));
    (Window::new(None, inbox), sender, records)
}

fn steady(events: usize) {
    let (mut window, sender, records) = opened(events);
    for batch in records.chunks(1_024) {
        deliver(&sender, batch.to_vec());
    }
    while window.desktop.state().run.events.len() < events {
        window.frame(0.0);
    }
    let times = window.frames(FRAMES, |_| {});
    row(&format!("scrolling through {events} events"), times, "p99 ≤ 8");
}

fn arriving(events: usize) {
    let (mut window, sender, records) = opened(events);
    let first = events - (FRAMES * ARRIVING_PER_FRAME).min(events / 2);
    for batch in records[..first].chunks(1_024) {
        deliver(&sender, batch.to_vec());
    }
    while window.desktop.state().run.events.len() < first {
        window.frame(0.0);
    }
    let mut rest = records[first..].chunks(ARRIVING_PER_FRAME);
    let times = window.frames(FRAMES, |_| {
        if let Some(batch) = rest.next() {
            deliver(&sender, batch.to_vec());
        }
    });
    row(&format!("the same while 2,000 events/s arrive, to {events}"), times, "p99 ≤ 8");
}

/// Opens a recorded run from a store, as the app does.
fn recorded(events: usize, handle: &Handle) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let home = Home::open(Some(folder.path().to_owned()))?;
    handle.block_on(record(&home, events))?;
    let before = resident_mib();
    let (engine, inbox) = Engine::new(home, handle.clone(), || {});
    let mut window = Window::new(Some(engine), inbox);
    let (began, processor) = (Instant::now(), process_nanos());
    let ctx = window.ctx.clone();
    window.desktop.perform(&ctx, &Command::Run(run::Action::Open(ID.to_owned())));
    let (mut first, mut times) = (None, Vec::new());
    while window.desktop.state().run.events.len() < events {
        let frame = Instant::now();
        times.push(window.frame(0.0));
        if first.is_none() && !window.desktop.state().run.events.is_empty() {
            first = Some(began.elapsed());
        }
        std::thread::sleep(FRAME.saturating_sub(frame.elapsed()));
        anyhow::ensure!(
            began.elapsed() < Duration::from_mins(2),
            "the trace was not folded within two minutes"
        );
    }
    let (all_after, processor) = (began.elapsed(), process_nanos() - processor);
    row(&format!("while a recorded run of {events} events is read"), times, "");
    let times = window.frames(FRAMES, |_| {});
    row(&format!("scrolling through {events} events"), times, "p99 ≤ 8");
    let first = first.unwrap_or_default();
    println!("{:62}{:.2} s, must reach ≤ 2 s", "its first frame with events after", first.as_secs_f64());
    println!(
        "{:62}{:.2} s, must reach ≤ 10 s (processor time of reader and window: {:.2} s)",
        "folded after",
        all_after.as_secs_f64(),
        processor as f64 / 1e9
    );
    if let (Some(before), Some(after)) = (before, resident_mib()) {
        println!("{:62}{} MiB", "memory it takes", after.saturating_sub(before));
    }
    window.desktop.shut_down();
    Ok(())
}

async fn record(home: &Home, events: usize) -> anyhow::Result<()> {
    let store = Store::open(&home.store())?;
    store
        .begin(NewRun {
            id: ID.to_owned(),
            started_at_ms: 0,
            question: "simulated".to_owned(),
            request: serde_json::Value::Null,
            secret_key: String::new(),
        })
        .await?;
    for batch in Recipe::long(events).chunks(4_096) {
        store.append(ID, batch.to_vec()).await?;
    }
    store.set_state(ID, RunState::Done).await?;
    Ok(())
}

fn row(what: &str, mut times: Vec<u64>, must_reach: &str) {
    times.sort_unstable();
    let at = |share: usize| {
        let position = times.len().saturating_sub(1) * share / 100;
        times.get(position).copied().unwrap_or(0) as f64 / 1e6
    };
    println!("{what:62}{:6.2} {:6.2} {:6.2}  {must_reach}", at(50), at(99), at(100));
}

/// Processor time of this thread, in nanoseconds.
#[cfg(unix)]
fn processor_nanos() -> u64 {
    nanos_of(rustix::time::ClockId::ThreadCPUTime)
}

/// Processor time of the whole process, in nanoseconds.
#[cfg(unix)]
fn process_nanos() -> u64 {
    nanos_of(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn nanos_of(clock: rustix::time::ClockId) -> u64 {
    let time = rustix::time::clock_gettime(clock);
    let part = |part: i64| u64::try_from(part).unwrap_or(0);
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

/// Where the system does not count per thread, the clock on the wall must do.
#[cfg(not(unix))]
fn processor_nanos() -> u64 {
    static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(BEGAN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
fn process_nanos() -> u64 {
    processor_nanos()
}

/// Memory of this process, in MiB; Linux tells in /proc.
fn resident_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1_024)
}
