//! A mint that answers a payment with "pending" before it has begun it, as Nutshell does: until then it
//! says of the quote that it is unpaid and of the inputs that they are unspent, truthfully. The mint
//! behind it is real and honest.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};

use super::place::Place;
use super::*;
use crate::mint::asking::TIMEOUT;

/// Longer than everything before a payment leaves, shorter than the looks that follow it.
const IMPATIENT: Duration = Duration::from_secs(4);
const MOST_BYTES: usize = 4 << 20;

#[derive(Clone, Default)]
struct Hesitant(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    /// What the mint last answered when it was asked what a payment would cost.
    quoted: serde_json::Value,
    /// The payment that was answered and not begun.
    held: Option<(Request, Next)>,
    /// It begins at this look at its quote; never if there is none.
    begins_at_look: Option<u32>,
}

impl Hesitant {
    fn before(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), pass))
    }

    fn begins_at_look(&self, look: u32) {
        self.0.lock().unwrap().begins_at_look = Some(look);
    }

    /// What it has not begun it never begins.
    fn forgets(&self) {
        self.0.lock().unwrap().held = None;
    }

    /// Counts a look at the quote; the payment that is to begin now.
    fn looked(&self) -> Option<(Request, Next)> {
        let mut inner = self.0.lock().unwrap();
        let left = inner.begins_at_look?.saturating_sub(1);
        inner.begins_at_look = Some(left);
        if left == 0 { inner.held.take() } else { None }
    }
}

async fn pass(State(mint): State<Hesitant>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    match path.strip_prefix("/v1/melt/") {
        Some("quote/bolt11") => {
            let (parts, body) = next.run(request).await.into_parts();
            let bytes = to_bytes(body, MOST_BYTES).await.unwrap();
            mint.0.lock().unwrap().quoted = serde_json::from_slice(&bytes).unwrap();
            Response::from_parts(parts, Body::from(bytes))
        }
        Some("bolt11") => {
            let (mut parts, body) = request.into_parts();
            let mut asked: serde_json::Value =
                serde_json::from_slice(&to_bytes(body, MOST_BYTES).await.unwrap()).unwrap();
            // Once it begins it answers at its end, so that a test knows what it finds then.
            asked["prefer_async"] = false.into();
            parts.headers.remove("prefer");
            parts.headers.remove(CONTENT_LENGTH);
            let mut inner = mint.0.lock().unwrap();
            inner.held = Some((Request::from_parts(parts, Body::from(asked.to_string())), next));
            let mut answer = inner.quoted.clone();
            answer["state"] = "PENDING".into();
            ([(CONTENT_TYPE, "application/json")], answer.to_string()).into_response()
        }
        Some(_) => {
            if let Some((held, begin)) = mint.looked() {
                begin.run(held).await;
            }
            next.run(request).await
        }
        None => next.run(request).await,
    }
}

/// A wallet with 100 sats at a hesitant mint, and an invoice over 40 of another mint's.
struct Scene {
    mint: Hesitant,
    world: World,
    /// Where the invoice is from.
    _other: World,
    invoice: String,
}

impl Scene {
    async fn new() -> Self {
        let (mint, line) = (Hesitant::default(), Line::seeded(0));
        let options = PlayMintOptions::default();
        let place = PlayMint::start_behind(options, |router| mint.before(line.before(router))).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let world = World { mint: Place::Own(place), line, folder, seed: Phrase::generate().seed() };
        drop(world.funded(100).await);
        let other = World::at_another_mint().await;
        let invoice = other.wallet().await.invoice(other.mint.url(), Sats(40)).await.unwrap().bolt11;
        Self { mint, world, _other: other, invoice }
    }

    async fn quote(&self, wallet: &CashuWallet) -> PaymentQuote {
        wallet.payment_quote(self.world.mint.url(), &self.invoice, Msats(40_000)).await.unwrap()
    }

    /// Begins to pay and gives up before the mint does.
    async fn given_up(&self) -> WalletError {
        let wallet = self.world.wallet().await;
        let quote = self.quote(&wallet).await;
        TIMEOUT.scope(IMPATIENT, async { wallet.pay(&quote).await.unwrap_err() }).await
    }

    async fn reopened(&self) -> (CashuWallet, Recovery) {
        let opened = CashuWallet::open(self.world.folder.path(), self.world.seed.clone(), Money::Play).await;
        let (wallet, recovery) = opened.unwrap();
        assert!(!recovery.busy);
        (wallet, recovery)
    }
}

/// What is free to be spent, and what is in payments that are not over.
async fn held(wallet: &CashuWallet) -> (u64, u64) {
    let balance = wallet.balances().await.unwrap().remove(0);
    (balance.available.0, balance.pending.0)
}

#[tokio::test]
async fn a_payment_that_is_called_unpaid_before_it_has_begun_is_seen_to_its_end() {
    let scene = Scene::new().await;
    scene.mint.begins_at_look(3);
    let wallet = scene.world.wallet().await;
    let paid = wallet.pay(&scene.quote(&wallet).await).await.unwrap();
    assert_eq!((paid.amount, paid.fee), (Sats(40), Sats(1)));
    assert_eq!(held(&wallet).await, (59, 0));
}

#[tokio::test]
async fn a_payment_that_never_begins_is_not_made_and_its_sats_are_free_again() {
    let scene = Scene::new().await;
    let wallet = scene.world.wallet().await;
    let error = wallet.pay(&scene.quote(&wallet).await).await.unwrap_err();
    assert!(matches!(error, WalletError::Refused { .. }), "{error}");
    assert!(error.is_certain(), "the caller may ask for the payment again");
    assert_eq!(held(&wallet).await, (100, 0));

    scene.mint.forgets();
    scene.mint.begins_at_look(1);
    let paid = wallet.pay(&scene.quote(&wallet).await).await.unwrap();
    assert_eq!((paid.amount, held(&wallet).await), (Sats(40), (59, 0)));
}

#[tokio::test]
async fn inputs_that_are_not_unspent_belie_a_quote_that_is_called_unpaid() {
    let scene = Scene::new().await;
    scene.world.line.lie_about_states("PENDING");
    let error = scene.given_up().await;
    assert!(matches!(error, WalletError::Unclear { .. }), "{error}");
    let (wallet, recovery) = scene.reopened().await;
    assert_eq!(held(&wallet).await, (59, 41), "the sats stay reserved");
    assert_eq!(recovery.undone, 0);
    drop(wallet);
    // It was paid after all.
    scene.mint.begins_at_look(1);
    let (wallet, _) = scene.reopened().await;
    assert_eq!(held(&wallet).await, (59, 0));
}

#[tokio::test]
async fn recovery_does_not_believe_the_word_before_the_beginning_either() {
    let scene = Scene::new().await;
    let error = scene.given_up().await;
    assert!(matches!(error, WalletError::Unclear { .. }), "{error}");
    scene.mint.begins_at_look(3);
    let (wallet, recovery) = scene.reopened().await;
    assert_eq!((held(&wallet).await, recovery.undone), ((59, 0), 0));
}
