//! What happened by the messages of a log: who got in, who was refused, how they came.

use super::Recast;
use crate::ask::pieces::Meaning;
use crate::query::{Aggregate, Filter, Query, TextTest};
use crate::read::Format;
use crate::vocabulary;

/// What people say of a message, and the words that stand in it. All words of one list must be there.
const EVENTS: &[(&[&str], &[&str])] = &[
    (
        &[
            "logged in successfully",
            "successfully logged in",
            "successful logins",
            "successful login",
            "logged in",
            "got in",
            "get in",
            "accepted logins",
            "accepted login",
            "logins succeeded",
            "erfolgreich angemeldet",
            "erfolgreich eingeloggt",
            "angemeldet",
            "eingeloggt",
            "erfolgreiche anmeldungen",
            "erfolgreiche logins",
            "log in",
            "were let in",
        ],
        &["accepted"],
    ),
    (
        &[
            "failed passwords",
            "failed password attempts",
            "failed password",
            "wrong passwords",
            "wrong password",
            "falsche passwörter",
            "falsches passwort",
            "password failures",
        ],
        &["failed password"],
    ),
    (
        &[
            "failed login attempts",
            "failed logins",
            "failed login",
            "failed attempts",
            "login failures",
            "unsuccessful logins",
            "unsuccessful login attempts",
            "fehlgeschlagene anmeldungen",
            "fehlgeschlagene logins",
            "fehlgeschlagenen anmeldungen",
            "fehlgeschlagenen logins",
            "fehlgeschlagene anmeldeversuche",
            "fehlgeschlagene login-versuche",
            "fehlversuche",
            "failed sign-ins",
            "failed tries",
        ],
        &["failed password"],
    ),
    (
        &[
            "invalid users",
            "invalid user",
            "unknown users",
            "users that do not exist",
            "non-existent users",
            "nonexistent users",
            "ungültige benutzer",
            "unbekannte benutzer",
            "ungültigen benutzern",
            "unbekannten benutzern",
            "invalid user names",
            "invalid usernames",
            "invalid accounts",
        ],
        &["invalid user"],
    ),
    (
        &[
            "with a public key",
            "by public key",
            "using a public key",
            "with a key",
            "with public key",
            "with keys",
            "by key",
            "using a key",
            "using keys",
            "mit einem schlüssel",
            "mit schlüssel",
            "per schlüssel",
            "mit public key",
        ],
        &["publickey"],
    ),
    (
        &[
            "done with a password",
            "with a password",
            "using a password",
            "by password",
            "with password",
            "with passwords",
            "mit passwort",
            "mit einem passwort",
            "per passwort",
        ],
        &["password"],
    ),
    (
        &[
            "sessions opened",
            "sessions were opened",
            "opened sessions",
            "session opened",
            "geöffnete sitzungen",
        ],
        &["session opened"],
    ),
    (
        &["sudo commands", "sudo command", "ran sudo", "used sudo", "run with sudo", "sudo-befehle"],
        &["command"],
    ),
];

impl Recast<'_> {
    pub(super) fn tell_events(&mut self) {
        if self.table.format() != Format::Syslog {
            return;
        }
        let Some(message) = (0..self.table.columns.len()).find(|column| {
            let name = self.table.columns[*column].name.to_lowercase();
            self.table.columns[*column].is_text()
                && (name == "message" || vocabulary::are_synonyms("message", &name))
        }) else {
            return;
        };
        for (phrases, texts) in EVENTS {
            let Some(words) = self.any_phrase(phrases).filter(|words| self.is_whole(words)) else { continue };
            let found: Vec<Filter> = texts
                .iter()
                .map(|text| Filter::Text { column: message, test: TextTest::Word, text: (*text).to_owned() })
                .collect();
            let Some(filter) = Filter::all(found) else { continue };
            let count = Query::number(Aggregate::count(), Some(filter.clone()));
            if !self.table.run(&count).is_ok_and(|outcome| outcome.matched > 0) {
                continue;
            }
            // `failed attempts` are counted, `got in` is said of somebody.
            let names_records = matches!(
                self.word(words.end - 1),
                "passwords"
                    | "logins"
                    | "login"
                    | "attempts"
                    | "tries"
                    | "failures"
                    | "anmeldungen"
                    | "commands"
                    | "command"
                    | "sitzungen"
                    | "password"
                    | "anmeldeversuche"
                    | "fehlversuche"
            );
            let start = words.start;
            self.hold(words, filter, 0);
            if names_records {
                let at = self.words[start].1 + 1;
                let records = super::Piece::of(
                    "attempts".to_owned(),
                    Meaning::Word(crate::ask::lexicon::Word::Records),
                    0,
                );
                self.pieces.insert(at, records);
                self.count_words();
            }
        }
        if self.changes > 0 {
            // `were done with a password instead of a key`
            if let Some(at) = self.any_phrase(&[
                "instead of a key",
                "instead of keys",
                "instead of a password",
                "rather than a key",
                "statt mit schlüssel",
                "statt schlüssel",
            ]) {
                self.drop_words(at);
            }
        }
    }
}
