//! The output of a command: text or JSON on standard output, diagnostics and progress on standard error, and files.
//!
//! Every command that writes files uses a [`RunReport`]. The report rejects existing targets unless `--overwrite` is
//! set, and collects the fields of `--json`. With `--strict` or `--fail-on-loss`, the report fails before any file is
//! written.

use super::file_jobs::FileTurn;
use crate::renderer::RenderError;
use crate::ui::kit::i18n::{Lang, location_text};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt;
use std::io::{self, Write as _};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use yuremono_format::open;
use yuremono_format::source::{AtomicFile, write_atomic};
pub(super) use yuremono_format::tables::has_extension;
use yuremono_sim::diagnostics::{
    Diagnostic, Location, MessageText, Severity, escape, group_similar, message, one_line,
};

/// The English name of standard input in messages.
pub(super) const STDIN_NAME: &str = "standard input";
const STDOUT_NAME: &str = "standard output";

/// Options of every command that writes files.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a flag of the command line")]
pub(super) struct WriteOptions {
    /// Replace files that exist already.
    #[arg(long)]
    pub overwrite: bool,
    /// Do nothing for results that exist already. The exit code is 0.
    #[arg(long, conflicts_with = "overwrite")]
    pub skip_existing: bool,
    /// Print one JSON document instead of text: the result, the written files and all diagnostics.
    #[arg(long)]
    pub json: bool,
    /// Write nothing and end with exit code 1 if there is a warning or an error.
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

/// Diagnostics of a failed command. The last diagnostic is the reason for the failure.
#[derive(Debug)]
pub(super) struct CommandFailure(pub Vec<Diagnostic>);

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.last().map_or(Ok(()), |reason| reason.fmt(f))
    }
}

impl std::error::Error for CommandFailure {}

impl From<Vec<Diagnostic>> for CommandFailure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self(diagnostics)
    }
}

impl From<Diagnostic> for CommandFailure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

/// Ends a command whose only result exists, with `--skip-existing`. [`RunReport::run`] reports it as a success.
#[derive(Debug)]
struct ResultExists(PathBuf);

impl fmt::Display for ResultExists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.display())
    }
}

impl std::error::Error for ResultExists {}

/// Converts diagnostics to an error.
pub(super) fn command_failure(diagnostics: impl Into<CommandFailure>) -> anyhow::Error {
    diagnostics.into().into()
}

/// Returns an error about a file, a folder or an option. `path` is shown before the message.
pub(super) fn path_failure(path: &Path, message: impl Into<MessageText>) -> anyhow::Error {
    file_failure(path.display().to_string(), message)
}

/// Returns an error about a file. `name` is shown before the message.
pub(super) fn file_failure(name: impl Into<String>, message: impl Into<MessageText>) -> anyhow::Error {
    command_failure(Diagnostic::error(Location::file(name), message))
}

/// Returns an error without a location. With `--json`, the error is not listed as a diagnostic.
pub(super) fn failure(message: MessageText) -> anyhow::Error {
    anyhow::Error::msg(message)
}

/// Returns the diagnostics of an error, with the reason last.
pub(super) fn failure_diagnostics(err: &anyhow::Error) -> Vec<Diagnostic> {
    if let Some(CommandFailure(diagnostics)) = err.downcast_ref() {
        return diagnostics.clone();
    }
    let message = match (err.downcast_ref::<MessageText>(), err.downcast_ref::<RenderError>()) {
        (Some(message), _) => message.clone(),
        (None, Some(err)) => err.message(),
        (None, None) => one_line(&format!("{err:#}")).into(),
    };
    vec![Diagnostic::error(Location::default(), message)]
}

