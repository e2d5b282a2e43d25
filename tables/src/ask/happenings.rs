//! Which moment of a row a word speaks of: what was borrowed in April was `loaned` then, what came in was `Bezahlt am`, the return date is
//! that of `returned`.

use super::frame::Parser;
use super::pieces::Meaning;
use crate::query::Filter;
use crate::table::Table;
use crate::{vocabulary, words};

/// Words for one thing that happens to a record, as questions and names of columns have them, English and German. A phrase of two words
/// has a low line between them.
const HAPPENINGS: &[&str] = &[
    "paid pay pays paying payment payments bezahlt bezahlen zahlt zahlte zahlten gezahlt zahlung zahlungen beglichen überwiesen \
     eingegangen zahlungseingang eingangsdatum came_in come_in coming_in received settled",
    "borrowed borrow borrows borrowing lent lend loaned loan loans issued issue checked_out checkout check_out took_out taken_out \
     ausgeliehen geliehen ausleihe ausleihen entliehen verliehen ausgegeben ausgabe",
    "returned return returns returning came_back come_back comes_back brought_back bring_back gave_back given_back handed_back zurück \
     zurückgegeben zurückgebracht zurückgekommen zurückgeben zurückkommen rückgabe back",
    "arrival arrive arrives arrived arriving check_in checked_in checks_in checking_in checkin anreise anreisen anreist angereist \
     ankunft ankommen ankommt ankamen angekommen",
    "departure depart departs departed departing check_out checked_out checks_out checking_out checkout leave leaves leaving left \
     abreise abreisen abreist abgereist abfahrt abfahren abgefahren abflug",
    "booked book booking reserved reservation gebucht buchung buchen reserviert made",
    "opened open opening created create creation reported report raised raise submitted submit submission filed logged came_in come_in \
     eröffnet angelegt erstellt gemeldet meldung eingereicht eingegangen aufgegeben aufgenommen",
    "accepted taken_in took_in brought_in dropped_off handed_in angenommen annahme abgegeben abgabe received came_in eingegangen",
    "received receive receipt arrived came_in come_in eingegangen eingang erhalten angekommen bekommen",
    "closed close closing resolved resolve resolution finished finish completed complete completion solved solve done fixed \
     geschlossen erledigt erledigung abgeschlossen abschluss gelöst fertig fertiggestellt beendet",
    "collected collect collection picked_up pick_up pickup abgeholt abholung abholen abholten",
    "shipped ship shipping dispatched sent send went_out versandt versendet verschickt versand abgeschickt",
    "delivered deliver delivery geliefert ausgeliefert lieferung zugestellt zustellung liefern",
    "ordered order orders placed bestellt bestellung bestellen",
    "invoiced invoice billed bill issued berechnet fakturiert rechnung ausgestellt",
    "joined join joining joins hired hire hiring started start starting enrolled enrolment enrollment registered registration \
     signed_up sign_up eingetreten eintritt eintreten eintraten eintrat beigetreten beitritt angefangen eingestellt einstellung angemeldet anmeldung \
     begonnen beginn",
    "left leave leaving quit resigned terminated termination ended end ausgetreten austritt austreten austraten austrat gekündigt kündigung \
     ausgeschieden beendet ende",
    "moved_in move_in einzug eingezogen einziehen",
    "moved_out move_out auszug ausgezogen ausziehen",
    "counted count counting stocktake inventory gezählt zählung inventur",
    "checked check inspected inspection inspect audited audit tested test serviced service geprüft prüfung kontrolliert kontrolle \
     gewartet wartung inspektion",
    "updated update changed change modified edited geändert änderung aktualisiert bearbeitet",
    "published publish released release veröffentlicht erschienen erscheinung",
    "approved approve approval genehmigt genehmigung freigegeben freigabe",
    "sown sow sowed planted plant planting gesät aussaat gepflanzt pflanzung",
    "harvested harvest picked geerntet ernte",
    "expires expire expired expiry expiration abläuft ablaufen abgelaufen ablauf",
    "admitted admission aufgenommen aufnahme",
    "discharged discharge entlassen entlassung",
    "adopted adoption rehomed vermittelt vermittlung adoptiert",
    "seen visited visit last_seen gesehen besucht besuch",
    "died death gestorben verstorben tod",
    "installed install installation installiert eingebaut einbau",
    "sold sale sell verkauft verkauf",
    "bought purchased purchase buy gekauft kauf angeschafft anschaffung",
];

/// Whether two words, or phrases of two, speak of one thing that happens.
pub(super) fn are_one(said: &str, part: &str) -> bool {
    HAPPENINGS.iter().any(|group| {
        let has = |word: &str| group.split_whitespace().any(|other| other == word);
        has(said) && has(part)
    })
}

