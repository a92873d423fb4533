//! Tests animated images from the command line: their content as other programs decode it, and the rejected options.

use super::support::glow_renderer::headless_or_skip;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SAMPLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
/// Small images without smoothing and warm-up, so that rendering takes no longer than the motion needs.
const FAST_OPTIONS: [&str; 6] = ["--size", "48x64", "--smooth", "1", "--warm-up", "0"];

#[track_caller]
fn run_render(args: &[&str], code: i32) -> String {
    let mut command = crate::support::yuremono_command();
    let output = command.args(["render", SAMPLE_PATH]).args(args).args(FAST_OPTIONS).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{stderr}");
    stderr
}

/// Renders an animation into a temporary folder. Returns the folder and the path; `None` without an OpenGL driver.
#[track_caller]
fn render_animation(name: &str, args: &[&str]) -> Option<(TempDir, PathBuf)> {
    headless_or_skip()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join(name);
    run_render(&[args, &["--out", out.to_str().expect("UTF-8")]].concat(), 0);
    Some((folder, out))
}

/// Complete images as a viewer displays them, each with its duration in seconds.
struct DecodedAnimation {
    size: [u32; 2],
    play_count: u32,
    frames: Vec<(Vec<u8>, f64)>,
}

impl DecodedAnimation {
    #[track_caller]
    fn check_frames(&self, frames: usize, seconds: f64) {
        assert_eq!((self.size, self.frames.len()), ([48, 64], frames));
        let all: f64 = self.frames.iter().map(|p| p.1).sum();
        assert!((all - seconds).abs() < 0.011, "{all} s instead of {seconds}");
        for (n, pair) in self.frames.windows(2).enumerate() {
            assert!(mean_byte_difference(&pair[0].0, &pair[1].0) > 0.05, "frame {n} equals the next frame");
        }
    }
}

/// Returns the mean absolute difference of the bytes of two images.
fn mean_byte_difference(a: &[u8], b: &[u8]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

/// Draws a frame onto the canvas. Transparent pixels keep the canvas, unless `replace` is set.
fn blend_frame(canvas: &mut [u8], width: u32, area: [u32; 4], rgba: &[u8], replace: bool) {
    for (n, pixel) in rgba.as_chunks::<4>().0.iter().enumerate() {
        let (x, y) = (area[0] + n as u32 % area[2], area[1] + n as u32 / area[2]);
        if replace || pixel[3] > 0 {
            canvas[(y * width + x) as usize * 4..][..4].copy_from_slice(pixel);
        }
    }
}

fn clear_area(canvas: &mut [u8], width: u32, area: [u32; 4]) {
    blend_frame(canvas, width, area, &vec![0; (area[2] * area[3] * 4) as usize], true);
}

fn decode_apng(path: &Path) -> DecodedAnimation {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path).expect("written")));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().expect("a PNG");
    let info = reader.info();
    let (size, control) = ([info.width, info.height], *info.animation_control().expect("animated"));
    let mut canvas = vec![0; (size[0] * size[1] * 4) as usize];
    let mut pictures = Vec::new();
    for _ in 0..control.num_frames {
        let mut part = vec![0; reader.output_buffer_size().expect("small")];
        let info = reader.next_frame(&mut part).expect("a picture");
        let frame = *reader.info().frame_control().expect("timed");
        let area = [frame.x_offset, frame.y_offset, frame.width, frame.height];
        let part = &part[..info.buffer_size()];
        blend_frame(&mut canvas, size[0], area, part, frame.blend_op == png::BlendOp::Source);
        pictures.push((canvas.clone(), f64::from(frame.delay_num) / f64::from(frame.delay_den)));
        if frame.dispose_op == png::DisposeOp::Background {
            clear_area(&mut canvas, size[0], area);
        }
    }
    DecodedAnimation { size, play_count: control.num_plays, frames: pictures }
}

fn decode_gif(path: &Path) -> DecodedAnimation {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(BufReader::new(File::open(path).expect("written"))).expect("a GIF");
    let size = [decoder.width(), decoder.height()].map(u32::from);
    let mut canvas = vec![0; (size[0] * size[1] * 4) as usize];
    let mut pictures = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a picture") {
        let area = [frame.left, frame.top, frame.width, frame.height].map(u32::from);
        blend_frame(&mut canvas, size[0], area, &frame.buffer, false);
        pictures.push((canvas.clone(), f64::from(frame.delay) / 100.0));
        if frame.dispose == gif::DisposalMethod::Background {
            clear_area(&mut canvas, size[0], area);
        }
    }
    let plays = match decoder.repeat() {
        gif::Repeat::Infinite => 0,
        gif::Repeat::Finite(more) => u32::from(more) + 1,
    };
    DecodedAnimation { size, play_count: plays, frames: pictures }
}

