//! Draws the earn screen.

use egui::Ui;
use lucide_icons::Icon;

use super::jobs::{Fate, Job};
use super::state::{Action, Earn, Field, Form, Status, Until};
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::{lasting, short};
use crate::desktop::widgets::{
    Banner, Button, Cell, Column, Row, Tone, amount, badge_ui, card_ui, column_ui, field_ui, figure_ui,
    heading, mark_ui, name, one_line_ui, small, soft, table_ui, tabs_ui, thousands, title_ui,
};

const COLUMNS: [Column; 6] = [
    Column::fixed("Job", 100.0),
    Column::fixed("Asked by", 110.0),
    Column::figures("Prompts", 80.0),
    Column::figures("Tokens", 90.0),
    Column::figures("Took", 100.0),
    Column::rest("What became of it"),
];

pub fn earn_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let earn = &state.earn;
    column_ui(ui, size::CONTENT, |ui| {
        ui.add_space(space::XL);
        let subtitle = "This machine answers other people's jobs with your model, under your limits.";
        title_ui(ui, "Earn", subtitle, |ui| switches_ui(ui, earn, commands));
        ui.add_space(space::M);
        status_ui(ui, earn, commands);
        if earn.can_start() {
            if earn.form.relays.is_empty() {
                no_relay_ui(ui, state, commands);
            }
            form_ui(ui, earn, commands);
            if earn.jobs.len() == 0 {
                return;
            }
        } else if matches!(earn.status, Status::On { .. } | Status::Stopping) {
            figures_ui(ui, earn);
            why_ui(ui, earn);
        }
        ui.add_space(space::S);
        jobs_ui(ui, earn);
    });
}

fn switches_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    let mut push = |action| commands.push(Command::Earn(action));
    match &earn.status {
        Status::Off | Status::Failed(_) => {
            let limits = earn.form.limits();
            let ready = limits.is_ok() && !earn.form.relays.is_empty();
            let mut button = Button::primary("Go online").icon(Icon::Radio).enabled(ready);
            if let Err(why) = limits {
                button = button.hint(why);
            } else if !ready {
                button = button.hint("name a relay first");
            }
            if ui.add(button).clicked() {
                push(Action::Start);
            }
        }
        Status::Paused { .. } => {
            if ui.add(Button::primary("Go on now").icon(Icon::Play)).clicked() {
                push(Action::Start);
            }
            if ui.add(Button::new("Go offline").icon(Icon::PowerOff)).clicked() {
                push(Action::Stop);
            }
        }
        Status::Starting => {
            ui.add(Button::primary("Going online…").icon(Icon::LoaderCircle).enabled(false));
        }
        Status::On { .. } => {
            let hint = "running jobs finish, those that wait are refused";
            if ui.add(Button::new("Go offline").icon(Icon::PowerOff).hint(hint)).clicked() {
                push(Action::Stop);
            }
            let pauses = [(15, "Pause 15 min"), (60, "Pause 1 h")];
            for (minutes, word) in pauses {
                let hint = "for when you need the machine; it goes on by itself";
                if ui.add(Button::new(word).icon(Icon::Pause).hint(hint)).clicked() {
                    push(Action::Pause(minutes));
                }
            }
        }
        Status::Stopping => {
            let hint = "drops running jobs and tells their askers";
            if ui.add(Button::danger("Stop at once").icon(Icon::OctagonX).hint(hint)).clicked() {
                push(Action::StopNow);
            }
        }
    }
}

fn status_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    match &earn.status {
        Status::Off => {}
        Status::Starting => {
            drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Loading the model and connecting…"));
        }
        Status::Stopping => {
            let safe = "Running jobs finish, those that wait are refused with a word to whoever asked.";
            Banner { tone: Tone::Busy, what: "Going offline", safe }.show(ui, |_| {});
        }
        Status::Paused { minutes } => {
            let safe =
                format!("It goes online again by itself after {minutes} minutes, with the same offer.");
            Banner { tone: Tone::Warn, what: "Paused", safe: &safe }.show(ui, |_| {});
        }
        Status::Failed(why) => {
            let safe = format!("{why}. No job was taken, and nothing was promised to anybody.");
            Banner { tone: Tone::Bad, what: "This machine does not serve", safe: &safe }.show(ui, |ui| {
                if ui.add(Button::new("Change the relays").icon(Icon::Settings)).clicked() {
                    commands.push(Command::Go(Screen::Settings));
                }
                if ui.add(Button::new("Look at the models").icon(Icon::Cpu)).clicked() {
                    commands.push(Command::Go(Screen::Models));
                }
            });
        }
        Status::On { key, model, at_once, .. } => on_ui(ui, earn, (key, model, *at_once)),
    }
}

