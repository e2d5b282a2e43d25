//! Words that name columns and mean the same, English and German. Each line is one concept.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::words;

/// Words of one meaning. The first names the concept; a column may be called by any of them.
const CONCEPTS: &[&[&str]] = &[
    &[
        "salary",
        "gehalt",
        "wage",
        "pay",
        "lohn",
        "earn",
        "earns",
        "earning",
        "earned",
        "verdient",
        "verdienen",
        "verdienst",
        "compensation",
        "income",
        "einkommen",
        "zahlen",
        "zahlt",
        "payroll",
    ],
    &[
        "amount",
        "betrag",
        "sum",
        "summe",
        "value",
        "wert",
        "total",
        "umsatz",
        "revenue",
        "turnover",
        "sale",
        "sales",
        "erlös",
        "spent",
        "spend",
        "spends",
        "paid",
        "pays",
        "rechnungsbetrag",
        "money",
        "geld",
        "ausgegeben",
        "worth",
        "zahlen",
        "bezahlt",
        "amt",
        "paying",
        "net",
        "gross",
        "netto",
        "brutto",
    ],
    &[
        "price",
        "preis",
        "cost",
        "costs",
        "kosten",
        "kostet",
        "unit price",
        "stückpreis",
        "einzelpreis",
        "fee",
        "gebühr",
        "expensive",
        "teuer",
    ],
    &[
        "quantity",
        "qty",
        "menge",
        "anzahl",
        "units",
        "unit",
        "stück",
        "stückzahl",
        "pieces",
        "items",
        "count",
        "number of items",
    ],
    &["customer", "kunde", "kundin", "client", "buyer", "käufer", "kundenname", "account"],
    &["employee", "mitarbeiter", "mitarbeiterin", "staff", "worker", "angestellter", "person", "personal"],
    &["user", "benutzer", "nutzer", "username", "login", "anwender"],
    &["name", "who", "wer", "heißt"],
    &["department", "dept", "abteilung", "team", "bereich", "division"],
    &["city", "stadt", "ort", "town", "place", "wohnort"],
    &["country", "land", "nation"],
    &["region", "gebiet", "area", "district", "zone"],
    &["date", "datum", "day", "tag", "when", "wann"],
    &["time", "zeit", "timestamp", "ts", "zeitpunkt", "uhrzeit", "zeitstempel", "when", "wann"],
    &["status", "state", "zustand", "stand"],
    &["product", "produkt", "item", "artikel", "article", "sku", "ware"],
    &["category", "kategorie", "type", "typ", "kind", "art", "class", "gruppe", "group", "cat"],
    &["transaction", "tx", "txn", "transaktion", "trx", "payment", "zahlung", "booking", "buchung"],
    &["booking", "buchung", "reservation", "reservierung", "stay"],
    &["order", "bestellung", "bestellungen", "auftrag", "aufträge", "purchase"],
    &["invoice", "rechnung", "rechnungen", "bill"],
    &["attempts", "attempt", "tries", "versuche", "versuch"],
    &["tenant", "mieter"],
    &["id", "number", "nummer", "nummern", "nr", "no", "key", "code", "kennung", "identifier"],
    &["level", "severity", "stufe", "loglevel", "priority", "priorität", "schweregrad"],
    &[
        "latency",
        "latenz",
        "duration",
        "dauer",
        "elapsed",
        "took",
        "response time",
        "antwortzeit",
        "runtime",
        "laufzeit",
        "ms",
        "millisecond",
        "dauerte",
        "dauert",
        "dauern",
        "gedauert",
    ],
    &["size", "größe", "bytes", "length", "länge", "len"],
    &["age", "alter", "alt", "old"],
    &["weight", "gewicht", "weigh", "weighs", "wiegt", "mass"],
    &["height", "höhe", "größe", "tall"],
    &["email", "mail", "e-mail"],
    &["phone", "telefon", "telephone", "tel"],
    &["address", "adresse", "anschrift", "street", "straße"],
    &["zip", "plz", "postcode", "postal code", "postleitzahl"],
    &[
        "hired",
        "hire",
        "joined",
        "start",
        "eingestellt",
        "eintritt",
        "eingetreten",
        "einstellung",
        "eintrittsdatum",
        "joining",
    ],
    &["born", "birth", "birthday", "geboren", "geburtsdatum", "birthdate", "dob"],
    &["host", "server", "hostname", "machine", "rechner", "node"],
    &["ip", "client", "address", "visitor", "besucher", "remote addr"],
    &["path", "url", "page", "pfad", "seite", "endpoint", "route", "uri", "request"],
    &["request", "req", "request id", "request number", "anfrage"],
    &["method", "methode", "verb"],
    &["agent", "browser", "useragent"],
    &[
        "program",
        "process",
        "programm",
        "service",
        "dienst",
        "svc",
        "app",
        "application",
        "component",
        "komponente",
        "prozess",
        "logger",
    ],
    &[
        "message",
        "msg",
        "nachricht",
        "text",
        "meldung",
        "description",
        "beschreibung",
        "comment",
        "kommentar",
        "note",
        "notiz",
    ],
    &["error", "err", "fehler", "failure", "exception"],
    &["currency", "währung"],
    &["discount", "rabatt", "nachlass"],
    &["tax", "vat", "steuer", "mwst", "ust"],
    &["spo2", "oxygen saturation", "oxygen", "saturation", "sauerstoff", "sättigung"],
    &["yield", "ertrag", "ernte", "harvest"],
    &["temperature", "temp", "temperatur", "degrees", "degree", "grad", "celsius"],
    &["score", "rating", "points", "punkte", "bewertung", "note", "grade", "mark", "marks"],
    &["received", "receipt", "eingang", "eingegangen", "eingangsdatum"],
    &["decision", "decided", "entscheidung", "entschieden", "entschiedene", "entschiedenen"],
    &["title", "titel", "subject", "betreff"],
    &["author", "autor", "writer", "verfasser"],
    &["license", "licence", "lizenz"],
    &["version", "release"],
    &["year", "jahr"],
    &["month", "monat"],
    &["active", "aktiv"],
    &["remote", "homeoffice", "remotely"],
    &["movie", "film"],
    &["branch", "filiale", "filialen", "store", "shop"],
    &["delay", "late", "verspätung"],
    &["arrival", "arrive", "arrives", "arrived", "ankunft", "anreise", "check in", "checkin"],
    &["departure", "depart", "departs", "departed", "abreise", "abfahrt", "check out", "checkout"],
    &["stock", "bestand", "lager", "inventory", "vorrat", "left", "remaining", "übrig", "hand", "on hand"],
    &["balance", "saldo", "kontostand"],
    &["sensor", "device", "gerät"],
    &["reason", "grund", "cause", "ursache"],
    &["seller", "verkäufer", "vendor", "supplier", "lieferant", "rep", "salesperson"],
    &["population", "einwohner", "inhabitants"],
    &["distance", "entfernung", "strecke", "km"],
    &["speed", "geschwindigkeit"],
    &[
        "shipped",
        "ship",
        "shipping",
        "delivery",
        "delivered",
        "lieferung",
        "geliefert",
        "versand",
        "versandt",
    ],
    &["due", "fällig", "deadline", "fälligkeit"],
    &["created", "opened", "erstellt", "angelegt"],
    &["closed", "resolved", "finished", "completed", "geschlossen", "erledigt"],
    &["assignee", "assigned", "owner", "zuständig", "bearbeiter"],
    &["manager", "boss", "chef", "vorgesetzter", "leiter"],
    &["student", "schüler", "pupil"],
    &["course", "kurs", "class"],
    &["room", "raum", "zimmer"],
    &["port", "dport", "dpt"],
    &["source", "src", "quelle"],
    &["destination", "dst", "dest", "ziel"],
    &["usage", "use", "used", "uses", "using", "consumption", "consume", "consumed", "verbrauch"],
    &["first name", "vorname", "firstname"],
    &["last name", "nachname", "surname", "lastname"],
    &["children", "kids", "kinder", "kindern"],
    &["adults", "erwachsene", "erwachsenen"],
];

