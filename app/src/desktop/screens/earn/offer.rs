//! Draws the offer: what is served, at which price, and how that price would be paid.

use egui::Ui;
use frlm_client::wallet::debts::CREDIT_LINES_OVERALL;
use lucide_icons::Icon;

use super::form::{Field, Form, Limits};
use super::state::{Action, Earn, PaymentSetup, Until};
use crate::desktop::command::{Command, Commands};
use crate::desktop::engine::clock;
use crate::desktop::engine::tray::Tray;
use crate::desktop::screens::{Screen, wallet};
use crate::desktop::state::State;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::counted;
use crate::desktop::widgets::{
    Button, Tone, card_ui, checkbox_ui, field_ui, heading, mark_ui, note_ui, one_line_ui, small, soft,
    tabs_ui, thousands,
};
use frlm_client::prices::Prices;

/// Width of a field for an hour.
const HOUR: f32 = 90.0;
/// Words beside a field stand where its text does.
const BESIDE: f32 = 27.0;

/// The form.
pub fn form_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    let form = &earn.form;
    card_ui(ui, |ui| {
        ui.label(heading("The offer"));
        let place = if form.relays.is_empty() {
            "Not announced anywhere yet".to_owned()
        } else {
            format!("Announced at {} while online", form.relays.join(", "))
        };
        ui.label(soft(ui, &format!("{place}. A job costs whole sats, rounded up.")));
        ui.add_space(space::XS);
        let width = (ui.available_width() - space::L) / 2.0;
        // Where those written have a price of their own, it stands below.
        let price = if earn.more_prices || form.says_more_of_prices() {
            "Sats per 1,000 tokens read; 0 is free"
        } else {
            "Sats per 1,000 tokens read or written; 0 is free"
        };
        let fields = [
            [
                (Field::Name, "Name in the directory", form.name.as_str(), "frlm provider"),
                (Field::Model, "Model", form.model.as_str(), "PATH.gguf, http://HOST/v1#NAME, or embedded"),
            ],
            [
                (Field::Price, price, form.price.as_str(), "0"),
                (Field::Queue, "Queue limit, all askers together", form.queue.as_str(), "64"),
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
        prices_ui(ui, earn, width, commands);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            let label = "Unpaid jobs per asker (0 = prepaid)";
            if let Some(text) = field_ui(ui, label, &form.pay_after, "0", width) {
                commands.push(Command::Earn(Action::Type(Field::PayAfter, text)));
            }
            ui.vertical(|ui| {
                ui.set_width(width);
                ui.add_space(BESIDE);
                ui.label(soft(ui, &at_risk(form)));
            });
        });
        let words = "Also take open jobs, which anyone at the relay can read";
        if let Some(open_jobs) = checkbox_ui(ui, words, form.open_jobs) {
            commands.push(Command::Earn(Action::OpenJobs(open_jobs)));
        }
        if form.is_served_elsewhere() {
            let words = "It does not pause for other programs: the model runs outside FRLM.";
            ui.label(soft(ui, words));
        } else if let Some(yields) =
            checkbox_ui(ui, "Pause while other programs need this machine", form.yields)
        {
            commands.push(Command::Earn(Action::Yields(yields)));
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
        hours_ui(ui, earn, commands);
        payment_setup_ui(ui, earn, commands);
        if form.model.trim() == "embedded" {
            let words = "The built-in model only extracts fields from logs and tables.";
            mark_ui(ui, Tone::Warn, Icon::TriangleAlert, words);
        }
    });
}

/// What else can be said of the price, where the user wants to or has.
fn prices_ui(ui: &mut Ui, earn: &Earn, width: f32, commands: &mut Commands) {
    let (form, said) = (&earn.form, earn.form.says_more_of_prices());
    if !said && !earn.more_prices {
        ui.horizontal(|ui| {
            if ui.add(Button::quiet("More about the price").icon(Icon::ChevronRight)).clicked() {
                commands.push(Command::Earn(Action::MorePrices(true)));
            }
            let words = "for tokens written, per job, at busy times, and free jobs";
            one_line_ui(ui, soft(ui, words));
        });
        return;
    }
    let rows = [
        [
            (Field::Written, "Sats per 1,000 tokens written", &form.written, "as for those read"),
            (Field::Minimum, "Minimum per job, in sats", &form.minimum, "0"),
        ],
        [
            (Field::Surge, "Surge price, in percent", &form.surge, "100"),
            (Field::SurgeFrom, "Surge starts at (jobs waiting or running)", &form.surge_from, "16"),
        ],
    ];
    for row in rows {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            for (field, label, value, hint) in row {
                if let Some(text) = field_ui(ui, label, value, hint, width) {
                    commands.push(Command::Earn(Action::Type(field, text)));
                }
            }
        });
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::L;
        let label = "Free jobs per asker and day";
        if let Some(text) = field_ui(ui, label, &form.free, "0", width) {
            commands.push(Command::Earn(Action::Type(Field::Free, text)));
        }
        ui.vertical(|ui| {
            ui.set_width(width);
            ui.add_space(BESIDE);
            ui.label(soft(ui, &asked(form)));
            if !said && ui.add(Button::quiet("One price is enough").icon(Icon::Minus)).clicked() {
                commands.push(Command::Earn(Action::MorePrices(false)));
            }
        });
    });
}

