//! Random sequences of commands: no panic, no NaN, undo leads to the start, redo to the end, and a saved document loads as
//! it was.

use crate::documents::{after_under, plain, random_edit};
use crate::support::{self, cases};
use glam::{Quat, Vec3};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use yuremono::diagnostics::{Diagnostic, Location};
use yuremono::document::{
    BaseMotion, ChainId, ChainPart, Collider, ColliderId, CurveDomain, Document, Edit, EditLabel, Force, ForceId,
    Gesture, GestureId, GestureSample, GroupId, Helper, HelperId, HelperRole, MaterialId, MotionRef, Node, SystemId,
    groups, material,
};
use yuremono::feel::{convert::convert, convert::convert_chains};
use yuremono::format::project::{self, ProjectMetadata};
use yuremono::format::{builtin_presets, open};
use yuremono::math::{Curve, CurveKey, CurveShape, Interpolation, Trs};
use yuremono::params::{ParamId, ParamScope as RowScope, enumerate_params};
use yuremono::rig::{BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip};
use yuremono::session::{
    Command, ComponentTool, Message, MessageId, Motion, PresetId, SceneObject, SelectMode, Session, TICK_SECONDS,
    TuningScope,
};
use yuremono::sim::{ColliderShape, FeelParam, ForceKind, SolverKind};
use yuremono::stage::TestMotion;
use yuremono::tools::swing_limits::SwingLimitKind;
use yuremono::tools::{components, setup_cleanup};

/// Commands of one sequence.
const COMMANDS: usize = 200;

