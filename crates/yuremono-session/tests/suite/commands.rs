//! Tests random sequences of commands: there is no panic and no NaN, undo returns to the start, redo returns to the
//! end, and a saved document loads unchanged.

use crate::support::random_documents::{edited_document_with_solver, plain_skeleton, random_edit};
use crate::support::{self, cases, stride};
use glam::{Quat, Vec3};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::{builtin_presets, open};
use yuremono_model::document::{
    BaseMotion, Chain, ChainId, ChainPart, Collider, ColliderId, CurveDomain, Document, DragReach, Edit, EditLabel,
    Force, ForceId, Gesture, GestureId, GestureSample, GroupId, Helper, HelperId, HelperRole, MaterialId, MotionRef,
    Node, RingId, RingPlace, SystemId, groups, material,
};
use yuremono_model::feel::{convert::convert, convert::convert_chains};
use yuremono_model::tools::swing_limits::SwingLimitKind;
use yuremono_model::tools::{components, setup_cleanup};
use yuremono_session::{
    BakedMotion, Command, CompareLayout, CompareWith, ComponentTool, Message, MessageId, Motion, PresetId, SceneObject,
    SelectMode, Session, SweepSettings, SweepSubject, TICK_SECONDS, TuningScope,
};
use yuremono_sim::diagnostics::message;
use yuremono_sim::diagnostics::{Diagnostic, Location};
use yuremono_sim::math::{Curve, CurveKey, CurveShape, Interpolation, RingCurve, Trs};
use yuremono_sim::params::{ParamId, ParamScope as RowScope, enumerate_params};
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{
    BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, MotionError, Pose, PoseTrack, Skeleton,
};
use yuremono_sim::{ColliderShape, FeelParam, ForceKind, SolverKind, TestWind};

const COMMANDS_PER_SEQUENCE: usize = 200;

