//! Which verification policies a caller may choose: the service's own or a stricter one of its kind, and whatever its
//! settings allow beside that. Callers spend the operator's sats, and read answers under the service's name.

use frlm_client::verifier::PolicyName;

use super::refusal::Refusal;
use frlm_client::failure::Failure;

/// What no caller goes below.
#[derive(Debug)]
pub struct Policies {
    /// As they are named in flags and settings; a wish must be at least as strict as one of them.
    floors: Vec<(String, PolicyName)>,
}

impl Policies {
    /// The service's own policy, and those of `[serve] verify`.
    pub fn of(own: &str, allowed: &[String]) -> Result<Self, Failure> {
        let floor = |name: &str| -> Result<(String, PolicyName), Failure> {
            Ok((name.to_owned(), name.parse::<PolicyName>().map_err(Failure::usage)?))
        };
        let names = std::iter::once(own).chain(allowed.iter().map(String::as_str));
        Ok(Self { floors: names.map(floor).collect::<Result<_, _>>()? })
    }

    /// Refuses a wish for less.
    pub fn check(&self, wished: &str) -> Result<(), Refusal> {
        let policy = wished.parse::<PolicyName>().map_err(|error| Refusal::invalid(error.to_string()))?;
        if self.floors.iter().any(|(_, floor)| policy.is_at_least(floor)) {
            return Ok(());
        }
        // A file of this machine is nothing that a caller could choose, or should hear of.
        let choices = self.floors.iter().filter(|(_, floor)| !matches!(floor, PolicyName::Objective { .. }));
        let names: Vec<&str> = choices.map(|(name, _)| name.as_str()).collect();
        let choose = if names.is_empty() {
            "leave verify out".to_owned()
        } else {
            format!("choose {} or the same stricter", names.join(", "))
        };
        Err(Refusal::forbidden(format!(
            "verify \"{wished}\" is not allowed here: {choose}. The operator of this service allows others with `verify` \
             under [serve] in config.toml"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policies(own: &str, allowed: &[&str]) -> Policies {
        let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        Policies::of(own, &allowed).unwrap()
    }

    #[test]
    fn a_caller_may_choose_more_and_never_less_than_the_operator() {
        let own = policies("adaptive", &[]);
        assert_eq!(own.check("adaptive:0.999"), Ok(()));
        // A caller that names the validator could be it.
        for less in ["none", "adaptive:0.8", "redundancy:1/1", "validated:npub1caller"] {
            let refusal = own.check(less).unwrap_err();
            let words = refusal.body().to_string();
            assert!(words.contains(less) && words.contains("choose adaptive"), "{words}");
        }
        let redundant = policies("redundancy:3/2", &[]);
        assert_eq!((redundant.check("redundancy:5/3"), redundant.check("redundancy:2/2")), (Ok(()), Ok(())));
        assert!(redundant.check("redundancy:1/1").is_err() && redundant.check("none").is_err());
    }

    #[test]
    fn what_the_settings_allow_may_be_chosen_too() {
        let two = policies("adaptive", &["redundancy:3/2", "validated:npub1mine"]);
        for allowed in ["redundancy:5/3", "validated:npub1mine", "adaptive"] {
            assert_eq!(two.check(allowed), Ok(()), "{allowed}");
        }
        assert!(two.check("none").is_err() && two.check("validated:npub1caller").is_err());
        assert_eq!(policies("adaptive", &["none"]).check("none"), Ok(()));
    }

    #[test]
    fn no_caller_hears_of_a_file_of_this_machine() {
        for (allowed, choice) in
            [(&[][..], "leave verify out"), (&["redundancy:3/2"][..], "choose redundancy:3/2 or")]
        {
            let words = policies("objective:/home/me/schema.json", allowed)
                .check("none")
                .unwrap_err()
                .body()
                .to_string();
            assert!(words.contains(choice) && !words.contains("schema.json"), "{words}");
        }
    }

    #[test]
    fn a_setting_that_is_no_policy_is_named_when_the_service_begins() {
        let error = Policies::of("adaptive", &["sometimes".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("sometimes"), "{error}");
    }
}
