//! Draws the answer screen.

use egui::{
    Align2, CornerRadius, Margin, Role, ScrollArea, Sense, Stroke, StrokeKind, TextEdit, Ui, WidgetInfo, vec2,
};
use egui_commonmark::{CommonMarkCache, CommonMarkViewer};
use frlm_conductor::answer::{Answer, Citation};
use frlm_conductor::trace::view::{Said, SubtaskState, SubtaskView};
use frlm_protocol::printable;
use lucide_icons::Icon;

use super::export;
use super::state::{Action, AnswerScreen, Format};
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::screens::run::{self, Run};
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{CLEAR, size, space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{
    Banner, Button, Tone, Unit, badge_ui, card_ui, empty_ui, figure_ui, file_name, heading, mark_ui, name,
    play_ui, screen_ui, small, soft, two_columns_ui, well_ui,
};

const CITATION: f32 = 52.0;
/// Parts without an answer that are listed.
const MOST_MISSING: usize = 5;

pub fn answer_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let Some(answer) = state.answered() else {
        let (what, then, button, go) = if state.run.is_some() {
            ("No answer yet", "The run is not finished.", "Watch the run", Screen::Run)
        } else {
            ("No answer yet", "Ask a question, or open a recorded run.", "Ask a question", Screen::Ask)
        };
        empty_ui(ui, Icon::BookOpenCheck, what, then, |ui| {
            if ui.add(Button::primary(button)).clicked() {
                commands.push(Command::Go(go));
            }
        });
        return;
    };
    let question = printable(&state.run.view.question);
    let documents: Vec<_> =
        state.run.view.documents.iter().take(4).map(|name| printable(file_name(name))).collect();
    let more = state.run.view.documents.len().saturating_sub(documents.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let about = format!("about {}{more}", documents.join(", "));
    let mut asked = Commands::default();
    screen_ui(
        ui,
        &question,
        &about,
        size::CONTENT,
        |ui| actions_ui(ui, &question, answer, state.run.unit, &mut asked),
        |ui| {
            // What the left column asks for, the right one too.
            let mut right = Commands::default();
            two_columns_ui(
                ui,
                0.6,
                |ui| {
                    text_ui(ui, answer);
                    ui.add_space(space::S);
                    citations_ui(ui, state, answer, commands);
                    ui.add_space(space::S);
                    rating_ui(ui, &state.answer, commands);
                },
                |ui| {
                    trust_ui(ui, &state.run, answer, &mut right);
                    ui.add_space(space::S);
                    source_ui(ui, state, answer);
                },
            );
            for command in right.take() {
                commands.push(command);
            }
        },
    );
    for command in asked.take() {
        commands.push(command);
    }
}

fn actions_ui(ui: &mut Ui, question: &str, answer: &Answer, unit: Unit, commands: &mut Commands) {
    if ui.add(Button::primary("Ask a follow-up").icon(Icon::CornerDownLeft)).clicked() {
        commands.push(Command::Answer(Action::FollowUp));
    }
    if ui.add(Button::new("Save as JSON").icon_only(Icon::CodeXml)).clicked() {
        commands.push(Command::Answer(Action::Export(Format::Json)));
    }
    if ui.add(Button::new("Save as Markdown").icon_only(Icon::Save)).clicked() {
        commands.push(Command::Answer(Action::Export(Format::Markdown)));
    }
    if ui.add(Button::new("Copy the answer with its sources").icon_only(Icon::Copy)).clicked() {
        ui.ctx().copy_text(export::markdown(question, answer, unit));
    }
}

fn text_ui(ui: &mut Ui, answer: &Answer) {
    card_ui(ui, |ui| {
        if answer.coverage < 1.0 {
            Banner {
                tone: Tone::Warn,
                what: "This answer does not cover everything",
                safe: "It says «at least» or «at most» where that matters. Only verified parts were paid.",
            }
            .show(ui, |ui| {
                // Drawn by the column on the right: which parts are missing.
                ui.label(soft(ui, "What is missing stands on the right."));
            });
        }
        ui.style_mut().text_styles.insert(egui::TextStyle::Body, fonts::body(16.0));
        // The cache only holds laid-out links and images, of which a fresh one is as good.
        let mut cache = CommonMarkCache::default();
        CommonMarkViewer::new().show(ui, &mut cache, &printable(&answer.answer));
    });
}

fn citations_ui(ui: &mut Ui, state: &State, answer: &Answer, commands: &mut Commands) {
    ui.label(heading(&format!("Where it stands ({})", answer.citations.len())));
    if answer.citations.is_empty() {
        ui.label(soft(ui, "Code counted over all records; no single line proves it."));
        return;
    }
    let height = CITATION * answer.citations.len().min(6) as f32;
    ScrollArea::vertical().id_salt("citations").max_height(height).auto_shrink([false, true]).show_rows(
        ui,
        CITATION - space::S,
        answer.citations.len(),
        |ui, rows| {
            for position in rows {
                citation_ui(ui, state, position, &answer.citations[position], commands);
            }
        },
    );
}

fn citation_ui(ui: &mut Ui, state: &State, position: usize, citation: &Citation, commands: &mut Commands) {
    let chosen = state.answer.citation == Some(position);
    let wanted = vec2(ui.available_width(), CITATION - space::S);
    let (rect, response) = ui.allocate_exact_size(wanted, Sense::click());
    let place = place(citation);
    response.widget_info(|| {
        WidgetInfo::selected(Role::Row, true, chosen, format!("Source {}: {place}", position + 1))
    });
    if ui.is_rect_visible(rect) {
        let colours = tokens(ui);
        let (fill, line) = match (chosen, response.hovered()) {
            (true, _) => (colours.accent_soft, colours.accent),
            (false, true) => (colours.surface, colours.line_strong),
            (false, false) => (CLEAR, colours.line),
        };
        let painter = ui.painter_at(rect);
        let round = CornerRadius::same(size::ROUND_CONTROL);
        painter.rect(rect, round, fill, Stroke::new(1.0, line), StrokeKind::Inside);
        if response.has_focus() {
            painter.rect_stroke(rect, round, Stroke::new(2.0, colours.accent), StrokeKind::Inside);
        }
        let left = rect.left_top() + vec2(12.0, 13.0);
        painter.text(left, Align2::LEFT_CENTER, &place, fonts::medium(text::SMALL), colours.text_soft);
        let who = who_said(&state.run, citation).map(|(who, _)| who).unwrap_or_default();
        let right = rect.right_top() + vec2(-12.0, 13.0);
        painter.text(right, Align2::RIGHT_CENTER, who, fonts::body(text::SMALL), colours.text_soft);
        let quote = run::clipped(&printable(&citation.quote).replace('\n', " "), fitting(rect.width()));
        let at = rect.left_top() + vec2(12.0, 31.0);
        painter.text(at, Align2::LEFT_CENTER, quote, fonts::mono(12.5), colours.text);
    }
    if response.clicked() {
        commands.push(Command::Answer(Action::Cite(position)));
    }
}

/// Characters of the quotes' typeface that fit into a row.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a row is a few thousand points wide"
)]
fn fitting(width: f32) -> usize {
    const CHARACTER: f32 = 7.7;
    ((width - 24.0) / CHARACTER).max(8.0) as usize
}