/// A pattern for each variant of [`Command`], and what makes one of it. The patterns are one exhaustive match, so that a
/// new variant does not compile without what makes it.
macro_rules! commands {
    ($($variant:pat => $make:expr,)*) => {
        /// The place of a command's variant in the list.
        fn variant(command: &Command) -> &'static str {
            match command { $($variant => stringify!($variant),)* }
        }

        /// What makes each variant, in the order of the list.
        const GENERATORS: &[(&str, fn(&mut Roll<'_>) -> Command)] = &[$((stringify!($variant), $make)),*];
    };
}

commands! {
    Command::SetParam(..) => |r| { let row = r.row(); Command::SetParam(row, r.value_of(row)) },
    Command::SetParams(..) => |r| {
        let rows: Vec<_> = (0..r.below(3)).map(|_| (r.row(), r.number())).collect();
        Command::SetParams("set", rows)
    },
    Command::SetParamBase(..) => |r| { let row = r.row(); Command::SetParamBase(r.chains(), row, r.value_of(row)) },
    Command::ScaleParam(..) => |r| Command::ScaleParam(r.row(), r.number()),
    Command::ResetParams(_) => |r| Command::ResetParams((0..r.below(3)).map(|_| r.row()).collect()),
    Command::SetOriginalDefaults(_) => |r| Command::SetOriginalDefaults((0..r.below(3)).map(|_| r.row()).collect()),
    Command::SetParamCurve(..) => |r| Command::SetParamCurve(r.row(), r.curve()),
    Command::SetCurveDomain(_) => |r| Command::SetCurveDomain(r.one_of(&[CurveDomain::Depth, CurveDomain::Length])),
    Command::SetLimitsEnabled(..) => |r| Command::SetLimitsEnabled((0..r.below(3)).map(|_| r.row()).collect(), r.coin()),
    Command::SetFeel(..) => |r| Command::SetFeel(r.one_of(&FeelParam::ALL), r.number()),
    Command::SetFeelBase(..) => |r| Command::SetFeelBase(r.chains(), r.one_of(&FeelParam::ALL), r.number()),
    Command::ScaleFeel(..) => |r| Command::ScaleFeel(r.one_of(&FeelParam::ALL), r.number()),
    Command::ResetFeel(_) => |r| Command::ResetFeel(r.one_of(&FeelParam::ALL)),
    Command::SetFeelCurve(..) => |r| Command::SetFeelCurve(r.one_of(&FeelParam::ALL), r.curve()),
    Command::AssignColliders(..) => |r| Command::AssignColliders(vec![r.collider()], r.coin()),
    Command::AssignGroup(..) => |r| Command::AssignGroup(r.group(), r.coin(), "group".to_owned()),
    Command::SetCenter(_) => |r| Command::SetCenter(r.coin().then(|| r.real_bone())),
    Command::SetHull(..) => |r| Command::SetHull(vec![r.collider()], r.coin().then(|| r.below(3))),
    Command::SetMaterial(_) => |r| Command::SetMaterial(r.coin().then(|| r.material())),
    Command::CreateMaterial => |_| Command::CreateMaterial,
    Command::RenameMaterial(..) => |r| {
        Command::RenameMaterial(r.material(), r.one_of(&["絹", " ", "a\n\u{7}\""]).to_owned())
    },
    Command::DeleteMaterial(_) => |r| Command::DeleteMaterial(r.material()),
    Command::LinkLengths { .. } => |r| Command::LinkLengths { to_active: r.coin() },
    Command::UnlinkLength(_) => |r| Command::UnlinkLength(r.node()),
    Command::SetLengthStiffness(..) => |r| Command::SetLengthStiffness(r.node(), r.coin().then(|| r.number())),
    Command::SetAnimatedFlag(_) => |r| Command::SetAnimatedFlag(r.coin()),
    Command::SetSwingLimit(_) => |r| {
        let kind = r.one_of(&SwingLimitKind::ALL);
        Command::SetSwingLimit(r.coin().then_some(kind))
    },
    Command::SetSwingLimitAngle(..) => |r| Command::SetSwingLimitAngle(r.below(2), r.number()),
    Command::ScaleSwingLimitAngle(..) => |r| Command::ScaleSwingLimitAngle(r.below(2), r.number()),
    Command::ResetSwingLimits => |_| Command::ResetSwingLimits,
    Command::RunComponentTool(_) => |r| Command::RunComponentTool(r.one_of(&ComponentTool::ALL)),
    Command::MoveToSystem(_) => |r| Command::MoveToSystem(SystemId(r.below(3) as u32)),
    Command::BeginUndoGroup => |_| Command::BeginUndoGroup,
    Command::EndUndoGroup => |_| Command::EndUndoGroup,
    Command::CancelUndoGroup => |_| Command::CancelUndoGroup,
    Command::Undo => |_| Command::Undo,
    Command::Redo => |_| Command::Redo,
    Command::Select(..) => |r| Command::Select(r.bones(), r.pick()),
    Command::SelectObjects(..) => |r| Command::SelectObjects(r.items(), r.pick()),
    Command::SelectMatchingBones(_) => |r| Command::SelectMatchingBones(r.one_of(&["bone 1*", "", "*", "tail", "["]).to_owned()),
    Command::SelectDescendants => |_| Command::SelectDescendants,
    Command::ClearSelection => |_| Command::ClearSelection,
    Command::SetTuningScope(_) => |r| Command::SetTuningScope(r.one_of(&[TuningScope::Chains, TuningScope::Joints])),
    Command::Hover(_) => |r| Command::Hover(r.coin().then(|| r.bone())),
    Command::CreateChains(..) => |r| Command::CreateChains(r.bones(), r.one_of(&ChainPart::ALL)),
    Command::DeleteChains(_) => |r| Command::DeleteChains(r.chains()),
    Command::EndChainAt(_) => |r| Command::EndChainAt(r.bone()),
    Command::SetExcluded(..) => |r| Command::SetExcluded(r.bone(), r.coin()),
    Command::SetChainPart(..) => |r| Command::SetChainPart(r.chains(), r.one_of(&ChainPart::ALL)),
    Command::RenameChain(..) => |r| Command::RenameChain(r.chain(), r.one_of(&["髪", "", "a\n\u{7}\"", "tail"]).to_owned()),
    Command::SetJointsEnabled(..) => |r| Command::SetJointsEnabled(r.bones(), r.coin()),
    Command::DeleteGesture(_) => |r| Command::DeleteGesture(r.gesture()),
    Command::SetPlaying(_) => |r| Command::SetPlaying(r.coin()),
    Command::StepOnce => |_| Command::StepOnce,
    Command::ResetPose => |_| Command::ResetPose,
    Command::SetRestPose => |_| Command::SetRestPose,
    Command::SetPlaybackSpeed(_) => |r| Command::SetPlaybackSpeed(r.number()),
    Command::SetPlayerFrameRate(_) => |r| Command::SetPlayerFrameRate(r.one_of(&[0, 30, 60, 90, 144, u32::MAX])),
    Command::SetMotion(_) => |r| Command::SetMotion(r.motion()),
    Command::SetMotionAmplitude(_) => |r| Command::SetMotionAmplitude(r.number()),
    Command::SetMotionSpeed(_) => |r| Command::SetMotionSpeed(r.number()),
    Command::SetSpringsBack(_) => |r| Command::SetSpringsBack(r.coin()),
    Command::DragBone(..) => |r| Command::DragBone(r.bone(), r.sample()),
    Command::ReleaseBone(_) => |r| Command::ReleaseBone(r.bone()),
    Command::GrabTip(..) => |r| Command::GrabTip(r.bone(), r.point()),
    Command::ReleaseTip => |_| Command::ReleaseTip,
    Command::SetRecording(_) => |r| Command::SetRecording(r.coin()),
    Command::SetViewer(_) => |r| Command::SetViewer(r.point()),
    Command::PreviewEdit(_) => |r| Command::PreviewEdit(r.coin().then(|| r.edit())),
    Command::ApplyEdit(..) => |r| Command::ApplyEdit(r.edit(), EditLabel::new("import", r.below(3))),
    Command::ApplyPreset(_) => |r| r.preset(),
    Command::AddMessage(_) => |r| Command::AddMessage(Message::NoMatchingBone(r.one_of(&["bone", "[", ""]).to_owned())),
    Command::AddDiagnostic(_) => |_| Command::AddDiagnostic(Diagnostic::warning(Location::default(), "reported")),
    Command::DismissMessage(_) => |r| Command::DismissMessage(MessageId(r.below(9) as u64)),
    Command::ClearMessages => |_| Command::ClearMessages,
}

/// What is random about one command: a stream of numbers, and the session that the command is for.
struct Roll<'a> {
    state: u64,
    session: &'a Session,
}

impl Roll<'_> {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// One of those that are there, or now and then one that is not.
    fn known<T: Copy>(&mut self, known: &[T], other: T) -> T {
        if known.is_empty() || self.below(12) == 0 { other } else { self.one_of(known) }
    }

    /// -2..=2, or something that no artist would type.
    fn number(&mut self) -> f32 {
        const WILD: [f32; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            1e-38,
            1e9,
            3e38,
            -3e38,
            f32::MIN_POSITIVE,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        if self.below(3) == 0 { self.one_of(&WILD) } else { self.below(4001) as f32 / 1000.0 - 2.0 }
    }

    fn document(&self) -> &Document {
        self.session.document()
    }

    fn row(&mut self) -> ParamId {
        let count = self.session.inspection().system().param_defs().len();
        ParamId(self.below(count + 1) as u16)
    }

    /// Within the range that the row proposes, most of the time.
    fn value_of(&mut self, row: ParamId) -> f32 {
        match self.session.inspection().system().param_defs().get(row.index()) {
            Some(def) if self.below(3) > 0 => {
                let (low, high) = def.soft_range;
                low + (high - low) * self.below(1001) as f32 / 1000.0
            }
            _ => self.number(),
        }
    }

    fn curve(&mut self) -> Option<Curve> {
        match self.below(4) {
            0 => None,
            1 => Some(Curve::from_shape(self.one_of(&CurveShape::FOR_CHAINS))),
            2 => {
                let key =
                    |r: &mut Self| CurveKey { t: r.number(), value: r.number(), slope_in: r.number(), slope_out: 0.0 };
                let keys = (0..self.below(5)).map(|_| key(self)).collect();
                let way = self.one_of(&[Interpolation::Linear, Interpolation::Hermite]);
                Curve::new(keys, way)
            }
            _ => {
                // As an artist drags a key: anywhere.
                let (curve, at) = Curve::from_shape(CurveShape::Ease).with_key_added(0.5);
                let key = CurveKey { t: self.number(), value: self.number(), slope_in: self.number(), slope_out: 1.0 };
                Some(curve.with_key_moved(at, key))
            }
        }
    }

    fn bone(&mut self) -> BoneId {
        let count = self.session.character().skeleton.len();
        BoneId(if self.below(20) == 0 { u32::MAX } else { self.below(count) as u32 })
    }

    /// A bone of the character: edits name no others.
    fn real_bone(&mut self) -> BoneId {
        BoneId(self.below(self.session.character().skeleton.len()) as u32)
    }

    fn bones(&mut self) -> Vec<BoneId> {
        (0..self.below(4)).map(|_| self.bone()).collect()
    }

    fn pick(&mut self) -> SelectMode {
        self.one_of(&[SelectMode::Replace, SelectMode::Toggle, SelectMode::Add])
    }

    fn chain(&mut self) -> ChainId {
        self.known(&self.document().chains.keys().copied().collect::<Vec<_>>(), ChainId(70))
    }

    fn chains(&mut self) -> Vec<ChainId> {
        (0..self.below(3)).map(|_| self.chain()).collect()
    }

    fn collider(&mut self) -> ColliderId {
        self.known(&self.document().colliders.keys().copied().collect::<Vec<_>>(), ColliderId(70))
    }

    fn group(&mut self) -> GroupId {
        self.known(&self.document().groups.keys().copied().collect::<Vec<_>>(), GroupId(70))
    }

    fn material(&mut self) -> MaterialId {
        self.known(&self.document().materials.keys().copied().collect::<Vec<_>>(), MaterialId(70))
    }

    fn gesture(&mut self) -> GestureId {
        self.known(&self.document().gestures.keys().copied().collect::<Vec<_>>(), GestureId(70))
    }

    fn items(&mut self) -> Vec<SceneObject> {
        let helper = HelperId(self.below(5) as u32);
        let all = [SceneObject::Collider(self.collider()), SceneObject::Force(ForceId(1)), SceneObject::Helper(helper)];
        (0..self.below(3)).map(|_| self.one_of(&all)).collect()
    }

    fn motion(&mut self) -> Motion {
        match self.below(4) {
            0 => Motion::Still,
            1 => Motion::Test(self.one_of(&TestMotion::ALL)),
            2 => Motion::Clip(self.below(3)),
            _ => Motion::Gesture(self.gesture()),
        }
    }

    fn point(&mut self) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| self.number()))
    }

    fn turn(&mut self) -> Quat {
        if self.coin() {
            return Quat::from_rotation_z(self.below(700) as f32 / 100.0);
        }
        Quat::from_array([0; 4].map(|_| self.number()))
    }

    fn sample(&mut self) -> GestureSample {
        GestureSample { offset: self.point(), rotation: self.turn() }
    }

    fn node(&mut self) -> Node {
        let helpers: Vec<_> = self.document().helpers.keys().copied().collect();
        if self.coin() { Node::Helper(self.known(&helpers, HelperId(70))) } else { Node::Bone(self.real_bone()) }
    }

    fn preset(&mut self) -> Command {
        let all = builtin_presets::builtin_presets();
        let preset = &all[self.below(all.len())];
        let id = PresetId { is_custom: false, key: preset.key.clone() };
        Command::ApplyPreset(Box::new(self.session.presets().application(id, preset, None, self.coin())))
    }

    /// What a tool, a window or a file may ask for.
    fn edit(&mut self) -> Edit {
        match self.below(4) {
            0 => self.edit_of_a_tool(),
            1 => self.wild_edit(),
            _ => {
                let dice = [0; 6].map(|_| self.next() as u32);
                // It speaks of rows of both kinds.
                let both = [RowScope::System, RowScope::Joint].into_iter().all(|scope| {
                    enumerate_params(self.document().main_system().param_defs()).any(|(_, def)| def.scope == scope)
                });
                if both {
                    random_edit(dice, self.document(), &self.session.character().skeleton)
                } else {
                    Edit::Batch(Vec::new())
                }
            }
        }
    }

    fn edit_of_a_tool(&mut self) -> Edit {
        let (s, nothing) = (self.session, Edit::Batch(Vec::new()));
        let some: BTreeSet<ChainId> = self.chains().into_iter().collect();
        let list: Vec<ChainId> = some.iter().copied().collect();
        match self.below(9) {
            0 => convert(s.document(), s.character(), self.one_of(SolverKind::ALL)).edit(s.document()),
            1 => convert_chains(s.document(), s.character(), &some, self.one_of(SolverKind::ALL)).edit(s.document()),
            2 => components::split_off_chains(s.document(), &some, "part").map_or(nothing, |split| split.0),
            3 => components::move_chains_to_system(s.document(), &some, SystemId(self.below(3) as u32))
                .unwrap_or(nothing),
            4 => groups::create(s.document(), "body", &[self.collider()]).0,
            5 => setup_cleanup::reset_system_values(s.document()),
            6 => setup_cleanup::clean_up(s.document(), &s.character().skeleton).change.edit,
            7 => components::constrain_neighbour_columns(s.document(), s.character(), s.inspection().system_id())
                .unwrap_or(nothing),
            _ => material::assign(s.document(), &list, s.document().materials.keys().next().copied()),
        }
    }

    /// Numbers that no tool makes, where edits have them.
    fn wild_edit(&mut self) -> Edit {
        let document = self.document();
        let (helper, collider, force) =
            (document.next_helper_id(), document.next_collider_id(), document.next_force_id());
        let gesture = document.next_gesture_id();
        match self.below(8) {
            0 => {
                let local = Trs { translation: self.point(), rotation: self.turn(), scale: self.point() };
                let new = Helper { name: "wild".to_owned(), parent: self.node(), local, role: HelperRole::Plain };
                Edit::PutHelper { id: helper, helper: Some(new) }
            }
            1 => {
                let shape =
                    self.one_of(&ColliderShape::BASIC).with_field(0, self.number()).with_field(1, self.number());
                let new = Collider::new("wild", self.node(), shape);
                Edit::PutCollider { id: collider, collider: Some(new) }
            }
            2 => {
                let kind = self.one_of(&ForceKind::ALL);
                let kind = kind.with_field(self.below(kind.fields().len()), self.number());
                let new = Force { name: "wild".to_owned(), node: self.node(), kind, enabled: true };
                Edit::PutForce { id: force, force: Some(new) }
            }
            3 => {
                let samples = (0..self.below(3)).map(|_| self.sample()).collect();
                let new = Gesture { name: "wild".to_owned(), bone: self.real_bone(), samples };
                Edit::PutGesture { id: gesture, gesture: Some(new) }
            }
            4 => {
                let motion = self
                    .one_of(&[Some("idle"), None])
                    .map_or(MotionRef::Gesture(self.gesture()), |name| MotionRef::Clip(name.to_owned()));
                let (start, pace) = (f64::from(self.number()), f64::from(self.number()));
                let over = BaseMotion { motion, start, speed: pace, amplitude: self.number() };
                Edit::SetBaseMotion { id: self.gesture(), base_motion: Some(over) }
            }
            5 => Edit::SetSystemValue {
                system: self.session.inspection().system_id(),
                row: self.row(),
                value: self.number(),
            },
            6 => Edit::SetExcluded { bone: self.real_bone(), excluded: self.coin() },
            _ => Edit::SetOverride {
                chain: self.chain(),
                bone: self.real_bone(),
                row: self.row(),
                value: Some(self.number()),
            },
        }
    }
}

