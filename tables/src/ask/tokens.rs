//! A question as tokens: words, numbers with their units, moments, quotes, signs.

use rust_decimal::Decimal;

use crate::value::moment::{self, WrittenMoment};
use crate::value::number::{self, Evidence, Separator};
use crate::words;

/// A piece of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// As written.
    pub text: String,
    /// Folded.
    pub low: String,
    pub kind: TokenKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Word,
    Number(Quantity),
    Moment(WrittenMoment),
    Quoted,
    Sign,
    /// `5xx`
    Hundreds(u8),
}

/// A number of a question, with what stands behind it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    pub value: Decimal,
    pub unit: Option<String>,
    pub currency: Option<&'static str>,
    pub percent: bool,
    /// Whether its sign parts thousands elsewhere: `1.000` in an English question, `1,000` in a German one.
    pub is_doubtful: bool,
}

impl Quantity {
    /// A whole number without a unit.
    pub fn of(number: i64) -> Self {
        Self { value: Decimal::from(number), unit: None, currency: None, percent: false, is_doubtful: false }
    }

    /// Whether it has neither a unit nor a currency, and is no percentage.
    pub fn is_plain(&self) -> bool {
        self.unit.is_none() && self.currency.is_none() && !self.percent
    }
}

/// Most tokens of a question that is understood.
pub(super) const MAX_TOKENS: usize = 80;

const GERMAN: &[&str] = &[
    "wie",
    "wieviele",
    "viele",
    "viel",
    "mehr",
    "weniger",
    "als",
    "im",
    "am",
    "pro",
    "je",
    "es",
    "hoch",
    "zwischen",
    "verdienen",
    "welche",
    "welcher",
    "welches",
    "welchen",
    "der",
    "die",
    "das",
    "und",
    "oder",
    "ist",
    "sind",
    "von",
    "mit",
    "für",
    "über",
    "unter",
    "zeige",
    "liste",
    "gibt",
    "haben",
    "hat",
    "wer",
    "wann",
    "summe",
    "anzahl",
    "durchschnitt",
    "ohne",
    "nicht",
    "kein",
    "keine",
    "kam",
    "kamen",
    "kommt",
    "kommen",
    "wurde",
    "wurden",
    "wird",
    "werden",
    "waren",
    "dem",
    "einen",
    "eine",
    "einem",
    "einer",
    "nach",
    "zum",
    "zur",
    "vom",
    "beim",
    "noch",
    "wir",
    "uns",
    "herein",
    "rein",
    "wo",
    "wieviel",
    "welchem",
    "bei",
    "steht",
    "märz",
    "januar",
    "februar",
    "juni",
    "juli",
    "oktober",
    "dezember",
];

/// Whether a question is German, as far as its small words say.
pub(super) fn is_german(question: &str) -> bool {
    let found = words::value_words(question);
    let german = found.iter().filter(|word| GERMAN.contains(&word.as_str())).count();
    german >= 2 || (german == 1 && found.len() <= 4)
}

/// Whether a text asks something, as far as its words say.
pub(super) fn asks(text: &str) -> bool {
    const ASKING: &[&str] = &[
        "how", "what", "which", "who", "whose", "when", "where", "wie", "was", "welche", "welcher",
        "welches", "welchen", "welchem", "wer", "wann", "wo", "wieviel", "wieviele",
    ];
    words::value_words(text).iter().any(|word| ASKING.contains(&word.as_str()))
}

/// The tokens of a question.
pub(super) fn tokens(question: &str) -> Vec<Token> {
    let separator = if is_german(question) { Separator::Comma } else { Separator::Point };
    let mut tokens = Vec::new();
    let mut rest = question.trim();
    while !rest.is_empty() && tokens.len() <= MAX_TOKENS {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        if let Some((inner, after)) = quoted(rest, first) {
            push(&mut tokens, inner, TokenKind::Quoted);
            rest = after;
            continue;
        }
        if let Some(sign) = ["<=", ">=", "!=", "<>", "==", "=", "<", ">", "≥", "≤", "≠"]
            .iter()
            .find(|sign| rest.starts_with(**sign))
        {
            push(&mut tokens, sign, TokenKind::Sign);
            rest = &rest[sign.len()..];
            continue;
        }
        let end = rest
            .find(|letter: char| letter.is_whitespace() || "<>=\"“”„".contains(letter))
            .filter(|end| *end > 0)
            .unwrap_or(rest.len());
        chunk(&rest[..end], separator, &mut tokens);
        rest = &rest[end..];
    }
    mend_than(&mut tokens);
    tokens
}

/// `bigger then 2 GB`
fn mend_than(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        let before = tokens[at - 1].low.as_str();
        let compares =
            matches!(before, "more" | "less" | "fewer") || before.len() > 4 && before.ends_with("er");
        let is_followed = tokens.get(at + 1).is_some_and(|next| {
            matches!(next.kind, TokenKind::Number(_) | TokenKind::Moment(_))
                || matches!(next.low.as_str(), "a" | "an" | "one" | "the")
        });
        if tokens[at].low == "then" && compares && is_followed {
            "than".clone_into(&mut tokens[at].low);
            "than".clone_into(&mut tokens[at].text);
        }
    }
}

fn push(tokens: &mut Vec<Token>, text: &str, kind: TokenKind) {
    tokens.push(Token { text: text.to_owned(), low: words::fold(text), kind });
}

