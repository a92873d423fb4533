//! Compares our `UnityChanSpringBone` solver with motion recorded from the original code.
//!
//! The recordings are in Unity space and are replayed with X mirrored. Each step is compared separately, starting from
//! the recorded state. A free run is also compared frame by frame. The tolerances follow from the distance between the
//! recording and an independent replay in f64 (see `tolerances.json`). `YUREMONO_GOLDEN` can name another folder of
//! recordings with the same layout.

mod coverage;
mod recording;
mod replay;

use super::support::files_below;
use recording::Recording;
use replay::{MaxError, Replay};
use std::path::PathBuf;

/// Tolerance of one step, in metres and degrees. `UnityChanSpringBone` computes with 24-bit mantissas, which are
/// accurate to half a micrometre at 5 m.
const MIN_STEP_TOLERANCE: (f64, f64) = (3e-6, 0.01);
/// Tolerance of the first [`EARLY_FRAMES`] frames of a free run, in metres.
const EARLY_FREE_RUN_TOLERANCE: f64 = 2e-4;
const EARLY_FRAMES: usize = 30;
/// Minimum tolerance of a free run, in metres and degrees.
const MIN_FREE_RUN_TOLERANCE: (f64, f64) = (1e-5, 0.02);
/// Tolerance of a free run without `tolerances.json`. For the worst scaled recording of release 1.1, the independent
/// replay deviates by 3e-5 m and 0.04 degrees. The similar recordings of release 1.2.2 have no tolerances; our solver
/// deviates from them by 1e-4 m and 0.05 degrees.
const UNKNOWN_FREE_RUN_TOLERANCE: (f64, f64) = (2e-4, 0.1);

fn recordings_folder() -> PathBuf {
    std::env::var_os("YUREMONO_GOLDEN")
        .map_or_else(|| crate::support::root().join("tests/golden"), PathBuf::from)
        .join("unitychan")
}

/// Returns all recordings in the folder and its subfolders, with names.
fn recordings() -> Vec<(String, Recording)> {
    let folder = recordings_folder();
    let is_recording = |path: &PathBuf| path.to_string_lossy().contains(".json") && !path.ends_with("tolerances.json");
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&folder).expect("inside").to_string_lossy().into_owned();
        (name, Recording::read(&path))
    };
    files_below(&folder, &["json", "gz"]).into_iter().filter(is_recording).map(read).collect()
}

/// Returns the tolerance of one step of a recording.
fn step_tolerance(recording: &Recording) -> (f64, f64) {
    recording.tolerance.map_or(MIN_STEP_TOLERANCE, |t| {
        (MIN_STEP_TOLERANCE.0.max(5.0 * t.step_tip), MIN_STEP_TOLERANCE.1.max(5.0 * t.step_rotation))
    })
}

/// Returns the tolerance of a free run of a recording after its first frames.
fn free_run_tolerance(recording: &Recording) -> (f64, f64) {
    recording.tolerance.map_or(UNKNOWN_FREE_RUN_TOLERANCE, |t| {
        (MIN_FREE_RUN_TOLERANCE.0.max(10.0 * t.free_run_tip), MIN_FREE_RUN_TOLERANCE.1.max(10.0 * t.free_run_rotation))
    })
}

fn unaltered_replay(recording: &Recording) -> Replay<'_> {
    Replay::new(recording, &|_| {})
}

/// Returns descriptions of all violated tolerances of a recording.
#[expect(clippy::print_stdout, reason = "how near each recording is met is worth reading")]
fn mismatches(name: &str, recording: &Recording) -> Vec<String> {
    let mut replay = unaltered_replay(recording);
    let start = replay.start_error();
    let steps = std::iter::from_fn(|| replay.step_from_recorded_state()).fold(MaxError::default(), MaxError::max);
    let mut replay = unaltered_replay(recording);
    let free: Vec<MaxError> = std::iter::from_fn(|| replay.step_frame()).collect();
    let early = free.iter().take(EARLY_FRAMES).copied().fold(MaxError::default(), MaxError::max);
    let late = free.iter().skip(EARLY_FRAMES).copied().fold(MaxError::default(), MaxError::max);
    println!(
        "{name}: one step {:.1e} m {:.1e} deg; free run {:.1e} m {:.1e} deg, its start {:.1e} m",
        steps.tip, steps.rotation, late.tip, late.rotation, early.tip
    );
    let (step_limit, free_limit) = (step_tolerance(recording), free_run_tolerance(recording));
    let checks = [
        ("rest pose", start, MIN_STEP_TOLERANCE),
        ("one step", steps, step_limit),
        ("first frames", early, (EARLY_FREE_RUN_TOLERANCE, f64::INFINITY)),
        ("free run", late, free_limit),
    ];
    let failed = checks.into_iter().filter(|(_, off, limit)| !off.is_within(limit.0, limit.1));
    failed.map(|(what, off, limit)| format!("{name}: {what} is off by {off:?}, allowed are {limit:?}")).collect()
}

#[test]
fn every_recording_is_reproduced() {
    let all = recordings();
    assert!(!all.is_empty(), "there is no recording in {}", recordings_folder().display());
    let failed: Vec<String> = all.iter().flat_map(|(name, recording)| mismatches(name, recording)).collect();
    println!("{} recordings, {} complaints", all.len(), failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
