//! The command line.
//!
//! Each command reads files with the same loaders as the window, prints the findings that the window would show, and
//! writes files or text. The lower layers contain the rules about bones and parameters.

mod apply;
mod bake;
mod batch;
mod check;
mod clipping;
mod convert;
mod detect;
mod diff;
mod doctor;
mod file_jobs;
mod finding_gate;
mod help;
mod input;
mod live_steps;
mod load;
mod options;
mod ordered_pipeline;
mod output;
mod params;
mod preset_args;
mod presets;
mod recover;
mod remap;
mod render;
mod report_schema;
mod simulate;
mod simulated_character;
mod simulation_args;

use crate::ui::kit::i18n::Lang;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Parser, Subcommand, ValueHint};
use output::{LossOptions, RunReport, WriteOptions, failure};
pub use output::{error_text, print_error};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use yuremono_format::preset_folder;
use yuremono_format::recovery::store;
use yuremono_format::source::remove_unfinished_files;
use yuremono_sim::diagnostics::{excerpt, message};

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  refused or failed: a file cannot be read or written, a file exists already,
     too few rows matched, or --strict, --fail-on or --fail-on-loss found something
  2  the command line has an error";

/// Follows the exit codes of the POSIX `diff` command.
const DIFF_EXIT_CODES: &str = "\
Exit codes:
  0  the setups are equal
  1  the setups differ
  2  refused or failed: a file cannot be read or compared, or the command line has an error";

/// Tune the secondary motion of hair, skirts, tails and ribbons on VRM, glTF and FBX characters, live.
///
/// Without a command, the window opens.
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    override_usage = "yuremono [OPTIONS] [FILE]\n       yuremono [OPTIONS] <COMMAND>",
    after_help = EXIT_CODES
)]
pub struct Cli {
    /// Character (.vrm, .glb, .gltf, .fbx), table (.csv, .json) or project (.yure) to open in the window.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Language of messages. Default: the locale of the environment, else of the system. JSON is always
    /// English.
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = PossibleValuesParser::new(["en", "ja"]).map(|code| Lang::from_locale(&code)))]
    pub lang: Option<Lang>,
    /// A command that runs without a window.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

impl Cli {
    /// Parses the arguments of the process. Prints help or an error and exits if there is nothing to run.
    pub fn from_env() -> Self {
        help::parse()
    }

