//! `yuremono render --sheet`: one picture with moments of all motions.

use super::RenderArgs;
use crate::cli::output::{ProgressReporter, RunReport, command_failure, has_extension, output_path, path_failure};
use crate::contact_sheet::{ContactSheetJob, DEFAULT_PICTURE_SIZE, SheetOptions};
use crate::renderer::OffscreenRenderer;
use yuremono_format::open::file_name;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, message};

/// Steps of the progress of the simulation.
const STEPS: u64 = 1000;

pub(super) fn run(args: &RenderArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    if !has_extension(&args.out, &["png"]) {
        return Err(path_failure(&args.out, message!("a contact sheet is a .png")));
    }
    report.check_target(&args.out, &args.simulation.input_files(&args.character))?;
    let session = args.simulation.create_session(&args.character, report)?;
    let options = SheetOptions {
        title: file_name(&args.character),
        lang: report.lang(),
        picture_size: args.style.size.unwrap_or(DEFAULT_PICTURE_SIZE),
        moments: args.moments,
        smooth: args.style.smooth,
        camera: args.style.first_camera(session.character()),
        colors: args.style.sheet_colors(),
        visible: session.character().mesh_visibility(),
        light: args.style.key_light(),
    };
    let motions = args.simulation.selected_motions(&session);
    let job = ContactSheetJob::new(&session, &motions, options)
        .map_err(|error| path_failure(&args.character, error.message()))?;
    let warning =
        |message: &MessageText| Diagnostic::warning(Location::file(file_name(&args.character)), message.clone());
    report.add_diagnostics(&job.warnings().iter().map(warning).collect::<Vec<_>>());
    // Creating the file first reports an unwritable folder before the simulation starts.
    let mut file = report.create_file(&args.out)?;
    let progress = ProgressReporter::new(STEPS, report.text(&message!("simulating")));
    let simulated = job.run(&|share| {
        progress.set_position((share * STEPS as f32) as u64);
        true
    });
    progress.finish();
    let Some(mut sheet) = simulated else { return Ok(false) };
    report.add_diagnostics(&sheet.warnings().iter().map(warning).collect::<Vec<_>>());
    let [width, height] = sheet.target_size();
    let mut offscreen = OffscreenRenderer::new(width, height)?;
    let progress = ProgressReporter::new(sheet.picture_count() as u64, report.text(&message!("drawing")));
    let (scene, target) = offscreen.scene_and_target()?;
    scene.set_character(session.character())?;
    while sheet.draw_next(scene, target)? {
        progress.step();
    }
    progress.finish();
    let pictures = sheet.drawn_count();
    let [width, height] = job.size();
    file.append(&sheet.to_png()?).map_err(command_failure)?;
    report.commit_file(&args.out, file)?;
    report.print_message(&message!(
        "{file}: {pictures} in a sheet of {width} x {height}, drawn by {driver}",
        file = output_path(&args.out),
        pictures = message!("{n:picture|pictures}", n = pictures),
        width,
        height,
        driver = offscreen.driver()
    ))?;
    report.set_field("pictures", pictures)?;
    Ok(true)
}
