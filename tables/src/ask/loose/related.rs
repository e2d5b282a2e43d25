//! Which columns a word of a question may speak of, though it is no name of them: `earn` of a salary, `last` of a duration.
//!
//! Wider than [`crate::vocabulary`], and one-sided: what is spent stands in a column of amounts, and an amount is not only what was
//! spent. A reading that rests on these words is never sure.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::words;

/// Words of questions, and words that the columns are called by which they speak of, the likelier first.
const RELATED: &[(&str, &str)] = &[
    (
        "spend spent cost costs pay paid expense expenses bought ausgegeben ausgeben ausgaben ausgabe gekostet kostet kosten bezahlt gezahlt",
        "ausgabe ausgaben expense expenses spend spent cost costs paid kosten zahlung eingang soll debit amount total",
    ),
    (
        "earn earned income receive received donate donated revenue eingenommen einnahmen einnahme gespendet spenden spende erhalten bekommen",
        "einnahme einnahmen income revenue received haben credit eingang amount total",
    ),
    (
        "money cash spend spent spending expense pay paid payment cost costs charge charged bill billed invoiced earn earned \
         earning income revenue turnover taking takings took raise raised collect collected donate donated give gave worth \
         price priced expensive cheap cheaper dear budget dollar euro pound franc sale sales sold fee fees fine fined geld \
         ausgegeben ausgeben ausgaben bezahlt bezahlen gezahlt zahlen zahlung gekostet kostet kosten verdient verdienen \
         eingenommen einnahmen einnahme umsatz umgesetzt gespendet spenden teuer billig günstig wert preis gebühren gebühr \
         betrag summe amount value bring brought generate generated contribute contributed fetch fetched tab purchase \
         kassiert eingebracht zahlt zahle erlös rechnung bon bestellwert warenwert lohn gehalt salary wage",
        "amount total revenue price cost value paid sum gross net fee sales turnover salary wage pay payment fare rent fine \
         donation income budget bill charge spend betrag summe gesamt umsatz preis kosten wert brutto netto gebühr gehalt \
         lohn miete spende einnahmen ausgaben gesamtpreis endpreis rechnungsbetrag eur usd gbp chf euro dollars earnings \
         balance premium tip estimate einkommen beitrag",
    ),
    (
        "owe owed owing debt outstanding arrears unpaid schulden schuldet schuldig ausstehend",
        "balance outstanding due owed owing open offen rest saldo schuld",
    ),
    (
        "run runtime running long longer longest short shorter shortest last lasted take took taken wait waited waiting duration time slow slower \
         quick quicker fast faster minutes seconds hours dauer dauern dauerte dauert gedauert lang lange länger kurz kürzer \
         warten gewartet wartezeit stunden minuten sekunden laufzeit spent length brauchte gebraucht braucht",
        "duration dur seconds minutes hours ms min mins elapsed took_ms latency runtime length time took wait waiting dauer minuten \
         stunden sekunden laufzeit länge wartezeit fahrzeit bearbeitungszeit hrs sec secs",
    ),
    (
        "far farther farthest further furthest drive drove driven ride rode ridden run ran walk walked cycle cycled travel \
         travelled traveled fly flew flown cover covered swim swam hike hiked distance kilometres kilometers miles weit \
         gefahren gelaufen geflogen gewandert geschwommen zurückgelegt strecke entfernung kilometer mileage long longest \
         short shortest",
        "distance km miles mileage kilometers kilometres strecke entfernung kilometer mi odometer length länge",
    ),
    (
        "weigh weighs weighed heavy heavier heaviest light lighter lightest weight wiegt wiegen gewogen schwer schwerer \
         leicht gewicht mass",
        "weight mass kg grams gewicht masse g lbs tonnage tonnen",
    ),
    (
        "tall taller tallest high higher height hoch höher höhe elevation climb climbed ascent",
        "height elevation altitude ascent höhe höhenmeter meter m level",
    ),
    (
        "big bigger biggest large larger largest small smaller smallest size area space groß größer größte klein kleiner \
         kleinste fläche geräumig",
        "area size sqm m2 qm fläche wohnfläche größe hectares ha acres capacity population",
    ),
    (
        "old older oldest young younger youngest age aged alt älter älteste jung jünger jüngste alter",
        "age born birth birthday dob alter geboren geburtsdatum geburtsjahr baujahr year jahrgang",
    ),
    (
        "sell sold sale order ordered buy bought piece pieces copy copies item items unit units ship shipped use used eat ate \
         drink drank produce produced deliver delivered pick picked harvest harvested catch caught verkauft verkaufen \
         bestellt gekauft geliefert stück stücke exemplare geerntet produziert many viele quantity menge",
        "quantity qty units sold count pieces copies number menge anzahl stück stückzahl verkauft exemplare items pcs catch \
         yield harvest",
    ),
    (
        "visit visited visitors visitor attend attended attendance audience guest guests people person persons participants \
         crowd turn come came spectators riders passengers besucher gäste teilnehmer zuschauer leute personen besucht \
         teilgenommen passagiere fahrgäste",
        "attendance visitors guests people persons participants attendees audience headcount passengers pax besucher gäste \
         teilnehmer zuschauer personen party covers riders",
    ),
    (
        "score scored mark marks grade graded rate rated rating point points good better best bad worse worst star stars well \
         review reviewed satisfied satisfaction zufriedenheit happy bewertet bewertung note noten punkte gut besser beste schlecht schlechter \
         schlechteste sterne zufrieden popular beliebt",
        "score rating mark grade points stars result note punkte bewertung sterne satisfaction csat nps gpa pts",
    ),
    (
        "hot hotter hottest cold colder coldest warm warmer warmest cool temperature degrees freezing frost heiß kalt kälter \
         kälteste wärmer wärmste temperatur grad fever fieber",
        "temperature temp celsius fahrenheit temperatur grad tmax tmin tmean degrees c",
    ),
    (
        "rain rained rainy raining wet wetter wettest dry driest precipitation rainfall regen geregnet regnete nass trocken \
         niederschlag snow snowed",
        "rain rainfall precipitation niederschlag regen precip snow regenmenge",
    ),
    (
        "wind windy windiest stormy gust blow blew windig stürmisch böe böen",
        "wind windspeed gust gusts böen windgeschwindigkeit",
    ),
    (
        "sun sunny sunniest sunshine sonnig sonne sonnenschein",
        "sunshine sun sonne sonnenstunden sonnenscheindauer weather wetter",
    ),
    ("humid humidity feucht feuchtigkeit luftfeuchte", "humidity luftfeuchte feuchte luftfeuchtigkeit"),
    (
        "electricity power energy strom energie consume consumed consumption use used burn burned burnt verbraucht verbrauch \
         verbrauchen generated produced made erzeugt produziert produce harvest harvested yield ertrag geerntet fuel sprit \
         water gas",
        "consumption usage kwh energy power yield production verbrauch ertrag erzeugung liters litres liter harvest ernte \
         menge kg m3 wh gallons fuel",
    ),
    (
        "traffic data transfer transferred send sent bytes volume download downloaded upload uploaded übertragen gesendet \
         datenmenge bandwidth size",
        "bytes size bytes_sent length traffic kb mb gb volume datenmenge größe payload",
    ),
    (
        "where place places city town location live lives based located come from travel stay wo wohnen wohnt ort stadt woher \
         wohin address destination venue site spot",
        "city town location place site venue destination address country region area district ort stadt wohnort standort land \
         ortsteil stadtteil gemeinde origin neighbourhood station",
    ),
    (
        "who person people somebody someone wer jemand whom whose name",
        "name customer employee person user member client author owner player student guest patient driver kunde mitarbeiter \
         mitglied fahrer assignee agent staff volunteer handler operator technician by contact attendee runner rider artist \
         seller buyer tenant",
    ),
    (
        "kind kinds sort sorts type types category categories class art arten sorte sorten typ kategorie genre form",
        "type category kind class genre style variety species sorte art kategorie typ gruppe group breed",
    ),
    (
        "pay paid paying payment bezahlt bezahlen zahlen gezahlt zahlt method",
        "method payment zahlungsart zahlart bezahlt paid zahlung tender",
    ),
    (
        "happen happened state status stand outcome result end ended ergebnis ausgang succeed succeeded fail failed pass \
         passed",
        "status state outcome result ergebnis zustand conclusion disposition",
    ),
    ("write wrote written author authored geschrieben schrieb verfasst", "author writer autor verfasser by"),
    (
        "borrow borrowed lend lent loan loaned ausgeliehen geliehen leiht lieh",
        "borrower member loan loans entleiher leser patron title",
    ),
    (
        "teach teaches taught unterrichtet lehrt unterrichten instruct",
        "teacher instructor lecturer tutor lehrer dozent coach trainer",
    ),
    ("drive drives drove fährt fuhr gefahren deliver delivered drop", "driver courier fahrer carrier"),
    (
        "repair repaired fix fixed handle handled work worked do did assigned solve solved resolve resolved close closed \
         bearbeitet repariert erledigt zuständig served look looked inspect inspected conduct conducted",
        "assignee technician agent mechanic handler engineer inspector staff by owner bearbeiter techniker mitarbeiter \
         resolver assigned",
    ),
    (
        "supply supplied supplier supplies deliver delivered make made makes brand manufacture manufactured produce liefert \
         geliefert hersteller marke lieferant from",
        "supplier vendor manufacturer brand make maker lieferant hersteller marke producer",
    ),
    (
        "stock left available inventory remaining hand shelf lager bestand vorrätig vorrat übrig verfügbar",
        "stock quantity inventory qty available bestand lagerbestand menge vorrat units",
    ),
    ("pulse heart heartbeat hr puls herzfrequenz herzschlag rate", "hr pulse bpm heart puls herzfrequenz"),
    (
        "oxygen saturation sats sat o2 sauerstoff sättigung sauerstoffsättigung",
        "spo2 o2 sat sats oxygen saturation sättigung",
    ),
    ("pain schmerz schmerzen hurt", "pain schmerz schmerzen"),
    ("pressure blutdruck systolic hypertension", "bp systolic blood pressure blutdruck"),
    ("fat fett butterfat milchfett", "fett fat"),
    ("milk milch milked gemolken", "liter litres milk milch yield"),
    (
        "beer bier brewed gebraut strong stronger strongest stark alcohol alkohol",
        "abv alcohol alkohol volume strength beer bier",
    ),
    ("litre litres liter liters hectolitres brewed drunk volume", "volume liter litres menge hl l"),
    ("book books buch bücher title titles titel borrowed ausgeliehen", "title titel book buch"),
    (
        "runner runners läufer läuferin läuferinnen rider riders athlete athletes",
        "runner athlete läufer rider name participant",
    ),
    ("song songs track tracks album movie film show", "title titel song track name"),
    (
        "article articles artikel item items product products produkt produkte goods ware thing",
        "bezeichnung item product article artikel produkt name title description",
    ),
    ("sale selling retail verkauf verkaufs verkaufspreis", "vk sale retail selling price verkaufspreis"),
    ("purchase buying wholesale einkauf einkaufs einkaufspreis", "ek purchase cost wholesale einkaufspreis"),
    ("team teams club clubs side mannschaft verein", "team home heim club mannschaft verein"),
    ("opponent opponents gegner against", "opponent away gast gegner"),
    ("station stations call calls callsign rufzeichen contact contacts", "call callsign rufzeichen station"),
    ("band frequency frequenz wavelength", "band freq frequency frequenz"),
    ("betriebsart mode modes modus", "mode modus betriebsart"),
    (
        "verkehrsmittel transport transportation vehicle commute travel fahrzeug anreise",
        "mode transport how vehicle verkehrsmittel fahrzeug",
    ),
    ("trip commute journey way weg fahrt", "time way trip journey duration fahrzeit weg"),
    (
        "ip ips address addresses attacker attackers source host hosts machine client",
        "ip addr client remote src source rhost host",
    ),
    ("user users account accounts login logins benutzer somebody", "user username account login benutzer"),
    ("command commands befehl befehle", "command cmd befehl"),
    ("try tries attempt attempts versuch versuche retry retries", "attempts attempt tries retries versuche"),
    ("receipt receipts beleg belege voucher", "receipt beleg voucher"),
    ("test tests exam exams quiz klausur arbeit", "test exam quiz final klausur"),
    (
        "flat flats apartment apartments wohnung wohnungen objekt unit",
        "address adresse flat apartment wohnung objekt objektnummer",
    ),
    ("room rooms zimmer", "rooms zimmer room"),
    (
        "metre metres meter square quadratmeter space living size",
        "space area sqm qm wohnfläche fläche living size",
    ),
    ("rent miete kaltmiete warmmiete monthly", "rent miete kaltmiete kalt warm"),
    (
        "house houses haus häuser building buildings gebäude property properties immobilie immobilien liegenschaft",
        "haus house building gebäude property objekt address adresse",
    ),
    ("cold kalt", "kalt kaltmiete"),
    ("animal animals pet pets tier tiere", "pet animal tier name"),
    ("method methods payment zahlart zahlungsart zahlweise", "method payment zahlart zahlungsart"),
    ("fällig fälligkeit due deadline", "fällig due deadline fälligkeit"),
    (
        "began begun start started angefangen begonnen beginn anfang",
        "start begin beginn von from anfang started",
    ),
    ("ended finish finished aufgehört geendet ende feierabend", "end ende bis to finish finished"),
    (
        "hour hours stunde stunden worked arbeitet gearbeitet arbeitszeit",
        "hours stunden arbeitszeit hrs duration",
    ),
    ("page pages seite seiten url urls path site", "path url page request seite uri"),
    ("visitor visitors besucher", "ip client visitor remote"),
    ("sample samples probe proben", "sample probe"),
    ("reading readings messung messungen measurement measurements wert", "value reading messwert wert"),
    ("status state outcome result ergebnis", "status state result outcome ergebnis"),
    (
        "note notes remark remarks comment comments bemerkung bemerkungen kommentar hinweis",
        "note notes remark remarks comment bemerkung",
    ),
    ("goal goals tore tor scored geschossen", "goals tore gf scored score"),
    (
        "error errors fail failed failure failures crash crashed exception problem problems issue issues fault fehler \
         probleme störung ausfall",
        "error errors failures faults issue problem fehler reason cause symptom fault",
    ),
    (
        "absent absence missed skip sick fehlt gefehlt fehlen fehltage krank ill",
        "absences absent absence fehltage fehlstunden sick missed",
    ),
    (
        "discount discounted rebate reduction off rabatt nachlass reduziert",
        "discount rabatt nachlass reduction",
    ),
    (
        "speed fast faster fastest slow slower slowest pace schnell schneller schnellste tempo geschwindigkeit",
        "speed pace kmh mph geschwindigkeit tempo velocity",
    ),
    ("calorie calories kalorien burned energy", "calories kcal kalorien cal energy"),
    ("room rooms zimmer bedroom bedrooms", "rooms room bedrooms beds zimmer zimmerzahl räume"),
    (
        "night nights stay stayed nacht nächte übernachtung übernachtungen übernachtet",
        "nights nächte stay übernachtungen duration",
    ),
    (
        "student students pupil pupils child children kid kids schüler kind kinder learners",
        "student pupil child schüler name kind enrolled enrollment",
    ),
    (
        "doctor physician gp arzt ärztin treat treated seen see saw behandelt",
        "doctor physician provider clinician arzt practitioner vet dentist therapist",
    ),
    (
        "complain complained complaint complaints subject topic about concern concerned thema betreff beschwerde beschwerden \
         reason why grund cause",
        "subject topic reason cause issue complaint description thema betreff grund category bemerkung note remark comment",
    ),
];

