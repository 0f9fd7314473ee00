//! Opening SQLite databases: for reading, so that nothing on disk changes; for writing, inside of one
//! immediate transaction.
//!
//! The few rows that lists need are read by [`super::pages`], without SQLite. What it leaves open comes
//! here. Every database of OpenClaw is in WAL mode. Opening one with `mode=ro` alone makes `-shm` and
//! `-wal` files, and fails in a folder that can't be written. So, as measured:
//!
//! - No `-wal` with content: `immutable=1`, which makes nothing and takes no lock. Pages of the
//!   database change under such a reader only when another process writes a WAL and copies it back
//!   meanwhile; size, times and inode of both files tell, and then the read is done again.
//! - A `-wal` with content and a `-shm`: `mode=ro` with `readonly_shm=1`. SQLite then maps the `-shm`
//!   without writing and meets a live writer by the usual locks; when no process is alive it builds
//!   its index of the WAL in memory. A shared lock on the database, taken before looking for the
//!   `-wal`, keeps the last writer from removing it in between (SQLite would make a new one). For root
//!   SQLite sets the owner of `-wal` and `-shm` to what it is already, which touches their ctime alone.
//! - A `-wal` with content that can't be opened that way (no `-shm`, not readable): database and WAL
//!   are copied into a private temporary folder and read there.
//! - Not in WAL mode: `mode=ro` with SQLite's own locks; a journal that a dead process left is
//!   rolled back in a copy.

use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::FlockOperation;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::pages;
use super::rows::{Found, find_with_sqlite};
use crate::base::error::{Error, Result};
use crate::store::document::Row;
use crate::store::files::refuse_special;

/// How long another process may hold the database before this is "busy"; the releases wait as long.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Below this age a file's time of change may not show a second change yet (kernels stamp by tick).
const STAMP_GRAIN: Duration = Duration::from_millis(20);

/// A WAL of at most its header holds no page.
const WAL_HEADER: u64 = 32;

/// What tells whether a file was changed between two looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from(&metadata))
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// How one attempt to read ended.
enum Attempt<T> {
    Done(T),
    /// Another process changed the files meanwhile.
    Again,
    /// SQLite can't read it in place without writing.
    CopyAside,
}

/// Reads these rows without a trace, by the shortest way.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_rows(path: &Path, wanted: &[Row]) -> Result<Found> {
    refuse_special(path)?;
    // Twice, for the gateway that happened to write just then.
    for _ in 0..2 {
        if let Some(found) = steadily(path, |file, log| pages::find(file, log, wanted)) {
            return Ok(found);
        }
    }
    read(path, |connection| find_with_sqlite(connection, wanted))
}

/// Gives a database in WAL mode and its log to a reader; no answer when one of them changed meanwhile.
fn steadily<T>(path: &Path, read: impl FnOnce(&File, Option<&File>) -> Option<T>) -> Option<T> {
    let real = fs::canonicalize(path).ok()?;
    let file = File::open(&real).ok()?;
    if !wal_mode(&file).ok()? {
        return None;
    }
    let wal = beside(&real, "-wal");
    let stamps = || (Stamp::of(&real), Stamp::of(&wal));
    let before = stamps();
    before.0.iter().chain(&before.1).for_each(wait_for_grain);
    let log = if has_wal(&real) { Some(File::open(&wal).ok()?) } else { None };
    let answer = read(&file, log.as_ref())?;
    (stamps() == before && before.0.is_some()).then_some(answer)
}

