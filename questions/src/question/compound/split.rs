//! Where one question ends and the next begins.

/// Words that a question can begin with.
const OPENERS: [&str; 16] = [
    "which",
    "what",
    "what's",
    "who",
    "whose",
    "how",
    "list",
    "show",
    "name",
    "count",
    "find",
    "give",
    "tell",
    "calculate",
    "compute",
    "when",
];

/// Verbs that do so behind a mark only: "orders that were paid and are over 5 EUR" is one question.
const VERBS: [&str; 7] = ["was", "were", "is", "are", "did", "does", "do"];

/// Words between two questions.
const JOINTS: [&str; 6] = ["and", "then", "also", "finally", "next", "plus"];

/// The questions of which a text consists, without the words and marks that join them. One, if nothing
/// looks like a joint.
pub fn parts(question: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let words: Vec<(usize, &str)> = words(question);
    let mut index = 1;
    while index < words.len() {
        let mut after = index;
        while words.get(after).is_some_and(|(_, word)| is_joint(word)) {
            after += 1;
        }
        let joined = after > index;
        let before = words[index - 1].1;
        let ended = before.ends_with(['?', ';', '!']) || before.ends_with('.') || before.ends_with(',');
        let opens = words.get(after).is_some_and(|(_, word)| {
            let asks = is_one_of(&OPENERS, word) && (joined || ended);
            // "…, are there" is the end of a question.
            asks || is_one_of(&VERBS, word) && ended && words.len() - after > 2
        });
        if opens {
            parts.push(trimmed(&question[start..words[index].0]));
            start = words[after].0;
            index = after;
        }
        index += 1;
    }
    parts.push(trimmed(&question[start..]));
    parts
}

/// Words with their positions; what stands in quotation marks belongs to one word.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' | '“' | '”' | '«' | '»' => quoted = !quoted,
            _ => {}
        }
        match (c.is_whitespace() && !quoted, start) {
            (true, Some(from)) => {
                words.push((from, &text[from..at]));
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    words.extend(start.map(|from| (from, &text[from..])));
    words
}

fn is_joint(word: &str) -> bool {
    let word = word.to_lowercase();
    JOINTS.contains(&word.trim_end_matches(','))
}

fn is_one_of(openers: &[&str], word: &str) -> bool {
    openers.contains(&word.to_lowercase().replace('’', "'").as_str())
}

/// A part without the marks at its end.
pub fn trimmed(part: &str) -> &str {
    part.trim().trim_end_matches([',', ';', '?', '.', '!', ' '])
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn questions_are_told_apart_by_marks_and_by_joining_words() {
        assert_eq!(
            parts(
                "Which user has most failed orders, how many errors did the log show for that user, and was the largest of that user's orders shipped?"
            ),
            [
                "Which user has most failed orders",
                "how many errors did the log show for that user",
                "was the largest of that user's orders shipped"
            ]
        );
        assert_eq!(
            parts("How many orders failed? And then what is the largest amount? List the users."),
            ["How many orders failed", "what is the largest amount", "List the users"]
        );
        assert_eq!(
            parts("How many orders failed; which is the last"),
            ["How many orders failed", "which is the last"]
        );
    }

    #[test]
    fn one_question_stays_whole() {
        for whole in [
            "How many orders are failed and paid",
            "Which orders were refunded and are over 5 EUR",
            "Count lines that mention \"who, what and how many\"",
            "How many orders, all in all, are there",
            "",
        ] {
            assert_eq!(parts(whole), [whole]);
        }
    }
}
