//! Draws the offer: what is served, at which price, and how that price would be paid.

use egui::Ui;
use frlm_client::wallet::debts::CREDIT_LINES_OVERALL;
use lucide_icons::Icon;

use super::form::{Field, Form, Limits};
use super::state::{Action, Earn, PaymentSetup, Until};
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::engine::clock;
use crate::desktop::engine::tray::Tray;
use crate::desktop::screens::{Screen, wallet};
use crate::desktop::state::State;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Button, Tone, busy_ui, card_ui, checkbox_ui, field_ui, heading, mark_ui, note_ui, one_line_ui, small,
    soft, tabs_ui,
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
        ui.label(heading(words::OFFER));
        let place = if form.relays.is_empty() {
            words::NOT_ANNOUNCED.to_owned()
        } else {
            words::announced_at(&form.relays.join(", "))
        };
        ui.label(soft(ui, &words::whole_sats(&place)));
        ui.add_space(space::XS);
        let width = (ui.available_width() - space::L) / 2.0;
        // Where those written have a price of their own, it stands below.
        let price = if earn.more_prices || form.says_more_of_prices() {
            words::PRICE_READ
        } else {
            words::PRICE_BOTH
        };
        let fields = [
            [
                (Field::Name, words::NAME, form.name.as_str(), words::NAME_EXAMPLE),
                (Field::Model, words::MODEL, form.model.as_str(), words::MODEL_EXAMPLE),
            ],
            [
                (Field::Price, price, form.price.as_str(), "0"),
                (Field::Queue, words::QUEUE, form.queue.as_str(), "64"),
            ],
        ];
        for row in fields {
            row_ui(ui, row, width, commands);
        }
        prices_ui(ui, earn, width, commands);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            let typed = field_ui(ui, words::UNPAID, &form.pay_after, "0", width);
            commands.extend(typed.map(|text| Action::Type(Field::PayAfter, text)));
            ui.vertical(|ui| {
                ui.set_width(width);
                ui.add_space(BESIDE);
                ui.label(soft(ui, &at_risk(form)));
            });
        });
        commands.extend(checkbox_ui(ui, words::OPEN_JOBS, form.open_jobs).map(Action::OpenJobs));
        if form.is_served_elsewhere() {
            ui.label(soft(ui, words::NO_YIELD));
        } else {
            commands.extend(checkbox_ui(ui, words::YIELD, form.yields).map(Action::Yields));
        }
        ui.horizontal(|ui| {
            ui.label(small(ui, words::SERVE));
            let tabs = [
                (Until::Stopped, words::UNTIL_STOPPED),
                (Until::Hours(1), words::FOR_1_HOUR),
                (Until::Hours(4), words::FOR_4_HOURS),
                (Until::Hours(12), words::FOR_12_HOURS),
            ];
            commands.extend(tabs_ui(ui, &tabs, earn.until).map(Action::Until));
        });
        hours_ui(ui, earn, commands);
        payment_setup_ui(ui, earn, commands);
        if form.model.trim() == "embedded" {
            mark_ui(ui, Tone::Warn, Icon::TriangleAlert, words::EMBEDDED);
        }
    });
}

/// Two fields with their labels, what is typed into them, and what could be.
fn row_ui(ui: &mut Ui, row: [(Field, &str, &str, &str); 2], width: f32, commands: &mut Commands) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::L;
        for (field, label, value, hint) in row {
            let typed = field_ui(ui, label, value, hint, width);
            commands.extend(typed.map(|text| Action::Type(field, text)));
        }
    });
}

/// What else can be said of the price, where the user wants to or has.
fn prices_ui(ui: &mut Ui, earn: &Earn, width: f32, commands: &mut Commands) {
    let (form, said) = (&earn.form, earn.form.says_more_of_prices());
    if !said && !earn.more_prices {
        ui.horizontal(|ui| {
            let button = Button::quiet(words::MORE_PRICES).icon(Icon::ChevronRight);
            button.show(ui, commands, Action::MorePrices(true));
            one_line_ui(ui, soft(ui, words::MORE_PRICES_ABOUT));
        });
        return;
    }
    let rows = [
        [
            (Field::Written, words::WRITTEN, form.written.as_str(), words::WRITTEN_EXAMPLE),
            (Field::Minimum, words::MINIMUM, form.minimum.as_str(), "0"),
        ],
        [
            (Field::Surge, words::SURGE, form.surge.as_str(), "100"),
            (Field::SurgeFrom, words::SURGE_FROM, form.surge_from.as_str(), "16"),
        ],
    ];
    for row in rows {
        row_ui(ui, row, width, commands);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::L;
        let typed = field_ui(ui, words::FREE_JOBS, &form.free, "0", width);
        commands.extend(typed.map(|text| Action::Type(Field::Free, text)));
        ui.vertical(|ui| {
            ui.set_width(width);
            ui.add_space(BESIDE);
            ui.label(soft(ui, &asked(form)));
            if !said && ui.add(Button::quiet(words::ONE_PRICE).icon(Icon::Minus)).clicked() {
                commands.push(Action::MorePrices(false));
            }
        });
    });
}

