//! Writes the bundled sample character: `cargo run --example make_sample -- assets/sample.vrm`.
//!
//! The same bytes come out each time and on every machine; a test compares them with the committed file.

mod girl;

use anyhow::Context as _;

fn main() -> anyhow::Result<()> {
    let path = std::env::args_os().nth(1).context("usage: make_sample OUTPUT.vrm")?;
    let bytes = girl::vrm()?;
    std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
}