#[test]
fn an_apng_has_the_requested_frames_and_duration() {
    let render_args = ["--motion", "Run", "--seconds", "0.5", "--fps", "24", "--plays", "3"];
    let Some((_folder, path)) = render_animation("run.png", &render_args) else { return };
    let shown = decode_apng(&path);
    shown.check_frames(12, 0.5);
    assert_eq!(shown.play_count, 3);
    assert!(shown.frames.iter().all(|(p, _)| p.as_chunks::<4>().0.iter().all(|p| p[3] == 255)), "opaque");
}

#[test]
fn a_folder_has_the_pictures_of_the_animation_in_the_same_order() {
    let render_args = ["--motion", "Run", "--frames", "9", "--fps", "12"];
    let Some((folder, path)) = render_animation("run.png", &render_args) else { return };
    let shown = decode_apng(&path);
    shown.check_frames(9, 0.75);
    let pictures = folder.path().join("pictures");
    run_render(&[&render_args[..], &["--out", pictures.to_str().expect("UTF-8")]].concat(), 0);
    for (frame, (expected, _)) in shown.frames.iter().enumerate() {
        let picture = image::open(pictures.join(format!("frame_{frame:04}.png"))).expect("written").into_rgba8();
        assert!(picture.as_raw() == expected, "frame {frame}");
    }
}

#[test]
fn a_gif_has_the_requested_frames_and_at_most_the_requested_colors() {
    let render_args =
        ["--motion", "Run", "--seconds", "0.5", "--fps", "30", "--colors", "24", "--background", "#304050"];
    let Some((_folder, path)) = render_animation("run.gif", &render_args) else { return };
    let shown = decode_gif(&path);
    shown.check_frames(15, 0.5);
    assert_eq!(shown.play_count, 0, "for ever");
    let colors: std::collections::BTreeSet<_> =
        shown.frames.iter().flat_map(|(p, _)| p.as_chunks::<4>().0.iter()).copied().collect();
    assert!((12..24).contains(&colors.len()), "{} colours", colors.len());
    let corner = &shown.frames[7].0[..4];
    assert!(mean_byte_difference(corner, &[0x30, 0x40, 0x50, 255]) < 3.0, "the ground is {corner:?}");
}

#[test]
fn an_animation_lasts_as_long_as_its_motion_and_loops_without_a_jump() {
    // The animation contains two periods of the motion; the second period must repeat the first.
    let render_args =
        ["--motion", "turn", "--pace", "4", "--seconds", "1.2", "--fps", "20", "--start", "3", "--view", "front"];
    let Some((_folder, path)) = render_animation("turn.apng", &render_args) else { return };
    let pictures = decode_apng(&path).frames;
    assert_eq!(pictures.len(), 24);
    let [first, middle, again] = [0, 6, 12].map(|n| &pictures[n].0);
    let (moved, returned) = (mean_byte_difference(first, middle), mean_byte_difference(first, again));
    assert!(returned < 0.2 && returned * 10.0 < moved, "{returned} after a period, {moved} after half a period");
    let seam = mean_byte_difference(&pictures[23].0, first);
    let step = mean_byte_difference(first, &pictures[1].0).max(mean_byte_difference(&pictures[22].0, &pictures[23].0));
    assert!(seam < 1.5 * step, "{seam} from the last frame to the first, {step} between adjacent frames");

    let Some((_folder, path)) = render_animation("whole.apng", &["--motion", "turn", "--pace", "4", "--fps", "10"])
    else {
        return;
    };
    decode_apng(&path).check_frames(6, 0.6);
}

#[test]
fn a_transparent_background_stays_transparent_in_both_formats() {
    let render_args = ["--motion", "Run", "--frames", "5", "--fps", "10", "--background", "none"];
    let colors = [&render_args[..], &["--colors", "64"]].concat();
    let Some((_one, all)) = render_animation("all.png", &render_args) else { return };
    let Some((_two, few)) = render_animation("few.png", &colors) else { return };
    let Some((_three, hard)) = render_animation("hard.gif", &render_args) else { return };
    let [all, few, hard] = [decode_apng(&all), decode_apng(&few), decode_gif(&hard)];
    for (at, shown) in ["film", "film of few colours", "hard one"].into_iter().zip([&all, &few, &hard]) {
        shown.check_frames(5, 0.5);
        for (picture, _) in &shown.frames {
            assert_eq!(picture[..4], [0; 4], "the corner");
            let opaque = picture.as_chunks::<4>().0.iter().filter(|p| p[3] == 255).count();
            assert!((300..2400).contains(&opaque), "{opaque} opaque pixels of 3072 of a {at}");
        }
    }
    let softest = |shown: &DecodedAnimation| {
        let pixels = shown.frames.iter().flat_map(|(p, _)| p.as_chunks::<4>().0.iter());
        pixels.filter(|p| (1..255).contains(&p[3])).count()
    };
    assert!(softest(&all) > 100 && softest(&few) > 100 && softest(&hard) == 0);
    for (a, b) in all.frames.iter().zip(&few.frames) {
        let off = mean_byte_difference(&a.0, &b.0);
        assert!(off < 8.0, "64 colours differ by {off} from full colour");
    }
}

