//! The time of day on this machine's clock. The standard library knows the time of the world alone; the
//! system's own `date` says how far this place is from it.

use std::time::Duration;

use tokio::time::Instant;

const DAY_MINUTES: i64 = 24 * 60;
/// Summer time begins and ends while programs run.
const AGAIN: Duration = Duration::from_hours(1);

/// The clock.
#[derive(Debug, Default)]
pub struct Clock {
    /// Minutes east of Greenwich, and when that was looked up.
    offset: Option<(i32, Instant)>,
}

impl Clock {
    /// The minute of the day, 0..1440. Where the system does not say where it is, that of Greenwich.
    pub async fn minute_of_day(&mut self) -> u32 {
        if self.offset.is_none_or(|(_, looked)| looked.elapsed() > AGAIN) {
            self.offset = Some((offset().await.unwrap_or(0), Instant::now()));
        }
        let unix_secs = frlm_client::util::clock::unix_secs();
        minute_of_day(unix_secs, self.offset.map_or(0, |(offset, _)| offset))
    }
}

/// How many minutes this place is east of Greenwich now; `None` if the system does not say.
pub async fn offset() -> Option<i32> {
    let output = tokio::process::Command::new("date").arg("+%z").output().await.ok()?;
    parse(std::str::from_utf8(&output.stdout).ok()?.trim())
}

/// "+0130" as minutes.
fn parse(said: &str) -> Option<i32> {
    let (sign, digits) = match said.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let is_number = digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit());
    let number: i32 = digits.parse().ok().filter(|_| is_number)?;
    Some(sign * (number / 100 * 60 + number % 100)).filter(|minutes| minutes.abs() < 24 * 60)
}

fn minute_of_day(unix_secs: u64, offset: i32) -> u32 {
    let minutes = i64::try_from(unix_secs / 60).unwrap_or(0) + i64::from(offset);
    u32::try_from(minutes.rem_euclid(DAY_MINUTES)).unwrap_or(0)
}

/// "UTC+01:00".
pub fn name(offset: i32) -> String {
    let sign = if offset < 0 { '−' } else { '+' };
    format!("UTC{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_word_is_read_and_nonsense_is_not() {
        assert_eq!((parse("+0000"), parse("+0530"), parse("-0930")), (Some(0), Some(330), Some(-570)));
        for said in ["", "+", "UTC", "+1", "+99999", "+2400", "０100"] {
            assert_eq!(parse(said), None, "{said}");
        }
        assert_eq!((name(330), name(-570)), ("UTC+05:30".to_owned(), "UTC−09:30".to_owned()));
    }

    #[test]
    fn the_day_begins_where_the_machine_is() {
        // 2027-01-15 08:00:00 UTC
        let morning = 1_800_000_000;
        assert_eq!(minute_of_day(morning, 0), 8 * 60);
        assert_eq!(minute_of_day(morning, 60), 9 * 60);
        assert_eq!(minute_of_day(morning, -9 * 60), 23 * 60);
        assert_eq!(minute_of_day(0, -1), 1_439);
    }
}
