use super::*;
use crate::document::{
    BaseMotion, Chain, ChainId, ChainPart, Collider, ColliderGroup, ColliderId, CurveDomain, DragReach, Force, ForceId,
    Gesture, GestureId, GestureSample, GroupId, Helper, HelperId, HelperRole, HighLeg, HighLegId, Joint, Material,
    MaterialId, MotionRef, Node, Passthrough, PosedBone, RingId, RingPlace, System, difference,
};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, RingCurve, Trs};
use yuremono_sim::params::{ParamId, ParamScope, enumerate_params};
use yuremono_sim::rig::BoneId;
use yuremono_sim::{ColliderShape, ForceKind};

fn document_with_chain() -> (Document, History, ParamId) {
    let mut document = Document::default();
    let table = document.main_system().param_defs();
    let chain = Chain::new("hair", ChainPart::Hair, table, vec![Joint::new(BoneId(1)), Joint::new(BoneId(2))]);
    document.chains.insert(ChainId(1), chain);
    let (row, _) = enumerate_params(table).find(|(_, def)| def.scope == ParamScope::Joint).expect("a row of joints");
    (document, History::default(), row)
}

fn set_base_value(param: ParamId, value: f32) -> Edit {
    Edit::SetBaseValue { chain: ChainId(1), param, value }
}

#[test]
fn each_drag_of_a_slider_is_one_undo_step() {
    let (mut document, mut history, row) = document_with_chain();
    let before = document.clone();
    let mut drag = |from: f32, document: &mut Document| {
        history.set_merging(true);
        for i in 0..20_u8 {
            history
                .apply(document, set_base_value(row, from + f32::from(i)), EditLabel::new(message!("Set")))
                .expect("a chain");
        }
        history.set_merging(false);
        document.clone()
    };
    let first = drag(100.0, &mut document);
    let second = drag(200.0, &mut document);
    assert!(history.undo(&mut document).is_some());
    assert_eq!(document, first);
    assert!(history.undo(&mut document).is_some());
    assert_eq!(document, before);
    assert!(history.undo(&mut document).is_none());
    history.redo(&mut document);
    history.redo(&mut document);
    assert_eq!(document, second);
}

#[test]
fn a_long_drag_stores_one_change_per_value() {
    let (mut document, mut history, param) = document_with_chain();
    history.set_merging(true);
    for i in 0..500_u16 {
        let own = Edit::SetOverride { chain: ChainId(1), bone: BoneId(2), param, value: Some(f32::from(i)) };
        let edit = Edit::Batch(vec![set_base_value(param, 7.0 + f32::from(i)), Edit::Batch(vec![own])]);
        history.apply(&mut document, edit, EditLabel::new(message!("Set"))).expect("a chain");
    }
    assert_eq!((history.undo.len(), history.next_undo_size()), (1, 2));
}

#[test]
fn a_long_collider_drag_stores_each_element_once() {
    let (mut document, mut history, _) = document_with_chain();
    let put = |x: f32| {
        let local = Trs::from_translation(glam::Vec3::X * x);
        let helper = Helper { name: "ball".to_owned(), parent: Node::Bone(BoneId(1)), local, role: HelperRole::Plain };
        let collider =
            Collider::new("ball", Node::Helper(HelperId(1)), ColliderShape::Sphere { radius: x, inside: false });
        Edit::Batch(vec![
            Edit::PutHelper { id: HelperId(1), helper: Some(helper) },
            Edit::PutCollider { id: ColliderId(1), collider: Some(collider) },
        ])
    };
    history
        .apply(&mut document, put(0.1), EditLabel::new(message!("Import {n:row|rows}", n = 1)))
        .expect("a new helper");
    let before = document.clone();
    history.set_merging(true);
    for i in 0..500_u16 {
        history.apply(&mut document, put(0.2 + f32::from(i)), EditLabel::new(message!("Resize"))).expect("it exists");
    }
    history.set_merging(false);
    assert_eq!((history.undo.len(), history.next_undo_size()), (2, 2));
    assert!(history.undo(&mut document).is_some());
    assert_eq!(document, before);
}

#[test]
fn a_long_drag_in_component_lists_stores_the_system_once() {
    let (mut document, mut history, _) = document_with_chain();
    let before = document.clone();
    history.set_merging(true);
    for i in 0..500_u16 {
        let system = System { name: i.to_string(), ..document.main_system().clone() };
        let put = Edit::PutSystem { id: document.main_system_id(), system: Some(Box::new(system)) };
        history.apply(&mut document, put, EditLabel::new(message!("Curve"))).expect("it exists");
    }
    history.set_merging(false);
    assert_eq!((history.undo.len(), history.next_undo_size()), (1, 1));
    assert!(history.undo(&mut document).is_some());
    assert_eq!(document, before);
}

