//! Words of a question that can be passed over: what people say beside what they ask.

use crate::words;

/// What it costs to pass over a word.
pub(super) mod cost {
    /// Nothing is lost by it.
    pub const FILLER: u32 = 1;
    /// A verb: what it says is mostly what the table is about.
    pub const VERB: u32 = 2;
    /// A word for where all of it happens.
    pub const SURROUNDING: u32 = 2;
    /// It may be a condition.
    pub const QUALITY: u32 = 5;
    /// A thing that the table does not know.
    pub const THING: u32 = 7;
}

/// Words that say how something is asked or how much it matters.
const FILLERS: &str = "actually really exactly roughly about approximately basically simply just only ever even currently so far yet now again \
    overall quite very please quickly maybe perhaps altogether single individual given certain particular specific own entire \
    whole full complete general typical typically usually normally normal usual ordinary regular regularly recorded known \
    actual various several many much lot lots bunch kind kinds sort sorts type types hello hi hey thanks thank dear quick \
    question wonder wondering curious interested tell know see look looking figure check need want like help could can would \
    should might may must will shall eigentlich ungefähr etwa genau wirklich überhaupt jeweils insgesamt denn mal bitte schon \
    noch erst bisher gerade sonst ganz gesamt gesamten gesamte ganze ganzen einzelne einzelnen tatsächlich normalerweise \
    üblicherweise typischerweise können kann könnte muss müssen musste mussten soll sollen sollte möchte wissen sagen zeigen hallo danke dann nun also \
    circa ca rund mir uns euch dir überall hier therein thereof within inside during throughout along around across per via \
    upon onto toward towards behind beside besides whose been being ones stuff thing things way ways case cases innerhalb \
    während über bezüglich hinsichtlich laut gemäß according based terms respect regarding concerning ging gehen geht wenn falls if when where meaning rather instead noted marked listed whatever regardless whether dabei \
    davon darunter darin daran dafür damit drin such same lol btw pls plz thx cheers repeats duplicates doppelte ihrer raus rein rüber rum zwar";

/// Words for where all records of a file come from.
const SURROUNDINGS: &str = "club company firm business shop store office server system website site app school ledger register report sheet history \
    period world team department organisation organization place house home family garden farm hotel restaurant cafe café \
    clinic hospital practice library museum gym fleet network machine plant factory warehouse bank account market event \
    season year month week day night time times catalogue catalog collection inventory book books database archive export extract \
    verein firma unternehmen betrieb laden geschäft büro schule haus hof garten praxis klinik krankenhaus bibliothek lager \
    klasse verein konto markt saison jahr monat woche tag zeit zeitraum liste protokoll bericht übersicht aufstellung kasse anlage gemeinde \
    stadt amt werkstatt mal male everything anything nothing alles nichts customers clients kunden folks guys readers patrons families residents locals";

/// Verbs whose past no ending tells.
const VERBS: &str = "got took gave went came ran made spent paid sold bought sent lost won kept held led met sat stood told felt left brought \
    thought caught taught built wrote drove rode rose spoke broke chose froze grew knew threw flew drew saw ate fell began \
    drank sang swam wore bore tore beat cut hit put set shut hurt let cost quit bet read spread fed bred fled slept swept \
    wept dealt meant leant lent bent burnt learnt dug stuck struck swung hung rang rung sprang shrank sank stole woke shook \
    lay laid said gone done seen taken given written driven ridden risen spoken broken chosen frozen grown known thrown flown \
    drawn eaten fallen begun drunk worn beaten hidden bitten forgotten gotten stolen woken shaken become became happen occur \
    contain consist involve include arrive leave enter start begin finish end stop open close join attend visit stay travel \
    book order buy sell ship send receive return cancel fail pass win lose play score earn pay spend owe charge bill save run \
    walk ride drive fly swim climb eat drink cook bake grow plant harvest pick catch feed weigh measure record log report \
    list show rate review rank vote choose prefer like love hate want need use work live come go get make take give find keep \
    hold bring carry move turn reach exceed cross drop rise fall gain add handle serve help treat solve fix repair build \
    create write draw design publish release launch register enrol enroll sign apply accept reject approve borrow lend rent \
    hire employ train teach study learn graduate lief liefen kam kamen ging gingen gab gaben nahm nahmen fuhr fuhren flog \
    flogen schrieb schrieben las lasen aß aßen trank tranken fand fanden hielt hielten ließ ließen stand standen saß saßen \
    lag lagen zog zogen trug trugen schlug wuchs fiel fielen brachte brachten dachte kannte nannte rannte verlor verloren \
    gewann gewannen begann begannen bekam bekamen erhielt erhielten bestand entstand verging vergingen ausging anfiel \
    anfielen steht stehen complain complains mention ticked tick scheint schien geben gibt reported report needed expect expects expected anticipate offer provide host hosted erwarten erwartet bleibt bleiben blieb vermerkt verzeichnet";

/// How a word looks, as far as its letters tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// `actually`
    Filler,
    /// `the club`
    Surrounding,
    /// `handed`, `läuft`
    Verb,
    /// `rusty`: said of something.
    Quality,
    /// `windmill`: a name of something.
    Thing,
}

impl Look {
    /// What it costs to pass over such a word.
    pub fn cost(self) -> u32 {
        match self {
            Self::Filler => cost::FILLER,
            Self::Surrounding => cost::SURROUNDING,
            Self::Verb => cost::VERB,
            Self::Quality => cost::QUALITY,
            Self::Thing => cost::THING,
        }
    }
}

fn is_in(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|other| other == word)
}

/// Whether a word is one that can be passed over as it stands.
pub(super) fn is_common(word: &str) -> bool {
    [FILLERS, SURROUNDINGS, VERBS].iter().any(|words| is_in(words, word))
}

/// How a word looks that nothing of the table explains.
pub(super) fn look(text: &str, is_first: bool, is_german: bool) -> Look {
    let low = text.to_lowercase();
    let is_capital = text.starts_with(char::is_uppercase) && !is_first;
    if is_in(FILLERS, &low) || low.chars().count() < 3 && !is_capital {
        return Look::Filler;
    }
    if is_in(SURROUNDINGS, &low) || is_in(SURROUNDINGS, &words::singular(&low)) {
        return Look::Surrounding;
    }
    if is_capital {
        return Look::Thing;
    }
    if is_in(VERBS, &low) || is_in(VERBS, &words::singular(&low)) {
        return Look::Verb;
    }
    if low.ends_with("ly") && !is_german {
        return Look::Filler;
    }
    let is_participle = |word: &str| {
        word.ends_with("ed")
            || word.ends_with("ing")
            || word.ends_with("iert")
            || word.ends_with("ieren")
            || ["ge", "be", "ver", "er", "ent", "zer", "auf", "ab", "an", "aus", "ein", "vor", "zu", "um"]
                .iter()
                .any(|prefix| word.strip_prefix(prefix).is_some_and(|rest| rest.chars().count() > 3))
                && is_german
                && (word.ends_with('t') || word.ends_with("en"))
    };
    if is_participle(&low) || is_german && (low.ends_with("te") || low.ends_with("ten")) {
        return Look::Verb;
    }
    if is_german {
        // Things are written large in German.
        return if low.ends_with('t') || low.ends_with("en") { Look::Verb } else { Look::Quality };
    }
    Look::Thing
}
