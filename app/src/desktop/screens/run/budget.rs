//! Asks for a higher budget: one that holds at once for a run under way, or from the moment on at which a
//! run that stopped goes on.

use egui::{Context, Id, Key, Margin, RichText, TextEdit, Ui};
use lucide_icons::Icon;

use super::messages::Action;
use super::state::{MOST_SATS, Run};
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::theme::tokens;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Button, dialogue_ui, heading, small, soft};

const WIDTH: f32 = 440.0;
/// Room for the largest sum.
const FIELD: f32 = 200.0;
/// Digits of it, and a few spaces.
const LONGEST: usize = 24;

/// The text field: it gets the focus with the command that asks.
pub fn field_id() -> Id {
    Id::unique("budget of the run")
}

/// The dialogue, while a higher budget is asked for.
pub fn raise_budget_ui(ctx: &Context, run: &Run, commands: &mut Commands) {
    let Some(typed) = &run.budget_typed else { return };
    let closed = dialogue_ui(ctx, Id::unique("budget"), WIDTH, |ui| {
        ui.label(heading(words::RAISE_TITLE));
        ui.label(soft(ui, &status(run)));
        ui.add_space(space::S);
        let entered = field_ui(ui, run, typed, commands);
        ui.add_space(space::S);
        buttons_ui(ui, run, entered, commands);
    });
    if closed {
        commands.push(Action::AskBudget(false));
    }
}

/// What the present budget has come to, and what a higher one means.
fn status(run: &Run) -> String {
    let money = run.view.money.now();
    let bound = money.locked.saturating_add(money.reserved);
    let holds = if run.is_live() { words::HOLDS_NOW } else { words::HOLDS_LATER };
    words::raise_status(money.spent, &run.unit.amount(run.view.budget.limit_sats), bound, holds)
}

/// The field, round figures that fill it in, and what is wrong with it; whether Enter was pressed in it.
fn field_ui(ui: &mut Ui, run: &Run, typed: &str, commands: &mut Commands) -> bool {
    let label = ui.label(small(ui, &words::new_budget(run.unit)));
    let entered = ui
        .horizontal(|ui| {
            let mut text = typed.to_owned();
            let field = ui.add(
                TextEdit::singleline(&mut text)
                    .id(field_id())
                    .desired_width(FIELD)
                    .char_limit(LONGEST)
                    .margin(Margin::symmetric(10, 8)),
            );
            let field = field.labelled_by(label.id);
            for times in [2, 5, 10] {
                let budget = run.view.budget.limit_sats.saturating_mul(times).clamp(1, MOST_SATS);
                let hint = run.unit.amount(budget);
                let word = words::times(times);
                let button = Button::quiet(&word).hint(&hint);
                button.show(ui, commands, Action::TypeBudget(budget.to_string()));
            }
            if field.changed() {
                commands.push(Action::TypeBudget(text));
            }
            field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
        })
        .inner;
    // The line is there in any case, so that nothing moves while somebody types.
    let line = match run.typed_budget() {
        Ok(budget) => soft(ui, &words::more_than_now(&run.unit.amount(budget - run.view.budget.limit_sats))),
        Err(why) => RichText::new(why).color(tokens(ui).bad),
    };
    ui.label(line);
    entered
}

fn buttons_ui(ui: &mut Ui, run: &Run, entered: bool, commands: &mut Commands) {
    let budget = run.typed_budget().ok().filter(|_| run.can_raise());
    let live = run.is_live();
    let word = match (budget, live) {
        (Some(budget), true) => words::raise_to(&run.unit.amount(budget)),
        (Some(budget), false) => words::resume_with(&run.unit.amount(budget)),
        (None, true) => words::RAISE.to_owned(),
        (None, false) => words::RESUME.to_owned(),
    };
    ui.horizontal(|ui| {
        let icon = if live { Icon::TrendingUp } else { Icon::Play };
        let button = Button::primary(&word).icon(icon).enabled(budget.is_some());
        if (ui.add(button).clicked() || entered)
            && let Some(budget) = budget
        {
            let action = if live { Action::RaiseBudget(budget) } else { Action::GoOn(Some(budget)) };
            commands.push(Command::Run(action));
        }
        Button::new(words::CANCEL).show(ui, commands, Action::AskBudget(false));
    });
}
