//! What 2026.9 records of an import in its state database: one row of `migration_sources` for each
//! source and one of `migration_runs` for each run. With them its doctor knows that the source was
//! imported, and where it went. Seen with `openclaw doctor --fix` of 2026.9.6.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::journal::{Journal, JournalSource};
use crate::base::error::{Error, Result};
use crate::base::time::Millis;
use crate::store::db::rows::{has_table, user_version};
use crate::store::db::sqlite::{self, sqlite_error};
use crate::store::document::{AGENT_STATE_ROW, AGENT_STORE_ROW, EARLY_STORE_ROW};
use crate::store::fault::{space, step};
use crate::store::files::KNOWN_STATE_SCHEMA;
use crate::store::random::{hex, uuid};
use crate::store::{Installation, atomic};

const KIND: &str = "auth-profile-json-to-sqlite-v2";

/// Whether this state database keeps receipts, and may be written.
fn keeps_receipts(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(user_version(connection)? <= KNOWN_STATE_SCHEMA
        && has_table(connection, "migration_runs")?
        && has_table(connection, "migration_sources")?)
}

/// The state database, where receipts are kept.
fn database(installation: &Installation) -> Result<Option<PathBuf>> {
    let path = installation.places.state_database();
    if path.symlink_metadata().is_err() || atomic::refuse_symlink(&path).is_err() {
        return Ok(None);
    }
    Ok(sqlite::read(&path, keeps_receipts)?.then_some(path))
}

fn source_key(path: &Path, sha256: &str) -> String {
    let text = format!("{}\0{sha256}", path.display());
    format!("auth-profile-v2:{}", hex(&Sha256::digest(text)))
}

/// Records the sources of an import that were moved. Done again, it changes nothing.
///
/// # Errors
/// `Busy` when another process holds the database.
pub(super) fn record(installation: &Installation, journal: &Journal, now: Millis) -> Result<Option<String>> {
    let moved: Vec<&JournalSource> =
        journal.sources.iter().filter(|source| source.archive.exists()).collect();
    let Some(target) = journal.database.as_ref().filter(|_| !moved.is_empty()) else { return Ok(None) };
    let Some(path) = database(installation)? else { return Ok(None) };
    let failed = |error| sqlite_error("record the import in the database", &path, error);
    let mut connection = sqlite::open_for_writing(&path).map_err(failed)?;
    step("begin");
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    if !keeps_receipts(&transaction).map_err(failed)? {
        return Ok(None);
    }
    for source in moved {
        step("row");
        space().map_err(|error| Error::io("write the database", &path, error))?;
        put(&transaction, journal, source, target, now).map_err(failed)?;
    }
    step("commit");
    space().map_err(|error| Error::io("write the database", &path, error))?;
    transaction.commit().map_err(failed)?;
    step("commit.done");
    Ok(None)
}

fn put(
    transaction: &Transaction<'_>,
    journal: &Journal,
    source: &JournalSource,
    target: &Path,
    now: Millis,
) -> rusqlite::Result<()> {
    let key = source_key(&source.path, &source.sha256);
    let done = "SELECT COUNT(*) FROM migration_sources WHERE source_key = ?1 AND status = 'completed'";
    if transaction.query_row(done, [&key], |row| row.get::<_, i64>(0))? > 0 {
        return Ok(());
    }
    let table = match (source.state, journal.shared) {
        (true, _) => AGENT_STATE_ROW.table,
        (false, true) => EARLY_STORE_ROW.table,
        (false, false) => AGENT_STORE_ROW.table,
    };
    let mut report = json!({
        "format": KIND,
        "archivePath": source.archive,
        "targetDatabasePath": target,
        "targetTable": table,
        "targetStoreKey": if journal.shared { "shared" } else { "primary" },
        "completionStatus": "completed",
    });
    if source.state {
        report["expectedStateSha256"] = journal.state_sha256.clone().into();
    } else {
        report["expectedProfileSha256"] = json!(journal.profile_sha256);
    }
    let report = report.to_string();
    let run = format!("{key}:{}", uuid().unwrap_or_else(|_| now.0.to_string()));
    transaction.execute(
        "INSERT INTO migration_runs (id, started_at, finished_at, status, report_json)
         VALUES (?1, ?2, ?3, 'completed', ?4)",
        params![run, journal.started_at.0, now.0, report],
    )?;
    transaction.execute(
        "INSERT OR REPLACE INTO migration_sources (source_key, migration_kind, source_path, target_table,
             source_sha256, source_size_bytes, source_record_count, last_run_id, status, imported_at,
             removed_source, report_json)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'completed', ?9, 1, ?10)",
        params![
            key,
            KIND,
            source.path.display().to_string(),
            table,
            source.sha256,
            i64::try_from(source.bytes).unwrap_or(i64::MAX),
            i64::try_from(source.records).unwrap_or(i64::MAX),
            run,
            now.0,
            report
        ],
    )?;
    Ok(())
}

/// A source was put back: 2026.9 must not take it for imported.
///
/// # Errors
/// `Busy` when another process holds the database.
pub(crate) fn forget(installation: &Installation, paths: &[&Path]) -> Result<()> {
    let Some(path) = database(installation)?.filter(|_| !paths.is_empty()) else { return Ok(()) };
    let failed = |error| sqlite_error("change what the database says about an import", &path, error);
    let connection = sqlite::open_for_writing(&path).map_err(failed)?;
    for source in paths {
        step("row");
        connection
            .execute(
                "UPDATE migration_sources SET status = 'superseded'
                 WHERE migration_kind = ?1 AND source_path = ?2 AND status = 'completed'",
                params![KIND, source.display().to_string()],
            )
            .map_err(failed)?;
    }
    Ok(())
}