/// Collects diagnostics, losses and written files during one run of a command.
#[derive(Debug, Default)]
pub(super) struct RunReport {
    /// Always English with `--json`.
    lang: Lang,
    preset_folder: Option<PathBuf>,
    write: WriteOptions,
    fail_on_loss: bool,
    /// The place among many files, for a report that collects diagnostics and does not print them.
    turn: Option<FileTurn>,
    /// Whether the result file is written to standard output. Text is then printed to standard error.
    writes_stdout: bool,
    diagnostics: Vec<Diagnostic>,
    losses: usize,
    written: Vec<PathBuf>,
    fields: Map<String, Value>,
    /// The only input of the run, whose fields and diagnostics are listed as its file.
    only_file: Option<String>,
    /// The last message about the result of one of many files.
    summary: Option<MessageText>,
}

/// Version of the JSON reports. A field can be added without a new version.
const REPORT_VERSION: u32 = 1;

/// The result for one input file, for `--json`.
#[derive(Debug, Serialize)]
pub(super) struct FileReport {
    pub(super) file: String,
    pub(super) ok: bool,
    written: Vec<String>,
    #[serde(flatten)]
    fields: Map<String, Value>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl RunReport {
    pub(super) fn new(lang: Lang, preset_folder: Option<&Path>, write: WriteOptions, loss: LossOptions) -> Self {
        let lang = if write.json { Lang::En } else { lang };
        let preset_folder = preset_folder.map(Path::to_owned);
        Self { lang, preset_folder, write, fail_on_loss: loss.fail_on_loss, ..Self::default() }
    }

    /// Returns the folder of the user's own presets.
    pub(super) fn preset_folder(&self) -> Option<&Path> {
        self.preset_folder.as_deref()
    }

    /// Returns a report for one of many files. The report has the same options and prints nothing.
    pub(super) fn for_one_file(&self, turn: FileTurn) -> Self {
        let (write, fail_on_loss) = (self.write, self.fail_on_loss);
        Self { lang: self.lang, write, fail_on_loss, turn: Some(turn), ..Self::default() }
    }

    /// Returns a report for the next of several files that are processed one after another. Its text is printed.
    pub(super) fn for_next_file(&self) -> Self {
        Self { lang: self.lang, write: self.write, fail_on_loss: self.fail_on_loss, ..Self::default() }
    }

    /// Prints diagnostics that are part of a file's report.
    pub(super) fn print_diagnostics(&self, diagnostics: &[Diagnostic]) {
        print_diagnostics(self.lang, diagnostics);
    }

    /// Waits until the files before this file are finished. For work that depends on what they wrote.
    pub(super) fn wait_for_earlier_files(&self) {
        self.turn.iter().for_each(FileTurn::wait_for_earlier_files);
    }

    /// Returns a reporter of progress, which prints nothing for one of many files.
    pub(super) fn progress(&self, steps: u64, label: impl Into<String>) -> ProgressReporter {
        if self.turn.is_some() { ProgressReporter::silent() } else { ProgressReporter::new(steps, label) }
    }

    /// Returns the language for text that is not a [`MessageText`].
    pub(super) fn lang(&self) -> Lang {
        self.lang
    }

    /// Sets the output path. If the path is `-`, the result is written to standard output.
    pub(super) fn set_output(&mut self, out: &Path) -> anyhow::Result<()> {
        self.writes_stdout = is_stdio(out);
        if self.writes_stdout && self.write.json {
            return Err(failure(message!(
                "--json prints its report to standard output, where --out - writes the file; name another file with --out"
            )));
        }
        Ok(())
    }

    /// Runs the command. With `--json`, prints the JSON document even if the command fails.
    pub(super) fn run(mut self, work: impl FnOnce(&mut Self) -> anyhow::Result<bool>) -> anyhow::Result<bool> {
        let done = match work(&mut self) {
            Err(err) => self.skip_result(err),
            done => done,
        };
        // Diagnostics that were reported after the last file was written must count as well.
        let done = done.and_then(|good| self.fail_if_strict_or_lossy().map(|()| good));
        if self.write.json {
            print_json(&self.into_json(&done))?;
        }
        done
    }

    /// Returns the JSON document: the same fields for one and for many files.
    fn into_json(mut self, done: &anyhow::Result<bool>) -> Map<String, Value> {
        let ok = matches!(done, Ok(true));
        let mut document = Map::new();
        document.insert("version".to_owned(), json!(REPORT_VERSION));
        document.insert("ok".to_owned(), json!(ok));
        if let Err(err) = done {
            document.insert("error".to_owned(), json!(format!("{err:#}")));
            self.diagnostics
                .extend(err.downcast_ref::<CommandFailure>().into_iter().flat_map(|refusal| refusal.0.clone()));
        }
        let (written, losses) = (self.written_names(), self.losses);
        if let Some(file) = self.only_file.take() {
            document.insert("files".to_owned(), json!([self.take_file_report(file, ok)]));
        } else {
            document.append(&mut self.fields);
            document.entry("files").or_insert_with(|| json!([]));
        }
        document.insert("written".to_owned(), json!(written));
        document.insert("losses".to_owned(), json!(losses));
        document.insert("diagnostics".to_owned(), json!(self.diagnostics));
        document
    }

    /// Sets the only input of the run.
    pub(super) fn set_only_file(&mut self, path: &Path) {
        self.only_file = Some(path.display().to_string());
    }

    /// Returns the report of a file, and removes its parts from this report.
    pub(super) fn take_file_report(&mut self, file: String, ok: bool) -> FileReport {
        let (fields, diagnostics) = (std::mem::take(&mut self.fields), self.take_diagnostics());
        FileReport { file, ok, written: self.written_names(), fields, diagnostics }
    }

    /// Returns the last message about the result of one of many files.
    pub(super) fn take_summary(&mut self) -> Option<MessageText> {
        self.summary.take()
    }

    pub(super) fn written_names(&self) -> Vec<String> {
        // A path may not be valid Unicode.
        self.written.iter().map(|path| path.to_string_lossy().into_owned()).collect()
    }

    fn skip_result(&mut self, err: anyhow::Error) -> anyhow::Result<bool> {
        let ResultExists(path) = err.downcast::<ResultExists>()?;
        self.only_file = None;
        self.print_message(&message!("{file} exists already; nothing was done", file = path.display().to_string()))?;
        self.set_field("skipped", 1)?;
        Ok(true)
    }

    /// Whether `--skip-existing` skips the result of this path.
    pub(super) fn skips(&self, target: &Path) -> bool {
        self.write.skip_existing && target.symlink_metadata().is_ok()
    }

    /// Prints lines of a result, unless `--json` is set.
    pub(super) fn print_text(&self, text: &str) -> anyhow::Result<()> {
        if self.write.json || self.turn.is_some() {
            return Ok(());
        }
        if self.writes_stdout {
            // A closed standard error is not an error of the command.
            let _ = io::stderr().lock().write_all(escape_lines(text).as_bytes());
            return Ok(());
        }
        print(text)
    }

    /// Prints a sentence of a result in the user's language, unless `--json` is set.
    pub(super) fn print_message(&mut self, text: &MessageText) -> anyhow::Result<()> {
        if self.turn.is_some() {
            self.summary = Some(text.clone());
        }
        self.print_text(&(self.text(text) + "\n"))
    }

    pub(super) fn text(&self, text: &MessageText) -> String {
        self.lang.tr(text).into_owned()
    }

    /// Sets a field of the JSON document.
    pub(super) fn set_field(&mut self, key: &str, value: impl Serialize) -> anyhow::Result<()> {
        self.fields.insert(key.to_owned(), serde_json::to_value(value)?);
        Ok(())
    }

    /// Sets the fields of an object in the JSON document.
    pub(super) fn set_fields(&mut self, object: &impl Serialize) -> anyhow::Result<()> {
        if let Value::Object(mut fields) = serde_json::to_value(object)? {
            self.fields.append(&mut fields);
        }
        Ok(())
    }

    /// Reports diagnostics. As text, similar diagnostics share a line; the JSON document lists every diagnostic.
    pub(super) fn add_diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        if self.turn.is_none() {
            print_diagnostics(self.lang, diagnostics);
        }
        self.diagnostics.extend_from_slice(diagnostics);
    }

