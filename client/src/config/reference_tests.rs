//! The guide against the settings: its configuration reference and its examples.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{CallerConfig, Config, ServeConfig, VenueConfig};

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/guide/src");
/// What the reference says of a setting without a default.
const UNSET: &str = "–";

#[test]
fn the_reference_has_every_setting_with_its_default_and_no_other() {
    let (name, model, key_env) = (String::new(), String::new(), String::new());
    let venue = VenueConfig { name: name.clone(), model, price: 0, key_env: None, context: None };
    let serve = ServeConfig { callers: vec![CallerConfig { name, key_env }], ..ServeConfig::default() };
    let config = Config { serve, venues: vec![venue], ..Config::default() };
    let mut settings = BTreeMap::new();
    collect("", &serde_json::to_value(&config).unwrap(), &mut settings);
    assert_eq!(reference(), settings);
}

/// Settings below `section` by their full names, with their defaults as the file would say them.
fn collect(section: &str, table: &Value, settings: &mut BTreeMap<String, String>) {
    for (key, value) in table.as_object().unwrap() {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        match value {
            Value::Object(_) => collect(&name, value, settings),
            Value::Array(entries) if !entries.is_empty() => collect(&name, &entries[0], settings),
            value => {
                let unset = value.is_null() || value.as_str() == Some("");
                settings.insert(name, if unset { UNSET.to_owned() } else { value.to_string() });
            }
        }
    }
}

/// The rows of the reference, section by section.
fn reference() -> BTreeMap<String, String> {
    let page = std::fs::read_to_string(format!("{GUIDE}/configuration.md")).unwrap();
    let (mut section, mut settings) = (None, BTreeMap::new());
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let named = title.strip_prefix('`').map(|name| name.trim_matches(['`', '[', ']']).to_owned());
            section = if title == "Top level" { Some(String::new()) } else { named };
        }
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        if let ([_, key, default, ..], Some(section), true) = (&cells[..], &section, line.starts_with("| `"))
        {
            let name = if section.is_empty() { (*key).to_owned() } else { format!("{section}.{key}") };
            let twice = settings.insert(name, (*default).to_owned());
            assert_eq!(twice, None, "{line}");
        }
    }
    settings
}

#[test]
fn the_examples_of_the_guide_are_settings() {
    let mut examples = 0;
    for page in std::fs::read_dir(GUIDE).unwrap() {
        let path = page.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for example in text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            let read = toml::from_str::<Config>(example);
            assert!(read.is_ok(), "{}: {read:?}", path.display());
            examples += 1;
        }
    }
    assert!(examples > 0, "the guide has no example");
}
