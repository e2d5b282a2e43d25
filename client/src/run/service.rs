//! The one place where runs start.

use frlm_conductor::run::Equipment;
use frlm_conductor::run::resume::Known;
use frlm_conductor::store::Store;
use frlm_learning::planning::account::Chosen;
use frlm_verifier::decisions::Priors;
use frlm_verifier::trust::ReputationStore;
use frlm_wallet::{CashuWallet, Ledger, RefundWatch, Sats};
use nostr::Keys;
use tokio_util::sync::CancellationToken;

use super::start::{
    self, Identity, Records, known_answers, known_providers, own_priors, rail, run_id, verified_claims,
};
use super::{Own, Prepared, RunHandle, RunRequest, RunSpec, own, prepare_in, read_by_model};
use crate::documents::Documents;
use crate::home::{Home, RunClaim};
use crate::vouching::{self, Vouched};
use crate::wallet_session::{Wallets, fund};

/// Starts runs in one home. Clones share its ledger, store and wallets.
#[derive(Clone)]
pub struct RunService {
    pub(super) home: Home,
    pub(super) ledger: Ledger,
    pub(super) store: Store,
    pub(super) wallets: Wallets,
    priors: Option<Priors>,
    /// Opened for all runs; without it each run opens the models that it names.
    models: Option<Own>,
    /// Whether runs use what earlier runs in this home learned of providers, and add to it.
    learns: bool,
}

/// What a run that starts may be told beside its request.
pub struct StartOptions {
    /// Sign the run's jobs, and are its identity.
    pub keys: Keys,
    /// How the parts of the question are asked, where the run shall not choose.
    pub chosen: Option<Chosen>,
    /// Stops the run when it is cancelled, also while it starts.
    pub cancel: CancellationToken,
}

impl Default for StartOptions {
    fn default() -> Self {
        Self { keys: Keys::generate(), chosen: None, cancel: CancellationToken::new() }
    }
}

impl StartOptions {
    /// The id of the run.
    pub fn id(&self) -> String {
        run_id(&self.keys)
    }
}

impl RunService {
    /// Runs that are paid from this home's wallet, if it has one. What earlier runs left in doubt is settled first.
    pub async fn open(home: &Home) -> anyhow::Result<Self> {
        Self::with_wallets(home, Wallets::of(home).await?).await
    }

    /// The same with wallets that are open already.
    pub async fn with_wallets(home: &Home, wallets: Wallets) -> anyhow::Result<Self> {
        let priors = own_priors(home)?;
        let ledger = home.open_ledger().await?;
        let store = Store::open(&home.store())?;
        wallets.reconcile_previous_runs(&ledger, home).await?;
        Ok(Self { home: home.clone(), ledger, store, wallets, priors, models: None, learns: true })
    }

    /// With these models for every run, in the place of those that its request names.
    #[must_use]
    pub fn with_models(self, models: Own) -> Self {
        Self { models: Some(models), ..self }
    }

    /// With runs that neither use nor add to what this home learned of providers, as demos and measurements want it.
    #[must_use]
    pub fn without_history(self) -> Self {
        Self { learns: false, priors: None, ..self }
    }

    /// What its runs are paid from, beside play money.
    pub fn wallet(&self) -> Option<&CashuWallet> {
        self.wallets.own.as_ref()
    }

    /// What its runs may spend and have spent.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The record of its runs.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Asks. Returns when the run is under way, or why it is not: then nothing was sent.
    pub async fn start(&self, spec: &RunSpec) -> anyhow::Result<RunHandle> {
        let request = RunRequest::from_spec(spec, &self.home.config()?)?;
        let home = self.home.clone();
        let prepared = tokio::task::spawn_blocking(move || prepare_in(&home, request, &Documents::of(&home)));
        Box::pin(self.start_prepared(prepared.await??, StartOptions::default())).await
    }

