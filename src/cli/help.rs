//! The help and the errors of the command line in the user's language.
//!
//! clap supports only English texts. As in [`message!`], the English text is the key of its translation. A final full
//! stop is not part of the key.

use super::Cli;
use super::output::print_diagnostics;
use crate::ui::kit::i18n::{Lang, find_translation};
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory as _, FromArgMatches as _};
use std::borrow::Cow;
use std::io::Write as _;
use std::path::Path;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, join_texts, message};

/// Parses the arguments of the process. Prints help or an error and exits if there is no command to run.
pub(super) fn parse() -> Cli {
    // Parsing may print help, so the language must be known before.
    let lang = requested_lang().unwrap_or_else(Lang::from_env);
    let mut command = command(lang);
    if let Some(message) = misspelt_command(&command) {
        exit_with_message(message, lang);
    }
    let parsed = command.try_get_matches_from_mut(std::env::args_os()).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        // `args_conflicts_with_subcommands` would also reject `--lang` before a command.
        if cli.file.is_none() || cli.command.is_none() {
            return Ok(cli);
        }
        let mut err = clap::Error::new(ErrorKind::ArgumentConflict).with_cmd(&command);
        err.insert(ContextKind::InvalidArg, ContextValue::String("[FILE]".to_owned()));
        err.insert(ContextKind::PriorArg, ContextValue::String("<COMMAND>".to_owned()));
        Err(err)
    });
    parsed.unwrap_or_else(|err| exit_with_error(&err, lang))
}

/// Returns the message about a first argument that is neither a file nor a command, but is similar to a command. clap would
/// take the argument for a file.
fn misspelt_command(command: &Command) -> Option<MessageText> {
    let args = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    let mut args = args.skip_while(|arg| arg.starts_with("--lang="));
    let first = args.next()?;
    let first = if first == "--lang" { args.nth(1)? } else { first };
    let is_word =
        !first.is_empty() && first.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && !first.starts_with('-');
    if !is_word || command.find_subcommand(&first).is_some() || Path::new(&first).exists() {
        return None;
    }
    let similar = similar_command(command, &first)?;
    Some(message!("there is no command \"{name}\"; did you mean \"{similar}\"?", name = first, similar))
}

/// Returns the command with the most similar name.
pub(super) fn similar_command(command: &Command, name: &str) -> Option<String> {
    const MIN_SIMILARITY: f64 = 0.8;
    let similarity = |other: &str| strsim::jaro_winkler(other, name);
    let names = command.get_subcommands().map(Command::get_name).filter(|other| similarity(other) >= MIN_SIMILARITY);
    names.max_by(|a, b| similarity(a).total_cmp(&similarity(b))).map(str::to_owned)
}

#[expect(clippy::exit, reason = "clap also ends the program after an error of the command line")]
fn exit_with_message(message: MessageText, lang: Lang) -> ! {
    /// The exit code of clap for errors of the command line.
    const USAGE_ERROR: i32 = 2;
    print_diagnostics(lang, &[Diagnostic::error(Location::default(), message)]);
    std::process::exit(USAGE_ERROR)
}

/// Returns the language that `--lang` requests.
fn requested_lang() -> Option<Lang> {
    let mut args = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned());
    let option = args.find(|arg| arg == "--lang" || arg.starts_with("--lang="))?;
    let value = option.split_once('=').map(|(_, value)| value.to_owned()).or_else(|| args.next())?;
    Some(Lang::from_locale(&value))
}

#[expect(clippy::exit, reason = "clap also ends the program after an error of the command line")]
fn exit_with_error(err: &clap::Error, lang: Lang) -> ! {
    let Some(message) = error_message(err).filter(|_| lang != Lang::En) else { err.exit() };
    print_diagnostics(lang, &[Diagnostic::error(Location::default(), message)]);
    if let Some(usage) = err.get(ContextKind::Usage).map(ToString::to_string) {
        let (usage, heading) = (usage.trim_start_matches("Usage: "), lang.tr(message!("Usage")));
        // If standard error is closed, there is no other output for the error.
        let _ = writeln!(std::io::stderr(), "\n{heading}:\n       {usage}");
    }
    std::process::exit(err.exit_code())
}

