//! `yuremono completions` and `yuremono man`: what packages install beside the program, made of its own arguments.

use super::{Cli, output};
use anyhow::bail;
use clap::CommandFactory as _;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// The command whose page is printed. Without it: the page of the program.
    command: Option<String>,
}

pub(super) fn completions(args: &CompletionsArgs) -> anyhow::Result<bool> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "yuremono", &mut text);
    output::print(&String::from_utf8(text)?)?;
    Ok(true)
}

pub(super) fn man(args: &ManArgs) -> anyhow::Result<bool> {
    let mut program = Cli::command();
    // Gives the sub-commands their whole names.
    program.build();
    let command = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => bail!("there is no command \"{}\"", crate::diagnostics::excerpt(name)),
        },
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    output::print(&String::from_utf8(page)?)?;
    Ok(true)
}
