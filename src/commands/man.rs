//! `clawctl man [DIR]`: manual pages made from the same definition as the parser.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use clap_mangen::Man as Page;

use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::commands::context::Context;

/// `man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl man | man -l -
  clawctl man ~/.local/share/man/man1")]
pub struct Man {
    /// Folder to write the pages into
    #[arg(value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

pub(crate) fn run(
    context: &mut Context<'_, '_>,
    args: &Man,
    root: clap::Command,
) -> anyhow::Result<ExitStatus> {
    let pages = pages(root)?;
    let Some(dir) = &args.dir else {
        for (name, page) in &pages {
            if name == "clawctl.1" {
                context.ui.out().write_all(page)?;
            }
        }
        return Ok(ExitStatus::Ok);
    };
    let dir = context.path(dir);
    fs::create_dir_all(&dir).map_err(|error| Error::io("create the folder", &dir, error))?;
    for (name, page) in &pages {
        write_page(&dir.join(name), page)?;
    }
    context.ui.note(format!("wrote {} pages to {}", pages.len(), dir.display()));
    Ok(ExitStatus::Ok)
}

fn write_page(path: &Path, page: &[u8]) -> Result<(), Error> {
    fs::write(path, page).map_err(|error| Error::io("write the page", path, error))
}

/// File name and roff text of every page: `clawctl.1`, `clawctl-auth-list.1`, ...
///
/// # Errors
/// Writing to memory failed.
pub fn pages(root: clap::Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut root = root.disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    add(&root, &mut pages)?;
    Ok(pages)
}

fn add(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    let page = Page::new(command.clone()).source(concat!("clawctl ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text)?;
    pages.push((page.get_filename(), text));
    command.get_subcommands().filter(|sub| !sub.is_hide_set()).try_for_each(|sub| add(sub, pages))
}
