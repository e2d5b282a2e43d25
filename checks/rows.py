#!/usr/bin/env python3
"""Whether each row has a test that holds it: what it names is taken away, and its tests must fail.

    checks/rows.py                       all rows
    checks/rows.py 3 "4 payments"        these
    checks/rows.py --list                says what would be done
    checks/rows.py --check               says which mends and tests are not where they should be, and builds nothing

The rows are those of the money review, each with its mend, the order and the checks of a run (run 1, run 2, ...), the
faults of the review of the open market (market 1 to market 14; what only strangers' programs can show is in interop/), and what
later decisions about the open market rest on (named by the numbers of their records in docs/decisions).

All mends are taken away in one copy of the sources (in the target folder), each behind a question to the environment
(FRLM_ROW), so that one build does for all rows. The sources themselves have no such question. A mend that is not where
it was is an error: write down here where it is now. Needs Git, Cargo and Python 3. FRLM_TEST_CARGO: how cargo is to build
(--profile ci).
"""

import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Longer than any of these tests takes; one that does not end is a failure, too.
PATIENCE_SECS = 240
# So many cases of a run's invariants are enough to break them.
CASES = "300"
# Folders of the crates that have mends or tests, and their names.
CRATES = {
    "wallet": "frlm-wallet", "provider": "frlm-provider", "conductor": "frlm-conductor", "client": "frlm-client", "app": "frlm",
    "relay": "frlm-relay", "protocol": "frlm-protocol", "serve": "frlm-serve", "questions": "frlm-questions",
    "scheduler": "frlm-scheduler",
}

RUNS = "conductor/runs::invariants::the_invariants_of_a_run_hold_whatever_happens"

