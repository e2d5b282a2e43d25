//! The library's store, with what is spendable sealed in it: the secrets of proofs, and tokens that are on their way.
//!
//! A proof is a secret and the mint's signature; without the secret it cannot be spent, so that alone is sealed, for the
//! proof whose name (`y`) stands beside it. Everything else is passed on as it is.

use std::collections::HashMap;

use async_trait::async_trait;
use bitcoin::bip32::DerivationPath;
use cdk::cdk_database::{Error, WalletDatabase};
use cdk::mint_url::MintUrl;
use cdk::nuts::{
    CurrencyUnit, Id, KeySet, KeySetInfo, Keys, MintInfo, Proof, PublicKey, SpendingConditions, State,
};
use cdk::secret::Secret;
use cdk::wallet::types::{
    MeltQuote, MintQuote, OperationData, P2PKSigningKey, ProofInfo, Transaction, TransactionDirection,
    TransactionId, WalletSaga,
};
use cdk_sqlite::WalletSqliteDatabase;
use uuid::Uuid;

use crate::seed::KeyAtRest;
use crate::seed::at_rest::is_sealed;

/// A store whose spendable parts are sealed.
#[derive(Debug)]
pub(crate) struct SealedStore {
    inner: WalletSqliteDatabase,
    key: KeyAtRest,
}

impl SealedStore {
    pub fn new(inner: WalletSqliteDatabase, key: KeyAtRest) -> Self {
        Self { inner, key }
    }

    /// Seals the operations that were written in the clear by earlier versions.
    pub async fn seal_old_sagas(&self) -> Result<(), Error> {
        for mut saga in self.inner.get_incomplete_sagas().await? {
            if is_bare(&saga) {
                // The store takes it only as a newer version of what it has.
                saga.version += 1;
                let sealed = self.seal_saga(self.open_saga(saga)?);
                self.inner.update_saga(sealed).await?;
            }
        }
        Ok(())
    }

    /// Whatever its secret looks like: a stranger's may begin as if it was sealed.
    fn seal_proof(&self, y: &str, proof: Proof) -> Proof {
        Proof { secret: Secret::new(self.key.seal(y, &proof.secret.to_string())), ..proof }
    }

    fn open_proof(&self, y: &str, proof: Proof) -> Result<Proof, Error> {
        let secret = self.key.open(y, &proof.secret.to_string()).map_err(|error| {
            // Neither the secret nor what is sealed.
            Error::Internal(format!("the secret of the proof {y}: {error}"))
        })?;
        Ok(Proof { secret: Secret::new(secret), ..proof })
    }

    fn open_all(&self, proofs: Vec<ProofInfo>) -> Result<Vec<ProofInfo>, Error> {
        let open =
            |info: ProofInfo| Ok(ProofInfo { proof: self.open_proof(&info.y.to_hex(), info.proof)?, ..info });
        proofs.into_iter().map(open).collect()
    }

    fn seal_saga(&self, mut saga: WalletSaga) -> WalletSaga {
        let place = saga.id.to_string();
        match &mut saga.data {
            OperationData::Send(sent) => {
                sent.token = sent.token.take().map(|token| self.key.seal(&place, &token));
                let proofs = sent.proofs.take();
                sent.proofs =
                    proofs.map(|all| all.into_iter().map(|proof| self.seal_proof(&place, proof)).collect());
            }
            OperationData::Receive(received) => {
                received.token = received.token.take().map(|token| self.key.seal(&place, &token));
            }
            OperationData::Swap(_) | OperationData::Mint(_) | OperationData::Melt(_) => {}
        }
        saga
    }

    fn open_saga(&self, mut saga: WalletSaga) -> Result<WalletSaga, Error> {
        let place = saga.id.to_string();
        let open = |token: Option<String>| {
            let opened = token.map(|token| self.key.open(&place, &token)).transpose();
            opened.map_err(|error| Error::Internal(format!("the token of the operation {place}: {error}")))
        };
        match &mut saga.data {
            OperationData::Send(sent) => {
                sent.token = open(sent.token.take())?;
                let proofs = sent.proofs.take().map(|all| {
                    all.into_iter().map(|proof| self.open_proof(&place, proof)).collect::<Result<_, _>>()
                });
                sent.proofs = proofs.transpose()?;
            }
            OperationData::Receive(received) => received.token = open(received.token.take())?,
            OperationData::Swap(_) | OperationData::Mint(_) | OperationData::Melt(_) => {}
        }
        Ok(saga)
    }
}

/// Whether something spendable stands in an operation in the clear.
fn is_bare(saga: &WalletSaga) -> bool {
    let bare = |token: &Option<String>| token.as_ref().is_some_and(|token| !is_sealed(token));
    match &saga.data {
        OperationData::Send(sent) => {
            let mut proofs = sent.proofs.iter().flatten();
            bare(&sent.token) || proofs.any(|proof| !is_sealed(&proof.secret.to_string()))
        }
        OperationData::Receive(received) => bare(&received.token),
        OperationData::Swap(_) | OperationData::Mint(_) | OperationData::Melt(_) => false,
    }
}

/// Passes calls on to the store within, but for those that are written out.
macro_rules! store {
    (
        pass { $(fn $name:ident($($argument:ident: $type:ty),*) -> $out:ty;)* }
        own { $($own:item)* }
    ) => {
        #[async_trait]
        impl WalletDatabase<Error> for SealedStore {
            $(async fn $name(&self, $($argument: $type),*) -> Result<$out, Error> {
                self.inner.$name($($argument),*).await
            })*
            $($own)*
        }
    };
}