/// Declares a pattern for each variant of [`Command`], and a function that creates the variant. The patterns form one
/// exhaustive match, so a new variant does not compile without such a function.
macro_rules! commands {
    ($($variant:pat => $make:expr,)*) => {
        /// Returns the name of a command's variant.
        fn variant_name(command: &Command) -> &'static str {
            match command { $($variant => stringify!($variant),)* }
        }

        /// The function that creates each variant, in the order of the list.
        const GENERATORS: &[(&str, fn(&mut RandomSource<'_>) -> Command)] = &[$((stringify!($variant), $make)),*];
    };
}

commands! {
    Command::SetParam(..) => |r| { let row = r.param(); Command::SetParam(row, r.param_value(row)) },
    Command::SetParams(..) => |r| {
        let rows: Vec<_> = (0..r.next_below(3)).map(|_| (r.param(), r.next_number())).collect();
        Command::SetParams(message!("Set"), rows)
    },
    Command::SetParamBase(..) => |r| { let row = r.param(); Command::SetParamBase(r.chains(), row, r.param_value(row)) },
    Command::ScaleParam(..) => |r| Command::ScaleParam(r.param(), r.next_number()),
    Command::ResetParams(_) => |r| Command::ResetParams((0..r.next_below(3)).map(|_| r.param()).collect()),
    Command::SetOriginalDefaults(_) => |r| Command::SetOriginalDefaults((0..r.next_below(3)).map(|_| r.param()).collect()),
    Command::SetParamCurve(..) => |r| Command::SetParamCurve(r.param(), r.curve()),
    Command::SetRingCurve(..) => |r| {
        let curve = RingCurve::level().with_factor(r.next_below(3), r.next_number());
        Command::SetRingCurve(r.param(), r.next_bool().then(|| curve.with_mirrored(r.next_bool())))
    },
    Command::MakeRing(_) => |r| {
        let all = r.document().chains.keys().copied().collect();
        Command::MakeRing(if r.next_bool() { all } else { r.chains() })
    },
    Command::DissolveRing(_) => |r| Command::DissolveRing(r.chains()),
    Command::SetCurveDomain(_) => |r| Command::SetCurveDomain(r.one_of(&[CurveDomain::Depth, CurveDomain::Length])),
    Command::SetLimitsEnabled(..) => |r| Command::SetLimitsEnabled((0..r.next_below(3)).map(|_| r.param()).collect(), r.next_bool()),
    Command::SetFeel(..) => |r| Command::SetFeel(r.one_of(&FeelParam::ALL), r.next_number()),
    Command::SetFeelBase(..) => |r| Command::SetFeelBase(r.chains(), r.one_of(&FeelParam::ALL), r.next_number()),
    Command::ScaleFeel(..) => |r| Command::ScaleFeel(r.one_of(&FeelParam::ALL), r.next_number()),
    Command::ResetFeel(_) => |r| Command::ResetFeel(r.one_of(&FeelParam::ALL)),
    Command::SetFeelCurve(..) => |r| Command::SetFeelCurve(r.one_of(&FeelParam::ALL), r.curve()),
    Command::SetFeelRingCurve(..) => |r| {
        let curve = RingCurve::level().with_factor(r.next_below(3), r.next_number());
        Command::SetFeelRingCurve(r.one_of(&FeelParam::ALL), r.next_bool().then_some(curve))
    },
    Command::AssignColliders(..) => |r| Command::AssignColliders(vec![r.collider()], r.next_bool()),
    Command::AssignGroup(..) => |r| Command::AssignGroup(r.group(), r.next_bool(), "group".to_owned()),
    Command::SetCenter(_) => |r| Command::SetCenter(r.next_bool().then(|| r.existing_bone())),
    Command::SetConvexHull(..) => |r| Command::SetConvexHull(vec![r.collider()], r.next_bool().then(|| r.next_below(3))),
    Command::SetMaterial(_) => |r| Command::SetMaterial(r.next_bool().then(|| r.material())),
    Command::CreateMaterial => |_| Command::CreateMaterial,
    Command::RenameMaterial(..) => |r| {
        Command::RenameMaterial(r.material(), r.one_of(&["絹", " ", "a\n\u{7}\""]).to_owned())
    },
    Command::DeleteMaterial(_) => |r| Command::DeleteMaterial(r.material()),
    Command::AddLengthLimits { .. } => |r| Command::AddLengthLimits { to_active: r.next_bool() },
    Command::RemoveLengthLimits(_) => |r| Command::RemoveLengthLimits(r.node()),
    Command::SetLengthStiffness(..) => |r| Command::SetLengthStiffness(r.node(), r.next_bool().then(|| r.next_number())),
    Command::SetAnimatedFlag(_) => |r| Command::SetAnimatedFlag(r.next_bool()),
    Command::SetSwingLimit(_) => |r| {
        let kind = r.one_of(&SwingLimitKind::ALL);
        Command::SetSwingLimit(r.next_bool().then_some(kind))
    },
    Command::SetSwingLimitAngle(..) => |r| Command::SetSwingLimitAngle(r.next_below(2), r.next_number()),
    Command::ScaleSwingLimitAngle(..) => |r| Command::ScaleSwingLimitAngle(r.next_below(2), r.next_number()),
    Command::ResetSwingLimits => |_| Command::ResetSwingLimits,
    Command::RunComponentTool(_) => |r| Command::RunComponentTool(r.one_of(&ComponentTool::ALL)),
    Command::MoveToSystem(_) => |r| Command::MoveToSystem(SystemId(r.next_below(3) as u32)),
    Command::BeginUndoGroup => |_| Command::BeginUndoGroup,
    Command::EndUndoGroup => |_| Command::EndUndoGroup,
    Command::CancelUndoGroup => |_| Command::CancelUndoGroup,
    Command::Undo => |_| Command::Undo,
    Command::Redo => |_| Command::Redo,
    Command::Select(..) => |r| Command::Select(r.bones(), r.select_mode()),
    Command::SelectObjects(..) => |r| Command::SelectObjects(r.objects(), r.select_mode()),
    Command::SelectMatchingBones(_) => |r| Command::SelectMatchingBones(r.one_of(&["bone 1*", "", "*", "tail", "["]).to_owned()),
    Command::SelectDescendants => |_| Command::SelectDescendants,
    Command::ClearSelection => |_| Command::ClearSelection,
    Command::SetTuningScope(_) => |r| Command::SetTuningScope(r.one_of(&[TuningScope::Chains, TuningScope::Joints])),
    Command::Hover(_) => |r| Command::Hover(r.next_bool().then(|| r.bone())),
    Command::CreateChains(..) => |r| Command::CreateChains(r.bones(), r.one_of(&ChainPart::ALL)),
    Command::DeleteChains(_) => |r| Command::DeleteChains(r.chains()),
    Command::EndChainAt(_) => |r| Command::EndChainAt(r.bone()),
    Command::SetExcluded(..) => |r| Command::SetExcluded(r.bone(), r.next_bool()),
    Command::SetChainPart(..) => |r| Command::SetChainPart(r.chains(), r.one_of(&ChainPart::ALL)),
    Command::RenameChain(..) => |r| Command::RenameChain(r.chain(), r.one_of(&["髪", "", "a\n\u{7}\"", "tail"]).to_owned()),
    Command::SetJointsEnabled(..) => |r| Command::SetJointsEnabled(r.bones(), r.next_bool()),
    Command::DeleteGesture(_) => |r| Command::DeleteGesture(r.gesture()),
    Command::SetPlaying(_) => |r| Command::SetPlaying(r.next_bool()),
    Command::StepOnce => |_| Command::StepOnce,
    Command::StepBack => |_| Command::StepBack,
    Command::ProbeJoint(_) => |r| Command::ProbeJoint(r.next_bool().then(|| r.bone())),
    Command::Scrub(_) => |r| Command::Scrub(r.next_bool().then(|| f64::from(r.next_number()))),
    Command::ProbeTips(_) => |r| Command::ProbeTips(r.next_bool()),
    Command::ResetPose => |_| Command::ResetPose,
    Command::SetRestPose => |_| Command::SetRestPose,
    Command::SetPlaybackSpeed(_) => |r| Command::SetPlaybackSpeed(r.next_number()),
    Command::SetPlayerFrameRate(_) => |r| Command::SetPlayerFrameRate(r.one_of(&[0, 30, 60, 90, 144, u32::MAX])),
    Command::SetMotion(_) => |r| Command::SetMotion(r.motion()),
    Command::Seek { .. } => |r| Command::Seek { time: f64::from(r.next_number()), lead: f64::from(r.next_number()) },
    Command::SetMotionAmplitude(_) => |r| Command::SetMotionAmplitude(r.next_number()),
    Command::SetMotionSpeed(_) => |r| Command::SetMotionSpeed(r.next_number()),
    Command::SetRepeats(_) => |r| Command::SetRepeats(r.next_bool()),
    Command::SetMotionRange(_) => |r| {
        let range = [r.next_number(), r.next_number()].map(f64::from);
        Command::SetMotionRange(r.next_bool().then_some(range))
    },
    Command::SetTestWind(_) => |r| {
        let wind = TestWind {
            heading: r.next_number(),
            elevation: r.next_number(),
            strength: r.next_number(),
            gusts: r.next_number(),
            turbulence: r.next_number(),
            seed: r.next_below(9) as u32,
        };
        Command::SetTestWind(r.next_bool().then_some(wind))
    },
    Command::SetLivePose(_) => |r| {
        let mut pose = Pose::rest(&r.session.character().skeleton);
        let (bone, number) = (r.existing_bone(), r.next_number());
        pose.local[bone.index()].translation.x = number;
        Command::SetLivePose(r.next_bool().then(|| Arc::new(pose)))
    },
    Command::SetSpringsBack(_) => |r| Command::SetSpringsBack(r.next_bool()),
    Command::DragBone(..) => |r| Command::DragBone(r.bone(), r.gesture_sample()),
    Command::DragBody(..) => |r| Command::DragBody(r.bone(), r.gesture_sample()),
    Command::KeepPose => |_| Command::KeepPose,
    Command::DiscardKeptPose => |_| Command::DiscardKeptPose,
    Command::ReleaseBone(_) => |r| Command::ReleaseBone(r.bone()),
    Command::GrabTip(..) => |r| Command::GrabTip(r.bone(), r.point()),
    Command::AimJoint(..) => |r| Command::AimJoint(r.bone(), r.point()),
    Command::ReleaseJoint => |_| Command::ReleaseJoint,
    Command::SetRecording(_) => |r| Command::SetRecording(r.next_bool()),
    Command::SetViewer(_) => |r| Command::SetViewer(r.point()),
    Command::SoloChains(..) => |r| Command::SoloChains(r.chains(), r.next_bool()),
    Command::MuteChains(..) => |r| Command::MuteChains(r.chains(), r.next_bool()),
    Command::PinJoints(..) => |r| Command::PinJoints(r.bones(), r.next_bool()),
    Command::ClearIsolation => |_| Command::ClearIsolation,
    Command::ShowBaked(_) => |r| Command::ShowBaked(r.next_bool().then(|| Arc::new(r.baked_motion()))),
    Command::PreviewEdit(_) => |r| Command::PreviewEdit(r.next_bool().then(|| r.edit())),
    Command::ApplyEdit(..) => |r| Command::ApplyEdit(r.edit(), EditLabel::new(message!("Import {n:row|rows}", n = r.next_below(3)))),
    Command::ApplyPreset(_) => |r| r.preset_command(),
    Command::Compare(_) => |r| r.compare_command(),
    Command::SetCompareLayout(_) => |r| {
        Command::SetCompareLayout(r.one_of(&[CompareLayout::Ghost, CompareLayout::SideBySide]))
    },
    Command::FlipComparison => |_| Command::FlipComparison,
    Command::TakeChain(_) => |r| Command::TakeChain(r.chain()),
    Command::StartSweep(_) => |r| {
        let (param, feel) = (r.param(), r.one_of(&FeelParam::ALL));
        let subject = if r.next_bool() { SweepSubject::Param(param) } else { SweepSubject::Feel(feel) };
        let (low, high) = (r.next_number(), r.next_number());
        Command::StartSweep(SweepSettings { subject, low, high, count: r.one_of(&[0, 3, 5, usize::MAX]) })
    },
    Command::TakeVariant(_) => |r| Command::TakeVariant(r.next_below(9)),
    Command::EndComparison => |_| Command::EndComparison,
    Command::AddMessage(_) => |r| Command::AddMessage(Message::NoMatchingBone(r.one_of(&["bone", "[", ""]).to_owned())),
    Command::AddDiagnostic(_) => |_| Command::AddDiagnostic(Diagnostic::warning(Location::default(), "reported")),
    Command::DismissMessage(_) => |r| Command::DismissMessage(MessageId(r.next_below(9) as u64)),
    Command::ClearMessages => |_| Command::ClearMessages,
}

/// The source of random values for one command: a pseudorandom stream, and the session that receives the command.
struct RandomSource<'a> {
    state: u64,
    session: &'a Session,
}

impl RandomSource<'_> {
    fn next_u64(&mut self) -> u64 {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn next_below(&mut self, count: usize) -> usize {
        (self.next_u64() % count.max(1) as u64) as usize
    }

    fn next_bool(&mut self) -> bool {
        self.next_below(2) == 0
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.next_below(all.len())]
    }

    /// Returns a known value, or occasionally the unknown value `other`.
    fn existing_or<T: Copy>(&mut self, known: &[T], other: T) -> T {
        if known.is_empty() || self.next_below(12) == 0 { other } else { self.one_of(known) }
    }

    /// Returns a number between -2 and 2, or an extreme value that no user would type.
    fn next_number(&mut self) -> f32 {
        const EXTREME: [f32; 12] = [
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
        if self.next_below(3) == 0 { self.one_of(&EXTREME) } else { self.next_below(4001) as f32 / 1000.0 - 2.0 }
    }

    /// Returns a comparison with any kind of tuning.
    fn compare_command(&mut self) -> Command {
        let preset = match self.preset_command() {
            Command::ApplyPreset(preset) if self.next_bool() => Some(CompareWith::Preset(*preset)),
            _ => None,
        };
        let edited = {
            let mut document = self.session.document().clone();
            _ = document.apply(self.edit());
            CompareWith::File { name: "b.yure".to_owned(), document }
        };
        let state = CompareWith::HistoryState(self.next_below(30) as u64);
        let choices = [CompareWith::Before, CompareWith::Present, CompareWith::AsLoaded, state, edited];
        let at = self.next_below(choices.len());
        let with = preset.unwrap_or_else(|| choices[at].clone());
        Command::Compare(Box::new(with))
    }

    fn document(&self) -> &Document {
        self.session.document()
    }

    fn param(&mut self) -> ParamId {
        let count = self.session.inspection().system().param_defs().len();
        ParamId(self.next_below(count + 1) as u16)
    }

    /// Returns a number that is usually within the suggested range of the parameter.
    fn param_value(&mut self, param: ParamId) -> f32 {
        match self.session.inspection().system().param_defs().get(param.index()) {
            Some(def) if self.next_below(3) > 0 => {
                let (low, high) = def.soft_range;
                low + (high - low) * self.next_below(1001) as f32 / 1000.0
            }
            _ => self.next_number(),
        }
    }

    fn curve(&mut self) -> Option<Curve> {
        match self.next_below(4) {
            0 => None,
            1 => Some(Curve::from_shape(self.one_of(&CurveShape::FOR_CHAINS))),
            2 => {
                let key = |r: &mut Self| CurveKey {
                    t: r.next_number(),
                    value: r.next_number(),
                    slope_in: r.next_number(),
                    slope_out: 0.0,
                };
                let keys = (0..self.next_below(5)).map(|_| key(self)).collect();
                let way = self.one_of(&[Interpolation::Linear, Interpolation::Hermite]);
                Curve::new(keys, way)
            }
            _ => {
                // Dragging a key can move the key to any position.
                let (curve, at) = Curve::from_shape(CurveShape::Ease).with_key_added(0.5);
                let key = CurveKey {
                    t: self.next_number(),
                    value: self.next_number(),
                    slope_in: self.next_number(),
                    slope_out: 1.0,
                };
                Some(curve.with_key_moved(at, key))
            }
        }
    }

    fn bone(&mut self) -> BoneId {
        let count = self.session.character().skeleton.len();
        BoneId(if self.next_below(20) == 0 { u32::MAX } else { self.next_below(count) as u32 })
    }

    /// Returns a bone of the character. Edits refer only to existing bones.
    fn existing_bone(&mut self) -> BoneId {
        BoneId(self.next_below(self.session.character().skeleton.len()) as u32)
    }

    fn bones(&mut self) -> Vec<BoneId> {
        (0..self.next_below(4)).map(|_| self.bone()).collect()
    }

    fn select_mode(&mut self) -> SelectMode {
        self.one_of(&[SelectMode::Replace, SelectMode::Toggle, SelectMode::Add])
    }

    fn chain(&mut self) -> ChainId {
        self.existing_or(&self.document().chains.keys().copied().collect::<Vec<_>>(), ChainId(70))
    }

    fn chains(&mut self) -> Vec<ChainId> {
        (0..self.next_below(3)).map(|_| self.chain()).collect()
    }

    fn collider(&mut self) -> ColliderId {
        self.existing_or(&self.document().colliders.keys().copied().collect::<Vec<_>>(), ColliderId(70))
    }

    fn group(&mut self) -> GroupId {
        self.existing_or(&self.document().groups.keys().copied().collect::<Vec<_>>(), GroupId(70))
    }

    fn material(&mut self) -> MaterialId {
        self.existing_or(&self.document().materials.keys().copied().collect::<Vec<_>>(), MaterialId(70))
    }

    fn gesture(&mut self) -> GestureId {
        self.existing_or(&self.document().gestures.keys().copied().collect::<Vec<_>>(), GestureId(70))
    }

    fn objects(&mut self) -> Vec<SceneObject> {
        let helper = HelperId(self.next_below(5) as u32);
        let all = [SceneObject::Collider(self.collider()), SceneObject::Force(ForceId(1)), SceneObject::Helper(helper)];
        (0..self.next_below(3)).map(|_| self.one_of(&all)).collect()
    }

    fn motion(&mut self) -> Motion {
        match self.next_below(5) {
            0 => Motion::Still,
            4 => Motion::Live,
            1 => Motion::Test(self.one_of(&TestMotion::ALL)),
            2 => Motion::Clip(self.next_below(3)),
            _ => Motion::Gesture(self.gesture()),
        }
    }

    /// A baked motion that turns one bone, of any motion.
    fn baked_motion(&mut self) -> BakedMotion {
        let (bone, motion) = (self.existing_bone(), self.motion());
        let turned = Quat::from_rotation_x(0.5);
        let channel = Channel {
            bone,
            times: vec![0.0, 1.0],
            values: ChannelValues::Rotation(vec![Quat::IDENTITY, turned]),
            interpolation: ChannelInterpolation::Linear,
        };
        let duration = self.one_of(&[0.0, 1.0]);
        BakedMotion {
            track: PoseTrack::new(vec![bone]),
            clip: Clip { name: "baked".to_owned(), duration, channels: vec![channel] },
            all_key_count: 2,
            key_error: MotionError::default(),
            joints: vec![(bone, Vec3::Y)],
            skeleton: Skeleton::default(),
            max_key_error: None,
            unbaked_parents: Vec::new(),
            loop_report: None,
            motion,
            motion_speed: 1.0,
            start: 0.0,
            out_of_bounds: Vec::new(),
        }
    }

    fn point(&mut self) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| self.next_number()))
    }

    fn rotation(&mut self) -> Quat {
        if self.next_bool() {
            return Quat::from_rotation_z(self.next_below(700) as f32 / 100.0);
        }
        Quat::from_array([0; 4].map(|_| self.next_number()))
    }

    fn gesture_sample(&mut self) -> GestureSample {
        GestureSample { offset: self.point(), rotation: self.rotation() }
    }

    fn node(&mut self) -> Node {
        let helpers: Vec<_> = self.document().helpers.keys().copied().collect();
        if self.next_bool() {
            Node::Helper(self.existing_or(&helpers, HelperId(70)))
        } else {
            Node::Bone(self.existing_bone())
        }
    }

    fn preset_command(&mut self) -> Command {
        let all = builtin_presets::builtin_presets();
        let preset = &all[self.next_below(all.len())];
        let id = PresetId { is_custom: false, key: preset.key.clone() };
        Command::ApplyPreset(Box::new(self.session.inspection().preset_application(id, preset, None, self.next_bool())))
    }

    /// Returns an edit that a tool, a window or a file may request.
    fn edit(&mut self) -> Edit {
        match self.next_below(4) {
            0 => self.tool_edit(),
            1 => self.extreme_edit(),
            _ => {
                let dice = [0; 6].map(|_| self.next_u64() as u32);
                // Whether the solver has parameters of both joints and the system.
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

    fn tool_edit(&mut self) -> Edit {
        let (s, nothing) = (self.session, Edit::Batch(Vec::new()));
        let some: BTreeSet<ChainId> = self.chains().into_iter().collect();
        let list: Vec<ChainId> = some.iter().copied().collect();
        match self.next_below(9) {
            0 => convert(s.document(), s.character(), self.one_of(SolverKind::ALL)).edit(s.document()),
            1 => convert_chains(s.document(), s.character(), &some, self.one_of(SolverKind::ALL)).edit(s.document()),
            2 => components::split_off_chains(s.document(), &some, "part").map_or(nothing, |split| split.0),
            3 => components::move_chains_to_system(s.document(), &some, SystemId(self.next_below(3) as u32))
                .unwrap_or(nothing),
            4 => groups::create(s.document(), "body", &[self.collider()]).0,
            5 => setup_cleanup::reset_system_values(s.document()),
            6 => setup_cleanup::clean_up(s.document(), &s.character().skeleton).change.edit,
            7 => components::constrain_neighbour_columns(s.document(), s.character(), s.inspection().system_id())
                .unwrap_or(nothing),
            _ => material::assign(s.document(), &list, s.document().materials.keys().next().copied()),
        }
    }

    /// Returns an edit with values that no tool creates.
    fn extreme_edit(&mut self) -> Edit {
        let document = self.document();
        let (helper, collider, force) =
            (document.next_helper_id(), document.next_collider_id(), document.next_force_id());
        let gesture = document.next_gesture_id();
        match self.next_below(8) {
            0 => {
                let local = Trs { translation: self.point(), rotation: self.rotation(), scale: self.point() };
                let new = Helper { name: "wild".to_owned(), parent: self.node(), local, role: HelperRole::Plain };
                Edit::PutHelper { id: helper, helper: Some(new) }
            }
            1 => {
                let shape = self
                    .one_of(&ColliderShape::BASIC)
                    .with_field(0, self.next_number())
                    .with_field(1, self.next_number());
                let new = Collider::new("wild", self.node(), shape);
                Edit::PutCollider { id: collider, collider: Some(new) }
            }
            2 => {
                let kind = self.one_of(&ForceKind::ALL);
                let kind = kind.with_field(self.next_below(kind.fields().len()), self.next_number());
                let new = Force { name: "wild".to_owned(), node: self.node(), kind, enabled: true };
                Edit::PutForce { id: force, force: Some(new) }
            }
            3 => {
                let samples = (0..self.next_below(3)).map(|_| self.gesture_sample()).collect();
                let reach = self.one_of(&[DragReach::OneBone, DragReach::WholeBody]);
                let new = Gesture { name: "wild".to_owned(), bone: self.existing_bone(), reach, samples, wind: None };
                Edit::PutGesture { id: gesture, gesture: Some(new) }
            }
            4 => {
                let motion = self
                    .one_of(&[Some("idle"), None])
                    .map_or(MotionRef::Gesture(self.gesture()), |name| MotionRef::Clip(name.to_owned()));
                let (start, pace) = (f64::from(self.next_number()), f64::from(self.next_number()));
                let over = BaseMotion { motion, start, speed: pace, amplitude: self.next_number(), range: None };
                Edit::SetBaseMotion { id: self.gesture(), base_motion: Some(over) }
            }
            5 => Edit::SetSystemValue {
                system: self.session.inspection().system_id(),
                param: self.param(),
                value: self.next_number(),
            },
            6 => Edit::SetExcluded { bone: self.existing_bone(), excluded: self.next_bool() },
            _ => Edit::SetOverride {
                chain: self.chain(),
                bone: self.existing_bone(),
                param: self.param(),
                value: Some(self.next_number()),
            },
        }
    }
}

fn small_character() -> Arc<Character> {
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
    Arc::new(Character { name: "small.vrm".to_owned(), skeleton: plain_skeleton(), clips, ..Character::default() })
}

/// Handles one command, then advances the session by a random time.
fn handle_random_command(session: &mut Session, seed: u64) -> String {
    let mut roll = RandomSource { state: seed, session };
    let at = roll.next_below(GENERATORS.len());
    let command = GENERATORS[at].1(&mut roll);
    let after = roll.next_below(4);
    let description = format!("{command:?}");
    session.handle(command);
    session.advance([0.0, TICK_SECONDS, 2.5 * TICK_SECONDS, 1e300][after]);
    description
}

fn is_finite(session: &Session) -> bool {
    let frames = &session.playback().displayed_pose().frames;
    frames.iter().all(|frame| frame.position.is_finite() && frame.rotation.is_finite())
}

/// Saves the project and loads it again. Returns the document and the diagnostics.
fn save_and_load(session: &Session) -> (Document, Vec<String>) {
    let skeleton = &session.character().skeleton;
    let bytes = project::write(session.document(), skeleton, &ProjectMetadata::default());
    let (project, _) = project::read(&bytes, "a.yure").expect("readable");
    let (document, found) = project.into_document(skeleton);
    (document, found.iter().map(ToString::to_string).collect())
}

fn undo_or_redo_all(session: &mut Session, command: &Command) {
    let next = |s: &Session| match command {
        Command::Undo => s.history().next_undo().is_some(),
        _ => s.history().next_redo().is_some(),
    };
    while next(session) {
        session.handle(command.clone());
    }
}

/// Handles a sequence of commands and checks the invariants of the session after each command.
fn check_sequence(mut session: Session, seeds: &[Option<u64>]) -> Result<(), TestCaseError> {
    let start = session.document().clone();
    for (at, seed) in seeds.iter().enumerate().filter_map(|(at, seed)| Some((at, (*seed)?))) {
        let description = handle_random_command(&mut session, seed);
        prop_assert!(is_finite(&session), "a bone is nowhere after command {at}: {description}");
        if at % 20 == 0 {
            let (loaded, found) = save_and_load(&session);
            prop_assert_eq!(found, Vec::<String>::new(), "after command {}: {}", at, description);
            prop_assert_eq!(&loaded, session.document(), "after command {}: {}", at, description);
        }
    }
    let (loaded, found) = save_and_load(&session);
    prop_assert_eq!(found, Vec::<String>::new());
    prop_assert_eq!(&loaded, session.document());
    undo_or_redo_all(&mut session, &Command::Redo);
    let end = session.document().clone();
    undo_or_redo_all(&mut session, &Command::Undo);
    prop_assert_eq!(session.document(), &start);
    undo_or_redo_all(&mut session, &Command::Redo);
    prop_assert_eq!(session.document(), &end);
    Ok(())
}

/// Returns seeds of commands. Proptest shrinks a failing sequence by omitting commands.
fn any_command_seeds() -> impl Strategy<Value = Vec<Option<u64>>> {
    prop::collection::vec(prop::option::weighted(0.999, any::<u64>()), COMMANDS_PER_SEQUENCE)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 400, ..ProptestConfig::with_cases(cases(50)) })]

    #[test]
    fn any_sequence_of_commands_can_be_undone_and_saved(
        dice in support::random_documents::any_edit_seeds(20),
        solver in 0..SolverKind::ALL.len(),
        seeds in any_command_seeds(),
    ) {
        let document = edited_document_with_solver(SolverKind::ALL[solver], &dice, &plain_skeleton());
        check_sequence(Session::new(small_character(), document), &seeds)?;
    }
}