fn quoted(rest: &str, first: char) -> Option<(&str, &str)> {
    let closings: &[char] = match first {
        '"' => &['"'],
        '“' => &['”', '"'],
        '„' => &['“', '”', '"'],
        '\'' | '‘' => &['\'', '’'],
        '`' => &['`'],
        '«' => &['»'],
        _ => return None,
    };
    let inner = &rest[first.len_utf8()..];
    let end = inner.find(|letter| closings.contains(&letter)).filter(|end| *end > 0)?;
    let closing = inner[end..].chars().next()?;
    Some((&inner[..end], &inner[end + closing.len_utf8()..]))
}

fn chunk(chunk: &str, separator: Separator, tokens: &mut Vec<Token>) {
    let open = chunk.trim_start_matches(['(', '[', '¿']);
    let mut core = open.trim_end_matches(['?', '!', ';', ':', ')', ']']);
    let comma = core.ends_with(',');
    core = core.trim_end_matches([',', '.']);
    for possessive in ["'s", "’s", "s'", "s’"] {
        if let Some(owner) = core.strip_suffix(possessive)
            && (owner.len() > 1 || owner.starts_with(|first: char| first.is_ascii_digit()))
        {
            // `what's` is `what is`.
            if ["what", "who", "where", "when", "how"].contains(&owner.to_lowercase().as_str()) {
                push(tokens, owner, TokenKind::Word);
                core = "is";
                break;
            }
            // `the 1990's` are ten years.
            if owner.len() == 4 && owner.bytes().all(|byte| byte.is_ascii_digit()) {
                push(tokens, &format!("{owner}s"), TokenKind::Word);
                core = "";
                break;
            }
            core = if possessive.starts_with('s') { &core[..=owner.len()] } else { owner };
            break;
        }
    }
    // `were they GETs`, `two URLs`
    if let Some(sign) = core.strip_suffix('s')
        && sign.len() > 1
        && sign.bytes().all(|byte| byte.is_ascii_uppercase())
    {
        core = sign;
    }
    // `5xx-Fehler`
    if let Some((sign @ [b'1'..=b'5', b'x' | b'X', b'x' | b'X'], [b'-', _, ..])) =
        core.as_bytes().split_at_checked(3)
    {
        push(tokens, &core[..3], TokenKind::Hundreds(sign[0] - b'0'));
        core = &core[4..];
    }
    if !core.is_empty() {
        let kind = kind(core, separator);
        // `Gesamtbetrag`, `Durchschnittsgehalt`: the measure and how it is made, in one word.
        let split = ["gesamt", "durchschnitts", "höchst", "maximal", "minimal", "mindest", "median"]
            .iter()
            .find(|prefix| {
                kind == TokenKind::Word
                    && core.len() > prefix.len() + 3
                    && core.to_lowercase().starts_with(**prefix)
                    && core.to_lowercase() != "gesamte"
            });
        match split {
            Some(prefix)
                if core.is_char_boundary(prefix.len())
                    && !core.to_lowercase().starts_with("durchschnittsl")
                    && !core[prefix.len()..].starts_with("lich")
                    && core.chars().count() > prefix.chars().count() + 3 =>
            {
                push(tokens, &core[..prefix.len()], TokenKind::Word);
                push(tokens, &core[prefix.len()..], TokenKind::Word);
            }
            _ => push(tokens, core, kind),
        }
    }
    if comma {
        push(tokens, ",", TokenKind::Sign);
    }
}

fn kind(core: &str, separator: Separator) -> TokenKind {
    let bytes = core.as_bytes();
    if let [digit @ b'1'..=b'5', b'x' | b'X', b'x' | b'X'] = bytes {
        return TokenKind::Hundreds(digit - b'0');
    }
    if core.eq_ignore_ascii_case("zero") {
        return TokenKind::Number(Quantity::of(0));
    }
    if let Some(quantity) = quantity(core, separator) {
        return TokenKind::Number(quantity);
    }
    match moment::written(core) {
        Some(moment) => TokenKind::Moment(moment),
        None => TokenKind::Word,
    }
}

/// A number as a question writes it, in the question's language.
pub(super) fn quantity(text: &str, separator: Separator) -> Option<Quantity> {
    let written = number::written(text)?;
    let chosen = match written.evidence {
        Evidence::Point => Separator::Point,
        Evidence::Comma => Separator::Comma,
        _ => separator,
    };
    let value = written.read(chosen)?.decimal()?;
    Some(Quantity {
        value,
        unit: written.unit.map(str::to_owned),
        currency: written.currency,
        percent: written.percent,
        is_doubtful: matches!(
            (written.evidence, chosen),
            (Evidence::EitherByPoint, Separator::Point) | (Evidence::EitherByComma, Separator::Comma)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn low(question: &str) -> Vec<String> {
        tokens(question).into_iter().map(|token| token.low).collect()
    }

    #[test]
    fn signs_quotes_and_punctuation_fall_apart() {
        assert_eq!(low("Is amount>=5, or \"Ada B\"?"), ["is", "amount", ">=", "5", ",", "or", "ada b"]);
        assert_eq!(low("Ben Ames's salary"), ["ben", "ames", "salary"]);
        assert_eq!(low("Gesamtbetrag"), ["gesamt", "betrag"]);
    }

    #[test]
    fn numbers_follow_the_language_of_the_question() {
        let value = |question: &str| match &tokens(question).last().unwrap().kind {
            TokenKind::Number(quantity) => quantity.value.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(value("more than 1,000"), "1000");
        assert_eq!(value("Wie viele sind über 1.000"), "1000");
        assert_eq!(value("Wie viele sind über 12,5"), "12.5");
        assert_eq!(value("over 500ms"), "500");
    }
}
