//! The settings as they are typed, and what they mean for the file.

use frlm_client::verifier::PolicyName;
use frlm_client::verifier::request::VerificationLevel;

use frlm_client::config::Config;
use frlm_client::settings_file::Setting;

/// A setting that is typed; an empty text is the built-in default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// `ask.budget`
    Budget,
    /// `ask.verify`
    Verify,
    /// `ask.level`
    Level,
    /// `ask.quorum`
    Quorum,
    /// `ask.timeout`
    Timeout,
    /// `ask.discovery`
    Discovery,
    /// `ask.fragment_lines`
    FragmentLines,
    /// `ask.model`
    AskModel,
    /// `provide.name`
    Name,
    /// `provide.model`
    ProvideModel,
    /// `provide.price`
    Price,
    /// `provide.price_written`
    PriceWritten,
    /// `provide.minimum`
    Minimum,
    /// `provide.surge`
    Surge,
    /// `provide.surge_from`
    SurgeFrom,
    /// `provide.free`
    Free,
    /// `provide.queue`
    Queue,
    /// `provide.pay_after`
    PayAfter,
    /// `limits.per_subtask`
    PerSubtask,
    /// `limits.per_day`
    PerDay,
    /// `limits.per_provider`
    PerProvider,
    /// `limits.per_mint`
    PerMint,
    /// `pay_before.per_job`
    PerJob,
}