#[test]
fn every_command_variant_has_a_generator() {
    let session = Session::new(small_character(), Document::default());
    for (name, make) in GENERATORS {
        let made = make(&mut RandomSource { state: 7, session: &session });
        assert_eq!(variant_name(&made), *name);
    }
}

#[test]
fn a_drag_with_any_command_is_an_undo_step_of_bounded_size() {
    // Two chains in a ring, colliders, materials and overrides.
    let seeds: Vec<_> = (0..60_u32).map(|n| [n, n / 2, n / 3, 5 * n + 1, 7 * n, n / 5].map(|roll| roll * 7)).collect();
    for &solver in SolverKind::ALL.iter().step_by(stride(3)) {
        let mut document = edited_document_with_solver(solver, &seeds, &plain_skeleton());
        for (at, chain) in document.setup.chains.values_mut().enumerate() {
            chain.ring = Some(RingPlace { ring: RingId(1), angle: at as f32 });
        }
        let roots: Vec<BoneId> = document.chains.values().map(Chain::root).collect();
        for (name, make) in GENERATORS {
            if name.contains("Undo") || name.contains("Redo") {
                continue;
            }
            let mut session = Session::new(small_character(), document.clone());
            session.handle(Command::Select(roots.clone(), SelectMode::Replace));
            let commands: Vec<Command> =
                (0..4).map(|seed| make(&mut RandomSource { state: seed, session: &session })).collect();
            session.handle(Command::BeginUndoGroup);
            let mut size_after = |rounds: usize| {
                (0..rounds).for_each(|_| commands.iter().for_each(|command| session.handle(command.clone())));
                session.history().next_undo_size()
            };
            let (short, long) = (size_after(2), size_after(6));
            assert!(long <= short, "{solver:?}, {name}: {short} edits after 8 commands, then {long}");
        }
    }
}

#[test]
fn sample_characters_survive_random_commands() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for path in support::files_below(&folder, &["vrm", "glb"]) {
        let Ok(opened) = open::character(&path, &|_| true) else { continue };
        let mut seeds = RandomSource { state: 42, session: &Session::new(small_character(), Document::default()) };
        let seeds: Vec<_> = (0..40).map(|_| Some(seeds.next_u64())).collect();
        let held = check_sequence(Session::new(opened.character, opened.document), &seeds);
        assert!(held.is_ok(), "{}: {held:?}", path.display());
    }
}

#[test]
fn enabling_limits_with_any_param_does_not_panic() {
    for &solver in SolverKind::ALL {
        let mut session = Session::new(
            small_character(),
            edited_document_with_solver(solver, &[[0, 1, 0, 0, 0, 0]], &plain_skeleton()),
        );
        let count = session.inspection().system().param_defs().len() as u16;
        for row in 0..=count {
            session.handle(Command::SetLimitsEnabled(vec![ParamId(row)], true));
            session.handle(Command::SetLimitsEnabled(vec![ParamId(row)], false));
        }
    }
}
