//! Files and folders that appear whole or not at all, private from the start.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use super::fault::{space, step};
use crate::base::error::{Error, Result};

const PREFIX: &str = ".clawctl-";
const SUFFIX: &str = ".tmp";

/// Replaces a file, or makes it: a temporary file in the same folder (0600, of the owner of the file
/// or else of the folder), synced, renamed, and the folder synced.
///
/// # Errors
/// The path is a symlink, or something can't be written; the old file is whole then.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    refuse_symlink(path)?;
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    sweep(folder);
    let write = || -> std::io::Result<()> {
        step("temp.create");
        let mut temp = tempfile::Builder::new()
            .prefix(PREFIX)
            .suffix(SUFFIX)
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(folder)?;
        let owner = fs::metadata(path).or_else(|_| fs::metadata(folder))?;
        keep_owner(temp.as_file(), &owner);
        step("temp.write");
        space()?;
        temp.write_all(bytes)?;
        step("temp.sync");
        space()?;
        temp.as_file().sync_all()?;
        step("rename");
        temp.persist(path).map_err(|error| error.error)?;
        step("rename.done");
        sync_folder(folder)
    };
    write().map_err(|error| Error::io("write the file", path, error))
}

/// Makes a file that isn't there yet; one that is stays as it is.
///
/// # Errors
/// It can't be made.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<()> {
    build_new(path, |temp| {
        let write = || File::options().write(true).open(temp)?.write_all(bytes);
        write().map_err(|error| Error::io("write the file", temp, error))
    })
}

/// Makes a file by writing to a temporary name first; when the name is taken meanwhile, what is there
/// stays.
///
/// # Errors
/// It can't be made, or `build` failed.
pub(crate) fn build_new(path: &Path, build: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let failed = |error| Error::io("make the file", path, error);
    sweep(folder);
    step("temp.create");
    let temp = tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(SUFFIX)
        .permissions(fs::Permissions::from_mode(0o600))
        .tempfile_in(folder)
        .map_err(failed)?;
    keep_owner(temp.as_file(), &fs::metadata(folder).map_err(failed)?);
    step("temp.build");
    space().map_err(failed)?;
    build(temp.path())?;
    step("temp.sync");
    temp.as_file().sync_all().map_err(failed)?;
    step("rename");
    match temp.persist_noclobber(path) {
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop).map_err(|error| failed(error.error)),
    }?;
    sync_folder(folder).map_err(failed)
}

/// Removes what a process that was stopped left of its temporary files: they hold credentials.
fn sweep(folder: &Path) {
    const ABANDONED: Duration = Duration::from_secs(60);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.contains(SUFFIX));
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = modified.and_then(|modified| modified.elapsed().ok());
        if ours && age.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes a file; one that isn't there is fine.
///
/// # Errors
/// It is a symlink, or can't be removed.
pub(crate) fn remove(path: &Path) -> Result<()> {
    refuse_symlink(path)?;
    step("remove");
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    match fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other.and_then(|()| sync_folder(folder)),
    }
    .map_err(|error| Error::io("remove the file", path, error))
}

/// Sets the permission bits of a file or folder.
///
/// # Errors
/// It is a symlink, or isn't the user's.
pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<()> {
    refuse_symlink(path)?;
    step("mode");
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(|error| Error::io("set the permissions of", path, error))
}

/// Makes a folder and those above it that are missing, each 0700 and of the owner of the one above.
///
/// # Errors
/// One of them can't be made.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        create_folder(parent)?;
    }
    step("folder.create");
    let make = || -> std::io::Result<()> {
        space()?;
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && path.is_dir() => return Ok(()),
            other => other?,
        }
        if let Some(parent) = path.parent() {
            keep_owner(&File::open(path)?, &fs::metadata(parent)?);
        }
        Ok(())
    };
    make().map_err(|error| Error::io("make the folder", path, error))
}

/// Makes a folder (0700) that isn't there yet.
///
/// # Errors
/// `Busy` when it is there already, `Failed` when it can't be made.
pub(crate) fn create_new_folder(path: &Path) -> Result<()> {
    step("folder.create");
    space().map_err(|error| Error::io("make the folder", path, error))?;
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(Error::busy("the folder is there already").at(path));
        }
        other => other.map_err(|error| Error::io("make the folder", path, error))?,
    }
    if let (Some(parent), Ok(folder)) = (path.parent(), File::open(path))
        && let Ok(like) = fs::metadata(parent)
    {
        keep_owner(&folder, &like);
    }
    Ok(())
}

/// Makes names in a folder last.
pub(crate) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    step("folder.sync");
    File::open(folder)?.sync_all()
}

/// An administrator who works as root mustn't leave files that the gateway's user can't read.
fn keep_owner(file: &File, like: &Metadata) {
    let differs = file.metadata().is_ok_and(|own| (own.uid(), own.gid()) != (like.uid(), like.gid()));
    if differs {
        // Only root may give files away; for everybody else the file stays the user's own.
        let _ = std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()));
    }
}

/// # Errors
/// The path is a symlink.
pub(crate) fn refuse_symlink(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        let target = fs::read_link(path).map(|target| target.display().to_string()).unwrap_or_default();
        return Err(Error::failed(format!("won't write through the symlink to {target}"))
            .at(path)
            .hint("put the file itself in its place, or change the file that it points to"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_are_replaced_whole_and_private() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a/b/file.json");
        create_folder(path.parent().unwrap()).unwrap();
        assert_eq!((mode(&temp.path().join("a")), mode(&temp.path().join("a/b"))), (0o700, 0o700));
        replace(&path, b"one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!((fs::read(&path).unwrap().as_slice(), mode(&path)), (b"two".as_slice(), 0o600));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
        create(&path, b"three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two", "a file that is there stays");
        create(&temp.path().join("new"), b"four").unwrap();
        assert_eq!(
            (fs::read(temp.path().join("new")).unwrap().as_slice(), mode(&temp.path().join("new"))),
            (b"four".as_slice(), 0o600)
        );
    }

    #[test]
    fn temporary_files_of_stopped_processes_are_removed() {
        let temp = tempfile::tempdir().unwrap();
        let names = [".clawctl-old.tmp", ".clawctl-old.tmp-journal", ".clawctl-new.tmp", "other.tmp"];
        for name in names {
            let file = File::create(temp.path().join(name)).unwrap();
            if name != ".clawctl-new.tmp" {
                file.set_modified(std::time::SystemTime::now() - Duration::from_secs(61)).unwrap();
            }
        }
        replace(&temp.path().join("x"), b"").unwrap();
        let left: Vec<bool> = names.iter().map(|name| temp.path().join(name).exists()).collect();
        assert_eq!(left, [false, false, true, true]);
    }

    #[test]
    fn symlinks_are_never_written_through() {
        let temp = tempfile::tempdir().unwrap();
        let (real, link) = (temp.path().join("real"), temp.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let error = replace(&link, b"new").unwrap_err();
        assert!(error.message.contains("symlink"), "{error}");
        assert_eq!(fs::read(&real).unwrap(), b"old");
        assert!(link.symlink_metadata().unwrap().is_symlink());
    }
}
