//! A test window with a small character. Commands are applied immediately.

use egui::{Pos2, UiBuilder, Vec2, vec2};
use egui_kittest::{Harness, HarnessBuilder, TestRenderer};
use glam::{Quat, Vec3};
use std::sync::Arc;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::{AppRequest, FileView, MainWindow, Prefs, UiInput, kit::fonts};
use yuremono_model::document::{
    Chain, ChainId, ChainPart, Collider, ColliderId, Document, Edit, Helper, HelperId, HelperRole, Joint, Node,
};
use yuremono_session::{Command, SelectMode, Session};
use yuremono_sim::math::Trs;
use yuremono_sim::params::find_param;
use yuremono_sim::rig::{Bone, BoneId, Character, Skeleton};
use yuremono_sim::{ColliderShape, SolverKind};

/// The left and the right tail.
pub(super) const CHAINS: [ChainId; 2] = [ChainId(1), ChainId(2)];
const JOINTS_PER_CHAIN: usize = 8;

/// A session, its window, and all requests sent so far.
pub(super) struct InspectorFixture {
    pub(super) session: Session,
    pub(super) ui: MainWindow,
    pub(super) is_sample: bool,
    pub(super) lang: Lang,
    pub(super) commands: Vec<Command>,
    pub(super) requests: Vec<AppRequest>,
}

/// Returns two tails on a head, and a ribbon without a chain.
fn character() -> Character {
    let mut bones = Vec::new();
    let mut bone = |name: String, parent: Option<u32>, at: Vec3| {
        bones.push(Bone { name, parent: parent.map(BoneId), rest: Trs::from_translation(at) });
        bones.len() as u32 - 1
    };
    let hips = bone("Hips".to_owned(), None, Vec3::Y * 0.9);
    let chest = bone("Chest".to_owned(), Some(hips), Vec3::Y * 0.3);
    let head = bone("Head".to_owned(), Some(chest), Vec3::Y * 0.3);
    for (side, x) in [("L", 1.0), ("R", -1.0)] {
        let mut above = head;
        for i in 1..=JOINTS_PER_CHAIN + 1 {
            let at = if i == 1 { Vec3::new(0.1 * x, 0.1, 0.0) } else { Vec3::new(0.02 * x, -0.1, 0.0) };
            above = bone(format!("TwinTail_{side}_{i:02}"), Some(above), at);
        }
    }
    let ribbon = bone("Ribbon_L_01".to_owned(), Some(chest), Vec3::Z * 0.1);
    bone("Ribbon_L_02".to_owned(), Some(ribbon), Vec3::Y * -0.1);
    Character {
        name: "girl.vrm".to_owned(),
        skeleton: Skeleton::new(bones).expect("parents first"),
        ..Character::default()
    }
}

fn document(character: &Character) -> Document {
    let mut document = Document::default();
    let skeleton = &character.skeleton;
    let node = |name: &str| Node::Bone(skeleton.find(name).expect("made above"));
    let mut put = |edit| document.apply(edit).expect("a fitting edit");
    for (i, (name, parent)) in [("Head_collider", "Head"), ("Chest_collider", "Chest")].into_iter().enumerate() {
        let id = HelperId(i as u32 + 1);
        let helper =
            Helper { name: name.to_owned(), parent: node(parent), local: Trs::IDENTITY, role: HelperRole::Plain };
        put(Edit::PutHelper { id, helper: Some(helper) });
        let shape = if i == 0 {
            ColliderShape::Sphere { radius: 0.1, inside: false }
        } else {
            ColliderShape::Capsule { radius: 0.1, height: 0.2, inside: false }
        };
        let collider = Collider::new(name.to_owned(), Node::Helper(id), shape);
        put(Edit::PutCollider { id: ColliderId(i as u32 + 1), collider: Some(collider) });
    }
    let pivot = HelperId(9);
    let local = Trs { rotation: Quat::from_rotation_z(1.4), ..Trs::IDENTITY };
    put(Edit::PutHelper {
        id: pivot,
        helper: Some(Helper {
            name: "TwinTail_Pivot".to_owned(),
            parent: node("Head"),
            local,
            role: HelperRole::Plain,
        }),
    });
    let table = SolverKind::default().info().params;
    for (id, side) in CHAINS.into_iter().zip(["L", "R"]) {
        let joints = (1..=JOINTS_PER_CHAIN)
            .map(|i| Joint {
                pivot: Some(Node::Helper(pivot)),
                colliders: vec![ColliderId(1)],
                ..Joint::new(skeleton.find(&format!("TwinTail_{side}_{i:02}")).expect("made above"))
            })
            .collect();
        let mut chain = Chain::new(format!("TwinTail_{side}"), ChainPart::Hair, table, joints);
        for (name, value) in
            [("stiffnessForce", 623.0), ("dragForce", 0.22), ("radius", 0.03), ("yAngleLimits.max", 20.0)]
        {
            chain.values[find_param(table, name).expect("a row").index()].base = value;
        }
        put(Edit::PutChain { id, chain: Some(Box::new(chain)) });
    }
    document
}

