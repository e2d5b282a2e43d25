use std::net::{Ipv4Addr, SocketAddr};

use frlm_client::swarm::local::LocalVenue;
use frlm_client::swarm::nostr::NostrSwarm;
use frlm_inference::scripted::ScriptedModel;
use frlm_learning::routing::TaskBank;
use frlm_provider::{Provider, ProviderConfig};
use frlm_relay::{ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig};
use nostr::{Keys, Timestamp};

use super::*;

const TERMS: VenueTerms = VenueTerms { name: "swarm", overhead_secs: 0.3, secs_per_token: 0.005 };

fn laboratory(venue: Venue) -> Laboratory {
    Laboratory { venues: vec![venue], roles: of_dialect(Dialect::Records), nominal: true }
}

/// A model that works in these roles.
fn crew(name: &str, roles: &[&'static str]) -> Crew {
    let model = ScriptedModel::new(name, str::to_uppercase);
    Crew { spec: name.to_owned(), model: Arc::new(model), roles: roles.to_vec() }
}

const ALL: [&str; 4] = ["copier", "planner", "comparer", "chooser"];

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
    let swarm =
        NostrSwarm::start(Keys::generate(), publisher, incoming, events_in, Timestamp::now(), &[]).await;
    let venue = Venue::new(TERMS, &crew("scripted", &ALL), Arc::new(swarm), events, 1);
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
    let laboratory = laboratory(Venue::new(TERMS, &crew("scripted", &ALL), Arc::new(local), events, 1));
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

/// A venue in this process where one model works in some roles.
async fn place(crew: &Crew) -> Venue {
    let (events_in, events) = mpsc::channel(4);
    let local = LocalVenue::new(Arc::clone(&crew.model), events_in.clone());
    // A provider with another model is seen too, and is none of this place.
    let stranger =
        LocalVenue::new(Arc::new(ScriptedModel::new("stranger", str::to_owned)), events_in.clone());
    for seen in [stranger.provider(), local.provider()] {
        events_in.send(SwarmEvent::ProviderSeen(seen)).await.unwrap();
    }
    let venue = Venue::new(TERMS, crew, Arc::new(local), events, 1);
    assert_eq!(venue.gather(1, Duration::from_mins(1)).await, 1);
    venue
}

#[tokio::test]
async fn a_role_with_its_own_model_is_answered_by_it_or_closed_without_it() {
    let (others, planner) = (crew("others", &["copier", "comparer", "chooser"]), crew("own", &["planner"]));
    let laboratory = Laboratory {
        venues: vec![place(&others).await, place(&planner).await],
        roles: of_dialect(Dialect::Records),
        nominal: true,
    };
    for (role, model) in [("planner", "own"), ("copier", "others"), ("chooser", "others")] {
        let done = laboratory.execute(&plan(), role, "swarm").await.unwrap();
        assert!(done.by.ends_with(&format!("({model})")), "{role} by {}", done.by);
    }
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let space = Space::new(names(&["plan"]), names(&ALL), names(&["local", "swarm"])).unwrap();
    let open = |laboratory: &Laboratory| {
        let available = laboratory.available(&space);
        let of = |role: &str| space.action(space.role(role).unwrap(), VenueId(1)).0 as usize;
        ALL.map(|role| available.open()[of(role)])
    };
    assert_eq!(open(&laboratory), [true; 4]);
    laboratory.venues[1].up.store(false, Ordering::SeqCst);
    assert_eq!(open(&laboratory), [true, false, true, true], "the planner's model is gone");
}

#[test]
fn the_right_role_words_a_task_as_in_the_embedded_models_training() {
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
    let general = of_dialect(Dialect::Json)[1].prompt(&plan());
    assert!(
        general.instruction.starts_with("You are a programmer.") && general.max_tokens == 768,
        "section 2.2"
    );
}

#[test]
fn the_task_types_of_the_records_bank_are_those_of_the_roles() {
    let bank = TaskBank::read(super::super::train::RECORD_TASKS).unwrap();
    assert_eq!(
        (bank.tasks().len(), bank.types()),
        (12, ["copy", "plan", "same", "better"].map(str::to_owned).into())
    );
}