# (row of the review, or "loop" for what the kill loop found; what comes without its mend, [(file, as it is, as it was)],
# [test, which begins with the folder of its crate, and the program of an integration test])
ROWS = [
    ("1", "files of the wallet are readable by others", [
        ("wallet/src/mint/opening.rs",
         "            files::open_private(&folder.join(name)).map_err(fail)?;",
         "            if !crate::rows::off(\"1\") {\n"
         "                files::open_private(&folder.join(name)).map_err(fail)?;\n            }"),
        ("wallet/src/seed/at_rest.rs",
         "        let nonce: [u8; NONCE_BYTES] = rand::random();\n",
         "        if crate::rows::off(\"1\") {\n            return text.to_owned();\n        }\n"
         "        let nonce: [u8; NONCE_BYTES] = rand::random();\n"),
    ], ["wallet::cashu::tests::at_rest::what_is_spendable_stands_in_no_file_in_the_clear",
        "wallet::cashu::tests::at_rest::files_of_earlier_versions_are_sealed_by_the_next_opening",
        "wallet::cashu::tests::at_rest::the_files_are_their_owners_alone_from_their_first_moment_on"]),
    ("2", "a mint's words are shown as they are", [
        ("wallet/src/peer_words.rs",
         "    let end = NAMES.iter()",
         "    if crate::rows::off(\"2\") {\n        return words.to_owned();\n    }\n    let end = NAMES.iter()"),
    ], ["wallet::error::tests::proofs_that_a_mint_sends_back_in_its_error_are_in_no_message",
        "wallet::peer_words::tests::nothing_secret_is_left_and_the_rest_is",
        "wallet::peer_words::tests::a_key_is_hidden_wherever_it_stands",
        "wallet::peer_words::tests::whatever_is_said_is_short_and_on_one_line"]),
    ("3", "all proofs go into one exchange, whatever the mint takes", [
        ("wallet/src/mint/sizes.rs",
         "        let known = self.known();\n        known.announced",
         "        if crate::rows::off(\"3\") {\n            return usize::MAX;\n        }\n"
         "        let known = self.known();\n        known.announced"),
        ("wallet/src/mint/sizes.rs",
         "        if count <= 1 {",
         "        if crate::rows::off(\"3\") || count <= 1 {"),
    ], ["wallet::escrow::tests::chunks::expired_locks_come_back_from_a_mint_that_announces_a_limit_of_fifty",
        "wallet::escrow::tests::chunks::expired_locks_come_back_from_mints_that_only_refuse_what_is_too_long",
        "wallet::escrow::tests::chunks::released_work_is_redeemed_in_as_many_exchanges_as_its_mint_wants",
        "wallet::escrow::tests::chunks::what_was_given_back_comes_back_from_a_mint_that_takes_little_at_once",
        "wallet::escrow::tests::chunks::the_words_bring_back_sats_from_a_mint_that_signs_sixteen_at_once"]),
    ("4", "a silent mint is asked and waited for each time", [
        ("wallet/src/mint/health.rs",
         "        let rests = |silence: &Silence| ask",
         "        let rests = |silence: &Silence| !crate::rows::off(\"4\") && ask"),
        ("wallet/src/mint/asking.rs",
         "        if ask != Ask::Passing {",
         "        if crate::rows::off(\"4\") || ask != Ask::Passing {"),
    ], ["wallet::escrow::tests::mints::opening_asks_a_silent_mint_once_and_finishes_what_is_at_others",
        "wallet::escrow::tests::mints::looks_leave_a_silent_mint_alone_while_it_rests"]),
    ("5", "every error of a Lightning wallet frees the reservation", [
        ("wallet/src/nwc/mod.rs",
         "if NOTHING_WAS_TRIED.contains(&code.as_str()) =>",
         "if crate::rows::off(\"5\") || NOTHING_WAS_TRIED.contains(&code.as_str()) =>"),
    ], ["wallet::nwc::tests::an_error_after_paying_is_looked_up_and_what_was_paid_is_spent",
        "wallet::nwc::tests::only_an_error_that_excludes_an_attempt_proves_that_nothing_moved",
        "wallet::nwc::tests::any_order::the_budget_holds_whatever_a_lightning_wallet_answers_and_when"]),
    ("6", "the address of a mint is checked as a string", [
        ("wallet/src/mint/address.rs",
         "    let plain = address.username()",
         "    let plain = crate::rows::off(\"6\") || address.username()"),
        ("wallet/src/mint/address.rs",
         "        \"http\" => is_loopback",
         "        \"http\" if crate::rows::off(\"6\") => {\n"
         "            url.contains(\".onion\") || url.starts_with(\"http://localhost\") || is_loopback(&parsed)\n        }\n"
         "        \"http\" => is_loopback"),
    ], ["wallet::mint::address::tests::plain_http_is_for_this_machine_only"]),
    ("7", "a payment of a living process is given up after two minutes", [
        ("wallet/src/prepay/lookup.rs",
         "        let is_left = |Open { row, owner, .. }: &Open| match *owner {\n",
         "        let is_left = |Open { row, owner, .. }: &Open| match *owner {\n"
         "            _ if crate::rows::off(\"7\") => row.at_unix_ms <= before_ms,\n"),
    ], ["wallet::prepay::tests::the_payment_of_a_living_process_is_nobody_elses_however_long_it_takes"]),
    ("8", "a mint is asked before the credit is looked at, and again for each try", [
        ("wallet/src/escrow/provider.rs",
         "            self.inner.journal.write(room).await??;\n",
         "            if !crate::rows::off(\"8\") {\n                self.inner.journal.write(room).await??;\n            }\n"),
        ("wallet/src/escrow/provider.rs",
         "                Some((checked, amount)) if checked == written(lock) => amount,",
         "                Some((checked, amount)) if !crate::rows::off(\"8\") && checked == written(lock) => amount,"),
    ], ["wallet::escrow::tests::thieves::an_asker_without_credit_causes_no_request_to_a_mint"]),
    ("9", "a partly spent lock counts as wholly spent", [
        ("wallet/src/escrow/refund.rs",
         "        count if count == ys.len() => Whose::Gone,",
         "        count if crate::rows::off(\"9\") || count == ys.len() => Whose::Gone,"),
        ("wallet/src/escrow/book.rs",
         "        if ys.is_some_and(|ys| ys.iter().any(|y| !spent.contains(y))) {",
         "        let whole = crate::rows::off(\"9\") && ys.iter().flatten().any(|y| spent.contains(y));\n"
         "        if !whole && ys.is_some_and(|ys| ys.iter().any(|y| !spent.contains(y))) {"),
    ], ["wallet::escrow::tests::parts::what_is_left_of_a_partly_spent_lock_comes_back",
        "wallet::escrow::tests::parts::a_provider_has_what_is_left_of_a_partly_spent_lock",
        "wallet::audit::tests::a_partly_spent_lock_is_named_settled_proof_by_proof_and_then_clean"]),
    ("10", "the audit looks at the ledger alone", [
        ("wallet/src/audit.rs",
         "        let mut found = WalletAudit::default();\n        for what in",
         "        let mut found = WalletAudit::default();\n        if crate::rows::off(\"10\") {\n"
         "            return Ok(found);\n        }\n        for what in"),
    ], ["wallet::audit::tests::a_damaged_journal_is_named",
        "wallet::audit::tests::a_ledger_that_calls_free_what_is_in_escrow_is_found_out",
        "wallet::audit::tests::a_ledger_that_does_not_know_what_is_in_escrow_is_found_out",
        "wallet::audit::tests::a_payment_that_the_journal_does_not_know_is_found_out",
        "wallet::audit::tests::coins_in_escrow_that_are_spent_are_named_on_both_sides",
        "wallet::audit::tests::free_coins_that_the_mint_calls_spent_are_named_with_what_to_do",
        "wallet::audit::tests::what_was_paid_before_the_work_is_compared_too"]),
    ("11", "nobody compares the clock", [
        ("wallet/src/mint/clocks.rs",
         "        let Some(its) = its_secs else { return };",
         "        let Some(its) = its_secs.filter(|_| !crate::rows::off(\"11\")) else { return };"),
    ], ["wallet::mint::clocks::tests::a_clock_that_is_ten_minutes_off_is_named_before_anything_is_locked",
        "wallet::mint::clocks::tests::it_is_said_once_and_a_few_seconds_are_nobodys_business"]),
    ("11 Date", "a mint that does not describe its time is not held to its dates", [
        ("wallet/src/mint/doubt.rs",
         "            None => date_of(&self.mint).await,",
         "            None if crate::rows::off(\"11 Date\") => None,\n            None => date_of(&self.mint).await,"),
    ], ["wallet::mint::clocks::tests::a_mint_without_a_time_is_held_to_the_date_of_its_answers"]),
    ("12 search", "a search asks for a hundred outputs at once", [
        ("wallet/src/mint/doubt.rs",
         "        while !left.is_empty() {\n            let (some, later) = left.split_at(self.known.sizes.most().min(left.len()));\n"
         "            match self.hear(self.connector.post_restore(",
         "        while !left.is_empty() {\n"
         "            let all = crate::rows::off(\"12 search\");\n"
         "            let most = if all { left.len() } else { self.known.sizes.most() };\n"
         "            let (some, later) = left.split_at(most.min(left.len()));\n"
         "            if all {\n                return self.hear(self.connector.post_restore(request)).await;\n            }\n"
         "            match self.hear(self.connector.post_restore("),
    ], ["wallet::escrow::tests::chunks::the_words_bring_back_sats_from_a_mint_that_signs_sixteen_at_once"]),
    ("12 spelling", "a mint has an entry for each spelling of it", [
        ("wallet/src/mint/address.rs",
         "    let spelled = mint.to_string();\n",
         "    let spelled = mint.to_string();\n    if crate::rows::off(\"12 spelling\") {\n        return spelled;\n    }\n"),
    ], ["wallet::cashu::adding::tests::one_mint_under_several_spellings_is_one_entry_with_one_limit",
        "wallet::cashu::adding::tests::a_token_that_spells_its_mint_otherwise_is_taken_there"]),
    ("12 reconcile", "all of the history is looked at each time", [
        ("wallet/src/ledger/reading.rs",
         "                     WHERE state IN ('released', 'doubtful', 'reclaimed') ORDER BY run, subtask, attempt\",\n",
         "                     WHERE state IN ('released', 'doubtful', 'reclaimed') OR ?1 ORDER BY run, subtask, attempt\",\n"),
        ("wallet/src/ledger/reading.rs",
         "                .query_map([], |row| Ok(Key::new(row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))?",
         "                .query_map([crate::rows::off(\"12 reconcile\")], |row| {\n"
         "                    Ok(Key::new(row.get::<_, String>(0)?, row.get(1)?, row.get(2)?))\n                })?"),
    ], ["wallet::ledger::tests::only_what_is_not_final_is_asked_of_the_books_behind_the_ledger"]),
    ("12 reclaim", "a refused reclaim turns a released lock into a locked one", [
        ("wallet/src/escrow/book.rs",
         "if was_released == Some(true) {",
         "if !crate::rows::off(\"12 reclaim\") && was_released == Some(true) {"),
    ], ["wallet::escrow::tests::parts::a_released_lock_whose_taking_back_was_refused_is_still_released"]),
    ("loop", "a mint that is asked while it signs is believed to have signed for somebody else", [
        ("wallet/src/mint/swap/inquiry.rs",
         "        if states.iter().any(|state| state.state == State::Spent) {\n            return match",
         "        if states.iter().any(|state| state.state == State::Spent) {\n"
         "            if crate::rows::off(\"loop\") {\n                return Err(Failed::InputsSpent(error));\n            }\n"
         "            return match"),
    ], ["wallet::escrow::tests::overtaken::a_mint_that_is_asked_while_it_signs_is_asked_once_more"]),
    ("small: send 0", "a token over nothing is tried", [
        ("wallet/src/cashu/token.rs",
         "            if amount == Sats::ZERO {\n                return Err(WalletError::Nothing);",
         "            if amount == Sats::ZERO && !crate::rows::off(\"small: send 0\") {\n"
         "                return Err(WalletError::Nothing);"),
    ], ["wallet::cashu::token::tests::a_token_over_nothing_is_refused_without_a_word_of_sats_under_way"]),
    ("small: key", "a damaged wallet.key blames the passphrase", [
        ("wallet/src/seed/vault.rs",
         "            if file.passphrase {",
         "            if crate::rows::off(\"small: key\") || file.passphrase {"),
    ], ["wallet::seed::vault::tests::a_key_that_does_not_open_the_seed_blames_no_passphrase"]),
    ("small: [::1]", "an address of this machine in the new notation is none", [
        ("wallet/src/mint/address.rs",
         "        Ok(Some(Host::Ipv6(address))) => address.is_loopback(),",
         "        Ok(Some(Host::Ipv6(address))) => !crate::rows::off(\"small: [::1]\") && address.is_loopback(),"),
    ], ["wallet::mint::address::tests::plain_http_is_for_this_machine_only"]),
    ("1 home", "files of the home are readable by others", [
        ("client/src/home.rs",
         "        let _ = files::open_private(&path);\n",
         "        let _ = if crate::rows::off(\"1 home\") {\n"
         "            fs::OpenOptions::new().create(true).append(true).open(&path)\n"
         "        } else {\n            files::open_private(&path)\n        };\n"),
        ("client/src/home.rs",
         "        for side in [\"\", \"-wal\", \"-shm\"] {\n",
         "        for side in [\"\", \"-wal\", \"-shm\"].iter().filter(|_| !crate::rows::off(\"1 home\")) {\n"),
        ("client/src/wallet_session.rs",
         "    let opened = frlm_util::files::make_private(&folder)\n",
         "    let made = if crate::rows::off(\"1 home\") { Ok(0) } else { frlm_util::files::make_private(&folder) };\n"
         "    let opened = made\n"),
    ], ["client::home::tests::records_in_a_directory_that_others_may_enter_are_still_private",
        "client::wallet_session::tests::spending_keys_are_private_even_in_a_home_that_others_may_enter"]),
    ("4 payments", "a silent mint holds up a provider's payments", [
        ("provider/src/payments.rs",
         "    async fn redeem(self: &Arc<Self>, errands: &mut Errands) {\n",
         "    async fn redeem(self: &Arc<Self>, errands: &mut Errands) {\n        if crate::rows::off(\"4 payments\") {\n"
         "            drop(self.wallet.redeem().await);\n            return;\n        }\n"),
    ], ["provider::payments::tests::a_mint_that_never_answers_holds_up_no_order"]),
    ("8 slot", "a job waits for credit in a slot", [
        ("provider/src/session.rs",
         "        let Some(running) = self.running.remove(&id) else { return Vec::new() };\n",
         "        let Some(running) = self.running.remove(&id) else { return Vec::new() };\n"
         "        if crate::rows::off(\"8 slot\") && matches!(outcome, Outcome::Waits(..)) {\n"
         "            self.running.insert(id, running);\n            return Vec::new();\n        }\n"),
    ], ["provider::session::tests::turns::a_job_that_waits_for_credit_holds_no_slot",
        "provider::session::tests::turns::a_job_without_credit_is_refused_after_a_while_or_cancelled_before"]),
    ("10 home", "an audit of the home looks at the ledger alone", [
        ("client/src/wallet_audit.rs",
         "        Ok(Some(wallet)) => found.compare(ledger, wallet).await?,\n        Ok(None) => {}\n",
         "        Ok(Some(wallet)) if !crate::rows::off(\"10 home\") => found.compare(ledger, wallet).await?,\n"
         "        Ok(_) => {}\n"),
    ], ["client::wallet_audit::tests::sats_that_no_ledger_counts_are_named_with_what_to_do",
        "app::desktop::live::pay::a_window_pays_what_a_dead_run_owes_and_says_it_until_then"]),
    ("10 invoice", "an invoice of play money invites a real payment", [
        ("client/src/wallet_session.rs",
         "    let unit = money.unit();\n    match money {\n",
         "    let unit = money.unit();\n"
         "    let money = if crate::rows::off(\"10 invoice\") { Money::Real } else { money };\n    match money {\n"),
    ], ["client::wallet_session::tests::an_invoice_of_play_money_is_not_shown_and_invites_no_payment",
        "app::desktop::screens::wallet::tests::sats::an_invoice_of_play_money_is_shown_to_no_lightning_wallet"]),
    ("11 relays", "nobody compares the clock with the providers'", [
        ("client/src/swarm/skew.rs",
         "        let off = self.off().filter(|_| !self.is_said)?;\n",
         "        let off = self.off().filter(|_| !self.is_said && !crate::rows::off(\"11 relays\"))?;\n"),
    ], ["client::swarm::skew::tests::a_clock_ten_minutes_away_is_named_with_what_to_do",
        "client::swarm::skew::tests::the_newest_sign_of_life_counts_and_it_is_said_once",
        "client::swarm::listing::tests::signs_of_life_tell_once_that_this_machines_clock_is_wrong"]),
    ("12 pay queue", "releases are lost when many words about pay wait", [
        ("provider/src/payments/queue.rs",
         "        if self.waiting.is_empty() {\n            match self.payments.try_send(command) {\n",
         "        if crate::rows::off(\"12 pay queue\") {\n            return self.payments.try_send(command).is_err();\n        }\n"
         "        if self.waiting.is_empty() {\n            match self.payments.try_send(command) {\n"),
    ], ["provider::payments::queue::tests::releases_come_through_in_order_however_many_other_words_wait"]),
    # Order and checks of a run (docs/ARCHITECTURE.md, "The life of an attempt").
    ("run 1", "a job leaves before the ledger knows that it may", [
        ("conductor/src/run/money.rs",
         "    let marks = paid.map(|(_, reservation)| reservation.publish());",
         "    let paid = paid.filter(|_| !crate::rows::off(\"run 1\"));\n"
         "    let marks = paid.map(|(_, reservation)| reservation.publish());"),
    ], [RUNS]),
    ("run 2", "a job leaves before its pay is locked", [
        ("conductor/src/run/dispatch.rs",
         "            match cost {\n                Some(cost) => {\n                    let (provider, price)",
         "            match cost.filter(|_| !crate::rows::off(\"run 2\")) {\n                Some(cost) => {\n"
         "                    let (provider, price)"),
    ], [RUNS]),
    ("run 3", "a job leaves before the journal knows of it", [
        ("conductor/src/run/leave.rs",
         "            let owed = commit.write().await?;\n            let mut left",
         "            let owed = if crate::rows::off(\"run 3\") { Vec::new() } else { commit.write().await? };\n"
         "            let mut left"),
    ], [RUNS]),
    ("run 4", "pay is signed over before the journal knows of the verdict", [
        ("conductor/src/run/driver/rounds.rs",
         "            self.jobs.commit(&mut self.engine.work);\n            self.jobs.money.end(",
         "            if !crate::rows::off(\"run 4\") {\n                self.jobs.commit(&mut self.engine.work);\n            }\n"
         "            self.jobs.money.end("),
    ], [RUNS]),
    ("run 5", "pay is signed over before it counts as spent", [
        ("conductor/src/run/money/settle.rs",
         "    join_all(marks).await.into_iter().collect::<Result<(), _>>()?;\n    let keys",
         "    if crate::rows::off(\"run 5\") {\n        drop(marks);\n    } else {\n"
         "        join_all(marks).await.into_iter().collect::<Result<(), _>>()?;\n    }\n    let keys"),
    ], [RUNS]),
    ("run 6", "every answer is paid, right or wrong", [
        ("conductor/src/run/engine/verdict.rs",
         "            let agrees = report.agreeing.contains(&replica.provider);",
         "            let agrees = report.agreeing.contains(&replica.provider) || crate::rows::off(\"run 6\");"),
    ], [RUNS]),
    ("run 7", "the first answer is accepted, however many must agree", [
        ("conductor/src/run/engine/verdict.rs",
         "        match verify(&self.work.setup.policy.verification, &replicas) {",
         "        let policy = if crate::rows::off(\"run 7\") {\n            &frlm_verifier::VerificationPolicy::None\n"
         "        } else {\n            &self.work.setup.policy.verification\n        };\n"
         "        match verify(policy, &replicas) {"),
    ], [RUNS]),
    ("run 8", "a provider may answer twice", [
        ("scheduler/src/entry.rs",
         "                AttemptState::Out\n                | AttemptState::Answered\n                | AttemptState::Unjudged",
         "                AttemptState::Answered if crate::rows::off(\"run 8\") => {}\n                AttemptState::Out\n"
         "                | AttemptState::Answered\n                | AttemptState::Unjudged"),
    ], [RUNS]),
    ("run 9", "a resumed run uses names of attempts again", [
        ("conductor/src/run/driver.rs",
         "count_from(setup.known.attempts);",
         "count_from(if crate::rows::off(\"run 9\") { 0 } else { setup.known.attempts });"),
    ], [RUNS]),
    ("run 10", "what a mint may have locked is free again", [
        ("conductor/src/run/money/lock.rs",
         "        if unclear {\n            self.in_doubt = true;",
         "        let unclear = unclear && !crate::rows::off(\"run 10\");\n        if unclear {\n            self.in_doubt = true;"),
    ], [RUNS]),
    ("run 11", "a run goes on after its time is up", [
        ("conductor/src/run/driver/rounds.rs",
         "        if Instant::now() < deadline {",
         "        if Instant::now() < deadline || crate::rows::off(\"run 11\") {"),
    ], [RUNS]),
    ("run 12", "what stands behind a failed write happens all the same", [
        ("conductor/src/run/outbox.rs",
         "            if before.await.is_err() {",
         "            if before.await.is_err() && !crate::rows::off(\"run 12\") {"),
    ], ["conductor::run::outbox::tests::nothing_happens_behind_a_failed_step_until_it_is_mended"]),
    ("run 13", "who confirms an answer is paid, and no verdict says so", [
        ("conductor/src/run/recheck.rs",
         "        if replicas.len() > 1 {",
         "        if replicas.len() > 1 && !crate::rows::off(\"run 13\") {"),
    ], ["conductor::run::recheck::tests::who_confirms_is_named_and_paid_though_nobody_is_left_to_decide"]),
    ("run 14", "who confirms an answer is not paid where no other answer is believed", [
        ("conductor/src/run/engine/verdict.rs",
         "        if self.answers.rechecks.is_uncontradicted(&self.work.subtasks, id) {",
         "        if self.answers.rechecks.is_uncontradicted(&self.work.subtasks, id) && !crate::rows::off(\"run 14\") {"),
    ], ["conductor::run::recheck::tests::who_confirms_is_named_and_paid_though_nobody_is_left_to_decide"]),
    # Faults of the review of the open market.
    ("market 1", "a flood of fresh keys hides providers", [
        ("client/src/swarm/discovery.rs",
         "    let latest = now + CLOCK_SLACK_SECS;\n",
         "    let latest = now + CLOCK_SLACK_SECS;\n    if crate::rows::off(\"market 1\") {\n"
         "        let both = vec![Filter::new().kinds([ANNOUNCEMENT, HEARTBEAT]).limit(PAGE)];\n"
         "        for event in publisher.fetch(both, SILENCE).await {\n            drop(found.send(event).await);\n        }\n"
         "        return;\n    }\n"),
        ("client/src/swarm/discovery.rs",
         "        let mut filters = Vec::new();\n        for authors in sought.chunks",
         "        let mut filters = Vec::new();\n        let sought = if crate::rows::off(\"market 1\") { &[] } else { sought };\n"
         "        for authors in sought.chunks"),
    ], ["client::swarm::discovery::tests::heartbeats_of_fresh_keys_dated_ahead_hide_no_provider_from_a_new_asker",
        "client::swarm::discovery::tests::announcements_of_fresh_keys_hide_no_provider_whatever_their_date",
        "client::swarm::discovery::tests::those_that_are_sought_are_seen_at_a_relay_that_returns_hardly_anything",
        "conductor/runs::provider_choice::six_hundred_heartbeats_of_fresh_keys_keep_no_run_from_its_providers"]),
    ("market 2", "turns are by jobs, however large", [
        ("provider/src/queue.rs",
         "        let displaced = match self.place_of(&asker, work, rank) {\n",
         "        let work = if crate::rows::off(\"market 2\") { 1 } else { work };\n"
         "        let displaced = match self.place_of(&asker, work, rank) {\n"),
        ("provider/src/admission.rs",
         "    if job.is_profile() && least_bytes > MAX_PLAINTEXT_BYTES {",
         "    if job.is_profile() && least_bytes > MAX_PLAINTEXT_BYTES && !crate::rows::off(\"market 2\") {"),
    ], ["provider::queue::tests::askers_share_by_work_and_not_by_jobs",
        "provider::admission::tests::more_answers_than_a_result_holds_are_refused_before_any_is_written"]),
    ("market 3", "who finds no place is not told when to come back, and guests fill the queue", [
        ("provider/src/admission.rs",
         "        Self { retry_after_secs: secs, ..self }",
         "        Self { retry_after_secs: secs.filter(|_| !crate::rows::off(\"market 3\")), ..self }"),
        ("provider/src/queue.rs",
         "            most_without_record: limit.saturating_sub(reserved),",
         "            most_without_record: limit.saturating_sub(if crate::rows::off(\"market 3\") { 0 } else { reserved }),"),
        ("provider/src/session/turns.rs",
         "        let is_paid = self.config.is_paid();\n        if is_paid && is_of(&self.payers) {",
         "        if crate::rows::off(\"market 3\") {\n            return Rank::Guest;\n        }\n"
         "        let is_paid = self.config.is_paid();\n        if is_paid && is_of(&self.payers) {"),
        ("scheduler/src/lib.rs",
         "let said = if let AttemptFailure::BusyFor(wait) = failure { Some(wait) } else { None };",
         "let said = if let AttemptFailure::BusyFor(wait) = failure { Some(wait) } else { None };\n"
         "                let said = said.filter(|_| !crate::rows::off(\"market 3\"));"),
    ], ["provider::session::tests::turns::who_finds_no_place_is_told_when_there_may_be_one",
        "provider::queue::tests::guests_do_not_fill_the_places_that_are_not_for_them",
        "provider::session::tests::paying::a_flood_of_free_keys_and_hogs_at_most_doubles_the_work_of_a_paying_run",
        "provider::session::tests::paying::a_job_that_pays_is_not_late_because_of_guests_and_guests_hear_of_it",
        "scheduler::tests::a_provider_that_names_a_retry_time_is_asked_again_then"]),
    ("market 4", "nobody shows a key to a relay that wants one", [
        ("relay/src/connection/session.rs",
         "        let Some(keys) = &self.link.shared.options.auth_keys else { return };\n",
         "        if crate::rows::off(\"market 4\") {\n            return;\n        }\n"
         "        let Some(keys) = &self.link.shared.options.auth_keys else { return };\n"),
    ], ["relay/sockets::hostile_relay::a_challenge_is_answered_when_keys_are_given",
        "relay/sockets::connection::a_relay_that_requires_authentication_serves_clients_that_give_it"]),
    ("market 5", "what relays say is dropped", [
        ("conductor/src/run/engine.rs",
         "            SwarmEvent::RelaySays { relay, words } => {",
         "            SwarmEvent::RelaySays { .. } if crate::rows::off(\"market 5\") => {}\n"
         "            SwarmEvent::RelaySays { relay, words } => {"),
    ], ["conductor/runs::provider_choice::what_a_relay_says_stands_beside_the_word_that_nobody_is_there"]),
    ("market 6", "a relay that takes few events loses jobs and results", [
        ("relay/src/connection/pacing.rs",
         "        if self.accepted.len() + unanswered < self.per_minute {",
         "        if self.accepted.len() + unanswered < self.per_minute && !crate::rows::off(\"market 6\") {"),
        ("relay/src/connection/outbound.rs",
         "        (event.weight == Weight::Minor && self.pacer.is_short(now)).then(|| LEFT_OUT.to_owned())",
         "        let weighs = event.weight == Weight::Minor && !crate::rows::off(\"market 6\");\n"
         "        (weighs && self.pacer.is_short(now)).then(|| LEFT_OUT.to_owned())"),
        ("relay/src/connection/publisher.rs",
         "        let mut here = self.core.links.iter()",
         "        if crate::rows::off(\"market 6\") {\n            return false;\n        }\n"
         "        let mut here = self.core.links.iter()"),
        ("scheduler/src/timing.rs",
         "        attempt.since() + self.time_of(needs, attempt) + self.config.trip\n",
         "        let trip = if crate::rows::off(\"market 6\") { Duration::ZERO } else { self.config.trip };\n"
         "        attempt.since() + self.time_of(needs, attempt) + trip\n"),
        ("client/src/swarm/listing.rs",
         "        if until > before {\n            listing.alive_until",
         "        if until > before && !crate::rows::off(\"market 6\") {\n            listing.alive_until"),
    ], ["relay::connection::pacing::tests::what_a_relay_takes_in_a_minute_it_gets_in_each_minute",
        "relay::connection::outbound::tests::what_may_be_lost_is_kept_from_a_relay_that_is_short",
        "conductor/runs::short_relay::jobs_wait_for_a_short_relay_and_have_their_time_after_it",
        "scheduler::tests::pace::at_short_relays_an_attempt_has_longer_and_is_doubled_later",
        "client::swarm::listing::tests::a_provider_whose_results_come_is_alive_until_it_says_farewell"]),
    ("market 7", "discovery ends before a slow relay has answered", [
        ("conductor/src/run/driver/plan.rs",
         "                () = tokio::time::sleep_until(until), if !self.engine.work.providers.heard.looking => break,",
         "                () = tokio::time::sleep_until(until), if !self.engine.work.providers.heard.looking || crate::rows::off(\"market 7\") => break,"),
    ], ["conductor/runs::provider_choice::a_slow_relay_is_waited_for_as_long_as_it_sends_what_it_has"]),
    ("market 8", "a model that copies fields answers any prompt", [
        ("provider/src/admission.rs",
         "    if state.model.dialect == Dialect::Records && !is_for_records(&job.request) {",
         "    if state.model.dialect == Dialect::Records\n        && !is_for_records(&job.request)\n"
         "        && !crate::rows::off(\"market 8\")\n    {"),
    ], ["provider::admission::tests::a_field_copying_model_takes_its_own_tasks_and_no_foreign_prompt"]),
    ("market 9", "jobs from the future are worked on, unreadable ones get silence, inputs are not repeated", [
        ("provider/src/session.rs",
         "        if job.created_at > now + CLOCK_SLACK_SECS {",
         "        if job.created_at > now + CLOCK_SLACK_SECS && !crate::rows::off(\"market 9\") {"),
        ("provider/src/session/unread.rs",
         "        let job = Arc::new(ReceivedJob::unopened(event, self.keys.public_key())?);",
         "        let unread = ReceivedJob::unopened(event, self.keys.public_key());\n"
         "        let job = Arc::new(unread.filter(|_| !crate::rows::off(\"market 9\"))?);"),
        ("protocol/src/job.rs",
         "        if self.encryption == Encryption::Nip04 && !self.is_profile() {",
         "        if self.encryption == Encryption::Nip04 && !self.is_profile() && !crate::rows::off(\"market 9\") {"),
        ("protocol/src/result.rs",
         "            tags.extend(job.plain_inputs());",
         "            if !crate::rows::off(\"market 9\") {\n                tags.extend(job.plain_inputs());\n            }"),
    ], ["provider::session::tests::a_job_from_the_future_is_refused_with_the_reason_and_never_worked_on",
        "provider::session::tests::answers::unreadable_jobs_for_us_get_an_answer_without_quotes_others_get_none",
        "provider::session::tests::answers::a_directed_job_of_another_kind_is_refused_with_the_kind_that_is_served",
        "protocol/wire::foreign::an_encrypted_foreign_job_gets_a_plain_answer_in_its_own_scheme",
        "protocol/wire::foreign::the_result_of_a_plain_foreign_job_names_its_inputs"]),
    ("market 10", "a silent provider is waited for, and one that fails is asked on and on", [
        ("scheduler/src/timing.rs",
         "        if at <= now || self.usual.is_some() {",
         "        if at <= now || self.usual.is_some() || crate::rows::off(\"market 10\") {"),
        ("scheduler/src/providers.rs",
         "        let is_crowd = self.free.values().map(Vec::len).sum::<usize>() > FEW;",
         "        let is_crowd = self.free.values().map(Vec::len).sum::<usize>() > FEW && !crate::rows::off(\"market 10\");"),
        ("scheduler/src/timing.rs",
         "        if self.providers.known_one_idles(attempt.provider, needs.eligible()) {",
         "        let idles = self.providers.known_one_idles(attempt.provider, needs.eligible());\n"
         "        if idles && !crate::rows::off(\"market 10\") {"),
        ("scheduler/src/providers.rs",
         "        self.list(provider);\n        until\n",
         "        if !crate::rows::off(\"market 10\") {\n            self.list(provider);\n        }\n        until\n"),
        ("conductor/src/run/driver/plan.rs",
         "        let recorded = self.engine.work.recorded_to_wait_for();",
         "        let recorded = if crate::rows::off(\"market 10\") { 0 } else { self.engine.work.recorded_to_wait_for() };"),
        ("conductor/src/run/heard.rs",
         "        *failures == MOST_FAILURES\n",
         "        *failures == MOST_FAILURES && !crate::rows::off(\"market 10\")\n"),
    ], ["scheduler::tests::pace::one_that_never_answers_costs_a_run_little_time_and_few_jobs",
        "scheduler::tests::pace::a_thousand_silent_fresh_keys_cost_a_run_with_known_providers_little",
        "scheduler::tests::pace::known_providers_that_come_after_a_silent_crowd_do_not_wait_for_it",
        "scheduler::tests::pace::known_providers_that_are_busy_leave_strangers_only_their_share",
        "conductor/runs::crowd::a_run_with_records_waits_for_known_ones_while_relays_tell_of_others",
        "conductor/runs::crowd::known_providers_that_come_late_take_over_what_a_silent_crowd_has",
        "conductor/runs::provider_choice::a_provider_that_gives_up_every_job_is_left_alone_after_a_few"]),
    ("market 11", "a line that says the contrary is believed", [
        ("questions/src/dialect/json.rs",
         "        refute(query, &fragment.records, record)?;",
         "        if !crate::rows::off(\"market 11\") {\n            refute(query, &fragment.records, record)?;\n        }"),
    ], ["questions::dialect::tests::a_line_that_contradicts_the_condition_in_its_own_words_is_refused",
        "questions::dialect::tests::a_line_without_field_names_is_held_to_where_others_have_the_value"]),
    ("market 12", "a failed run with --json prints nothing", [
        ("app/src/lib.rs",
         "            if as_json && !streams::has_said() {",
         "            if as_json && !streams::has_said() && !crate::rows::off(\"market 12\") {"),
    ], ["app/program::bad_input::a_run_without_an_answer_prints_one_object_that_says_why"]),
    ("market 13", "the service over Nostr announces itself nowhere", [
        ("serve/src/nostr_service.rs",
         "                _ = renewal.tick() => self.tell(announcer.announcement(Timestamp::now())),",
         "                _ = renewal.tick(), if !crate::rows::off(\"market 13\") => self.tell(announcer.announcement(Timestamp::now())),"),
    ], ["serve::tests::over_nostr::the_service_announces_itself_and_answers_open_questions_only_if_told"]),
    ("market 14", "a refused kind is sent again, and a message beyond all bounds ends every connection", [
        ("relay/src/connection/outbound.rs",
         "        let Some(kind) = self.entries.get(id).map(|entry| entry.kind) else { return };",
         "        if crate::rows::off(\"market 14\") {\n            return;\n        }\n"
         "        let Some(kind) = self.entries.get(id).map(|entry| entry.kind) else { return };"),
        ("relay/src/connection/link.rs",
         "        if !matches!(error, tungstenite::Error::Capacity(_)) {",
         "        if crate::rows::off(\"market 14\") || !matches!(error, tungstenite::Error::Capacity(_)) {"),
    ], ["relay::connection::outbound::tests::a_refused_kind_is_tried_again_later_and_a_refused_event_stays_alone",
        "relay/sockets::hostile_relay::a_relay_that_refuses_a_kind_is_not_sent_it_again_and_gets_all_others",
        "relay/sockets::hostile_relay::a_stored_event_beyond_all_bounds_ends_one_connection_and_not_all"]),
    # Decisions about the open market that came after the review.
    ("0108 slots", "guests take turns at the engine like jobs that pay", [
        ("provider/src/slots.rs",
         "        paid == 0\n",
         "        crate::rows::off(\"0108 slots\")\n            || paid == 0\n"),
    ], ["provider::slots::tests::a_job_that_pays_has_seven_turns_of_eight_among_many_guests"]),
    ("0108 queue", "guests wait for nobody who pays", [
        ("provider/src/queue.rs",
         "!(waits || busy) || *work <= self.due_to_guests);",
         "crate::rows::off(\"0108 queue\") || !(waits || busy) || *work <= self.due_to_guests);"),
    ], ["provider::queue::tests::beside_work_that_is_paid_guests_have_their_share_and_no_more",
        "provider::queue::tests::guests_begin_beside_work_that_is_paid_only_within_their_share"]),
    ("0109 labels", "lists and labels of strangers count", [
        ("protocol/src/vouching.rs",
         "            if !counts.contains(&event.pubkey) || event.verify().is_err() {",
         "            let counts = crate::rows::off(\"0109 labels\") || counts.contains(&event.pubkey);\n"
         "            if !counts || event.verify().is_err() {"),
    ], ["protocol::vouching::tests::labels_that_recommend_and_receipts_of_counted_work_vouch",
        "protocol::vouching::tests::the_newest_follow_list_of_a_named_key_counts"]),
    ("0109 bits", "the bits of work that an event names are believed", [
        ("protocol/src/work.rs",
         "    named.filter(|bits| get_leading_zero_bits(event.id.as_bytes()) >= *bits).unwrap_or(0)",
         "    let has = |bits: &u8| get_leading_zero_bits(event.id.as_bytes()) >= *bits;\n"
         "    named.filter(|bits| crate::rows::off(\"0109 bits\") || has(bits)).unwrap_or(0)"),
    ], ["protocol::work::tests::only_bits_that_are_named_and_there_count"]),
    ("0109 work", "any work is enough", [
        ("provider/src/session/work.rs",
         "        if self.bits == 0 || work::shown(job) < self.bits {",
         "        let least = if crate::rows::off(\"0109 work\") { 0 } else { self.bits };\n"
         "        if self.bits == 0 || work::shown(job) < least {"),
    ], ["provider::session::tests::guests::enough_work_counts_for_its_key_for_a_while"]),
    ("0110 hash", "whatever a blob server sends is taken for the blob", [
        ("protocol/src/blob.rs",
         "        if sha256::Hash::hash(bytes) == self.sha256 {",
         "        if crate::rows::off(\"0110 hash\") || sha256::Hash::hash(bytes) == self.sha256 {"),
    ], ["protocol::blob::tests::other_bytes_another_size_and_another_key_are_told_apart"]),
    ("0110 key", "all blobs have one key", [
        ("protocol/src/blob.rs",
         "        let key = XChaCha20Poly1305::generate_key(&mut OsRng);\n",
         "        let mut key = XChaCha20Poly1305::generate_key(&mut OsRng);\n"
         "        if crate::rows::off(\"0110 key\") {\n            key = [0; 32].into();\n        }\n"),
    ], ["protocol::blob::tests::what_is_sealed_is_opened_and_its_size_tells_little"]),
    ("0110 expiry", "blobs are kept for ever", [
        ("relay/src/embedded/shelf.rs",
         "            if expires_at > now {",
         "            if expires_at > now || crate::rows::off(\"0110 expiry\") {"),
    ], ["relay::embedded::shelf::tests::a_blob_is_here_until_it_expires_and_no_longer_than_the_server_likes",
        "relay::embedded::shelf::tests::a_blob_that_is_brought_again_stays_as_long_as_either_wants"]),
    ("0112 known keys", "what keys send that pay waits behind what strangers send", [
        ("relay/src/connection/turns.rs",
         "        let is_preferred = self.keys.contains(&event.pubkey);",
         "        let is_preferred = self.keys.contains(&event.pubkey) && !crate::rows::off(\"0112 known keys\");"),
        ("provider/src/session.rs",
         "        if rank > Rank::Guest {\n            effects.push(Effect::Prefer",
         "        if rank > Rank::Guest && !crate::rows::off(\"0112 known keys\") {\n            effects.push(Effect::Prefer"),
    ], ["relay::connection::turns::tests::events_of_preferred_keys_go_first_and_leave_one_turn_of_eight",
        "provider::session::tests::paying::what_keys_send_that_pay_is_read_first_until_their_pay_is_none"]),
    ("0112 turns", "one key with many events is read before all others", [
        ("relay/src/connection/turns.rs",
         "            self.next.push_back(key);\n        }\n        self.length -= 1;",
         "            if crate::rows::off(\"0112 turns\") { self.next.push_front(key) } else { self.next.push_back(key) }\n"
         "        }\n        self.length -= 1;"),
    ], ["relay::connection::turns::tests::each_key_has_its_turn_and_its_events_stay_in_their_order"]),
    ("0112 results", "a result waits behind the refusals of a flood", [
        ("relay/src/connection/outbound.rs",
         "        if weight == Weight::Wanted {",
         "        if weight == Weight::Wanted && !crate::rows::off(\"0112 results\") {"),
    ], ["relay::connection::outbound::tests::a_result_goes_before_waiting_refusals_and_leaves_them_one_of_four"]),
    ("0116 unopened", "each job of a flood is opened before it is refused", [
        ("provider/src/session.rs",
         "        if let Some(effects) = self.decide_unopened(event, now) {",
         "        if !crate::rows::off(\"0116 unopened\")\n"
         "            && let Some(effects) = self.decide_unopened(event, now)\n        {"),
    ], ["provider::session::tests::guests::a_crowded_provider_without_a_price_refuses_guests_unopened",
        "provider::session::tests::guests::a_full_queue_refuses_the_key_that_fills_it_unopened_and_no_other",
        "provider::session::tests::guests::a_job_that_has_expired_is_ignored_unopened"]),
]

