//! Draws the sources of an answer: the list of them, and the chosen one.

use egui::{Align2, CornerRadius, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};
use frlm_client::answer_parts::Claim;
use frlm_client::protocol::{one_line, printable};
use frlm_client::questions::answer::{Answer, Citation};
use frlm_client::view::{Said, SubtaskView};
use lucide_icons::Icon;

use super::page::page_ui;
use super::state::Action;
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::screens::Screen;
use crate::desktop::screens::run::{self, Run};
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{CLEAR, size, space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{
    Banner, Button, List, Tone, badge_ui, card_ui, edge, file_name, focus_ring, heading, list_ui, name,
    small, soft, well_ui,
};

const CITATION: f32 = 52.0;
/// Sources of a claim that stand under it; the others are in the list.
const MOST_SOURCES: usize = 12;
/// Their height: that of a number and its padding, so that the word before them stands in their middle.
const SOURCE: f32 = 29.0;
/// Size of the quotes in the list.
const QUOTE: f32 = 12.5;

/// The sources of a claim by number: each leads to its line, who read it, and the verdict.
pub fn numbers_ui(ui: &mut Ui, state: &State, answer: &Answer, claim: &Claim<'_>, commands: &mut Commands) {
    if claim.sources.is_empty() {
        return;
    }
    ui.scope(|ui| {
        // Before the rows begin, or the first would be as high as a row of buttons.
        ui.spacing_mut().item_spacing = vec2(space::XS, space::XS);
        ui.spacing_mut().interact_size.y = SOURCE;
        // Only the chosen number has an edge, which is that of all that is chosen.
        ui.visuals_mut().widgets.inactive.bg_stroke = edge(tokens(ui), true);
        ui.horizontal_wrapped(|ui| {
            ui.label(small(ui, if claim.sources.len() == 1 { words::SOURCE } else { words::SOURCES }));
            for source in claim.sources.iter().take(MOST_SOURCES).copied() {
                let Some(citation) = answer.citations.get(source) else { continue };
                let chosen = state.answer.citation == Some(source);
                let number = egui::RichText::new((source + 1).to_string()).font(fonts::medium(text::SMALL));
                let response = ui.selectable_label(chosen, number);
                let about = words::show_source(source + 1, &place(citation));
                response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, chosen, &about));
                commands.push_if(response.on_hover_text(&about).clicked(), Action::Cite(source));
            }
            if claim.sources.len() > MOST_SOURCES {
                ui.label(small(ui, &words::more_below(claim.sources.len() - MOST_SOURCES)));
            }
        });
    });
}

/// All of them, of which the rows in sight are drawn.
pub fn citations_ui(ui: &mut Ui, state: &State, answer: &Answer, commands: &mut Commands) {
    ui.label(heading(&words::sources(answer.citations.len())));
    if answer.citations.is_empty() {
        ui.label(soft(ui, words::NO_SOURCES));
        return;
    }
    let height = CITATION * answer.citations.len().min(6) as f32;
    // As high as that, however little of the page is left: the page scrolls, too.
    let area = ScrollArea::vertical().max_height(height).min_scrolled_height(height);
    let area = area.auto_shrink([false, true]);
    let rows = (CITATION - space::S, answer.citations.len());
    list_ui(ui, "citations", area, rows, |ui, rows, list| {
        for position in rows {
            citation_ui(ui, state, (list, position), &answer.citations, commands);
        }
    });
}

