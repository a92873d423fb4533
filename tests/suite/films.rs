//! Moving pictures from the command line: what another program finds in the files, and what is refused.

use super::support::glow_renderer::headless_or_skip;
use assert_cmd::Command;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
/// Small, and without the warm-up, so that a film takes no longer than its own motion.
const QUICK: [&str; 6] = ["--size", "48x64", "--smooth", "1", "--warm-up", "0"];

#[track_caller]
fn render(args: &[&str], code: i32) -> String {
    let mut command = Command::cargo_bin("yuremono").expect("built with the tests");
    let output = command.args(["render", SAMPLE]).args(args).args(QUICK).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{said}");
    said
}

/// A folder, a path in it, and the film there; `None` without a driver.
#[track_caller]
fn film(name: &str, args: &[&str]) -> Option<(TempDir, PathBuf)> {
    headless_or_skip()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join(name);
    render(&[args, &["--out", out.to_str().expect("UTF-8")]].concat(), 0);
    Some((folder, out))
}

/// Whole pictures as a viewer shows them, each with its seconds.
struct Shown {
    size: [u32; 2],
    plays: u32,
    pictures: Vec<(Vec<u8>, f64)>,
}

impl Shown {
    #[track_caller]
    fn check(&self, frames: usize, seconds: f64) {
        assert_eq!((self.size, self.pictures.len()), ([48, 64], frames));
        let all: f64 = self.pictures.iter().map(|p| p.1).sum();
        assert!((all - seconds).abs() < 0.011, "{all} s instead of {seconds}");
        for (n, pair) in self.pictures.windows(2).enumerate() {
            assert!(apart(&pair[0].0, &pair[1].0) > 0.05, "pictures {n} and the next are one");
        }
    }
}

/// How far the bytes of two pictures are apart, on average.
fn apart(a: &[u8], b: &[u8]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

/// Lays a part over what is shown; what is clear leaves it, unless it replaces.
fn lay(canvas: &mut [u8], width: u32, area: [u32; 4], rgba: &[u8], replace: bool) {
    for (n, pixel) in rgba.as_chunks::<4>().0.iter().enumerate() {
        let (x, y) = (area[0] + n as u32 % area[2], area[1] + n as u32 / area[2]);
        if replace || pixel[3] > 0 {
            canvas[(y * width + x) as usize * 4..][..4].copy_from_slice(pixel);
        }
    }
}

fn clear(canvas: &mut [u8], width: u32, area: [u32; 4]) {
    lay(canvas, width, area, &vec![0; (area[2] * area[3] * 4) as usize], true);
}

fn apng(path: &Path) -> Shown {
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
        lay(&mut canvas, size[0], area, part, frame.blend_op == png::BlendOp::Source);
        pictures.push((canvas.clone(), f64::from(frame.delay_num) / f64::from(frame.delay_den)));
        if frame.dispose_op == png::DisposeOp::Background {
            clear(&mut canvas, size[0], area);
        }
    }
    Shown { size, plays: control.num_plays, pictures }
}

fn gif(path: &Path) -> Shown {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(BufReader::new(File::open(path).expect("written"))).expect("a GIF");
    let size = [decoder.width(), decoder.height()].map(u32::from);
    let mut canvas = vec![0; (size[0] * size[1] * 4) as usize];
    let mut pictures = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a picture") {
        let area = [frame.left, frame.top, frame.width, frame.height].map(u32::from);
        lay(&mut canvas, size[0], area, &frame.buffer, false);
        pictures.push((canvas.clone(), f64::from(frame.delay) / 100.0));
        if frame.dispose == gif::DisposalMethod::Background {
            clear(&mut canvas, size[0], area);
        }
    }
    let plays = match decoder.repeat() {
        gif::Repeat::Infinite => 0,
        gif::Repeat::Finite(more) => u32::from(more) + 1,
    };
    Shown { size, plays, pictures }
}

#[test]
fn an_animated_png_has_the_pictures_and_the_time_that_were_asked_for() {
    let asked = ["--motion", "Run", "--seconds", "0.5", "--fps", "24", "--plays", "3"];
    let Some((_folder, path)) = film("run.png", &asked) else { return };
    let shown = apng(&path);
    shown.check(12, 0.5);
    assert_eq!(shown.plays, 3);
    assert!(shown.pictures.iter().all(|(p, _)| p.as_chunks::<4>().0.iter().all(|p| p[3] == 255)), "opaque");
}

#[test]
fn a_gif_has_them_too_and_takes_few_colors() {
    let asked = ["--motion", "Run", "--seconds", "0.5", "--fps", "30", "--colors", "24", "--background", "#304050"];
    let Some((_folder, path)) = film("run.gif", &asked) else { return };
    let shown = gif(&path);
    shown.check(15, 0.5);
    assert_eq!(shown.plays, 0, "for ever");
    let colors: std::collections::BTreeSet<_> =
        shown.pictures.iter().flat_map(|(p, _)| p.as_chunks::<4>().0.iter()).copied().collect();
    assert!((12..24).contains(&colors.len()), "{} colours", colors.len());
    let corner = &shown.pictures[7].0[..4];
    assert!(apart(corner, &[0x30, 0x40, 0x50, 255]) < 3.0, "the ground is {corner:?}");
}