/// Returns the message of a command line error, or `None` for help and for errors that only clap can describe.
fn error_message(err: &clap::Error) -> Option<MessageText> {
    let text = |kind| err.get(kind).map(ToString::to_string);
    let arg = text(ContextKind::InvalidArg);
    let value = text(ContextKind::InvalidValue);
    Some(match err.kind() {
        ErrorKind::InvalidValue if value.as_ref().is_none_or(String::is_empty) => {
            message!("a value is required for '{arg}'", arg = arg?)
        }
        ErrorKind::InvalidValue => message!(
            "invalid value '{value}' for '{arg}'; expected one of {known}",
            value = value?,
            arg = arg?,
            known = match err.get(ContextKind::ValidValue)? {
                ContextValue::Strings(values) => join_texts(values.iter().cloned().map(Into::into)),
                _ => return None,
            }
        ),
        ErrorKind::ValueValidation => {
            let source = std::error::Error::source(err)?;
            let reason = source.downcast_ref::<MessageText>().cloned();
            message!(
                "invalid value '{value}' for '{arg}': {reason}",
                value = value?,
                arg = arg?,
                reason = reason.unwrap_or_else(|| source.to_string().into())
            )
        }
        ErrorKind::UnknownArgument => message!("unexpected argument '{arg}'", arg = arg?),
        ErrorKind::InvalidSubcommand => {
            message!("there is no command \"{name}\"", name = text(ContextKind::InvalidSubcommand)?)
        }
        ErrorKind::MissingRequiredArgument => message!("these arguments are required: {args}", args = arg?),
        ErrorKind::ArgumentConflict => message!(
            "'{arg}' cannot be used with {other}",
            arg = arg?,
            other = text(ContextKind::PriorArg).map_or_else(|| message!("other arguments"), MessageText::from)
        ),
        _ => return None,
    })
}

/// Returns the command line parser with its help in a language.
pub(super) fn command(lang: Lang) -> Command {
    let mut command = Cli::command();
    // Sets the full names of the commands, and adds clap's own arguments.
    command.build();
    if lang == Lang::En { command } else { translated(command, lang) }
}

fn translated(command: Command, lang: Lang) -> Command {
    let text = |english: &StyledStr| translated_help(&english.to_string(), lang);
    let (about, long) = (command.get_about().map(text), command.get_long_about().map(text));
    let after = command.get_after_help().map(|english| translated_paragraph(&english.to_string(), lang));
    let header = *command.get_styles().get_header();
    let arguments = if command.get_arguments().next().is_some() { "\n\n{all-args}" } else { "" };
    let usage = lang.tr(message!("Usage"));
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{header}{usage}:{header:#}\n       {{usage}}{arguments}{{after-help}}"
    );
    let command = command
        .help_template(template)
        .subcommand_help_heading(lang.tr(message!("Commands")))
        .mut_args(|arg| translated_arg(arg, lang))
        .mut_subcommands(|command| translated(command, lang));
    let command = if let Some(about) = about { command.about(about) } else { command };
    let command = if let Some(long) = long { command.long_about(long) } else { command };
    if let Some(after) = after { command.after_help(after) } else { command }
}

/// Translates the help of an argument, and adds defaults and possible values, which clap would add in English.
fn translated_arg(arg: Arg, lang: Lang) -> Arg {
    let heading = if arg.is_positional() { message!("Arguments") } else { message!("Options") };
    let english = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut help = translated_help(&english, lang);
    if arg.get_action().takes_values() {
        let defaults = join_texts(arg.get_default_values().iter().map(|value| value.to_string_lossy().as_ref().into()));
        let shown = if arg.is_hide_possible_values_set() { Vec::new() } else { arg.get_possible_values() };
        let values = join_texts(shown.iter().map(|value| value.get_name().into()));
        for (values, note) in [
            (&defaults, message!("default: {values}", values = &defaults)),
            (&values, message!("possible values: {values}", values = &values)),
        ] {
            if !values.is_empty() {
                help.extend([" [", &lang.tr(&note), "]"]);
            }
        }
    }
    let long = arg.get_long_help().map(|long| translated_help(&long.to_string(), lang));
    let arg = arg.help(help).help_heading(lang.tr(&heading));
    let arg = if let Some(long) = long { arg.long_help(long) } else { arg };
    arg.hide_default_value(true).hide_possible_values(true)
}

fn translated_help(english: &str, lang: Lang) -> String {
    let paragraphs: Vec<_> = english.split("\n\n").map(|paragraph| translated_paragraph(paragraph, lang)).collect();
    paragraphs.join("\n\n")
}

fn translated_paragraph(english: &str, lang: Lang) -> String {
    let key = english.strip_suffix('.').unwrap_or(english);
    find_translation(lang, key).map_or_else(|| english.to_owned(), Cow::into_owned)
}
