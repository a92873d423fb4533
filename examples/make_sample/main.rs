//! Writes the bundled sample character and her rig under other names: `cargo run --example make_sample -- assets`.
//!
//! The same bytes come out each time and on every machine; a test compares them with the committed files.

mod girl;

use anyhow::Context as _;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).context("usage: make_sample FOLDER")?;
    let write = |name: &str, bytes: Vec<u8>| {
        let path = Path::new(&folder).join(name);
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
    };
    write("sample.vrm", girl::vrm()?)?;
    let [blender, japanese] = girl::rigs()?;
    write("sample-rig-blender.vrm", blender)?;
    write("sample-rig-japanese.vrm", japanese)
}