    pub(super) fn has_error(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Reports data that the output cannot store. Every warning and error counts as a loss.
    pub(super) fn add_losses(&mut self, diagnostics: &[Diagnostic]) {
        self.losses += diagnostics.iter().filter(|diagnostic| diagnostic.severity > Severity::Info).count();
        self.add_diagnostics(diagnostics);
    }

    pub(super) fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// Adds the written files and the losses of another report.
    pub(super) fn add_written(&mut self, other: &Self) {
        self.written.extend_from_slice(&other.written);
        self.losses += other.losses;
    }

    /// Rejects an existing target unless `--overwrite` is set; with `--skip-existing`, ends the command. `inputs` are the
    /// files that the command reads. If the target is one of the inputs, the message names the input's role.
    pub(super) fn check_target(&self, target: &Path, inputs: &[(InputRole, &Path)]) -> anyhow::Result<()> {
        if self.writes_stdout && is_stdio(target) {
            return Ok(());
        }
        refuse_stdout(target)?;
        if target.is_dir() {
            return Err(path_failure(target, message!("expected a file, found a folder of that name")));
        }
        if self.skips(target) {
            return Err(ResultExists(target.to_owned()).into());
        }
        if self.write.overwrite {
            return Ok(());
        }
        if let Some((role, _)) = inputs.iter().find(|(_, path)| is_same_file(path, target)) {
            return Err(path_failure(target, role.refusal()));
        }
        // A dangling link counts as well, because writing would follow the link.
        if target.symlink_metadata().is_ok() {
            return Err(path_failure(target, message!("this file exists already; add --overwrite to replace it")));
        }
        Ok(())
    }

    /// Calls [`Self::check_target`] for all targets of a command before the work starts.
    pub(super) fn check_targets(&self, targets: &[PathBuf]) -> anyhow::Result<()> {
        targets.iter().try_for_each(|target| self.check_target(target, &[]))
    }

    /// Fails if `--strict` or `--fail-on-loss` is set and violated.
    pub(super) fn fail_if_strict_or_lossy(&self) -> anyhow::Result<()> {
        let count = self.diagnostics.iter().filter(|diagnostic| diagnostic.severity > Severity::Info).count();
        let nothing = if self.written.is_empty() { message!("; nothing was written") } else { MessageText::from("") };
        if self.write.strict && count > 0 {
            let message = message!("--strict: warnings or errors were found ({count}){nothing}", count, nothing);
            return Err(failure(message));
        }
        if self.fail_on_loss && self.losses > 0 {
            let losses = self.losses;
            let message = message!(
                "--fail-on-loss: the output cannot store everything (losses: {losses}){nothing}",
                losses,
                nothing
            );
            return Err(failure(message));
        }
        Ok(())
    }

    /// Creates a folder and its parents.
    pub(super) fn make_folder(&self, path: &Path) -> anyhow::Result<()> {
        refuse_stdout(path)?;
        self.fail_if_strict_or_lossy()?;
        std::fs::create_dir_all(path).map_err(|err| {
            path_failure(path, message!("the folder cannot be created: {error}", error = err.to_string()))
        })
    }

    /// Writes a whole file atomically.
    pub(super) fn write(&mut self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        self.fail_if_strict_or_lossy()?;
        if self.writes_stdout && is_stdio(path) {
            write_stdout(bytes)?;
        } else {
            write_atomic(path, bytes).map_err(command_failure)?;
        }
        self.written.push(path.to_owned());
        Ok(())
    }

    /// Starts a file that is written in parts. [`Self::commit_file`] renames the finished file to its path.
    pub(super) fn create_file(&self, path: &Path) -> anyhow::Result<AtomicFile> {
        self.fail_if_strict_or_lossy()?;
        AtomicFile::create(path).map_err(command_failure)
    }

    pub(super) fn commit_file(&mut self, path: &Path, file: AtomicFile) -> anyhow::Result<()> {
        self.fail_if_strict_or_lossy()?;
        file.commit().map_err(command_failure)?;
        self.written.push(path.to_owned());
        Ok(())
    }

    /// Records a file that was written by other code.
    pub(super) fn add_written_file(&mut self, path: PathBuf) {
        self.written.push(path);
    }
}

/// What an input file is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum InputRole {
    Character,
    Motion,
    Setup,
    Table,
}

