//! Measures the CPU cost of one frame of the window: advance the session, draw the interface, tessellate. The graphics
//! card is not measured. Run `cargo bench --bench frame`.
//!
//! The default character has 672 joints in chains of eight. All chains are visible, and a motion plays. The benchmark
//! prints the median and the 95th percentile of the frame times. A file given as an argument replaces the default
//! character. In two rows, each frame edits a value, without and with autosave. The next rows show everything that
//! explains a motion, and seven variants side by side, without the pictures of the bodies.

#![expect(clippy::print_stdout, reason = "the table is the result")]

use egui::{Context, Pos2, RawInput, Rect, vec2};
use glam::Vec3;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use yuremono::app::autosave::{Autosave, AutosaveState, ContentKey, SavedDocument};
use yuremono::ui::{DrawerTab, FileView, MainWindow, Prefs, UiInput, kit::fonts};
use yuremono_format::open;
use yuremono_format::project::ProjectMetadata;
use yuremono_model::document::{ChainPart, Document, Edit};
use yuremono_model::tools::detect;
use yuremono_session::{Command, CompareWith, SelectMode, Session, SweepSettings, SweepSubject};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, BoneId, Character, Skeleton};
use yuremono_sim::solver::spring_bone::STIFFNESS;

const CHAIN_COUNT: u32 = 84;
const JOINTS_PER_CHAIN: u32 = 8;
const FRAME_COUNT: usize = 300;

fn main() {
    if cfg!(target_os = "linux") && has_run_with_kept_memory() {
        return;
    }
    let file = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let (name, mut session) = match file {
        Some(file) => {
            let opened = open::character(Path::new(&file), &|_| true)
                .expect("a readable character")
                .converted_to(yuremono_sim::SolverKind::UnityChanSpringBone);
            (file, Session::new(opened.character, opened.document))
        }
        None => ("made for the measurement".to_owned(), heavy_session()),
    };
    println!("{name}: {} bones, {} joints", session.character().skeleton.len(), session.document().joint_count());
    println!("{:>22} {:>12} {:>12}", "", "median ms", "95 % ms");
    print_row("nothing selected", &mut session, PLAIN, &mut |_| ());
    let chain = session.document().chains.values().next().expect("a chain");
    let (root, joints) = (chain.root(), chain.joints.len());
    session.handle(Command::Select(vec![root], SelectMode::Replace));
    print_row(&format!("a chain of {joints} selected"), &mut session, PLAIN, &mut |_| ());
    print_row("edited", &mut session, PLAIN, &mut edit);
    let folder = tempfile::tempdir().expect("a folder");
    let mut autosave = Autosave::start(folder.path().to_path_buf()).expect("a started autosave");
    let state = autosave_state(&session);
    autosave.begin(SavedDocument { project: None, is_read_only: false, state }, Some(content_key(&session)));
    print_row("edited and autosaved", &mut session, PLAIN, &mut |session| {
        edit(session);
        autosave.update(content_key(session), 1, || autosave_state(session));
    });
    autosave.finish();
    print_row("with arrows", &mut session, Shown { arrows: true, graph: false }, &mut |_| ());
    session.handle(Command::Compare(Box::new(CompareWith::AsLoaded)));
    print_row("arrows, graph, ghost", &mut session, Shown { arrows: true, graph: true }, &mut |_| ());
    let subject = SweepSubject::Param(STIFFNESS);
    session.handle(Command::StartSweep(SweepSettings { subject, low: 0.2, high: 0.8, count: 7 }));
    assert!(session.sweep().is_some(), "a running sweep");
    print_row("seven variants", &mut session, PLAIN, &mut |_| ());
}

/// What explains the motion of the selected chain.
#[derive(Clone, Copy)]
struct Shown {
    arrows: bool,
    graph: bool,
}

const PLAIN: Shown = Shown { arrows: false, graph: false };

/// Alternates the stiffness of the selected chain between two values.
fn edit(session: &mut Session) {
    let is_even = session.history().current_state().is_multiple_of(2);
    session.handle(Command::SetParam(STIFFNESS, if is_even { 0.5 } else { 0.6 }));
}

fn content_key(session: &Session) -> ContentKey {
    ContentKey { state_number: session.history().current_state(), motions: 0 }
}

fn autosave_state(session: &Session) -> AutosaveState {
    AutosaveState {
        character: session.character().clone(),
        document: session.document().clone(),
        metadata: ProjectMetadata::default(),
    }
}