QUESTION = '''
mod rows {
    /// Whether the mend of a row is taken away.
    pub(crate) fn off(row: &str) -> bool {
        std::env::var("FRLM_ROW").is_ok_and(|named| named == row)
    }
}
'''


def target():
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def changed():
    """The files that have mends, as they are without them; and which mends are not there once."""
    changes, problems = {}, []
    for row, _, mends, _ in ROWS:
        for name, now, then in mends:
            if not (ROOT / name).is_file():
                problems.append(f"rows: row {row} names {name}, which is no file")
                continue
            text = changes.get(name) or (ROOT / name).read_text()
            if text.count(now) != 1:
                problems.append(f"rows: the mend of row {row} is {text.count(now)} times in {name}, and should be there once:\n{now}")
            changes[name] = text.replace(now, then)
    return changes, problems


def lost_tests():
    """Tests of rows whose functions are not where their names say."""
    problems = []
    for row, *_, tests in ROWS:
        for test in tests:
            program, *modules, function = test.split("::")
            folder, _, apart = program.partition("/")
            below = ROOT / folder / (f"tests/{apart}" if apart else "src")
            modules = modules[:-1] if modules[-1:] == ["tests"] else modules
            places = [below.joinpath(*modules[:depth]) for depth in range(len(modules) + 1)]
            files = [found for place in places for found in (place.with_suffix(".rs"), place / "mod.rs", place / "main.rs", place / "tests.rs")]
            if not any(found.is_file() and f"fn {function}(" in found.read_text() for found in files):
                problems.append(f"rows: there is no test {test} (row {row})")
    return problems


