//! States that people say in a phrase: `didn't show`, `called off`, `missing pages`, `a POST that ended in a 401`. And the first home.

use super::{Recast, TOGETHER};
use crate::ask::lexicon::{Hint, Word};
use crate::ask::pieces::{Meaning, Piece};
use crate::ask::superlatives::only_fitting;
use crate::query::{Aggregate, Cell, Comparison, Filter, Function, Literal, Query, TextTest};
use crate::words;
use rust_decimal::Decimal;

/// What people say of a state, and the values by which files say it. The first that stands in the table is taken.
const SAID_STATES: &[(&[&str], &[&str])] = &[
    (
        &[
            "no-shows",
            "no-show",
            "no shows",
            "no show",
            "failed to attend",
            "fail to attend",
            "fail to show up",
            "fail to show",
            "fail to turn up",
            "didn't show up",
            "did not show up",
            "didn't show",
            "did not show",
            "failed to show up",
            "failed to show",
            "never showed up",
            "never showed",
            "didn't turn up",
            "did not turn up",
            "never turned up",
            "failed to turn up",
            "didn't come",
            "did not come",
            "didn't attend",
            "did not attend",
            "failed to attend",
            "didn't appear",
            "nicht erschienen sind",
            "nicht erschienen",
            "nicht gekommen sind",
            "nicht gekommen",
            "nicht aufgetaucht",
            "nicht aufgekreuzt",
            "stayed away",
            "weggeblieben",
            "noshows",
            "noshow",
        ],
        &[
            "no show",
            "noshow",
            "dna",
            "did not attend",
            "fta",
            "nicht erschienen",
            "not attended",
            "missed",
            "absent",
            "abwesend",
            "ausgefallen",
            "fehlt",
        ],
    ),
    (
        &[
            "actually showed up",
            "showed up",
            "turned up",
            "actually came",
            "did come",
            "did attend",
            "wahrgenommen",
            "erschienen sind",
            "erschienen",
            "aufgetaucht",
        ],
        &[
            "attended",
            "present",
            "anwesend",
            "erschienen",
            "wahrgenommen",
            "checked in",
            "came",
            "arrived",
            "show",
        ],
    ),
    (
        &[
            "called off",
            "fell through",
            "were off",
            "didn't go ahead",
            "did not go ahead",
            "didn't take place",
            "did not take place",
            "scrapped",
            "ist ausgefallen",
            "sind ausgefallen",
            "ausgefallen",
            "abgeblasen",
            "fiel aus",
            "fielen aus",
            "nicht stattgefunden",
            "weggefallen",
        ],
        &["cancelled", "canceled", "storniert", "abgesagt", "ausgefallen", "entfallen", "called off"],
    ),
    (
        &[
            "turned down",
            "knocked back",
            "bounced back",
            "refused",
            "denied",
            "thrown out",
            "zurückgewiesen",
            "verworfen",
        ],
        &["rejected", "declined", "denied", "refused", "abgelehnt", "failed", "returned"],
    ),
    (
        &[
            "went through",
            "gone through",
            "go through",
            "cleared",
            "made it through",
            "durchgegangen",
            "gingen durch",
            "hat geklappt",
            "haben geklappt",
            "worked out",
        ],
        &[
            "settled",
            "completed",
            "success",
            "succeeded",
            "ok",
            "approved",
            "paid",
            "accepted",
            "ausgeführt",
            "erfolgreich",
            "passed",
        ],
    ),
    (
        &[
            "went wrong",
            "gone wrong",
            "go wrong",
            "didn't work",
            "did not work",
            "schiefgegangen",
            "schiefgelaufen",
            "schief gegangen",
            "nicht geklappt",
            "blew up",
            "broke down",
            "fell over",
        ],
        &["failed", "failure", "error", "fehler", "fehlgeschlagen", "rejected", "nok"],
    ),
    (
        &[
            "signed off",
            "given the go-ahead",
            "given the green light",
            "green-lit",
            "durchgewunken",
            "freigegeben",
        ],
        &["approved", "genehmigt", "freigegeben", "accepted"],
    ),
    (
        &["sent back", "given back", "brought back", "zurückgeschickt", "zurückgegangen", "zurückgegeben"],
        &["returned", "retoure", "zurückgegeben", "zurückgeschickt", "retour"],
    ),
    (
        &["in the works", "under way", "being worked on", "in arbeit", "in bearbeitung"],
        &["in progress", "open", "in arbeit", "in bearbeitung", "started", "running"],
    ),
    (
        &["on ice", "parked", "put on hold", "zurückgestellt", "pausiert"],
        &["on hold", "paused", "pausiert", "zurückgestellt", "waiting"],
    ),
    (&["timed out", "ran into a timeout", "ran out of time"], &["timeout", "timed out", "time out"]),
    (
        &["off sick", "out sick", "called in sick", "krankgemeldet", "krankgeschrieben"],
        &["sick", "ill", "krank"],
    ),
    (
        &["on holiday", "on vacation", "on leave", "im urlaub"],
        &["holiday", "vacation", "leave", "urlaub", "annual leave"],
    ),
    (
        &["by direct debit", "via direct debit", "per lastschrift", "per einzug", "per bankeinzug"],
        &["direct debit", "dd", "lastschrift", "sepa", "einzug"],
    ),
    (
        &["by bank transfer", "via bank transfer", "by transfer", "per überweisung"],
        &["bank transfer", "transfer", "überweisung", "bacs", "wire", "sepa"],
    ),
    (&["in cash", "with cash", "in bar", "bar bezahlt"], &["cash", "bar", "barzahlung"]),
    (
        &["over the phone", "by phone", "by telephone", "per telefon", "telefonisch", "am telefon"],
        &["phone", "telephone", "telefon", "tel", "call"],
    ),
    (
        &["walked in", "in person", "persönlich", "vor ort"],
        &["walk in", "in person", "counter", "desk", "persönlich", "vor ort", "theke"],
    ),
    (&["by email", "by mail", "per mail", "per e-mail", "by e-mail"], &["email", "e mail", "mail"]),
    (
        &[
            "over the web",
            "on the website",
            "via the website",
            "through the website",
            "im netz",
            "im internet",
        ],
        &["web", "online", "website", "internet"],
    ),
];

