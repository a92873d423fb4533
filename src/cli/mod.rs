//! The command line face of the library.
//!
//! Each command reads files with the window's own loaders, says what the window would say, and writes a file or a
//! text. No rule about bones lives here: what a row means, which bone is meant and how hair moves is decided
//! below.

mod apply;
mod apply_edit;
mod check;
mod convert;
mod detect;
mod diff;
mod find_files;
mod load;
mod output;
mod params;
mod preset_args;
mod presets;
mod remap;
mod render;
mod shell;
mod simulate;
mod stdio;

use clap::{Parser, Subcommand, ValueHint};
use std::path::{Path, PathBuf};

/// Exit codes, for the help of every command.
const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  refused or failed: a file cannot be read or written, a file exists already,
     too few rows matched, or --strict or --fail-on-loss found something
  2  the command line cannot be understood";

/// Exit codes of `diff`, which are those of the program of that name.
const DIFF_EXIT_CODES: &str = "\
Exit codes:
  0  the setups are equal
  1  the setups differ
  2  refused or failed: a file cannot be read or cannot be compared, or the command line
     cannot be understood";

/// Tune the sway of hair, skirts, tails and ribbons on glTF and VRM characters, live.
///
/// Without a command, the window opens, on FILE where one is given.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, propagate_version = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// Character (.vrm, .glb, .gltf), table (.csv, .json) or project (.yure) to open in the window.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// What to do without a window.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// What the command line can do.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Read files and say what was found: characters, tables, projects, rules of remapping, presets.
    ///
    /// Characters are also held against the rules of the VRM specification. Folders are searched with all folders below
    /// them. The exit code is 0 if every file loaded, warnings allowed, and 1 if at least one was refused, or with --strict
    /// broke a rule.
    #[command(after_help = EXIT_CODES)]
    Check(check::CheckArgs),
    /// List every parameter of every solver with unit, range, default and meaning.
    Params(params::ParamsArgs),
    /// List feels with names: the built-in presets and your own, by part.
    ///
    /// `convert`, `simulate` and `render` lay them on chains with --preset. A file of your own that cannot be read is told as a
    /// warning.
    Presets(presets::ListPresetsArgs),
    /// Propose chains for what seems to sway on a character, and write them as a setup.
    ///
    /// These are the proposals of the window's Detect chains, with the same confidence. Bones that have a chain already
    /// keep it.
    #[command(after_help = EXIT_CODES)]
    Detect(detect::DetectArgs),
    /// Move a character and write what its joints do, step by step, the same bits every time.
    #[command(after_help = EXIT_CODES)]
    Simulate(simulate::SimulateArgs),
    /// Carry a table from one character's bone names to another's.
    ///
    /// The exit code is 0 if at least one row found its bone, and 1 if none did or a file was refused.
    #[command(after_help = EXIT_CODES)]
    Remap(remap::RemapArgs),
    /// Apply a table to many characters, say what matches, and write a result for each.
    ///
    /// The exit code is 0 if every character took at least --min-matched of the rows, and 1 if one did not or was refused.
    #[command(after_help = EXIT_CODES)]
    Apply(apply::ApplyArgs),
    /// Put what sways under another solver, and write it: a table, a project, or the springs into the character's file.
    ///
    /// What the other solver cannot hold is told bone by bone. Presets are laid on under the solver that the result has;
    /// with --match before that, so that the result follows what moves as they say.
    #[command(after_help = EXIT_CODES)]
    Convert(convert::ConvertArgs),
    /// Compare two setups, characters or projects, by bone and parameter.
    ///
    /// Tables are compared as what they give the character of the other side, or of --character. Two tables without a
    /// character are compared entry by entry.
    #[command(after_help = DIFF_EXIT_CODES)]
    Diff(diff::DiffArgs),
    /// Draw a character in motion into PNG files, without a window.
    #[command(after_help = EXIT_CODES)]
    Render(render::RenderArgs),
    /// Print the completions of a shell.
    Completions(shell::CompletionsArgs),
    /// Print the manual page of the program or of one command.
    Man(shell::ManArgs),
}

impl CliCommand {
    /// The exit code where [`run`] fails.
    pub const fn error_code(&self) -> u8 {
        match self {
            Self::Diff(_) => 2,
            _ => 1,
        }
    }
}

/// Does what was asked; `false` where the answer is no. `own` is the folder of
/// the artist's own presets, as the window has it.
pub fn run(command: &CliCommand, own: Option<&Path>) -> anyhow::Result<bool> {
    let done = match command {
        CliCommand::Check(args) => check::run(args),
        CliCommand::Params(args) => params::run(args),
        CliCommand::Presets(args) => presets::run(args, own),
        CliCommand::Detect(args) => detect::run(args),
        CliCommand::Simulate(args) => simulate::run(args, own),
        CliCommand::Remap(args) => remap::run(args),
        CliCommand::Apply(args) => apply::run(args),
        CliCommand::Convert(args) => convert::run(args, own),
        CliCommand::Diff(args) => diff::run(args),
        CliCommand::Render(args) => render::run(args, own),
        CliCommand::Completions(args) => shell::completions(args),
        CliCommand::Man(args) => shell::man(args),
    };
    done.inspect_err(|err| {
        // The last of its findings is the error itself.
        if let Some(output::CommandFailure(findings)) = err.downcast_ref() {
            output::print_diagnostics(&findings[..findings.len().saturating_sub(1)]);
        }
    })
}
