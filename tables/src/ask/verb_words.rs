//! Verbs that questions use, and how much each says.

/// How much a verb says of what it is said of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// A form of be, have or do: nothing.
    Auxiliary,
    /// How records and what they belong to hang together: `orders come from Berlin`, `ada wrote notes`.
    Plain,
    /// What happened to records, which may be so of some and not of others: `returned`, `sold`.
    Action,
    /// No verb that is known.
    Unknown,
}

/// What a folded verb says.
pub(super) fn verb(word: &str) -> Verb {
    match word {
        "habe" | "hast" | "habt" | "bin" | "is" | "are" | "was" | "were" | "be" | "been" | "has" | "have"
        | "had" | "having" | "ist" | "sind" | "war" | "waren" | "wird" | "wurde" | "wurden" | "hat"
        | "haben" | "hatte" | "hatten" | "does" | "do" | "did" | "being" | "werden" | "worden" | "got"
        | "gets" | "exist" | "exists" | "there" | "got the" | "accounts for" | "account for"
        | "existieren" | "vorhanden" | "occurred" | "occur" | "happened" | "happen" | "appear"
        | "appears" | "liegen" | "liegt" | "see" => Verb::Auxiliary,
        "bekommen" | "bekommt" | "bekam" | "bekamen" | "erhalten" | "erhält" | "erhielt" | "send"
        | "zugegriffen" | "aufgerufen" | "brought back" | "bring back" | "gave back" | "handed back"
        | "picked up" | "dropped off" | "taken out" | "took out" | "checked out" | "checked in"
        | "check out" | "check in" | "handed out" | "came through" | "come through" | "moved in"
        | "moved out" | "signed up" | "sends" | "send out" | "sends out" | "antwortet" | "need" | "needs"
        | "needed" | "hit" | "come by" | "came by" | "come in" | "comes in" | "came in" | "go out"
        | "goes out" | "went out" | "ring up" | "rings up" | "rang up" | "ran" | "run" | "runs" | "lief"
        | "liefen" | "läuft" | "laufen" | "ging" | "write down" | "wrote down" | "note down" | "fill in"
        | "enter" | "wait" | "waits" | "waited" | "warten" | "wartet" | "threw" | "throw" | "throws"
        | "vergehen" | "come back" | "comes back" | "came back" | "give" | "gives" | "gave" | "given"
        | "carry" | "carries" | "carried" | "lag" | "lagen" | "gab" | "gaben" | "fiel" | "fielen"
        | "brachte" | "brachten" | "led" | "put" | "come" | "comes" | "came" | "belong" | "belongs"
        | "work" | "works" | "working" | "live" | "lives" | "living" | "make" | "makes" | "made"
        | "placed" | "place" | "stammt" | "stammen" | "kommt" | "kommen" | "arbeiten" | "arbeitet"
        | "leben" | "wohnen" | "wohnt" | "gehört" | "gehören" | "went" | "go" | "goes" | "located"
        | "based" | "aufgegeben" | "gemacht" | "falls" | "fall" | "kam" | "kamen" | "logged" | "recorded"
        | "take" | "takes" | "took" | "taken" | "taking" | "write" | "writes" | "wrote" | "written"
        | "stay" | "stays" | "stayed" | "bring in" | "brought in" | "bring" | "brought" | "hand in"
        | "handed in" | "generate" | "generates" | "generated" | "produce" | "produces" | "produced"
        | "cause" | "caused" | "ended in" | "ended with" | "resulted in" | "end in" | "left from"
        | "leave from" | "departed from" | "depart from" | "flew from" | "flew to" | "fly to"
        | "fly from" | "arrive from" | "visited" | "accessed" | "requested" | "enrolled" | "study"
        | "studies" | "attend" | "attends" | "handle" | "handles" | "schreiben" | "schrieb"
        | "geschrieben" | "machen" | "macht" | "fliegen" | "fliegt" | "gingen" | "geht" | "gehen" | "buy"
        | "buys" | "bought" | "use" | "uses" | "using" | "perform" | "performed" | "ended up being"
        | "ended up" | "depart" | "spoken by" | "chosen by" | "published under" | "corresponds to"
        | "corresponding to" | "shared by" | "used by" | "used in" | "written by" | "arriving in"
        | "arriving at" | "departing from" | "landing in" | "landing at" | "listed" | "played" | "held"
        | "owned by" | "made by" | "placed by" | "sent by" | "sent to" => Verb::Plain,
        "answered" | "geantwortet" | "reported" | "tried" | "scored" | "billed" | "counted" | "measured"
        | "weighed" | "gemessen" | "erfasst" | "eingetragen" | "notiert" | "entered" | "filled in"
        | "written down" | "noted down" | "returned" | "sold" | "used" | "sent" | "received" | "booked"
        | "gebucht" | "verkauft" | "marked" | "marked as" | "transfer" | "transferred" | "handled"
        | "processed" | "submitted" | "purchased" | "ordered" | "downloaded" | "uploaded" | "bestellt"
        | "gekauft" | "served" | "finished" | "finish" | "reached" | "went through" | "go through"
        | "goes through" | "gone through" | "got through" | "fell through" | "fall through" => Verb::Action,
        _ => Verb::Unknown,
    }
}
