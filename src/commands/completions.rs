//! `clawctl completions SHELL`: a script that asks the binary itself, so that profile ids,
//! providers and agents complete too.

use anyhow::anyhow;
use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;

use crate::base::exit::ExitStatus;
use crate::commands::context::Context;

/// `completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl completions bash > ~/.local/share/bash-completion/completions/clawctl
  clawctl completions fish > ~/.config/fish/completions/clawctl.fish
  clawctl completions zsh  > \"${fpath[1]}/_clawctl\"")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &Completions) -> anyhow::Result<ExitStatus> {
    context.ui.out().write_all(&script(args.shell)?)?;
    Ok(ExitStatus::Ok)
}

/// The completion script of one shell.
///
/// # Errors
/// The shell has no such script.
pub fn script(shell: clap_complete::Shell) -> anyhow::Result<Vec<u8>> {
    if shell == clap_complete::Shell::Bash {
        return Ok(BASH.as_bytes().to_vec());
    }
    let name = shell.to_string();
    let shells = Shells::builtins();
    let completer =
        shells.completer(&name).ok_or_else(|| anyhow!("{name} can't be asked for completions"))?;
    let mut script = Vec::new();
    completer.write_registration("COMPLETE", "clawctl", "clawctl", "clawctl", &mut script)?;
    Ok(script)
}

/// bash splits words at colons, which profile ids have, so the line is split anew here, and what
/// stands before the last colon is taken off the candidates again.
const BASH: &str = r#"_clawctl() {
    local line="${COMP_LINE:0:COMP_POINT}" words current prefix candidate
    read -r -a words <<< "$line"
    [[ -z "$line" || "$line" == *[[:space:]] ]] && words+=("")
    current="${words[${#words[@]} - 1]}"
    prefix=""
    if [[ "$current" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        prefix="${current%"${current##*:}"}"
    fi
    COMPREPLY=()
    while IFS= read -r -d $'\013' candidate || [[ -n "$candidate" ]]; do
        [[ -n "$candidate" ]] && COMPREPLY+=("${candidate#"$prefix"}")
    done < <(
        _CLAP_IFS=$'\013' \
        _CLAP_COMPLETE_INDEX="$((${#words[@]} - 1))" \
        _CLAP_COMPLETE_COMP_TYPE="${COMP_TYPE:-9}" \
        _CLAP_COMPLETE_SPACE=true \
        COMPLETE=bash \
        clawctl -- "${words[@]}" 2>/dev/null
    )
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[=/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o bashdefault -o nosort -F _clawctl clawctl 2>/dev/null || complete -o bashdefault -F _clawctl clawctl
"#;
