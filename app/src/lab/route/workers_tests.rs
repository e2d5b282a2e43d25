use std::net::{Ipv4Addr, SocketAddr};

use frlm_conductor::route::{TaskBank, VenueId};
use frlm_conductor::swarm::local::LocalVenue;
use frlm_conductor::swarm::nostr::NostrSwarm;
use frlm_inference::scripted::ScriptedModel;
use frlm_provider::{Provider, ProviderConfig};
use frlm_relay::{ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig};
use nostr::{Keys, Timestamp};

use super::*;

const TERMS: Terms = Terms { name: "swarm", overhead_secs: 0.3, secs_per_token: 0.005 };

fn laboratory(venue: Venue) -> Laboratory {
    Laboratory { venues: vec![venue], roles: of_dialect(Dialect::Records), nominal: true }
}

fn plan() -> Task {
    let bank = TaskBank::read(super::super::train::RECORD_TASKS).unwrap();
    bank.tasks().iter().find(|task| task.id == "plan-3").unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_behind_a_relay_does_the_task_for_its_price_in_nominal_time() {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let relay = EmbeddedRelay::start(EmbeddedRelayConfig::at(listen)).await.unwrap();
    let relays = [frlm_relay::parse_relay_url(&relay.url().to_string()).unwrap()];
    let model = ScriptedModel::new("scripted", str::to_uppercase);
    let config = ProviderConfig { price_msats_per_1k: 10_000, ..ProviderConfig::default() };
    let provider = Provider::start(config, Keys::generate(), &relays, Arc::new(model)).await.unwrap();
    let (publisher, incoming) = Connection::connect(&relays, ConnectOptions::default()).await.unwrap();
    let (events_in, events) = mpsc::channel(64);
    let swarm = NostrSwarm::start(Keys::generate(), publisher, incoming, events_in, Timestamp::now()).await;
    let venue = Venue::new(TERMS, Arc::new(swarm), events, 1);
    assert_eq!(venue.gather(1, Duration::from_mins(1)).await, 1);
    let laboratory = laboratory(venue);
    let done = laboratory.execute(&plan(), "planner", "swarm").await.unwrap();
    assert_eq!(done.output, "PLAN\nWHICH AMOUNT BELONGS TO ORDER ORD-4317");
    // Seven words read and seven written, at ten millisats each.
    assert_eq!(done.cost_msats, 140);
    assert!((done.latency_secs - (0.3 + 14.0 * 0.005)).abs() < 1e-9);
    let nobody = laboratory.execute(&plan(), "poet", "swarm").await.unwrap_err();
    assert!(nobody.to_string().contains("no such role"));
    laboratory.venues[0].shutdown().await;
    provider.shutdown().immediate.cancel();
    provider.stopped().await;
    relay.shutdown().await;
}

#[tokio::test]
async fn a_venue_without_providers_is_closed_and_a_task_for_it_says_why() {
    let (events_in, events) = mpsc::channel(4);
    let local = LocalVenue::new(Arc::new(ScriptedModel::new("scripted", str::to_uppercase)), events_in);
    let laboratory = laboratory(Venue::new(TERMS, Arc::new(local), events, 1));
    assert_eq!(laboratory.venues[0].gather(1, Duration::ZERO).await, 0);
    let space = Space::seed();
    let available = laboratory.available(&space);
    for action in space.action_ids() {
        let swarm = space.parts(action).1 == VenueId(1);
        assert_eq!(available.open()[action.0 as usize], !swarm, "only the venue that is there is closed");
    }
    let reason = laboratory.execute(&plan(), "planner", "swarm").await.unwrap_err().to_string();
    assert!(reason.contains("none of 0 providers"), "{reason}");
}

#[test]
fn the_right_role_puts_a_task_as_the_embedded_model_was_trained_to_hear_it() {
    let bank = TaskBank::read(super::super::train::RECORD_TASKS).unwrap();
    let text = |role: usize, id: &str| {
        let task = bank.tasks().iter().find(|task| task.id == id).unwrap();
        of_dialect(Dialect::Records)[role].prompt(task).texts()[0].clone()
    };
    assert_eq!(text(0, "copy-1"), "copy tifroo_kol, maljyr_doa\n9959: tifroo_kol=21 maljyr_doa=9");
    assert_eq!(text(1, "plan-3"), "plan\nWhich amount belongs to order ORD-4317");
    assert!(text(2, "same-2").starts_with("same\nQUESTION: "));
    assert!(text(3, "better-1").starts_with("better\nQUESTION: "));
    assert!(text(1, "copy-1").starts_with("plan\ntifroo"), "a wrong role asks for something else");
}

#[test]
fn the_task_types_of_the_records_bank_are_those_of_the_roles() {
    let bank = TaskBank::read(super::super::train::RECORD_TASKS).unwrap();
    assert_eq!(
        (bank.tasks().len(), bank.types()),
        (12, ["copy", "plan", "same", "better"].map(str::to_owned).into())
    );
}
