//! Tests characters whose chains use different solvers.

use crate::support::sample;
use crate::support::window::{WindowFixture, window_harness};
use egui_kittest::kittest::Queryable as _;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono::ui::{OutlinerTab, Prefs};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::open::OpenedCharacter;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{
    ChainId, ChainPart, ChainValue, Collider, ColliderId, Document, Edit, EditError, Helper, HelperRole, Node,
    SetupEntry, System, SystemId,
};
use yuremono_model::exchange::{
    ExportOptions, FileSection, ImportPlan, ReplaceOptions, ReplacePlan, TableSections, export,
};
use yuremono_model::feel::params::FeelContext;
use yuremono_model::feel::{convert::convert, convert::convert_chains};
use yuremono_model::tools::{elements, elements::NewElement};
use yuremono_model::tools::{paste::CopiedChain, paste::PasteTarget, paste::paste};
use yuremono_session::{Command, SelectMode, Session};
use yuremono_sim::math::{Curve, CurveShape, Trs};
use yuremono_sim::params::{ParamId, ParamScope, enumerate_params};
use yuremono_sim::rig::skinning::{SkinMatrices, effective_skin, posed_positions};
use yuremono_sim::rig::{BoneId, Character, Pose, WorldPose};
use yuremono_sim::solver::hinge::CENTER_OF_MASS;
use yuremono_sim::solver::vrm::VERSION;
use yuremono_sim::{ColliderShape, FeelParam, SolverKind, StepInput, World};

const DT: f32 = 1.0 / 60.0;

/// Returns the chains that have a bone whose name contains this text.
fn chains_with_bone_name(opened: &OpenedCharacter, part_of_name: &str) -> BTreeSet<ChainId> {
    let named = |bone| opened.character.skeleton.name(bone).contains(part_of_name);
    let chains = opened.document.chains.iter();
    chains.filter(|(_, c)| c.joints.iter().any(|j| named(j.bone))).map(|(id, _)| *id).collect()
}

/// Returns the bundled character with `DynamicBone` tails, a bell with a hinge, and `UnityChanSpringBone` for all other
/// chains.
fn sample_with_three_solvers() -> (OpenedCharacter, Document) {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let tails = chains_with_bone_name(&opened, "Twin");
    let bell = chains_with_bone_name(&opened, "Bell");
    assert!(!tails.is_empty() && !bell.is_empty(), "the sample has both");
    let mut document = opened.document.clone();
    for (chains, solver) in [(&tails, SolverKind::DynamicBone), (&bell, SolverKind::Hinge)] {
        let conversion = convert_chains(&document, &opened.character, chains, solver);
        let edit = conversion.edit(&document);
        document.apply(edit).expect("the conversion is one edit");
        assert_eq!(document, conversion.after);
    }
    (opened, document)
}

#[test]
fn some_chains_can_switch_solver_and_the_rest_is_unchanged() {
    let (opened, document) = sample_with_three_solvers();
    let before = &opened.document;
    assert_eq!(document.used_solvers(), [SolverKind::UnityChanSpringBone, SolverKind::DynamicBone, SolverKind::Hinge]);
    assert_eq!(document.systems.len(), 3);
    assert_eq!(document.main_system_id(), before.main_system_id());
    for (id, chain) in &document.chains {
        if document.solver_of(chain) == SolverKind::UnityChanSpringBone {
            assert_eq!(chain, &before.chains[id]);
        }
    }
    let conversion =
        convert_chains(before, &opened.character, &chains_with_bone_name(&opened, "Twin"), SolverKind::DynamicBone);
    let mut there = before.clone();
    let changes = there.apply_recorded(conversion.edit(before)).expect("the edit applies");
    changes.revert(&mut there);
    assert_eq!(&there, before);
}