fn citation_ui(
    ui: &mut Ui,
    state: &State,
    (list, position): (List, usize),
    citations: &[Citation],
    commands: &mut Commands,
) {
    let citation = &citations[position];
    let chosen = state.answer.citation == Some(position);
    let (rect, response) = list.row(ui, position, CITATION - space::S, Sense::click());
    let place = place(citation);
    response
        .widget_info(|| WidgetInfo::selected(Role::Row, true, chosen, words::source(position + 1, &place)));
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
        focus_ring(&painter, &response, rect, size::ROUND_CONTROL, colours);
        let left = rect.left_top() + vec2(12.0, 13.0);
        let (font, ink) = (fonts::medium(text::SMALL), colours.text_soft);
        let number = (position + 1).to_string();
        // The places stand below each other, however wide the numbers before them are.
        let widest = "0".repeat(citations.len().to_string().len());
        let widest = painter.layout_no_wrap(widest, font.clone(), ink).size().x;
        painter.text(left, Align2::LEFT_CENTER, number, font.clone(), ink);
        painter.text(left + vec2(widest + space::S, 0.0), Align2::LEFT_CENTER, place, font, ink);
        let who = who_said(&state.run, citation).map(|(who, _)| who).unwrap_or_default();
        let right = rect.right_top() + vec2(-12.0, 13.0);
        painter.text(right, Align2::RIGHT_CENTER, who, fonts::body(text::SMALL), colours.text_soft);
        let quote = printable(&citation.quote).replace('\n', " ");
        let quote = around(&quote, &state.run.view.start.question, fitting(ui, rect.width()));
        let at = rect.left_top() + vec2(12.0, 31.0);
        painter.text(at, Align2::LEFT_CENTER, quote, fonts::mono(QUOTE), colours.text);
    }
    commands.push_if(response.clicked(), Action::Cite(position));
}

/// Characters of the quotes' typeface that fit into a row.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand points wide")]
fn fitting(ui: &Ui, width: f32) -> usize {
    let font = fonts::mono(QUOTE);
    let character = ui.ctx().fonts_mut(|shipped| shipped.glyph_width(&font, '0'));
    ((width - 24.0) / character.max(1.0)).max(8.0) as usize
}

/// The part of a quote that fits into so many characters. What the question names too is the evidence: if
/// it stands behind the end, the part is cut around it.
fn around(quote: &str, question: &str, most: usize) -> String {
    let characters: Vec<char> = quote.chars().collect();
    let count = characters.len();
    if count <= most {
        return quote.to_owned();
    }
    let from = match evidence(&characters, question) {
        Some((begin, end)) if end >= most => {
            usize::midpoint(begin, end).saturating_sub(most / 2).min(count - most)
        }
        _ => 0,
    };
    let mut part: Vec<char> = characters[from..from + most].to_vec();
    if let Some(first) = part.first_mut().filter(|_| from > 0) {
        *first = '…';
    }
    if let Some(last) = part.last_mut().filter(|_| from + most < count) {
        *last = '…';
    }
    part.into_iter().collect()
}

/// Where the last word stands that the question names too; words of two letters are in every text.
fn evidence(characters: &[char], question: &str) -> Option<(usize, usize)> {
    let asked = question.to_lowercase();
    let asked: Vec<&str> = frlm_client::util::text::words(&asked).collect();
    let mut found = None;
    let mut begin = 0;
    for word in characters.split(|letter| !letter.is_alphanumeric()) {
        let end = begin + word.len();
        let letters: String = word.iter().flat_map(|letter| letter.to_lowercase()).collect();
        if word.len() > 2 && asked.contains(&letters.as_str()) {
            found = Some((begin, end));
        }
        begin = end + 1;
    }
    found
}

/// `orders.log, line 12`.
fn place(citation: &Citation) -> String {
    format!("{}, {}", one_line(file_name(&citation.file)), one_line(&citation.place()))
}

/// The lane in which its fragment was read; of a question in parts, for the part that the citation supports.
fn lane_of(run: &Run, citation: &Citation) -> Option<usize> {
    let fragment: u32 = citation.fragment.parse().ok()?;
    let lanes = || (0..).zip(&run.view.subtasks).filter(|(_, lane)| lane.fragment == Some(fragment));
    let part = citation.claim.map(|part| format!("part {part}: "));
    let own = part.and_then(|part| lanes().find(|(_, lane)| lane.label.starts_with(&part)));
    own.or_else(|| lanes().next()).map(|(position, _)| position)
}