/// How far down its list a column's word stands, by the stems of both words.
static BY_STEM: LazyLock<HashMap<String, HashMap<String, usize>>> = LazyLock::new(|| {
    let mut by_stem: HashMap<String, HashMap<String, usize>> = HashMap::new();
    for (asked, named) in RELATED {
        for word in asked.split_whitespace() {
            let known = by_stem.entry(words::stem(word)).or_default();
            for (rank, name) in named.split_whitespace().enumerate() {
                let rank_so_far = known.entry(words::stem(name)).or_insert(rank);
                *rank_so_far = rank.min(*rank_so_far);
            }
        }
    }
    by_stem
});

/// Shortest last part of a compound that says what it is.
const SHORTEST_TAIL: usize = 6;

/// How far from a word of a question a column's name is; none if they have nothing to do with each other.
pub(super) fn distance(word: &str, parts: &[String]) -> Option<usize> {
    let named = BY_STEM.get(&words::stem(word))?;
    // `Bruttogehalt` is a `Gehalt`.
    let of_tail = |part: &str| {
        let tails =
            named.iter().filter(|(name, _)| name.len() >= SHORTEST_TAIL && part.ends_with(name.as_str()));
        tails.map(|(_, rank)| *rank).min()
    };
    let rank = |part: &String| {
        let stem = words::stem(part);
        named.get(&stem).copied().or_else(|| of_tail(&stem))
    };
    parts.iter().filter_map(rank).min()
}

/// Whether a word speaks of columns at all.
pub(super) fn is_known(word: &str) -> bool {
    BY_STEM.contains_key(&words::stem(word))
}