#[test]
fn a_system_without_chains_is_removed_and_an_existing_system_of_a_solver_is_reused() {
    let (opened, document) = sample_with_three_solvers();
    let tails = chains_with_bone_name(&opened, "Twin");
    let back = convert_chains(&document, &opened.character, &tails, SolverKind::UnityChanSpringBone).after;
    assert_eq!(back.systems.len(), 2);
    assert!(tails.iter().all(|id| back.chains[id].system == back.main_system_id()));
    let all = convert(&document, &opened.character, SolverKind::DynamicBone).after;
    assert_eq!(all.used_solvers(), [SolverKind::DynamicBone]);
    assert_eq!(all.systems.len(), 1, "existing chains keep their system, other chains join it");
    assert!(tails.iter().all(|id| all.chains[id] == document.chains[id]));
}

#[test]
fn chains_below_bones_of_another_system_follow_them() {
    let (opened, mut document) = sample_with_three_solvers();
    // The second half of the first tail will use a hinge; DynamicBone moves its parent.
    let id = *chains_with_bone_name(&opened, "Twin").first().expect("a tail");
    let mut tail = document.chains[&id].clone();
    let cut = tail.joints.len() / 2;
    let ends = tail.joints.split_off(cut);
    let (bone, above) = (ends[0].bone, tail.joints[cut - 1].bone);
    let mut own = yuremono_model::document::Chain::new("end", tail.part, document.param_defs_of(&tail), ends);
    own.system = tail.system;
    let end = document.next_chain_id();
    let put = |id, chain| Edit::PutChain { id, chain: Some(Box::new(chain)) };
    document.apply(Edit::Batch(vec![put(id, tail), put(end, own)])).expect("the chain has two halves");
    let document = convert_chains(&document, &opened.character, &BTreeSet::from([end]), SolverKind::Hinge).after;
    let skeleton = &opened.character.skeleton;
    let resolved = document.resolve(skeleton);
    let kinds: Vec<_> = resolved.systems.iter().map(|s| s.solver).collect();
    assert!(resolved.system_ids.len() == 3 && kinds.len() == 3);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let mut pose = Pose::rest(&resolved.skeleton);
    let rest = skeleton.bones()[bone.index()].rest.translation;
    let mut farthest: f32 = 0.0;
    for tick in 0..60 {
        pose.local[0].translation.x = 0.3 * libm::sinf(tick as f32 * 0.2);
        world.step(&StepInput { pose: &pose, grab: None, dt: DT });
        // DynamicBone writes positions: the head of the hinge chain follows its parent bone.
        let wanted = world.frames().frame(above).transform_point(world.pose().local[bone.index()].translation);
        farthest = farthest.max(world.frames().frame(bone).position.distance(wanted));
        assert!(world.pose().local[bone.index()].translation.distance(rest) < 1e-3, "the bone keeps its length");
    }
    assert!(farthest < 1e-5, "the chain separates by {farthest} m");
    let moved = world
        .frames()
        .frame(above)
        .position
        .distance(WorldPose::from_pose(skeleton, &Pose::rest(skeleton)).frame(above).position);
    assert!(moved > 1e-2, "the tail swung");
}

#[test]
fn a_project_stores_every_system_and_its_chains() {
    let (opened, mut document) = sample_with_three_solvers();
    let (id, dynamic) = document.system_with_solver(SolverKind::DynamicBone).expect("a system");
    let system = System {
        name: "Tails".to_owned(),
        component: document.chains.values().next().map(|c| Node::Bone(c.root())),
        ..dynamic.clone()
    };
    document.apply(Edit::PutSystem { id, system: Some(Box::new(system)) }).expect("the same solver");
    let skeleton = &opened.character.skeleton;
    let bytes = project::write(&document, skeleton, &ProjectMetadata::default());
    let (project, reported) = project::read(&bytes, "p.yure").expect("it reads");
    let (loaded, more) = project.into_document(skeleton);
    assert!(reported.is_empty() && more.is_empty(), "{reported:?} {more:?}");
    assert_eq!(loaded, document);
}

