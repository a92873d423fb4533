//! Helpers that several test modules use.

pub(crate) mod glow_renderer;
pub(crate) mod tube;
pub(crate) mod window;

pub(crate) use yuremono_test_support::*;

/// Returns a command for the `yuremono` program, with English messages in any locale.
pub(crate) fn yuremono_command() -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("yuremono").expect("built with the tests");
    command.env("LC_ALL", "C");
    command
}

/// Returns the names of all commands of the program.
pub(crate) fn command_names() -> Vec<String> {
    let program = <yuremono::cli::Cli as clap::CommandFactory>::command();
    program.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// Returns the first label of a role with this start and end. Such a search is needed because limit labels contain the
/// parent of their chain.
pub(crate) fn find_label<S>(h: &egui_kittest::Harness<'_, S>, role: egui::Role, start: &str, end: &str) -> String {
    use egui_kittest::kittest::{NodeT as _, Queryable as _};
    let labels = h.get_all_by_role(role).filter_map(|node| node.accesskit_node().label());
    let mut found = labels.filter(|label| label.starts_with(start) && label.ends_with(end));
    found.next().unwrap_or_else(|| panic!("no {role:?} is called {start}…{end}"))
}
