//! Changes single settings in `config.toml` and leaves everything else as its owner wrote it:
//! order, comments, blank lines.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use frlm_util::files;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use crate::config::Config;
use crate::failure::Failure;

/// What a setting can be.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// The built-in default: the setting leaves the file.
    Default,
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A share.
    Share(f64),
    /// Text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

/// The settings file, being changed.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    /// Comments of a file without settings: they stand above the first that it gets.
    heading: String,
    document: DocumentMut,
}

impl SettingsFile {
    /// Reads the file; one that is not there is empty.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                return Err(Failure::usage(format!("cannot read {}: {error}", path.display())).into());
            }
        };
        let mut document = text.parse::<DocumentMut>().map_err(|error| {
            Failure::usage(format!("{} is not TOML, so nothing was changed in it: {error}", path.display()))
        })?;
        let mut heading = String::new();
        if document.is_empty() {
            document.set_trailing("");
            heading = text;
            if !heading.is_empty() && !heading.ends_with('\n') {
                heading.push('\n');
            }
        }
        Ok(Self { path: path.to_owned(), heading, document })
    }

    /// Changes a setting; `section` is empty for settings at the top.
    pub fn set(&mut self, section: &str, key: &str, setting: Setting) {
        let table: Option<&mut dyn TableLike> = if section.is_empty() {
            Some(self.document.as_table_mut())
        } else {
            if setting == Setting::Default && !self.document.contains_key(section) {
                return;
            }
            let entry = self.document.entry(section).or_insert_with(|| Item::Table(Table::new()));
            entry.as_table_like_mut()
        };
        let Some(table) = table else { return };
        match setting {
            Setting::Default => drop(table.remove(key)),
            Setting::Flag(flag) => put(table, key, flag.into()),
            Setting::Number(number) => put(table, key, number.into()),
            Setting::Share(share) => put(table, key, share.into()),
            Setting::Text(text) => put(table, key, text.into()),
            Setting::List(list) => put_list(table, key, &list),
        }
    }

    /// The file as it would be written.
    pub fn text(&self) -> String {
        format!("{}{}", self.heading, self.document)
    }

    /// Writes the file, whole or not at all. One that the program could not read again is refused.
    pub fn save(&self) -> anyhow::Result<()> {
        let text = self.text();
        toml::from_str::<Config>(&text).map_err(|error| {
            Failure::usage(format!(
                "{} would not be usable: {error}; nothing was changed",
                self.path.display()
            ))
        })?;
        let context = || format!("cannot write {}; what was there is unchanged", self.path.display());
        files::replace(&self.path, text.as_bytes(), files::Access::Owner).with_context(context)
    }
}

/// Replaces a value and keeps the comment behind it.
fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key) {
        Some(Item::Value(known)) => {
            *value.decor_mut() = known.decor().clone();
            *known = value;
        }
        _ => drop(table.insert(key, Item::Value(value))),
    }
}

/// Takes out what is not in the list any more and adds what is new; the rest stays as it stands.
fn put_list(table: &mut dyn TableLike, key: &str, list: &[String]) {
    if let Some(known) = table.get_mut(key).and_then(Item::as_array_mut) {
        // A comment behind an entry is kept before the next one, and must not go with that.
        let mut comments = String::new();
        let mut position = 0;
        while let Some(value) = known.get_mut(position) {
            let before = value.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
            if value.as_str().is_some_and(|text| list.iter().any(|wanted| wanted == text)) {
                let before = std::mem::take(&mut comments) + before;
                value.decor_mut().set_prefix(before);
                position += 1;
            } else {
                if before.contains('#') {
                    comments.push_str(before);
                }
                known.remove(position);
            }
        }
        for wanted in list {
            if !known.iter().any(|value| value.as_str() == Some(wanted)) {
                let mut value = Value::from(wanted);
                let before = if comments.is_empty() { " ".to_owned() } else { std::mem::take(&mut comments) };
                let first = known.is_empty() && !before.contains('#');
                value.decor_mut().set_prefix(if first { String::new() } else { before });
                known.push_formatted(value);
            }
        }
        if !comments.is_empty() {
            let end = comments + known.trailing().as_str().unwrap_or_default();
            known.set_trailing(end);
        }
    } else {
        table.insert(key, Item::Value(Value::Array(list.iter().collect::<Array>())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "# my relays\nrelays = [\n  \"wss://a\", # the office\n  \"wss://b\",\n]\n\n[ask]\nbudget = 500 # not more\nverify = \"none\"\n";

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn changing_one_setting_keeps_comments_order_and_everything_else() {
        let (_folder, path) = file(WRITTEN);
        let mut settings = SettingsFile::open(&path).unwrap();
        settings.set("ask", "budget", Setting::Number(900));
        settings.save().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), WRITTEN.replace("500", "900"));
    }

    #[test]
    fn comments_of_a_file_without_settings_stay_above_the_first() {
        for (before, after) in [
            ("# mine\n\n", "# mine\n\nrelays = [\"wss://a\"]\n"),
            ("# mine", "# mine\nrelays = [\"wss://a\"]\n"),
        ] {
            let (_folder, path) = file(before);
            let mut settings = SettingsFile::open(&path).unwrap();
            settings.set("", "relays", Setting::List(vec!["wss://a".to_owned()]));
            settings.save().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), after);
        }
    }

    #[test]
    fn lists_gain_and_lose_single_entries() {
        let (_folder, path) = file(WRITTEN);
        let mut settings = SettingsFile::open(&path).unwrap();
        settings.set("", "relays", Setting::List(vec!["wss://a".to_owned(), "wss://c".to_owned()]));
        settings.save().unwrap();
        assert_eq!(Config::load(&path).unwrap().relays, ["wss://a", "wss://c"]);
        assert!(settings.text().contains("# the office"), "{}", settings.text());
    }

    #[test]
    fn a_default_leaves_the_file_and_a_new_section_joins_it() {
        let (_folder, path) = file(WRITTEN);
        let mut settings = SettingsFile::open(&path).unwrap();
        settings.set("ask", "verify", Setting::Default);
        settings.set("provide", "price", Setting::Number(3));
        settings.set("relay", "listen", Setting::Default);
        settings.save().unwrap();
        let config = Config::load(&path).unwrap();
        assert_eq!((config.ask.verify, config.ask.budget, config.provide.price), (None, Some(500), Some(3)));
        assert!(!settings.text().contains("[relay]"));
    }

    #[test]
    fn what_could_not_be_read_again_is_not_written() {
        let (_folder, path) = file(WRITTEN);
        let mut settings = SettingsFile::open(&path).unwrap();
        settings.set("ask", "bugdet", Setting::Number(1));
        let error = settings.save().unwrap_err().to_string();
        assert!(error.contains("nothing was changed"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), WRITTEN);
        let (_folder, path) = file("relays = [");
        assert!(SettingsFile::open(&path).unwrap_err().to_string().contains("not TOML"));
    }
}