impl InputRole {
    fn refusal(self) -> MessageText {
        match self {
            Self::Character => message!("this is the character itself; add --overwrite to replace it"),
            Self::Motion => message!("this is the motion itself; add --overwrite to replace it"),
            Self::Setup => message!("this is the setup itself; add --overwrite to replace it"),
            Self::Table => message!("this is the table itself; add --overwrite to replace it"),
        }
    }
}

/// Whether an `--out` path means a folder: an existing folder, a path that ends with a separator, or a name without an
/// extension. Fails for any other path; `known` lists the command's extensions for the message.
pub(super) fn is_folder(path: &Path, known: &MessageText) -> anyhow::Result<bool> {
    let ends_with_separator = path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR]);
    if path.is_dir() || ends_with_separator || path.extension().is_none() {
        return Ok(true);
    }
    Err(path_failure(path, message!("expected {known}; end the name with / if it is a folder", known)))
}

/// Fails for `--out -` of a command whose result cannot be written to standard output.
pub(super) fn refuse_stdout(out: &Path) -> anyhow::Result<()> {
    if is_stdio(out) {
        return Err(failure(message!(
            "this result cannot be written to standard output. Nothing was written; name a file or a folder with --out"
        )));
    }
    Ok(())
}

/// Whether a path means standard input or standard output.
pub(super) fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether two paths refer to the same existing file.
pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Returns the name of an output for messages.
pub(super) fn output_name(path: &Path) -> String {
    if is_stdio(path) { STDOUT_NAME.to_owned() } else { open::file_name(path) }
}