/// Reads a database without a trace: `work` runs in one read transaction, perhaps several times.
///
/// # Errors
/// `Nothing` when there is no file, `Damaged` when it is no database, `Busy` when other processes
/// kept changing or holding it, `Failed` otherwise.
pub(crate) fn read<T>(path: &Path, mut work: impl FnMut(&Connection) -> rusqlite::Result<T>) -> Result<T> {
    refuse_special(path)?;
    let real = fs::canonicalize(path).map_err(|error| Error::io("open the database", path, error))?;
    let started = Instant::now();
    let mut copies = 0;
    loop {
        let attempt = match read_in_place(&real, &mut work) {
            Ok(Attempt::CopyAside) => {
                copies += 1;
                read_copy(&real, &mut work)
            }
            other => other,
        };
        match attempt {
            Ok(Attempt::Done(value)) => return Ok(value),
            Ok(_) => {}
            Err(error) => return Err(error_of(error, path)),
        }
        if started.elapsed() > BUSY_TIMEOUT || copies > 20 {
            return Err(Error::busy("the database is in use, it kept changing while it was read")
                .at(path)
                .hint("try again"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn read_in_place<T>(
    real: &Path,
    work: &mut impl FnMut(&Connection) -> rusqlite::Result<T>,
) -> Result<Attempt<T>, Failure> {
    let file = File::open(real)?;
    let before = Stamp::from(&file.metadata()?);
    if wal_mode(&file)? && !has_wal(real) {
        wait_for_grain(&before);
        let connection = open(&uri(real, "mode=ro&immutable=1"), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let result = in_transaction(&connection, work);
        drop(connection);
        let unchanged = !has_wal(real) && Stamp::of(real) == Some(before);
        return if unchanged { Ok(Attempt::Done(result?)) } else { Ok(Attempt::Again) };
    }

    // Kept until SQLite has closed: closing any descriptor of a file drops all locks of a process.
    if rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockShared)
        .is_err_and(|error| error == rustix::io::Errno::AGAIN || error == rustix::io::Errno::ACCESS)
    {
        return Ok(Attempt::Again);
    }
    let wal = wal_mode(&file)?;
    if wal && !has_wal(real) {
        return Ok(Attempt::Again);
    }
    if wal && File::open(beside(real, "-shm")).is_err() {
        return Ok(Attempt::CopyAside);
    }
    let result = open(&uri(real, "mode=ro&readonly_shm=1"), OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|connection| in_transaction(&connection, work));
    drop(file);
    match result {
        Ok(value) => Ok(Attempt::Done(value)),
        Err(rusqlite::Error::SqliteFailure(error, _))
            if matches!(
                error.code,
                ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied
            ) =>
        {
            Ok(Attempt::CopyAside)
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads a copy of database and WAL (or journal) in a private folder.
fn read_copy<T>(
    real: &Path,
    work: &mut impl FnMut(&Connection) -> rusqlite::Result<T>,
) -> Result<Attempt<T>, Failure> {
    let private = fs::Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().prefix("clawctl-").permissions(private).tempdir()?;
    let copy = folder.path().join("copy.sqlite");
    let sides = ["-wal", "-journal"];
    let stamps = || (Stamp::of(real), sides.map(|side| Stamp::of(&beside(real, side))));
    let before = stamps();
    before.0.iter().chain(before.1.iter().flatten()).for_each(wait_for_grain);
    copy_private(real, &copy)?;
    for side in sides {
        if beside(real, side).exists() {
            copy_private(&beside(real, side), &beside(&copy, side))?;
        }
    }
    if stamps() != before {
        return Ok(Attempt::Again);
    }
    let connection = open(&uri(&copy, "mode=rw"), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let result = in_transaction(&connection, work);
    drop(connection);
    Ok(Attempt::Done(result?))
}

fn copy_private(from: &Path, to: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut target = File::options().write(true).create_new(true).mode(0o600).open(to)?;
    std::io::copy(&mut File::open(from)?, &mut target)?;
    Ok(())
}

fn in_transaction<T>(
    connection: &Connection,
    work: &mut impl FnMut(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.unchecked_transaction()?;
    let result = work(&transaction)?;
    transaction.rollback()?;
    Ok(result)
}

fn open(uri: &OsString, access: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(Path::new(uri), flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Opens a database that exists for writing.
///
/// # Errors
/// As SQLite's.
pub(crate) fn open_for_writing(path: &Path) -> rusqlite::Result<Connection> {
    open(&uri(path, "mode=rw"), OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// A file name as SQLite's URI: every byte but the plain ones as `%XX`.
fn uri(path: &Path, parameters: &str) -> OsString {
    use std::fmt::Write as _;
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.') {
            uri.push(char::from(*byte));
        } else {
            let _ = write!(uri, "%{byte:02x}");
        }
    }
    uri.push('?');
    uri.push_str(parameters);
    uri.into()
}

/// `path` with something added to its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether a `-wal` with pages lies beside the database.
pub(crate) fn has_wal(real: &Path) -> bool {
    fs::metadata(beside(real, "-wal")).is_ok_and(|wal| wal.len() > WAL_HEADER)
}

/// Whether the header says WAL (bytes 18 and 19 are 2). An empty file is a database without pages,
/// which reads best as an immutable one.
fn wal_mode(file: &File) -> std::io::Result<bool> {
    let mut versions = [0; 2];
    match file.read_exact_at(&mut versions, 18) {
        Ok(()) => Ok(versions == [2, 2]),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(true),
        Err(error) => Err(error),
    }
}

fn wait_for_grain(stamp: &Stamp) {
    let nanos = u32::try_from(stamp.modified.1).unwrap_or(0);
    let modified = u64::try_from(stamp.modified.0)
        .ok()
        .and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos)));
    if let Some(age) = modified.and_then(|modified| modified.elapsed().ok())
        && age < STAMP_GRAIN
    {
        std::thread::sleep(STAMP_GRAIN - age);
    }
}

/// What can go wrong on the way.
#[derive(Debug)]
pub(crate) enum Failure {
    Io(std::io::Error),
    Sqlite(rusqlite::Error),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn error_of(failure: Failure, path: &Path) -> Error {
    match failure {
        Failure::Io(error) => Error::io("read the database", path, error),
        Failure::Sqlite(error) => sqlite_error("read the database", path, error),
    }
}

/// An SQLite error as the user sees it.
pub(crate) fn sqlite_error(action: &str, path: &Path, error: rusqlite::Error) -> Error {
    let code = error.sqlite_error_code();
    let result = match code {
        Some(ErrorCode::NotADatabase) => Error::damaged("this file is not a database"),
        Some(ErrorCode::DatabaseCorrupt) => Error::damaged("the database is damaged"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::busy("another process holds the database").hint("try again")
        }
        _ => Error::failed(format!("can't {action}")),
    };
    let result = result.at(path);
    // SQLite's messages name tables and columns, never values.
    if matches!(code, Some(ErrorCode::NotADatabase)) { result } else { result.caused_by(error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{Home, agent_database};

    fn database() -> (Home, PathBuf) {
        let home = Home::new();
        let dir = home.path("agents/main/agent");
        agent_database(&dir, "main", Some("{}"), None);
        (home, dir.join("openclaw-agent.sqlite"))
    }

    fn write(path: &Path, text: &str, then: &str) {
        let writer = Connection::open(path).unwrap();
        writer.execute("UPDATE auth_profile_store SET store_json = ?1", [text]).unwrap();
        writer.execute_batch(then).unwrap();
    }

    fn store(connection: &Connection) -> rusqlite::Result<String> {
        connection.query_row("SELECT store_json FROM auth_profile_store", [], |row| row.get(0))
    }

    /// Also when the write is over, copied back and gone before the second look, and in the same tick
    /// of the file system's clock as the one before.
    #[test]
    fn a_write_between_the_looks_is_noticed() {
        let (_home, path) = database();
        for round in 0..20 {
            write(&path, &format!("{{\"before\":{round}}}"), "");
            let torn = steadily(&path, |_, _| {
                write(&path, &format!("{{\"during\":{round}}}"), "");
                Some(())
            });
            assert_eq!(torn, None);
        }
        assert_eq!(steadily(&path, |_, _| Some(())), Some(()));

        let mut runs = 0;
        let text = read(&path, |connection| {
            let text = store(connection)?;
            runs += 1;
            if runs == 1 {
                write(&path, "{\"later\":1}", "");
            }
            Ok(text)
        });
        assert_eq!((text.unwrap().as_str(), runs), ("{\"later\":1}", 2));
    }

    #[test]
    fn a_growing_log_is_noticed() {
        let (_home, path) = database();
        let holder = Connection::open(&path).unwrap();
        holder.execute("UPDATE auth_profile_store SET updated_at = 2", []).unwrap();
        let torn = steadily(&path, |_, log| {
            assert!(log.is_some());
            holder.execute("UPDATE auth_profile_store SET updated_at = 3", []).unwrap();
            Some(())
        });
        assert_eq!(torn, None);
    }

    #[test]
    fn names_with_any_byte_are_opened() {
        let home = Home::new();
        let dir = home.path("a b%20?mode=rw#é");
        agent_database(&dir, "main", Some("{}"), None);
        let path = dir.join("openclaw-agent.sqlite");
        assert_eq!(read(&path, store).unwrap(), "{}");
        assert_eq!(open_for_writing(&path).and_then(|connection| store(&connection)).unwrap(), "{}");
    }

    #[test]
    fn a_database_in_rollback_mode_and_what_a_dead_process_left_of_its_journal() {
        let (home, path) = database();
        write(&path, "{}", "PRAGMA journal_mode = DELETE");
        assert_eq!(read(&path, store).unwrap(), "{}");
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE").unwrap();
        let long = "x".repeat(200_000);
        writer.execute("UPDATE auth_profile_store SET store_json = ?1", [&long]).unwrap();
        writer.execute_batch("CREATE TABLE more AS SELECT * FROM auth_profile_store").unwrap();
        let crashed = home.path("crashed");
        fs::create_dir(&crashed).unwrap();
        for side in ["", "-journal"] {
            fs::copy(beside(&path, side), beside(&crashed.join("x.sqlite"), side)).unwrap();
        }
        drop(writer);
        let before = home.tree();
        assert_eq!(read(&crashed.join("x.sqlite"), store).unwrap(), "{}");
        assert_eq!(home.tree(), before);
    }
}
