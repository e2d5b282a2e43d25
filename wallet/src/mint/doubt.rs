//! What a mint says of a payment, weighed before the library acts on it; and that it does not say now what it has signed
//! ([`MeltGuardConnector`]'s `post_restore`), which the library takes for nothing.
//!
//! Questions that are longer than the mint takes are asked in parts here, the library's own included; they move nothing.
//!
//! The library frees a payment's inputs as soon as the mint calls its quote unpaid. Mints say so too
//! early: Nutshell answers "pending", calls the quote unpaid until it has begun, and pays then; a caller that
//! believed the word between holds sats that are spent. So every word about a quote whose inputs have
//! left goes through here, while paying as when recovering.
//!
//! ```text
//!  "paid", "pending" ──────────────────────────────────────────► passed on
//!  "unpaid", "failed" ─┬─ an input is not "unspent" (NUT-07),
//!  "unknown"           │  or there is a proof of payment ──────► "pending": looked up again later
//!                      ├─ "paid" or "pending" at a later look ─► that word
//!                      └─ the same at LOOKS more looks ────────► passed on: not paid, the inputs are free
//! ```
//!
//! The inputs' state alone proves nothing: before the mint begins they are unspent too. Nor can a mint be
//! made to say that it will never begin; between its answer and its beginning lie a few milliseconds of
//! its own work, no payment, so that seconds are patience enough. A mint that pays even later than that
//! has told everyone the contrary many times over.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use cdk::cdk_database::{Error as DatabaseError, WalletDatabase};
use cdk::mint_url::MintUrl;
use cdk::nuts::{
    AuthToken, BatchCheckMintQuoteRequest, BatchMintRequest, CheckStateRequest, CheckStateResponse, Id,
    KeySet, KeysetResponse, MeltQuoteState, MeltRequest, MintInfo, MintRequest, MintResponse, PaymentMethod,
    PublicKey, RestoreRequest, RestoreResponse, State, SwapRequest, SwapResponse,
};
use cdk::wallet::types::{MeltSagaState, OperationData, WalletSagaState};
use cdk::wallet::{AuthMintConnector, AuthWallet, LnurlPayInvoiceResponse, LnurlPayResponse, MintConnector};
use cdk::{
    Error, MeltQuoteCreateResponse, MeltQuoteRequest, MeltQuoteResponse, MintQuoteRequest, MintQuoteResponse,
    OidcClient,
};
use uuid::Uuid;

use super::asking::timeout;
use super::clocks::{Clocks, date_of};
use super::health::Health;
use super::sizes::Sizes;
use crate::error::{in_words, is_about_size, named_most};
use crate::failpoint;

/// So many more looks must find a quote unpaid, and its inputs unspent in the end, before that is believed.
const LOOKS: u32 = 5;
/// Between two of them.
const BETWEEN: Duration = Duration::from_secs(1);

/// What a mint answers that does not say at all which outputs it has signed (NUT-09 is optional): it never will.
const NEVER: [u16; 3] = [404, 405, 501];

type Connector = Arc<dyn MintConnector + Send + Sync>;
type Store = Arc<dyn WalletDatabase<DatabaseError> + Send + Sync>;

/// The library's connection to a mint, whose word on payments is weighed.
pub(super) struct MeltGuardConnector {
    mint: MintUrl,
    connector: Connector,
    store: Store,
    known: Known,
    /// Payments that were found to be unpaid for good: the library asks once more before it acts.
    unpaid: Mutex<HashSet<Uuid>>,
}

/// What is learned of a mint whenever it answers, and when it does not.
pub(super) struct Known {
    pub sizes: Arc<Sizes>,
    pub health: Arc<Health>,
    pub clocks: Arc<Clocks>,
}

/// A payment whose inputs have left.
struct Payment {
    operation: Uuid,
    inputs: Vec<PublicKey>,
}

impl fmt::Debug for MeltGuardConnector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MeltGuardConnector").field("mint", &self.mint).finish_non_exhaustive()
    }
}

impl MeltGuardConnector {
    pub fn new(mint: MintUrl, connector: Connector, store: Store, known: Known) -> Self {
        Self { mint, connector, store, known, unpaid: Mutex::default() }
    }

    /// What a mint answers, or that it does not in time.
    async fn hear<T>(&self, asking: impl Future<Output = Result<T, Error>> + Send) -> Result<T, Error> {
        // Less than a caller that waits for several answers has, so that it is known here which mint was silent.
        let timeout = timeout().mul_f32(0.75);
        self.note(tokio::time::timeout(timeout, asking).await.unwrap_or(Err(Error::Timeout))).await
    }

    /// Notes whether a mint has answered. One that fails at once holds nobody up.
    async fn note<T>(&self, answer: Result<T, Error>) -> Result<T, Error> {
        match &answer {
            Err(error @ (Error::Timeout | Error::HttpError(None, _))) => {
                self.known.health.silent(&self.mint, in_words(error)).await;
            }
            _ => self.known.health.answered(&self.mint).await,
        }
        answer
    }