/// Words that name people: what `who` asks for.
const PERSON_CONCEPTS: &[&str] =
    &["customer", "employee", "user", "name", "seller", "author", "assignee", "manager", "student"];

/// Words in a column's name that people are called by.
const PERSON_WORDS: &[&str] = &[
    "member",
    "mitglied",
    "patient",
    "patientin",
    "guest",
    "gast",
    "driver",
    "fahrer",
    "doctor",
    "arzt",
    "teacher",
    "lehrer",
    "player",
    "spieler",
    "runner",
    "borrower",
    "donor",
    "spender",
    "participant",
    "teilnehmer",
    "applicant",
    "respondent",
    "passenger",
    "agent",
    "tenant",
    "pupil",
    "antragsteller",
    "owner",
    "mieter",
    "nurse",
    "pfleger",
    "mechanic",
    "vet",
    "trainer",
    "coach",
    "payer",
    "submitted",
    "child",
    "kind",
    "kunde",
    "worker",
    "operator",
    "technician",
    "techniker",
    "contact",
    "tutor",
    "rower",
    "volunteer",
    "helfer",
    "analyst",
    "requester",
    "reporter",
    "cashier",
    "kassierer",
];

/// Words in a column's name that places are called by, beside cities, countries, regions and addresses.
const PLACE_WORDS: &[&str] = &[
    "municipality",
    "gemeinde",
    "location",
    "standort",
    "site",
    "destination",
    "venue",
    "station",
    "stop",
    "haltestelle",
    "county",
    "province",
    "village",
    "building",
    "room",
];