/// A small character with two animations.
fn character() -> Arc<Character> {
    let clip = |name: &str| Clip {
        name: name.to_owned(),
        duration: 1.0,
        channels: vec![Channel {
            bone: BoneId(1),
            times: vec![0.0, 1.0],
            values: ChannelValues::Translation(vec![Vec3::ZERO, Vec3::X]),
            interpolation: ChannelInterpolation::Linear,
        }],
    };
    let clips = vec![clip("idle"), clip("walk")];
    Arc::new(Character { name: "small.vrm".to_owned(), skeleton: plain(), clips, ..Character::default() })
}

/// One command, and some time after it.
fn handle(session: &mut Session, seed: u64) -> String {
    let mut roll = Roll { state: seed, session };
    let at = roll.below(GENERATORS.len());
    let command = GENERATORS[at].1(&mut roll);
    let after = roll.below(4);
    let said = format!("{command:?}");
    session.handle(command);
    session.advance([0.0, TICK_SECONDS, 2.5 * TICK_SECONDS, 1e300][after]);
    said
}

fn is_finite(session: &Session) -> bool {
    let frames = &session.playback().displayed_pose().frames;
    frames.iter().all(|frame| frame.position.is_finite() && frame.rotation.is_finite())
}

/// The document that comes back from a saved project, and what was said of it.
fn saved_and_loaded(session: &Session) -> (Document, Vec<String>) {
    let skeleton = &session.character().skeleton;
    let bytes = project::write(session.document(), skeleton, &ProjectMetadata::default());
    let (project, _) = project::read(&bytes, "a.yure").expect("readable");
    let (document, found) = project.into_document(skeleton);
    (document, found.iter().map(ToString::to_string).collect())
}

