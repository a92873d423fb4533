//! The `yuremono` program: a window, or a command line.

use std::path::PathBuf;

fn main() -> anyhow::Result<()> {
    env_logger::init();
    yuremono::app::run(std::env::args_os().nth(1).map(PathBuf::from))
}