/// Whether a column of that name holds places.
pub(crate) fn names_a_place(parts: &[String]) -> bool {
    parts.iter().any(|word| {
        PLACE_WORDS.contains(&word.as_str())
            || concepts(word).any(|index| matches!(CONCEPTS[index][0], "city" | "country" | "region"))
    })
}

/// Words for people in a question that name no column of their own.
const PEOPLE: &[&str] = &[
    "people",
    "person",
    "persons",
    "leute",
    "personen",
    "mensch",
    "menschen",
    "employees",
    "mitarbeiter",
    "staff",
    "children",
    "kids",
    "kinder",
    "kindern",
    "schüler",
    "schülern",
    "schülerinnen",
    "workers",
    "angestellte",
];

/// Words in a column's name that speak of time.
const TIME_WORDS: &[&str] = &[
    "time",
    "timestamp",
    "ts",
    "epoch",
    "date",
    "datum",
    "zeit",
    "at",
    "created",
    "updated",
    "when",
    "zeitstempel",
    "day",
];

/// The concepts of each word without its plural ending.
static BY_WORD: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, words) in CONCEPTS.iter().enumerate() {
        for word in *words {
            by_word.entry(words::singular(word)).or_default().push(index);
        }
    }
    by_word
});

/// The concepts to which a word belongs.
fn concepts(word: &str) -> impl Iterator<Item = usize> {
    // Tags are no days.
    let known = if word == "tags" { None } else { BY_WORD.get(&words::singular(word)) };
    known.into_iter().flatten().copied()
}

/// Units as they are written behind numbers or in the names of columns, and as questions call them.
const UNITS: &[(&str, &[&str])] = &[
    ("t", &["tonnen", "tonne", "tons", "tonnes", "ton"]),
    ("kg", &["kilogramm", "kilograms", "kilogram", "kilos", "kilo"]),
    ("g", &["gramm", "grams", "gram"]),
    ("mi", &["miles", "mile", "meilen", "meile"]),
    ("ft", &["feet", "foot"]),
    ("mm", &["millimeter", "millimetres", "millimeters"]),
    ("h", &["stunden", "stunde", "hours", "hour"]),
    ("min", &["minuten", "minute", "minutes"]),
    ("bpm", &["beats"]),
    ("km", &["kilometer", "kilometern", "kilometres", "kilometers", "kilometre"]),
    ("m", &["meter", "metern", "metres", "meters", "metre"]),
    ("cm", &["zentimeter", "centimetres", "centimeters"]),
    ("ha", &["hektar", "hectares", "hectare"]),
    (
        "m²",
        &[
            "square metre",
            "square meter",
            "square metres",
            "square meters",
            "quadratmeter",
            "sqm",
            "qm",
            "m2",
        ],
    ),
    (
        "sqm",
        &["square metre", "square meter", "square metres", "square meters", "quadratmeter", "m²", "qm", "m2"],
    ),
    (
        "qm",
        &[
            "square metre",
            "square meter",
            "square metres",
            "square meters",
            "quadratmeter",
            "m²",
            "sqm",
            "m2",
        ],
    ),
    ("l", &["liter", "litern", "litres", "liters", "litre"]),
    ("kwh", &["kilowattstunden", "kilowattstunde"]),
    ("°c", &["grad", "degrees", "degree"]),
];

/// Codes of countries, as ISO 3166 has them, and their names, English and German.
const COUNTRIES: &[(&str, &[&str])] = &[
    ("at", &["austria", "österreich"]),
    ("au", &["australia", "australien"]),
    ("be", &["belgium", "belgien"]),
    ("br", &["brazil", "brasilien"]),
    ("ca", &["canada", "kanada"]),
    ("ch", &["switzerland", "schweiz"]),
    ("cn", &["china"]),
    ("cz", &["czechia", "tschechien"]),
    ("de", &["germany", "deutschland"]),
    ("dk", &["denmark", "dänemark"]),
    ("es", &["spain", "spanien"]),
    ("fi", &["finland", "finnland"]),
    ("fr", &["france", "frankreich"]),
    ("gb", &["britain", "uk", "großbritannien"]),
    ("gr", &["greece", "griechenland"]),
    ("hu", &["hungary", "ungarn"]),
    ("ie", &["ireland", "irland"]),
    ("in", &["india", "indien"]),
    ("it", &["italy", "italien"]),
    ("jp", &["japan"]),
    ("mx", &["mexico", "mexiko"]),
    ("nl", &["netherlands", "niederlande", "niederlanden", "holland"]),
    ("no", &["norway", "norwegen"]),
    ("pl", &["poland", "polen"]),
    ("pt", &["portugal"]),
    ("se", &["sweden", "schweden"]),
    ("tr", &["turkey", "türkei"]),
    ("ua", &["ukraine"]),
    ("us", &["usa", "america", "amerika"]),
];

