//! What a command reports and writes: text or JSON to standard output, findings and progress to standard error, files.
//!
//! Every command that writes files goes through a [`RunReport`]: it refuses to replace files without `--overwrite`,
//! collects what `--json` prints, and stops before anything is written where `--strict` or `--fail-on-loss` says so.

use super::stdio::is_stdio;
use crate::diagnostics::{Diagnostic, Location, Severity, escape, group_similar};
use crate::format::source::{AtomicFile, write_atomic};
pub(super) use crate::format::tables::has_extension;
use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt;
use std::io::{self, Write as _};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Options of every command that writes files.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct WriteOptions {
    /// Replace files that exist already.
    #[arg(long)]
    pub overwrite: bool,
    /// Print one JSON document instead of text: what was done, the written files and all messages.
    #[arg(long)]
    pub json: bool,
    /// Write nothing and end with exit code 1 if there is any warning or error.
    #[arg(long)]
    pub strict: bool,
}

/// The option of commands whose output may not be able to store everything.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct LossOptions {
    /// Write nothing and end with exit code 1 if the output cannot store everything.
    #[arg(long)]
    pub fail_on_loss: bool,
}

/// Findings because of which a command cannot go on; the last one is the reason.
#[derive(Debug)]
pub(super) struct CommandFailure(pub Vec<Diagnostic>);

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.last() {
            Some(reason) => write!(f, "{reason}"),
            None => f.write_str("refused without a reason"),
        }
    }
}

impl std::error::Error for CommandFailure {}

/// Findings as an error.
pub(super) fn command_failure(diagnostics: Vec<Diagnostic>) -> anyhow::Error {
    CommandFailure(diagnostics).into()
}

/// What one run of a command found and wrote.
#[derive(Debug, Default)]
pub(super) struct RunReport {
    write: WriteOptions,
    fail_on_loss: bool,
    /// Findings are only collected, not printed.
    quiet: bool,
    /// Standard output gets the file that the command writes, so that text goes to standard error.
    writes_stdout: bool,
    diagnostics: Vec<Diagnostic>,
    losses: usize,
    written: Vec<PathBuf>,
    fields: Map<String, Value>,
}

impl RunReport {
    /// Of a command with these options.
    pub(super) fn new(write: WriteOptions, loss: LossOptions) -> Self {
        Self { write, fail_on_loss: loss.fail_on_loss, ..Self::default() }
    }

    /// For one of many files under the same options: nothing is printed.
    pub(super) fn for_one_file(&self) -> Self {
        Self { write: self.write, fail_on_loss: self.fail_on_loss, quiet: true, ..Self::default() }
    }

    /// For commands that write their file to standard output where its name is `-`.
    pub(super) fn set_output(&mut self, out: &Path) -> anyhow::Result<()> {
        self.writes_stdout = is_stdio(out);
        if self.writes_stdout && self.write.json {
            bail!(
                "--json prints its report to standard output, where --out - writes the file; name another file with --out"
            );
        }
        Ok(())
    }

    /// Runs the command and, with `--json`, prints its document, also where the command fails.
    pub(super) fn run(mut self, work: impl FnOnce(&mut Self) -> anyhow::Result<bool>) -> anyhow::Result<bool> {
        let done = work(&mut self);
        // What was found after the last file was written counts as well.
        let done = done.and_then(|good| self.check_findings().map(|()| good));
        if self.write.json {
            let mut document = Map::new();
            document.insert("ok".to_owned(), json!(matches!(done, Ok(true))));
            if let Err(err) = &done {
                document.insert("error".to_owned(), json!(format!("{err:#}")));
                self.diagnostics
                    .extend(err.downcast_ref::<CommandFailure>().into_iter().flat_map(|refusal| refusal.0.clone()));
            }
            document.append(&mut self.fields);
            // A path may have bytes that are no text.
            let written: Vec<_> = self.written.iter().map(|path| path.to_string_lossy()).collect();
            document.insert("written".to_owned(), json!(written));
            document.insert("losses".to_owned(), json!(self.losses));
            document.insert("diagnostics".to_owned(), json!(self.diagnostics));
            print_json(&document)?;
        }
        done
    }

    /// Prints a result, unless it goes into the JSON document.
    pub(super) fn print_text(&self, text: &str) -> anyhow::Result<()> {
        if self.write.json || self.quiet {
            return Ok(());
        }
        if self.writes_stdout {
            // A closed standard error is no reason to fail.
            let _ = io::stderr().lock().write_all(escape_lines(text).as_bytes());
            return Ok(());
        }
        print(text)
    }

    /// Sets a field of the JSON document.
    pub(super) fn set_field(&mut self, key: &str, value: impl Serialize) -> anyhow::Result<()> {
        self.fields.insert(key.to_owned(), serde_json::to_value(value)?);
        Ok(())
    }

