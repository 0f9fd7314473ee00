//! Files and folders that appear whole or not at all, private from the start.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use super::fault::step;
use crate::error::{Error, Result};

/// Replaces a file, or makes it: a temporary file in the same folder (0600, of the owner of the file
/// or else of the folder), synced, renamed, and the folder synced.
///
/// # Errors
/// The path is a symlink, or something can't be written; the old file is whole then.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    refuse_symlink(path)?;
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let write = || -> std::io::Result<()> {
        step("temp.create");
        let mut temp = tempfile::Builder::new()
            .prefix(".clawctl-")
            .suffix(".tmp")
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(folder)?;
        let owner = fs::metadata(path).or_else(|_| fs::metadata(folder))?;
        keep_owner(temp.as_file(), &owner);
        step("temp.write");
        temp.write_all(bytes)?;
        step("temp.sync");
        temp.as_file().sync_all()?;
        step("rename");
        temp.persist(path).map_err(|error| error.error)?;
        step("rename.done");
        sync_folder(folder)
    };
    write().map_err(|error| Error::io("write the file", path, error))
}

/// Makes a file that isn't there yet (0600), synced.
///
/// # Errors
/// It is there already, or can't be written.
pub(crate) fn create_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let write = || -> std::io::Result<()> {
        step("create");
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
        keep_owner(&file, &fs::metadata(folder)?);
        step("create.write");
        file.write_all(bytes)?;
        step("create.sync");
        file.sync_all()?;
        sync_folder(folder)
    };
    write().map_err(|error| Error::io("write the file", path, error))
}

/// Makes a file by writing to a temporary name first; when the name is taken meanwhile, what is there
/// stays.
///
/// # Errors
/// It can't be made, or `build` failed.
pub(crate) fn build_new(path: &Path, build: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let failed = |error| Error::io("make the file", path, error);
    step("temp.create");
    let temp = tempfile::Builder::new()
        .prefix(".clawctl-")
        .suffix(".tmp")
        .permissions(fs::Permissions::from_mode(0o600))
        .tempfile_in(folder)
        .map_err(failed)?;
    keep_owner(temp.as_file(), &fs::metadata(folder).map_err(failed)?);
    step("temp.build");
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
        assert!(create_new(&path, b"three").is_err());
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