#[test]
fn tables_import_and_export_only_chains_of_their_solver() {
    let (opened, document) = sample_with_three_solvers();
    let skeleton = &opened.character.skeleton;
    for solver in document.used_solvers() {
        let options = ExportOptions { solver: Some(solver), ..ExportOptions::new(DEFAULT_FORMAT) };
        let exported = export(&document, skeleton, options);
        let joints: usize = document.chains_with_solver(solver).map(|(_, c)| c.joints.len()).sum();
        let [system] = &exported.file.systems[..] else { panic!("{:?}", exported.file.systems) };
        assert_eq!((system.solver, exported.file.usable_entries(FileSection::Joints).count()), (solver, joints));
        assert!(exported.losses.iter().any(|loss| loss.to_string().contains("a table of their own")));
        let mut bare = document.clone();
        for (id, chain) in document.chains_with_solver(solver) {
            let mut chain = chain.clone();
            chain.joints.iter_mut().for_each(|j| j.overrides.clear());
            chain.values.iter_mut().for_each(|v| v.base = 0.25);
            bare.apply(Edit::PutChain { id, chain: Some(Box::new(chain)) }).expect("a valid chain");
        }
        let plan = ImportPlan::new(exported.file, &[], &bare, &opened.character, &BTreeMap::new());
        bare.apply(plan.edit(&bare, skeleton)).expect("the plan fits");
        for (id, chain) in &document.chains {
            let same = document.solver_of(chain) != solver;
            assert!(!same || bare.chains[id] == *chain, "{} must not change", chain.name);
            assert!(
                same || bare.chains[id].joints.iter().all(|j| !j.overrides.is_empty()),
                "{solver:?} {}",
                chain.name
            );
        }
    }
}

#[test]
fn new_chains_of_a_table_never_reuse_ids_of_chains_of_other_solvers() {
    let (opened, mut document) = sample_with_three_solvers();
    let skeleton = &opened.character.skeleton;
    // The chain with the highest id uses another solver.
    let last = document.next_chain_id();
    let id = *chains_with_bone_name(&opened, "Bell").first().expect("a bell");
    let bell = document.chains[&id].clone();
    document.apply(Edit::PutChain { id, chain: None }).expect("the chain is removed");
    document.apply(Edit::PutChain { id: last, chain: Some(Box::new(bell.clone())) }).expect("the chain is inserted");
    let free =
        skeleton.ids().find(|b| document.find_joint(*b).is_none() && skeleton.find(skeleton.name(*b)) == Some(*b));
    let free = free.expect("a bone that is not simulated");
    let mut file = export(&document, skeleton, ExportOptions::new(DEFAULT_FORMAT)).file;
    let mut joints = 0;
    file.entries.retain(|item| {
        joints += usize::from(item.section == FileSection::Joints);
        item.section != FileSection::Joints || joints == 1
    });
    let first = file.entries.iter_mut().find(|item| item.section == FileSection::Joints).expect("a joint");
    skeleton.name(free).clone_into(&mut first.name);
    let Ok(SetupEntry::Joint(row)) = &mut first.content else { panic!("{first:?}") };
    skeleton.name(free).clone_into(&mut row.joint.bone);
    let plan = ImportPlan::new(file, &[], &document, &opened.character, &BTreeMap::new());
    let before = document.chains.len();
    document.apply(plan.edit(&document, skeleton)).expect("the plan fits");
    assert_eq!(document.chains.len(), before + 1, "{:?}", plan.rows());
    assert_eq!(document.chains[&last], bell);
    assert_eq!(
        document.solver_of(&document.chains[&document.find_joint(free).expect("it has a chain").0]),
        SolverKind::UnityChanSpringBone
    );
}