#[test]
fn an_edit_without_effect_adds_no_step_and_keeps_redo() {
    let (mut document, mut history, row) = document_with_chain();
    history.apply(&mut document, set_base_value(row, 5.0), EditLabel::new(message!("Set"))).expect("a chain");
    history.undo(&mut document);
    let now = document.chains[&ChainId(1)].values[row.index()].base;
    for idle in [Edit::Batch(Vec::new()), set_base_value(row, now), Edit::Batch(vec![set_base_value(row, now)])] {
        assert_eq!(history.apply(&mut document, idle, EditLabel::new(message!("Set"))), Ok(Invalidation::Nothing));
    }
    assert_eq!(history.next_undo(), None);
    assert_eq!(history.next_redo().map(|l| l.text.template()), Some("Set"));
    assert!(!history.is_dirty());
}

#[test]
fn only_returning_to_the_saved_state_makes_the_history_clean() {
    let (mut document, mut history, row) = document_with_chain();
    let apply = |history: &mut History, document: &mut Document, value| {
        history.apply(document, set_base_value(row, value), EditLabel::new(message!("Set"))).expect("a chain");
    };
    assert!(!history.is_dirty());
    apply(&mut history, &mut document, 5.0);
    assert!(history.is_dirty());
    history.mark_saved();
    history.undo(&mut document);
    assert!(history.is_dirty());
    history.redo(&mut document);
    assert!(!history.is_dirty());
    history.undo(&mut document);
    apply(&mut history, &mut document, 6.0);
    assert!(history.is_dirty(), "as many entries as saved, but another state");
    history.undo(&mut document);
    assert!(history.is_dirty());
    assert!(history.redo(&mut document).is_some());
    assert!(history.is_dirty());
}

#[test]
fn a_document_saved_during_a_drag_is_dirty_after_the_next_change() {
    let (mut document, mut history, row) = document_with_chain();
    history.set_merging(true);
    history.apply(&mut document, set_base_value(row, 5.0), EditLabel::new(message!("Set"))).expect("a chain");
    history.mark_saved();
    history.apply(&mut document, set_base_value(row, 6.0), EditLabel::new(message!("Set"))).expect("a chain");
    assert!(history.is_dirty());
    history.undo(&mut document);
    assert!(history.is_dirty());
}

#[test]
fn a_cancelled_drag_restores_the_document_and_the_history() {
    let (mut document, mut history, param) = document_with_chain();
    // The first step of a drag fits a curve to overrides. Cancelling the drag restores the overrides.
    let own = |value| Edit::SetOverride { chain: ChainId(1), bone: BoneId(1), param, value };
    history.apply(&mut document, own(Some(7.0)), EditLabel::new(message!("Set"))).expect("a joint");
    let (before, state) = (document.clone(), history.current_state());
    history.set_merging(true);
    let fit = Edit::Batch(vec![own(None), set_base_value(param, 5.0)]);
    history.apply(&mut document, fit, EditLabel::new(message!("Set"))).expect("a chain");
    history.apply(&mut document, set_base_value(param, 6.0), EditLabel::new(message!("Set"))).expect("a chain");
    assert!(history.cancel(&mut document).is_some());
    history.set_merging(false);
    assert_eq!((&document, history.current_state()), (&before, state));
    assert!(history.next_redo().is_none() && history.cancel(&mut document).is_none());
}

#[test]
fn an_applied_edit_clears_redo_and_a_rejected_edit_keeps_it() {
    let (mut document, mut history, row) = document_with_chain();
    history.apply(&mut document, set_base_value(row, 5.0), EditLabel::new(message!("Set"))).expect("a chain");
    history.undo(&mut document);
    history.apply(&mut document, set_base_value(row, f32::NAN), EditLabel::new(message!("Set"))).expect_err("NaN");
    assert!(history.next_redo().is_some());
    history.apply(&mut document, set_base_value(row, 6.0), EditLabel::new(message!("Set"))).expect("a chain");
    assert!(history.next_redo().is_none());
}

/// Declares a pattern for each variant of [`Edit`] except the batch, and a function that creates the variant for a frame
/// of a drag. The patterns form one exhaustive match, so a new variant does not compile without such a function.
macro_rules! dragged_edits {
    ($($variant:pat => $make:expr,)*) => {
        fn variant_name(edit: &Edit) -> &'static str {
            match edit {
                $($variant => stringify!($variant),)*
                Edit::Batch(_) => "a batch",
            }
        }

        /// The function that creates each variant for a frame, in the order of the list.
        const DRAGGED_EDITS: &[(&str, fn(&Document, u16) -> Edit)] = &[$((stringify!($variant), $make)),*];
    };
}

const CHAIN: ChainId = ChainId(1);
const BONE: BoneId = BoneId(2);
const BALL: HelperId = HelperId(1);