/// Words, and phrases of two of them.
fn with_pairs(single: &[String]) -> Vec<String> {
    let pairs = single.windows(2).map(|pair| format!("{}_{}", pair[0], pair[1]));
    single.iter().cloned().chain(pairs).collect()
}

/// Whether a word speaks of what a column is called by.
fn speaks_of(table: &Table, column: usize, said: &str) -> bool {
    let says_something = |part: &String| !SAY_WHEN.contains(&part.as_str()) && part.chars().count() > 2;
    let mut parts = with_pairs(&words::parts(&table.columns[column].name));
    parts.retain(says_something);
    parts.iter().any(|part| {
        said.chars().count() > 3
            && (words::same_word(part, said)
                || words::verb_root(part) == words::verb_root(said)
                // A turnover is none of the days on which something was paid.
                || vocabulary::are_synonyms(part, said) && !vocabulary::names_money(&[said.to_owned()]))
            || are_one(said, part)
    })
}

/// The only column of moments of which a word speaks; none if the table has but one.
pub(super) fn moment_of_word(table: &Table, said: &str) -> Option<usize> {
    let is_called = |column: &usize| table.columns[*column].is_moment() && speaks_of(table, *column, said);
    let mut found = (0..table.columns.len()).filter(is_called);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Words that say when, and of themselves nothing that happens.
const SAY_WHEN: &[&str] = &[
    "date", "dates", "day", "days", "time", "when", "datum", "tag", "tage", "tagen", "wann", "zeit", "last",
];

/// Of several columns of moments, the only one of which the words around a place speak, the nearest first.
pub(super) fn moment_near(table: &Table, texts: &[String], at: usize) -> Option<usize> {
    let mut near: Vec<(usize, String)> = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        // Before a time stands what it is said of, in German behind it as often.
        let distance = if index <= at { (at - index) * 2 } else { (index - at) * 2 + 1 };
        let single = words::value_words(text);
        near.extend(with_pairs(&single).into_iter().map(|word| (distance, word)));
        if let ([first], Some([second])) =
            (single.as_slice(), texts.get(index + 1).map(|next| words::value_words(next)).as_deref())
        {
            near.push((distance, format!("{first}_{second}")));
        }
    }
    // A phrase before its words.
    near.sort_by_key(|(distance, word)| (*distance, !word.contains('_')));
    near.iter()
        .filter(|(_, word)| !SAY_WHEN.contains(&word.as_str()))
        .find_map(|(_, word)| moment_of_word(table, word))
}

impl Parser<'_> {
    /// The only column of moments, or the one of which the words around speak, or the first: all but the only one are guesses.
    pub(super) fn moment_spoken_of(&mut self) -> Option<usize> {
        if let Some(only) = self.table.moment_column() {
            return Some(only);
        }
        // `has not paid in July`: not the moment that is not there.
        let is_absent = |column: &usize| {
            self.pieces.iter().any(|piece| {
                matches!(piece, Meaning::Absent(absent) | Meaning::Holds(Filter::Missing(absent)) if absent == column)
            })
        };
        if (0..self.table.columns.len()).any(|column| is_absent(&column)) {
            self.frame.doubt.guesses += 3;
            let is_there = |column: &usize| self.table.columns[*column].is_moment() && !is_absent(column);
            return (0..self.table.columns.len()).find(is_there);
        }
        if let Some(spoken_of) = moment_near(self.table, self.texts, self.at) {
            self.frame.doubt.guesses += 3;
            let name = &self.table.columns[spoken_of].name;
            self.frame.doubt.notes.push(format!("of several times, {name} was taken"));
            return Some(spoken_of);
        }
        self.table.moment_or_first(&mut self.frame.doubt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;

    #[test]
    fn the_nearest_verb_says_which_of_several_moments_is_meant() {
        let text = "card,loaned,due,returned\n1,2025-01-02,2025-01-20,2025-01-15\n2,2025-02-02,2025-02-20,\n";
        let loans = Table::load("loans.csv", text, &LoadOptions::default()).unwrap();
        let named = |question: &str| {
            let texts: Vec<String> = question.split(' ').map(str::to_owned).collect();
            let at = texts.iter().position(|text| text == "April").unwrap();
            moment_near(&loans, &texts, at).map(|column| loans.columns[column].name.clone())
        };
        assert_eq!(named("how many cards borrowed something in April").as_deref(), Some("loaned"));
        assert_eq!(named("what came back in April").as_deref(), Some("returned"));
        assert_eq!(named("which of those borrowed came back in April").as_deref(), Some("returned"));
        assert_eq!(named("was im April zurückgegeben wurde").as_deref(), Some("returned"));
        assert_eq!(named("how many were there in April"), None);
    }
}
