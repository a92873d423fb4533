//! `-` as the name of a file: standard input for what a command reads, standard output for what it writes.

use crate::diagnostics::Diagnostic;
use crate::format::open;
use crate::format::source::{read_limited, read_stream};
use anyhow::bail;
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

const INPUT_NAME: &str = "standard input";
const OUTPUT_NAME: &str = "standard output";

/// Standard input can be read only once; some files are needed several times, first to find out what they hold.
static STDIN_BYTES: OnceLock<Result<Vec<u8>, Diagnostic>> = OnceLock::new();

/// Whether a path means standard input or standard output.
pub(super) fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a file or of standard input, at most `LARGEST_FILE`.
pub(super) fn read(path: &Path) -> Result<Cow<'static, [u8]>, Diagnostic> {
    if !is_stdio(path) {
        return read_limited(path).map(Cow::Owned);
    }
    let bytes = STDIN_BYTES.get_or_init(|| read_stream(io::stdin().lock(), INPUT_NAME));
    bytes.as_ref().map(|bytes| Cow::Borrowed(bytes.as_slice())).map_err(Clone::clone)
}

/// An input's name in messages.
pub(super) fn input_name(path: &Path) -> String {
    if is_stdio(path) { INPUT_NAME.to_owned() } else { open::file_name(path) }
}

/// An output's name in messages.
pub(super) fn output_name(path: &Path) -> String {
    if is_stdio(path) { OUTPUT_NAME.to_owned() } else { open::file_name(path) }
}

/// An output with its folder, for messages.
pub(super) fn output_path(path: &Path) -> String {
    if is_stdio(path) { OUTPUT_NAME.to_owned() } else { path.display().to_string() }
}

/// Refuses to read standard input as several files.
pub(super) fn check_single_stdin<'a>(inputs: impl IntoIterator<Item = &'a Path>) -> anyhow::Result<()> {
    if inputs.into_iter().filter(|path| is_stdio(path)).count() > 1 {
        bail!("-: only one file can be read from standard input");
    }
    Ok(())
}