    /// The same with documents that were read already.
    pub async fn start_prepared(
        &self,
        prepared: Prepared,
        options: StartOptions,
    ) -> anyhow::Result<RunHandle> {
        let id = options.id();
        let models = self.models_for(&prepared.request).await?;
        let claim = self.home.claim_run(&id).await?;
        self.wallets.check(prepared.request.play_money)?;
        if let Some(play) = self.wallets.play.as_ref().filter(|_| prepared.request.play_money) {
            fund(play, Sats(prepared.request.budget)).await?;
        }
        let known = Known { chosen: options.chosen, ..Known::default() };
        let identity = Identity { id, keys: options.keys, known, recorded: false, accepted: false };
        Box::pin(self.launch(prepared, models, identity, claim, options.cancel)).await
    }

    /// The models of a run.
    pub(super) async fn models_for(&self, request: &RunRequest) -> anyhow::Result<Own> {
        match &self.models {
            Some(models) => Ok(models.clone()),
            None => own(request, &self.home).await,
        }
    }

    /// Wires a run that this process has claimed, and lets it go.
    pub(super) async fn launch(
        &self,
        mut prepared: Prepared,
        models: Own,
        identity: Identity,
        claim: RunClaim,
        cancel: CancellationToken,
    ) -> anyhow::Result<RunHandle> {
        let id = identity.id.clone();
        // A run that goes on does so as it began. Before anybody else is asked, for that may be all.
        let reader = models.model.as_deref().filter(|_| !identity.recorded);
        let read = read_by_model::read(&mut prepared, reader, &cancel).await?;
        prepared.notices.extend(read);
        let (play_money, by_code) = (prepared.request.play_money, prepared.by_code());
        let payer = self.wallets.own.as_ref().filter(|_| !play_money);
        let equipment = Equipment {
            rail: rail(&self.wallets, play_money),
            identity: Box::pin(start::identity(payer, &self.home)).await,
            reputation: self.learns.then(|| ReputationStore::at(self.home.reputation())),
            known_answers: self.learns.then(|| known_answers(&self.home)).flatten(),
            claims: verified_claims(&self.home).filter(|_| self.learns && !by_code),
            reads_afresh: prepared.request.fresh,
            priors: self.priors.clone(),
            accepted_by_person: identity.accepted,
            ..Equipment::default()
        };
        let (ledger, store) = (self.ledger.clone(), self.store.clone());
        let providers = if self.learns { known_providers(&self.home).await } else { Vec::new() };
        let vouched = if self.learns && prepared.request.uses_swarm() && !by_code {
            let trust = self.home.config()?.trust;
            let asking = vouching::current(&self.home, &trust, &prepared.relays);
            cancel.run_until_cancelled(asking).await.unwrap_or_else(|| Ok(Vouched::default()))?
        } else {
            Vouched::default()
        };
        let (blobs, events_file) = (self.home.config()?.blobs.options()?, claim.events_file());
        let records = Records { ledger, store, events_file, providers, vouched, blobs };
        let started = start::start(prepared, models, records, identity, equipment, &cancel).await?;
        if let Some(wallet) = payer
            && let Some(off) = wallet.check_clocks().await
        {
            notice!("wallet: {off}");
        }
        let own = self.wallets.own.as_ref().filter(|_| !self.wallets.kept);
        let refunds = own.map(|wallet| RefundWatch::start(wallet.clone(), Some(self.ledger.clone())));
        Ok(RunHandle::launch(id, started, (claim, refunds), cancel))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use frlm_conductor::trace::TraceEvent;
    use frlm_questions::answer::Answer;
    use frlm_verifier::trust::{Evidence, TaskClass};

    use super::*;
    use crate::run::{By, ResumeOptions};

    /// What code answers by itself, so that nobody is asked.
    fn spec(folder: &Path) -> RunSpec {
        let log = folder.join("orders.log");
        std::fs::write(&log, "order=1 user=mara\norder=2 user=mara\n").unwrap();
        RunSpec::over("How many lines mention mara?".to_owned(), vec![log])
    }

    #[tokio::test]
    async fn a_front_end_starts_a_run_sees_its_events_and_gets_its_answer() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let service = RunService::open(&home).await.unwrap();
        let RunHandle { id, mut events, done, .. } = service.start(&spec(folder.path())).await.unwrap();
        let mut seen = Vec::new();
        while let Some(record) = events.recv().await {
            seen.push(record.event);
        }
        assert!(matches!(&seen[0], TraceEvent::RunStart { run_id, .. } if *run_id == id), "{:?}", seen[0]);
        let answer = done.await.unwrap();
        assert!(answer.answer.starts_with("2 records match"), "{}", answer.answer);
        assert!(!home.is_under_way(&id), "nothing holds a run that has ended");
        assert_eq!(service.store().trace(&id).unwrap().records.len(), seen.len());
    }