/// Runs the benchmark again with an allocator that keeps freed memory. Returns `false` in that run.
///
/// By default, glibc returns the end of the heap to the system after each frame of this small process, and each frame takes
/// twice as long. The window does not lose this time, because the graphics driver uses the same heap.
fn has_run_with_kept_memory() -> bool {
    const SETTINGS: [(&str, &str); 2] =
        [("MALLOC_TRIM_THRESHOLD_", "134217728"), ("MALLOC_MMAP_THRESHOLD_", "33554432")];
    if SETTINGS.iter().any(|(name, _)| std::env::var_os(name).is_some()) {
        return false;
    }
    let program = std::env::current_exe().expect("a program");
    let mut again = std::process::Command::new(program);
    let status = again.args(std::env::args_os().skip(1)).envs(SETTINGS).status().expect("a started program");
    assert!(status.success(), "the benchmark failed");
    true
}

/// `before_frame` runs in the measured time of each frame.
fn print_row(what: &str, session: &mut Session, shown: Shown, before_frame: &mut dyn FnMut(&mut Session)) {
    let mut times = frame_times_ms(session, shown, before_frame);
    times.sort_by(f64::total_cmp);
    println!("{what:>22} {:>12.2} {:>12.2}", times[times.len() / 2], times[times.len() * 19 / 20]);
}

/// Returns the milliseconds of each frame after the warm-up.
#[expect(clippy::disallowed_methods, reason = "this measures time")]
fn frame_times_ms(session: &mut Session, shown: Shown, before_frame: &mut dyn FnMut(&mut Session)) -> Vec<f64> {
    let ctx = Context::default();
    fonts::install(&ctx);
    let mut prefs = Prefs::default();
    prefs.toggles.causes = shown.arrows;
    let mut ui = MainWindow::new(prefs);
    ui.state_mut().drawer_tab = shown.graph.then_some(DrawerTab::Graph);
    let mut times = Vec::new();
    for frame in 0..FRAME_COUNT {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(1440.0, 900.0))),
            time: Some(frame as f64 / 60.0),
            ..RawInput::default()
        };
        let start = Instant::now();
        before_frame(session);
        session.advance(1.0 / 60.0);
        let mut commands = Vec::new();
        let output = ctx.run_ui(input, |root| {
            let view = UiInput {
                session,
                file: FileView { name: "heavy.vrm", ..FileView::default() },
                draw_character: &|_, _, _| None,
                bounds: Some([Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0)]),
                step_seconds: 0.0,
                picture: yuremono::ui::PictureStatus::default(),
                motion_fit: yuremono::ui::TaskStatus::Idle,
                bake: yuremono::ui::TaskStatus::Idle,
                clipping: yuremono::ui::TaskStatus::Idle,
                doctor: yuremono::ui::TaskStatus::Idle,
                capture: yuremono::ui::CaptureView::default(),
                live: yuremono::ui::LiveView::default(),
                environment: "",
                hovered_files: &[],
            };
            commands = ui.show(root, &view).commands;
        });
        for command in commands {
            session.handle(command);
        }
        let meshes = ctx.tessellate(output.shapes, output.pixels_per_point);
        let spent = start.elapsed().as_secs_f64() * 1e3;
        assert!(!meshes.is_empty(), "something is drawn");
        if frame >= FRAME_COUNT / 10 {
            times.push(spent);
        }
    }
    times
}

/// Starts a session with a head that has chains all around.
fn heavy_session() -> Session {
    let bone = |name: String, parent: Option<u32>, at: Vec3| Bone {
        name,
        parent: parent.map(BoneId),
        rest: Trs::from_translation(at),
    };
    let mut bones = vec![bone("Hips".to_owned(), None, Vec3::Y), bone("Head".to_owned(), Some(0), Vec3::Y * 0.6)];
    for chain in 0..CHAIN_COUNT {
        let around = glam::Quat::from_rotation_y(chain as f32 * 2.399_963);
        for joint in 0..=JOINTS_PER_CHAIN {
            let (parent, at) =
                if joint == 0 { (1, around * Vec3::X * 0.1) } else { (bones.len() as u32 - 1, Vec3::Y * -0.05) };
            bones.push(bone(format!("Hair_{chain:02}_{joint:02}"), Some(parent), at));
        }
    }
    let mut character = Character {
        skeleton: Skeleton::new(bones).expect("parents first"),
        name: "heavy".to_owned(),
        ..Character::default()
    };
    character.humanoid.set("hips", BoneId(0));
    character.humanoid.set("head", BoneId(1));
    let mut document = Document::default();
    for chain in 0..CHAIN_COUNT {
        let root = BoneId(2 + chain * (JOINTS_PER_CHAIN + 1));
        let made =
            detect::create_chain(root, &character.skeleton, &document, ChainPart::Hair, document.main_system_id())
                .expect("a free bone");
        let id = document.next_chain_id();
        document.apply(Edit::PutChain { id, chain: Some(Box::new(made)) }).expect("a sound chain");
    }
    Session::new(Arc::new(character), document)
}