/// What a field is.
pub struct About {
    /// Its label.
    pub label: &'static str,
    /// What stands there while it is empty: the built-in default.
    pub hint: &'static str,
    section: &'static str,
    key: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Policy,
    Level,
    /// At least so much.
    Number(i64),
    /// Neither less than the one nor more than the other.
    Between(u32, u32),
    Share,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::Budget,
        Self::Verify,
        Self::Level,
        Self::Quorum,
        Self::Timeout,
        Self::Discovery,
        Self::FragmentLines,
        Self::AskModel,
        Self::Name,
        Self::ProvideModel,
        Self::Price,
        Self::PriceWritten,
        Self::Minimum,
        Self::Surge,
        Self::SurgeFrom,
        Self::Free,
        Self::Queue,
        Self::PayAfter,
        Self::PerSubtask,
        Self::PerDay,
        Self::PerProvider,
        Self::PerMint,
        Self::PerJob,
    ];

    /// What it is.
    pub fn about(self) -> About {
        let about = |section, key, kind, label, hint| About { label, hint, section, key, kind };
        match self {
            Self::Budget => about("ask", "budget", Kind::Number(0), "Budget in sats, fees included", "1000"),
            Self::Verify => about("ask", "verify", Kind::Policy, "Verification", "adaptive"),
            Self::Level => {
                let label = "Checks: standard, high or critical";
                about("ask", "level", Kind::Level, label, "standard")
            }
            Self::Quorum => {
                let label = "Least share of verified parts for a partial answer";
                about("ask", "quorum", Kind::Share, label, "all")
            }
            Self::Timeout => about("ask", "timeout", Kind::Number(1), "Time limit in seconds", "300"),
            Self::Discovery => {
                about("ask", "discovery", Kind::Number(0), "Seconds to wait for providers", "5")
            }
            Self::FragmentLines => {
                about("ask", "fragment_lines", Kind::Number(1), "Most lines per part", "16")
            }
            Self::AskModel => {
                let label = "Your own model, for answers in words and when no provider is online";
                about("ask", "model", Kind::Text, label, "none")
            }
            Self::Name => about("provide", "name", Kind::Text, "Name in the directory", "frlm provider"),
            Self::ProvideModel => about("provide", "model", Kind::Text, "Model used for earning", "embedded"),
            Self::Price => {
                let label = "Sats per 1,000 tokens read";
                about("provide", "price", Kind::Number(0), label, "0 (free)")
            }
            Self::Queue => about("provide", "queue", Kind::Number(1), "Queue limit", "64"),
            Self::PayAfter => {
                let label = "Unpaid jobs per asker";
                about("provide", "pay_after", Kind::Between(0, u32::MAX), label, "0 = prepaid")
            }
            Self::PriceWritten | Self::Minimum | Self::Surge | Self::SurgeFrom | Self::Free => {
                self.about_prices()
            }
            Self::PerSubtask => {
                about("limits", "per_subtask", Kind::Number(0), "All attempts at one part", "no limit")
            }
            Self::PerDay => about("limits", "per_day", Kind::Number(0), "All runs, in a day", "no limit"),
            Self::PerProvider => {
                about("limits", "per_provider", Kind::Number(0), "One provider, in a day", "no limit")
            }
            Self::PerMint => {
                about("limits", "per_mint", Kind::Number(0), "Through one mint, in a day", "no limit")
            }
            Self::PerJob => {
                let label = "One job paid before the work, without asking you";
                about("pay_before", "per_job", Kind::Number(0), label, "nothing is paid before the work")
            }
        }
    }

    /// What can be said of the price beside the price itself.
    fn about_prices(self) -> About {
        let (key, kind, label, hint) = match self {
            Self::PriceWritten => {
                let label = "Sats per 1,000 tokens written";
                ("price_written", Kind::Number(0), label, "as for those read")
            }
            Self::Minimum => ("minimum", Kind::Number(0), "Minimum per job, in sats", "0 (none)"),
            Self::Surge => {
                let label = "Surge price, in percent";
                ("surge", Kind::Between(100, u32::MAX), label, "100 (the usual price)")
            }
            Self::SurgeFrom => ("surge_from", Kind::Number(1), "Surge starts at (jobs waiting)", "16"),
            _ => ("free", Kind::Between(0, u32::MAX), "Free jobs per asker and day", "0"),
        };
        About { label, hint, section: "provide", key, kind }
    }

    /// What the file says.
    pub fn of(self, config: &Config) -> String {
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let count = |count: Option<usize>| count.map(|count| count.to_string());
        let (ask, provide, limits) = (&config.ask, &config.provide, &config.limits);
        let text = match self {
            Self::Budget => number(ask.budget),
            Self::Verify => ask.verify.clone(),
            Self::Level => ask.level.map(|level| level.to_string()),
            Self::Quorum => ask.quorum.map(|quorum| quorum.to_string()),
            Self::Timeout => number(ask.timeout),
            Self::Discovery => number(ask.discovery),
            Self::FragmentLines => count(ask.fragment_lines),
            Self::AskModel => ask.model.clone(),
            Self::Name => provide.name.clone(),
            Self::ProvideModel => provide.model.clone(),
            Self::Price => number(provide.price),
            Self::PriceWritten => number(provide.price_written),
            Self::Minimum => number(provide.minimum),
            Self::Surge => number(provide.surge.map(u64::from)),
            Self::SurgeFrom => count(provide.surge_from),
            Self::Free => number(provide.free.map(u64::from)),
            Self::Queue => count(provide.queue),
            Self::PayAfter => number(provide.pay_after.map(u64::from)),
            Self::PerSubtask => number(limits.per_subtask),
            Self::PerDay => number(limits.per_day),
            Self::PerProvider => number(limits.per_provider),
            Self::PerMint => number(limits.per_mint),
            Self::PerJob => number(config.pay_before.per_job),
        };
        text.unwrap_or_default()
    }

    /// What a text means for the file: section, key, setting. Or what is wrong with it.
    pub fn setting(self, text: &str) -> Result<(&'static str, &'static str, Setting), String> {
        let About { section, key, kind, label, .. } = self.about();
        let text = text.trim();
        if text.is_empty() {
            return Ok((section, key, Setting::Default));
        }
        let setting = match kind {
            Kind::Text => Setting::Text(text.to_owned()),
            Kind::Policy => {
                text.parse::<PolicyName>().map_err(|error| error.to_string())?;
                Setting::Text(text.to_owned())
            }
            Kind::Level => {
                text.parse::<VerificationLevel>().map_err(|error| error.to_string())?;
                Setting::Text(text.to_owned())
            }
            Kind::Number(least) => {
                let number = text.parse::<i64>().ok().filter(|number| *number >= least);
                Setting::Number(number.ok_or_else(|| format!("{label}: a whole number of at least {least}"))?)
            }
            Kind::Between(least, most) => {
                let number = text.parse::<u32>().ok().filter(|number| (least..=most).contains(number));
                let number =
                    number.ok_or_else(|| format!("{label}: a whole number from {least} to {most}"))?;
                Setting::Number(number.into())
            }
            Kind::Share => {
                let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
                Setting::Share(share.ok_or_else(|| format!("{label}: a number between 0 and 1"))?)
            }
        };
        Ok((section, key, setting))
    }
}