fn all(session: &mut Session, command: &Command) {
    let next = |s: &Session| match command {
        Command::Undo => s.history().next_undo().is_some(),
        _ => s.history().next_redo().is_some(),
    };
    while next(session) {
        session.handle(command.clone());
    }
}

/// Plays a sequence of commands and holds the session against what must be so.
fn check(mut session: Session, seeds: &[Option<u64>]) -> Result<(), TestCaseError> {
    let start = session.document().clone();
    for (at, seed) in seeds.iter().enumerate().filter_map(|(at, seed)| Some((at, (*seed)?))) {
        let said = handle(&mut session, seed);
        prop_assert!(is_finite(&session), "a bone is nowhere after command {at}: {said}");
        if at % 20 == 0 {
            let (loaded, found) = saved_and_loaded(&session);
            prop_assert_eq!(found, Vec::<String>::new(), "after command {}: {}", at, said);
            prop_assert_eq!(&loaded, session.document(), "after command {}: {}", at, said);
        }
    }
    let (loaded, found) = saved_and_loaded(&session);
    prop_assert_eq!(found, Vec::<String>::new());
    prop_assert_eq!(&loaded, session.document());
    all(&mut session, &Command::Redo);
    let end = session.document().clone();
    all(&mut session, &Command::Undo);
    prop_assert_eq!(session.document(), &start);
    all(&mut session, &Command::Redo);
    prop_assert_eq!(session.document(), &end);
    Ok(())
}

