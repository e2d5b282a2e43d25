//! Sentences of simulated reports of incidents, in English, German and French.

use super::templates::{FactTemplate, Genre};

/// One for each language.
pub const INCIDENTS: [Genre; 3] = [
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