def without_mends():
    """A copy of the sources without any mend. What is as it was keeps its date, so that it is not built again."""
    tree = target() / "rows"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    names = [name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]
    changes, problems = changed()
    if problems:
        sys.exit("\n".join(problems))
    for library in {f"{name.split('/')[0]}/src/lib.rs" for name in changes}:
        changes[library] = changes.get(library, (ROOT / library).read_text()) + QUESTION
    for name in names:
        content = changes[name].encode() if name in changes else (ROOT / name).read_bytes()
        copy = tree / name
        if not copy.is_file() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
    return tree


def build(tree, folders):
    """The test programs that these tests begin with, in one build."""
    how = shlex.split(os.environ.get("FRLM_TEST_CARGO", "--profile ci"))
    packages = [word for folder in sorted({name.split("/")[0] for name in folders}) for word in ("-p", CRATES[folder])]
    apart = [word for name in folders if "/" in name for word in ("--test", name.split("/")[1])]
    command = ["cargo", "test", *how, *packages, "--lib", *apart, "--no-run", "--message-format", "json-render-diagnostics"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target())}
    made = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode != 0:
        sys.exit(made.returncode)
    messages = [json.loads(line) for line in made.stdout.splitlines() if line.startswith("{")]

    def name_of(found):
        folder = pathlib.Path(found["src_path"]).relative_to(tree).parts[0]
        return f"{folder}/{found['name']}" if "test" in found["kind"] else folder

    return {name_of(message["target"]): message["executable"] for message in messages if message.get("executable")}


