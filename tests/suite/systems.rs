//! Chains of one character under several solvers.

use crate::support::sample;
use crate::support::window::{Bench, window};
use egui_kittest::kittest::Queryable as _;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono::document::tune::Targets;
use yuremono::document::{
    Authored, ChainId, Collider, ColliderId, Document, Edit, EditError, Helper, HelperRole, Node, Part, SetupItem,
    System, SystemId,
};
use yuremono::exchange::{ExportOptions, ImportPlan, ReplaceOptions, ReplacePlan, Section, Wanted, export};
use yuremono::feel::terms::Feels;
use yuremono::feel::{convert::convert, convert::convert_chains};
use yuremono::format::open::Opened;
use yuremono::format::project::{self, Surroundings};
use yuremono::math::{Curve, CurveShape, Trs};
use yuremono::rig::{BoneId, Character, Pose, WorldPose};
use yuremono::schema::{Row, Scope, rows};
use yuremono::session::{Command, Pick, Session};
use yuremono::sim::solver::hinge::CENTER_AT;
use yuremono::sim::solver::vrm::VERSION;
use yuremono::sim::{Shape, SolverKind, StepInput, Term, World};
use yuremono::stage::skinning::{Palettes, effective_skin, posed_positions};
use yuremono::tools::{parts, parts::New};
use yuremono::tools::{paste::Copied, paste::What, paste::paste};
use yuremono::ui::{OutlinerTab, Prefs};

const DT: f32 = 1.0 / 60.0;

/// The chains that have a bone of such a name.
fn chains(opened: &Opened, part_of_name: &str) -> BTreeSet<ChainId> {
    let named = |bone| opened.character.skeleton.name(bone).contains(part_of_name);
    let chains = opened.document.chains.iter();
    chains.filter(|(_, c)| c.joints.iter().any(|j| named(j.bone))).map(|(id, _)| *id).collect()
}

/// The bundled character under `UnityChan`'s rule, with its tails under `DynamicBone` and the bell under a hinge.
fn mixed() -> (Opened, Document) {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let tails = chains(&opened, "Twin");
    let bell = chains(&opened, "Bell");
    assert!(!tails.is_empty() && !bell.is_empty(), "the sample has both");
    let mut document = opened.document.clone();
    for (chains, solver) in [(&tails, SolverKind::DynamicBone), (&bell, SolverKind::Hinge)] {
        let conversion = convert_chains(&document, &opened.character, chains, solver);
        let edit = conversion.edit(&document);
        document.apply(edit).expect("the way there is one edit");
        assert_eq!(document, conversion.after);
    }
    (opened, document)
}

#[test]
fn some_chains_go_to_another_solver_and_the_rest_stays_bit_for_bit() {
    let (opened, document) = mixed();
    let before = &opened.document;
    assert_eq!(document.solvers(), [SolverKind::UnityChanSpringBone, SolverKind::DynamicBone, SolverKind::Hinge]);
    assert_eq!(document.systems.len(), 3);
    assert_eq!(document.main_id(), before.main_id());
    for (id, chain) in &document.chains {
        if document.solver_of(chain) == SolverKind::UnityChanSpringBone {
            assert_eq!(chain, &before.chains[id]);
        }
    }
    let conversion = convert_chains(before, &opened.character, &chains(&opened, "Twin"), SolverKind::DynamicBone);
    let mut there = before.clone();
    let (inverse, _) = there.apply(conversion.edit(before)).expect("it fits");
    there.apply(inverse).expect("and back");
    assert_eq!(&there, before);
}

#[test]
fn a_system_that_lost_all_its_chains_goes_and_the_next_one_of_its_solver_is_shared() {
    let (opened, document) = mixed();
    let tails = chains(&opened, "Twin");
    let back = convert_chains(&document, &opened.character, &tails, SolverKind::UnityChanSpringBone).after;
    assert_eq!(back.systems.len(), 2);
    assert!(tails.iter().all(|id| back.chains[id].system == back.main_id()));
    let all = convert(&document, &opened.character, SolverKind::DynamicBone).after;
    assert_eq!(all.solvers(), [SolverKind::DynamicBone]);
    assert_eq!(all.systems.len(), 1, "those that were there already keep theirs, the others join");
    assert!(tails.iter().all(|id| all.chains[id] == document.chains[id]));
}