#[test]
fn a_system_with_chains_cannot_change_solver_and_the_last_system_cannot_be_removed() {
    let (_, mut document) = sample_with_three_solvers();
    let (id, _) = document.system_with_solver(SolverKind::DynamicBone).expect("a system");
    let before = document.clone();
    let other = Some(Box::new(System::with_solver(SolverKind::Vrm)));
    for edit in [
        Edit::PutSystem { id, system: None },
        Edit::PutSystem { id, system: other },
        Edit::SetSystemValue { system: SystemId(99), param: ParamId(0), value: 1.0 },
    ] {
        assert!(matches!(document.apply(edit), Err(EditError::NoSuchSystem(_))));
        assert_eq!(document, before);
    }
    let mut bare = Document::default();
    let id = bare.main_system_id();
    assert_eq!(bare.apply(Edit::PutSystem { id, system: None }), Err(EditError::NoSuchSystem(id.0)));
}

#[test]
fn edits_apply_to_chains_with_the_solver_of_the_active_chain() {
    let (opened, document) = sample_with_three_solvers();
    let tails = chains_with_bone_name(&opened, "Twin");
    let mut session = Session::new(opened.character.clone(), document);
    assert_eq!(session.inspection().system().solver, SolverKind::UnityChanSpringBone, "nothing is selected");
    let all: EditTargets = session.inspection().targets();
    assert!(tails.iter().all(|id| !all.chains.contains(id)));
    let root = session.document().chains[tails.first().expect("a tail")].root();
    session.handle(Command::Select(vec![root], SelectMode::Replace));
    assert_eq!(session.inspection().system().solver, SolverKind::DynamicBone);
    assert_eq!(session.inspection().targets().chains, [*tails.first().expect("a tail")]);
    let before = session.document().clone();
    session.handle(Command::SetParam(ParamId(0), 0.3));
    let (after, system) = (session.document(), session.inspection().system_id());
    for (id, old) in &before.systems {
        assert!(*id == system || after.systems[id] == *old);
    }
    for (id, chain) in &before.chains {
        assert!(tails.contains(id) || after.chains[id] == *chain);
    }
}

#[test]
fn a_base_value_is_written_only_to_chains_of_the_edited_solver() {
    let (opened, document) = sample_with_three_solvers();
    let bell = *chains_with_bone_name(&opened, "Bell").first().expect("a bell");
    let mut session = Session::new(opened.character.clone(), document);
    let all: Vec<ChainId> = session.document().chains.keys().copied().collect();
    let table = session.inspection().system().param_defs();
    // The last parameter of the longest table does not exist in the tables of the other solvers.
    let (param, _) =
        enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint).last().expect("rows of joints");
    assert!(param.index() >= session.document().param_defs_of(&session.document().chains[&bell]).len());
    let before = session.document().clone();
    for param in [param, ParamId(0)] {
        session.handle(Command::SetParamBase(all.clone(), param, 0.25));
        assert!(crate::support::no_edit_rejected(&session));
    }
    for (id, chain) in &session.document().chains {
        if session.document().solver_of(chain) == SolverKind::UnityChanSpringBone {
            assert_eq!(chain.values[param.index()].base, 0.25);
        } else {
            assert_eq!(chain, &before.chains[id]);
        }
    }
}

#[test]
fn values_are_not_pasted_on_chains_of_another_solver() {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let mut document = opened.document.clone();
    let (tails, bell) = (chains_with_bone_name(&opened, "Twin"), chains_with_bone_name(&opened, "Bell"));
    for (chains, solver) in [(&tails, SolverKind::Vrm), (&bell, SolverKind::PbdSpringBone)] {
        document = convert_chains(&document, &opened.character, chains, solver).after;
    }
    let [from, onto] = [&tails, &bell].map(|chains| *chains.first().expect("the sample has both"));
    let len = |id: ChainId| document.chains[&id].values.len();
    assert_eq!(len(from), len(onto));
    let skeleton = &opened.character.skeleton;
    let copied = CopiedChain::from_document(&document, skeleton, from).expect("a chain");
    let edit = paste(&document, skeleton, &copied, &[onto], PasteTarget::ALL).edit;
    assert_eq!(edit, Edit::Batch(Vec::new()));
}

