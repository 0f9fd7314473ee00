//! The JSON layout, version 1. Every document is `{"version": 1, ...}`; times come in ms with an
//! RFC 3339 twin (`cooldownUntil` beside `cooldownUntilIso`). The layout is API: it only grows.

pub mod v1;

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::base::error::Error;
use crate::base::time::Millis;

use super::when;

/// The layout's version.
pub const VERSION: u32 = 1;

/// Writes one document, pretty-printed.
///
/// # Errors
/// The writer failed.
pub fn write(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// Adds `name` in ms and `nameIso`.
pub fn put_time(object: &mut Map<String, Value>, name: &str, time: Option<Millis>) {
    if let Some(time) = time {
        object.insert(name.to_owned(), time.0.into());
        object.insert(format!("{name}Iso"), when::iso(time).into());
    }
}

/// The JSON form of an error: what stands under `error` on stderr.
#[must_use]
pub fn error(error: &Error) -> Value {
    let mut body = Map::new();
    body.insert("kind".into(), error.kind.name().into());
    body.insert("message".into(), error.message.as_str().into());
    if let Some(place) = &error.place {
        if let Some(path) = &place.path {
            body.insert("path".into(), path.display().to_string().into());
        }
        if let Some((line, column)) = place.line_column {
            body.insert("line".into(), line.into());
            body.insert("column".into(), column.into());
        }
        if let Some(json_path) = &place.json_path {
            body.insert("jsonPath".into(), json_path.as_str().into());
        }
    }
    if let Some(source) = &error.source {
        body.insert("cause".into(), source.to_string().into());
    }
    body.insert("hints".into(), error.hints.clone().into());
    body.insert("exitStatus".into(), error.kind.status().code().into());
    Value::Object(body)
}