#[test]
fn what_hangs_on_another_systems_bones_follows_them() {
    let (opened, mut document) = mixed();
    // The last tail's end goes to a hinge of its own: it hangs on bones that DynamicBone moves.
    let id = *chains(&opened, "Twin").first().expect("a tail");
    let mut tail = document.chains[&id].clone();
    let cut = tail.joints.len() / 2;
    let ends = tail.joints.split_off(cut);
    let (bone, above) = (ends[0].bone, tail.joints[cut - 1].bone);
    let mut own = yuremono::document::Chain::new("end", tail.part, document.table_of(&tail), ends);
    own.system = tail.system;
    let end = document.fresh_chain();
    let put = |id, chain| Edit::PutChain { id, chain: Some(Box::new(chain)) };
    document.apply(Edit::Batch(vec![put(id, tail), put(end, own)])).expect("two halves");
    let document = convert_chains(&document, &opened.character, &BTreeSet::from([end]), SolverKind::Hinge).after;
    let skeleton = &opened.character.skeleton;
    let resolved = document.resolve(skeleton);
    let kinds: Vec<_> = resolved.systems.iter().map(|s| s.solver).collect();
    assert!(resolved.ids.len() == 3 && kinds.len() == 3);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let mut pose = Pose::rest(&resolved.skeleton);
    let rest = skeleton.bones()[bone.index()].rest.translation;
    let mut farthest: f32 = 0.0;
    for tick in 0..60 {
        pose.local[0].translation.x = 0.3 * (tick as f32 * 0.2).sin();
        world.step(&StepInput { pose: &pose, hold: None, dt: DT });
        // DynamicBone writes positions: the head of the end is where its parent bone says it is.
        let wanted = world.frames().frame(above).point(world.pose().local[bone.index()].translation);
        farthest = farthest.max(world.frames().frame(bone).position.distance(wanted));
        assert!(world.pose().local[bone.index()].translation.distance(rest) < 1e-3, "nothing stretched it");
    }
    assert!(farthest < 1e-5, "it came loose by {farthest} m");
    let moved = world
        .frames()
        .frame(above)
        .position
        .distance(WorldPose::of(skeleton, &Pose::rest(skeleton)).frame(above).position);
    assert!(moved > 1e-2, "the tail swung");
}

#[test]
fn a_project_keeps_every_system_and_which_chains_it_moves() {
    let (opened, mut document) = mixed();
    let (id, dynamic) = document.system_under(SolverKind::DynamicBone).expect("it is there");
    let system = System {
        name: "Tails".to_owned(),
        component: document.chains.values().next().map(|c| Node::Bone(c.root())),
        ..dynamic.clone()
    };
    document.apply(Edit::PutSystem { id, system: Some(Box::new(system)) }).expect("the same solver");
    let skeleton = &opened.character.skeleton;
    let bytes = project::write(&document, skeleton, &Surroundings::default());
    let (project, said) = project::read(&bytes, "p.yure").expect("it reads");
    let (loaded, more) = project.into_document(skeleton);
    assert!(said.is_empty() && more.is_empty(), "{said:?} {more:?}");
    assert_eq!(loaded, document);
}

#[test]
fn tables_take_and_give_the_chains_of_their_solver_alone() {
    let (opened, document) = mixed();
    let skeleton = &opened.character.skeleton;
    for solver in document.solvers() {
        let options = ExportOptions { solver: Some(solver), ..ExportOptions::default() };
        let exported = export(&document, skeleton, options);
        let joints: usize = document.chains_under(solver).map(|(_, c)| c.joints.len()).sum();
        let [system] = &exported.file.systems[..] else { panic!("{:?}", exported.file.systems) };
        assert_eq!((system.solver, exported.file.good(Section::Joints).count()), (solver, joints));
        assert!(exported.losses.iter().any(|loss| loss.to_string().contains("a table of their own")));
        let mut bare = document.clone();
        for (id, chain) in document.chains_under(solver) {
            let mut chain = chain.clone();
            chain.joints.iter_mut().for_each(|j| j.own.clear());
            chain.values.iter_mut().for_each(|v| v.base = 0.25);
            bare.apply(Edit::PutChain { id, chain: Some(Box::new(chain)) }).expect("as it was");
        }
        let plan = ImportPlan::new(exported.file, &[], &bare, &opened.character, &BTreeMap::new());
        bare.apply(plan.edit(&bare, skeleton)).expect("the plan fits");
        for (id, chain) in &document.chains {
            let same = document.solver_of(chain) != solver;
            assert!(!same || bare.chains[id] == *chain, "{} was not its business", chain.name);
            assert!(same || bare.chains[id].joints.iter().all(|j| !j.own.is_empty()), "{solver:?} {}", chain.name);
        }
    }
}

