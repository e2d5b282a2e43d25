//! Tokens in and out as text, and those that nobody has taken.

use super::*;

#[tokio::test]
async fn a_token_passes_from_wallet_to_wallet_and_is_good_once() {
    let world = World::with_fee(100).await;
    let sender = world.funded(64).await;
    let receiver_folder = tempfile::tempdir().unwrap();
    let receiver = wallet_in(receiver_folder.path(), &Phrase::generate().seed(), world.mint.url()).await;
    let token = sender.send_token(world.mint.url(), Sats(20)).await.unwrap();
    let arrived = receiver.receive_token(&token).await.unwrap();
    assert_eq!(arrived, Sats(20), "the sender has added the fee for receiving it");
    assert_eq!(available(&receiver).await, 20);
    let again = receiver.receive_token(&token).await.unwrap_err();
    assert!(matches!(again, WalletError::AlreadySpent), "{again}");
    assert!(available(&sender).await < 44, "the fees are the sender's");
}

#[tokio::test]
async fn a_token_leaves_the_wallet_at_once_and_can_be_reclaimed_while_unclaimed() {
    let world = World::new().await;
    let wallet = world.wallet().await;
    wallet.allow_mint(world.mint.url(), Some(Sats(64))).await.unwrap();
    fund(&wallet, world.mint.url(), 64).await;
    let held = async |wallet: &CashuWallet| {
        let held = wallet.balances().await.unwrap().remove(0);
        (held.available.0, held.pending.0)
    };
    let token = wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
    assert_eq!(held(&wallet).await, (44, 0), "it takes none of the room under the limit");
    fund(&wallet, world.mint.url(), 20).await;
    let full = wallet.receive_token(&token).await.unwrap_err();
    assert!(matches!(full, WalletError::OverLimit { .. }), "{full}");
    wallet.allow_mint(world.mint.url(), None).await.unwrap();
    assert_eq!(wallet.receive_token(&token).await.unwrap(), Sats(20));
    assert_eq!(held(&wallet).await, (84, 0));
    // Reopened, nothing of the token is left that could count twice.
    drop(wallet);
    assert_eq!(held(&world.wallet().await).await, (84, 0));
}

#[tokio::test]
async fn a_token_is_listed_until_it_is_taken_and_can_be_taken_back_before() {
    let world = World::new().await;
    let wallet = world.funded(64).await;
    let receiver_folder = tempfile::tempdir().unwrap();
    let receiver = wallet_in(receiver_folder.path(), &Phrase::generate().seed(), world.mint.url()).await;
    let given = wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
    let kept = wallet.send_token(world.mint.url(), Sats(8)).await.unwrap();
    let listed = wallet.tokens_out().await.unwrap();
    let mut texts: Vec<&str> = listed.iter().map(|token| token.text.as_str()).collect();
    texts.sort_unstable();
    let mut made = [given.as_str(), kept.as_str()];
    made.sort_unstable();
    assert_eq!(texts, made, "both can be read again");
    assert_eq!(listed.iter().map(|token| token.amount).sum::<Sats>(), Sats(28));
    assert!(listed.iter().all(|token| token.mint == world.mint.url()));
    assert!(!format!("{listed:?}").contains("cashu"), "a token is money, and no log's business");
    assert_eq!(wallet.look_up_tokens().await.unwrap(), 0);

    receiver.receive_token(&given).await.unwrap();
    let id = |text: &str| listed.iter().find(|token| token.text == text).unwrap().id.clone();
    let late = wallet.reclaim_token(&id(&given)).await.unwrap_err();
    assert!(matches!(late, WalletError::AlreadySpent), "{late}");
    assert_eq!(wallet.reclaim_token(&id(&kept)).await.unwrap(), Sats(8));
    assert!(wallet.tokens_out().await.unwrap().is_empty());
    assert_eq!((available(&wallet).await, available(&receiver).await), (44, 20));
    let again = wallet.reclaim_token(&id(&kept)).await.unwrap_err();
    assert!(matches!(again, WalletError::AlreadySpent), "{again}");
}

/// Leaves a token as a process does that took it back and died before it asked the mint: the library has its proofs in
/// hand, and has written down (`written`), or not yet, for which operation.
async fn dies_taking_back(wallet: &CashuWallet, written: bool) {
    use cdk::wallet::types::{
        OperationData, ProofInfo, ReceiveOperationData, ReceiveSagaState, WalletSaga, WalletSagaState,
    };
    wallet.name_token_proofs(false).await.unwrap();
    let store = &wallet.inner.store;
    let token = store.get_incomplete_sagas().await.unwrap().remove(0);
    let proofs = store.get_reserved_proofs(&token.id).await.unwrap();
    assert!(!proofs.is_empty());
    let taking = uuid::Uuid::new_v4();
    let in_hand = proofs.into_iter().map(|proof| ProofInfo {
        state: cdk::nuts::State::Pending,
        used_by_operation: Some(taking),
        ..proof
    });
    store.update_proofs(in_hand.collect(), Vec::new()).await.unwrap();
    if written {
        let data = ReceiveOperationData {
            token: None,
            counter_start: None,
            counter_end: None,
            amount: Some(token.amount),
            blinded_messages: None,
        };
        let saga = WalletSaga::new(
            taking,
            WalletSagaState::Receive(ReceiveSagaState::ProofsPending),
            token.amount,
            token.mint_url,
            token.unit,
            OperationData::Receive(data),
        );
        store.add_saga(saga).await.unwrap();
    }
}

