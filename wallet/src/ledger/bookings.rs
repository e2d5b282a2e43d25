//! For whom sats were reserved, and what each hour has taken: the tables behind the limits.
//!
//! A booking is written once, with the reservation. The hours are a fold over bookings and entries,
//! kept so that a limit costs a few look-ups; the audit folds them again. What is free is not booked.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{OptionalExtension as _, params};

use super::entry::{Entry, Key, Transition};
use super::error::LedgerError;
use super::limits::{Booked, Booking, Limit, Limits, Scheme, Usage, WINDOW_HOURS};
use super::rows::to_sql;
use super::store::Store;
use crate::amount::Sats;
use crate::budget::{Budget, Contribution};

type Result<T> = std::result::Result<T, LedgerError>;

const MILLISECONDS_PER_HOUR: i64 = 3_600_000;
/// The party that stands for all of them.
const EVERYBODY: i64 = 0;
/// The limits that are counted by the hour.
const BY_THE_HOUR: [Limit; 3] = [Limit::Day, Limit::Provider, Limit::Mint];

/// A sum of the `hours` table: hour, scope, party.
pub(super) type Place = (i64, &'static str, i64);

struct Row {
    hour: i64,
    provider: Option<i64>,
    mint: Option<i64>,
    /// Whether limits count it.
    counts: bool,
}

impl Row {
    fn party(&self, limit: Limit) -> Option<i64> {
        match limit {
            Limit::Subtask => None,
            Limit::Day => Some(EVERYBODY),
            Limit::Provider => self.provider,
            Limit::Mint => self.mint,
        }
    }

    /// The sums that this booking is part of.
    fn places(&self) -> impl Iterator<Item = Place> {
        let counted = BY_THE_HOUR.into_iter().filter(|_| self.counts);
        counted.filter_map(|limit| Some((self.hour, limit.name(), self.party(limit)?)))
    }
}

pub(super) fn hour_of(at_ms: i64) -> i64 {
    at_ms.div_euclid(MILLISECONDS_PER_HOUR)
}

impl Store {
    /// Sets sats aside, all or none: run by run first, so that the sum is named that is missing, then
    /// one after the other within the owner's limits.
    pub fn book(&self, bookings: &[Booking], now_ms: i64) -> Result<()> {
        let mut needed: Vec<(&Arc<str>, Sats)> = Vec::new();
        for Booking { key, amount, .. } in bookings {
            match needed.iter_mut().find(|(run, _)| **run == key.run) {
                Some((_, sum)) => *sum = sum.saturating_add(*amount),
                None => needed.push((&key.run, *amount)),
            }
        }
        for (run, needed) in needed {
            let Budget { limit, available, .. } = self.run(run)?.budget;
            if needed > available {
                return Err(LedgerError::BudgetExceeded { needed, available, limit });
            }
        }
        // What was written for the first of them must not stay if the last is refused.
        self.sql(|connection| connection.execute_batch("SAVEPOINT booking"))?;
        let limits = self.limits()?;
        let booked = bookings.iter().try_for_each(|booking| self.book_one(booking, &limits, now_ms));
        if booked.as_ref().is_err_and(LedgerError::is_storage) {
            // The whole batch is rolled back.
            return booked;
        }
        let end = if booked.is_ok() { "RELEASE booking" } else { "ROLLBACK TO booking; RELEASE booking" };
        self.sql(|connection| connection.execute_batch(end))?;
        booked
    }

    fn book_one(&self, booking: &Booking, limits: &Limits, now_ms: i64) -> Result<()> {
        let Booking { key, amount, provider, mint, scheme } = booking;
        // Of what is free nothing is booked, and the entry itself refuses a key that is taken.
        if *amount > Sats::ZERO {
            let run = self.run(&key.run)?.id;
            if self.entry(run, key)?.is_some() {
                return Err(LedgerError::KeyExists { key: key.clone() });
            }
            let row = Row {
                hour: hour_of(now_ms),
                provider: provider.as_deref().map(|name| self.party(name)).transpose()?,
                mint: mint.as_deref().map(|name| self.party(name)).transpose()?,
                counts: *scheme != Scheme::Play,
            };
            if row.counts {
                self.check_limits(booking, &row, run, limits)?;
            }
            self.sql(|connection| {
                connection
                    .prepare_cached("INSERT INTO bookings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
                    .execute(params![
                        run,
                        key.subtask,
                        key.attempt,
                        row.hour,
                        row.provider,
                        row.mint,
                        scheme.name()
                    ])
            })?;
        }
        self.apply_at(key, Transition::Reserve(*amount), now_ms).map(drop)
    }

    fn check_limits(&self, booking: &Booking, row: &Row, run: i64, limits: &Limits) -> Result<()> {
        // Only what is limited, and in question, is looked up.
        let mut used = [None; Limit::ALL.len()];
        for limit in Limit::ALL.into_iter().filter(|limit| limits.get(*limit).is_some()) {
            used[limit as usize] = match (limit, row.party(limit)) {
                (Limit::Subtask, _) => Some(self.taken_by_subtask(run, booking.key.subtask)?),
                (_, Some(party)) => Some(self.taken_since(limit, party, row.hour)?.0),
                (_, None) => None,
            };
        }
        let refusing = limits.refusing(|limit| used[limit as usize], booking.amount);
        let Some((limit, most, used)) = refusing else { return Ok(()) };
        let first = match row.party(limit) {
            Some(party) => self.taken_since(limit, party, row.hour)?.1,
            None => None,
        };
        let hours = first.map(|first| first + WINDOW_HOURS - row.hour);
        let free_in_hours = hours.and_then(|hours| u64::try_from(hours).ok());
        Err(LedgerError::LimitReached { limit, most, used, needed: booking.amount, free_in_hours })
    }

    /// What the attempts at a subtask take.
    fn taken_by_subtask(&self, run: i64, subtask: u32) -> Result<Sats> {
        let mut sum = Sats::ZERO;
        for entry in self.entries_of_subtask(run, subtask)? {
            sum = sum.saturating_add(entry.share().taken().unwrap_or(Sats(u64::MAX)));
        }
        Ok(sum)
    }

    /// What a day that ends with this hour has taken, and the first hour that has taken something.
    fn taken_since(&self, limit: Limit, party: i64, hour: i64) -> Result<(Sats, Option<i64>)> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT COALESCE(SUM(taken_sats), 0), MIN(hour) FROM hours
                     WHERE scope = ?1 AND party = ?2 AND hour > ?3 AND taken_sats > 0",
                )?
                .query_row(params![limit.name(), party, hour - WINDOW_HOURS], |row| {
                    let sum: i64 = row.get(0)?;
                    Ok((Sats(u64::try_from(sum).unwrap_or(u64::MAX)), row.get(1)?))
                })
        })
    }

    fn party(&self, name: &str) -> Result<i64> {
        self.sql(|connection| {
            connection.prepare_cached("INSERT OR IGNORE INTO parties (name) VALUES (?1)")?.execute([name])?;
            connection
                .prepare_cached("SELECT id FROM parties WHERE name = ?1")?
                .query_row([name], |row| row.get(0))
        })
    }

    /// Moves what an entry takes from the sums of its hour, or to them.
    pub fn count(&self, run: i64, key: &Key, before: Contribution, after: Contribution) -> Result<()> {
        let taken = |share: Contribution| to_sql(share.taken().unwrap_or(Sats(u64::MAX)));
        let change = taken(after)? - taken(before)?;
        if change == 0 {
            return Ok(());
        }
        let Some(row) = self.booking(run, key)? else { return Ok(()) };
        for (hour, scope, party) in row.places() {
            self.sql(|connection| {
                // Not as one upsert: that would hold a change downwards against the check for sums.
                let known = connection
                    .prepare_cached(
                        "UPDATE hours SET taken_sats = taken_sats + ?4
                         WHERE hour = ?1 AND scope = ?2 AND party = ?3",
                    )?
                    .execute(params![hour, scope, party, change])?;
                if known == 0 {
                    connection
                        .prepare_cached("INSERT INTO hours VALUES (?1, ?2, ?3, ?4)")?
                        .execute(params![hour, scope, party, change])?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn booking(&self, run: i64, key: &Key) -> Result<Option<Row>> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT hour, provider, mint, scheme FROM bookings WHERE run = ?1 AND subtask = ?2 AND attempt = ?3",
                )?
                .query_row(params![run, key.subtask, key.attempt], |row| {
                    let counts = row.get::<_, String>(3)? != Scheme::Play.name();
                    Ok(Row { hour: row.get(0)?, provider: row.get(1)?, mint: row.get(2)?, counts })
                })
                .optional()
        })
    }

    /// The owner's limits.
    pub fn limits(&self) -> Result<Limits> {
        let rows: Vec<(String, i64)> = self.sql(|connection| {
            connection
                .prepare_cached("SELECT name, most_sats FROM limits")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })?;
        let mut limits = Limits::default();
        for (name, most) in rows {
            // A limit that only a later version knows cannot be kept by this one.
            let limit = Limit::ALL
                .into_iter()
                .find(|limit| limit.name() == name)
                .ok_or_else(|| self.damaged(format!("it knows a limit \"{name}\"")))?;
            limits.set(limit, Some(Sats(u64::try_from(most).unwrap_or(0))));
        }
        Ok(limits)
    }

    /// Replaces the owner's limits.
    pub fn set_limits(&self, limits: &Limits) -> Result<()> {
        self.sql(|connection| connection.execute_batch("DELETE FROM limits"))?;
        for limit in Limit::ALL {
            // More than the file can hold is no limit.
            let Some(Ok(most)) = limits.get(limit).map(to_sql) else { continue };
            self.sql(|connection| {
                connection
                    .prepare_cached("INSERT INTO limits VALUES (?1, ?2)")?
                    .execute(params![limit.name(), most])
            })?;
        }
        Ok(())
    }

    /// The limits with what the last day has taken of them.
    pub fn usage(&self, now_ms: i64) -> Result<Usage> {
        let hour = hour_of(now_ms);
        let (day, _) = self.taken_since(Limit::Day, EVERYBODY, hour)?;
        Ok(Usage {
            limits: self.limits()?,
            day,
            providers: self.taken_by(Limit::Provider, hour)?,
            mints: self.taken_by(Limit::Mint, hour)?,
        })
    }

    fn taken_by(&self, limit: Limit, hour: i64) -> Result<Vec<(Arc<str>, Sats)>> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT name, SUM(taken_sats) AS taken FROM hours JOIN parties ON parties.id = hours.party
                     WHERE scope = ?1 AND hour > ?2 GROUP BY party HAVING taken > 0 ORDER BY taken DESC, name",
                )?
                .query_map(params![limit.name(), hour - WINDOW_HOURS], |row| {
                    let taken: i64 = row.get(1)?;
                    Ok((row.get::<_, String>(0)?.into(), Sats(u64::try_from(taken).unwrap_or(u64::MAX))))
                })?
                .collect()
        })
    }

    /// For whom each attempt of a run was booked, by subtask and attempt.
    pub fn booked(&self, run: &Arc<str>) -> Result<HashMap<(u32, u32), Booked>> {
        let run = self.run(run)?.id;
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT subtask, attempt, provider.name, mint.name, scheme FROM bookings
                     LEFT JOIN parties AS provider ON provider.id = bookings.provider
                     LEFT JOIN parties AS mint ON mint.id = bookings.mint WHERE run = ?1",
                )?
                .query_map([run], |row| {
                    let name = |column: usize| -> rusqlite::Result<Option<Arc<str>>> {
                        Ok(row.get::<_, Option<String>>(column)?.map(Arc::from))
                    };
                    let scheme = Scheme::from_name(&row.get::<_, String>(4)?).unwrap_or_default();
                    Ok(((row.get(0)?, row.get(1)?), Booked { provider: name(2)?, mint: name(3)?, scheme }))
                })?
                .collect()
        })
    }

    /// The hourly sums as they are kept, those of nothing left out.
    pub fn hours(&self) -> Result<HashMap<(i64, String, i64), Sats>> {
        self.sql(|connection| {
            connection
                .prepare_cached("SELECT hour, scope, party, taken_sats FROM hours WHERE taken_sats > 0")?
                .query_map([], |row| {
                    let taken: i64 = row.get(3)?;
                    let place = (row.get(0)?, row.get(1)?, row.get(2)?);
                    Ok((place, Sats(u64::try_from(taken).unwrap_or(u64::MAX))))
                })?
                .collect()
        })
    }

    /// The hourly sums as they follow from entries and the hours of their reservations.
    pub fn hours_of(
        &self,
        entries: &HashMap<(i64, u32, u32), (i64, Entry)>,
    ) -> Result<HashMap<(i64, String, i64), Sats>> {
        let mut sums: HashMap<(i64, String, i64), Sats> = HashMap::new();
        for ((run, subtask, attempt), (reserved_at_ms, entry)) in entries {
            let taken = entry.share().taken().unwrap_or(Sats(u64::MAX));
            if taken == Sats::ZERO {
                continue;
            }
            let key = Key::new("", *subtask, *attempt);
            let Some(row) = self.booking(*run, &key)? else { continue };
            let row = Row { hour: hour_of(*reserved_at_ms), ..row };
            for (hour, scope, party) in row.places() {
                let sum = sums.entry((hour, scope.to_owned(), party)).or_default();
                *sum = sum.saturating_add(taken);
            }
        }
        Ok(sums)
    }
}
