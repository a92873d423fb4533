//! Tests contact sheets: the command line, and drawing in a context that another program uses too.

use super::cli_files::{check_cli, check_cli_json};
use super::support::glow_renderer::headless_or_skip;
use super::support::tube::tube;
use eframe::glow::{self, HasContext as _};
use std::path::Path;
use std::sync::Arc;
use yuremono::contact_sheet::{ContactSheetJob, SheetColors, SheetError, SheetOptions};
use yuremono::renderer::{OffscreenTarget, SceneRenderer};
use yuremono::stage::{KeyLight, OrbitCamera};
use yuremono::ui::kit::i18n::Lang;
use yuremono_model::document::Document;
use yuremono_session::{Motion, Session, all_motions};
use yuremono_sim::rig::Clip;

const SAMPLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");

fn options() -> SheetOptions {
    SheetOptions {
        title: "tube.glb".to_owned(),
        lang: Lang::Ja,
        picture_size: [40, 50],
        moments: 2,
        smooth: 1.0,
        camera: OrbitCamera::default(),
        colors: SheetColors::DARK,
        visible: Vec::new(),
        light: KeyLight::default(),
    }
}

/// A session of a tube with an animation for each name, of no duration.
fn tube_session(clips: &[&str]) -> Session {
    let clip = |name: &&str| Clip { name: (*name).to_owned(), duration: 0.0, channels: Vec::new() };
    let character = yuremono_sim::rig::Character { clips: clips.iter().map(clip).collect(), ..tube(4, 9, 8) };
    Session::new(Arc::new(character), Document::default())
}

#[test]
fn motions_without_a_duration_are_left_out_with_a_warning() {
    let session = tube_session(&["空", "Pose"]);
    let job = ContactSheetJob::new(&session, &all_motions(&session), options()).expect("the built-in motions");
    let warnings: Vec<String> = job.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert_eq!(warnings[0], "the motion \"空\" has no duration, so it is left out");
    let sheet = job.run(&|_| true).expect("not cancelled");
    assert_eq!(sheet.picture_count(), 12, "six built-in motions need no legs");
    let error = ContactSheetJob::new(&session, &[Motion::Clip(1)], options()).expect_err("nothing is left");
    assert_eq!(error.to_string(), "the motion \"Pose\" has no duration, so it is left out");
    assert!(job.run(&|share| share < 0.5).is_none(), "cancelled");
}

#[test]
fn the_rest_pose_has_one_picture_and_a_sheet_that_is_too_large_is_rejected_before_the_simulation() {
    let session = tube_session(&[]);
    let job = ContactSheetJob::new(&session, &[Motion::Still], options()).expect("the rest pose");
    assert_eq!(job.run(&|_| true).map(|sheet| sheet.picture_count()), Some(1));
    let huge = SheetOptions { picture_size: [8192, 8192], moments: 60, ..options() };
    let error = ContactSheetJob::new(&session, &all_motions(&session), huge).expect_err("too large");
    assert!(matches!(error, SheetError::TooLarge { .. }), "{error}");
}

