//! Rows of OpenClaw's databases, read with SQLite.

use rusqlite::{Connection, OptionalExtension};

use crate::base::time::Millis;
use crate::store::document::Row;

/// What a database says about itself, and the rows that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// `PRAGMA user_version`.
    pub version: i64,
    /// `app_version` and `agent_id` of `schema_meta`, row `primary`.
    pub meta: Option<(Option<String>, Option<String>)>,
    /// Whether the table of each row is there.
    pub tables: Vec<bool>,
    /// Text and time of each row.
    pub rows: Vec<Option<(String, Option<Millis>)>>,
}

pub(crate) fn find_with_sqlite(connection: &Connection, wanted: &[Row]) -> rusqlite::Result<Found> {
    let mut found = Found {
        version: user_version(connection)?,
        meta: schema_meta(connection)?,
        tables: Vec::with_capacity(wanted.len()),
        rows: Vec::with_capacity(wanted.len()),
    };
    for row in wanted {
        found.tables.push(has_table(connection, row.table)?);
        found.rows.push(row.read(connection)?);
    }
    Ok(found)
}

impl Row {
    /// The row's text and time; `None` when there is no such row or table.
    pub(crate) fn read(&self, connection: &Connection) -> rusqlite::Result<Option<(String, Option<Millis>)>> {
        if !has_table(connection, self.table)? {
            return Ok(None);
        }
        let [key, json, updated] = self.columns();
        let sql = format!("SELECT {json}, {updated} FROM {} WHERE {key} = ?1", self.table);
        connection
            .query_row(&sql, [self.key], |row| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?.map(Millis))))
            .optional()
    }
}

pub(crate) fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection
        .query_row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", [name], |_| Ok(()))
        .optional()
        .map(|found| found.is_some())
}

pub(crate) fn user_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// `app_version` and `agent_id` of the row `primary`.
pub(crate) fn schema_meta(
    connection: &Connection,
) -> rusqlite::Result<Option<(Option<String>, Option<String>)>> {
    if !has_table(connection, "schema_meta")? {
        return Ok(None);
    }
    connection
        .query_row("SELECT app_version, agent_id FROM schema_meta WHERE meta_key = 'primary'", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()
}