/// «orders.log, line 12».
fn place(citation: &Citation) -> String {
    let [first, last] = citation.lines;
    let lines = if first == last { format!("line {first}") } else { format!("lines {first}–{last}") };
    format!("{}, {lines}", printable(file_name(&citation.file)))
}

/// Who said it, and the lane in which they did.
fn who_said<'a>(run: &'a Run, citation: &Citation) -> Option<(String, &'a SubtaskView)> {
    let fragment: u32 = citation.fragment.parse().ok()?;
    let lane = run.view.subtasks.iter().find(|lane| lane.fragment == Some(fragment))?;
    let agreed = lane.attempts.iter().filter(|attempt| attempt.said == Some(Said::Same));
    let names: Vec<String> = agreed.map(|attempt| run::provider_name(run, attempt)).collect();
    let names = if names.is_empty() && lane.local { "your own model".to_owned() } else { names.join(", ") };
    Some((names, lane))
}

fn trust_ui(ui: &mut Ui, shown: &Run, answer: &Answer, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("How far to trust it"));
        ui.add_space(space::XS);
        ui.columns(2, |columns| {
            let coverage = format!("{:.0}%", answer.coverage * 100.0);
            let parts = format!("{} of {} parts", answer.subtasks.verified, answer.subtasks.total);
            figure_ui(&mut columns[0], "Coverage", &coverage, &parts);
            let confidence = format!("{:.0}%", answer.confidence * 100.0);
            figure_ui(&mut columns[1], "Confidence", &confidence, "as its weakest part reports");
        });
        // Row by row, so that what stands beside each other begins at the same height.
        ui.columns(2, |columns| {
            let agreement = format!("{:.0}%", answer.verification.agreement * 100.0);
            let answers = format!("{} answers compared", answer.verification.replicas);
            figure_ui(&mut columns[0], "Agreement", &agreement, &answers);
            let unit = shown.unit;
            let (spent, limit) = (answer.budget.spent_sats, answer.budget.limit_sats);
            figure_ui(&mut columns[1], "Cost", &unit.amount(spent), &format!("of {}", unit.amount(limit)));
        });
        play_ui(ui, shown.unit);
        if let Some(weakest) = shown.beliefs.weakest {
            ui.columns(2, |columns| {
                let about = "the claimed model ran honestly, least believed part";
                figure_ui(&mut columns[0], "Fidelity", &run::percent(weakest.fidelity), about);
                let about = "it is right, least believed part";
                figure_ui(&mut columns[1], "Correctness", &run::percent(weakest.correctness), about);
            });
        }
        let missing: Vec<&SubtaskView> =
            shown.view.subtasks.iter().filter(|lane| matches!(lane.state, SubtaskState::GaveUp(_))).collect();
        if !missing.is_empty() {
            ui.label(name("What is missing"));
            for lane in missing.iter().take(MOST_MISSING) {
                mark_ui(ui, Tone::Bad, Icon::CircleX, &run::short_label(&printable(&lane.label)));
            }
            if missing.len() > MOST_MISSING {
                ui.label(soft(ui, &format!("and {} more", missing.len() - MOST_MISSING)));
            }
        }
        if ui.add(Button::new("See the run").icon(Icon::Activity)).clicked() {
            commands.push(Command::Go(Screen::Run));
        }
    });
}

