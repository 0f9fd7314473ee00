//! `--rules`: a rule set with its classifier, chosen by id, release, file, or what the machine shows.

use std::fs;
use std::path::Path;

use crate::base::error::{Error, Result};
use crate::engine::classify::Classifier;
use crate::engine::{Family, RuleSet};
use crate::script::{self, RulesFile};

/// A rule set, the classifier that belongs to it, and why it was taken.
#[derive(Debug)]
pub struct Rulebook {
    /// The constants and switches.
    pub set: RuleSet,
    /// One line.
    pub why: String,
    own: Option<Classifier>,
}

impl Rulebook {
    /// A set with its family's built-in rows.
    #[must_use]
    pub const fn new(set: RuleSet, why: String) -> Self {
        Self { set, why, own: None }
    }

    /// The newest.
    #[must_use]
    pub fn newest() -> Self {
        Self::new(
            RuleSet::of_family(Family::R2026_9),
            "nothing says which release; the newest is taken".to_owned(),
        )
    }

    /// What the user named: a rule set, a release, or a file with the operator's own rules. `auto`
    /// and nothing are `None`.
    ///
    /// # Errors
    /// No such rule set or file (exit 2), or mistakes in the file: one error that names them all.
    pub fn named(text: Option<&str>, current_dir: &Path) -> Result<Option<Self>> {
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty() && *text != "auto") else {
            return Ok(None);
        };
        let path = current_dir.join(text);
        let looks_like_file = text.contains('/') || text.ends_with(".json5") || text.ends_with(".json");
        if !looks_like_file {
            return script::find_rules(text)
                .map(|set| Some(Self::new(set, "--rules".to_owned())))
                .map_err(|message| Error::usage(message).hint("see them: clawctl rules list"));
        }
        let content =
            fs::read_to_string(&path).map_err(|error| Error::io("read the rule-set file", &path, error))?;
        match script::parse_rules(&content, text) {
            Ok(RulesFile { set, classifier }) => {
                Ok(Some(Self { set, why: format!("the file {text}"), own: Some(classifier) }))
            }
            Err(mut errors) => {
                let more = errors.len().saturating_sub(1);
                let rest: Vec<String> = errors.drain(1..).map(|error| error.to_string()).collect();
                let first = errors.pop().unwrap_or_else(|| Error::usage("the rule-set file can't be used"));
                Err(rest.into_iter().fold(first, |error, text| error.hint(format!("also: {text}"))).hint(
                    if more == 0 {
                        "the file was not used"
                    } else {
                        "all of these keep the file from being used"
                    },
                ))
            }
        }
    }

    /// The same, taken for another reason.
    #[must_use]
    pub fn because(mut self, why: &str) -> Self {
        why.clone_into(&mut self.why);
        self
    }

    /// The classifier.
    #[must_use]
    pub fn classifier(&self) -> &Classifier {
        self.own.as_ref().unwrap_or_else(|| Classifier::for_family(self.set.family))
    }
}