/// Returns a fixture with the two tails; the character does not move.
pub(super) fn twin_tail_fixture() -> InspectorFixture {
    let character = character();
    let document = document(&character);
    let mut session = Session::new(Arc::new(character), document);
    session.handle(Command::SetPlaying(false));
    InspectorFixture {
        session,
        ui: MainWindow::default(),
        is_sample: false,
        lang: Lang::En,
        commands: Vec::new(),
        requests: Vec::new(),
    }
}

/// Returns a fixture with the bundled character.
pub(super) fn sample_fixture() -> InspectorFixture {
    let opened = crate::support::sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetPlaying(false));
    InspectorFixture { session, is_sample: true, ..twin_tail_fixture() }
}

fn show_frame(ui: &mut egui::Ui, fixture: &mut InspectorFixture) {
    let full = ui.ctx().content_rect();
    let mut child = ui.new_child(UiBuilder::new().max_rect(full));
    child.set_clip_rect(full);
    let input = UiInput {
        session: &fixture.session,
        file: FileView { name: "girl.vrm", is_sample: fixture.is_sample, ..FileView::default() },
        draw_character: &|_, _, _| None,
        bounds: None,
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
    let output = fixture.ui.show(&mut child, &input);
    for command in &output.commands {
        fixture.session.handle(command.clone());
    }
    fixture.commands.extend(output.commands);
    fixture.requests.extend(output.requests);
}

fn harness_builder(size: Vec2) -> HarnessBuilder<InspectorFixture> {
    Harness::builder()
        .with_size(size)
        .with_step_dt(1.0 / 60.0)
        .with_max_steps(400)
        .with_context_setup(fonts::install_unhinted)
}

/// Returns the window without animation, tall enough for all rows.
pub(super) fn harness(fixture: InspectorFixture) -> Harness<'static, InspectorFixture> {
    sized_harness(fixture, vec2(1440.0, 2000.0))
}

/// Returns the window at another size, without animation.
pub(super) fn sized_harness(mut fixture: InspectorFixture, size: Vec2) -> Harness<'static, InspectorFixture> {
    let prefs = Prefs { lang: fixture.lang, reduce_motion: true, ..Prefs::default() };
    fixture.ui = MainWindow::new(prefs);
    fixture.ui.state_mut().outliner_tab = yuremono::ui::OutlinerTab::Bones;
    let mut harness = harness_builder(size).build_ui_state(show_frame, fixture);
    harness.run();
    harness
}

/// Returns the window for a picture.
pub(super) fn picture_harness(
    mut fixture: InspectorFixture,
    prefs: Prefs,
    size: Vec2,
    density: f32,
    renderer: impl TestRenderer + 'static,
) -> Harness<'static, InspectorFixture> {
    fixture.lang = prefs.lang;
    fixture.ui = MainWindow::new(prefs);
    fixture.ui.state_mut().outliner_tab = yuremono::ui::OutlinerTab::Bones;
    let builder = harness_builder(size).with_pixels_per_point(density).renderer(renderer);
    let mut harness = builder.build_ui_state(show_frame, fixture);
    harness.run();
    harness
}

/// Selects the joint at this index, like a click in the tree.
pub(super) fn select_joint(harness: &mut Harness<'_, InspectorFixture>, chain: ChainId, joint: usize) {
    let bone = harness.state().session.document().chains[&chain].joints[joint].bone;
    harness.state_mut().session.handle(Command::Select(vec![bone], SelectMode::Replace));
    harness.run();
}

/// Presses the pointer, moves it in small steps, and releases it.
pub(super) fn drag(harness: &mut Harness<'_, InspectorFixture>, from: Pos2, to: Pos2) {
    harness.hover_at(from);
    harness.run();
    harness.drag_at(from);
    harness.run();
    for i in 1..=8_u8 {
        harness.hover_at(from + (to - from) * f32::from(i) / 8.0);
        harness.run();
    }
    harness.drop_at(to);
    harness.run();
}
