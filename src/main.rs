//! The `yuremono` executable, which opens the window or runs the command line, and the page in a browser.

#[cfg(not(target_arch = "wasm32"))]
use std::process::ExitCode;
#[cfg(not(target_arch = "wasm32"))]
use yuremono::{app, cli};

#[cfg(target_arch = "wasm32")]
fn main() {
    yuremono::app::browser::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> ExitCode {
    env_logger::init();
    let cli = cli::Cli::from_env();
    let lang = cli.lang_or_locale();
    if let Some(command) = &cli.command {
        return cli::run(command, lang, app::user_data_folder().as_deref());
    }
    #[cfg(windows)]
    let has_no_console = app::console::close_own();
    match app::run(cli.file, cli.lang) {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            cli::print_error(lang, &err);
            #[cfg(windows)]
            if has_no_console {
                app::console::show_error(cli::error_text(lang, &err));
            }
            ExitCode::FAILURE
        }
    }
}
