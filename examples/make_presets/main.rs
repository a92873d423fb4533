//! Writes the bundled character's tables: `cargo run --example make_presets -- presets/sample`.
//!
//! The same bytes come out each time; a test compares them with the committed files.

mod moods;

use anyhow::Context as _;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).context("usage: make_presets FOLDER")?;
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", Path::new(&folder).display()))?;
    for (name, bytes) in moods::files(include_bytes!("../../assets/sample.vrm"))? {
        let path = Path::new(&folder).join(name);
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}