/// Seeds of commands; a sequence that fails is made smaller by leaving commands out.
fn any_commands() -> impl Strategy<Value = Vec<Option<u64>>> {
    prop::collection::vec(prop::option::weighted(0.999, any::<u64>()), COMMANDS)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 400, ..ProptestConfig::with_cases(cases(50)) })]

    #[test]
    fn any_sequence_of_commands_can_be_undone_and_saved(
        dice in crate::documents::any_dice(20),
        solver in 0..SolverKind::ALL.len(),
        seeds in any_commands(),
    ) {
        let document = after_under(SolverKind::ALL[solver], &dice, &plain());
        check(Session::new(character(), document), &seeds)?;
    }
}

#[test]
fn every_command_has_something_that_makes_it() {
    let session = Session::new(character(), Document::default());
    for (name, make) in GENERATORS {
        let made = make(&mut Roll { state: 7, session: &session });
        assert_eq!(variant(&made), *name);
    }
}

#[test]
fn real_characters_hold_under_commands_too() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for path in support::files_below(&folder, &["vrm", "glb"]) {
        let Ok(opened) = open::character(&path, &|_| true) else { continue };
        let mut seeds = Roll { state: 42, session: &Session::new(character(), Document::default()) };
        let seeds: Vec<_> = (0..40).map(|_| Some(seeds.next())).collect();
        let held = check(Session::new(opened.character, opened.document), &seeds);
        assert!(held.is_ok(), "{}: {held:?}", path.display());
    }
}

#[test]
fn switching_limits_on_any_row_of_any_solver_is_no_harm() {
    for &solver in SolverKind::ALL {
        let mut session = Session::new(character(), after_under(solver, &[[0, 1, 0, 0, 0, 0]], &plain()));
        let count = session.inspection().system().param_defs().len() as u16;
        for row in 0..=count {
            session.handle(Command::SetLimitsEnabled(vec![ParamId(row)], true));
            session.handle(Command::SetLimitsEnabled(vec![ParamId(row)], false));
        }
    }
}