#[test]
fn a_film_lasts_as_long_as_its_motion_and_ends_where_it_begins() {
    // A film of two rounds, of which the second must be the first again.
    let asked =
        ["--motion", "turn", "--pace", "4", "--seconds", "1.2", "--fps", "20", "--start", "3", "--view", "front"];
    let Some((_folder, path)) = film("turn.apng", &asked) else { return };
    let pictures = apng(&path).pictures;
    assert_eq!(pictures.len(), 24);
    let [first, middle, again] = [0, 6, 12].map(|n| &pictures[n].0);
    let (moved, returned) = (apart(first, middle), apart(first, again));
    assert!(returned < 0.2 && returned * 10.0 < moved, "{returned} after a round, {moved} after half of it");
    let seam = apart(&pictures[23].0, first);
    let step = apart(first, &pictures[1].0).max(apart(&pictures[22].0, &pictures[23].0));
    assert!(seam < 1.5 * step, "{seam} from the last to the first, {step} from one to the next");

    let Some((_folder, path)) = film("whole.apng", &["--motion", "turn", "--pace", "4", "--fps", "10"]) else { return };
    apng(&path).check(6, 0.6);
}

#[test]
fn a_clear_ground_stays_clear_in_both_formats() {
    let asked = ["--motion", "Run", "--frames", "5", "--fps", "10", "--background", "none"];
    let colors = [&asked[..], &["--colors", "64"]].concat();
    let Some((_one, all)) = film("all.png", &asked) else { return };
    let Some((_two, few)) = film("few.png", &colors) else { return };
    let Some((_three, hard)) = film("hard.gif", &asked) else { return };
    let [all, few, hard] = [apng(&all), apng(&few), gif(&hard)];
    for (at, shown) in ["film", "film of few colours", "hard one"].into_iter().zip([&all, &few, &hard]) {
        shown.check(5, 0.5);
        for (picture, _) in &shown.pictures {
            assert_eq!(picture[..4], [0; 4], "the corner");
            let opaque = picture.as_chunks::<4>().0.iter().filter(|p| p[3] == 255).count();
            assert!((300..2400).contains(&opaque), "{opaque} opaque pixels of 3072 of a {at}");
        }
    }
    let softest = |shown: &Shown| {
        let pixels = shown.pictures.iter().flat_map(|(p, _)| p.as_chunks::<4>().0.iter());
        pixels.filter(|p| (1..255).contains(&p[3])).count()
    };
    assert!(softest(&all) > 100 && softest(&few) > 100 && softest(&hard) == 0);
    for (a, b) in all.pictures.iter().zip(&few.pictures) {
        let off = apart(&a.0, &b.0);
        assert!(off < 8.0, "64 colours are {off} away from all");
    }
}

#[test]
fn a_turntable_goes_round_a_character_that_stands_still() {
    let asked = ["--motion", "still", "--frames", "8", "--fps", "8", "--turntable", "1", "--view", "front"];
    let Some((_folder, path)) = film("round.png", &asked) else { return };
    let shown = apng(&path);
    shown.check(8, 1.0);
    let Some((_folder, back)) = film("back.png", &["--motion", "still", "--view", "back"]) else { return };
    let back = image::open(back).expect("a picture").into_rgba8();
    let far = |n: usize| apart(&shown.pictures[n].0, back.as_raw());
    assert!(far(4) < far(0) && far(4) < far(2) && far(4) < far(6), "half-way round is her back");
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let asked = ["--motion", "Run", "--frames", "3", "--colors", "40", "--background", "none"];
    for name in ["a.gif", "a.apng"] {
        let (Some(one), Some(two)) = (film(name, &asked), film(name, &asked)) else { return };
        assert!(std::fs::read(one.1).expect("written") == std::fs::read(two.1).expect("written"), "{name}");
    }
}

#[test]
fn what_cannot_be_done_is_said_and_nothing_is_left_behind() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let refused = |args: &[&str], name: &str, code: i32, reason: &str| {
        let said = render(&[args, &["--out", &path(name)]].concat(), code);
        assert!(said.contains(reason), "{said}");
    };
    refused(&["--frames", "0"], "a.gif", 2, "0 is not in 1..=3600");
    refused(&["--seconds", "0"], "a.gif", 2, "expected 0.01 to 600");
    refused(&["--seconds", "1", "--frames", "9"], "a.gif", 2, "cannot be used with");
    refused(&["--colors", "1"], "a.gif", 2, "1 is not in 2..=256");
    refused(&["--background", "pink"], "a.gif", 2, "expected dark, light, none or a colour");
    refused(&["--seconds", "300"], "a.gif", 1, "9000 pictures are more than 3600");
    refused(&["--seconds", "1", "--fps", "60"], "a.gif", 1, "at most 50 pictures a second");
    refused(&["--motion", "still"], "a.apng", 1, "say --seconds or --frames");
    refused(&["--frames", "2"], "no/such/a.gif", 1, "cannot be written: No such file");
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 0);
    std::fs::write(path("there.gif"), b"mine").expect("written");
    refused(&["--frames", "2"], "there.gif", 1, "say --overwrite to replace it");
    assert_eq!(std::fs::read(path("there.gif")).expect("there"), b"mine");
    if headless_or_skip().is_some() {
        refused(&["--frames", "2", "--overwrite"], "there.gif", 0, "");
        assert_eq!(gif(Path::new(&path("there.gif"))).pictures.len(), 2);
    }
}