store! {
    pass {
        fn get_mint(mint: MintUrl) -> Option<MintInfo>;
        fn get_mints() -> HashMap<MintUrl, Option<MintInfo>>;
        fn get_mint_keysets(mint: MintUrl) -> Option<Vec<KeySetInfo>>;
        fn get_keyset_by_id(keyset: &Id) -> Option<KeySetInfo>;
        fn get_mint_quote(quote: &str) -> Option<MintQuote>;
        fn get_mint_quotes() -> Vec<MintQuote>;
        fn get_unissued_mint_quotes() -> Vec<MintQuote>;
        fn get_melt_quote(quote: &str) -> Option<MeltQuote>;
        fn get_melt_quotes() -> Vec<MeltQuote>;
        fn get_keys(keyset: &Id) -> Option<Keys>;
        fn get_balance(
            mint: Option<MintUrl>, unit: Option<CurrencyUnit>, state: Option<Vec<State>>
        ) -> u64;
        fn get_transaction(transaction: TransactionId) -> Option<Transaction>;
        fn list_transactions(
            mint: Option<MintUrl>, direction: Option<TransactionDirection>, unit: Option<CurrencyUnit>
        ) -> Vec<Transaction>;
        fn update_proofs_state(ys: Vec<PublicKey>, state: State) -> ();
        fn add_transaction(transaction: Transaction) -> ();
        fn update_mint_url(old: MintUrl, new: MintUrl) -> ();
        fn increment_keyset_counter(keyset: &Id, count: u32) -> u32;
        fn increment_derivation_counter(namespace: &str, count: u32) -> u32;
        fn add_mint(mint: MintUrl, info: Option<MintInfo>) -> ();
        fn remove_mint(mint: MintUrl) -> ();
        fn add_mint_keysets(mint: MintUrl, keysets: Vec<KeySetInfo>) -> ();
        fn add_mint_quote(quote: MintQuote) -> ();
        fn remove_mint_quote(quote: &str) -> ();
        fn add_melt_quote(quote: MeltQuote) -> ();
        fn remove_melt_quote(quote: &str) -> ();
        fn add_keys(keyset: KeySet) -> ();
        fn remove_keys(keyset: &Id) -> ();
        fn remove_transaction(transaction: TransactionId) -> ();
        fn delete_saga(operation: &Uuid) -> ();
        fn reserve_proofs(ys: Vec<PublicKey>, operation: &Uuid) -> ();
        fn release_proofs(operation: &Uuid) -> ();
        fn reserve_melt_quote(quote: &str, operation: &Uuid) -> ();
        fn release_melt_quote(operation: &Uuid) -> ();
        fn reserve_mint_quote(quote: &str, operation: &Uuid) -> ();
        fn release_mint_quote(operation: &Uuid) -> ();
        fn kv_read(primary: &str, secondary: &str, name: &str) -> Option<Vec<u8>>;
        fn kv_list(primary: &str, secondary: &str) -> Vec<String>;
        fn kv_write(primary: &str, secondary: &str, name: &str, value: &[u8]) -> ();
        fn kv_remove(primary: &str, secondary: &str, name: &str) -> ();
        fn add_p2pk_key(public: &PublicKey, path: DerivationPath, index: u32) -> ();
        fn get_p2pk_key(public: &PublicKey) -> Option<P2PKSigningKey>;
        fn list_p2pk_keys() -> Vec<P2PKSigningKey>;
        fn latest_p2pk() -> Option<P2PKSigningKey>;
    }
    own {
        async fn get_proofs(
            &self,
            mint: Option<MintUrl>,
            unit: Option<CurrencyUnit>,
            state: Option<Vec<State>>,
            conditions: Option<Vec<SpendingConditions>>,
        ) -> Result<Vec<ProofInfo>, Error> {
            self.open_all(self.inner.get_proofs(mint, unit, state, conditions).await?)
        }

        async fn get_proofs_by_ys(&self, ys: Vec<PublicKey>) -> Result<Vec<ProofInfo>, Error> {
            self.open_all(self.inner.get_proofs_by_ys(ys).await?)
        }

        async fn get_reserved_proofs(&self, operation: &Uuid) -> Result<Vec<ProofInfo>, Error> {
            self.open_all(self.inner.get_reserved_proofs(operation).await?)
        }

        async fn update_proofs(
            &self,
            added: Vec<ProofInfo>,
            removed: Vec<PublicKey>,
        ) -> Result<(), Error> {
            let seal =
                |info: ProofInfo| ProofInfo { proof: self.seal_proof(&info.y.to_hex(), info.proof), ..info };
            self.inner.update_proofs(added.into_iter().map(seal).collect(), removed).await
        }

        async fn add_saga(&self, saga: WalletSaga) -> Result<(), Error> {
            self.inner.add_saga(self.seal_saga(saga)).await
        }

        async fn update_saga(&self, saga: WalletSaga) -> Result<bool, Error> {
            self.inner.update_saga(self.seal_saga(saga)).await
        }

        async fn get_saga(&self, operation: &Uuid) -> Result<Option<WalletSaga>, Error> {
            self.inner.get_saga(operation).await?.map(|saga| self.open_saga(saga)).transpose()
        }

        async fn get_incomplete_sagas(&self) -> Result<Vec<WalletSaga>, Error> {
            self.inner.get_incomplete_sagas().await?.into_iter().map(|saga| self.open_saga(saga)).collect()
        }
    }
}
