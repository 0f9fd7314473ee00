//! Edits of JSON text that keep every byte that isn't part of the edit.

/// A parser's complaint without any text of the document (which may be a secret).
pub(crate) fn shape_error(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}
