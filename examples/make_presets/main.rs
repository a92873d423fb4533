//! Writes the preset tables of the bundled character: `cargo run --example make_presets -- presets/sample`.
//!
//! The output is deterministic; a test compares it with the committed files.

mod table_variants;

use anyhow::Context as _;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).context("usage: make_presets FOLDER")?;
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", Path::new(&folder).display()))?;
    for (name, bytes) in table_variants::table_files(include_bytes!("../../assets/sample.vrm"))? {
        let path = Path::new(&folder).join(name);
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}
