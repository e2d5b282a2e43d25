//! The models that this machine has at hand: the one inside the program, GGUF files, the settings' own.

mod fit;
mod progress;
mod told;

use std::path::{Path, PathBuf};

use frlm_inference::gguf::{GgufHeader, read_header};
use frlm_inference::open::{ModelSource, ModelSpec};
use frlm_protocol::printable;
use serde::Serialize;

pub use self::fit::{Fit, free_bytes};
pub use self::progress::progress_in_words;
use crate::failure::Failure;
use crate::home::Home;
use crate::units::thousands;

/// Files that are listed.
const MOST_FILES: usize = 200;

/// Where a model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Inside the program.
    Inside,
    /// A GGUF file or a folder on this machine.
    File,
    /// Behind an address.
    Endpoint,
}

/// A model that could be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogEntry {
    /// What `--model` takes.
    pub spec: String,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Bytes of its weights, where they are on this machine.
    pub weights_bytes: Option<u64>,
    /// What its header says, or what to know about it.
    pub about: String,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// What is found on this machine and in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalog {
    /// All models.
    pub entries: Vec<CatalogEntry>,
    /// Memory that could be used now.
    pub free_bytes: Option<u64>,
    /// The model for words and as the fallback: `ask.model`.
    pub own: Option<String>,
    /// The model that is served: `provide.model`.
    pub served: Option<String>,
    /// Where files are looked for.
    pub folder: String,
}

/// The model inside, the files in the models folder and beside those of the settings, and the
/// settings' own. Blocks.
pub fn find(home: &Home) -> anyhow::Result<Catalog> {
    let config = home.config()?;
    let (own, served) = (config.ask.model, config.provide.model);
    let mut entries = vec![inside()];
    let mut folders = vec![home.models()];
    for text in own.iter().chain(&served) {
        match text.parse::<ModelSpec>().map(|spec| spec.source) {
            Ok(ModelSource::Path(path)) => {
                folders.extend(path.parent().map(Path::to_owned));
                add(&mut entries, file(&path));
            }
            Ok(ModelSource::Endpoint { base_url, model, .. }) => add(
                &mut entries,
                CatalogEntry {
                    spec: text.clone(),
                    name: printable(&model).into_owned(),
                    place: Place::Endpoint,
                    weights_bytes: None,
                    about: format!("at {base_url}; questions leave this machine"),
                    problem: None,
                },
            ),
            Ok(ModelSource::Embedded) => {}
            Err(error) => return Err(Failure::usage(error).into()),
        }
    }
    for folder in &folders {
        for path in gguf_files(folder) {
            add(&mut entries, file(&path));
        }
    }
    Ok(Catalog {
        entries,
        free_bytes: free_bytes(),
        own,
        served,
        folder: home.models().display().to_string(),
    })
}

fn add(entries: &mut Vec<CatalogEntry>, entry: CatalogEntry) {
    if !entries.iter().any(|known| known.spec == entry.spec) {
        entries.push(entry);
    }
}

fn inside() -> CatalogEntry {
    let built_in = cfg!(feature = "embedded");
    CatalogEntry {
        spec: "embedded".to_owned(),
        name: "frlm-records".to_owned(),
        place: Place::Inside,
        weights_bytes: None,
        about: "only extracts fields from logs and tables; for the demo and the tests".to_owned(),
        problem: (!built_in).then(|| "this build has no embedded model".to_owned()),
    }
}

fn gguf_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(listing) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_gguf = |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gguf"));
    let paths = listing.flatten().map(|entry| entry.path()).filter(is_gguf);
    let mut paths: Vec<_> = paths.take(MOST_FILES).collect();
    paths.sort();
    paths
}

/// A GGUF file or a folder. Blocks.
pub fn file(path: &Path) -> CatalogEntry {
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    let bytes = std::fs::metadata(path).map(|metadata| metadata.len());
    let (about, problem) = match (&bytes, path.is_dir()) {
        (Err(error), _) => (String::new(), Some(format!("it cannot be read: {error}"))),
        (Ok(_), true) => ("a folder with safetensors".to_owned(), None),
        (Ok(_), false) => match read_header(path) {
            Ok(header) => (describe(&header), lacks(&header)),
            Err(error) => (String::new(), Some(printable(&error.to_string()).into_owned())),
        },
    };
    CatalogEntry {
        spec: path.display().to_string(),
        name: printable(&name).into_owned(),
        place: Place::File,
        weights_bytes: bytes.ok().filter(|_| !path.is_dir()),
        about,
        problem,
    }
}

fn describe(header: &GgufHeader) -> String {
    let mut parts = vec![printable(&header.architecture).into_owned()];
    parts.extend(header.quantisation.as_deref().map(|format| printable(format).into_owned()));
    parts.extend(
        header.context_tokens.map(|tokens| format!("{} tokens of context", thousands(tokens as u64))),
    );
    parts.join(", ")
}

fn lacks(header: &GgufHeader) -> Option<String> {
    if !header.has_tokenizer {
        Some("the file has no tokenizer; look for one that has".to_owned())
    } else if !header.has_chat_template {
        Some("the file has no chat template, so it cannot be used".to_owned())
    } else {
        None
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    #[test]
    fn files_in_the_models_folder_are_found_and_damaged_ones_say_so() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        std::fs::create_dir_all(home.models()).unwrap();
        std::fs::write(home.models().join("broken.GGUF"), "nonsense").unwrap();
        std::fs::write(home.models().join("notes.txt"), "no model").unwrap();
        std::fs::write(home.config_file(), "[ask]\nmodel = 'http://127.0.0.1:8080/v1#qwen3'\n").unwrap();
        let found = find(&home).unwrap();
        let names: Vec<_> = found.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["frlm-records", "qwen3", "broken"]);
        assert!(found.entries[2].problem.as_deref().unwrap().contains("GGUF"));
    }
}