fn source_ui(ui: &mut Ui, state: &State, answer: &Answer) {
    card_ui(ui, |ui| {
        ui.label(heading("Source"));
        let chosen = state.answer.citation.and_then(|position| answer.citations.get(position));
        let Some(citation) = chosen else {
            ui.label(soft(ui, "Choose a source to see the lines around it, who read them, and the verdict."));
            return;
        };
        ui.label(name(&place(citation))).on_hover_text(printable(&citation.file));
        match &state.answer.context {
            None => drop(ui.label(soft(ui, "Reading the document…"))),
            Some(context) => match &context.lines {
                Ok(lines) => lines_ui(ui, lines, citation.lines),
                Err(why) => {
                    let safe = format!("{why}. The quote below was checked when the run read it.");
                    Banner { tone: Tone::Warn, what: "The document cannot be shown", safe: &safe }
                        .show(ui, |_| {});
                    let quote = printable(&citation.quote);
                    well_ui(ui, |ui| ui.label(egui::RichText::new(quote.as_ref()).font(fonts::mono(12.0))));
                }
            },
        }
        if let Some((who, lane)) = who_said(&state.run, citation) {
            ui.add_space(space::XS);
            ui.horizontal_wrapped(|ui| {
                let (tone, word) =
                    if lane.dissent { (Tone::Warn, "verified, disputed") } else { (Tone::Good, "verified") };
                badge_ui(ui, tone, tone.icon(), word);
                let agreement =
                    lane.agreement.map_or(String::new(), |share| format!("{:.0}% agreed", share * 100.0));
                ui.label(soft(ui, &agreement));
            });
            ui.label(format!("Read by {who}."));
        }
    });
}