#[test]
#[expect(unsafe_code, reason = "a framebuffer is bound and queried as egui could do it")]
fn drawing_in_the_context_of_a_window_keeps_its_framebuffer() {
    let Some(headless) = headless_or_skip() else { return };
    let session = tube_session(&[]);
    let job = ContactSheetJob::new(&session, &all_motions(&session)[..2], options()).expect("two motions");
    let mut sheet = job.run(&|_| true).expect("not cancelled");
    let mut scene = SceneRenderer::new(headless.gl.clone()).expect("shaders compile");
    scene.set_character(session.character()).expect("the shaders compile");
    let gl = &headless.gl;
    // SAFETY: the context is current, and the framebuffer is deleted after its last use.
    let window = unsafe {
        let framebuffer = gl.create_framebuffer().expect("a framebuffer");
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        framebuffer
    };
    let bindings = [glow::DRAW_FRAMEBUFFER_BINDING, glow::READ_FRAMEBUFFER_BINDING];
    // SAFETY: the calls only query state.
    let bound = || bindings.map(|binding| unsafe { gl.get_parameter_framebuffer(binding) });
    let [width, height] = sheet.target_size();
    let target = OffscreenTarget::new(&scene, width, height).expect("a small target");
    assert_eq!(bound(), [Some(window); 2]);
    while sheet.draw_next(&mut scene, &target).expect("drawn") {
        assert_eq!(bound(), [Some(window); 2]);
    }
    assert_eq!(sheet.drawn_count(), 4);
    // SAFETY: nothing uses the framebuffer any more.
    unsafe { gl.delete_framebuffer(window) };
    let picture = image::load_from_memory(&sheet.to_png().expect("encoded")).expect("a PNG").into_rgba8();
    assert_eq!([picture.width(), picture.height()], job.size());
    let page = SheetColors::DARK.page.expect("an opaque page");
    assert_eq!(picture.get_pixel(0, 0).0[..3], page);
    // The tube is in the middle of each picture, and its lower half is red.
    let red = picture.pixels().filter(|p| i32::from(p.0[0]) > i32::from(p.0[2]) + 40).count();
    assert!(red > 4 * 40, "{red} red pixels");
}

fn path_str(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn the_command_line_writes_a_sheet_of_all_motions_or_of_one() {
    if headless_or_skip().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (all, one) = (folder.path().join("all.png"), folder.path().join("one.png"));
    let fast = ["--size", "40x50", "--smooth", "1", "--moments", "2"];
    let sheet = |out: &Path, more: &[&str]| {
        let args = [&["render", SAMPLE_PATH, "--sheet", "--json", "--out", path_str(out)], &fast[..], more].concat();
        check_cli_json(&args, 0)
    };
    assert_eq!(sheet(&all, &[])["files"][0]["pictures"], 2 * 19, "ten animations and nine built-in motions");
    assert_eq!(sheet(&one, &["--motion", "Spin", "--background", "none"])["files"][0]["pictures"], 2);
    let [all, one] = [&all, &one].map(|path| image::open(path).expect("a picture").into_rgba8());
    assert!(all.len() > 9 * one.len(), "{:?} {:?}", all.dimensions(), one.dimensions());
    assert_eq!(all.get_pixel(0, 0).0[3], 255);
    assert_eq!(one.get_pixel(0, 0).0[3], 0, "the page is transparent");
    let colors: std::collections::BTreeSet<_> = all.pixels().map(|p| p.0).collect();
    assert!(colors.len() > 500, "{} colours", colors.len());
}

#[test]
fn invalid_sheets_are_rejected_and_leave_the_old_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let refused = |args: &[&str], name: &str, code: i32, reason: &str| {
        let out = path(name);
        let args = [&["render", SAMPLE_PATH, "--out", &out], args].concat();
        let (_, stderr) = check_cli(&args, code);
        assert!(stderr.contains(reason), "{args:?}: {stderr}");
    };
    std::fs::write(path("old.png"), b"mine").expect("written");
    refused(&["--sheet", "--frames", "2"], "a.png", 2, "cannot be used with");
    refused(&["--sheet", "--turntable", "1"], "a.png", 2, "cannot be used with");
    refused(&["--moments", "2"], "a.png", 2, "--sheet");
    refused(&["--sheet", "--moments", "0"], "a.png", 2, "0 is not in 1..=60");
    refused(&["--sheet"], "a.gif", 1, "a contact sheet is a .png");
    refused(&["--sheet"], "old.png", 1, "add --overwrite to replace it");
    refused(&["--sheet", "--motion", "nope"], "a.png", 1, "there is no motion \"nope\"");
    refused(&["--sheet", "--size", "8192x8192", "--overwrite"], "old.png", 1, "pixels; at most");
    refused(&["--sheet"], "no/such/a.png", 1, "cannot be written: No such file");
    assert_eq!(std::fs::read(path("old.png")).expect("there"), b"mine");
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 1);
}