#[test]
fn a_turntable_rotates_the_view_around_a_still_character() {
    let render_args = ["--motion", "still", "--frames", "8", "--fps", "8", "--turntable", "1", "--view", "front"];
    let Some((_folder, path)) = render_animation("round.png", &render_args) else { return };
    let shown = decode_apng(&path);
    shown.check_frames(8, 1.0);
    let Some((_folder, back)) = render_animation("back.png", &["--motion", "still", "--view", "back"]) else { return };
    let back = image::open(back).expect("a picture").into_rgba8();
    let far = |n: usize| mean_byte_difference(&shown.frames[n].0, back.as_raw());
    assert!(far(4) < far(0) && far(4) < far(2) && far(4) < far(6), "the middle frame shows the back");
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let render_args = ["--motion", "Run", "--frames", "3", "--colors", "40", "--background", "none"];
    for name in ["a.gif", "a.apng"] {
        let (Some(one), Some(two)) = (render_animation(name, &render_args), render_animation(name, &render_args))
        else {
            return;
        };
        assert!(std::fs::read(one.1).expect("written") == std::fs::read(two.1).expect("written"), "{name}");
    }
}

#[test]
fn invalid_render_arguments_are_rejected_and_leave_no_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let refused = |args: &[&str], name: &str, code: i32, reason: &str| {
        let output = run_render(&[args, &["--out", &path(name)]].concat(), code);
        assert!(output.contains(reason), "{output}");
    };
    refused(&["--frames", "0"], "a.gif", 2, "0 is not in 1..=3600");
    refused(&["--seconds", "0"], "a.gif", 2, "expected 0.01 to 600");
    refused(&["--seconds", "1", "--frames", "9"], "a.gif", 2, "cannot be used with");
    refused(&["--colors", "1"], "a.gif", 2, "1 is not in 2..=256");
    refused(&["--background", "pink"], "a.gif", 2, "expected dark, light, flat-dark, flat-light, none or a colour");
    refused(&["--seconds", "300"], "a.gif", 1, "9000 pictures are more than 3600");
    refused(&["--seconds", "1", "--fps", "60"], "a.gif", 1, "at most 50 pictures per second");
    refused(&["--motion", "still"], "a.apng", 1, "add --seconds or --frames");
    refused(&["--frames", "2"], "no/such/a.gif", 1, "cannot be written: No such file");
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 0);
    std::fs::write(path("there.gif"), b"mine").expect("written");
    refused(&["--frames", "2"], "there.gif", 1, "add --overwrite to replace it");
    assert_eq!(std::fs::read(path("there.gif")).expect("there"), b"mine");
    if headless_or_skip().is_some() {
        refused(&["--frames", "2", "--overwrite"], "there.gif", 0, "");
        assert_eq!(decode_gif(Path::new(&path("there.gif"))).frames.len(), 2);
    }
}

/// A file of more than 8 or 4 KiB cannot be written, as on a full disk.
#[cfg(unix)]
#[test]
fn clips_and_sheets_without_space_leave_the_old_file_and_no_other_file() {
    if headless_or_skip().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = assert_cmd::cargo::cargo_bin("yuremono");
    for (name, kind) in
        [("clip.gif", ["--frames", "4"]), ("clip.png", ["--frames", "4"]), ("sheet.png", ["--sheet", "--moments=2"])]
    {
        let out = folder.path().join(name);
        std::fs::write(&out, b"mine").expect("written");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh"]).arg(&program).env("LC_ALL", "C");
        command.args(["render", SAMPLE_PATH, "--motion", "Run", "--size", "96x128", "--smooth", "1", "--overwrite"]);
        let output = command.args(kind).arg("--out").arg(&out).output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name}: {stderr}");
        assert!(stderr.contains("; free some space, or save to another drive"), "{name}: {stderr}");
        assert_eq!(std::fs::read(&out).expect("the old file"), b"mine", "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 3, "only the old files are there");
}
