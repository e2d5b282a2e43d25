//! `frlm route`: what runs have learned of roles and venues, and how things stand
//! (seeds/load-balanced-rl-workflow.md, section 2.6: `health()`).

use frlm_client::learning::routing::RoutingMemory;

use crate::cli::RouteCommand;
use frlm_client::failure::{Failure, code};
use frlm_client::home::Home;
use frlm_client::routing_report;

/// Does what was asked with the account of routing.
pub fn run(command: &RouteCommand, home: &Home) -> anyhow::Result<()> {
    let memory = RoutingMemory::at(home.routing());
    match command {
        RouteCommand::Health { requests, json } => {
            let routing = home.config()?.routing;
            let account = memory.load().map_err(|error| Failure::with_code(code::FAILED, error))?;
            let Some(account) = account else {
                if *json {
                    say!("{}", serde_json::json!({ "health": null, "requests": [] }));
                }
                note!("no run has routed anything yet; ask with frlm ask first");
                return Ok(());
            };
            let health = account.health(routing.online_learning, routing.explore);
            let latest = routing_report::latest(&account, *requests);
            if *json {
                say!("{}", serde_json::json!({ "health": health, "requests": latest }));
            } else {
                say_raw!("{}", routing_report::describe(&health, &latest));
            }
        }
        RouteCommand::Forget => {
            if !memory.forget()? {
                return Err(Failure::usage("nothing was learned about roles and venues yet").into());
            }
            note!("forgotten: runs learn about roles and venues from scratch");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frlm_client::failure::render_error;

    #[test]
    fn an_account_that_cannot_be_read_is_no_mistake_of_the_user() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        std::fs::write(home.routing(), "{").unwrap();
        let health = RouteCommand::Health { requests: 0, json: true };
        let (message, exit) = render_error(&run(&health, &home).unwrap_err());
        assert_eq!(exit, code::FAILED);
        assert!(message.contains("routing.json"), "{message}");
    }
}