fn lines_ui(ui: &mut Ui, lines: &[(u32, String)], [first, last]: [u32; 2]) {
    well_ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for (number, line) in lines {
            let cited = (first..=last).contains(number);
            let colours = tokens(ui);
            let ink = if cited { colours.text } else { colours.text_soft };
            let mark = if cited { "▸" } else { " " };
            let line =
                egui::RichText::new(format!("{mark}{number:>4}  {line}")).font(fonts::mono(12.0)).color(ink);
            let line = if cited { line.background_color(colours.accent_soft) } else { line };
            ui.add(egui::Label::new(line).wrap());
        }
    });
}

fn rating_ui(ui: &mut Ui, rating: &AnswerScreen, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("Was it good?"));
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            for stars in 1..=5_u8 {
                if star_ui(ui, stars, stars <= rating.stars) {
                    commands.push(Command::Answer(Action::Stars(stars)));
                }
            }
            ui.add_space(space::M);
            for (up, icon, word) in
                [(true, Icon::ThumbsUp, "Thumbs up"), (false, Icon::ThumbsDown, "Thumbs down")]
            {
                let button = if rating.thumbs == Some(up) { Button::new(word) } else { Button::quiet(word) };
                if ui.add(button.icon_only(icon)).clicked() {
                    commands.push(Command::Answer(Action::Thumbs(up)));
                }
            }
        });
        let mut comment = rating.comment.clone();
        let field = TextEdit::singleline(&mut comment)
            .hint_text("A comment, if you like")
            .desired_width(f32::INFINITY)
            .char_limit(1_000)
            .margin(Margin::symmetric(12, 8));
        if ui.add(field).changed() {
            commands.push(Command::Answer(Action::Comment(comment)));
        }
        let given = rating.stars > 0 || rating.thumbs.is_some() || !rating.comment.trim().is_empty();
        ui.horizontal(|ui| {
            let button =
                Button::new("Keep the rating").icon(Icon::Check).enabled(given && rating.rated.is_none());
            if ui.add(button).clicked() {
                commands.push(Command::Answer(Action::Rate));
            }
            ui.label(small(ui, &rated(rating.rated)));
        });
    });
}

/// What became of a rating.
fn rated(decisions: Option<u64>) -> String {
    match decisions {
        None => "stays on this machine".to_owned(),
        Some(0) => "kept on this machine; routing goes by verdicts alone here".to_owned(),
        Some(1) => "kept on this machine; routing learned from it, for 1 unchecked answer".to_owned(),
        Some(more) => format!("kept on this machine; routing learned from it, for {more} unchecked answers"),
    }
}

fn star_ui(ui: &mut Ui, stars: u8, filled: bool) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(28.0, size::CONTROL), Sense::click());
    let word = if stars == 1 { "1 star".to_owned() } else { format!("{stars} stars") };
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, filled, &word));
    let colours = tokens(ui);
    let ink = if filled || response.hovered() { colours.accent } else { colours.text_soft };
    let painter = ui.painter();
    if filled {
        painter.rect_filled(rect.shrink2(vec2(2.0, 5.0)), CornerRadius::same(6), colours.accent_soft);
    }
    if response.has_focus() {
        painter.rect_stroke(
            rect,
            CornerRadius::same(6),
            Stroke::new(2.0, colours.accent),
            StrokeKind::Inside,
        );
    }
    painter.text(rect.center(), Align2::CENTER_CENTER, char::from(Icon::Star), fonts::icons(18.0), ink);
    response.clicked()
}