#[test]
fn new_chains_of_a_table_never_take_the_place_of_those_that_it_does_not_see() {
    let (opened, mut document) = mixed();
    let skeleton = &opened.character.skeleton;
    // The chain with the highest id is another solver's.
    let last = document.fresh_chain();
    let id = *chains(&opened, "Bell").first().expect("a bell");
    let bell = document.chains[&id].clone();
    document.apply(Edit::PutChain { id, chain: None }).expect("it goes");
    document.apply(Edit::PutChain { id: last, chain: Some(Box::new(bell.clone())) }).expect("and comes");
    let free = skeleton.ids().find(|b| document.joint_of(*b).is_none() && skeleton.find(skeleton.name(*b)) == Some(*b));
    let free = free.expect("a bone that does not sway");
    let mut file = export(&document, skeleton, ExportOptions::default()).file;
    let mut joints = 0;
    file.items.retain(|item| {
        joints += usize::from(item.section == Section::Joints);
        item.section != Section::Joints || joints == 1
    });
    let first = file.items.iter_mut().find(|item| item.section == Section::Joints).expect("a joint");
    skeleton.name(free).clone_into(&mut first.name);
    let Ok(SetupItem::Joint(row)) = &mut first.content else { panic!("{first:?}") };
    skeleton.name(free).clone_into(&mut row.joint.bone);
    let plan = ImportPlan::new(file, &[], &document, &opened.character, &BTreeMap::new());
    let before = document.chains.len();
    document.apply(plan.edit(&document, skeleton)).expect("the plan fits");
    assert_eq!(document.chains.len(), before + 1, "{:?}", plan.rows());
    assert_eq!(document.chains[&last], bell);
    assert_eq!(
        document.solver_of(&document.chains[&document.joint_of(free).expect("it sways").0]),
        SolverKind::UnityChanSpringBone
    );
}

#[test]
fn a_system_with_chains_keeps_its_solver_and_the_last_one_stays() {
    let (_, mut document) = mixed();
    let (id, _) = document.system_under(SolverKind::DynamicBone).expect("it is there");
    let before = document.clone();
    let other = Some(Box::new(System::under(SolverKind::Vrm)));
    for edit in [
        Edit::PutSystem { id, system: None },
        Edit::PutSystem { id, system: other },
        Edit::SetSystem { system: SystemId(99), row: Row(0), value: 1.0 },
    ] {
        assert!(matches!(document.apply(edit), Err(EditError::NoSuchSystem(_))));
        assert_eq!(document, before);
    }
    let mut bare = Document::default();
    let id = bare.main_id();
    assert_eq!(bare.apply(Edit::PutSystem { id, system: None }), Err(EditError::NoSuchSystem(id.0)));
}

#[test]
fn tuning_reaches_what_the_solver_of_the_active_chain_moves() {
    let (opened, document) = mixed();
    let tails = chains(&opened, "Twin");
    let mut session = Session::new(opened.character.clone(), document);
    assert_eq!(session.inspection().system().solver, SolverKind::UnityChanSpringBone, "nothing is selected");
    let all: Targets = session.inspection().targets();
    assert!(tails.iter().all(|id| !all.chains.contains(id)));
    let root = session.document().chains[tails.first().expect("a tail")].root();
    session.handle(Command::Select(vec![root], Pick::Replace));
    assert_eq!(session.inspection().system().solver, SolverKind::DynamicBone);
    assert_eq!(session.inspection().targets().chains, [*tails.first().expect("a tail")]);
    let before = session.document().clone();
    session.handle(Command::Set(Row(0), 0.3));
    let (after, system) = (session.document(), session.inspection().system_id());
    for (id, old) in &before.systems {
        assert!(*id == system || after.systems[id] == *old);
    }
    for (id, chain) in &before.chains {
        assert!(tails.contains(id) || after.chains[id] == *chain);
    }
}

