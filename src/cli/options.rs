//! Options that several commands share. Each concept has one name and one help text.

use super::input::{input_name, read};
use super::load::parse_number;
use super::output::{command_failure, file_failure, path_failure};
use clap::{ValueEnum, ValueHint};
use std::path::{Path, PathBuf};
use yuremono_model::exchange::{ExportOptions, LineEnding};
use yuremono_sim::diagnostics::message;

/// Longest time that a motion is simulated before or during the result, in seconds.
pub(super) const MAX_SECONDS: f32 = 3600.0;

/// `--min-confidence`.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct ConfidenceOption {
    /// Lowest confidence of names and chains that are used, 0 to 1. Others are only listed. Default: 0.9 for names, 0.7 for
    /// the chains of `detect`.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, 1.0))]
    pub min_confidence: Option<f32>,
}

/// `--min-matched`.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct MatchedOption {
    /// Share of the rows that must match a bone, 0 to 1. Nothing is written for a character with fewer matches, and the exit
    /// code is 1. Default: 1 for `apply`; for `remap`, at least one row.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, 1.0))]
    pub min_matched: Option<f32>,
    /// Also write the results in which fewer rows match than --min-matched. The exit code is 1 all the same.
    #[arg(long)]
    pub keep_going: bool,
}

impl MatchedOption {
    /// Whether enough rows match. `default` is the share without `--min-matched`.
    pub(super) fn is_met(self, matched: usize, rows: usize, default: f32) -> bool {
        matched as f32 >= self.min_matched.unwrap_or(default) * rows as f32
    }
}

/// `--warm-up`.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct WarmUpOption {
    /// Seconds of simulation before the result, so that the swing is steady. `bake` holds the first pose meanwhile, or plays
    /// whole cycles of a loop. Default: 0, or for animated images of `render` some whole cycles of the motion.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, MAX_SECONDS))]
    pub warm_up: Option<f32>,
}

/// How a `.csv` is written: the options of the export dialog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub(super) struct TableOptions {
    /// Line ends of a table. Default: lf.
    #[arg(long, value_enum, value_name = "ENDS")]
    line_ends: Option<LineEndsArg>,
    /// Whether a .csv starts with a byte order mark. Default: auto, if a name is not ASCII.
    #[arg(long, value_enum, value_name = "WHEN")]
    bom: Option<BomArg>,
    /// Significant digits of the numbers in a table; Unity writes 7. Default: as many as read back to the same number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=9))]
    digits: Option<u8>,
    /// Write numbers as "0,5", as Unity does on computers whose language has a decimal comma.
    #[arg(long)]
    decimal_comma: bool,
    /// Leave out the comment rows of a table, which only Yuremono reads back.
    #[arg(long)]
    no_comment_rows: bool,
    /// Write only this part of a table.
    #[arg(long, value_enum, value_name = "PART")]
    only: Option<TablePart>,
    /// Write empty pivot cells, which Unity rejects, instead of the name of the parent.
    #[arg(long)]
    empty_pivots: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LineEndsArg {
    /// Linux and macOS
    Lf,
    /// Windows
    Crlf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BomArg {
    /// If a name is not ASCII
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TablePart {
    /// Joints and pivots
    Joints,
    /// Colliders, nodes and components
    Colliders,
}

impl TableOptions {
    /// Fails if an option is given and the result is no `.csv`, whose text alone the options change.
    pub(super) fn check(self, out: &Path, is_csv: bool) -> anyhow::Result<()> {
        if self == Self::default() || is_csv {
            return Ok(());
        }
        let message = message!(
            "--line-ends, --bom, --digits, --decimal-comma, --no-comment-rows, --only and --empty-pivots are for .csv tables"
        );
        Err(path_failure(out, message))
    }

    /// Returns `options` with the given options.
    pub(super) fn apply_to(self, options: ExportOptions) -> ExportOptions {
        ExportOptions {
            line_ending: match self.line_ends {
                Some(LineEndsArg::Lf) => LineEnding::Lf,
                Some(LineEndsArg::Crlf) => LineEnding::CrLf,
                None => options.line_ending,
            },
            write_bom: match self.bom {
                Some(BomArg::Always) => Some(true),
                Some(BomArg::Never) => Some(false),
                Some(BomArg::Auto) => None,
                None => options.write_bom,
            },
            significant_digits: self.digits.or(options.significant_digits),
            decimal_comma: self.decimal_comma || options.decimal_comma,
            write_joints: self.only != Some(TablePart::Colliders),
            write_colliders: self.only != Some(TablePart::Joints),
            allow_empty_pivots: self.empty_pivots || options.allow_empty_pivots,
            write_comment_rows: !self.no_comment_rows && options.write_comment_rows,
            ..options
        }
    }
}

/// `--list`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct ListOption {
    /// A text file with more files or folders, one per line, relative to the current folder; - reads standard input. Empty
    /// lines are ignored.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    list: Option<PathBuf>,
}

impl ListOption {
    /// Returns `paths` and the paths in the list.
    pub(super) fn extend(&self, paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let Some(list) = &self.list else { return Ok(paths.to_vec()) };
        let bytes = read(list).map_err(command_failure)?;
        let text = String::from_utf8(bytes.into_owned()).map_err(|err| {
            let readable = err.utf8_error().valid_up_to();
            let line = err.as_bytes()[..readable].split(|byte| *byte == b'\n').count();
            let message = message!(
                "line {line} is not UTF-8; expected one path per line. No file was read; save the list as UTF-8",
                line
            );
            file_failure(input_name(list), message)
        })?;
        let lines = text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty());
        let paths: Vec<PathBuf> = paths.iter().cloned().chain(lines.map(PathBuf::from)).collect();
        if paths.is_empty() {
            let message = message!("the list is empty; expected one path per line. Nothing was done");
            return Err(file_failure(input_name(list), message));
        }
        Ok(paths)
    }
}

/// The characters of a command that works on one or many.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct CharactersArgs {
    /// Characters (.vrm, .glb, .gltf, .fbx), projects (.yure), whose characters are opened, or folders with characters, which are
    /// searched recursively; - reads standard input.
    #[arg(required_unless_present = "list", value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    characters: Vec<PathBuf>,
    #[command(flatten)]
    list: ListOption,
}

impl CharactersArgs {
    /// Returns the paths of the command line and of `--list`.
    pub(super) fn paths(&self) -> anyhow::Result<Vec<PathBuf>> {
        self.list.extend(&self.characters)
    }
}

/// Returns the only character of a command, or `None` if there are several or a folder.
pub(super) fn single_file(paths: &[PathBuf]) -> Option<&Path> {
    match paths {
        [path] if !path.is_dir() => Some(path),
        _ => None,
    }
}