/// The offer as it is announced.
fn asked(form: &Form) -> String {
    match form.limits() {
        Ok(Limits { prices, .. }) if prices.is_paid() => words::announced(&prices.in_words()),
        Ok(_) => words::ANNOUNCED_FREE.to_owned(),
        Err(why) => words::not_announced(why),
    }
}

/// Whether it serves at all hours, and at which it does.
fn hours_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    let form = &earn.form;
    commands.extend(checkbox_ui(ui, words::CERTAIN_HOURS, form.by_hours).map(Action::ByHours));
    if !form.by_hours {
        return;
    }
    ui.horizontal(|ui| {
        for (field, label, value) in
            [(Field::From, words::FROM_HOUR, &form.from), (Field::To, words::TO_HOUR, &form.to)]
        {
            commands.extend(field_ui(ui, label, value, "22", HOUR).map(|text| Action::Type(field, text)));
        }
        ui.vertical(|ui| {
            ui.add_space(BESIDE);
            let clock = match earn.offset {
                Some(offset) => words::by_clock(&clock::name(offset)),
                None => words::BY_UTC.to_owned(),
            };
            let words = match form.limits() {
                Ok(Limits { hours: Some(hours), .. }) => words::every_day(&hours.words(), &clock),
                _ => clock,
            };
            ui.label(soft(ui, &words));
        });
    });
}

/// What working before being paid can cost.
fn at_risk(form: &Form) -> String {
    match form.limits() {
        Ok(Limits { prices: Prices { pay_after: jobs @ 1.., .. }, .. }) => {
            words::at_risk(jobs as usize, jobs.saturating_mul(CREDIT_LINES_OVERALL).into())
        }
        Ok(Limits { prices, .. }) if !prices.is_paid() => words::NOTHING_OWED.to_owned(),
        _ => words::PREPAID.to_owned(),
    }
}

/// Whether earning goes on while the window is closed, and what the desktop has to say to that.
pub fn background_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    ui.horizontal_wrapped(|ui| {
        commands.extend(checkbox_ui(ui, words::BACKGROUND, state.background).map(Command::Background));
        match &state.tray {
            Tray::Off => {}
            Tray::Asking => busy_ui(ui, words::LOOKING_FOR_TRAY),
            Tray::There => drop(mark_ui(ui, Tone::Good, Icon::CircleCheck, words::TRAY)),
            Tray::Missing(why) => {
                ui.label(soft(ui, &words::no_tray(why)));
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
        return drop(mark_ui(ui, Tone::Plain, Icon::HandHeart, words::FREE));
    }
    let (tone, icon, words, button) = match &earn.payment_setup {
        PaymentSetup::Unknown => (Tone::Busy, Icon::LoaderCircle, words::OPENING_WALLET.to_owned(), None),
        PaymentSetup::NoWallet => {
            (Tone::Warn, Icon::TriangleAlert, words::NO_WALLET.to_owned(), Some(words::CREATE_WALLET))
        }
        PaymentSetup::NoMint => (Tone::Bad, Icon::CircleX, words::NO_MINT.to_owned(), Some(words::ADD_MINT)),
        PaymentSetup::Broken(why) => (Tone::Bad, Icon::CircleX, why.clone(), Some(words::OPEN_WALLET)),
        PaymentSetup::Open(mints) => {
            let after = limits.prices.pay_after > 0;
            let how = if after { words::AFTER_VERDICT } else { words::THROUGH_ESCROW };
            (Tone::Good, Icon::LockKeyhole, words::paid_at(how, &mints.join(", ")), None)
        }
    };
    // Mints have long names, and there may be many of them.
    note_ui(ui, tone, icon, &words);
    if let Some(button) = button
        && ui.add(Button::new(button).icon(Icon::Wallet)).clicked()
    {
        commands.push(wallet::Action::Tab(wallet::Tab::Balance));
        commands.push(Screen::Wallet);
    }
}
