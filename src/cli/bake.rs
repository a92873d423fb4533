//! `yuremono bake`: the simulated motion as an animation file.

use super::batch::Batch;
use super::file_jobs::JobsOption;
use super::input::input_name;
use super::load::{self, NamedCharacter, parse_number};
use super::options::{CharactersArgs, MAX_SECONDS, single_file};
use super::output::{
    RunReport, WriteOptions, command_failure, failure, file_failure, has_extension, is_folder, output_name,
    output_path, path_failure,
};
use super::simulation_args::{SimulationArgs, stability_diagnostics};
use clap::ValueHint;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use yuremono_format::baked_motion::WrittenMotion;
use yuremono_format::gltf::external_files;
use yuremono_format::source::copy_external_files;
use yuremono_format::tables::is_read_only_character;
use yuremono_format::vrm;
use yuremono_model::document::ChainId;
use yuremono_session::{
    BakeError, BakeJob, BakeOptions, BakedFormat, BakedMotion, LoopClosure, LoopReport, SeamReason, SeamSize, Session,
};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, join_first_names, message};

/// Steps of the progress bar.
const PROGRESS_STEPS: u64 = 1000;

/// Arguments of `bake`.
#[derive(Debug, clap::Args)]
pub struct BakeArgs {
    #[command(flatten)]
    characters: CharactersArgs,
    #[command(flatten)]
    simulation: SimulationArgs,
    /// Start of the baked range, in seconds of the motion at its original speed.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, MAX_SECONDS))]
    from: f32,
    /// End of the baked range, in seconds of the motion at its original speed. Default: the end of the motion. A motion
    /// repeats in a longer range.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, MAX_SECONDS))]
    to: Option<f32>,
    /// Repeat the motion until the swing repeats too, and make the last key equal to the first. A small seam is blended;
    /// a larger one is reported with its joint.
    #[arg(long = "loop")]
    looped: bool,
    /// Keys per second, 1 to 1000. The simulation always runs at 60 steps per second.
    #[arg(long, value_name = "KEYS", default_value_t = 60.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 1.0, 1000.0))]
    rate: f32,
    /// Bake only chains whose name or first bone matches: a word within the name, or the whole name with * and ?. Other
    /// chains are simulated, but get no keys.
    #[arg(long, value_name = "CHAINS", num_args = 1..)]
    chains: Vec<String>,
    /// Remove keys that interpolation reproduces; bones and tips stay within this distance in millimetres.
    #[arg(long, value_name = "MM", default_value_t = 0.1, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0001, 1000.0))]
    max_error: f32,
    /// Keep all keys.
    #[arg(long, conflicts_with = "max_error")]
    all_keys: bool,
    /// Kind of the results in a folder. Default: the characters with their new animation.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<BakedFormat>,
    /// Output: the character with one more animation (.glb, .vrm, .gltf), a VRM animation with the humanoid bones (.vrma), a
    /// table with every key of every bone (.csv), or a folder.
    #[arg(long, value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    out: PathBuf,
    #[command(flatten)]
    jobs: JobsOption,
    #[command(flatten)]
    pub(super) write: WriteOptions,
}

/// The formats by their names on the command line.
const FORMATS: [(&str, BakedFormat); 3] =
    [("character", BakedFormat::Character), ("vrma", BakedFormat::Vrma), ("csv", BakedFormat::Csv)];

fn format_parser() -> impl TypedValueParser<Value = BakedFormat> {
    let by_key = |key: String| FORMATS.into_iter().find(|(known, _)| *known == key);
    PossibleValuesParser::new(FORMATS.map(|(key, _)| key))
        .map(move |key| by_key(key).map_or(BakedFormat::Character, |(_, format)| format))
}

/// The format of an extension; `None` if no format has it.
fn format_of_path(path: &Path) -> Option<BakedFormat> {
    if has_extension(path, &["glb", "vrm", "gltf"]) {
        Some(BakedFormat::Character)
    } else if has_extension(path, &["vrma"]) {
        Some(BakedFormat::Vrma)
    } else {
        has_extension(path, &["csv"]).then_some(BakedFormat::Csv)
    }
}

/// The extension of the result for a character.
fn extension(format: BakedFormat, character: &Path) -> String {
    match format {
        BakedFormat::Vrma => "vrma".to_owned(),
        BakedFormat::Csv => "csv".to_owned(),
        BakedFormat::Character => {
            let file = NamedCharacter::find(character).map_or_else(|_| character.to_owned(), |named| named.file);
            let extension = file.extension().filter(|_| !is_read_only_character(&file));
            extension.map_or_else(|| "glb".into(), |extension| extension.to_string_lossy().into_owned())
        }
    }
}

#[derive(Debug, Serialize)]
struct BakeSummary {
    #[serde(skip)]
    written: String,
    /// Name of the animation.
    animation: String,
    frames: usize,
    bones: usize,
    keys: usize,
    all_keys: usize,
    error_mm: f32,
    error_degrees: f32,
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    loop_summary: Option<LoopSummary>,
}