    /// Reports findings: alike ones in one line of text, each one in the JSON document.
    pub(super) fn add_diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        if !self.quiet {
            print_diagnostics(diagnostics);
        }
        self.diagnostics.extend_from_slice(diagnostics);
    }

    /// Whether an error was reported.
    pub(super) fn has_error(&self) -> bool {
        self.diagnostics.iter().any(|said| said.severity == Severity::Error)
    }

    /// Reports what the output cannot store; every warning among it is a loss.
    pub(super) fn add_losses(&mut self, diagnostics: &[Diagnostic]) {
        self.losses += diagnostics.iter().filter(|said| said.severity > Severity::Info).count();
        self.add_diagnostics(diagnostics);
    }

    /// Takes out everything that was found so far.
    pub(super) fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// Takes over the files that another report wrote, and its losses.
    pub(super) fn add_written(&mut self, other: &Self) {
        self.written.extend_from_slice(&other.written);
        self.losses += other.losses;
    }

    /// Refuses a target that exists, unless it may be replaced. `inputs` are files that the command reads, with what they
    /// are: the message says which of them the target would replace.
    pub(super) fn check_target(&self, target: &Path, inputs: &[(&str, &Path)]) -> anyhow::Result<()> {
        if self.writes_stdout && is_stdio(target) {
            return Ok(());
        }
        if target.is_dir() {
            bail!("{}: expected a file, found a folder of that name", target.display());
        }
        if self.write.overwrite {
            return Ok(());
        }
        if let Some((what, _)) = inputs.iter().find(|(_, path)| is_same_file(path, target)) {
            bail!("{}: this is the {what} itself; say --overwrite to replace it", target.display());
        }
        // A dangling link counts as well: it would be followed.
        if target.symlink_metadata().is_ok() {
            bail!("{}: this file exists already; say --overwrite to replace it", target.display());
        }
        Ok(())
    }

    /// As [`Self::check_target`] for all targets of a command, before it starts to work.
    pub(super) fn check_targets(&self, targets: &[PathBuf]) -> anyhow::Result<()> {
        targets.iter().try_for_each(|target| self.check_target(target, &[]))
    }

    /// Refuses to write where `--strict` or `--fail-on-loss` says so.
    pub(super) fn check_findings(&self) -> anyhow::Result<()> {
        let bad = self.diagnostics.iter().filter(|said| said.severity > Severity::Info).count();
        let nothing = if self.written.is_empty() { "; nothing was written" } else { "" };
        if self.write.strict && bad > 0 {
            bail!("--strict: warnings or errors were found ({bad}){nothing}");
        }
        if self.fail_on_loss && self.losses > 0 {
            bail!("--fail-on-loss: the output cannot store everything (losses: {}){nothing}", self.losses);
        }
        Ok(())
    }

    /// Makes a folder with those above it.
    pub(super) fn make_folder(&self, path: &Path) -> anyhow::Result<()> {
        self.check_findings()?;
        std::fs::create_dir_all(path).map_err(|err| path_failure(path, &format!("the folder cannot be made: {err}")))
    }

    /// Puts a file in place whole, or reports why not.
    pub(super) fn write(&mut self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        self.check_findings()?;
        if self.writes_stdout && is_stdio(path) {
            write_stdout(bytes)?;
        } else {
            write_atomic(path, bytes).map_err(|said| command_failure(vec![said]))?;
        }
        self.written.push(path.to_owned());
        Ok(())
    }

    /// Starts a file that is written piece by piece and gets its name when it is whole, see [`Self::commit_file`].
    pub(super) fn create_file(&self, path: &Path) -> anyhow::Result<AtomicFile> {
        self.check_findings()?;
        AtomicFile::create(path).map_err(|said| command_failure(vec![said]))
    }

    /// Puts a file that [`Self::create_file`] started in place.
    pub(super) fn commit_file(&mut self, path: &Path, file: AtomicFile) -> anyhow::Result<()> {
        self.check_findings()?;
        file.commit().map_err(|said| command_failure(vec![said]))?;
        self.written.push(path.to_owned());
        Ok(())
    }

    /// Records a file that something else wrote.
    pub(super) fn add_written_file(&mut self, path: PathBuf) {
        self.written.push(path);
    }
}

/// Whether a path of `--out` means a folder: a folder that exists, a path that ends with a separator, or a name without
/// ending. Anything else is refused with the endings of files that the command knows.
pub(super) fn is_folder(path: &Path, known: &str) -> anyhow::Result<bool> {
    let ends_with_separator = path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR]);
    if path.is_dir() || ends_with_separator || path.extension().is_none() {
        return Ok(true);
    }
    bail!("{}: expected {known}; end the name with / if it is a folder", path.display())
}

/// One reason, about a file or folder, why a command cannot go on.
pub(super) fn path_failure(path: &Path, reason: &str) -> anyhow::Error {
    command_failure(vec![Diagnostic::error(Location::file(path.display().to_string()), reason)])
}

/// Whether two paths lead to one file that exists.
pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Writes a result, line by line; other controls in it, which come from names of a file, are shown as escapes. Fails only
/// where standard output does; a reader that stops listening is no failure, and what is left to do is done.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    write_stdout(escape_lines(text).as_bytes())
}

/// Text without controls, except for the ends of lines.
fn escape_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(escape).collect();
    lines.join("\n")
}

fn write_stdout(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(err) if err.kind() != io::ErrorKind::BrokenPipe => Err(err.into()),
        _ => Ok(()),
    }
}

