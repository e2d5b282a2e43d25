//! `frlm serve`: an OpenAI-compatible endpoint over runs, and with `--nostr` a NIP-90 service beside it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nostr::RelayUrl;
use nostr::nips::nip19::ToBech32 as _;
use tokio::net::TcpListener;

use crate::cli::ServeArgs;
use crate::interrupt::Interrupt;
use frlm_client::config::relay_urls;
use frlm_client::failure::Failure;
use frlm_client::home::Home;
use frlm_client::run::RunSpec;
use frlm_client::run::{NO_RELAY, NO_RELAY_TO_SERVE, RunRequest};
use frlm_serve::nostr_service::NostrService;
use frlm_serve::{Service, serve};

const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// Serves until interrupted: at the first signal what is under way is finished, at the second it is stopped.
pub async fn run(args: &ServeArgs, home: &Home) -> anyhow::Result<()> {
    let config = home.config()?;
    let listen = args.listen.or(config.serve.listen).unwrap_or(DEFAULT_LISTEN);
    let request = RunRequest::from_spec(&asking(args), &config)?;
    // What holds for every question is refused now, and not at the first of them.
    request.terms()?;
    if request.uses_swarm() && request.relays.is_empty() {
        return Err(Failure::usage(NO_RELAY).into());
    }
    if !listen.ip().is_loopback() && config.serve.callers.is_empty() {
        return Err(Failure::usage(format!(
            "{listen} can be reached from other machines, and anybody there could spend your sats: give each caller \
             a key with [[serve.callers]] (name, key_env) in config.toml, or listen on 127.0.0.1"
        ))
        .into());
    }
    let budget = request.budget;
    let relays = relay_urls(&request.relays)?;
    let over_nostr = args.nostr || config.serve.nostr;
    if over_nostr && relays.is_empty() {
        return Err(Failure::usage(NO_RELAY_TO_SERVE).into());
    }
    let identity = over_nostr.then(|| home.service_identity()).transpose()?;
    let service = Service::open(home.clone(), request).await?;
    let listener = TcpListener::bind(listen).await.map_err(|error| {
        Failure::usage(format!("cannot listen on {listen}: {error}; pass another address with --listen"))
    })?;
    let address = listener.local_addr()?;
    let interrupt = Interrupt::listen("finishing running questions; again to stop at once");
    // Before anybody is told that this serves: without a relay it does not.
    let opened = match &identity {
        Some(identity) => {
            let (keys, open_jobs) = (identity.keys.clone(), args.open_jobs || config.serve.open_jobs);
            Some(NostrService::open(service.clone(), keys, &relays, open_jobs, interrupt.tidy.clone()).await?)
        }
        None => None,
    };
    say!("http://{address}/v1");
    note!(
        "serving on http://{address}/v1 (model: frlm), at most {budget} sats a question, {} requests a minute for {}; \
         GET /health says how things stand",
        config.serve.per_minute,
        if service.callers.is_open() { "this machine" } else { "each caller" },
    );
    let nostr_service = opened.as_ref().map(|(nostr_service, _)| Arc::clone(nostr_service));
    if let Some(identity) = &identity {
        let names: Vec<&str> = relays.iter().map(RelayUrl::as_str).collect();
        note!(
            "questions of anybody come as NIP-90 jobs to {}\non {}",
            identity.keys.public_key().to_bech32()?,
            names.join(", ")
        );
    }
    let questions = async {
        if let Some((nostr_service, incoming)) = opened {
            nostr_service.run(incoming).await;
        }
    };
    let over_http = serve(listener, service.clone(), interrupt.tidy.clone());
    let serving = async { tokio::join!(over_http, questions).0 };
    let outcome = tokio::select! {
        outcome = serving => outcome,
        () = interrupt.now.cancelled() => Ok(()),
    };
    service.shut_down().await;
    if let Some(nostr_service) = nostr_service {
        nostr_service.shut_down().await;
    }
    Ok(outcome?)
}

/// The flags of `frlm ask` that hold for every question.
fn asking(args: &ServeArgs) -> RunSpec {
    RunSpec {
        budget: args.budget,
        relays: args.relays.clone(),
        venues: args.venues.clone(),
        local: args.local,
        model: args.model.clone(),
        // Nobody is there to be asked; the budget holds.
        yes: true,
        ..RunSpec::over(String::new(), Vec::new())
    }
}
