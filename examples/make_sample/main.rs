//! Writes the bundled sample character, and its rig with other bone names: `cargo run --example make_sample -- assets`.
//!
//! Every machine writes the same bytes; a test compares the output with the committed files.

mod character;

use anyhow::Context as _;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).context("usage: make_sample FOLDER")?;
    let write = |name: &str, bytes: Vec<u8>| {
        let path = Path::new(&folder).join(name);
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
    };
    write("sample.vrm", character::sample_vrm()?)?;
    let [blender, japanese] = character::renamed_rigs()?;
    write("sample-rig-blender.vrm", blender)?;
    write("sample-rig-japanese.vrm", japanese)
}