dragged_edits! {
    Edit::SetSystemValue { .. } => |d, n| {
        let (param, _) = enumerate_params(d.main_system().param_defs())
            .find(|(_, def)| def.scope == ParamScope::System)
            .expect("a parameter of the system");
        Edit::SetSystemValue { system: d.main_system_id(), param, value: number(n) }
    },
    Edit::SetBaseValue { .. } => |d, n| Edit::SetBaseValue { chain: CHAIN, param: material_param(d), value: number(n) },
    Edit::SetCurve { .. } => |d, n| {
        let curve = Curve::from_points(&[(0.0, number(n)), (1.0, 1.0)]);
        Edit::SetCurve { chain: CHAIN, param: material_param(d), curve }
    },
    Edit::SetRingCurve { .. } => |d, n| {
        let curve = Some(RingCurve::level().with_factor(0, number(n)));
        Edit::SetRingCurve { chain: CHAIN, param: material_param(d), curve }
    },
    Edit::SetRingPlace { .. } => |_, n| {
        Edit::SetRingPlace { chain: CHAIN, place: Some(RingPlace { ring: RingId(1), angle: number(n) }) }
    },
    Edit::SetOverride { .. } => |d, n| {
        Edit::SetOverride { chain: CHAIN, bone: BONE, param: material_param(d), value: Some(number(n)) }
    },
    Edit::SetCurveDomain { .. } => |_, n| Edit::SetCurveDomain {
        chain: CHAIN,
        curve_domain: if n % 2 == 0 { CurveDomain::Depth } else { CurveDomain::Length },
    },
    Edit::PutChain { .. } => |d, n| {
        Edit::PutChain { id: CHAIN, chain: Some(Box::new(Chain { name: n.to_string(), ..d.chains[&CHAIN].clone() })) }
    },
    Edit::PutMaterial { .. } => |d, n| {
        let mut material = d.materials[&MaterialId(1)].clone();
        material.values.values_mut().for_each(|value| value.base = number(n));
        Edit::PutMaterial { id: MaterialId(1), material: Some(Box::new(material)) }
    },
    Edit::SetMaterial { .. } => |_, n| Edit::SetMaterial { chain: CHAIN, material: (n % 2 == 0).then_some(MaterialId(1)) },
    Edit::PutHelper { .. } => |d, n| {
        let helper = Helper { local: Trs::from_translation(glam::Vec3::splat(number(n))), ..d.helpers[&BALL].clone() };
        Edit::PutHelper { id: BALL, helper: Some(helper) }
    },
    Edit::PutCollider { .. } => |_, n| {
        let shape = ColliderShape::Sphere { radius: number(n), inside: false };
        Edit::PutCollider { id: ColliderId(1), collider: Some(Collider::new("ball", Node::Helper(BALL), shape)) }
    },
    Edit::PutGroup { .. } => |_, n| {
        let group = ColliderGroup { name: n.to_string(), ..ColliderGroup::default() };
        Edit::PutGroup { id: GroupId(1), group: Some(group) }
    },
    Edit::PutSystem { .. } => |d, n| {
        let system = System { name: n.to_string(), ..d.main_system().clone() };
        Edit::PutSystem { id: d.main_system_id(), system: Some(Box::new(system)) }
    },
    Edit::Changes(_) => |d, n| {
        let mut after = d.clone();
        for chain in after.chains.values_mut() {
            chain.name = n.to_string();
        }
        difference(d, &after)
    },
    Edit::PutForce { .. } => |_, n| {
        let kind = ForceKind::ALL[0].with_field(0, number(n));
        let force = Force { name: "wind".to_owned(), node: Node::Helper(BALL), kind, enabled: true };
        Edit::PutForce { id: ForceId(1), force: Some(force) }
    },
    Edit::PutHighLeg { .. } => |_, n| {
        let (node, hip) = (Node::Helper(BALL), Node::Bone(BoneId(u32::from(n))));
        Edit::PutHighLeg { id: HighLegId(1), high_leg: Some(HighLeg { node, hip, legs: Vec::new() }) }
    },
    Edit::SetMeshVisible { .. } => |_, n| Edit::SetMeshVisible { name: "coat".to_owned(), enabled: n % 2 == 0 },
    Edit::PutGesture { .. } => |_, n| Edit::PutGesture { id: GestureId(1), gesture: Some(gesture(n)) },
    Edit::SetBaseMotion { .. } => |_, n| {
        let motion = MotionRef::Clip("walk".to_owned());
        let base_motion = BaseMotion { motion, start: f64::from(n), speed: 1.0, amplitude: 1.0, range: None };
        Edit::SetBaseMotion { id: GestureId(1), base_motion: Some(base_motion) }
    },
    Edit::SetKeptPose(_) => |_, n| {
        let sample = GestureSample { offset: glam::Vec3::splat(number(n)), ..GestureSample::default() };
        Edit::SetKeptPose(vec![PosedBone { bone: BONE, reach: DragReach::OneBone, sample }])
    },
    Edit::SetPivot { .. } => |_, n| {
        Edit::SetPivot { chain: CHAIN, bone: BONE, pivot: (n % 2 == 0).then_some(Node::Helper(BALL)) }
    },
    Edit::SetExcluded { .. } => |_, n| Edit::SetExcluded { bone: BoneId(9), excluded: n % 2 == 0 },
    Edit::SetPassthrough(_) => |_, n| Edit::SetPassthrough(vec![Passthrough::CsvRow { section: n.to_string(), cells: Vec::new() }]),
}