#[test]
fn a_base_is_written_to_chains_of_the_tuned_solver_alone() {
    let (opened, document) = mixed();
    let bell = *chains(&opened, "Bell").first().expect("a bell");
    let mut session = Session::new(opened.character.clone(), document);
    let all: Vec<ChainId> = session.document().chains.keys().copied().collect();
    let table = session.inspection().system().table();
    // The longer table's last row is beyond the end of the other solvers'.
    let (row, _) = rows(table).filter(|(_, def)| def.scope == Scope::Joint).last().expect("rows of joints");
    assert!(row.index() >= session.document().table_of(&session.document().chains[&bell]).len());
    let before = session.document().clone();
    for row in [row, Row(0)] {
        session.handle(Command::SetBase(all.clone(), row, 0.25));
        assert!(crate::support::nothing_refused(&session));
    }
    for (id, chain) in &session.document().chains {
        if session.document().solver_of(chain) == SolverKind::UnityChanSpringBone {
            assert_eq!(chain.values[row.index()].base, 0.25);
        } else {
            assert_eq!(chain, &before.chains[id]);
        }
    }
}

#[test]
fn numbers_are_not_pasted_on_chains_whose_solver_has_as_many_others() {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let mut document = opened.document.clone();
    let (tails, bell) = (chains(&opened, "Twin"), chains(&opened, "Bell"));
    for (chains, solver) in [(&tails, SolverKind::Vrm), (&bell, SolverKind::PbdSpringBone)] {
        document = convert_chains(&document, &opened.character, chains, solver).after;
    }
    let [from, onto] = [&tails, &bell].map(|chains| *chains.first().expect("the sample has both"));
    let len = |id: ChainId| document.chains[&id].values.len();
    assert_eq!(len(from), len(onto));
    let skeleton = &opened.character.skeleton;
    let copied = Copied::of(&document, skeleton, from).expect("a chain");
    let edit = paste(&document, skeleton, &copied, &[onto], What::ALL);
    assert_eq!(edit, Edit::Batch(Vec::new()));
}

#[test]
fn a_table_that_replaces_leaves_other_solvers_the_colliders_that_they_name() {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let skeleton = &opened.character.skeleton;
    let mut document = opened.document.clone();
    let tails = chains(&opened, "Twin");
    let ball = Collider::new(
        "ball of tails",
        Node::Bone(skeleton.ids().next().expect("a bone")),
        Shape::Sphere { radius: 0.05, inside: false },
    );
    let id: ColliderId = document.fresh_collider();
    document.apply(Edit::PutCollider { id, collider: Some(ball) }).expect("a ball");
    for tail in &tails {
        let joints = &mut document.chains.get_mut(tail).expect("a tail").joints;
        for joint in joints {
            joint.colliders.push(id);
        }
    }
    let mut document = convert_chains(&document, &opened.character, &tails, SolverKind::Vrm).after;
    let idle = document.fresh_collider();
    let ball = Collider { name: "idle ball".to_owned(), ..document.colliders[&id].clone() };
    document.apply(Edit::PutCollider { id: idle, collider: Some(ball) }).expect("another ball");
    assert!(document.groups.values().any(|group| group.colliders.contains(&id)));
    let mut file = export(&document, skeleton, ExportOptions::default()).file;
    file.items.retain(|item| item.section != Section::Colliders || !item.name.contains("ball"));
    let options =
        ReplaceOptions { wanted: Wanted { bones: true, colliders: true }, renderers: Vec::new(), extras: true };
    let plan = ReplacePlan::new(&file, &[], &[], &document, skeleton, options);
    let before = document.clone();
    let (inverse, _) = document.apply(plan.edit(&before, skeleton)).expect("the plan fits");
    assert_eq!(document.colliders.get(&id), before.colliders.get(&id));
    assert_eq!(document.groups, before.groups);
    assert!(!document.colliders.contains_key(&idle), "nobody else has it");
    document.apply(inverse).expect("and back");
    assert_eq!(document, before);
}