/// Who said it, and the lane in which they did.
fn who_said<'a>(run: &'a Run, citation: &Citation) -> Option<(String, &'a SubtaskView)> {
    let lane = &run.view.subtasks[lane_of(run, citation)?];
    let agreed = lane.attempts.iter().filter(|attempt| attempt.said == Some(Said::Same));
    let names: Vec<String> = agreed.map(|attempt| run::provider_name(run, attempt)).collect();
    let names = if names.is_empty() && lane.local { words::OWN_MODEL.to_owned() } else { names.join(", ") };
    Some((names, lane))
}

/// The chosen one: the lines around it, who read them, and the verdict.
pub fn source_ui(ui: &mut Ui, state: &State, answer: &Answer, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::SOURCE));
        let chosen = state.answer.citation.and_then(|position| answer.citations.get(position));
        let Some(citation) = chosen else {
            ui.label(soft(ui, words::CHOOSE));
            return;
        };
        ui.label(name(&place(citation))).on_hover_text(one_line(&citation.file));
        match &state.answer.context {
            None => drop(ui.label(soft(ui, words::READING_DOCUMENT))),
            Some(context) => match &context.lines {
                Ok(lines) => match &context.page {
                    Some(page) => page_ui(ui, page),
                    None => lines_ui(ui, lines, citation.lines),
                },
                Err(why) => {
                    let safe = words::not_shown(why);
                    Banner { tone: Tone::Warn, what: words::NOT_SHOWN, safe: &safe }.show(ui, |_| {});
                    let quote = printable(&citation.quote);
                    well_ui(ui, |ui| ui.label(egui::RichText::new(quote.as_ref()).font(fonts::mono(12.0))));
                }
            },
        }
        if let Some((who, lane)) = who_said(&state.run, citation) {
            ui.add_space(space::XS);
            ui.horizontal_wrapped(|ui| {
                let disputed = (Tone::Warn, words::DISPUTED);
                let (tone, word) = if lane.dissent { disputed } else { (Tone::Good, words::VERIFIED) };
                badge_ui(ui, tone, tone.icon(), word);
                ui.label(soft(ui, &lane.agreement.map(words::agreed).unwrap_or_default()));
            });
            ui.label(words::read_by(&who));
        }
        if let Some(lane) = lane_of(&state.run, citation).and_then(|lane| u32::try_from(lane).ok())
            && ui.add(Button::new(words::SHOW_IN_RUN).icon(Icon::Activity)).clicked()
        {
            commands.push(run::Action::Lane(lane));
            commands.push(Screen::Run);
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
            let set = |words: String| {
                let words = egui::RichText::new(words).font(fonts::mono(12.0)).color(ink);
                if cited { words.background_color(colours.accent_soft) } else { words }
            };
            // A long line goes on beside its number, not below it.
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                ui.label(set(format!("{mark}{number:>4}  ")));
                ui.vertical(|ui| ui.add(egui::Label::new(set(line.clone())).wrap()));
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str = "How many orders have status failed?";

    #[test]
    fn a_quote_that_does_not_fit_is_cut_around_what_the_question_names() {
        let quote = "2026-03-02T04:17:09Z order=40007 user=ida.holm status=failed node=eu-west-1";
        assert_eq!(around(quote, QUESTION, 200), quote);
        let part = around(quote, QUESTION, 30);
        assert_eq!(part.chars().count(), 30);
        assert!(part.contains("status=failed") && part.starts_with('…') && part.ends_with('…'), "{part}");
    }

    #[test]
    fn a_quote_whose_evidence_stands_at_the_beginning_keeps_its_beginning() {
        let part = around("status=failed order=40007 user=ida.holm amount=49.95", QUESTION, 20);
        assert_eq!(part, "status=failed order…");
        let part = around("nothing of it is named here at all", "Who?", 12);
        assert_eq!(part, "nothing of …");
    }
}