fn on_ui(ui: &mut Ui, earn: &Earn, (key, model, at_once): (&str, &str, u64)) {
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            badge_ui(ui, Tone::Good, Icon::Radio, "online");
            ui.label(name(&earn.form.name));
            let price = match earn.form.limits() {
                Ok(limits) if limits.price_sats_per_1k > 0 => {
                    format!("{} per 1,000 tokens", amount(limits.price_sats_per_1k))
                }
                _ => "for free".to_owned(),
            };
            let words = format!("serves {model}, {} at once, {price}", thousands(at_once));
            ui.label(soft(ui, &words));
        });
        ui.horizontal(|ui| {
            ui.label(small(ui, "Key"));
            one_line_ui(ui, egui::RichText::new(key).monospace());
        });
        for relay in &earn.relays {
            ui.horizontal(|ui| {
                let (tone, icon, word) = if relay.online {
                    (Tone::Good, Icon::CircleCheck, "online")
                } else {
                    (Tone::Warn, Icon::CircleX, "not there")
                };
                mark_ui(ui, tone, icon, word);
                ui.label(egui::RichText::new(&relay.address).monospace());
                if !relay.words.is_empty() {
                    one_line_ui(ui, soft(ui, &relay.words));
                }
            });
        }
    });
    ui.add_space(space::S);
}

fn no_relay_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let safe = "Jobs come through a relay, and none is contacted without your consent.";
    Banner { tone: Tone::Warn, what: "No relay is named", safe }.show(ui, |ui| {
        if ui.add(Button::new("Name a relay").icon(Icon::Settings)).clicked() {
            commands.push(Command::Go(Screen::Settings));
        }
        if state.swarm.can_start()
            && ui.add(Button::new("Start the local swarm").icon(Icon::Network)).clicked()
        {
            commands.push(Command::StartLocalSwarm);
        }
    });
}

fn form_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    let form = &earn.form;
    card_ui(ui, |ui| {
        ui.label(heading("The offer"));
        let relays = if form.relays.is_empty() { "no relay yet".to_owned() } else { form.relays.join(", ") };
        ui.label(soft(
            ui,
            &format!("Announced at {relays}. Prices are quoted whole sats per job, rounded up."),
        ));
        ui.add_space(space::XS);
        let width = (ui.available_width() - space::L) / 2.0;
        let fields = [
            [
                (Field::Name, "Name in the directory", form.name.as_str(), "frlm provider"),
                (Field::Model, "Model", form.model.as_str(), "PATH.gguf, http://HOST/v1#NAME, or embedded"),
            ],
            [
                (Field::Price, "Price in sats per 1,000 tokens; 0 is free", form.price.as_str(), "0"),
                (Field::Queue, "Jobs that may wait, all askers together", form.queue.as_str(), "64"),
            ],
        ];
        for row in fields {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = space::L;
                for (field, label, value, hint) in row {
                    if let Some(text) = field_ui(ui, label, value, hint, width) {
                        commands.push(Command::Earn(Action::Type(field, text)));
                    }
                }
            });
        }
        let mut open_jobs = form.open_jobs;
        if ui.checkbox(&mut open_jobs, "Also take open jobs, which anyone at the relay can read").changed() {
            commands.push(Command::Earn(Action::OpenJobs(open_jobs)));
        }
        ui.horizontal(|ui| {
            ui.label(small(ui, "Serve"));
            let tabs = [
                (Until::Stopped, "until I stop it"),
                (Until::Hours(1), "for 1 hour"),
                (Until::Hours(4), "for 4 hours"),
                (Until::Hours(12), "for 12 hours"),
            ];
            if let Some(until) = tabs_ui(ui, &tabs, earn.until) {
                commands.push(Command::Earn(Action::Until(until)));
            }
        });
        problem_ui(ui, form);
        if form.model.trim() == "embedded" {
            let words = "The built-in model copies fields out of records and can do nothing else.";
            mark_ui(ui, Tone::Warn, Icon::TriangleAlert, words);
        }
    });
}

