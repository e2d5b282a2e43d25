//! JSON and JSON lines. Fields of nested objects get paths as names: `user.name`.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::line_counter::LineCounter;
use super::line_number;
use crate::error::LoadError;
use crate::raw::{Gathered, RawTable};

/// How deep the list of records is looked for.
const MAX_DEPTH: usize = 5;

/// How deep fields are taken apart; below that they stay JSON.
const MAX_PATH: usize = 6;

/// Where a list of records stands, by its length.
struct Found<'t> {
    records: Vec<(Option<String>, &'t RawValue)>,
    path: String,
    others: usize,
}

/// The largest list of objects in a document; a document without one is a record itself.
pub(super) fn read(text: &str) -> Result<RawTable, LoadError> {
    let root: &RawValue = serde_json::from_str(text).map_err(|error| LoadError::Json(error.to_string()))?;
    let mut found = Found { records: Vec::new(), path: String::new(), others: 0 };
    search(root, "", 0, &mut found);
    if found.records.is_empty() {
        found.records.push((None, root));
    }
    let mut gathered = Gathered::default();
    let mut lines = LineCounter::new(text);
    for (key, raw) in &found.records {
        let start = raw.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
        let first = lines.at(start);
        let inner = raw.get().bytes().filter(|byte| *byte == b'\n').count();
        let last = first.saturating_add(u32::try_from(inner).unwrap_or(0));
        let mut fields = Vec::new();
        if let Some(key) = key {
            fields.push(("key".to_owned(), key.clone()));
        }
        if let Ok(value) = serde_json::from_str::<Value>(raw.get()) {
            flatten(&value, "", 0, &mut fields);
        }
        gathered.push((first, last), fields);
    }
    let mut table = gathered.into_table();
    if found.others > 0 {
        table.notes.push(format!(
            "the records are those of \"{}\"; {} more lists are in the file",
            if found.path.is_empty() { "the document" } else { &found.path },
            found.others
        ));
    }
    Ok(table)
}

/// One record per line that holds an object.
pub(super) fn read_lines(text: &str) -> RawTable {
    let mut gathered = Gathered::default();
    let mut unreadable = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_end_matches(',');
        if line.is_empty() {
            continue;
        }
        let number = line_number(index);
        match serde_json::from_str::<Value>(line) {
            Ok(value @ Value::Object(_)) => {
                let mut fields = Vec::new();
                flatten(&value, "", 0, &mut fields);
                gathered.push((number, number), fields);
            }
            _ => unreadable.push(number),
        }
    }
    let mut table = gathered.into_table();
    if let Some(first) = unreadable.first() {
        table.unreadable_lines = unreadable.len() as u64;
        table
            .notes
            .push(format!("{} lines are no JSON object (the first is line {first})", unreadable.len()));
    }
    table
}

fn search<'t>(raw: &'t RawValue, path: &str, depth: usize, found: &mut Found<'t>) {
    let text = raw.get();
    if depth > MAX_DEPTH {
        return;
    }
    if text.starts_with('[') {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) else { return };
        let objects: Vec<(Option<String>, &RawValue)> =
            items.iter().filter(|item| item.get().starts_with('{')).map(|item| (None, *item)).collect();
        if objects.len() * 2 > items.len() {
            offer(objects, path, found);
        }
    } else if text.starts_with('{') {
        let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) else { return };
        let mut fields: Vec<(String, &RawValue)> = fields.into_iter().collect();
        fields.sort_by_key(|(_, value)| value.get().as_ptr().addr());
        let objects = fields.iter().filter(|(_, value)| value.get().starts_with('{')).count();
        // A map from names to objects of one shape is a list with a name per record.
        if objects >= 3 && objects == fields.len() {
            let records = fields.iter().map(|(key, value)| (Some(key.clone()), *value)).collect();
            offer(records, path, found);
            return;
        }
        for (key, value) in fields {
            let inner = if path.is_empty() { key } else { format!("{path}.{key}") };
            search(value, &inner, depth + 1, found);
        }
    }
}

fn offer<'t>(records: Vec<(Option<String>, &'t RawValue)>, path: &str, found: &mut Found<'t>) {
    if records.len() > found.records.len() {
        if !found.records.is_empty() {
            found.others += 1;
        }
        found.records = records;
        path.clone_into(&mut found.path);
    } else if !records.is_empty() {
        found.others += 1;
    }
}

/// The fields of a value with their paths. Lists of plain values are joined, lists of objects stay JSON.
fn flatten(value: &Value, path: &str, depth: usize, fields: &mut Vec<(String, String)>) {
    let name = || if path.is_empty() { "value".to_owned() } else { path.to_owned() };
    match value {
        Value::Object(map) if depth < MAX_PATH && !map.is_empty() => {
            for (key, inner) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(inner, &path, depth + 1, fields);
            }
        }
        Value::Null => fields.push((name(), String::new())),
        Value::String(text) => fields.push((name(), text.clone())),
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            let shown: Vec<String> = items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect();
            fields.push((name(), shown.join(", ")));
        }
        other => fields.push((name(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(table: &RawTable) -> Vec<Vec<String>> {
        table
            .rows()
            .map(|row| (0..table.names.len()).map(|column| row.cell(column).to_owned()).collect())
            .collect()
    }

    #[test]
    fn nested_fields_get_paths_and_records_their_lines() {
        let text = "{\n \"orders\": [\n  {\"id\": 1, \"user\": {\"name\": \"Ann\"}},\n  {\"id\": 2, \"user\": {\"name\": null}, \"tags\": [\"a\", \"b\"]}\n ]\n}";
        let table = read(text).unwrap();
        assert_eq!(table.names, ["id", "user.name", "tags"]);
        assert_eq!(rows(&table), [["1", "Ann", ""], ["2", "", "a, b"]]);
        assert_eq!(table.rows().map(|row| row.lines().0).collect::<Vec<_>>(), [3, 4]);
    }

    #[test]
    fn a_map_from_names_to_objects_is_a_table_with_keys() {
        let table = read(r#"{"packages": {"a": {"v": 1}, "b": {"v": 2}, "c": {"v": 3}}}"#).unwrap();
        assert_eq!(table.names, ["key", "v"]);
        assert_eq!(rows(&table)[1], ["b", "2"]);
    }

    #[test]
    fn lines_that_are_no_objects_are_counted() {
        let table = read_lines("{\"a\":1}\nnonsense\n\n{\"a\":2,\"b\":true}\n");
        assert_eq!((table.len(), table.unreadable_lines), (2, 1));
        assert_eq!(rows(&table)[1], ["2", "true"]);
        assert_eq!(table.rows().last().unwrap().lines(), (4, 4));
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let deep = "[".repeat(100_000);
        assert!(read(&deep).is_err());
    }
}
