//! README and guide as their readers use them: every line with `$` is run and its output compared, and every other command
//! that they name exists with its flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::{Background, frlm, json, run, stderr, stdout};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// The relay of the guide. A test has its own, at a port that the system picks.
const RELAY: &str = "ws://127.0.0.1:7777";

#[test]
fn the_commands_of_the_readme_print_what_it_says() {
    perform(&Path::new(ROOT).join("README.md"));
}

#[test]
fn the_commands_of_the_guide_print_what_it_says() {
    for page in guide() {
        perform(&page);
    }
}

#[test]
fn every_command_of_the_readme_and_the_guide_exists_with_its_flags() {
    let home = tempfile::tempdir().unwrap();
    let mut known = Known { home: home.path(), help: BTreeMap::new() };
    let mut commands = 0;
    for page in guide().into_iter().chain([Path::new(ROOT).join("README.md")]) {
        for command in named(&text(&page)) {
            if let Err(problem) = known.check(&command) {
                panic!("{}: `{command}`: {problem}", page.display());
            }
            commands += 1;
        }
    }
    assert!(commands > 100, "only {commands} commands were found");
}

fn guide() -> Vec<PathBuf> {
    let pages = std::fs::read_dir(Path::new(ROOT).join("docs/guide/src")).unwrap();
    let mut pages: Vec<PathBuf> = pages.map(|page| page.unwrap().path()).collect();
    pages.sort();
    pages
}

fn text(page: &Path) -> String {
    std::fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// Code blocks of these languages, line by line.
fn blocks<'text>(text: &'text str, languages: &[&str]) -> Vec<Vec<&'text str>> {
    let mut blocks = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) if languages.contains(&language) => open = Some(Vec::new()),
            (None, Some(block)) => block.push(line),
            _ => {}
        }
    }
    blocks
}

/// Words as a shell takes them apart; only double quotes are known.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, stretch) in command.split('"').enumerate() {
        if at % 2 == 1 {
            words.push(stretch.to_owned());
        } else {
            words.extend(stretch.split_whitespace().map(str::to_owned));
        }
    }
    words
}

// What is run.

/// Runs the console blocks of a page, in a home of the page's own.
fn perform(page: &Path) {
    let home = tempfile::tempdir().unwrap();
    let mut running = Running { home: home.path(), relay: RELAY.to_owned(), background: Vec::new() };
    for block in blocks(&text(page), &["console"]) {
        let mut lines = block.into_iter().peekable();
        while let Some(line) = lines.next() {
            let command =
                line.strip_prefix("$ frlm ").unwrap_or_else(|| panic!("{}: {line}", page.display()));
            let mut expected = Vec::new();
            while let Some(printed) = lines.next_if(|line| !line.starts_with("$ ")) {
                expected.push(printed);
            }
            running.perform(&format!("{}: {line}", page.display()), command, &expected);
        }
    }
}

struct Running<'home> {
    home: &'home Path,
    relay: String,
    background: Vec<Background>,
}

impl Running<'_> {
    fn perform(&mut self, name: &str, command: &str, expected: &[&str]) {
        match command.strip_suffix(" &") {
            Some("relay") => {
                let (relay, url) = Background::relay(self.home);
                self.background.push(relay);
                self.relay = url;
            }
            Some(provider) => {
                assert_eq!(provider, format!("provide --relay {RELAY}"), "{name}");
                self.background.push(Background::provider(self.home, &self.relay));
            }
            None => {
                let args: Vec<String> = words(command).into_iter().map(|word| self.meant(word)).collect();
                let output = frlm(self.home).current_dir(ROOT).args(&args).output().unwrap();
                assert!(output.status.success(), "{name}: {}", stderr(&output));
                let printed = stdout(&output);
                let printed: Vec<&str> = printed.lines().collect();
                assert!(begins(&printed, expected), "{name} printed\n{}", printed.join("\n"));
            }
        }
    }

    /// A word of the guide as it is here: `RUN` is the latest run.
    fn meant(&self, word: String) -> String {
        match word.as_str() {
            RELAY => self.relay.clone(),
            "RUN" => {
                let runs = json(&run(self.home, &["runs", "list", "--json"]));
                runs[0]["run_id"].as_str().unwrap().to_owned()
            }
            _ => word,
        }
    }
}

/// Whether the output begins as the guide says. A line `…` stands for any lines, `…` in a line for anything.
fn begins(printed: &[&str], expected: &[&str]) -> bool {
    match expected.split_first() {
        None => true,
        Some((&"…", rest)) => (0..=printed.len()).any(|at| begins(&printed[at..], rest)),
        Some((line, rest)) => {
            printed.split_first().is_some_and(|(first, others)| is_like(first, line) && begins(others, rest))
        }
    }
}

fn is_like(line: &str, pattern: &str) -> bool {
    match pattern.split_once('…') {
        None => line.trim_end() == pattern.trim_end(),
        Some((before, behind)) => line.strip_prefix(before).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.into_iter().any(|at| is_like(&rest[at..], behind))
        }),
    }
}

// What is only named.

/// Commands in blocks of a shell and in code between words.
fn named(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for block in blocks(text, &["sh", "console"]) {
        commands.extend(block.iter().map(|line| line.strip_prefix("$ ").unwrap_or(line).to_owned()));
    }
    let mut is_block = false;
    for line in text.lines() {
        is_block ^= line.starts_with("```");
        if !is_block {
            commands.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    commands.retain(|command| command.starts_with("frlm "));
    commands
}

/// What the program says of its commands.
struct Known<'home> {
    home: &'home Path,
    help: BTreeMap<Vec<String>, String>,
}

impl Known<'_> {
    fn check(&mut self, command: &str) -> Result<(), String> {
        let command = command.split(" # ").next().unwrap_or_default().replace(" &", "");
        let words: Vec<String> = words(&command).into_iter().skip(1).collect();
        let mut path: Vec<String> = Vec::new();
        for word in &words {
            let Some((_, commands)) = self.help(&path).split_once("\nCommands:\n") else { break };
            if word.starts_with('-') {
                break;
            }
            if !commands.lines().any(|line| line.split_whitespace().next() == Some(word)) {
                return Err(format!("there is no command {word}"));
            }
            path.push(word.clone());
        }
        let help = self.help(&path).to_owned();
        let flags = words.iter().filter(|word| word.starts_with('-') && word.len() > 1);
        for flag in flags {
            if !help.split_whitespace().any(|word| word.trim_end_matches(',') == flag) {
                return Err(format!("there is no {flag}"));
            }
        }
        Ok(())
    }

    fn help(&mut self, path: &[String]) -> &str {
        let home = self.home;
        self.help.entry(path.to_vec()).or_insert_with(|| {
            let args: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
            let output = run(home, &args);
            assert!(output.status.success(), "{path:?}: {}", stderr(&output));
            stdout(&output)
        })
    }
}