fn number(n: u16) -> f32 {
    0.1 + f32::from(n) / 64.0
}

fn material_param(document: &Document) -> ParamId {
    document.main_system().solver.info().material_params[0]
}

fn gesture(n: u16) -> Gesture {
    let sample = GestureSample { offset: glam::Vec3::splat(number(n)), ..GestureSample::default() };
    Gesture { name: "drag".to_owned(), bone: BONE, reach: DragReach::OneBone, samples: vec![sample], wind: None }
}

/// Returns a document that contains one element of each kind. Two chains share a material.
fn document_with_everything() -> Document {
    let solver = *SolverKind::ALL
        .iter()
        .find(|solver| !solver.info().material_params.is_empty())
        .expect("a solver with materials");
    let mut document = Document::with_solver(solver);
    for (id, bones) in [(CHAIN, [1, 2]), (ChainId(2), [3, 4])] {
        let joints = bones.map(|bone| Joint::new(BoneId(bone))).to_vec();
        let chain = Chain::new("hair", ChainPart::Hair, document.main_system().param_defs(), joints);
        document.chains.insert(id, chain);
    }
    let material = Material::from_chain("silk", solver, &document.chains[&CHAIN]);
    let ball = Helper {
        name: "ball".to_owned(),
        parent: Node::Bone(BoneId(1)),
        local: Trs::IDENTITY,
        role: HelperRole::Plain,
    };
    let setup = [
        Edit::PutMaterial { id: MaterialId(1), material: Some(Box::new(material)) },
        Edit::SetMaterial { chain: CHAIN, material: Some(MaterialId(1)) },
        Edit::SetMaterial { chain: ChainId(2), material: Some(MaterialId(1)) },
        Edit::PutHelper { id: BALL, helper: Some(ball) },
        Edit::PutGesture { id: GestureId(1), gesture: Some(gesture(0)) },
    ];
    document.apply(Edit::Batch(setup.to_vec())).expect("the elements fit");
    document
}

#[test]
fn a_drag_with_any_edit_is_an_undo_step_of_bounded_size() {
    for (name, make) in DRAGGED_EDITS {
        let before = document_with_everything();
        let (mut document, mut history) = (before.clone(), History::default());
        history.set_merging(true);
        let mut sizes = [0, 0];
        for frame in 0..200 {
            let edit = make(&document, frame);
            assert_eq!(variant_name(&edit), *name);
            history.apply(&mut document, edit, EditLabel::new(message!("Resize"))).expect(name);
            sizes[usize::from(frame >= 4)] = history.next_undo_size();
        }
        history.set_merging(false);
        assert_eq!(history.undo.len(), usize::from(document != before), "{name}");
        assert!(sizes[1] <= sizes[0].max(1), "{name}: {sizes:?}");
        history.undo(&mut document);
        assert_eq!(document, before, "{name}");
    }
}

#[test]
fn a_drag_that_creates_and_deletes_elements_is_bounded() {
    let before = document_with_everything();
    let (mut document, mut history) = (before.clone(), History::default());
    history.set_merging(true);
    let mut sizes = [0, 0];
    for frame in 0..100_u16 {
        let local = Trs::from_translation(glam::Vec3::splat(number(frame)));
        let helper = Helper { local, name: "pivot".to_owned(), ..before.helpers[&BALL].clone() };
        let made = frame % 2 == 0;
        let (node, pivot) =
            (Node::Helper(HelperId(2)), Edit::PutHelper { id: HelperId(2), helper: made.then_some(helper) });
        let assign = Edit::SetPivot { chain: CHAIN, bone: BONE, pivot: made.then_some(node) };
        let edits = if made { vec![pivot, assign] } else { vec![assign, pivot] };
        history.apply(&mut document, Edit::Batch(edits), EditLabel::new(message!("Resize"))).expect("the edits fit");
        sizes[usize::from(frame >= 4)] = history.next_undo_size();
    }
    assert!(sizes[1] <= sizes[0], "{sizes:?}");
    history.undo(&mut document);
    assert_eq!(document, before);
}