/// What a job costs, with digits as this window groups them.
pub fn in_words(prices: &Prices) -> String {
    prices.in_words()
}

/// The offer as it is announced.
fn asked(form: &Form) -> String {
    match form.limits() {
        Ok(Limits { prices, .. }) if prices.is_paid() => format!("Announced: {}.", in_words(&prices)),
        Ok(_) => "Announced: every job is free.".to_owned(),
        Err(why) => format!("Not announced: {why}."),
    }
}

/// Whether it serves at all hours, and at which it does.
fn hours_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    let form = &earn.form;
    if let Some(by_hours) = checkbox_ui(ui, "Serve at certain hours only", form.by_hours) {
        commands.push(Command::Earn(Action::ByHours(by_hours)));
    }
    if !form.by_hours {
        return;
    }
    ui.horizontal(|ui| {
        for (field, label, value) in
            [(Field::From, "From hour", &form.from), (Field::To, "To hour", &form.to)]
        {
            if let Some(text) = field_ui(ui, label, value, "22", HOUR) {
                commands.push(Command::Earn(Action::Type(field, text)));
            }
        }
        ui.vertical(|ui| {
            ui.add_space(BESIDE);
            let clock = match earn.offset {
                Some(offset) => format!("by this machine's clock, {}", clock::name(offset)),
                None => "in UTC: this system does not tell its time zone".to_owned(),
            };
            let words = match form.limits() {
                Ok(Limits { hours: Some(hours), .. }) => format!("Every day {}, {clock}", hours.words()),
                _ => clock,
            };
            ui.label(soft(ui, &words));
        });
    });
}

/// What working before being paid can cost.
fn at_risk(form: &Form) -> String {
    match form.limits() {
        Ok(Limits { prices: Prices { pay_after: jobs @ 1.., .. }, .. }) => format!(
            "Jobs done before they are paid, which can be lost: {} per asker, {} for all in a day.",
            counted(jobs as usize, "job"),
            thousands(jobs.saturating_mul(CREDIT_LINES_OVERALL).into())
        ),
        Ok(Limits { prices, .. }) if !prices.is_paid() => {
            "Without a price nothing is locked and nothing is owed.".to_owned()
        }
        _ => "The price is locked in escrow before the work.".to_owned(),
    }
}

/// Whether earning goes on while the window is closed, and what the desktop has to say to that.
pub fn background_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    ui.horizontal_wrapped(|ui| {
        let words = "Keep earning in the background when the window is closed";
        if let Some(background) = checkbox_ui(ui, words, state.background) {
            commands.push(Command::Background(background));
        }
        match &state.tray {
            Tray::Off => {}
            Tray::Asking => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "looking for a tray…")),
            Tray::There => {
                drop(mark_ui(ui, Tone::Good, Icon::CircleCheck, "the tray's icon brings the window back"));
            }
            Tray::Missing(why) => {
                ui.label(soft(ui, &format!("{why}. When you close the window, FRLM asks and then quits.")));
            }
        }
    });
}

/// How the price would be paid, or what is in its way and the button that helps.
fn payment_setup_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    let limits = match earn.form.limits() {
        Err(why) => return drop(note_ui(ui, Tone::Bad, Icon::CircleX, why)),
        Ok(limits) => limits,
    };
    if !limits.prices.is_paid() {
        return drop(mark_ui(ui, Tone::Plain, Icon::HandHeart, "Free: no sats move."));
    }
    let (tone, icon, words, button) = match &earn.payment_setup {
        PaymentSetup::Unknown => (Tone::Busy, Icon::LoaderCircle, "Opening the wallet…".to_owned(), None),
        PaymentSetup::NoWallet => {
            let words = "Without a wallet prices are announced, but no sats move.";
            (Tone::Warn, Icon::TriangleAlert, words.to_owned(), Some("Create a wallet"))
        }
        PaymentSetup::NoMint => {
            let words = "The wallet has no mint yet, so nobody can pay this price.";
            (Tone::Bad, Icon::CircleX, words.to_owned(), Some("Add a mint"))
        }
        PaymentSetup::Broken(why) => (Tone::Bad, Icon::CircleX, why.clone(), Some("Open the wallet screen")),
        PaymentSetup::Open(mints) => {
            let after = limits.prices.pay_after > 0;
            let how = if after { "after the verdict or through escrow" } else { "through escrow" };
            let words = format!("Paid {how} at {}", mints.join(", "));
            (Tone::Good, Icon::LockKeyhole, words, None)
        }
    };
    // Mints have long names, and there may be many of them.
    note_ui(ui, tone, icon, &words);
    if let Some(button) = button
        && ui.add(Button::new(button).icon(Icon::Wallet)).clicked()
    {
        commands.push(Command::Wallet(wallet::Action::Tab(wallet::Tab::Balance)));
        commands.push(Command::Go(Screen::Wallet));
    }
}
