//! Who asks, from flags and settings (seeds/super-llm-block.md, function 1).

use frlm_questions::asker::{Asker, Preferences, Priority};

use super::RunSpec;
use crate::config::{AskConfig, first_named};
use crate::failure::Failure;

/// Joins what was asked for with the settings; what was asked for wins, each by itself.
pub fn asker(spec: &RunSpec, settings: &AskConfig) -> anyhow::Result<Asker> {
    let preferences = Preferences::of(
        spec.language.as_deref().or(settings.language.as_deref()),
        spec.style.as_deref().or(settings.style.as_deref()),
        spec.expertise.as_deref().or(settings.expertise.as_deref()),
        &first_named([&spec.interests, &settings.interests]),
    )
    .map_err(Failure::usage)?;
    let priority = match spec.priority.as_deref().or(settings.priority.as_deref()) {
        Some(named) => named.trim().parse::<Priority>().map_err(Failure::usage)?,
        None => Priority::default(),
    };
    Ok(Asker { preferences, priority })
}

#[cfg(test)]
mod tests {
    use frlm_questions::asker::{Expertise, Style};

    use super::*;
    use crate::failure::render_error;

    #[test]
    fn a_flag_wins_over_the_setting_and_leaves_the_others_be() {
        let settings = AskConfig {
            language: Some("German".to_owned()),
            style: Some("detailed".to_owned()),
            expertise: Some("expert".to_owned()),
            interests: vec!["prices".to_owned()],
            ..AskConfig::default()
        };
        let args = RunSpec {
            style: Some("concise".to_owned()),
            priority: Some("high".to_owned()),
            ..RunSpec::over("Why?".to_owned(), Vec::new())
        };
        let Asker { preferences, priority } = asker(&args, &settings).unwrap();
        assert_eq!(preferences.language.as_ref().map(ToString::to_string).as_deref(), Some("German"));
        assert_eq!(
            (preferences.style, preferences.expertise),
            (Some(Style::Concise), Some(Expertise::Expert))
        );
        assert_eq!((preferences.interests.len(), priority), (1, Priority::High));
        let nobody = asker(&RunSpec::over("Why?".to_owned(), Vec::new()), &AskConfig::default()).unwrap();
        assert_eq!(nobody, Asker::default());
    }

    #[test]
    fn a_wish_that_cannot_be_is_a_mistake_of_use_and_says_what_can() {
        let args = RunSpec { style: Some("loud".to_owned()), ..RunSpec::over("Why?".to_owned(), Vec::new()) };
        let (words, code) = render_error(&asker(&args, &AskConfig::default()).unwrap_err());
        assert_eq!(code, 2);
        assert!(words.contains("detailed, concise or conversational"), "{words}");
    }
}
