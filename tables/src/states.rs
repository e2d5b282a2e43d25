//! Words for one state of something: what failed is a failure, and `fehlgeschlagen`.

/// Words for one state of something, as values and questions have them, English and German.
const STATES: &[&str] = &[
    "failed fail fails failure failures failing fehlgeschlagen gescheitert error errors err fehler crashed crash broke unsuccessful nok \
     ko wrong abgebrochen aborted",
    "ok okay success successful successfully succeeded succeed erfolgreich erfolg passed completed complete done finished",
    "cancelled canceled cancel cancellation cancellations cancels storniert stornierung stornos abgesagt void",
    "refunded refund refunds erstattet erstattung rückerstattung",
    "open offen pending unresolved outstanding ausstehend ongoing laufend unfinished new neu",
    "closed geschlossen resolved solved erledigt abgeschlossen fixed gelöst",
    "urgent dringend critical kritisch emergency notfall",
    "cash bar barzahlung",
    "card karte kartenzahlung kreditkarte ec",
    "transfer überweisung wire",
    "morning morgens morgen früh vormittags mornings",
    "evening abends abend evenings",
    "noon mittags mittag",
    "night nachts nacht nights",
    "ill sick krank krankheit krankgemeldet sickness",
    "holiday holidays vacation urlaub urlaubstage urlaubstag leave",
    "returned zurückgegeben zurückgeschickt retoure retour",
    "shipped versendet verschickt versandt sent",
    "delivered zugestellt ausgeliefert geliefert",
    "paid bezahlt beglichen",
    "absent abwesend fehlend",
    "rejected abgelehnt declined denied refused",
    "approved genehmigt bewilligt",
    "draw draws tie tied unentschieden",
    "postponed verschoben verlegt",
    "broken defect defekt kaputt damaged beschädigt",
    "train zug bahn rail",
    "bike bicycle fahrrad rad",
    "car auto pkw",
    "foot fuß walk walking zu",
    "cat cats katze katzen",
    "dog dogs hund hunde",
    "rabbit rabbits kaninchen hase",
    "medicine medizin medical",
    "law jura recht",
    "arts kunst",
    "engineering ingenieurwesen technik",
    "donation donations spende spenden gespendet donated",
    "membership mitgliedsbeitrag mitgliedsbeiträge subscription",
    "food essen lebensmittel verpflegung groceries",
    "drinks getränke beverages",
    "rent miete mieten",
    "travel reise reisen fahrtkosten",
    "taxi taxis cab cabs",
    "hotel accommodation unterkunft lodging",
    "accepted angenommen akzeptiert",
];

/// Other words for the state that a word names.
pub(crate) fn other_states(word: &str) -> impl Iterator<Item = &'static str> {
    let group = STATES.iter().find(|group| group.split(' ').any(|other| other == word));
    group.into_iter().flat_map(|group| group.split(' ')).filter(move |other| !other.is_empty())
}