    /// The payment of a quote, if one is under way. Of any other quote the mint may say what it likes.
    async fn under_way(&self, quote: &str) -> Result<Option<Payment>, Error> {
        let sagas = self.store.get_incomplete_sagas().await.map_err(Error::Database)?;
        for saga in sagas.into_iter().filter(|saga| saga.mint_url == self.mint) {
            let left = matches!(
                saga.state,
                WalletSagaState::Melt(MeltSagaState::MeltRequested | MeltSagaState::PaymentPending)
            );
            match saga.data {
                OperationData::Melt(melt) if left && melt.quote_id == quote => {
                    let inputs = melt.final_proof_ys.unwrap_or_default();
                    return Ok(Some(Payment { operation: saga.id, inputs }));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Whether the mint says of every input that it is unspent.
    async fn are_unspent(&self, inputs: &[PublicKey]) -> Result<bool, Error> {
        let asked = CheckStateRequest { ys: inputs.to_vec() };
        let states = self.post_check_state(asked).await?.states;
        let unspent =
            |input: &PublicKey| states.iter().any(|proof| proof.y == *input && proof.state == State::Unspent);
        Ok(!inputs.is_empty() && inputs.iter().all(unspent))
    }

    /// Whether a question was refused for its length alone, and a shorter one can be asked.
    fn takes_fewer(&self, count: usize, error: &Error) -> bool {
        is_about_size(error) && self.known.sizes.refused(count, named_most(error))
    }

    async fn weigh(
        &self,
        method: PaymentMethod,
        quote: &str,
        payment: Payment,
        mut answer: MeltQuoteResponse<String>,
    ) -> Result<MeltQuoteResponse<String>, Error> {
        for look in 0..=LOOKS {
            if look > 0 {
                tokio::time::sleep(BETWEEN).await;
                answer = self.hear(self.connector.get_melt_quote_status(method.clone(), quote)).await?;
            }
            match answer.state() {
                MeltQuoteState::Paid | MeltQuoteState::Pending => return Ok(answer),
                MeltQuoteState::Unpaid | MeltQuoteState::Failed if answer.payment_proof().is_none() => {}
                _ => return Ok(pending(answer)),
            }
            // At both ends: every request counts against what the mint lets one wallet ask.
            if [0, LOOKS].contains(&look) && !self.are_unspent(&payment.inputs).await? {
                return Ok(pending(answer));
            }
        }
        self.unpaid.lock().unwrap_or_else(PoisonError::into_inner).insert(payment.operation);
        Ok(answer)
    }
}

fn pending(mut answer: MeltQuoteResponse<String>) -> MeltQuoteResponse<String> {
    let state = match &mut answer {
        MeltQuoteResponse::Bolt11(answer) => &mut answer.state,
        MeltQuoteResponse::Bolt12(answer) => &mut answer.state,
        MeltQuoteResponse::Onchain(answer) => &mut answer.state,
        MeltQuoteResponse::Custom((_, answer)) => &mut answer.state,
    };
    *state = MeltQuoteState::Pending;
    answer
}

#[async_trait]
impl MintConnector for MeltGuardConnector {
    async fn get_melt_quote_status(
        &self,
        method: PaymentMethod,
        quote_id: &str,
    ) -> Result<MeltQuoteResponse<String>, Error> {
        let answer = self.hear(self.connector.get_melt_quote_status(method.clone(), quote_id)).await?;
        if matches!(answer.state(), MeltQuoteState::Paid | MeltQuoteState::Pending) {
            return Ok(answer);
        }
        let Some(payment) = self.under_way(quote_id).await? else { return Ok(answer) };
        if self.unpaid.lock().unwrap_or_else(PoisonError::into_inner).contains(&payment.operation) {
            return Ok(answer);
        }
        self.weigh(method, quote_id, payment, answer).await
    }

    async fn post_melt(
        &self,
        method: &PaymentMethod,
        request: MeltRequest<String>,
    ) -> Result<MeltQuoteResponse<String>, Error> {
        let answer = self.note(self.connector.post_melt(method, request).await).await;
        failpoint::hit("melt.3");
        match answer {
            // The library goes on to ask for the quote, and that word is weighed.
            Ok(answer) if answer.state() != MeltQuoteState::Paid => Ok(pending(answer)),
            // At this one word it would free the inputs without asking. Whether it was these that paid,
            // only the quote says.
            Err(Error::RequestAlreadyPaid) => Err(Error::PaymentFailed),
            answer => answer,
        }
    }

    fn auth_connector(
        &self,
        mint_url: MintUrl,
        cat: Option<AuthToken>,
    ) -> Arc<dyn AuthMintConnector + Send + Sync> {
        self.connector.auth_connector(mint_url, cat)
    }

    fn oidc_client(&self, openid_discovery: String, client_id: Option<String>) -> OidcClient {
        self.connector.oidc_client(openid_discovery, client_id)
    }

    async fn fetch_lnurl_pay_request(&self, url: &str) -> Result<LnurlPayResponse, Error> {
        self.connector.fetch_lnurl_pay_request(url).await
    }

    async fn fetch_lnurl_invoice(&self, url: &str) -> Result<LnurlPayInvoiceResponse, Error> {
        self.connector.fetch_lnurl_invoice(url).await
    }

    async fn get_mint_keys(&self) -> Result<Vec<KeySet>, Error> {
        self.hear(self.connector.get_mint_keys()).await
    }

    async fn get_mint_keyset(&self, keyset_id: Id) -> Result<KeySet, Error> {
        self.hear(self.connector.get_mint_keyset(keyset_id)).await
    }

    async fn get_mint_keysets(&self) -> Result<KeysetResponse, Error> {
        self.hear(self.connector.get_mint_keysets()).await
    }

    async fn post_mint_quote(&self, request: MintQuoteRequest) -> Result<MintQuoteResponse<String>, Error> {
        self.hear(self.connector.post_mint_quote(request)).await
    }

    async fn post_mint(
        &self,
        method: &PaymentMethod,
        request: MintRequest<String>,
    ) -> Result<MintResponse, Error> {
        let answer = self.hear(self.connector.post_mint(method, request)).await;
        failpoint::hit("mint.3");
        answer
    }

    async fn post_batch_check_mint_quote_status(
        &self,
        method: &PaymentMethod,
        request: BatchCheckMintQuoteRequest<String>,
    ) -> Result<Vec<MintQuoteResponse<String>>, Error> {
        self.hear(self.connector.post_batch_check_mint_quote_status(method, request)).await
    }

    async fn post_batch_mint(
        &self,
        method: &PaymentMethod,
        request: BatchMintRequest<String>,
    ) -> Result<MintResponse, Error> {
        self.hear(self.connector.post_batch_mint(method, request)).await
    }

    async fn post_melt_quote(
        &self,
        request: MeltQuoteRequest,
    ) -> Result<MeltQuoteCreateResponse<String>, Error> {
        self.hear(self.connector.post_melt_quote(request)).await
    }

    async fn get_mint_quote_status(
        &self,
        method: PaymentMethod,
        quote_id: &str,
    ) -> Result<MintQuoteResponse<String>, Error> {
        self.hear(self.connector.get_mint_quote_status(method, quote_id)).await
    }

    async fn post_swap(&self, request: SwapRequest) -> Result<SwapResponse, Error> {
        self.hear(self.connector.post_swap(request)).await
    }

    async fn get_mint_info(&self) -> Result<MintInfo, Error> {
        let info = self.hear(self.connector.get_mint_info()).await?;
        self.known.sizes.describe(info.max_array_length);
        let time = match info.time {
            Some(time) => Some(time),
            None => date_of(&self.mint).await,
        };
        self.known.clocks.hear(&self.mint, time);
        Ok(info)
    }

    async fn post_check_state(&self, request: CheckStateRequest) -> Result<CheckStateResponse, Error> {
        let mut answer = CheckStateResponse { states: Vec::with_capacity(request.ys.len()) };
        let mut left = &request.ys[..];
        while !left.is_empty() {
            let (some, later) = left.split_at(self.known.sizes.most().min(left.len()));
            match self.hear(self.connector.post_check_state(CheckStateRequest { ys: some.to_vec() })).await {
                Ok(part) => {
                    answer.states.extend(part.states);
                    left = later;
                }
                Err(error) if self.takes_fewer(some.len(), &error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(answer)
    }

    async fn post_restore(&self, request: RestoreRequest) -> Result<RestoreResponse, Error> {
        let mut answer = RestoreResponse { outputs: Vec::new(), signatures: Vec::new() };
        let mut left = &request.outputs[..];
        while !left.is_empty() {
            let (some, later) = left.split_at(self.known.sizes.most().min(left.len()));
            match self.hear(self.connector.post_restore(RestoreRequest { outputs: some.to_vec() })).await {
                Ok(part) => {
                    answer.outputs.extend(part.outputs);
                    answer.signatures.extend(part.signatures);
                    left = later;
                }
                Err(error) if self.takes_fewer(some.len(), &error) => {}
                // "Too many requests" says nothing of what was signed. The library would take it for the last word, and
                // forget an exchange that was made: its sats would be found by a search of the words only.
                Err(Error::HttpError(Some(status), words)) if !NEVER.contains(&status) => {
                    return Err(Error::HttpError(None, format!("{status}: {words}")));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(answer)
    }

    async fn get_auth_wallet(&self) -> Option<AuthWallet> {
        self.connector.get_auth_wallet().await
    }

    async fn set_auth_wallet(&self, wallet: Option<AuthWallet>) {
        self.connector.set_auth_wallet(wallet).await;
    }
}
