//! `yuremono recover`: lists and writes the unsaved changes of windows that ended without closing.

use super::output::{RunReport, WriteOptions, failure};
use clap::ValueHint;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use yuremono_format::open::file_name;
use yuremono_format::recovery::Journal;
use yuremono_format::recovery::store::JournalFile;
use yuremono_sim::diagnostics::message;

/// Arguments of `recover`.
#[derive(Debug, clap::Args)]
pub struct RecoverArgs {
    /// Folder for the recovered projects (NAME-recovered.yure). Without this option, the changes are only listed.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Delete the changes after they were written, so that the window does not offer them again.
    #[arg(long, requires = "out")]
    discard: bool,
    #[command(flatten)]
    pub(super) write: WriteOptions,
}

/// `folder` contains the recovery journals.
pub(super) fn run(args: &RecoverArgs, folder: Option<&Path>, report: &mut RunReport) -> anyhow::Result<bool> {
    let folder = folder.ok_or_else(|| failure(message!("this system has no folder for user data")))?;
    let (found, diagnostics) = JournalFile::abandoned(folder);
    report.add_diagnostics(&diagnostics);
    let journals: Vec<&Journal> = found.iter().map(|found| &found.journal).collect();
    let names: Vec<String> = journals.iter().enumerate().map(|(at, journal)| output_name(at, journal)).collect();
    report.set_field("documents", journals.iter().map(|journal| journal_json(journal)).collect::<Vec<_>>())?;
    if journals.is_empty() {
        report.print_message(&message!("there are no unsaved changes to recover"))?;
    }
    for (journal, name) in journals.iter().zip(&names) {
        let edits = message!("{n:edit|edits}", n = journal.edits());
        let document = document_name(journal);
        report.print_message(&message!("{document}: {edits}, recoverable as {name}", document, edits, name))?;
    }
    if let Some(out) = &args.out {
        report.make_folder(out)?;
        let targets = names.iter().map(|name| out.join(name));
        let results: Vec<_> = journals.iter().zip(targets).filter(|(_, target)| !report.skips(target)).collect();
        results.iter().try_for_each(|(_, target)| report.check_target(target, &[]))?;
        for (journal, target) in &results {
            report.write(target, &journal.recovered_bytes())?;
        }
    }
    if args.discard {
        for found in found {
            found.file.delete();
        }
    }
    Ok(true)
}

/// Returns the name of the project, or of the character if the document has no file.
fn document_name(journal: &Journal) -> String {
    journal.project_path().map_or_else(|| journal.character_name(), file_name)
}

fn output_name(at: usize, journal: &Journal) -> String {
    let name = document_name(journal);
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
    let number = if at == 0 { String::new() } else { format!("-{}", at + 1) };
    format!("{stem}-recovered{number}.yure")
}

fn journal_json(journal: &Journal) -> Value {
    json!({
        "character": journal.character_name(),
        "project": journal.project_path().map(|path| path.display().to_string()),
        "edits": journal.edits(),
        "time": journal.time(),
    })
}