#[test]
fn a_replacing_table_keeps_colliders_that_other_solvers_use() {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let skeleton = &opened.character.skeleton;
    let mut document = opened.document.clone();
    let tails = chains_with_bone_name(&opened, "Twin");
    let ball = Collider::new(
        "ball of tails",
        Node::Bone(skeleton.ids().next().expect("a bone")),
        ColliderShape::Sphere { radius: 0.05, inside: false },
    );
    let id: ColliderId = document.next_collider_id();
    document.apply(Edit::PutCollider { id, collider: Some(ball) }).expect("a ball");
    for tail in &tails {
        let joints = &mut document.chains.get_mut(tail).expect("a tail").joints;
        for joint in joints {
            joint.colliders.push(id);
        }
    }
    let mut document = convert_chains(&document, &opened.character, &tails, SolverKind::Vrm).after;
    let idle = document.next_collider_id();
    let ball = Collider { name: "idle ball".to_owned(), ..document.colliders[&id].clone() };
    document.apply(Edit::PutCollider { id: idle, collider: Some(ball) }).expect("another ball");
    assert!(document.groups.values().any(|group| group.colliders.contains(&id)));
    let mut file = export(&document, skeleton, ExportOptions::new(DEFAULT_FORMAT)).file;
    file.entries.retain(|item| item.section != FileSection::Colliders || !item.name.contains("ball"));
    let options = ReplaceOptions {
        sections: TableSections { bones: true, colliders: true },
        mesh_names: Vec::new(),
        use_other_entries: true,
    };
    let plan = ReplacePlan::new(&file, &[], &[], &document, skeleton, options);
    let before = document.clone();
    let changes = document.apply_recorded(plan.edit(&before, skeleton)).expect("the plan fits");
    assert_eq!(document.colliders.get(&id), before.colliders.get(&id));
    assert_eq!(document.groups, before.groups);
    assert!(!document.colliders.contains_key(&idle), "no other chain uses the collider");
    changes.revert(&mut document);
    assert_eq!(document, before);
}

#[test]
fn setting_the_feel_of_a_chain_does_not_depend_on_the_solvers_of_others() {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let skeleton = &opened.character.skeleton;
    let tails = chains_with_bone_name(&opened, "Twin");
    let tail = *tails.first().expect("a tail");
    let mut mixed =
        convert_chains(&opened.document, &opened.character, &chains_with_bone_name(&opened, "Bell"), SolverKind::Vrm)
            .after;
    let (vrm, _) = mixed.system_with_solver(SolverKind::Vrm).expect("the bell's");
    mixed.apply(Edit::SetSystemValue { system: vrm, param: VERSION, value: 1.0 }).expect("VRM 0.x");
    let curve = Some(Curve::from_shape(CurveShape::Linear));
    let laid = |document: &Document| {
        let mut after = document.clone();
        let edit = FeelContext::new(document, skeleton).set_chain_value(
            tail,
            FeelParam::Speed,
            &ChainValue::new(4.0, curve.clone()),
        );
        after.apply(edit).expect("the edit applies");
        after.chains[&tail].clone()
    };
    assert_eq!(laid(&mixed), laid(&opened.document));
}

#[test]
fn a_param_that_the_edited_solver_does_not_have_changes_nothing() {
    let (opened, document) = sample_with_three_solvers();
    let bell = *chains_with_bone_name(&opened, "Bell").first().expect("a bell");
    let beyond = ParamId(u16::try_from(document.param_defs_of(&document.chains[&bell]).len()).expect("a short table"));
    let mut session = Session::new(opened.character.clone(), document.clone());
    session.handle(Command::Select(vec![document.chains[&bell].root()], SelectMode::Replace));
    for command in [
        Command::SetParam(beyond, 1.0),
        Command::ScaleParam(beyond, 2.0),
        Command::ResetParams(vec![beyond]),
        Command::SetOriginalDefaults(vec![beyond]),
        Command::SetParamCurve(beyond, None),
        Command::SetLimitsEnabled(vec![beyond], true),
    ] {
        session.handle(command);
    }
    assert_eq!(session.document(), &document);
}