#[tokio::test]
async fn a_token_survives_a_kill_before_its_mint_is_asked_to_redeem_it() {
    for written in [false, true] {
        let world = World::new().await;
        let wallet = world.funded(64).await;
        let token = wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
        dies_taking_back(&wallet, written).await;
        drop(wallet);
        let wallet = world.wallet().await;
        let listed = wallet.tokens_out().await.unwrap();
        assert_eq!(listed.iter().map(|each| each.text.as_str()).collect::<Vec<_>>(), [&token], "{written}");
        assert_eq!(wallet.reclaim_token(&listed[0].id).await.unwrap(), Sats(20));
        assert_eq!(available(&wallet).await, 64);
    }
}

#[tokio::test]
async fn a_token_with_an_unanswered_reclaim_is_left_alone_until_it_is_back() {
    for fault in [Fault::Unanswered, Fault::Broken] {
        let world = World::new().await;
        let wallet = world.funded(64).await;
        let text = wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
        let id = wallet.tokens_out().await.unwrap().remove(0).id;
        world.line.script("swap", [fault]);
        let unclear = |result: Result<Sats, WalletError>| {
            let error = result.unwrap_err();
            assert!(matches!(error, WalletError::Unclear { .. }), "{fault:?}: {error}");
        };
        unclear(wallet.reclaim_token(&id).await);
        // Neither another try nor a look at it may forget what the first one may have brought.
        unclear(wallet.reclaim_token(&id).await);
        unclear(wallet.receive_token(&text).await);
        assert_eq!(wallet.look_up_tokens().await.unwrap(), 0, "{fault:?}");
        assert_eq!(wallet.tokens_out().await.unwrap()[0].text, text);
        drop(wallet);
        // Nor does a start at which the mint is away.
        world.line.cut();
        let wallet = world.wallet().await;
        assert_eq!(wallet.tokens_out().await.unwrap()[0].text, text, "{fault:?}");
        drop(wallet);
        world.line.set_faults(0);
        let wallet = world.patient_wallet().await;
        assert_eq!(available(&wallet).await, 64, "{fault:?}");
        assert!(wallet.tokens_out().await.unwrap().is_empty(), "{fault:?}");
    }
}

#[tokio::test]
async fn sats_that_a_busy_mint_did_not_name_are_asked_for_by_the_next_process() {
    let world = World::new().await;
    let wallet = world.funded(64).await;
    wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
    let id = wallet.tokens_out().await.unwrap().remove(0).id;
    // It is exchanged, and nobody here knows for what.
    world.line.script("swap", [Fault::Unanswered]);
    let taking = wallet.reclaim_token(&id);
    TIMEOUT.scope(Duration::from_secs(4), taking).await.unwrap_err();
    world.line.quiet().await;
    drop(wallet);
    world.line.script("swap", [Fault::Broken]);
    world.line.script("restore", [Fault::Refused]);
    let wallet = world.patient_wallet().await;
    assert_eq!(available(&wallet).await, 44);
    drop(wallet);
    let wallet = world.patient_wallet().await;
    assert_eq!(available(&wallet).await, 64);
    assert!(wallet.tokens_out().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_token_that_is_taken_while_nobody_looks_is_forgotten_by_the_next_look() {
    let world = World::new().await;
    let wallet = world.funded(64).await;
    let receiver_folder = tempfile::tempdir().unwrap();
    let receiver = wallet_in(receiver_folder.path(), &Phrase::generate().seed(), world.mint.url()).await;
    let token = wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
    receiver.receive_token(&token).await.unwrap();
    world.line.cut();
    assert_eq!(wallet.look_up_tokens().await.unwrap(), 0, "nobody says so");
    assert_eq!(wallet.tokens_out().await.unwrap().len(), 1);
    world.line.set_faults(0);
    assert_eq!(wallet.look_up_tokens().await.unwrap(), 1);
    assert!(wallet.tokens_out().await.unwrap().is_empty());
    assert_eq!(available(&wallet).await, 44);
}

#[tokio::test]
async fn a_token_made_with_change_stays_listed_across_processes_until_claimed() {
    let world = World::new().await;
    let wallet = world.funded(64).await;
    // There is one coin, of 64.
    let given = wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
    drop(wallet);
    let wallet = world.wallet().await;
    let listed = wallet.tokens_out().await.unwrap();
    assert_eq!(listed.iter().map(|token| token.text.as_str()).collect::<Vec<_>>(), [given.as_str()]);
    assert_eq!(wallet.reclaim_token(&listed[0].id).await.unwrap(), Sats(20));
    assert_eq!(available(&wallet).await, 64);

    let given = wallet.send_token(world.mint.url(), Sats(21)).await.unwrap();
    let receiver_folder = tempfile::tempdir().unwrap();
    let receiver = wallet_in(receiver_folder.path(), &Phrase::generate().seed(), world.mint.url()).await;
    receiver.receive_token(&given).await.unwrap();
    drop(wallet);
    let wallet = world.wallet().await;
    assert!(wallet.tokens_out().await.unwrap().is_empty(), "the mint says that it was taken");
    assert_eq!(available(&wallet).await, 64 - 21);
}
