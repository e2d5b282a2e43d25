//! What a program may call, and what it is answered.
//!
//! | call | asks | gives |
//! |---|---|---|
//! | `ask(question, fragments=None)` | one question over these fragments together | its answer |
//! | `ask_each(question, fragments=None)` | the same question of each of them | a list of answers |
//! | `ask_all([(question, fragments), …])` | several questions at once | a list of answers |
//!
//! Fragments are records, their indices, or lists of these; none means all. With `missing=…` an answer that could not be
//! had is that value, and no error.

use serde_json::{Map, Value};

use super::inquiry::Inquiry;
use super::{Call, Reply};

/// The longest question, in bytes: a fragment and an answer have room beside it.
const MOST_QUESTION_BYTES: usize = 16 << 10;

/// A call that was understood.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub wanted: Wanted,
    pub inquiries: Vec<Inquiry>,
}

/// In which form it wants its answers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    /// A list of them, or the only one.
    list: bool,
    /// What stands for an answer that could not be had; `None`: it is an error.
    missing: Option<Value>,
}

/// Understands a call, over so many fragments; otherwise what is wrong with it.
pub(super) fn read(call: &Call, fragments: usize) -> Result<Asked, String> {
    let Call { function, arguments, named } = call;
    let mut given = Given { function, arguments: arguments.iter(), named: named.clone() };
    let missing = given.named.remove("missing");
    let (list, inquiries) = match function.as_str() {
        "ask" => {
            let question = given.question()?;
            let fragments = given.fragments(fragments)?;
            if fragments.is_empty() {
                return Err("ask() was given no fragment to ask about".to_owned());
            }
            (false, vec![Inquiry { question, fragments }])
        }
        "ask_each" => {
            let question = given.question()?;
            let each = given.fragments(fragments)?.into_iter();
            (true, each.map(|one| Inquiry { question: question.clone(), fragments: vec![one] }).collect())
        }
        _ => (true, given.pairs(fragments)?),
    };
    given.nothing_left()?;
    Ok(Asked { wanted: Wanted { list, missing }, inquiries })
}

struct Given<'call> {
    function: &'call str,
    arguments: std::slice::Iter<'call, Value>,
    named: Map<String, Value>,
}

impl Given<'_> {
    fn take(&mut self, name: &str) -> Option<Value> {
        self.arguments.next().cloned().or_else(|| self.named.remove(name))
    }

    fn question(&mut self) -> Result<String, String> {
        let question = self.take("question");
        self.as_question(question.as_ref())
    }

    fn as_question(&self, question: Option<&Value>) -> Result<String, String> {
        let function = self.function;
        let question = question.and_then(Value::as_str).map(str::trim);
        match question {
            None => Err(format!("{function}() takes a question in words first")),
            Some("") => Err(format!("{function}() was given an empty question")),
            Some(question) if question.len() > MOST_QUESTION_BYTES => Err(format!(
                "{function}() was given a question of {} bytes; at most {MOST_QUESTION_BYTES} can be asked",
                question.len()
            )),
            Some(question) => Ok(question.to_owned()),
        }
    }

    fn fragments(&mut self, count: usize) -> Result<Vec<usize>, String> {
        let fragments = self.take("fragments");
        self.as_fragments(fragments.as_ref(), count)
    }

    /// In the documents' order, each once.
    fn as_fragments(&self, fragments: Option<&Value>, count: usize) -> Result<Vec<usize>, String> {
        let wrong = || {
            format!(
                "{}() takes fragments, or their indices from 0 to {}",
                self.function,
                count.saturating_sub(1)
            )
        };
        let index = |value: &Value| {
            let index = value.as_u64().and_then(|index| usize::try_from(index).ok());
            index.filter(|index| *index < count).ok_or_else(wrong)
        };
        match fragments {
            None | Some(Value::Null) => Ok((0..count).collect()),
            Some(Value::Array(several)) => {
                let mut indices = several.iter().map(index).collect::<Result<Vec<_>, _>>()?;
                // What is asked of each of them is answered in the order in which they were given.
                if self.function != "ask_each" {
                    indices.sort_unstable();
                    indices.dedup();
                }
                Ok(indices)
            }
            Some(one) => Ok(vec![index(one)?]),
        }
    }

    fn pairs(&mut self, count: usize) -> Result<Vec<Inquiry>, String> {
        let Some(Value::Array(pairs)) = self.take("questions") else {
            return Err("ask_all() takes a list of questions, or of (question, fragments)".to_owned());
        };
        let inquiry = |pair: &Value| {
            let (question, fragments) = match pair {
                Value::Array(pair) => (pair.first(), pair.get(1)),
                question => (Some(question), None),
            };
            let (question, fragments) = (self.as_question(question)?, self.as_fragments(fragments, count)?);
            if fragments.is_empty() {
                return Err(format!("ask_all() was given no fragment to ask \"{question}\" about"));
            }
            Ok(Inquiry { question, fragments })
        };
        pairs.iter().map(inquiry).collect()
    }

    fn nothing_left(mut self) -> Result<(), String> {
        let function = self.function;
        if self.arguments.next().is_some() {
            return Err(format!("{function}() was given more than it takes"));
        }
        match self.named.keys().next() {
            Some(name) => Err(format!("{function}() takes no \"{name}\"")),
            None => Ok(()),
        }
    }
}

