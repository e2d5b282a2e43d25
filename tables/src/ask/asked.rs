//! Words that ask: `how many`, `which`, `what is`, `top 5`.

use super::frame::Parser;
use super::lexicon::{Hint, Word};
use super::pieces::Meaning;

impl Parser<'_> {
    /// `how many`, `which`, `who`: what is asked for.
    pub(super) fn ask_for(&mut self, word: Word) {
        let text = self.texts[self.at].to_lowercase();
        let behind = self.peek(1 + self.fillers(1));
        self.frame.counts.records |=
            word == Word::Count && matches!(behind, Some(Meaning::Noun | Meaning::Word(Word::Records)));
        if let (Word::Count, Some(Meaning::Column(column))) = (word, behind) {
            self.frame.counts.column.get_or_insert(*column);
        }
        self.frame.counts.part |= word == Word::Count
            && self.texts.get(self.at + 1).is_some_and(|text| ["of", "von"].contains(&text.as_str()));
        self.frame.counts.records |=
            word == Word::Count && matches!(self.peek(1 + self.fillers(1)), Some(Meaning::Value { .. }));
        self.frame.counts.times |=
            ["how many times", "how often", "wie oft", "wie häufig"].contains(&text.as_str());
        // `how many minutes`: of a length of time.
        if word == Word::HowMuch
            && text.split(' ').count() > 2
            && !text.contains("uch")
            && !text.contains("wie viel ")
        {
            self.frame.wanted.how = Some(Hint::Duration);
        }
        // `what did we spend`: all of it added up, or each amount?
        let does = self.texts.get(self.at + 1).is_some_and(|next| {
            ["did", "do", "does", "have", "haben", "hat"].contains(&next.to_lowercase().as_str())
        });
        if word == Word::Which && does && ["what", "was"].contains(&text.as_str()) {
            self.frame.wanted.did = true;
            self.frame.doubt.guesses += 3;
        }
        self.frame.wanted.place |= ["where", "wo"].contains(&text.as_str());
        if !self.frame.asks.contains(&word) {
            self.frame.asks.push(word);
        }
    }

    pub(super) fn ask_for_one(&mut self) {
        let text = self.texts[self.at].to_lowercase();
        self.frame.wanted.one = true;
        self.frame.wanted.what |= text.starts_with("what") || text.starts_with("was ");
        self.frame.wanted.value |= text.starts_with("how ") || text.starts_with("wie ");
        self.frame.asks.push(Word::Which);
    }

    pub(super) fn top(&mut self) -> bool {
        self.frame.asks.push(Word::Top);
        let count = match self.peek(1) {
            Some(Meaning::Number(quantity)) if quantity.value.scale() == 0 => {
                u32::try_from(quantity.value.mantissa()).ok()
            }
            Some(Meaning::Word(Word::Small(count))) => Some(*count),
            _ => None,
        };
        let Some(count) = count.filter(|count| *count > 0) else { return false };
        self.frame.rank.top = Some(count);
        self.at += 2;
        true
    }

    /// `what is the salary of`: one value is expected, so several are no sure answer.
    pub(super) fn is_singular(&self) -> bool {
        let text = self.texts[self.at].to_lowercase();
        text.ends_with(" is")
            || text.ends_with(" was")
            || text.ends_with(" ist")
            || text.ends_with(" war")
            || text.starts_with("how ")
            || matches!(
                text.as_str(),
                "what's" | "whats" | "what's the" | "wie hoch" | "wie groß" | "wie klein" | "wie lautet"
            )
    }

    pub(super) fn is_relative(&self) -> bool {
        self.at > 0
            && matches!(
                self.pieces[self.at - 1],
                Meaning::Column(_)
                    | Meaning::Noun
                    | Meaning::Value { .. }
                    | Meaning::Word(Word::People | Word::Records)
            )
            && !self.frame.asks.is_empty()
    }

    pub(super) fn is_superlative_top(&self) -> bool {
        matches!(self.peek(1 + self.fillers(1)), Some(Meaning::Column(_)))
            && self.frame.rank.extreme.is_none()
            && self.frame.rank.most.is_none()
    }
}
