//! Everything that a front end of FRLM needs, except widgets. Through this crate the window, the command line, the HTTP service
//! and a program of yours start runs, maintain the wallet and read the records of a home.
//!
//! Layout, in reading order:
//! - [`run`]: from a question to a run under way; [`view`]: a run as it stands, folded from its trace; [`run_notes`], [`run_report`],
//!   [`recorded_run`]: texts about a run, from what happens in it and from its record
//! - [`local_swarm`], [`demo_mint`]: a relay, three providers and a mint of play money on this machine; [`demo_homes`]: what
//!   a demo leaves; [`faulty_provider`]: a provider that lies, to show what happens then; [`recorded`]: a RECORDING that
//!   answers in place of models; [`attack_simulation`]: a SIMULATED swarm in which some providers lie, about records and in words
//! - [`sandbox`]: programs that somebody else wrote, in a worker process of this program; [`programs`]: programs that decide what a
//!   run asks
//! - [`wallet_session`], [`wallet_manager`], [`wallet_maintenance`]: the wallet of this home, kept open and maintained in
//!   long-running programs; [`wallet_passphrase`]: what seals it; [`wallet_recovery`]: what became
//!   of sats that were under way
//! - [`providing`]: serving jobs with this machine
//! - [`receipt`], [`earnings_report`], [`provider_pay`], [`ledger_report`], [`wallet_audit`]: what a run has cost, what a provider has earned,
//!   where the sats of runs are, whether all sums agree
//! - [`models`], [`model_catalog`], [`prices`]: the models of this machine, and prices for their work
//! - [`routing_report`], [`routing_picture`], [`learned_plans`]: what runs taught about routing and about taking questions apart, in
//!   words and in figures to be drawn
//! - [`mod@swarm`], [`payment`]: the swarm and the payments of a run, over relays and mints
//! - [`directory`], [`trial`]: the providers at the relays, and whether one of them answers
//! - [`vouching`]: whom the keys that the user named vouch for
//! - [`strategies`], [`provider_record`], [`known`], [`ratings`], [`reading_time`]: what was learned and said about earlier runs
//! - [`comparison`], [`deletion`], [`export`], [`perfetto`]: compares two runs; deletes a run from this home; exports its events, also
//!   for a trace viewer
//! - [`documents`]: PDF, Office, mail and other files, read in a worker and kept
//! - [`home`], [`config`], [`settings_file`]: the state directory and its settings
//! - [`doctor`]: checks that everything is there
//! - [`thresholds`]: the thresholds by which a run decides after its stages
//! - [`failure`], [`mod@notice`], [`log_lines`], [`output`], [`answer_parts`], [`answer_markdown`], [`units`]: what a front end tells its user
//! - [`conductor`], [`inference`], [`learning`], [`protocol`], [`provider`], [`questions`], [`relay`], [`scheduler`], [`verifier`],
//!   [`wallet`], [`util`]: what front ends see of the crates below, item by item; front ends depend on none of these crates

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

#[macro_use]
pub mod notice;

pub mod answer_markdown;
pub mod answer_parts;
pub mod attack_simulation;
pub mod comparison;
pub mod conductor;
pub mod config;
pub mod deletion;
#[cfg(any(test, feature = "demo"))]
pub mod demo_homes;
#[cfg(any(test, feature = "demo"))]
pub mod demo_mint;
pub mod directory;
pub mod doctor;
pub mod documents;
pub mod earnings_report;
pub mod export;
pub mod failure;
#[cfg(any(test, feature = "demo"))]
pub mod faulty_provider;
pub mod home;
pub mod inference;
pub mod known;
pub mod learned_plans;
pub mod learning;
pub mod ledger_report;
#[cfg(any(test, feature = "demo"))]
pub mod local_swarm;
pub mod log_lines;
pub mod model_catalog;
pub mod models;
pub mod output;
pub mod payment;
pub mod perfetto;
pub mod prices;
pub mod programs;
pub mod protocol;
pub mod provider;
pub mod provider_pay;
pub mod provider_record;
pub mod providing;
pub mod questions;
pub mod ratings;
pub mod reading_time;
pub mod receipt;
#[cfg(any(test, feature = "demo"))]
pub mod recorded;
pub mod recorded_run;
pub mod relay;
pub mod routing_picture;
pub mod routing_report;
pub mod run;
pub mod run_notes;
pub mod run_report;
pub mod sandbox;
pub mod scheduler;
pub mod settings_file;
pub mod strategies;
pub mod swarm;
#[cfg(feature = "testing")]
pub mod testing_endpoint;
#[cfg(any(test, feature = "testing"))]
pub mod testing_traces;
pub mod thresholds;
pub mod trial;
pub mod units;
pub mod util;
pub mod verifier;
pub mod view;
pub mod vouching;
pub mod wallet;
pub mod wallet_audit;
pub mod wallet_maintenance;
pub mod wallet_manager;
pub mod wallet_passphrase;
pub mod wallet_recovery;
pub mod wallet_session;
