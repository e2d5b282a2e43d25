//! JSON values as a program sees them, and back.

use monty_types::{DictPairs, MontyObject};
use serde_json::{Map, Number, Value};

/// Values within values that are sent.
const DEEPEST: usize = 32;

/// A JSON value as a program sees it.
pub(crate) fn object(value: Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(truth) => MontyObject::Bool(truth),
        Value::Number(number) => number
            .as_i64()
            .map(MontyObject::Int)
            .or_else(|| number.as_f64().map(MontyObject::Float))
            .unwrap_or(MontyObject::None),
        Value::String(text) => MontyObject::String(text),
        Value::Array(items) => MontyObject::List(items.into_iter().map(object).collect()),
        Value::Object(members) => {
            let pairs = members.into_iter().map(|(name, value)| (MontyObject::String(name), object(value)));
            MontyObject::Dict(pairs.collect::<DictPairs>())
        }
    }
}

/// What a program gives to a function, as JSON: a record as its first field. `None` where JSON has no word for it.
pub(crate) fn plain(object: &MontyObject) -> Option<Value> {
    within(object, DEEPEST)
}

fn within(object: &MontyObject, deepest: usize) -> Option<Value> {
    let deepest = deepest.checked_sub(1)?;
    let all = |items: &[MontyObject]| {
        items.iter().map(|item| within(item, deepest)).collect::<Option<Vec<_>>>().map(Value::Array)
    };
    match object {
        MontyObject::None => Some(Value::Null),
        MontyObject::Bool(truth) => Some(Value::Bool(*truth)),
        MontyObject::Int(number) => Some(Value::from(*number)),
        MontyObject::Float(number) => Number::from_f64(*number).map(Value::Number),
        MontyObject::String(text) => Some(Value::String(text.clone())),
        MontyObject::List(items)
        | MontyObject::Tuple(items)
        | MontyObject::Set(items)
        | MontyObject::FrozenSet(items) => all(items),
        MontyObject::NamedTuple { values, .. } => within(values.first()?, deepest),
        MontyObject::Dict(pairs) => {
            let members = pairs.iter().map(|(name, value)| match name {
                MontyObject::String(name) => Some((name.clone(), within(value, deepest)?)),
                _ => None,
            });
            members.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        _ => None,
    }
}

/// What a program came to, as its reader sees it: a list one line each, a dict too.
pub(crate) fn shown(object: &MontyObject) -> String {
    let lines = |items: &[MontyObject]| items.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    match object {
        MontyObject::List(items) | MontyObject::Tuple(items) => lines(items),
        MontyObject::Dict(pairs) => {
            pairs.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_json_can_say_comes_back_as_it_went() {
        for value in
            [json!(null), json!(true), json!(42), json!(1.5), json!("a"), json!({"a": [1, {"b": "c"}]})]
        {
            assert_eq!(plain(&object(value.clone())), Some(value));
        }
    }

    #[test]
    fn a_record_sends_its_first_field_and_omits_what_json_cannot_express() {
        let record = MontyObject::NamedTuple {
            type_name: "Fragment".to_owned(),
            field_names: vec!["index".to_owned(), "text".to_owned()],
            values: vec![MontyObject::Int(3), MontyObject::String("long".to_owned())],
        };
        assert_eq!(plain(&MontyObject::Tuple(vec![record])), Some(json!([3])));
        assert_eq!(plain(&MontyObject::Float(f64::NAN)), None);
        assert_eq!(plain(&MontyObject::Ellipsis), None);
        let deep = (0..100).fold(MontyObject::None, |inner, _| MontyObject::List(vec![inner]));
        assert_eq!(plain(&deep), None);
    }

    #[test]
    fn an_answer_of_several_has_a_line_for_each() {
        assert_eq!(shown(&object(json!(["a", 1]))), "a\n1");
        assert_eq!(shown(&object(json!({"a": 1, "b": "c"}))), "a: 1\nb: c");
        assert_eq!(shown(&object(json!("a\nb"))), "a\nb");
    }
}
