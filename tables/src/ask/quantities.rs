//! Numbers of a question with their units: `half an hour`, `three and a half kilos`, `5 %`.

use rust_decimal::Decimal;

use super::lexicon::{self, Word};
use super::loose;
use super::pieces::{Meaning, Piece};
use super::recast;
use super::tokens::{Quantity, Token, TokenKind};
use crate::table::Table;
use crate::value::unit;
use crate::{vocabulary, words};

/// `half an hour`, `eine halbe Stunde`
pub(super) fn half_a_unit(table: &Table, tokens: &[Token], at: usize) -> Option<(Quantity, usize)> {
    let low = |index: usize| tokens.get(index).map_or("", |token| token.low.as_str());
    // `an hour and a half`
    if let ("a" | "an" | "one", "and", "a", "half") = (low(at), low(at + 2), low(at + 3), low(at + 4)) {
        let whole = Quantity { value: Decimal::new(15, 1), ..Quantity::of(0) };
        let (quantity, length) = with_unit(&whole, tokens.get(at + 1), table);
        return quantity.unit.is_some().then_some((quantity, length + 3));
    }
    // `three and a half hours`, `dreieinhalb Stunden`
    let number = lexicon::small_number(low(at)).or_else(|| low(at).parse::<i64>().ok());
    if let (Some(number), "and", "a", "half") = (number, low(at + 1), low(at + 2), low(at + 3)) {
        let whole = Quantity { value: Decimal::from(number) + Decimal::new(5, 1), ..Quantity::of(0) };
        let (quantity, length) = with_unit(&whole, tokens.get(at + 4), table);
        return quantity.unit.is_some().then_some((quantity, length + 3));
    }
    let with_half = low(at).strip_suffix("einhalb").and_then(lexicon::small_number);
    if let Some(number) = with_half.or_else(|| (low(at) == "anderthalb").then_some(1)) {
        let whole = Quantity { value: Decimal::from(number) + Decimal::new(5, 1), ..Quantity::of(0) };
        let (quantity, length) = with_unit(&whole, tokens.get(at + 1), table);
        return quantity.unit.is_some().then_some((quantity, length));
    }
    let is_half = matches!(
        (low(at), low(at + 1)),
        ("half", "a" | "an") | ("ein" | "eine" | "einer" | "einem", "halbe" | "halben" | "halbes")
    );
    let half = Quantity { value: Decimal::new(5, 1), ..Quantity::of(0) };
    let (quantity, length) = is_half.then(|| with_unit(&half, tokens.get(at + 2), table))?;
    quantity.unit.is_some().then_some((quantity, length + 1))
}

pub(super) fn with_unit(quantity: &Quantity, next: Option<&Token>, table: &Table) -> (Quantity, usize) {
    let mut quantity = quantity.clone();
    let Some(next) = next.filter(|next| next.kind == TokenKind::Word || next.text == "%") else {
        return (quantity, 1);
    };
    if quantity.unit.is_some() || quantity.currency.is_some() || quantity.percent {
        return (quantity, 1);
    }
    if let Some(code) = crate::value::unit::currency(&next.text) {
        quantity.currency = Some(code);
        return (quantity, 2);
    }
    if next.low == "%" || next.low == "percent" || next.low == "prozent" {
        quantity.percent = true;
        return (quantity, 2);
    }
    let named = table.columns.iter().any(|column| words::fold(&column.name) == next.low);
    let of_a_column = table.columns.iter().any(|column| {
        !column.unit_label().is_empty()
            && (column.unit_label().eq_ignore_ascii_case(&next.text)
                || vocabulary::names_unit(&next.low, column.unit_label())
                || vocabulary::sign_of(&next.low)
                    .is_some_and(|sign| unit::power_between(sign, column.unit_label()).is_some()))
    });
    if of_a_column || (!named && crate::value::unit::measure_of(&next.text).is_some()) {
        quantity.unit = Some(next.text.clone());
        return (quantity, 2);
    }
    (quantity, 1)
}

/// `the most milk` of `milk_records.tsv`: what is said of in the singular is measured, and no records are counted. The column is the only
/// one of amounts of which the word speaks.
pub(super) fn amount_of_mass(table: &Table, before: &Piece, piece: &Piece) -> Option<usize> {
    let measures = match before.options.first()? {
        (Meaning::Word(Word::Sum | Word::HowMuch), _) => true,
        (Meaning::Word(Word::Most(_)), _) => {
            let text = before.text.to_lowercase();
            !text.contains("often") && !matches!(text.as_str(), "die meisten" | "meisten" | "die wenigsten")
        }
        _ => false,
    };
    let low = piece.text.to_lowercase();
    let is_one = !low.ends_with('s') && !loose::is_plural(&low) && !recast::names_records(&low);
    let names_nothing_else = piece.options.iter().all(|(meaning, _)| match meaning {
        Meaning::Noun => true,
        // `milk` is no `Milking`.
        Meaning::Column(column) => {
            let parts = words::parts(&table.columns[*column].name);
            table.columns[*column].is_text() && !parts.iter().any(|part| words::same_but_plural(part, &low))
        }
        _ => false,
    });
    if !measures || !is_one || !names_nothing_else {
        return None;
    }
    let mut amounts = table.measures().into_iter().filter(|column| loose::speaks_of(table, &low, *column));
    let first = amounts.next()?;
    amounts.next().is_none().then_some(first)
}
