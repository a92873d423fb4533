//! The `yuremono` program: a window, or a command line.

use clap::Parser as _;
use std::io::Write as _;
use std::process::ExitCode;
use yuremono::cli::Cli;

fn main() -> ExitCode {
    env_logger::init();
    let cli = Cli::parse();
    let done = match &cli.command {
        Some(command) => yuremono::cli::run(command, yuremono::app::preset_folder().as_deref()),
        None => yuremono::app::run(cli.file).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(err) => {
            // Where nobody listens, the exit code has to do.
            let _ = writeln!(std::io::stderr(), "error: {}", yuremono::diagnostics::one_line(&format!("{err:#}")));
            ExitCode::from(cli.command.as_ref().map_or(1, yuremono::cli::CliCommand::error_code))
        }
    }
}
