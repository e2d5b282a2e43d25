//! Sentences of simulated contracts, in English, German and French.

use super::templates::{FactTemplate, Genre};

/// One for each language.
pub const CONTRACTS: [Genre; 3] = [
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
];