#[derive(Debug, Serialize)]
struct LoopSummary {
    cycles: u32,
    closure: &'static str,
    seam_degrees: f32,
    degrees_bone: String,
    seam_mm: f32,
    mm_bone: String,
}

impl LoopSummary {
    fn new(report: &LoopReport) -> Self {
        let closure = match report.closure {
            LoopClosure::Closed => "closed",
            LoopClosure::Blended { .. } => "blended",
            LoopClosure::Open(SeamReason::MotionDoesNotLoop) => "motion-does-not-loop",
            LoopClosure::Open(SeamReason::NeverSettles) => "never-settles",
            LoopClosure::Open(SeamReason::Chaotic) => "chaotic",
        };
        let SeamSize { degrees, degrees_bone, metres, metres_bone } = report.seam.clone();
        Self {
            cycles: report.cycles,
            closure,
            seam_degrees: degrees,
            degrees_bone,
            seam_mm: 1000.0 * metres,
            mm_bone: metres_bone,
        }
    }
}

pub(super) fn run(args: &BakeArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let characters = args.characters.paths()?;
    if let Some(character) = single_file(&characters)
        && let Some(format) = format_of_path(&args.out)
    {
        return run_single(args, character, format, report);
    }
    run_batch(args, &characters, report)
}

fn run_single(args: &BakeArgs, character: &Path, format: BakedFormat, report: &mut RunReport) -> anyhow::Result<bool> {
    if args.format.is_some_and(|asked| asked != format) {
        return Err(path_failure(&args.out, message!("--format contradicts the extension of --out")));
    }
    report.check_target(&args.out, &args.simulation.input_files(character))?;
    report.set_only_file(character);
    args.bake_character(character, &args.out, format, report)
}

fn run_batch(args: &BakeArgs, characters: &[PathBuf], report: &mut RunReport) -> anyhow::Result<bool> {
    if format_of_path(&args.out).is_some() && !args.out.is_dir() {
        return Err(path_failure(&args.out, message!("the results of several characters need a folder")));
    }
    is_folder(&args.out, &message!(".glb, .vrm, .gltf, .vrma, .csv or a folder"))?;
    let format = args.format.unwrap_or(BakedFormat::Character);
    let extension = |character: &Path| extension(format, character);
    let shared = args.simulation.shared_input_files();
    let batch = Batch::find(characters, &args.out, &extension, &shared, report)?;
    let bake =
        |character: &Path, target: &Path, one: &mut RunReport| args.bake_character(character, target, format, one);
    batch.run(args.jobs, report, bake)
}

impl BakeArgs {
    /// Bakes the motion of one character. Everything that can be checked is checked before the simulation.
    fn bake_character(
        &self,
        character: &Path,
        target: &Path,
        format: BakedFormat,
        report: &mut RunReport,
    ) -> anyhow::Result<bool> {
        let name = input_name(character);
        let NamedCharacter { file: character_file, .. } = NamedCharacter::find(character)?;
        let bytes = load::read_gltf(&character_file).map_err(command_failure)?;
        if format == BakedFormat::Character {
            vrm::check_extension(&bytes, &output_name(target)).map_err(command_failure)?;
        }
        let session = self.simulation.create_session(character, report)?;
        report.add_diagnostics(missing_bone_findings(&session, &name).as_slice());
        let options = self.options(&session, format, &name)?;
        let failed = |err: &BakeError| file_failure(name.clone(), err.message());
        let mut job = BakeJob::new(&session, options).map_err(|err| failed(&err))?;
        let early_findings = job.findings(&name);
        report.add_diagnostics(&early_findings);
        let early_losses = format.check(&job, &bytes, &name).map_err(command_failure)?;
        report.add_losses(&early_losses);
        // Creating the file first reports an unwritable folder before the simulation.
        let mut file = report.create_file(target)?;
        let baked = run_job(&mut job, report)?.map_err(|err| failed(&err))?;
        report.add_diagnostics(&stability_diagnostics(&session));
        report.add_diagnostics(&without(baked.findings(job.character(), &name), &early_findings));
        let written = baked.to_file(format, job.character(), &bytes, &name).map_err(command_failure)?;
        report.add_losses(&without(written.losses.clone(), &early_losses));
        file.append(&written.bytes).map_err(command_failure)?;
        if format == BakedFormat::Character {
            // If other files are in the way, the animation is not written either.
            report.fail_if_strict_or_lossy()?;
            copy_missing_external_files(&bytes, &character_file, target, report)?;
        }
        report.commit_file(target, file)?;
        let summary = BakeSummary::new(target, &written, &baked);
        report.set_fields(&summary)?;
        report.print_message(&summary.message())?;
        Ok(true)
    }

