//! Chains of one character under several solvers.

use crate::support::sample;
use std::collections::{BTreeMap, BTreeSet};
use yuremono::doc::convert::{convert, convert_chains};
use yuremono::doc::import::{ImportPlan, export};
use yuremono::doc::tune::Targets;
use yuremono::doc::{ChainId, Document, Edit, EditError, ExportOptions, System, SystemId};
use yuremono::format::open::Opened;
use yuremono::format::project::{self, Surroundings};
use yuremono::rig::{Pose, WorldPose};
use yuremono::schema::{Row, SolverKind};
use yuremono::session::{Command, Pick, Session};
use yuremono::sim::{StepInput, World};

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
    let mut own = yuremono::doc::Chain::new("end", tail.part, document.table_of(&tail), ends);
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
        component: document.chains.values().next().map(|c| yuremono::doc::Node::Bone(c.root())),
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
        assert_eq!((exported.table.solver, exported.table.bones.len()), (solver, joints));
        assert!(exported.losses.iter().any(|loss| loss.to_string().contains("a table of their own")));
        let mut bare = document.clone();
        for (id, chain) in document.chains_under(solver) {
            let mut chain = chain.clone();
            chain.joints.iter_mut().for_each(|j| j.own.clear());
            chain.values.iter_mut().for_each(|v| v.base = 0.25);
            bare.apply(Edit::PutChain { id, chain: Some(Box::new(chain)) }).expect("as it was");
        }
        let plan = ImportPlan::new(exported.table, Vec::new(), &bare, skeleton, options.mirror, &BTreeMap::new());
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
    let mut table = export(&document, skeleton, ExportOptions::default()).table;
    table.bones.truncate(1);
    skeleton.name(free).clone_into(&mut table.bones[0].name);
    let mirror = ExportOptions::default().mirror;
    let plan = ImportPlan::new(table, Vec::new(), &document, skeleton, mirror, &BTreeMap::new());
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
    assert_eq!(session.system().solver, SolverKind::UnityChanSpringBone, "nothing is selected");
    let all: Targets = session.targets();
    assert!(tails.iter().all(|id| !all.chains.contains(id)));
    let root = session.document().chains[tails.first().expect("a tail")].root();
    session.handle(Command::Select(vec![root], Pick::Replace));
    assert_eq!(session.system().solver, SolverKind::DynamicBone);
    assert_eq!(session.targets().chains, [*tails.first().expect("a tail")]);
    let before = session.document().clone();
    session.handle(Command::Set(Row(0), 0.3));
    let (after, system) = (session.document(), session.system_id());
    for (id, old) in &before.systems {
        assert!(*id == system || after.systems[id] == *old);
    }
    for (id, chain) in &before.chains {
        assert!(tails.contains(id) || after.chains[id] == *chain);
    }
}