fn problem_ui(ui: &mut Ui, form: &Form) {
    match form.limits() {
        Err(why) => drop(mark_ui(ui, Tone::Bad, Icon::CircleX, why)),
        Ok(limits) if limits.price_sats_per_1k > 0 => {
            let words = "This window serves without pay: prices are quoted and counted, no sats move. Paid: frlm provide.";
            mark_ui(ui, Tone::Warn, Icon::TriangleAlert, words);
        }
        Ok(_) => {}
    }
}

fn figures_ui(ui: &mut Ui, earn: &Earn) {
    let stats = &earn.stats;
    card_ui(ui, |ui| {
        ui.columns(5, |columns| {
            let tokens = stats.prompt_tokens + stats.completion_tokens;
            let about = format!("{} tokens", thousands(tokens));
            figure_ui(&mut columns[0], "Answered", &thousands(stats.finished), &about);
            let about = format!("{} wait, {} run", stats.queued, stats.running);
            figure_ui(
                &mut columns[1],
                "Under way",
                &thousands((stats.queued + stats.running) as u64),
                &about,
            );
            figure_ui(&mut columns[2], "Refused", &thousands(stats.refused), "reasons stand below");
            let about = format!("{} taken back", thousands(stats.cancelled));
            figure_ui(&mut columns[3], "Failed", &thousands(stats.failed), &about);
            figure_ui(
                &mut columns[4],
                "Asked for",
                &amount(stats.asked_msats / 1_000),
                "quoted, not paid yet",
            );
        });
    });
}

fn why_ui(ui: &mut Ui, earn: &Earn) {
    let reasons = earn.why_no_jobs();
    if reasons.is_empty() {
        return;
    }
    ui.add_space(space::S);
    card_ui(ui, |ui| {
        ui.label(heading("Why there are no jobs"));
        for reason in reasons.iter().take(8) {
            ui.label(soft(ui, &format!("•  {reason}")));
        }
    });
}

fn jobs_ui(ui: &mut Ui, earn: &Earn) {
    if earn.jobs.len() == 0 {
        return;
    }
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(heading("Jobs, newest first"));
            if let Some((why, count)) = &earn.jobs.ignored {
                let words = format!("{} events were no job for us, the last: {why}", thousands(*count));
                one_line_ui(ui, soft(ui, &words));
            }
            if earn.missed > 0 {
                ui.label(soft(ui, &format!("{} reports not shown", thousands(earn.missed))));
            }
        });
        let height = (ui.available_height() - space::XXL).max(140.0);
        ui.set_min_height(height);
        let row = |position: usize| {
            let cells = earn.jobs.get(position).map_or_else(Vec::new, job_cells);
            Row { chosen: false, cells }
        };
        table_ui(ui, "jobs", &COLUMNS, height - 40.0, earn.jobs.len(), row);
    });
}

fn job_cells(job: &Job) -> Vec<Cell> {
    let figure = |number: u64| if number == 0 { "–".to_owned() } else { thousands(number) };
    let took = if job.took_ms == 0 { "–".to_owned() } else { lasting(job.took_ms) };
    let asker = if job.asker.is_empty() { "–" } else { short(&job.asker) };
    let (tone, icon, words) = match &job.fate {
        Fate::Waiting => (Tone::Plain, Icon::Clock, "waits".to_owned()),
        Fate::Working => (Tone::Busy, Icon::LoaderCircle, "in the engine".to_owned()),
        Fate::Answered => (Tone::Busy, Icon::Send, "answered, the result is on its way".to_owned()),
        Fate::Delivered => (Tone::Good, Icon::CircleCheck, "answered and delivered".to_owned()),
        Fate::Refused(why) => (Tone::Warn, Icon::Ban, format!("refused: {why}")),
        Fate::Failed(why) => (Tone::Bad, Icon::CircleX, format!("failed: {why}")),
        Fate::Cancelled => (Tone::Plain, Icon::Undo2, "taken back".to_owned()),
        Fate::Undelivered(why) => (Tone::Bad, Icon::CloudOff, format!("nobody took the result: {why}")),
    };
    vec![
        Cell::mono(short(&job.id)),
        Cell::mono(asker),
        Cell::text(figure(job.prompts as u64)),
        Cell::text(figure(job.tokens)),
        Cell::text(took),
        Cell::mark(tone, icon, words),
    ]
}
