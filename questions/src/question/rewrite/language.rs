//! Languages in which code knows what a question may lose, and what it must not gain.
//!
//! A word that turns a question or narrows it looks like any other to somebody who does not know the language. So one whose
//! language is none of these, or not clear, is put by nobody: it is asked as it stands. A language that shares most of its
//! small words with one of these is taken for that one where the question is short; its own words that narrow are not known.

/// What code knows of a language. The words are in small letters, apart by white space.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// In English.
    pub name: &'static str,
    /// May be left out: what they say, another word or another order says as well. Words that ask for a reason, a time, a
    /// place, a person or a number are none of them, nor are those that may set a bound in time.
    grammar: &'static str,
    /// Stay, and tell the language.
    kept: &'static str,
    /// Turn a question into another, or narrow it: they may not come in.
    turns: &'static str,
    /// Begin with a capital letter and are no names: what readers are told of a text, where a language writes all nouns so.
    nouns: &'static str,
}

static LANGUAGES: [Language; 7] = [
    Language {
        name: "English",
        grammar: "a an the is are was were be been being am do does did has have had will would shall should can could \
            may might must there here of to in on at by for from with about as into and or that this these those which \
            what it its they them their he she his her you your i me my we us our please tell say show give so some",
        kept: "who whom whose when where why how many much before after since until than",
        turns: "not no never none nor neither nobody nothing without except excluding besides ignore only just unless \
            instead cannot don doesn didn isn wasn aren weren wouldn couldn shouldn hasn haven hadn two three four \
            five six seven eight nine ten",
        nouns: "",
    },
    Language {
        name: "German",
        grammar: "der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden wurde wurden sein \
            hat haben hatte hatten kann können soll sollen muss müssen darf möchte es sie er wir ich du ihr ihre ihren \
            ihrem seine seinen unser unsere und oder in im an am auf aus bei beim mit von vom zu zum zur für dass diese \
            dieser dieses diesen diesem jene was welche welcher welches welchen welchem bitte sag sage zeig zeige gib nenne \
            uns mir mich so",
        kept: "wer wen wem wessen wann wo wohin woher warum wieso weshalb wie viele viel vor nach seit bis als",
        turns: "nicht kein keine keinen keinem keiner keines nie niemals niemand niemanden nichts ohne nur bloß lediglich \
            außer ausgenommen weder noch sondern statt allein zwei drei vier fünf sechs sieben acht neun zehn",
        nouns: "teil teils text textes abschnitt abschnitts stelle stellen satz sätze zeile zeilen wort worte grund gründe \
            angabe angaben person personen ort orte zeitpunkt",
    },
    Language {
        name: "French",
        grammar: "le la les l un une des du de d à au aux et ou en dans est sont était étaient été être a ont avait avaient \
            avoir fut furent il elle ils elles on nous vous je tu ce cet cette ces c que qu quel quelle quels quelles quoi \
            leur leurs son sa ses mon ma mes notre votre y s se sur par pour avec plaît dis dites donne donnez montre \
            montrez t",
        kept: "qui quand où pourquoi comment combien avant après depuis jusque",
        turns: "ne n pas jamais rien aucun aucune personne sans seul seule seuls seules seulement uniquement sauf hormis \
            excepté ni nul nulle deux trois quatre cinq six sept huit neuf dix",
        nouns: "",
    },
    Language {
        name: "Spanish",
        grammar: "el la los las un una unos unas de del a al y e o u en es son era eran fue fueron ser está están estaba ha \
            han había hay qué cuál cuáles que se lo le les su sus mi mis nuestro nuestra este esta estos estas ese esa esos \
            esas con dime di muestra da",
        kept: "quién quiénes cuándo dónde cómo cuánto cuánta cuántos cuántas por para antes después desde hasta",
        turns: "no nunca jamás nada nadie ningún ninguno ninguna sin solo sólo solamente únicamente salvo excepto tampoco ni \
            dos tres cuatro cinco seis siete ocho nueve diez",
        nouns: "",
    },
    Language {
        name: "Italian",
        grammar: "il lo la i gli le l un uno una di d del dello della dell dei degli delle a ad al allo alla all ai agli alle \
            in nel nello nella nell nei nelle con su sul sulla sull e ed o è sono era erano fu furono essere ha hanno aveva \
            avevano si ci che cosa quale quali questo questa questi queste quello quella suo sua suoi sue loro mio per \
            dimmi mostra dammi",
        kept: "chi quando dove perché come quanto quanta quanti quante prima dopo fino da dal dalla",
        turns: "non mai nessun nessuno nessuna nulla niente senza solo soltanto solamente unicamente tranne eccetto salvo né \
            due tre quattro cinque sei sette otto nove dieci",
        nouns: "",
    },
    Language {
        name: "Portuguese",
        grammar: "o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às e ou é são era eram foi foram ser \
            está estão tem têm tinha há que qual quais se seu sua seus suas este esta estes estas esse essa com diga mostre \
            dê",
        kept: "quem quando onde porquê quanto quanta quantos quantas por para como antes depois desde até",
        turns: "não nunca jamais nada ninguém nenhum nenhuma sem só somente apenas exceto salvo nem dois duas três quatro \
            cinco seis sete oito nove dez",
        nouns: "",
    },
    Language {
        name: "Dutch",
        grammar: "de het een van in op aan bij met uit en of is zijn was waren wordt worden werd werden heeft hebben had \
            hadden kan kunnen moet dat die dit deze er te welke welk wat ik je jij u hij zij ze we wij hun haar mijn ons \
            onze om geef toon zeg",
        kept: "wie wanneer waar waarom hoe hoeveel veel voor na sinds tot dan",
        turns: "niet geen nooit niemand niets zonder alleen slechts behalve noch tenzij enkel maar twee drie vier vijf zes \
            zeven acht negen tien",
        nouns: "",
    },
];

