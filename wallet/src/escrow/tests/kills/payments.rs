//! Sats on their way in and out, pay before the work, and files that are being sealed.

use super::*;

#[tokio::test]
async fn killed_while_minting() {
    for step in 1..=4 {
        let stage = Stage::new().await;
        kill_at(&format!("mint.{step}"), "mint", &stage.payer(), "").await;
        let (payer, _) = reopen(&stage.payer()).await;
        assert_eq!(available(&payer).await, 150, "step {step}");
    }
}

#[tokio::test]
async fn killed_while_melting() {
    for step in 1..=4 {
        let stage = Stage::new().await;
        let other = World::at_another_mint().await;
        let invoice = other.wallet().await.invoice(other.mint.url(), Sats(40)).await.unwrap().bolt11;
        kill_at(&format!("melt.{step}"), "melt", &stage.payer(), &invoice).await;
        let (payer, _) = reopen(&stage.payer()).await;
        // Before the payment left nothing is gone; afterwards the amount and one sat of fees are.
        let left = if step >= 3 { 59 } else { 100 };
        assert_eq!(available(&payer).await, left, "step {step}");
    }
}

#[tokio::test]
async fn killed_while_paying_before_the_work() {
    // The intent is written; the mint has promised; it has paid; the books do not say so yet.
    for (failpoint, left) in [("prepay.1", 100), ("melt.2", 100), ("melt.4", 59), ("prepay.2", 59)] {
        let stage = Stage::new().await;
        let other = World::at_another_mint().await;
        let invoice = other.wallet().await.invoice(other.mint.url(), Sats(40)).await.unwrap().bolt11;
        kill_at(failpoint, "prepay", &stage.payer(), &invoice).await;
        let (payer, _) = reopen(&stage.payer()).await;
        assert_eq!(available(&payer).await, left, "{failpoint}");
        let row = payer.prepaid_of(&key(1)).await.unwrap().unwrap();
        if left == 100 {
            assert_eq!(row.state, PrepaidState::Failed, "{failpoint}");
        } else {
            assert_eq!(
                row.outcome(),
                SettlementOutcome::Paid { price: Sats(40), fees: Sats(1) },
                "{failpoint}"
            );
        }
        // Whatever became of it, the invoice is never paid again.
        let refused = payer.bill(prepayment(&invoice), None).await.unwrap_err().to_string();
        assert!(refused.contains("used before"), "{failpoint}: {refused}");
    }
}

#[tokio::test]
async fn killed_while_making_a_token_that_pays_before_the_work() {
    // The intent is written; the token is made, and the books do not say so yet; they do, and nobody was given it.
    let failed = (PrepaidState::Failed, SettlementOutcome::Void);
    let kept = (PrepaidState::Kept, SettlementOutcome::Back { fees: Sats(0) });
    for (failpoint, end) in [("prepay.1", failed), ("prepay.2", failed), ("prepay.3", kept)] {
        let stage = Stage::new().await;
        kill_at(failpoint, "token", &stage.payer(), "").await;
        let (payer, _) = reopen(&stage.payer()).await;
        let row = payer.prepaid_of(&key(1)).await.unwrap().unwrap();
        assert_eq!((row.state, row.outcome()), end, "{failpoint}");
        assert!(!payer.give_prepaid(&key(1)).await.unwrap(), "{failpoint}");
        for token in payer.tokens_out().await.unwrap() {
            payer.reclaim_token(&token.id).await.unwrap();
        }
        assert_eq!(available(&payer).await, 100, "{failpoint}: all of it is still here");
        // The provider may ask again, for another attempt.
        payer.token_bill(Prepayment { key: key(2), ..demand() }).await.unwrap();
    }
}

#[tokio::test]
async fn killed_while_sealing_what_stood_in_the_clear() {
    for step in 0..=4 {
        let stage = Stage::new().await;
        let payer = stage.world.wallet().await;
        let token = payer.send_token(stage.world.mint.url(), Sats(20)).await.unwrap();
        let mut texts = at_rest::secrets(&payer).await;
        texts.push(token.clone());
        at_rest::as_before_the_seal(payer).await;
        // Whatever it was opened for.
        kill_at(&format!("seal.{step}"), "redeem", &stage.payer(), "").await;
        let (payer, _) = reopen(&stage.payer()).await;
        let bytes = at_rest::bytes_of(&payer.inner.folder);
        assert!(texts.iter().all(|text| !at_rest::holds(&bytes, text)), "step {step}");
        assert_eq!(available(&payer).await, 80, "step {step}");
        let listed = payer.tokens_out().await.unwrap().remove(0);
        assert_eq!(listed.text, token, "step {step}");
        assert_eq!(payer.reclaim_token(&listed.id).await.unwrap(), Sats(20));
        assert_eq!(available(&payer).await, 100, "step {step}");
    }
}

#[tokio::test]
async fn killed_while_changing_the_passphrase() {
    let (old, new) = (Some("old"), Some("new"));
    // Set, changed and dropped: up to the first failpoint with the seal that was there, from then on with the other one.
    for (from, to, failpoints) in [
        (None, new, &["vault.1", "vault.2"][..]),
        (old, new, &["vault.1", "vault.2"]),
        (old, None, &["vault.0", "vault.1", "vault.2"]),
    ] {
        for failpoint in failpoints {
            let stage = Stage::new().await;
            let place = tempfile::tempdir().unwrap();
            vault::create(place.path(), &stage.phrase, from).unwrap();
            let input = serde_json::to_string(&(place.path(), from, to)).unwrap();
            kill_at(failpoint, "passphrase", &stage.payer(), &input).await;
            let (opens, opens_not) = if *failpoint == "vault.2" { (to, from) } else { (from, to) };
            assert_eq!(vault::open(place.path(), opens).unwrap(), stage.phrase, "{failpoint}");
            // Without a passphrase of the owner's none is asked for.
            if opens.is_some() {
                vault::open(place.path(), opens_not).unwrap_err();
            }
            vault::change(place.path(), opens, Some("another")).unwrap();
            assert_eq!(vault::open(place.path(), Some("another")).unwrap(), stage.phrase, "{failpoint}");
            assert!(
                !place.path().join("wallet.key").exists(),
                "{failpoint}: a key that opens nothing is left"
            );
        }
    }
}
