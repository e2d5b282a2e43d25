//! The settings as they are typed, and what they mean for the file.

use frlm_client::verifier::PolicyName;
use frlm_client::verifier::request::VerificationLevel;

use super::words;
use frlm_client::config::Config;
use frlm_client::settings_file::Setting;

/// A value of the file as the form shows it.
trait Stored<Shown> {
    fn shown(&self) -> Shown;
}

impl<T: ToString> Stored<String> for Option<T> {
    fn shown(&self) -> String {
        self.as_ref().map(ToString::to_string).unwrap_or_default()
    }
}

impl Stored<bool> for bool {
    fn shown(&self) -> bool {
        *self
    }
}

/// Settings of one kind, each with its section and key in the file.
macro_rules! settings {
    ($(#[$about:meta])* $type:ident shows $shown:ty: $($name:ident = $section:ident.$key:ident,)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $(#[doc = concat!("`", stringify!($section), ".", stringify!($key), "`")] $name,)*
        }

        impl $type {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its section and key in the file.
            pub fn place(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$name => (stringify!($section), stringify!($key)),)*
                }
            }

            /// What the file says.
            pub fn of(self, config: &Config) -> $shown {
                match self {
                    $(Self::$name => config.$section.$key.shown(),)*
                }
            }
        }
    };
}

settings! {
    /// A setting that is typed; an empty text is the built-in default.
    Field shows String:
    Budget = ask.budget,
    Verify = ask.verify,
    Level = ask.level,
    Quorum = ask.quorum,
    Timeout = ask.timeout,
    Discovery = ask.discovery,
    FragmentLines = ask.fragment_lines,
    AskModel = ask.model,
    Name = provide.name,
    ProvideModel = provide.model,
    Price = provide.price,
    PriceWritten = provide.price_written,
    Minimum = provide.minimum,
    Surge = provide.surge,
    SurgeFrom = provide.surge_from,
    Free = provide.free,
    Queue = provide.queue,
    PayAfter = provide.pay_after,
    PerSubtask = limits.per_subtask,
    PerDay = limits.per_day,
    PerProvider = limits.per_provider,
    PerMint = limits.per_mint,
    PerJob = pay_before.per_job,
}

settings! {
    /// A yes or no.
    Flag shows bool:
    Local = ask.local,
    NoConfirmation = ask.yes,
    Certificate = ask.certificate,
    OpenJobs = provide.open_jobs,
    PayByLightning = pay_before.lightning,
    PayByToken = pay_before.token,
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
    fn kind(self) -> Kind {
        match self {
            Self::Verify => Kind::Policy,
            Self::Level => Kind::Level,
            Self::Quorum => Kind::Share,
            Self::AskModel | Self::Name | Self::ProvideModel => Kind::Text,
            Self::Timeout | Self::FragmentLines | Self::SurgeFrom | Self::Queue => Kind::Number(1),
            Self::Surge => Kind::Between(100, u32::MAX),
            Self::Free | Self::PayAfter => Kind::Between(0, u32::MAX),
            Self::Budget
            | Self::Discovery
            | Self::Price
            | Self::PriceWritten
            | Self::Minimum
            | Self::PerSubtask
            | Self::PerDay
            | Self::PerProvider
            | Self::PerMint
            | Self::PerJob => Kind::Number(0),
        }
    }

    /// What a text means for the file, or what is wrong with it.
    pub fn setting(self, text: &str) -> Result<Setting, String> {
        let (label, _) = words::field(self);
        let text = text.trim();
        if text.is_empty() {
            return Ok(Setting::Default);
        }
        Ok(match self.kind() {
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
                Setting::Number(number.ok_or_else(|| words::not_a_number(label, least))?)
            }
            Kind::Between(least, most) => {
                let number = text.parse::<u32>().ok().filter(|number| (least..=most).contains(number));
                Setting::Number(number.ok_or_else(|| words::not_between(label, least, most))?.into())
            }
            Kind::Share => {
                let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
                Setting::Share(share.ok_or_else(|| words::not_a_share(label))?)
            }
        })
    }
}

impl Flag {
    /// What it means for the file.
    pub fn setting(set: bool) -> Setting {
        if set { Setting::Flag(true) } else { Setting::Default }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_reads_back_what_it_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let written = |(section, key), setting| {
            let mut file = frlm_client::settings_file::SettingsFile::open(&path).unwrap();
            file.set(section, key, setting);
            file.save().unwrap();
            Config::load(&path).unwrap()
        };
        for field in Field::ALL.iter().copied() {
            let text = match field.kind() {
                Kind::Text => "amber-fox",
                Kind::Policy => "redundancy:5/3",
                Kind::Level => "critical",
                Kind::Share => "0.5",
                Kind::Number(_) | Kind::Between(..) => "150",
            };
            let config = written(field.place(), field.setting(text).unwrap());
            assert_eq!(field.of(&config), text, "{field:?}");
        }
        for flag in Flag::ALL.iter().copied() {
            assert!(flag.of(&written(flag.place(), Flag::setting(true))), "{flag:?}");
        }
    }

    #[test]
    fn the_usual_start_of_a_surge_is_named_as_it_is_built_in() {
        assert_eq!(words::field(Field::SurgeFrom).1, frlm_client::prices::SURGE_FROM.to_string());
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
