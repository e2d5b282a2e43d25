//! Sentences of the simulated documents: contracts, minutes and incident reports in three languages.
//!
//! `{N}`, `{M}` are people, `{E}`, `{F}` amounts, `{T}`, `{U}` small numbers, `{D}`, `{G}` dates. Each sentence holds two values of a kind,
//! so that a lie can take one that stands in the same lines.

/// A sentence that states a fact, and two ways in which a reader may put it.
pub struct FactTemplate {
    /// As the document has it.
    pub line: &'static str,
    /// As readers have it.
    pub claims: [&'static str; 2],
}

/// Kind of document, language, its facts, and sentences beside the point.
pub struct Genre {
    /// The name of such documents, with `{T}` for a number.
    pub name: &'static str,
    /// The headings above a part.
    pub headings: [&'static str; 2],
    /// What is asked.
    pub question: &'static str,
    /// What it states.
    pub facts: [FactTemplate; 4],
    /// What nobody asks for.
    pub filler: [&'static str; 5],
}

/// Names of people.
pub const NAMES: [&str; 16] = [
    "Weber",
    "Patel",
    "Durand",
    "Okafor",
    "Lindqvist",
    "Moreau",
    "Tanaka",
    "Alvarez",
    "Novak",
    "Brandt",
    "Rossi",
    "Haddad",
    "Kowalski",
    "Fischer",
    "Laurent",
    "Nakamura",
];

/// Months in English, German and French.
pub const MONTHS: [[&str; 6]; 3] = [
    ["January", "March", "May", "July", "September", "November"],
    ["Januar", "März", "Mai", "Juli", "September", "November"],
    ["janvier", "mars", "mai", "juillet", "septembre", "novembre"],
];

/// Genres, three kinds by three languages; the language is the place modulo three.
pub const GENRES: [Genre; 9] = [
    Genre {
        name: "lease-{T}.txt",
        headings: ["Lease agreement", "Payments and term"],
        question: "What do the parties owe each other, by when, and under which conditions does the agreement end?",
        facts: [
            FactTemplate {
                line: "From {D} on {N} pays a rent of {E} EUR a month, and by {G} a deposit of {F} EUR, which {M} holds.",
                claims: [
                    "{N} pays a monthly rent of {E} EUR from {D} on.",
                    "The rent that {N} pays is {E} EUR a month, beginning on {D}.",
                ],
            },
            FactTemplate {
                line: "Either side may give notice of {T} months, unless {M} has agreed to {U} months in writing before {D}.",
                claims: [
                    "Notice may be given with {T} months, unless {M} has agreed to {U} months in writing.",
                    "A notice of {T} months is allowed, unless {M} agreed to {U} months in writing before {D}.",
                ],
            },
            FactTemplate {
                line: "{N} may sublet rooms only if {M} agrees, and is liable for damage of up to {E} EUR, from {D} of up to {F} EUR.",
                claims: [
                    "{N} may sublet rooms only if {M} agrees.",
                    "{N} is liable for damage of up to {E} EUR, from {D} of up to {F} EUR.",
                ],
            },
            FactTemplate {
                line: "Repairs above {E} EUR are paid by {M} within {T} days; smaller ones are paid by {N} within {U} days.",
                claims: [
                    "Repairs above {E} EUR are paid by {M} within {T} days.",
                    "{M} pays for repairs of more than {E} EUR, within {T} days.",
                ],
            },
        ],
        filler: [
            "The parties read the agreement together and had no further remarks on its form.",
            "The house stands at the end of the road, beside the old mill and the pond.",
            "Keys were handed over in the presence of {N}, who thanked everybody.",
            "Headings serve for orientation and have no meaning of their own.",
            "A copy of the plan, drawn to scale by {M}, is attached.",
        ],
    },
    Genre {
        name: "mietvertrag-{T}.txt",
        headings: ["Mietvertrag", "Zahlung und Dauer"],
        question: "Was schulden die Parteien einander, bis wann, und unter welchen Bedingungen endet der Vertrag?",
        facts: [
            FactTemplate {
                line: "Ab dem {D} zahlt {N} eine Miete von {E} Euro im Monat und bis zum {G} eine Kaution von {F} Euro, die {M} verwahrt.",
                claims: [
                    "{N} zahlt ab dem {D} eine monatliche Miete von {E} Euro.",
                    "Die Miete, die {N} zahlt, beträgt {E} Euro im Monat, beginnend am {D}.",
                ],
            },
            FactTemplate {
                line: "Die Kündigung ist mit einer Frist von {T} Monaten möglich, sofern {M} nicht bis zum {D} einer Frist von {U} Monaten zugestimmt hat.",
                claims: [
                    "Die Kündigung ist mit einer Frist von {T} Monaten möglich, sofern {M} nicht {U} Monaten zugestimmt hat.",
                    "Gekündigt werden kann mit {T} Monaten Frist, sofern {M} nicht bis zum {D} {U} Monaten zugestimmt hat.",
                ],
            },
            FactTemplate {
                line: "{N} darf Zimmer nur mit Zustimmung von {M} vermieten und haftet bis {E} Euro, ab dem {D} bis {F} Euro.",
                claims: [
                    "{N} darf Zimmer nur mit Zustimmung von {M} vermieten.",
                    "{N} haftet bis {E} Euro, ab dem {D} bis {F} Euro.",
                ],
            },
            FactTemplate {
                line: "Reparaturen über {E} Euro werden von {M} binnen {T} Tagen bezahlt, kleinere von {N} binnen {U} Tagen.",
                claims: [
                    "Reparaturen über {E} Euro werden von {M} binnen {T} Tagen bezahlt.",
                    "{M} bezahlt Reparaturen über {E} Euro, und zwar binnen {T} Tagen.",
                ],
            },
        ],
        filler: [
            "Die Parteien haben den Vertrag gemeinsam gelesen und keine weiteren Anmerkungen zur Form.",
            "Das Haus steht am Ende der Straße neben der alten Mühle und dem Teich.",
            "Die Schlüssel wurden im Beisein von {N} übergeben, worüber sich alle freuten.",
            "Überschriften dienen der Orientierung und haben keine eigene Bedeutung.",
            "Ein Plan, den {M} gezeichnet hat, liegt bei.",
        ],
    },
    Genre {
        name: "bail-{T}.txt",
        headings: ["Contrat de bail", "Paiements et durée"],
        question: "Que se doivent les parties, à quelle date, et à quelles conditions le contrat prend-il fin ?",
        facts: [
            FactTemplate {
                line: "À partir du {D}, {N} paie un loyer de {E} euros par mois et, avant le {G}, une caution de {F} euros gardée par {M}.",
                claims: [
                    "{N} paie un loyer mensuel de {E} euros à partir du {D}.",
                    "Le loyer que {N} paie est de {E} euros par mois, à compter du {D}.",
                ],
            },
            FactTemplate {
                line: "Le préavis est de {T} mois, sauf si {M} a accepté par écrit, avant le {D}, un préavis de {U} mois.",
                claims: [
                    "Le préavis est de {T} mois, sauf si {M} a accepté par écrit un préavis de {U} mois.",
                    "On peut partir avec un préavis de {T} mois, sauf si {M} a accepté {U} mois avant le {D}.",
                ],
            },
            FactTemplate {
                line: "{N} peut louer des chambres seulement avec l'accord de {M} et répond jusqu'à {E} euros, dès le {D} jusqu'à {F} euros.",
                claims: [
                    "{N} peut louer des chambres seulement avec l'accord de {M}.",
                    "{N} répond jusqu'à {E} euros, dès le {D} jusqu'à {F} euros.",
                ],
            },
            FactTemplate {
                line: "Les réparations de plus de {E} euros sont payées par {M} sous {T} jours, les autres par {N} sous {U} jours.",
                claims: [
                    "Les réparations de plus de {E} euros sont payées par {M} sous {T} jours.",
                    "{M} paie les réparations de plus de {E} euros sous {T} jours.",
                ],
            },
        ],
        filler: [
            "Les parties ont lu le contrat ensemble et n'ont pas d'autre remarque sur sa forme.",
            "La maison se trouve au bout de la rue, près du vieux moulin et de l'étang.",
            "Les clés ont été remises en présence de {N}, qui a remercié tout le monde.",
            "Les titres servent à s'orienter et n'ont pas de sens propre.",
            "Un plan dessiné par {M} est joint.",
        ],
    },
    Genre {
        name: "minutes-{T}.txt",
        headings: ["Minutes of the board", "Decisions"],
        question: "What was decided, who does it by when, and what may it cost?",
        facts: [
            FactTemplate {
                line: "It was decided that {N} buys a new boiler for at most {E} EUR by {D}; the offer of {M} over {F} EUR of {G} was declined.",
                claims: [
                    "{N} buys a new boiler for at most {E} EUR by {D}.",
                    "The board decided that {N} is to buy a boiler by {D}, for {E} EUR at most.",
                ],
            },
            FactTemplate {
                line: "{N} is to report on the budget in {T} weeks, and {M} in {U} weeks, except if the auditors ask for it before {D}.",
                claims: [
                    "{N} is to report on the budget in {T} weeks, except if the auditors ask for it before {D}.",
                    "A report on the budget is due from {N} in {T} weeks, except if the auditors ask for it before.",
                ],
            },
            FactTemplate {
                line: "The motion of {M} was carried with {T} votes against {U}, and {N} was elected treasurer on {D}.",
                claims: [
                    "The motion of {M} was carried with {T} votes against {U}.",
                    "{N} was elected treasurer on {D}.",
                ],
            },
            FactTemplate {
                line: "The fee for members is {E} EUR from {D} on; guests of {M} pay {F} EUR, as {N} had proposed on {G}.",
                claims: [
                    "The fee for members is {E} EUR from {D} on.",
                    "From {D} on members pay a fee of {E} EUR.",
                ],
            },
        ],
        filler: [
            "The chair welcomed everybody and thanked {N} for the coffee.",
            "The minutes of the last meeting were read and approved without changes.",
            "There was a short discussion of the weather and of the state of the roof.",
            "{M} reminded the members that the hall has to be left clean.",
            "The meeting was interrupted for a break and continued in good spirits.",
        ],
    },
    Genre {
        name: "protokoll-{T}.txt",
        headings: ["Protokoll des Vorstands", "Beschlüsse"],
        question: "Was wurde beschlossen, wer tut es bis wann, und was darf es kosten?",
        facts: [
            FactTemplate {
                line: "Beschlossen wird, dass {N} bis zum {D} einen Kessel für höchstens {E} Euro kauft; das Angebot von {M} über {F} Euro vom {G} wird abgelehnt.",
                claims: [
                    "{N} kauft bis zum {D} einen Kessel für höchstens {E} Euro.",
                    "Der Vorstand hat beschlossen, dass {N} bis zum {D} einen Kessel kauft, für höchstens {E} Euro.",
                ],
            },
            FactTemplate {
                line: "{N} berichtet in {T} Wochen über den Haushalt und {M} in {U} Wochen, falls die Prüfer es nicht vor dem {D} verlangen.",
                claims: [
                    "{N} berichtet in {T} Wochen über den Haushalt, falls die Prüfer es nicht vor dem {D} verlangen.",
                    "Ein Bericht über den Haushalt kommt von {N} in {T} Wochen, falls die Prüfer ihn nicht früher verlangen.",
                ],
            },
            FactTemplate {
                line: "Der Antrag von {M} wurde mit {T} Stimmen gegen {U} angenommen, und {N} wurde am {D} in den Vorstand gewählt.",
                claims: [
                    "Der Antrag von {M} wurde mit {T} Stimmen gegen {U} angenommen.",
                    "{N} wurde am {D} in den Vorstand gewählt.",
                ],
            },
            FactTemplate {
                line: "Der Beitrag der Mitglieder ist {E} Euro ab dem {D}; Gäste von {M} zahlen {F} Euro, wie {N} am {G} vorgeschlagen hat.",
                claims: [
                    "Der Beitrag der Mitglieder ist {E} Euro ab dem {D}.",
                    "Ab dem {D} zahlen Mitglieder einen Beitrag von {E} Euro.",
                ],
            },
        ],
        filler: [
            "Die Vorsitzende begrüßte alle und dankte {N} für den Kaffee.",
            "Das letzte Protokoll wurde verlesen und ohne Änderungen genehmigt.",
            "Es gab eine kurze Aussprache über das Wetter und das Dach.",
            "{M} erinnerte daran, dass der Saal sauber zu verlassen ist.",
            "Die Sitzung wurde unterbrochen und dann fortgesetzt.",
        ],
    },
    Genre {
        name: "proces-verbal-{T}.txt",
        headings: ["Procès-verbal du bureau", "Décisions"],
        question: "Qu'a-t-on décidé, qui le fait pour quelle date, et combien cela peut-il coûter ?",
        facts: [
            FactTemplate {
                line: "Il est décidé que {N} achète une chaudière pour {E} euros au plus avant le {D} ; l'offre de {M} de {F} euros du {G} est refusée.",
                claims: [
                    "{N} achète une chaudière pour {E} euros au plus avant le {D}.",
                    "Le bureau a décidé que {N} achète avant le {D} une chaudière, pour {E} euros au plus.",
                ],
            },
            FactTemplate {
                line: "{N} doit présenter le budget dans {T} semaines et {M} dans {U} semaines, sauf si on le demande avant le {D}.",
                claims: [
                    "{N} doit présenter le budget dans {T} semaines, sauf si on le demande avant le {D}.",
                    "Le budget est présenté par {N} dans {T} semaines, sauf si on le demande avant.",
                ],
            },
            FactTemplate {
                line: "La motion de {M} est adoptée par {T} voix contre {U}, et {N} est élu au bureau le {D}.",
                claims: [
                    "La motion de {M} est adoptée par {T} voix contre {U}.",
                    "{N} est élu au bureau le {D}.",
                ],
            },
            FactTemplate {
                line: "La cotisation des membres est de {E} euros dès le {D} ; les invités de {M} paient {F} euros, comme {N} l'avait proposé le {G}.",
                claims: [
                    "La cotisation des membres est de {E} euros dès le {D}.",
                    "Dès le {D}, les membres paient une cotisation de {E} euros.",
                ],
            },
        ],
        filler: [
            "La présidente a salué tout le monde et remercié {N} pour le café.",
            "Le dernier procès-verbal a été lu et approuvé sans changement.",
            "On a parlé un moment du temps et du toit.",
            "{M} a rappelé que la salle doit rester propre.",
            "La séance a été interrompue puis reprise.",
        ],
    },
    Genre {
        name: "incident-{T}.txt",
        headings: ["Incident report", "Course of events"],
        question: "What failed when, who acted, and what did it cost?",
        facts: [
            FactTemplate {
                line: "On {D} the pump of hall {T} was stopped by {N} at a cost of {E} EUR; the repair by {M} on {G} came to {F} EUR.",
                claims: [
                    "The pump of hall {T} was stopped by {N} on {D}, at a cost of {E} EUR.",
                    "{N} stopped the pump of hall {T} on {D}; that cost {E} EUR.",
                ],
            },
            FactTemplate {
                line: "The alarm was silent for {T} minutes after {N} had left, and for {U} minutes before {M} came on {D}.",
                claims: [
                    "The alarm was silent for {T} minutes after {N} had left.",
                    "For {T} minutes the alarm was silent, after {N} had left.",
                ],
            },
            FactTemplate {
                line: "The valve may be opened only by {N} or, after {T} hours without power, by {M} and {U} helpers.",
                claims: [
                    "The valve may be opened only by {N} or, after {T} hours without power, by {M}.",
                    "Only {N}, or {M} after {T} hours without power, may open the valve.",
                ],
            },
            FactTemplate {
                line: "The loss was {E} EUR by {D} and {F} EUR by {G}, and is borne by {M}, except if {N} was at fault.",
                claims: [
                    "The loss by {D} was {E} EUR and is borne by {M}, except if {N} was at fault.",
                    "By {D} a loss of {E} EUR was counted, borne by {M}, except if {N} was at fault.",
                ],
            },
        ],
        filler: [
            "The weather on that day was mild, with some wind from the west.",
            "{N} wrote this report after speaking with everybody on the shift.",
            "The hall had been painted in spring and smelled of it.",
            "Visitors were asked to wait outside and were given tea by {M}.",
            "Photographs of the machine are kept in the archive.",
        ],
    },
    Genre {
        name: "vorfall-{T}.txt",
        headings: ["Bericht über einen Vorfall", "Hergang"],
        question: "Was fiel wann aus, wer hat gehandelt, und was hat es gekostet?",
        facts: [
            FactTemplate {
                line: "Am {D} wurde die Pumpe der Halle {T} von {N} abgestellt, was {E} Euro kostete; die Reparatur durch {M} am {G} kostete {F} Euro.",
                claims: [
                    "Die Pumpe der Halle {T} wurde am {D} von {N} abgestellt, was {E} Euro kostete.",
                    "{N} hat am {D} die Pumpe der Halle {T} abgestellt; das kostete {E} Euro.",
                ],
            },
            FactTemplate {
                line: "Der Alarm war {T} Minuten stumm, nachdem {N} gegangen war, und {U} Minuten, bevor {M} am {D} kam.",
                claims: [
                    "Der Alarm war {T} Minuten stumm, nachdem {N} gegangen war.",
                    "Stumm war der Alarm {T} Minuten lang, nachdem {N} gegangen war.",
                ],
            },
            FactTemplate {
                line: "Das Ventil darf nur von {N} geöffnet werden oder nach {T} Stunden ohne Strom von {M} und {U} Helfern.",
                claims: [
                    "Das Ventil darf nur von {N} geöffnet werden oder nach {T} Stunden ohne Strom von {M}.",
                    "Nur {N} oder nach {T} Stunden ohne Strom {M} darf das Ventil öffnen.",
                ],
            },
            FactTemplate {
                line: "Der Schaden war bis zum {D} {E} Euro und bis zum {G} {F} Euro und wird von {M} getragen, sofern {N} keine Schuld hatte.",
                claims: [
                    "Der Schaden bis zum {D} war {E} Euro und wird von {M} getragen, sofern {N} keine Schuld hatte.",
                    "Bis zum {D} entstand ein Schaden von {E} Euro, den {M} trägt, sofern {N} keine Schuld hatte.",
                ],
            },
        ],
        filler: [
            "Das Wetter war an diesem Tag mild, mit etwas Wind aus Westen.",
            "{N} hat diesen Bericht nach Gesprächen mit der Schicht geschrieben.",
            "Die Halle war im Frühjahr gestrichen worden und roch noch danach.",
            "Besucher wurden gebeten zu warten und bekamen Tee von {M}.",
            "Fotos der Maschine liegen im Archiv.",
        ],
    },
    Genre {
        name: "incident-fr-{T}.txt",
        headings: ["Rapport d'incident", "Déroulement"],
        question: "Qu'est-ce qui est tombé en panne et quand, qui a agi, et combien cela a-t-il coûté ?",
        facts: [
            FactTemplate {
                line: "Le {D}, la pompe de la halle {T} est arrêtée par {N} pour un coût de {E} euros ; la réparation par {M} le {G} coûte {F} euros.",
                claims: [
                    "La pompe de la halle {T} est arrêtée par {N} le {D}, pour un coût de {E} euros.",
                    "{N} arrête la pompe de la halle {T} le {D} ; cela coûte {E} euros.",
                ],
            },
            FactTemplate {
                line: "L'alarme est restée muette {T} minutes après le départ de {N} et {U} minutes avant l'arrivée de {M} le {D}.",
                claims: [
                    "L'alarme est restée muette {T} minutes après le départ de {N}.",
                    "Pendant {T} minutes après le départ de {N}, l'alarme est restée muette.",
                ],
            },
            FactTemplate {
                line: "La vanne peut être ouverte seulement par {N} ou, après {T} heures sans courant, par {M} et {U} aides.",
                claims: [
                    "La vanne peut être ouverte seulement par {N} ou, après {T} heures sans courant, par {M}.",
                    "Seulement {N}, ou {M} après {T} heures sans courant, peut ouvrir la vanne.",
                ],
            },
            FactTemplate {
                line: "La perte était de {E} euros au {D} et de {F} euros au {G} ; elle est à la charge de {M}, sauf si {N} est en faute.",
                claims: [
                    "La perte au {D} était de {E} euros et elle est à la charge de {M}, sauf si {N} est en faute.",
                    "Au {D} on comptait une perte de {E} euros, à la charge de {M}, sauf si {N} est en faute.",
                ],
            },
        ],
        filler: [
            "Il faisait doux ce jour-là, avec un peu de vent d'ouest.",
            "{N} a écrit ce rapport après avoir parlé avec toute l'équipe.",
            "La halle avait été repeinte au printemps et cela se sentait.",
            "Les visiteurs ont attendu dehors et {M} leur a offert du thé.",
            "Des photos de la machine se trouvent aux archives.",
        ],
    },
];
