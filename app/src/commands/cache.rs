//! `frlm cache`: claims about documents that runs verified.

use frlm_client::conductor::claim_cache::ClaimCache;
use frlm_client::home::Home;
use frlm_client::protocol::one_line;
use frlm_client::units::{plural, thousands};
use serde_json::json;

use crate::cli::CacheCommand;

/// Does what was asked with what is kept.
pub fn run(command: &CacheCommand, home: &Home) -> anyhow::Result<()> {
    let cache = ClaimCache::at(home.claims());
    match command {
        CacheCommand::List { json } => list(&cache, *json),
        CacheCommand::Clear => {
            let parts = cache.clear()?;
            say!("{parts} {} deleted", if parts == 1 { "part" } else { "parts" });
            Ok(())
        }
    }
}

fn list(cache: &ClaimCache, as_json: bool) -> anyhow::Result<()> {
    let listed = cache.list()?;
    if listed.is_empty() && !as_json {
        note!("the cache is empty; a question in words over documents fills it with verified claims");
    }
    for one in listed {
        if as_json {
            say!(
                "{}",
                json!({
                    "question": one.question, "file": one.file, "parts": one.parts, "claims": one.claims,
                    "paid_sats": one.sats, "used_at": one.used_at,
                })
            );
        } else {
            let (question, file) = (one_line(&one.question), one_line(&one.file));
            let counted = |count: u64, what| plural(usize::try_from(count).unwrap_or(usize::MAX), what);
            let (parts, claims) = (counted(one.parts, "part"), counted(one.claims, "claim"));
            say!("{question}  ({file}): {parts}, {claims}, {} sats", thousands(one.sats));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_by_a_look_and_clearing_nothing_is_no_mistake() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        run(&CacheCommand::List { json: true }, &home).unwrap();
        run(&CacheCommand::Clear, &home).unwrap();
        assert!(!home.claims().exists());
    }
}