impl Wanted {
    /// What the program is answered; `None` stands for an answer that could not be had.
    pub fn reply(&self, values: Vec<Option<Value>>) -> Reply {
        let missed = values.iter().filter(|value| value.is_none()).count();
        if missed > 0 && self.missing.is_none() {
            return Reply::Raises(match values.len() {
                1 => "no verified answer could be had".to_owned(),
                all => format!("no verified answer could be had to {missed} of {all} questions"),
            });
        }
        let stand_in = self.missing.clone().unwrap_or(Value::Null);
        let mut values: Vec<Value> =
            values.into_iter().map(|value| value.unwrap_or_else(|| stand_in.clone())).collect();
        if self.list {
            return Reply::Gives(Value::Array(values));
        }
        Reply::Gives(values.pop().unwrap_or(Value::Null))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(function: &str, arguments: &Value, named: &Value) -> Result<Asked, String> {
        let arguments = arguments.as_array().cloned().unwrap_or_default();
        let named = named.as_object().cloned().unwrap_or_default();
        read(&Call { function: function.to_owned(), arguments, named }, 4)
    }

    fn fragments(asked: &Asked) -> Vec<Vec<usize>> {
        asked.inquiries.iter().map(|inquiry| inquiry.fragments.clone()).collect()
    }

    #[test]
    fn fragments_are_all_one_or_several() {
        let fragments_of = |asked: &Result<Asked, String>| fragments(asked.as_ref().unwrap());
        assert_eq!(fragments_of(&call("ask", &json!(["Who?"]), &json!({}))), [[0, 1, 2, 3]]);
        assert_eq!(fragments_of(&call("ask", &json!(["Who?", 2]), &json!({}))), [[2]]);
        assert_eq!(fragments_of(&call("ask", &json!(["Who?", [3, 1, 3]]), &json!({}))), [[1, 3]]);
        let each = call("ask_each", &json!(["Who?"]), &json!({"fragments": [3, 1]}));
        assert_eq!(fragments_of(&each), [[3], [1]], "answers come in the order in which was asked");
        let all = call("ask_all", &json!([["Who?", ["When?", 1], ["Where?", [0, 2]]]]), &json!({}));
        assert_eq!(fragments_of(&all), [vec![0, 1, 2, 3], vec![1], vec![0, 2]]);
    }

    #[test]
    fn what_a_function_does_not_take_is_said() {
        for (function, arguments, named, words) in [
            ("ask", json!([]), json!({}), "a question in words first"),
            ("ask", json!([3]), json!({}), "a question in words first"),
            ("ask", json!([" "]), json!({}), "empty question"),
            ("ask", json!(["Who?", 4]), json!({}), "from 0 to 3"),
            ("ask", json!(["Who?", [true]]), json!({}), "from 0 to 3"),
            ("ask", json!(["Who?", []]), json!({}), "no fragment"),
            ("ask", json!(["Who?", 1, 2]), json!({}), "more than it takes"),
            ("ask", json!(["Who?"]), json!({"model": "x"}), "takes no \"model\""),
            ("ask_each", json!(["y".repeat(20_000)]), json!({}), "at most 16384"),
            ("ask_all", json!(["Who?"]), json!({}), "a list of questions"),
        ] {
            let error = call(function, &arguments, &named).unwrap_err();
            assert!(error.contains(words), "{function} {arguments}: {error}");
        }
    }

    #[test]
    fn what_could_not_be_had_is_an_error_unless_something_stands_in_for_it() {
        let wanted = |list, missing| Wanted { list, missing };
        assert_eq!(wanted(false, None).reply(vec![Some(json!(4))]), Reply::Gives(json!(4)));
        assert!(matches!(wanted(false, None).reply(vec![None]), Reply::Raises(_)));
        let two = || vec![Some(json!("a")), None];
        assert!(matches!(wanted(true, None).reply(two()), Reply::Raises(words) if words.contains("1 of 2")));
        assert_eq!(wanted(true, Some(json!("?"))).reply(two()), Reply::Gives(json!(["a", "?"])));
        assert_eq!(wanted(true, None).reply(Vec::new()), Reply::Gives(json!([])));
    }
}
