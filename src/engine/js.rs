//! What JavaScript makes of values of an unexpected type: damaged stores hold some, and the releases
//! count and compare them all the same.

use serde_json::{Map, Value};

use super::ids::trim;
use super::state::Num;

/// Whether the value counts as true.
pub(crate) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => !text.is_empty(),
    }
}

/// `Number(value)`; not a number where it has none.
pub(crate) fn to_number(value: &Value) -> f64 {
    match value {
        Value::Null => 0.0,
        Value::Bool(on) => f64::from(u8::from(*on)),
        Value::Number(number) => number.as_f64().unwrap_or(f64::NAN),
        Value::String(text) => text_to_number(trim(text)),
        Value::Array(_) => text_to_number(trim(&to_text(value))),
        Value::Object(_) => f64::NAN,
    }
}

fn text_to_number(text: &str) -> f64 {
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).map_or(f64::NAN, |n| n as f64);
    match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => radix(&text[2..], 16),
        Some("0o") => radix(&text[2..], 8),
        Some("0b") => radix(&text[2..], 2),
        _ if text.is_empty() => 0.0,
        _ if text.chars().any(|c| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E')) => match text {
            "Infinity" | "+Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => f64::NAN,
        },
        _ => text.parse().unwrap_or(f64::NAN),
    }
}

/// `String(value)`.
fn to_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64().and_then(Num::new).map(Value::from) {
            Some(Value::Number(number)) => number.to_string(),
            _ => number.to_string(),
        },
        Value::Array(items) => {
            let texts = items.iter().map(|item| if item.is_null() { String::new() } else { to_text(item) });
            texts.collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}

/// `(value ?? 0) + 1`, which joins texts.
pub(crate) fn plus_one(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            Num::new(to_number(value) + 1.0).map_or(Value::Null, Value::from)
        }
        _ => Value::String(format!("{}1", to_text(value))),
    }
}

/// `{...value}`: the members of an object, the items of a list or the characters of a text by index.
pub(crate) fn spread(value: &Value) -> Map<String, Value> {
    let by_index = |items: Vec<Value>| {
        items.into_iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
    };
    match value {
        Value::Object(members) => members.clone(),
        Value::Array(items) => by_index(items.clone()),
        Value::String(text) => by_index(text.chars().map(|c| Value::from(c.to_string())).collect()),
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_read_as_javascript_reads_them() {
        for (value, expected) in [
            (json!("2"), 2.0),
            (json!(" 0x10 "), 16.0),
            (json!(""), 0.0),
            (json!(true), 1.0),
            (json!([7]), 7.0),
            (json!([]), 0.0),
            (json!("1e3"), 1000.0),
        ] {
            assert_eq!(to_number(&value), expected, "{value}");
        }
        for value in [json!("x"), json!("nan"), json!({}), json!([1, 2]), json!("1_0"), json!([true])] {
            assert!(to_number(&value).is_nan(), "{value}");
        }
    }

    #[test]
    fn adding_one_joins_texts() {
        assert_eq!(plus_one(&json!(2)), json!(3));
        assert_eq!(plus_one(&json!(null)), json!(1));
        assert_eq!(plus_one(&json!(true)), json!(2));
        assert_eq!(plus_one(&json!("3")), json!("31"));
        assert_eq!(plus_one(&json!(["a", 2])), json!("a,21"));
        assert_eq!(plus_one(&json!({})), json!("[object Object]1"));
    }
}
