//! This machine's clock against those of mints.
//!
//! Locktimes and deadlines are moments, and two clocks that differ by minutes make jobs that expire before they begin,
//! work that is done unpaid, and fees for locks that nobody could use. Mints say what time it is when they describe
//! themselves (NUT-06), or date their answers (HTTP).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cdk::mint_url::MintUrl;
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use reqwest::Client;
use reqwest::header::{AGE, DATE};
use reqwest::redirect::Policy;

use super::CashuWallet;
use super::address::parse_mint;
use super::health::Ask;
use crate::clock::Clock;

/// Locktimes have more slack than this.
const MOST_APART_SECS: u64 = 60;
/// How long a mint's server may take to say its date.
const DATE_TIMEOUT: Duration = Duration::from_secs(2);

/// A clock that is not that of a mint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockOff {
    /// The mint's address.
    pub mint: String,
    /// How far this machine's clock is from the mint's.
    pub secs: u64,
    /// Whether this machine's is the earlier one.
    pub is_behind: bool,
}

impl fmt::Display for ClockOff {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mint, secs, is_behind } = self;
        let side = if *is_behind { "behind" } else { "ahead of" };
        write!(
            formatter,
            "the clock of this machine is {secs} s {side} that of {mint}: jobs would expire too early or too late, and \
             their fees be lost; set it (timedatectl set-ntp true, or the date and time settings)"
        )
    }
}

/// What mints have said of the time.
#[derive(Debug)]
pub(crate) struct Clocks {
    own: Clock,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    off: HashMap<MintUrl, ClockOff>,
    is_said: bool,
}

impl Clocks {
    pub fn new(own: Clock) -> Self {
        Self { own, told: Mutex::default() }
    }

    /// A mint has just said what time it is there.
    pub fn hear(&self, mint: &MintUrl, its_secs: Option<u64>) {
        let Some(its) = its_secs else { return };
        let own = self.own.now_secs();
        let (secs, is_behind) = (own.abs_diff(its), own < its);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if secs > MOST_APART_SECS {
            told.off.insert(mint.clone(), ClockOff { mint: mint.to_string(), secs, is_behind });
        } else {
            told.off.remove(mint);
        }
    }

    /// The mint that is furthest away.
    pub fn off(&self) -> Option<ClockOff> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.off.values().max_by_key(|off| off.secs).cloned()
    }

    /// The same, the first time that it is asked for.
    pub fn off_once(&self) -> Option<ClockOff> {
        let off = self.off()?;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        (!std::mem::replace(&mut told.is_said, true)).then_some(off)
    }
}

impl CashuWallet {
    /// How far this machine's clock is from that of a mint, where they are more than a minute apart.
    pub fn clock_off(&self) -> Option<ClockOff> {
        self.inner.clocks.off()
    }

    /// Asks the mints what time it is, without waiting for those that say nothing; how far this machine's clock is from
    /// theirs, the first time that it is found to be wrong.
    pub fn check_clocks(&self) -> BoxFuture<'_, Option<ClockOff>> {
        async move {
            let resting = self.inner.health.resting(Ask::Passing);
            let mints = self.mints().await.unwrap_or_default();
            let mints: Vec<MintUrl> = mints.iter().filter_map(|rule| parse_mint(&rule.url).ok()).collect();
            let each = mints.iter().filter(|mint| !resting.contains(mint)).map(|mint| async move {
                let wallet = self.known_mint(mint).ok()?;
                let connector = wallet.mint_connector();
                self.unless_silent(mint, Ask::Passing, connector.get_mint_info()).await?.ok()
            });
            join_all(each).await;
            self.inner.clocks.off_once()
        }
        .boxed()
    }

    /// Says once that the clock is wrong, before sats are locked by it.
    pub(crate) fn warn_of_clock(&self) {
        if let Some(off) = self.inner.clocks.off_once() {
            tracing::warn!("{off}");
        }
    }
}

/// The date of a mint's answer (RFC 9110, section 6.6.1), in seconds since 1970: for mints that do not describe their time. The
/// library keeps no heads of answers, so that this is a request of its own. Nothing where a cache has answered.
pub(super) async fn date_of(mint: &MintUrl) -> Option<u64> {
    let address = mint.join_paths(&["v1", "info"]).ok()?;
    let client = Client::builder().timeout(DATE_TIMEOUT).redirect(Policy::none()).build().ok()?;
    let answer = client.head(address).send().await.ok()?;
    let head = answer.headers();
    if head.contains_key(AGE) {
        return None;
    }
    let date = jiff::fmt::rfc2822::parse(head.get(DATE)?.to_str().ok()?).ok()?;
    u64::try_from(date.timestamp().as_second()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sats;
    use crate::cashu::tests::World;
    use crate::mint::Money;

    /// A wallet whose clock is so far from the mint's, after it has asked what a lock costs.
    async fn with_clock(world: &World, ahead_secs: i64) -> CashuWallet {
        let clock =
            Clock::from_fn(move || Clock::system().now_secs().checked_add_signed(ahead_secs).unwrap());
        let opened = CashuWallet::open_with(world.folder.path(), world.seed.clone(), Money::Play, clock);
        let (wallet, _) = opened.await.unwrap();
        wallet.allow_mint(world.mint.url(), None).await.unwrap();
        wallet.lock_cost(world.mint.url(), Sats(5)).await.unwrap();
        wallet
    }

    #[tokio::test]
    async fn a_clock_that_is_ten_minutes_off_is_named_before_anything_is_locked() {
        for (ahead_secs, side) in [(600, "ahead of"), (-600, "behind")] {
            let world = World::new().await;
            let off = with_clock(&world, ahead_secs).await.clock_off().unwrap();
            assert!((590..=610).contains(&off.secs), "{off:?}");
            let words = off.to_string();
            assert!(
                words.contains("clock") && words.contains(side) && words.contains("timedatectl"),
                "{words}"
            );
        }
    }

    #[tokio::test]
    async fn a_mint_without_a_time_is_held_to_the_date_of_its_answers() {
        for (ahead_secs, is_behind) in [(600, false), (-600, true)] {
            let world = World::new().await;
            world.line.describe_no_time();
            let wallet = with_clock(&world, ahead_secs).await;
            let off = wallet.clock_off().unwrap();
            assert!((590..=610).contains(&off.secs) && off.is_behind == is_behind, "{off:?}");
            assert_eq!(wallet.check_clocks().await, None, "it was said when the lock was counted");
        }
        let world = World::new().await;
        world.line.describe_no_time();
        assert_eq!(with_clock(&world, 5).await.clock_off(), None);
    }

    #[test]
    fn it_is_said_once_and_a_few_seconds_are_nobodys_business() {
        let clocks = Clocks::new(Clock::from_fn(|| 10_000));
        let mint = parse_mint("https://mint.example").unwrap();
        clocks.hear(&mint, Some(9_400));
        assert_eq!(clocks.off_once().map(|off| (off.secs, off.is_behind)), Some((600, false)));
        assert_eq!(clocks.off_once(), None, "it was said");
        assert!(clocks.off().is_some(), "and holds");
        clocks.hear(&mint, Some(10_020));
        assert_eq!(clocks.off(), None);
    }
}