/// What people say of what a web server answered, and its codes from the first to the last.
const SAID_CODES: &[(&[&str], u32, u32)] = &[
    (
        &[
            "missing pages",
            "missing page",
            "missing files",
            "missing urls",
            "pages not found",
            "page not found",
            "not found",
            "could not be found",
            "couldn't be found",
            "broken links",
            "dead links",
            "dead pages",
            "nicht gefunden",
            "nicht gefundene",
            "nicht gefundenen",
            "fehlende seiten",
            "fehlenden seiten",
            "tote links",
            "did not exist",
            "don't exist",
            "didn't exist",
        ],
        404,
        404,
    ),
    (
        &[
            "redirects",
            "redirected",
            "redirections",
            "redirect",
            "umgeleitet",
            "weiterleitungen",
            "weitergeleitet",
            "umleitungen",
        ],
        300,
        399,
    ),
    (&["were forbidden", "forbidden", "verboten", "access denied", "zugriff verweigert"], 403, 403),
    (&["unauthorised", "unauthorized", "not authorised", "not authorized", "nicht autorisiert"], 401, 401),
    (&["too many requests", "rate limited", "rate-limited", "throttled", "gedrosselt"], 429, 429),
    (&["not modified", "unmodified", "unverändert"], 304, 304),
    (&["bad gateway"], 502, 502),
    (&["gateway timeouts", "gateway timeout"], 504, 504),
    (&["service unavailable", "were unavailable", "nicht verfügbar"], 503, 503),
    (
        &[
            "successful requests",
            "were successful",
            "succeeded",
            "successfully",
            "successful",
            "erfolgreich",
            "erfolgreiche",
            "erfolgreichen",
        ],
        200,
        299,
    ),
    (
        &[
            "failed requests",
            "requests failed",
            "unsuccessful requests",
            "went wrong",
            "fehlgeschlagene",
            "fehlgeschlagenen",
            "fehlgeschlagen",
        ],
        400,
        599,
    ),
];

/// Words between a request and the code that it got.
const ENDED_IN: &[&str] = &[
    "ended up with a",
    "ended up with",
    "ended up as a",
    "end up with a",
    "end up as a",
    "ended in a",
    "end in a",
    "ends in a",
    "ending in a",
    "ended in",
    "end in",
    "ended with a",
    "ended with",
    "end with a",
    "end with",
    "resulted in a",
    "resulted in",
    "result in a",
    "came back with a",
    "came back as a",
    "come back with a",
    "came back as",
    "came back with",
    "answered with a",
    "answered with",
    "responded with a",
    "responded with",
    "got a",
    "get a",
    "gave a",
    "give a",
    "threw a",
    "endeten mit",
    "endete mit",
    "enden mit",
    "endeten in",
    "endete in",
    "mit einem",
    "mit einer",
    "met with a",
];

