//! Where words go: results to standard output, findings and progress to standard error.

use crate::format::source::write_atomic;
use crate::report::{Diagnostic, escape};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a result, line by line; other controls in it, which come from names of a file, are shown as escapes. Fails only
/// where standard output does.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let lines: Vec<_> = text.split('\n').map(escape).collect();
    write_out(&lines.join("\n"))
}

fn write_out(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes one JSON document.
pub(super) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write_out(&text)
}

/// A finding as every command shows it: `warning: hair.csv:3, column "radius": …`.
pub(super) fn line(diagnostic: &Diagnostic) -> String {
    format!("{}: {diagnostic}", diagnostic.severity)
}

/// Tells findings on standard error.
pub(super) fn tell(diagnostics: &[Diagnostic]) {
    let mut err = io::stderr().lock();
    for diagnostic in diagnostics {
        // Where nobody listens, there is nobody to tell so.
        let _ = writeln!(err, "{}", line(diagnostic));
    }
}

/// Tells all findings but the last, which becomes the error.
pub(super) fn refusal(mut diagnostics: Vec<Diagnostic>) -> anyhow::Error {
    let last = diagnostics.pop().map_or_else(|| "refused without a reason".to_owned(), |d| d.to_string());
    tell(&diagnostics);
    anyhow::Error::msg(last)
}

/// Puts a file in place whole, or says why not.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write_atomic(path, bytes).map_err(|said| refusal(vec![said]))
}

/// How far a long search is, on standard error: a bar, or a line for each tenth where that is no terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    what: &'static str,
    /// Tenths that were told.
    told: u64,
}

impl Progress {
    /// Nothing is done yet.
    pub(super) fn new(what: &'static str) -> Self {
        Self { bar: bar(1000, what), what, told: 0 }
    }

    /// This share is done, 0 to 1.
    pub(super) fn set(&mut self, share: f32) {
        let done = (share.clamp(0.0, 1.0) * 1000.0) as u64;
        self.bar.set_position(done);
        if self.bar.is_hidden() && done / 100 > self.told {
            self.told = done / 100;
            // As with findings: where nobody listens, there is nobody to tell so.
            let _ = writeln!(io::stderr().lock(), "{}: {} %", self.what, 10 * self.told);
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// A bar on standard error; nothing where that is no terminal.
pub(super) fn bar(steps: u64, what: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}")
        .map_or_else(|_| ProgressStyle::default_bar(), |style| style.progress_chars("=> "));
    ProgressBar::new(steps).with_style(style).with_message(what.to_owned())
}
