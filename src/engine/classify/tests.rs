//! What each family makes of an error. Every expected reason was asked of the release that the
//! family is checked against; a test named after a number belongs to that public report.

use std::collections::HashSet;

use proptest::prelude::*;

use super::engine::Compiled;
use super::{Classifier, Row, RowError, Signal, is_kebab_case, tables};
use crate::engine::types::{Family, Reason};

/// The reasons under the four families, oldest first; `-` is none.
fn reasons(signal: Signal<'_>) -> String {
    let reason = |family| {
        let verdict = Classifier::for_family(family).classify(&signal);
        verdict.reason.map_or("-", Reason::as_str)
    };
    Family::ALL.map(reason).join(" ")
}

fn text(message: &str) -> Signal<'_> {
    Signal { message: Some(message), ..Signal::default() }
}

fn status(status: i64, message: &str) -> Signal<'_> {
    Signal { status: Some(status), ..text(message) }
}

#[test]
fn every_table_compiles_and_fits() {
    for family in Family::ALL {
        tables(family).check().expect("tables");
    }
}

#[test]
fn every_row_id_is_kebab_case_and_unique_in_its_family() {
    for family in Family::ALL {
        let mut seen = HashSet::new();
        for row in Classifier::for_family(family).rows() {
            assert!(is_kebab_case(&row.id), "{}", row.id);
            assert!(seen.insert(row.id.clone()), "{} stands twice in {}", row.id, family.id());
            assert!(!row.pattern.is_empty(), "{}", row.id);
        }
    }
}

#[test]
fn every_rule_that_decides_a_recorded_case_is_listed() {
    for family in Family::ALL {
        let classifier = Classifier::for_family(family);
        let listed: HashSet<String> = classifier.rows().map(|row| row.id).collect();
        for case in recorded() {
            let verdict = classifier.classify(&signal_of(&case));
            if verdict.reason.is_some() {
                assert!(listed.contains(verdict.rule), "{}", verdict.rule);
            }
        }
    }
}

#[test]
fn waiting_for_literals_changes_no_answer() {
    for family in Family::ALL {
        for case in recorded().iter().filter_map(|case| case["message"].as_str()) {
            assert_eq!(tables(family).first_difference_without_shortcuts(case), None, "{case:?}");
        }
    }
}

fn recorded() -> Vec<serde_json::Value> {
    include_str!("../../../tests/conformance/vectors/cases/classify.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a recorded case"))
        .collect()
}

fn signal_of(case: &serde_json::Value) -> Signal<'_> {
    Signal {
        status: case["status"].as_i64(),
        code: case["code"].as_str(),
        error_type: case["errorType"].as_str(),
        message: case["message"].as_str(),
        provider: case["provider"].as_str(),
    }
}