/// What says that somebody came to the end of a race.
const HOME: &[&str] = &[
    "home",
    "across the line",
    "over the line",
    "across the finish line",
    "over the finish line",
    "to finish",
    "to cross the line",
    "to cross the finish line",
    "past the post",
    "to the finish",
    "ins ziel gekommen",
    "ins ziel",
    "im ziel",
    "durchs ziel",
    "über die ziellinie",
    "to come in",
    "to get home",
    "to arrive",
];

impl Recast<'_> {
    pub(super) fn tell_phrased(&mut self) {
        self.tell_times_or_more();
        self.tell_codes();
        self.tell_said_states();
        self.tell_first_home();
        self.tell_records_broken();
    }

    /// `didn't show`: the value that says so, so that it can stand beside another one.
    fn tell_said_states(&mut self) {
        for (phrases, values) in SAID_STATES {
            let Some(words) = self.any_phrase(phrases).filter(|words| self.is_whole(words)) else { continue };
            // A value of the table says it as it stands.
            let is_value = |at: usize| self.value_of(self.words[at].1).is_some();
            if words.clone().all(is_value) {
                continue;
            }
            let found = values.iter().find_map(|value| {
                self.table.values().whole(&words::value_words(value)).first().map(|hit| {
                    let spellings = hit.spellings.iter().map(|(spelling, _)| spelling.clone());
                    (hit.column, spellings.collect::<Vec<_>>())
                })
            });
            if let Some((column, values)) = found {
                // Not in the same words, so that nothing else is read into them.
                let text: Vec<&str> =
                    self.words[words.clone()].iter().map(|(word, _)| word.as_str()).collect();
                let meaning = Meaning::Value { column, values, folded: false };
                let piece = Piece::of(text.join("_"), meaning, TOGETHER + 1);
                self.put(words, vec![piece]);
            } else if let Some(filter) = self.stands_in_texts(values) {
                self.hold(words, filter, 2);
            }
        }
    }

    /// `three times or more`: at least three times.
    fn tell_times_or_more(&mut self) {
        let behind = ["or more", "or oftener", "oder öfter", "oder häufiger", "oder mehr", "und öfter"];
        let Some(more) = self.any_phrase(&behind).filter(|words| words.start > 1 && self.is_whole(words))
        else {
            return;
        };
        let is_times = matches!(self.word(more.start - 1), "times" | "mal" | "male");
        let number = self.words[more.start - 2].1;
        if !is_times || number == self.words[more.start - 1].1 {
            return;
        }
        self.drop_words(more);
        let compare = Piece::of("at least".to_owned(), Meaning::Word(Word::Compare(Comparison::AtLeast)), 0);
        self.pieces.insert(number, compare);
        self.count_words();
    }

    /// The only column in whose texts one of some words stands.
    fn stands_in_texts(&self, texts: &[&str]) -> Option<Filter> {
        let of =
            |column: usize, text: &str| Filter::Text { column, test: TextTest::Word, text: text.to_owned() };
        let is_there = |filter: &Filter| {
            let count = Query::number(Aggregate::count(), Some(filter.clone()));
            self.table.run(&count).is_ok_and(|outcome| outcome.matched > 0)
        };
        texts.iter().filter(|text| text.chars().count() > 5).find_map(|text| {
            let columns =
                (0..self.table.columns.len()).filter(|column| self.table.columns[*column].is_text());
            let mut found = columns.map(|column| of(column, text)).filter(is_there);
            let first = found.next()?;
            found.next().is_none().then_some(first)
        })
    }

    /// `broke four hours`: was faster.
    fn tell_records_broken(&mut self) {
        let Some(at) =
            self.position(&["broke", "break", "breaking", "beat", "broken", "sub", "unterbot", "unterboten"])
        else {
            return;
        };
        let is_time =
            self.words.get(at + 1).is_some_and(|(_, piece)| match self.pieces[*piece].options.first() {
                Some((Meaning::Number(quantity), _)) => quantity.unit.is_some(),
                Some((Meaning::Time(_), _)) => true,
                _ => false,
            });
        if is_time && self.is_whole(&(at..at + 1)) && only_fitting(self.table, Hint::Duration).is_some() {
            self.take(at..at + 1, Meaning::Word(Word::Compare(Comparison::Less)), 1);
        }
    }

    /// `were renewed at least once`, `never renewed`, of a column that counts how often.
    pub(super) fn tell_how_often(&mut self) {
        let once =
            self.any_phrase(&["at least once", "mindestens einmal", "once or more", "wenigstens einmal"]);
        let never = self.any_phrase(&["never", "nie", "niemals", "kein einziges mal"]);
        let (words, comparison, number) = match (once, never) {
            (Some(words), _) => (words, Comparison::AtLeast, Decimal::ONE),
            (None, Some(words)) => (words, Comparison::Equal, Decimal::ZERO),
            _ => return,
        };
        let near = words.start.saturating_sub(2)..(words.end + 2).min(self.words.len());
        let counted = near.filter(|at| !words.contains(at)).find_map(|at| {
            let column = self.column_of(self.words[at].1)?;
            let described = &self.table.columns[column];
            let counts = described.is_numeric()
                && described.scale() == Some(0)
                && !self.table.holds_codes(column)
                && described.unit_label().is_empty();
            counts.then_some((at, column))
        });
        let Some((at, column)) = counted else { return };
        let filter = Filter::Compare { column, comparison, value: Literal::Number(number) };
        let (start, end) = (at.min(words.start), (at + 1).max(words.end));
        if self.is_whole(&(start..end)) {
            self.hold(start..end, filter, 1);
        }
    }

    fn holds_codes_of_http(&self, column: usize) -> bool {
        let end = |function: Function| {
            let outcome = self.table.run(&Query::number(Aggregate::of(function, column), None)).ok()?;
            match outcome.single()? {
                Cell::Number(number) => Some(*number),
                _ => None,
            }
        };
        end(Function::Min).is_some_and(|least| least >= Decimal::from(100))
            && end(Function::Max).is_some_and(|most| most < Decimal::from(600))
    }

    /// The only column of the codes with which a server answered.
    fn codes(&self) -> Option<usize> {
        let is_code = |column: &usize| {
            let described = &self.table.columns[*column];
            described.is_numeric()
                && words::parts(&described.name)
                    .iter()
                    .any(|part| matches!(part.as_str(), "status" | "code" | "http"))
                && self.holds_codes_of_http(*column)
        };
        let mut found = (0..self.table.columns.len()).filter(is_code);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    fn is_code(&self, at: usize) -> bool {
        self.word(at).parse::<u32>().is_ok_and(|code| (100..600).contains(&code))
            || self.word(at).len() == 3 && self.word(at).ends_with("xx")
    }

    fn tell_codes(&mut self) {
        let Some(column) = self.codes() else { return };
        // `end in a 401`
        for phrase in ENDED_IN {
            if let Some(words) = self.phrase(phrase)
                && self.is_code(words.end)
                && self.is_whole(&words)
            {
                self.drop_words(words);
                break;
            }
        }
        let has_code = (0..self.words.len()).any(|at| self.is_code(at));
        for (phrases, from, to) in SAID_CODES {
            let Some(words) = self.any_phrase(phrases).filter(|words| self.is_whole(words)) else { continue };
            // `missing pages`: the pages are asked for.
            let ends_in_page = matches!(
                self.word(words.end - 1),
                "pages" | "page" | "files" | "urls" | "links" | "seiten" | "requests"
            );
            let names = words.len() > 1
                && ends_in_page
                && !matches!(self.word(words.start), "pages" | "page" | "requests");
            let end = if names { words.end - 1 } else { words.end };
            if has_code {
                // The code says it again.
                self.drop_words(words.start..end);
                continue;
            }
            let of = |code: u32| Literal::Number(Decimal::from(code));
            let filter = if from == to {
                Filter::Compare { column, comparison: Comparison::Equal, value: of(*from) }
            } else {
                Filter::Between { column, from: of(*from), to: of(*to), includes_end: true }
            };
            self.hold(words.start..end, filter, 1);
            return;
        }
    }

    /// `the first woman home`, `als Erste ins Ziel`: the fastest.
    fn tell_first_home(&mut self) {
        let firsts = ["first", "erste", "erster", "ersten", "last", "letzte", "letzter", "letzten"];
        let Some(first) = self.position(&firsts) else { return };
        let Some(time) = only_fitting(self.table, Hint::Duration) else { return };
        let Some(words) = self.any_phrase(HOME).filter(|words| self.is_whole(words)) else { return };
        if words.start.abs_diff(first) > 4
            || !self.asks(|word| matches!(word, Word::Who | Word::Which | Word::When))
        {
            return;
        }
        let is_last = matches!(self.word(first), "last" | "letzte" | "letzter" | "letzten");
        self.drop_words(words);
        let at = self.position(&firsts).unwrap_or(first);
        let superlative =
            Piece::of("fastest".to_owned(), Meaning::Word(Word::Extreme(is_last, Hint::None)), TOGETHER);
        let named = Piece::of(self.table.columns[time].name.clone(), Meaning::Column(time), 0);
        self.put(at..at + 1, vec![superlative, named]);
    }
}