#[test]
fn a_feel_is_laid_along_a_chain_whatever_moves_the_others() {
    let opened = sample(SolverKind::UnityChanSpringBone);
    let skeleton = &opened.character.skeleton;
    let tails = chains(&opened, "Twin");
    let tail = *tails.first().expect("a tail");
    let mut mixed =
        convert_chains(&opened.document, &opened.character, &chains(&opened, "Bell"), SolverKind::Vrm).after;
    let (vrm, _) = mixed.system_under(SolverKind::Vrm).expect("the bell's");
    mixed.apply(Edit::SetSystem { system: vrm, row: VERSION, value: 1.0 }).expect("VRM 0.x");
    let curve = Some(Curve::shape(CurveShape::Linear));
    let laid = |document: &Document| {
        let mut after = document.clone();
        let edit = Feels::new(document, skeleton).lay(tail, Term::Speed, &Authored { base: 4.0, curve: curve.clone() });
        after.apply(edit).expect("it fits");
        after.chains[&tail].clone()
    };
    assert_eq!(laid(&mixed), laid(&opened.document));
}

#[test]
fn a_row_that_the_tuned_solver_does_not_have_changes_nothing() {
    let (opened, document) = mixed();
    let bell = *chains(&opened, "Bell").first().expect("a bell");
    let beyond = Row(u16::try_from(document.table_of(&document.chains[&bell]).len()).expect("a short table"));
    let mut session = Session::new(opened.character.clone(), document.clone());
    session.handle(Command::Select(vec![document.chains[&bell].root()], Pick::Replace));
    for command in [
        Command::Set(beyond, 1.0),
        Command::Scale(beyond, 2.0),
        Command::Reset(vec![beyond]),
        Command::EngineDefault(vec![beyond]),
        Command::SetCurve(beyond, None),
        Command::SwitchLimits(vec![beyond], true),
    ] {
        session.handle(command);
    }
    assert_eq!(session.document(), &document);
}

#[test]
fn what_a_table_builds_never_takes_the_place_of_a_node_that_only_other_solvers_name() {
    let (opened, mut document) = mixed();
    let skeleton = &opened.character.skeleton;
    let (id, tail) = document.chains_under(SolverKind::DynamicBone).next().map(|(id, c)| (id, c.clone())).expect("one");
    let wind = parts::make(&document, skeleton, New::Wind, Node::Bone(tail.root()));
    let (back, _) = document.apply(wind.edit).expect("a wind");
    let file = export(&document, skeleton, ExportOptions::default()).file;
    document.apply(back).expect("and it is gone");
    let pivot = document.fresh_helper();
    let local = Trs { translation: Vec3::X, ..Trs::IDENTITY };
    let (name, parent) = ("of the tail".to_owned(), Node::Bone(tail.root()));
    let helper = Helper { name, parent, local, role: HelperRole::Pivot };
    document.apply(Edit::PutHelper { id: pivot, helper: Some(helper.clone()) }).expect("a node");
    let (chain, bone) = (id, tail.root());
    document.apply(Edit::SetPivot { chain, bone, pivot: Some(Node::Helper(pivot)) }).expect("a pivot");
    let options =
        ReplaceOptions { wanted: Wanted { bones: true, colliders: true }, renderers: Vec::new(), extras: true };
    let plan = ReplacePlan::new(&file, &[], &[], &document, skeleton, options);
    document.apply(plan.edit(&document, skeleton)).expect("the plan fits");
    assert_eq!(document.forces.len(), 1, "the table brings its wind");
    assert_eq!(document.chains[&id].joints[0].pivot, Some(Node::Helper(pivot)));
    assert_eq!(document.helpers.get(&pivot), Some(&helper));
    assert!(document.forces.values().all(|force| force.node != Node::Helper(pivot)));
}

#[test]
fn a_chain_that_is_added_joins_what_moves_its_part_else_the_tuned_system() {
    let (opened, document) = mixed();
    let dynamic = document.system_under(SolverKind::DynamicBone).expect("it is there").0;
    let tail = document.chains.values().find(|c| c.system == dynamic).expect("a tail").root();
    let free = opened.character.skeleton.ids().filter(|b| document.joint_of(*b).is_none());
    let free: Vec<_> = free.filter(|b| !document.excluded.contains(b)).collect();
    let mut session = Session::new(opened.character, document);
    session.handle(Command::Select(vec![tail], Pick::Replace));
    assert_eq!(session.inspection().system_id(), dynamic);
    let has = |part: &Part| session.document().chains.values().any(|c| c.part == *part);
    let strange = Part::ALL.into_iter().find(|part| !has(part)).expect("a part that the sample has not");
    let hair = session.document().home_of(Part::Hair, dynamic);
    for (at, (part, expected)) in [(strange, dynamic), (Part::Hair, hair)].into_iter().enumerate() {
        session.handle(Command::MakeChains(vec![free[free.len() - 1 - at]], part));
        let (id, _) = session.document().joint_of(free[free.len() - 1 - at]).expect("it sways");
        let chain = &session.document().chains[&id];
        assert_eq!((chain.part, chain.system), (part, expected));
        assert_eq!(chain.values.len(), session.document().table_of(chain).len());
    }
}