/// Returns the path of an output for messages.
pub(super) fn output_path(path: &Path) -> MessageText {
    if is_stdio(path) { message!("standard output") } else { path.display().to_string().into() }
}

/// Prints lines of a result. Escapes control characters, which names in a file can contain. A closed pipe is not an
/// error; the command finishes its work.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    write_stdout(escape_lines(text).as_bytes())
}

/// Escapes all control characters except line feeds.
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

pub(super) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write_stdout(text.as_bytes())
}

/// Formats a diagnostic as one line: `warning: hair.csv:3, column "radius": …`.
pub(super) fn diagnostic_line(lang: Lang, diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Info => message!("info"),
        Severity::Warning => message!("warning"),
        Severity::Error => message!("error"),
    };
    let mut location = diagnostic.location.clone();
    if let Some(name) = [message!("standard input"), message!("standard output")].iter().find(|n| **n == *location.file)
    {
        location.file = lang.tr(name).into_owned();
    }
    let place = location_text(lang, &location);
    let parts = [lang.tr(severity), place.into(), lang.tr(&diagnostic.message)];
    parts.iter().filter(|part| !part.is_empty()).map(|part| &**part).collect::<Vec<_>>().join(": ")
}

/// Prints diagnostics to standard error. Similar diagnostics share a line.
pub(super) fn print_diagnostics(lang: Lang, diagnostics: &[Diagnostic]) {
    let mut err = io::stderr().lock();
    for diagnostic in group_similar(diagnostics) {
        // If standard error is closed, there is no other output for the diagnostics.
        let _ = writeln!(err, "{}", diagnostic_line(lang, &diagnostic));
    }
}