/// Writes one JSON document.
pub(super) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write_stdout(text.as_bytes())
}

/// A finding as every command shows it: `warning: hair.csv:3, column "radius": …`.
pub(super) fn diagnostic_line(diagnostic: &Diagnostic) -> String {
    format!("{}: {diagnostic}", diagnostic.severity)
}

/// Reports findings on standard error, alike ones in one line.
pub(super) fn print_diagnostics(diagnostics: &[Diagnostic]) {
    let mut err = io::stderr().lock();
    for diagnostic in group_similar(diagnostics) {
        // Where nobody listens, there is nobody to tell so.
        let _ = writeln!(err, "{}", diagnostic_line(&diagnostic));
    }
}

/// How far something long is, on standard error: a bar, or lines where that is no terminal.
pub(super) struct ProgressReporter {
    bar: ProgressBar,
    label: String,
    lines: Mutex<ProgressLines>,
}

impl ProgressReporter {
    /// Progress at step 0 of `steps`.
    pub(super) fn new(steps: u64, what: &str) -> Self {
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}")
            .map_or_else(|_| ProgressStyle::default_bar(), |style| style.progress_chars("=> "));
        let bar = ProgressBar::new(steps).with_style(style).with_message(what.to_owned());
        Self { bar, label: what.to_owned(), lines: Mutex::new(ProgressLines::new(now())) }
    }

    /// With a line for each tenth as well, for what always takes long.
    pub(super) fn with_tenth_lines(self) -> Self {
        let lines = self.lines.into_inner().unwrap_or_else(PoisonError::into_inner);
        Self { lines: Mutex::new(ProgressLines { prints_tenths: true, ..lines }), ..self }
    }

    /// Sets the number of finished steps.
    pub(super) fn set_position(&self, done: u64) {
        self.bar.set_position(done);
        self.print_line();
    }

    /// One more step is done.
    pub(super) fn step(&self) {
        self.bar.inc(1);
        self.print_line();
    }

    fn print_line(&self) {
        if !self.bar.is_hidden() {
            return;
        }
        let percent = 100 * self.bar.position() / self.bar.length().unwrap_or(1).max(1);
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(percent) = lines.next_line(percent, now()) {
            // As with findings: where nobody listens, there is nobody to tell so.
            let _ = writeln!(io::stderr().lock(), "{}: {percent} %", self.label);
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

#[expect(clippy::disallowed_methods, reason = "progress is shown to somebody who waits")]
fn now() -> Instant {
    Instant::now()
}

/// Between two lines of progress.
const PROGRESS_LINE_INTERVAL: Duration = Duration::from_secs(10);

/// When the next line of progress is due.
#[derive(Clone, Copy, Debug)]
struct ProgressLines {
    prints_tenths: bool,
    tenths: u64,
    last: Instant,
}

impl ProgressLines {
    const fn new(now: Instant) -> Self {
        Self { prints_tenths: false, tenths: 0, last: now }
    }

    /// What to print at `percent`, if anything.
    fn next_line(&mut self, percent: u64, now: Instant) -> Option<u64> {
        if self.prints_tenths && percent / 10 > self.tenths {
            (self.tenths, self.last) = (percent / 10, now);
            return Some(10 * self.tenths);
        }
        if now.duration_since(self.last) < PROGRESS_LINE_INTERVAL {
            return None;
        }
        self.last = now;
        Some(percent)
    }
}

/// `1 bone`, `2 bones`.
pub(super) fn count_noun(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_terminal_a_line_of_progress_comes_every_ten_seconds() {
        let start = now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut lines = ProgressLines::new(start);
        let printed: Vec<(u64, u64)> = (0..=35)
            .filter_map(|second| lines.next_line(2 * second, at(second)).map(|percent| (second, percent)))
            .collect();
        assert_eq!(printed, [(10, 20), (20, 40), (30, 60)]);
    }

    #[test]
    fn every_tenth_is_printed_when_enabled() {
        let start = now();
        let mut lines = ProgressLines { prints_tenths: true, ..ProgressLines::new(start) };
        let printed: Vec<u64> =
            [3, 11, 19, 20, 55].into_iter().filter_map(|percent| lines.next_line(percent, start)).collect();
        assert_eq!(printed, [10, 20, 50]);
        assert_eq!(lines.next_line(56, start + PROGRESS_LINE_INTERVAL), Some(56), "it goes on slowly");
    }

    #[test]
    fn a_path_with_an_unknown_extension_is_not_a_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let known = ".png or a folder";
        assert!(is_folder(&folder.path().join("frames"), known).expect("a name without ending"));
        assert!(is_folder(&folder.path().join("frames.v2/"), known).expect("it ends with a separator"));
        std::fs::create_dir(folder.path().join("take.3")).expect("made");
        assert!(is_folder(&folder.path().join("take.3"), known).expect("it exists"));
        let refused = is_folder(&folder.path().join("x.jpg"), known).expect_err("a file").to_string();
        assert!(
            refused.ends_with("x.jpg: expected .png or a folder; end the name with / if it is a folder"),
            "{refused}"
        );
    }
}