/// Corners of what the meshes hang on a bone, in its space.
fn body_of(opened: &Opened, bone: BoneId) -> [Vec3; 2] {
    let character = &opened.character;
    let rest = WorldPose::of(&character.skeleton, &Pose::rest(&character.skeleton));
    let palettes = Palettes::of(&character.skins, &rest);
    let mut corners = [Vec3::MAX, Vec3::MIN];
    for (mesh, primitive) in character.meshes.iter().flat_map(|mesh| mesh.primitives.iter().map(move |p| (mesh, p))) {
        let Some(skin) = effective_skin(character, mesh, primitive).map(|skin| &character.skins[skin]) else {
            continue;
        };
        let points = posed_positions(character, mesh, primitive, &palettes, &rest);
        for ((joints, weights), point) in primitive.joints.iter().zip(&primitive.weights).zip(points) {
            if joints.iter().zip(weights).any(|(j, w)| skin.joints[usize::from(*j)] == bone && *w > 0.9) {
                let p = rest.frame(bone).inverse_point(point);
                corners = [corners[0].min(p), corners[1].max(p)];
            }
        }
    }
    corners
}

#[test]
fn a_hinge_gets_its_weight_from_the_mesh_of_its_bone_or_from_the_bones_length() {
    let (opened, document) = mixed();
    let bell = *chains(&opened, "Bell").first().expect("a bell");
    let center = |document: &Document| {
        let chain = &document.chains[&bell];
        Vec3::from(CENTER_AT.map(|row| chain.value(0, row, 0.0)))
    };
    let bone = document.chains[&bell].joints[0].bone;
    let [low, high] = body_of(&opened, bone);
    let found = center(&document);
    assert!(low.cmple(high).all(), "the bell has a mesh");
    assert!(found.distance(low.midpoint(high)) < 1e-3, "{found} is not the middle of {low} and {high}");
    assert!(found.length() < 0.1, "the article's handle is 190 mm away: {found}");
    // Without meshes half of the bone: between the joint and its tip.
    let bare = Character { meshes: Vec::new(), ..(*opened.character).clone() };
    let before = &opened.document;
    let after = convert_chains(before, &bare, &BTreeSet::from([bell]), SolverKind::Hinge).after;
    let rest = WorldPose::of(&bare.skeleton, &Pose::rest(&bare.skeleton));
    let length = yuremono::document::measure::joint_length(&before.chains[&bell].joints[0], &bare.skeleton, &rest);
    let half = center(&after).length();
    assert!(length > 0.0 && (half - 0.5 * length).abs() < 1e-4, "{half} m of {length} m");
}

#[test]
fn the_deepest_contact_is_that_of_any_system() {
    let (opened, mut document) = mixed();
    let bare: Vec<_> = document.chains.keys().copied().collect();
    let ball = ColliderId(document.colliders.len() as u32 + 900);
    let head = opened.character.humanoid.bone("head").expect("a head");
    let shape = Shape::Sphere { radius: 2.0, inside: false };
    let edit = Edit::PutCollider { id: ball, collider: Some(Collider::new("Ball", Node::Bone(head), shape)) };
    document.apply(edit).expect("a bone");
    for id in bare {
        let mut chain = document.chains[&id].clone();
        let is_tail = document.solver_of(&chain) == SolverKind::DynamicBone;
        chain.groups.clear();
        chain.joints.iter_mut().for_each(|j| j.colliders = if is_tail { vec![ball] } else { Vec::new() });
        document.apply(Edit::PutChain { id, chain: Some(Box::new(chain)) }).expect("it fits");
    }
    let session = Session::new(opened.character, document);
    let first = session.playback().world().contacts().iter().all(|contact| contact.joint.system > 0);
    assert!(first, "no chain of the first system meets anything");
    let mut bench = Bench::new(session, Prefs::default());
    bench.ui.shared_mut().outliner_tab = OutlinerTab::Colliders;
    let mut harness = window(bench, [1440.0, 900.0]);
    harness.run_steps(3);
    harness.get_by_label_contains("Deepest contact");
}
