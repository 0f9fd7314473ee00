//! OpenClaw's own file lock, as the releases with JSON stores (to 2026.5) take it.
//!
//! Facts, from 2026.3.13 and 2026.5.7: the lock of `auth-profiles.json` covers `auth-state.json` too.
//! It is the file `<real folder>/<name>.lock`, made with `O_EXCL`, holding `{"pid", "createdAt"}`.
//! A release removes a lock whose process is dead (or a zombie), or that is older than 30 s by its
//! `createdAt` or, when that can't be read, by the file's time. So does this; it also says so.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

use super::db::sqlite::{BUSY_TIMEOUT, beside};
use super::fault::{space, step};
use crate::base::error::{Error, Result};

/// After this time a release takes any lock for abandoned.
const STALE_AFTER: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    pid: i32,
    created_at: String,
}

/// A lock held by this process, given back when dropped.
#[derive(Debug)]
pub(crate) struct FileLock {
    path: PathBuf,
    text: String,
    /// What was said about an abandoned lock that had to be removed.
    pub broken: Option<String>,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Only while it is still ours: after 30 s another process may have taken it over.
        if fs::read_to_string(&self.path).is_ok_and(|text| text == self.text) {
            step("lock.remove");
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Takes the lock of a file; its folder must exist.
///
/// # Errors
/// `Busy` (exit 4), naming the process, when a live process keeps it for 5 s.
pub(crate) fn acquire(file: &Path) -> Result<FileLock> {
    acquire_within(file, BUSY_TIMEOUT)
}

fn acquire_within(file: &Path, timeout: Duration) -> Result<FileLock> {
    let folder = file.parent().unwrap_or_else(|| Path::new("."));
    let real =
        fs::canonicalize(folder).map_err(|error| Error::io("lock a file in the folder", folder, error))?;
    let path = beside(&real.join(file.file_name().unwrap_or_default()), ".lock");
    let started = Instant::now();
    let mut broken = None;
    loop {
        // The machine's clock, not the run's: other processes compare with theirs.
        let created_at = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let pid = i32::try_from(std::process::id()).unwrap_or_default();
        let text = serde_json::to_string_pretty(&Owner { pid, created_at }).unwrap_or_default();
        step("lock.create");
        match File::options().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut lock) => {
                let held = FileLock { path: path.clone(), text, broken };
                if let Err(error) = space().and_then(|()| lock.write_all(held.text.as_bytes())) {
                    // A lock without its owner's name would be in everybody's way for 30 s.
                    let _ = fs::remove_file(&path);
                    return Err(Error::io("write the lock file", &path, error));
                }
                step("lock.create.done");
                return Ok(held);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io("make the lock file", &path, error)),
        }
        let state = look(&path);
        if let State::Abandoned { why, text } = &state {
            if take_away(&path, text) {
                broken = Some(format!("removed the abandoned lock {} ({why})", path.display()));
            }
            continue;
        }
        if started.elapsed() >= timeout {
            let owner = match state {
                State::Held { pid: Some(pid) } => format!("the process {pid}"),
                _ => "another process".to_owned(),
            };
            return Err(Error::busy(format!("{owner} holds the lock of {}", file.display()))
                .at(&path)
                .hint("try again; a lock older than 30 s counts as abandoned"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

enum State {
    Gone,
    Held { pid: Option<i32> },
    Abandoned { why: String, text: String },
}

fn look(path: &Path) -> State {
    let Ok(text) = fs::read_to_string(path) else {
        return if path.symlink_metadata().is_err() { State::Gone } else { State::Held { pid: None } };
    };
    let owner: Option<Owner> = serde_json::from_str(&text).ok();
    if let Some(owner) = &owner {
        if !is_alive(owner.pid) {
            return State::Abandoned { why: format!("its process {} is gone", owner.pid), text };
        }
        let age = DateTime::parse_from_rfc3339(&owner.created_at)
            .map(|created| Utc::now().signed_duration_since(created).num_milliseconds());
        if age.is_err() || age.is_ok_and(|age| age > 30_000) {
            return State::Abandoned { why: format!("process {} took it over 30 s ago", owner.pid), text };
        }
    }
    let age = fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
        .and_then(|modified| SystemTime::now().duration_since(modified).ok());
    if age.is_some_and(|age| age > STALE_AFTER) {
        return State::Abandoned { why: "it is older than 30 s".to_owned(), text };
    }
    State::Held { pid: owner.map(|owner| owner.pid) }
}

/// Why a lock file is abandoned; `None` while its process lives, or when it isn't there.
pub(crate) fn abandoned(path: &Path) -> Option<String> {
    match look(path) {
        State::Abandoned { why, .. } => Some(why),
        _ => None,
    }
}

/// Removes a lock file, if it is still abandoned.
///
/// # Errors
/// `Busy` when a process holds it now.
pub(crate) fn remove_abandoned(path: &Path) -> Result<()> {
    match look(path) {
        State::Gone => Ok(()),
        State::Abandoned { text, .. } if take_away(path, &text) => Ok(()),
        _ => Err(Error::busy("a process holds this lock now").at(path).hint("try again")),
    }
}

/// A process of another user is alive too. A zombie isn't, as for the releases.
fn is_alive(pid: i32) -> bool {
    let Some(pid) = Pid::from_raw(pid).filter(|pid| pid.as_raw_nonzero().get() > 0) else { return false };
    if test_kill_process(pid).is_err_and(|error| error == rustix::io::Errno::SRCH) {
        return false;
    }
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap_or_default();
    !status.lines().any(|line| line.strip_prefix("State:").is_some_and(|state| state.trim().starts_with('Z')))
}

/// Removes an abandoned lock, but never a fresh one that somebody else made in its place meanwhile:
/// it is moved away first and looked at again.
fn take_away(path: &Path, text: &str) -> bool {
    let aside = beside(path, &format!(".{}", std::process::id()));
    step("lock.break");
    if fs::rename(path, &aside).is_err() {
        return false;
    }
    let expected = fs::read_to_string(&aside).is_ok_and(|moved| moved == text);
    if !expected {
        let _ = fs::hard_link(&aside, path);
    }
    let _ = fs::remove_file(&aside);
    expected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_lock(path: &Path, pid: u32, created_at: &str) {
        fs::write(path, format!("{{\n  \"pid\": {pid},\n  \"createdAt\": \"{created_at}\"\n}}")).unwrap();
    }

    #[test]
    fn a_lock_is_taken_honoured_and_given_back() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("auth-profiles.json");
        let lock = temp.path().join("auth-profiles.json.lock");
        let held = acquire(&file).unwrap();
        let owner: Owner = serde_json::from_str(&fs::read_to_string(&lock).unwrap()).unwrap();
        assert_eq!(owner.pid, i32::try_from(std::process::id()).unwrap());
        assert!(owner.created_at.ends_with('Z'), "as Date.toISOString");
        let error = acquire_within(&file, Duration::from_millis(60)).unwrap_err();
        assert_eq!(error.kind, crate::base::error::ErrorKind::Busy);
        assert!(error.message.contains(&std::process::id().to_string()), "{error}");
        drop(held);
        assert!(!lock.exists());
        assert!(acquire(&file).unwrap().broken.is_none());
    }

    #[test]
    fn an_abandoned_lock_is_removed_and_said() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("auth-profiles.json");
        let lock = temp.path().join("auth-profiles.json.lock");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let gone = child.id();
        child.wait().unwrap();
        let now = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        write_lock(&lock, gone, &now);
        let held = acquire_within(&file, Duration::ZERO).unwrap();
        assert!(held.broken.as_ref().is_some_and(|text| text.contains("is gone")), "{held:?}");
        drop(held);
        write_lock(&lock, std::process::id(), "2026-01-01T00:00:00.000Z");
        assert!(acquire_within(&file, Duration::ZERO).unwrap().broken.is_some());
        write_lock(&lock, std::process::id(), &now);
        assert!(acquire_within(&file, Duration::ZERO).is_err());
        fs::write(&lock, "half a lo").unwrap();
        assert!(acquire_within(&file, Duration::ZERO).is_err(), "a lock that is being written");
        let old = SystemTime::now() - Duration::from_secs(31);
        File::options().write(true).open(&lock).unwrap().set_modified(old).unwrap();
        assert!(acquire_within(&file, Duration::ZERO).is_ok());
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0, "nothing is left behind");
    }

    #[test]
    fn a_fresh_lock_in_the_place_of_an_abandoned_one_stays() {
        let temp = tempfile::tempdir().unwrap();
        let lock = temp.path().join("x.lock");
        fs::write(&lock, "fresh").unwrap();
        assert!(!take_away(&lock, "abandoned"));
        assert_eq!(fs::read_to_string(&lock).unwrap(), "fresh");
    }
}