    /// Returns the language of `--lang`, else of the locale.
    pub fn lang_or_locale(&self) -> Lang {
        self.lang.unwrap_or_else(Lang::from_env)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Read files and report problems: characters, tables, projects, name mapping rules, presets.
    ///
    /// Characters are also checked against the rules of the VRM specification. Folders are searched recursively. The exit
    /// code is 0 if every file was loaded, with or without warnings. It is 1 if a file was refused, or if --strict or
    /// --fail-on found something that the baseline does not accept.
    #[command(after_help = EXIT_CODES)]
    Check(check::CheckArgs),
    /// List every parameter of every solver with unit, range, default and meaning.
    Params(params::ParamsArgs),
    /// List presets by body part: the built-in ones and your own.
    ///
    /// `convert`, `simulate` and `render` apply presets with --preset. A preset file that cannot be read is reported as a
    /// warning.
    Presets(presets::ListPresetsArgs),
    /// Propose chains for hair, skirts, tails and other moving parts, and write them as a setup.
    ///
    /// The proposals and their confidence are those of Detect chains in the window. Bones that are in a chain already keep
    /// that chain.
    #[command(after_help = EXIT_CODES)]
    Detect(detect::DetectArgs),
    /// Simulate a character in motion and write the pose of every joint for every step.
    ///
    /// The same input always writes the same bits.
    #[command(after_help = EXIT_CODES)]
    Simulate(simulate::SimulateArgs),
    /// Bake the simulated motion into an animation of the character, a VRM animation, or a table.
    ///
    /// A copy of the character gets one more animation; nothing else of the file changes. Several characters, or folders
    /// with characters, get their results in a folder.
    #[command(after_help = EXIT_CODES)]
    Bake(bake::BakeArgs),
    /// Transfer a setup between characters by bone name.
    ///
    /// The exit code is 0 if at least the share --min-matched of the rows matched a bone, and at least one row. It is 1 if
    /// fewer rows matched or if a file was refused.
    #[command(after_help = EXIT_CODES)]
    Remap(remap::RemapArgs),
    /// Apply a table to many characters, report the matches, and write a result for each character.
    ///
    /// The exit code is 0 if every character matched at least the share --min-matched of the rows. It is 1 if a character
    /// did not, for which nothing is written without --keep-going, or was refused.
    #[command(after_help = EXIT_CODES)]
    Apply(apply::ApplyArgs),
    /// Convert a setup to another solver and write a table, a project, or the springs of a character file.
    ///
    /// Everything that the new solver cannot store is reported per bone. Presets are applied after the conversion; with
    /// --match, before it, so that the fitted motion includes them.
    #[command(after_help = EXIT_CODES)]
    Convert(convert::ConvertArgs),
    /// Compare two setups, characters or projects, by bone and parameter.
    ///
    /// A table is compared as it applies to the other character, or to --character. Two tables without a character are
    /// compared entry by entry.
    #[command(after_help = DIFF_EXIT_CODES)]
    Diff(diff::DiffArgs),
    /// Render a character in motion as PNG files or an animated image, without a window.
    #[command(after_help = EXIT_CODES)]
    Render(render::RenderArgs),
    /// List the unsaved changes of windows that ended without closing, and write them as projects.
    ///
    /// The window offers the same changes at its next start, until you recover or discard them there.
    #[command(after_help = EXIT_CODES)]
    Recover(recover::RecoverArgs),
    /// Print shell completions.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program or of a command.
    Man {
        /// The command. Default: the page of the program.
        command: Option<String>,
    },
}

/// The exit code after an interruption, as of a shell.
const INTERRUPTED: i32 = 130;

/// Ends the process at an interruption or a request to terminate, without temporary files.
fn remove_unfinished_files_at_signals() {
    #[expect(clippy::exit, reason = "the signal ends the process")]
    let end = || {
        remove_unfinished_files();
        std::process::exit(INTERRUPTED)
    };
    // Without a handler, the next save in the folder removes the files.
    ctrlc::set_handler(end).ok();
}

/// Runs a command. Reports a failure on standard error and in the exit code. `user_data` is the folder with the user's
/// own presets and the recovery journals.
pub fn run(command: &CliCommand, lang: Lang, user_data: Option<&Path>) -> ExitCode {
    remove_unfinished_files_at_signals();
    let presets = user_data.map(preset_folder::path_in);
    let presets = presets.as_deref();
    let report = |write, loss| RunReport::new(lang, presets, write, loss);
    let no_loss = LossOptions::default();
    let done = match command {
        CliCommand::Check(args) => {
            let write = WriteOptions { json: args.json, ..WriteOptions::default() };
            report(write, no_loss).run(|report| check::run(args, report))
        }
        CliCommand::Params(args) => params::run(args, lang),
        CliCommand::Presets(args) => presets::run(args, lang, presets),
        CliCommand::Detect(args) => report(args.write, args.loss).run(|report| detect::run(args, report)),
        CliCommand::Simulate(args) => report(args.write, no_loss).run(|report| simulate::run(args, report)),
        CliCommand::Bake(args) => report(args.write, no_loss).run(|report| bake::run(args, report)),
        CliCommand::Remap(args) => report(args.write, args.loss).run(|report| remap::run(args, report)),
        CliCommand::Apply(args) => report(args.write, args.loss).run(|report| apply::run(args, report)),
        CliCommand::Convert(args) => report(args.write, args.loss).run(|report| convert::run(args, report)),
        CliCommand::Diff(args) => {
            let write = WriteOptions { json: args.json, ..WriteOptions::default() };
            report(write, no_loss).run(|report| diff::run(args, report))
        }
        CliCommand::Render(args) => report(args.write, no_loss).run(|report| render::run(args, report)),
        CliCommand::Recover(args) => {
            let folder = user_data.map(store::path_in);
            report(args.write, no_loss).run(|report| recover::run(args, folder.as_deref(), report))
        }
        CliCommand::Completions { shell } => print_completions(*shell, lang),
        CliCommand::Man { command } => print_manual(command.as_deref(), lang),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(err) => {
            print_error(lang, &err);
            ExitCode::from(if matches!(command, CliCommand::Diff(_)) { 2 } else { 1 })
        }
    }
}

fn print_completions(shell: clap_complete::Shell, lang: Lang) -> anyhow::Result<bool> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut help::command(lang), "yuremono", &mut text);
    output::print(&String::from_utf8(text)?)?;
    Ok(true)
}

fn print_manual(command: Option<&str>, lang: Lang) -> anyhow::Result<bool> {
    let program = help::command(lang);
    let command = match command {
        None => program,
        Some(name) => program.find_subcommand(name).cloned().ok_or_else(|| {
            failure(match help::similar_command(&program, name) {
                Some(similar) => {
                    message!(
                        "there is no command \"{name}\"; did you mean \"{similar}\"?",
                        name = excerpt(name),
                        similar
                    )
                }
                None => message!("there is no command \"{name}\"", name = excerpt(name)),
            })
        })?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    output::print(&String::from_utf8(page)?)?;
    Ok(true)
}