#[test]
fn a_table_never_reuses_ids_of_helpers_that_other_solvers_use() {
    let (opened, mut document) = sample_with_three_solvers();
    let skeleton = &opened.character.skeleton;
    let (id, tail) =
        document.chains_with_solver(SolverKind::DynamicBone).next().map(|(id, c)| (id, c.clone())).expect("one");
    let wind = elements::create_element(&document, skeleton, NewElement::Wind, Node::Bone(tail.root()));
    let changes = document.apply_recorded(wind.edit).expect("a wind");
    let file = export(&document, skeleton, ExportOptions::new(DEFAULT_FORMAT)).file;
    changes.revert(&mut document);
    let pivot = document.next_helper_id();
    let local = Trs { translation: Vec3::X, ..Trs::IDENTITY };
    let (name, parent) = ("of the tail".to_owned(), Node::Bone(tail.root()));
    let helper = Helper { name, parent, local, role: HelperRole::Pivot };
    document.apply(Edit::PutHelper { id: pivot, helper: Some(helper.clone()) }).expect("a node");
    let (chain, bone) = (id, tail.root());
    document.apply(Edit::SetPivot { chain, bone, pivot: Some(Node::Helper(pivot)) }).expect("a pivot");
    let options = ReplaceOptions {
        sections: TableSections { bones: true, colliders: true },
        mesh_names: Vec::new(),
        use_other_entries: true,
    };
    let plan = ReplacePlan::new(&file, &[], &[], &document, skeleton, options);
    document.apply(plan.edit(&document, skeleton)).expect("the plan fits");
    assert_eq!(document.forces.len(), 1, "the table brings its wind");
    assert_eq!(document.chains[&id].joints[0].pivot, Some(Node::Helper(pivot)));
    assert_eq!(document.helpers.get(&pivot), Some(&helper));
    assert!(document.forces.values().all(|force| force.node != Node::Helper(pivot)));
}

#[test]
fn a_new_chain_joins_the_system_of_its_part_or_else_the_edited_system() {
    let (opened, document) = sample_with_three_solvers();
    let dynamic = document.system_with_solver(SolverKind::DynamicBone).expect("a system").0;
    let tail = document.chains.values().find(|c| c.system == dynamic).expect("a tail").root();
    let free = opened.character.skeleton.ids().filter(|b| document.find_joint(*b).is_none());
    let free: Vec<_> = free.filter(|b| !document.excluded_bones.contains(b)).collect();
    let mut session = Session::new(opened.character, document);
    session.handle(Command::Select(vec![tail], SelectMode::Replace));
    assert_eq!(session.inspection().system_id(), dynamic);
    let has = |part: &ChainPart| session.document().chains.values().any(|c| c.part == *part);
    let strange = ChainPart::ALL.into_iter().find(|part| !has(part)).expect("a part that the sample lacks");
    let hair = session.document().default_system_for(ChainPart::Hair, dynamic);
    for (at, (part, expected)) in [(strange, dynamic), (ChainPart::Hair, hair)].into_iter().enumerate() {
        session.handle(Command::CreateChains(vec![free[free.len() - 1 - at]], part));
        let (id, _) = session.document().find_joint(free[free.len() - 1 - at]).expect("it has a chain");
        let chain = &session.document().chains[&id];
        assert_eq!((chain.part, chain.system), (part, expected));
        assert_eq!(chain.values.len(), session.document().param_defs_of(chain).len());
    }
}