/// A yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// `ask.local`
    Local,
    /// `ask.yes`
    NoConfirmation,
    /// `ask.certificate`
    Certificate,
    /// `provide.open_jobs`
    OpenJobs,
    /// `pay_before.lightning`
    PayByLightning,
    /// `pay_before.token`
    PayByToken,
}

impl Flag {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Local,
        Self::NoConfirmation,
        Self::Certificate,
        Self::OpenJobs,
        Self::PayByLightning,
        Self::PayByToken,
    ];

    /// Section, key and what it means.
    pub fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Local => ("ask", "local", "Use only your own model: nothing goes to a relay"),
            Self::NoConfirmation => {
                ("ask", "yes", "On the command line, do not ask before a run that may cost sats")
            }
            Self::Certificate => {
                ("ask", "certificate", "Tell providers that I pay in escrow which runs are mine")
            }
            Self::OpenJobs => {
                ("provide", "open_jobs", "When serving, also take open jobs, which anyone can read")
            }
            Self::PayByLightning => (
                "pay_before",
                "lightning",
                "A Lightning wallet that you have connected (FRLM_NWC) pays them, instead of a mint",
            ),
            Self::PayByToken => (
                "pay_before",
                "token",
                "If a provider names no invoice, send it a Cashu token: anybody who reads it has the sats",
            ),
        }
    }

    /// What the file says.
    pub fn of(self, config: &Config) -> bool {
        match self {
            Self::Local => config.ask.local,
            Self::NoConfirmation => config.ask.yes,
            Self::Certificate => config.ask.certificate,
            Self::OpenJobs => config.provide.open_jobs,
            Self::PayByLightning => config.pay_before.lightning,
            Self::PayByToken => config.pay_before.token,
        }
    }

    /// What it means for the file.
    pub fn setting(set: bool) -> Setting {
        if set { Setting::Flag(true) } else { Setting::Default }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_reads_back_what_it_writes() {
        for (field, text) in [
            (Field::Budget, "900"),
            (Field::Verify, "redundancy:5/3"),
            (Field::Level, "critical"),
            (Field::Quorum, "0.5"),
            (Field::Timeout, "60"),
            (Field::Discovery, "0"),
            (Field::FragmentLines, "8"),
            (Field::AskModel, "embedded"),
            (Field::Name, "amber-fox"),
            (Field::ProvideModel, "/m.gguf"),
            (Field::Price, "3"),
            (Field::PriceWritten, "9"),
            (Field::Minimum, "2"),
            (Field::Surge, "150"),
            (Field::SurgeFrom, "8"),
            (Field::Free, "4"),
            (Field::Queue, "2"),
            (Field::PayAfter, "3"),
            (Field::PerSubtask, "60"),
            (Field::PerDay, "0"),
            (Field::PerProvider, "500"),
            (Field::PerMint, "1000"),
            (Field::PerJob, "25"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("config.toml");
            let mut file = frlm_client::settings_file::SettingsFile::open(&path).unwrap();
            let (section, key, setting) = field.setting(text).unwrap();
            file.set(section, key, setting);
            file.save().unwrap();
            assert_eq!(field.of(&Config::load(&path).unwrap()), text, "{field:?}");
        }
    }

    #[test]
    fn every_flag_reads_back_what_it_writes() {
        for flag in Flag::ALL {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("config.toml");
            let mut file = frlm_client::settings_file::SettingsFile::open(&path).unwrap();
            let (section, key, _) = flag.about();
            file.set(section, key, Flag::setting(true));
            file.save().unwrap();
            assert!(flag.of(&Config::load(&path).unwrap()), "{flag:?}");
        }
    }

    #[test]
    fn the_usual_start_of_a_surge_is_named_as_it_is_built_in() {
        assert_eq!(Field::SurgeFrom.about().hint, frlm_client::prices::SURGE_FROM.to_string());
    }

    #[test]
    fn what_cannot_work_is_named() {
        for (field, text) in [
            (Field::Budget, "-1"),
            (Field::Budget, "many"),
            (Field::Timeout, "0"),
            (Field::Quorum, "1.5"),
            (Field::Verify, "trust me"),
            (Field::Level, "trust me"),
            (Field::Price, "99999999999999999999"),
            (Field::PayAfter, "4294967296"),
            (Field::PayAfter, "-1"),
            (Field::Surge, "99"),
            (Field::SurgeFrom, "0"),
        ] {
            assert!(field.setting(text).is_err(), "{field:?} {text}");
        }
    }
}