/// The code of a country, folded.
pub(crate) fn country_code(name: &str) -> Option<&'static str> {
    COUNTRIES.iter().find(|(_, names)| names.contains(&name)).map(|(code, _)| *code)
}

/// Whether a word of a question names a unit, such as `tonnes` of `t`.
pub(crate) fn names_unit(word: &str, unit: &str) -> bool {
    let unit = unit.to_lowercase();
    word == unit || UNITS.iter().any(|(sign, words)| *sign == unit && words.contains(&word))
}

/// The sign of a unit that a word names: `kg` of `kilos`.
pub(crate) fn sign_of(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(sign, words)| *sign == word || words.contains(&word)).map(|(sign, _)| *sign)
}

/// Whether a word is one for a unit.
pub(crate) fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|(sign, words)| *sign == word && word.len() > 1 || words.contains(&word))
}

/// Whether two words name the same kind of column, though they are different words.
pub(crate) fn are_synonyms(left: &str, right: &str) -> bool {
    concepts(left).any(|index| concepts(right).any(|other| other == index))
}

/// Whether a word often names a column.
pub(crate) fn names_columns(word: &str) -> bool {
    concepts(word).next().is_some()
}

/// Whether a column of that name holds people.
pub(crate) fn names_a_person(parts: &[String]) -> bool {
    // `user_id` is a person too, `product name` is none.
    let is_person = |word: &str| {
        CONCEPTS
            .iter()
            .filter(|words| PERSON_CONCEPTS.contains(&words[0]) && words[0] != "name")
            .any(|words| words.iter().any(|other| words::same_but_plural(other, word)))
            || PERSON_WORDS.contains(&word)
    };
    let names = |word: &str| matches!(word, "name" | "vorname" | "nachname" | "fullname" | "surname");
    parts.iter().any(|word| is_person(word))
        || (parts.len() == 1 && names(&parts[0]))
        || (parts.len() == 2 && names(&parts[1]) && matches!(parts[0].as_str(), "full" | "first" | "last"))
}

/// Whether a word means people in general.
pub(crate) fn means_people(word: &str) -> bool {
    PEOPLE.contains(&word)
}

/// Whether a word of a column's name speaks of time.
pub(crate) fn names_time(word: &str) -> bool {
    TIME_WORDS.contains(&word)
}

/// Whether numbers of a column of that name are names, not amounts.
pub(crate) fn names_codes(parts: &[String]) -> bool {
    // `order total`, `line amount`
    if let [_, .., last] = parts
        && concepts(last).any(|index| matches!(CONCEPTS[index][0], "amount" | "price" | "quantity" | "size"))
    {
        return false;
    }
    parts.iter().any(|word| {
        // `Baujahr`
        word.ends_with("jahr")
            || matches!(
                word.as_str(),
                "id" | "nr"
                    | "no"
                    | "nummer"
                    | "number"
                    | "code"
                    | "zip"
                    | "plz"
                    | "pid"
                    | "port"
                    | "key"
                    | "tx"
                    | "txn"
                    | "year"
                    | "jahr"
                    | "uid"
                    | "ref"
                    | "sku"
                    | "ean"
                    | "isbn"
                    | "status"
                    | "phone"
                    | "invoice"
                    | "order"
                    | "line"
            )
    })
}

/// Whether numbers of a column of that name are money.
pub(crate) fn names_money(parts: &[String]) -> bool {
    parts.iter().any(|word| {
        concepts(word).any(|index| matches!(CONCEPTS[index][0], "salary" | "amount" | "price" | "balance"))
    })
}

/// Whether a column of that name says what one piece costs.
pub(crate) fn names_unit_price(parts: &[String]) -> bool {
    let is_of_one = |word: &String| {
        matches!(
            word.as_str(),
            "unit" | "per" | "each" | "stückpreis" | "einzelpreis" | "stück" | "pro" | "je"
        )
    };
    names_money(parts) && parts.iter().any(is_of_one)
        || parts.iter().any(|word| matches!(word.as_str(), "stückpreis" | "einzelpreis"))
}

/// Whether numbers of a column of that name count things.
pub(crate) fn names_quantity(parts: &[String]) -> bool {
    let names =
        |concept: &str| parts.iter().any(|word| concepts(word).any(|index| CONCEPTS[index][0] == concept));
    // A `unit price` counts nothing.
    names("quantity") && !names("price")
}