def passes(programs, test, row=""):
    program, _, name = test.partition("::")
    folder = program.split("/")[0]
    # A property that fails is to fail: no case of it is kept.
    kept = {"PROPTEST_DISABLE_FAILURE_PERSISTENCE": "true", "RUST_BACKTRACE": "0", "FRLM_CASES": CASES, "CARGO_MANIFEST_DIR": str(ROOT / folder)}
    try:
        ran = subprocess.run(
            [programs[program], "--exact", name], cwd=ROOT / folder, env={**os.environ, **kept, "FRLM_ROW": row},
            capture_output=True, text=True, timeout=PATIENCE_SECS, check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    if "running 1 test" not in ran.stdout:
        sys.exit(f"rows: there is no test {test}:\n{ran.stdout}{ran.stderr}")
    return ran.returncode == 0


def main():
    asked = sys.argv[1:]
    if asked == ["--check"]:
        problems = changed()[1] + lost_tests()
        if problems:
            sys.exit("\n".join(problems))
        return
    listing = asked == ["--list"]
    rows = [row for row in ROWS if listing or not asked or row[0] in asked]
    if not rows:
        sys.exit("rows: there is no such row; there are " + ", ".join(row for row, *_ in ROWS))
    tree = without_mends()
    if listing:
        for row, what, _, tests in rows:
            print(f"{row}: {what}", *tests, sep="\n    ")
        return
    programs = build(tree, sorted({test.split("::")[0] for *_, tests in rows for test in tests}))
    print("| row | without its mend | test | with | without |\n|---|---|---|---|---|", flush=True)
    wrong = 0
    for row, what, _, tests in rows:
        for test in tests:
            found = passes(programs, test), passes(programs, test, row)
            wrong += found != (True, False)
            words = ["green" if passed else "red" for passed in found]
            print(f"| {row} | {what} | `{test}` | {words[0]} | {words[1]} |", flush=True)
    if wrong:
        sys.exit(f"rows: {wrong} tests do not fail without the mend that they are for")


if __name__ == "__main__":
    main()