    fn options(&self, session: &Session, format: BakedFormat, name: &str) -> anyhow::Result<BakeOptions> {
        // A table has every key.
        let reduces_keys = !self.all_keys && format != BakedFormat::Csv;
        Ok(BakeOptions {
            key_rate: f64::from(self.rate),
            start: f64::from(self.from),
            end: self.to.map(f64::from),
            preroll: self.simulation.warm_up().unwrap_or(0.0),
            looped: self.looped,
            chains: self.chains_of(session, name)?,
            max_error: reduces_keys.then_some(self.max_error / 1000.0),
            with_wind: true,
        })
    }

    /// The chains of `--chains`. A pattern without a match is an error.
    fn chains_of(&self, session: &Session, name: &str) -> anyhow::Result<Option<BTreeSet<ChainId>>> {
        let mut chains = BTreeSet::new();
        for pattern in &self.chains {
            let found = session.inspection().chains_matching(pattern).chains;
            if found.is_empty() {
                let known = session.document().chains.values().map(|chain| chain.name.clone()).collect::<Vec<_>>();
                let message = message!(
                    "no chain matches \"{pattern}\"; there are {known}",
                    pattern = excerpt(pattern),
                    known = join_first_names(&known)
                );
                return Err(file_failure(name, message));
            }
            chains.extend(found);
        }
        Ok((!self.chains.is_empty()).then_some(chains))
    }
}

fn run_job(job: &mut BakeJob, report: &RunReport) -> anyhow::Result<Result<BakedMotion, BakeError>> {
    let progress = report.progress(PROGRESS_STEPS, report.text(&message!("simulating")));
    let baked = job.run(&|share| {
        progress.set_position((share * PROGRESS_STEPS as f32) as u64);
        true
    });
    progress.finish();
    baked.ok_or_else(|| failure(message!("cancelled")))
}

/// The diagnostics that are not in `known`.
fn without(mut diagnostics: Vec<Diagnostic>, known: &[Diagnostic]) -> Vec<Diagnostic> {
    diagnostics.retain(|diagnostic| !known.contains(diagnostic));
    diagnostics
}

/// A `.gltf` in another folder needs the files that it refers to.
fn copy_missing_external_files(
    bytes: &[u8],
    character: &Path,
    target: &Path,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    let folder = target.parent().unwrap_or(Path::new(""));
    let names = external_files(bytes);
    let beside = names.iter().map(|name| folder.join(name));
    if !names.is_empty() {
        // Characters of one folder can share files.
        report.wait_for_earlier_files();
    }
    let missing: Vec<PathBuf> = beside.filter(|path| !path.exists()).collect();
    report.add_diagnostics(&copy_external_files(&names, character, target).map_err(command_failure)?);
    missing.into_iter().filter(|path| path.exists()).for_each(|path| report.add_written_file(path));
    Ok(())
}

/// Joints of the setup whose bones the character does not have.
fn missing_bone_findings(session: &Session, name: &str) -> Option<Diagnostic> {
    let missing: Vec<String> = session.document().missing_bones_in_use().into_iter().map(|(_, bone)| bone).collect();
    (!missing.is_empty()).then(|| {
        let names = join_first_names(&missing);
        let message = message!("the character lacks bones of the setup, which are not baked: {names}", names);
        Diagnostic::warning(Location::file(name), message)
    })
}

impl BakeSummary {
    fn new(target: &Path, file: &WrittenMotion, baked: &BakedMotion) -> Self {
        let frames = baked.track.times().len();
        Self {
            written: target.display().to_string(),
            animation: file.name.clone(),
            frames,
            bones: file.bones,
            keys: file.keys,
            all_keys: file.channels * frames,
            error_mm: 1000.0 * file.error.metres,
            error_degrees: file.error.degrees,
            loop_summary: baked.loop_report.as_ref().map(LoopSummary::new),
        }
    }

    fn message(&self) -> MessageText {
        let file = output_path(Path::new(&self.written));
        let frames = message!("{n:frame|frames}", n = self.frames);
        let bones = message!("{n:bone|bones}", n = self.bones);
        let cycles = self.loop_summary.as_ref().map_or_else(
            || MessageText::from(""),
            |summary| {
                let cycles = message!("{n:cycle|cycles}", n = summary.cycles as usize);
                message!(", loop after {cycles}", cycles)
            },
        );
        if self.keys == self.all_keys {
            return message!(
                "{file}: {frames} of {bones}{cycles}; all {keys} keys",
                file,
                frames,
                bones,
                cycles,
                keys = self.keys
            );
        }
        message!(
            "{file}: {frames} of {bones}{cycles}; {keys} of {all} keys, off by at most {distance} mm and {angle} degrees",
            file,
            frames,
            bones,
            cycles,
            keys = self.keys,
            all = self.all_keys,
            distance = format!("{:.3}", self.error_mm),
            angle = format!("{:.3}", self.error_degrees)
        )
    }
}