/// Returns the bounds of the mesh parts that a bone moves, in the space of the bone.
fn mesh_bounds_of_bone(opened: &OpenedCharacter, bone: BoneId) -> [Vec3; 2] {
    let character = &opened.character;
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let palettes = SkinMatrices::of(&character.skins, &rest);
    let mut corners = [Vec3::MAX, Vec3::MIN];
    for (mesh, primitive) in character.meshes.iter().flat_map(|mesh| mesh.primitives.iter().map(move |p| (mesh, p))) {
        let Some(skin) = effective_skin(character, mesh, primitive).map(|skin| &character.skins[skin]) else {
            continue;
        };
        let points = posed_positions(character, mesh, primitive, &palettes, &rest);
        for ((joints, weights), point) in primitive.joints.iter().zip(&primitive.weights).zip(points) {
            if joints.iter().zip(weights).any(|(j, w)| skin.joints[usize::from(*j)] == bone && *w > 0.9) {
                let p = rest.frame(bone).inverse_transform_point(point);
                corners = [corners[0].min(p), corners[1].max(p)];
            }
        }
    }
    corners
}

#[test]
fn a_hinge_gets_its_center_of_mass_from_the_mesh_or_from_the_bone_length() {
    let (opened, document) = sample_with_three_solvers();
    let bell = *chains_with_bone_name(&opened, "Bell").first().expect("a bell");
    let center = |document: &Document| {
        let chain = &document.chains[&bell];
        Vec3::from(CENTER_OF_MASS.map(|param| chain.joint_value(0, param, 0.0)))
    };
    let bone = document.chains[&bell].joints[0].bone;
    let [low, high] = mesh_bounds_of_bone(&opened, bone);
    let found = center(&document);
    assert!(low.cmple(high).all(), "the bell has a mesh");
    assert!(found.distance(low.midpoint(high)) < 1e-3, "{found} is not the middle of {low} and {high}");
    assert!(found.length() < 0.1, "the article's handle is 190 mm away: {found}");
    // Without meshes, the centre is halfway between the joint and its tip.
    let bare = Character { meshes: Vec::new(), ..(*opened.character).clone() };
    let before = &opened.document;
    let after = convert_chains(before, &bare, &BTreeSet::from([bell]), SolverKind::Hinge).after;
    let rest = WorldPose::from_pose(&bare.skeleton, &Pose::rest(&bare.skeleton));
    let length =
        yuremono_model::document::measure::joint_length(&before.chains[&bell].joints[0], &bare.skeleton, &rest);
    let half = center(&after).length();
    assert!(length > 0.0 && (half - 0.5 * length).abs() < 1e-4, "{half} m of {length} m");
}

#[test]
fn the_deepest_contact_is_found_in_any_system() {
    let (opened, mut document) = sample_with_three_solvers();
    let bare: Vec<_> = document.chains.keys().copied().collect();
    let ball = ColliderId(document.colliders.len() as u32 + 900);
    let head = opened.character.humanoid.bone("head").expect("a head");
    let shape = ColliderShape::Sphere { radius: 2.0, inside: false };
    let edit = Edit::PutCollider { id: ball, collider: Some(Collider::new("Ball", Node::Bone(head), shape)) };
    document.apply(edit).expect("a bone");
    for id in bare {
        let mut chain = document.chains[&id].clone();
        let is_tail = document.solver_of(&chain) == SolverKind::DynamicBone;
        chain.groups.clear();
        chain.joints.iter_mut().for_each(|j| j.colliders = if is_tail { vec![ball] } else { Vec::new() });
        document.apply(Edit::PutChain { id, chain: Some(Box::new(chain)) }).expect("the edit applies");
    }
    let session = Session::new(opened.character, document);
    let first = session.playback().world().contacts().iter().all(|contact| contact.joint.system > 0);
    assert!(first, "no chain of the first system has a contact");
    let mut fixture = WindowFixture::new(session, Prefs::default());
    fixture.ui.state_mut().outliner_tab = OutlinerTab::Colliders;
    let mut harness = window_harness(fixture, [1440.0, 900.0]);
    harness.run_steps(3);
    harness.get_by_label_contains("Deepest contact");
}
