//! Measures the CPU cost of one frame of the window: advance the session, draw the interface, tessellate. The graphics
//! card is not measured. Run `cargo bench --bench frame`.
//!
//! The default character has 672 joints in chains of eight. All chains are visible, and a motion plays. The benchmark
//! prints the median and the 95th percentile of the frame times. A file given as an argument replaces the default
//! character.

#![expect(clippy::print_stdout, reason = "the table is the result")]

use egui::{Context, Pos2, RawInput, Rect, vec2};
use glam::Vec3;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use yuremono::document::{ChainPart, Document, Edit};
use yuremono::format::open;
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Character, Skeleton};
use yuremono::session::{Command, SelectMode, Session};
use yuremono::tools::detect;
use yuremono::ui::{FileView, MainWindow, Prefs, UiInput, kit::fonts};

const CHAIN_COUNT: u32 = 84;
const JOINTS_PER_CHAIN: u32 = 8;
const FRAME_COUNT: usize = 300;

fn main() {
    let file = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let (name, mut session) = match file {
        Some(file) => {
            let opened = open::character(Path::new(&file), &|_| true)
                .expect("a readable character")
                .converted_to(yuremono::sim::SolverKind::UnityChanSpringBone);
            (file, Session::new(opened.character, opened.document))
        }
        None => ("made for the measurement".to_owned(), heavy_session()),
    };
    println!("{name}: {} bones, {} joints", session.character().skeleton.len(), session.document().joint_count());
    println!("{:>22} {:>12} {:>12}", "", "median ms", "95 % ms");
    print_row("nothing selected", &mut session);
    let chain = session.document().chains.values().next().expect("a chain");
    let (root, joints) = (chain.root(), chain.joints.len());
    session.handle(Command::Select(vec![root], SelectMode::Replace));
    print_row(&format!("a chain of {joints} selected"), &mut session);
}

fn print_row(what: &str, session: &mut Session) {
    let mut times = frame_times_ms(session);
    times.sort_by(f64::total_cmp);
    println!("{what:>22} {:>12.2} {:>12.2}", times[times.len() / 2], times[times.len() * 19 / 20]);
}

/// Returns the milliseconds of each frame after the warm-up.
#[expect(clippy::disallowed_methods, reason = "this measures time")]
fn frame_times_ms(session: &mut Session) -> Vec<f64> {
    let ctx = Context::default();
    fonts::install(&ctx);
    let mut ui = MainWindow::new(Prefs::default());
    let mut times = Vec::new();
    for frame in 0..FRAME_COUNT {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(1440.0, 900.0))),
            time: Some(frame as f64 / 60.0),
            ..RawInput::default()
        };
        let start = Instant::now();
        session.advance(1.0 / 60.0);
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
            };
            ui.show(root, &view);
        });
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
