//! The hours of the day in which this machine serves. They may pass midnight.

/// From one full hour to another, by this machine's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    /// 0..=23
    from: u8,
    /// 1..=24
    to: u8,
}

impl Hours {
    /// The hours as they are typed, or what is wrong with them.
    pub fn parse(from: &str, to: &str) -> Result<Self, &'static str> {
        let hour = |typed: &str| {
            let typed = typed.trim();
            let hour: Option<u8> = typed.strip_suffix(":00").unwrap_or(typed).parse().ok();
            hour.filter(|hour| *hour <= 24).ok_or("hours are whole numbers from 0 to 24")
        };
        // Midnight begins a day as 0 and ends one as 24.
        let (from, to) = (hour(from)? % 24, hour(to)?);
        let to = if to == 0 { 24 } else { to };
        if from == to {
            Err("the first and the last hour are the same; clear the checkbox to serve all day")
        } else {
            Ok(Self { from, to })
        }
    }

    /// Whether a minute of the day, 0..1440, is among them.
    pub fn hold(self, minute: u32) -> bool {
        let (from, to) = (u32::from(self.from) * 60, u32::from(self.to) * 60);
        if from < to { (from..to).contains(&minute) } else { minute >= from || minute < to }
    }

    /// When they begin: "22:00".
    pub fn begin(self) -> String {
        format!("{}:00", self.from)
    }

    /// "from 22:00 to 7:00".
    pub fn words(self) -> String {
        format!("from {} to {}:00", self.begin(), self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(hour: u32, minute: u32) -> u32 {
        hour * 60 + minute
    }

    #[test]
    fn hours_may_pass_midnight_and_end_on_the_minute() {
        let night = Hours::parse("22", "7:00").unwrap();
        let held = [at(22, 0), at(23, 59), at(0, 0), at(6, 59)].map(|minute| night.hold(minute));
        assert_eq!(held, [true; 4]);
        assert!(!night.hold(at(7, 0)) && !night.hold(at(21, 59)));
        let day = Hours::parse(" 9", "17").unwrap();
        assert!(day.hold(at(9, 0)) && day.hold(at(16, 59)) && !day.hold(at(17, 0)) && !day.hold(at(3, 0)));
        assert_eq!((night.begin(), night.words()), ("22:00".to_owned(), "from 22:00 to 7:00".to_owned()));
    }

    #[test]
    fn midnight_is_said_in_either_way_and_nonsense_is_named() {
        assert_eq!(Hours::parse("24", "8"), Hours::parse("0", "8"));
        assert_eq!(Hours::parse("20", "0"), Hours::parse("20", "24"));
        assert!((0..1_440).all(|minute| Hours::parse("0", "24").unwrap().hold(minute)));
        for (from, to) in [("9", "9"), ("25", "3"), ("", "3"), ("9", "noon"), ("-1", "3"), ("8:30", "9")] {
            assert!(Hours::parse(from, to).is_err(), "{from} {to}");
        }
    }
}
