//! Floor 7: the command line face of the library.
//!
//! Each command reads files with the window's own loaders, says what the window would say, and writes a file or a
//! text. No rule about bones lives here: what a row means, which bone is meant and how hair moves is decided
//! below. Exit codes: 0 done, 1 refused or not good enough, 2 (by clap) a command line that cannot be understood.

mod apply;
mod check;
mod convert;
mod dress;
mod load;
mod output;
mod params;
mod presets;
mod remap;
mod render;
mod simulate;

use clap::{Parser, Subcommand, ValueHint};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Tune the sway of hair, skirts, tails and ribbons on glTF and VRM characters, live.
///
/// Without a command, the window opens, on FILE where one is given.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, propagate_version = true)]
pub struct Cli {
    /// Character (.vrm, .glb, .gltf), table (.csv, .json) or project (.yure) to open in the window.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// What to do without a window.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What the command line can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read files and say what was found: characters, tables, projects, rules of remapping, presets.
    ///
    /// Characters are also held against the rules of the VRM specification. Exit code 0: every file loaded, warnings
    /// allowed; 1: at least one was refused, or with --strict broke a rule.
    Check(check::Args),
    /// List every parameter of every solver with unit, range, default and meaning.
    Params(params::Args),
    /// List feels with names: the built-in presets and your own, by part.
    ///
    /// `convert`, `simulate` and `render` lay them on chains with --preset. A file of your own that cannot be read is told as a
    /// warning.
    Presets(presets::Args),
    /// Move a character and write what its joints do, step by step, the same bits every time.
    Simulate(simulate::Args),
    /// Carry a table from one character's bone names to another's.
    ///
    /// Exit code 0: at least one row found its bone; 1: none did, or a file was refused.
    Remap(remap::Args),
    /// Try a table on many characters and say what matches.
    ///
    /// Exit code 0: every character took at least --min-matched of the rows; 1: one did not, or was refused.
    Apply(apply::Args),
    /// Put what sways under another solver, and write it: a table, a project, or the springs into the character's file.
    ///
    /// What the other solver cannot hold is told bone by bone. Presets are laid on under the solver that the result has;
    /// with --match before that, so that the result follows what moves as they say.
    Convert(convert::Args),
    /// Draw a character in motion into PNG files, without a window.
    Render(render::Args),
}

/// Does what was asked; `false` where the answer is no. A reader that stops listening is no error. `own` is the folder of
/// the artist's own presets, as the window has it.
pub fn run(command: &Command, own: Option<&Path>) -> anyhow::Result<bool> {
    let done = match command {
        Command::Check(args) => check::run(args),
        Command::Params(args) => params::run(args),
        Command::Presets(args) => presets::run(args, own),
        Command::Simulate(args) => simulate::run(args, own),
        Command::Remap(args) => remap::run(args),
        Command::Apply(args) => apply::run(args),
        Command::Convert(args) => convert::run(args, own),
        Command::Render(args) => render::run(args, own),
    };
    match done {
        Err(err) if is_closed_pipe(&err) => Ok(true),
        done => done,
    }
}

fn is_closed_pipe(err: &anyhow::Error) -> bool {
    err.downcast_ref::<std::io::Error>().is_some_and(|err| err.kind() == ErrorKind::BrokenPipe)
}
