//! Sentences of simulated minutes of meetings, in English, German and French.

use super::templates::{FactTemplate, Genre};

/// One for each language.
pub const MINUTES: [Genre; 3] = [
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
];