/// Fewer small words than this tell no language, nor do they where they are fewer than two in five of all.
const FEWEST: usize = 2;

/// The language of a text's words, in small letters, without its names and figures; `None` where it is not clear.
pub fn of(words: &[&str]) -> Option<&'static Language> {
    let known = |language: &Language| words.iter().filter(|word| language.knows(word)).count();
    let (best, hits) =
        LANGUAGES.iter().map(|language| (language, known(language))).max_by_key(|(_, hits)| *hits)?;
    let is_clear = LANGUAGES.iter().filter(|language| known(language) == hits).count() == 1;
    (is_clear && hits >= FEWEST && hits * 5 >= words.len() * 2).then_some(best)
}

impl Language {
    /// Whether a word may be left out.
    pub fn is_grammar(&self, word: &str) -> bool {
        is_in(self.grammar, word)
    }

    /// Whether a word is no name, though it begins with a capital letter.
    pub fn is_noun(&self, word: &str) -> bool {
        is_in(self.nouns, word)
    }

    /// Words that may not come in.
    pub fn turns(&self) -> impl Iterator<Item = &'static str> {
        self.turns.split_whitespace()
    }

    fn knows(&self, word: &str) -> bool {
        [self.grammar, self.kept, self.turns].into_iter().any(|list| is_in(list, word))
    }
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn name(text: &str) -> Option<&'static str> {
        let text = text.to_lowercase();
        let words: Vec<&str> =
            text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        of(&words).map(|language| language.name)
    }

    #[test]
    fn a_language_is_told_by_its_small_words() {
        for (text, expected) in [
            ("Why was the mill closed before the war?", "English"),
            ("Who did not sign?", "English"),
            ("Warum wurde die Mühle vor dem Krieg geschlossen?", "German"),
            ("Pourquoi le moulin a-t-il été fermé avant la guerre?", "French"),
            ("¿Por qué se cerró el molino antes de la guerra?", "Spanish"),
            ("Perché il mulino è stato chiuso prima della guerra?", "Italian"),
            ("Por que o moinho foi fechado antes da guerra?", "Portuguese"),
            ("Waarom werd de molen voor de oorlog gesloten?", "Dutch"),
        ] {
            assert_eq!(name(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_none_of_them_or_says_too_little_has_no_language() {
        for text in [
            "",
            "Mill?",
            "Which mill closed?",
            "Varför stängdes kvarnen före kriget?",
            "Per què va tancar el molí?",
            "Почему мельница закрылась до войны?",
            "为什么磨坊在战前关闭？",
            "لماذا أغلقت المطحنة قبل الحرب؟",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn no_word_may_be_left_out_that_must_stay_or_may_not_come_in() {
        for language in &LANGUAGES {
            let mut seen = HashSet::new();
            for word in [language.grammar, language.kept, language.turns]
                .iter()
                .flat_map(|list| list.split_whitespace())
            {
                assert!(seen.insert(word), "{}: {word}", language.name);
                assert_eq!(word.to_lowercase(), word, "{}", language.name);
            }
        }
    }
}