/// Prints the error that ends the program, with its diagnostics, to standard error.
pub fn print_error(lang: Lang, err: &anyhow::Error) {
    print_diagnostics(lang, &error_diagnostics(err));
}

/// Returns what [`print_error`] prints.
pub fn error_text(lang: Lang, err: &anyhow::Error) -> String {
    error_diagnostics(err).iter().map(|diagnostic| diagnostic_line(lang, diagnostic)).collect::<Vec<_>>().join("\n")
}

fn error_diagnostics(err: &anyhow::Error) -> Vec<Diagnostic> {
    let mut diagnostics = failure_diagnostics(err);
    if diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
        && let Some(reason) = diagnostics.last_mut()
    {
        reason.severity = Severity::Error;
    }
    // Errors are printed last, because findings of lower severity may follow the reason.
    diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
    diagnostics
}

/// Reports progress on standard error: as a bar in a terminal, otherwise as lines.
pub(super) struct ProgressReporter {
    bar: ProgressBar,
    label: String,
    /// `None` prints nothing.
    lines: Option<Mutex<ProgressLines>>,
}

impl ProgressReporter {
    pub(super) fn new(steps: u64, label: impl Into<String>) -> Self {
        let label = label.into();
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}")
            .map_or_else(|_| ProgressStyle::default_bar(), |style| style.progress_chars("=> "));
        let bar = ProgressBar::new(steps).with_style(style).with_message(label.clone());
        Self { bar, label, lines: Some(Mutex::new(ProgressLines::new(now()))) }
    }

    /// Prints nothing. For one of many files, because a bar of all files shows the progress.
    pub(super) fn silent() -> Self {
        Self { bar: ProgressBar::hidden(), label: String::new(), lines: None }
    }

    /// Also prints a line per tenth of the work. For long work.
    pub(super) fn with_tenth_lines(self) -> Self {
        let lines = self.lines.map(|lines| {
            let lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
            Mutex::new(ProgressLines { prints_tenths: true, ..lines })
        });
        Self { lines, ..self }
    }

    pub(super) fn set_position(&self, done: u64) {
        self.bar.set_position(done);
        self.print_line();
    }

    pub(super) fn step(&self) {
        self.bar.inc(1);
        self.print_line();
    }

    fn print_line(&self) {
        let Some(lines) = self.lines.as_ref().filter(|_| self.bar.is_hidden()) else { return };
        let percent = 100 * self.bar.position() / self.bar.length().unwrap_or(1).max(1);
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(percent) = lines.next_line(percent, now()) {
            // A closed standard error is ignored, as in `print_diagnostics`.
            let _ = writeln!(io::stderr().lock(), "{}: {percent} %", self.label);
        }
    }

    /// Removes the bar.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

#[expect(clippy::disallowed_methods, reason = "progress lines are printed at intervals")]
fn now() -> Instant {
    Instant::now()
}

/// Time between two progress lines.
const PROGRESS_LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Decides when the next progress line is printed.
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

    /// Returns the percentage to print if a line is due.
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
        assert_eq!(lines.next_line(56, start + PROGRESS_LINE_INTERVAL), Some(56), "also after the interval");
    }

    #[test]
    fn a_path_with_an_unknown_extension_is_not_a_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let known = &".png or a folder".into();
        assert!(is_folder(&folder.path().join("frames"), known).expect("a name without an extension"));
        assert!(is_folder(&folder.path().join("frames.v2/"), known).expect("a path that ends with a separator"));
        std::fs::create_dir(folder.path().join("take.3")).expect("made");
        assert!(is_folder(&folder.path().join("take.3"), known).expect("an existing folder"));
        let refused = is_folder(&folder.path().join("x.jpg"), known).expect_err("a file").to_string();
        assert!(
            refused.ends_with("x.jpg: expected .png or a folder; end the name with / if it is a folder"),
            "{refused}"
        );
    }
}
