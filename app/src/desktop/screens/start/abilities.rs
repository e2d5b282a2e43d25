//! What this machine can do as it is set up now, derived from what was looked up.

use super::words;
use crate::desktop::screens::Screen;
use crate::desktop::state::Machine;

/// Whether something can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// It can.
    Yes,
    /// It can, within limits.
    Partly,
    /// Not yet.
    No,
}

/// One thing that a machine may be able to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ability {
    /// In a word.
    pub what: &'static str,
    /// Whether it can be done.
    pub stands: Stands,
    /// With what, or what is missing.
    pub how: String,
    /// The screen that helps, and what it is called on its button.
    pub helps: Option<(&'static str, Screen)>,
}

/// Asking, answering alone, and serving others.
pub fn abilities(machine: &Machine) -> [Ability; 3] {
    [ask(machine), alone(machine), serve(machine)]
}

fn ask(machine: &Machine) -> Ability {
    let (stands, how, helps) = match machine.relays.as_slice() {
        [] => {
            let helps = Some((words::ADD_RELAY, Screen::Settings));
            (Stands::Partly, words::LOCAL_ONLY.to_owned(), helps)
        }
        [one] => (Stands::Yes, words::at_relay(one), None),
        relays => (Stands::Yes, words::at_relays(relays.len()), None),
    };
    Ability { what: words::CAN_ASK, stands, how, helps }
}

fn alone(machine: &Machine) -> Ability {
    let (stands, how, helps) = match (&machine.model, &machine.model_host) {
        (Some(model), None) => (Stands::Yes, words::answers_here(model), None),
        (Some(model), Some(host)) => (Stands::Yes, words::answers_there(model, host), None),
        (None, _) => (Stands::No, words::NEEDS_OWN.to_owned(), Some((words::SEE_MODELS, Screen::Models))),
    };
    Ability { what: words::CAN_ANSWER, stands, how, helps }
}

fn serve(machine: &Machine) -> Ability {
    let add = Some((words::ADD_MODEL, Screen::Models));
    let (stands, how, helps) = match (&machine.model, machine.embedded_model) {
        (Some(model), _) => (Stands::Yes, words::earns(model, machine.threads), None),
        (None, true) => (Stands::Partly, words::earns_built_in(machine.threads), add),
        (None, false) => (Stands::No, words::NEEDS_MODEL.to_owned(), add),
    };
    Ability { what: words::START_EARNING, stands, how, helps }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(machine: &Machine) -> [Stands; 3] {
        abilities(machine).map(|ability| ability.stands)
    }

    #[test]
    fn what_is_missing_is_named_with_the_screen_that_helps() {
        let bare = Machine::default();
        assert_eq!(stands(&bare), [Stands::Partly, Stands::No, Stands::No]);
        let helped = abilities(&bare).map(|ability| ability.helps.map(|(_, screen)| screen));
        assert_eq!(helped, [Some(Screen::Settings), Some(Screen::Models), Some(Screen::Models)]);
    }

    #[test]
    fn the_built_in_model_serves_records_only_and_says_so() {
        let machine = Machine { embedded_model: true, threads: 4, ..Machine::default() };
        let [_, _, serve] = abilities(&machine);
        assert_eq!(serve.stands, Stands::Partly);
        let how = serve.how;
        assert!(how.contains("4 threads") && how.contains("only extracts fields"), "{how}");
    }

    #[test]
    fn a_model_on_another_host_is_not_said_to_keep_everything_here() {
        let alone = |host: Option<&str>| {
            let model = Some("https://api.example.org/v1#m".to_owned());
            let machine = Machine { model, model_host: host.map(str::to_owned), ..Machine::default() };
            let [_, alone, _] = abilities(&machine);
            alone.how
        };
        assert!(alone(None).contains("nothing leaves"));
        assert!(alone(Some("api.example.org")).ends_with("api.example.org can read what you ask"));
    }

    #[test]
    fn a_machine_with_relay_and_model_can_do_everything() {
        let machine = Machine {
            relays: vec!["wss://relay.example".to_owned()],
            model: Some("qwen3.gguf".to_owned()),
            ..Machine::default()
        };
        assert_eq!(stands(&machine), [Stands::Yes; 3]);
    }
}