    /// The answer to a question over a folder with two logs, a table, and a picture.
    async fn beside_a_picture(by: Option<By>, question: &str) -> (Answer, Vec<TraceEvent>) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let documents = folder.path().join("documents");
        std::fs::create_dir(&documents).unwrap();
        for (name, bytes) in [
            ("a.csv", &b"user,amount\nmara,2\nmara,3\n"[..]),
            ("b.txt", b"Nobody wrote of mara.\n"),
            ("scan.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ] {
            std::fs::write(documents.join(name), bytes).unwrap();
        }
        let service = RunService::open(&home).await.unwrap();
        let spec = RunSpec { by, ..RunSpec::over(question.to_owned(), vec![documents]) };
        let run = service.start(&spec).await.unwrap();
        let (id, answer) = (run.id, run.done.await.unwrap());
        service.store().flush(&id).await.unwrap();
        let records = service.store().trace(&id).unwrap().records;
        (answer, records.into_iter().map(|record| record.event).collect())
    }

    #[tokio::test]
    async fn an_answer_names_the_files_that_could_not_be_read_and_is_not_whole() {
        let (answer, events) = beside_a_picture(None, "How many lines mention mara?").await;
        let bound = "The answer says nothing about 1 file:\n- scan.png: a PNG picture: run text recognition";
        let text = &answer.answer;
        assert!(
            text.starts_with("At least 3 records match") && text.contains(": 1 file could not be read."),
            "{text}"
        );
        assert!(text.contains(&format!("\n\n{bound}")), "{text}");
        assert!((answer.coverage - 0.6667).abs() < 1e-9 && answer.confidence < 0.67, "{answer:?}");
        assert_eq!((answer.documents.read, answer.documents.unread[0].path.as_str()), (2, "scan.png"));
        assert!(!answer.verification.final_check.unwrap().passed);
        let is_said = |event: &TraceEvent| matches!(event, TraceEvent::Notice { says, .. } if says.contains("about 1 file: scan.png: a PNG"));
        assert!(events.iter().any(is_said), "{events:?}");
    }

    #[tokio::test]
    async fn what_code_computed_from_a_table_is_bounded_by_what_was_not_read() {
        let (answer, _) = beside_a_picture(Some(By::Code), "What is the total amount?").await;
        let text = &answer.answer;
        assert!(text.starts_with("5 (") && text.contains("nothing about 1 file:\n- scan.png"), "{text}");
        assert!((answer.coverage - 0.6667).abs() < 1e-9 && answer.confidence < 0.67, "{answer:?}");
    }

    #[tokio::test]
    async fn providers_known_from_earlier_runs_are_sought_best_known_first() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        assert!(known_providers(&home).await.is_empty());
        let [seldom, often] = [(); 2].map(|()| Keys::generate().public_key());
        let right = |provider: String| Evidence::Comparison {
            class: TaskClass::new("map", "general", 0),
            groups: vec![vec![provider]],
            accepted: Some(0),
            certainty: 1.0,
            audited: true,
        };
        let mut evidence = vec![right(seldom.to_hex()), right("no key".to_owned())];
        evidence.extend(vec![right(often.to_hex()); 3]);
        let store = ReputationStore::at(home.reputation());
        store.record(frlm_util::clock::unix_secs(), &[], &evidence).unwrap();
        assert_eq!(known_providers(&home).await, [often, seldom]);
    }

    #[tokio::test]
    async fn a_run_that_is_aborted_can_be_resumed_in_the_same_process() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let service = RunService::open(&home).await.unwrap();
        let RunHandle { id, done, .. } = service.start(&spec(folder.path())).await.unwrap();
        done.abort().await;
        assert!(!home.is_under_way(&id));
        let resumed = service.resume(&id, ResumeOptions::default()).await.unwrap();
        let answer = resumed.handle.done.await.unwrap().answer;
        assert!(answer.starts_with("2 records match"), "{answer}");
    }
}
