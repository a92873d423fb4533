//! Tests component lists: edits, undo, saving, the input of solvers, and the losses of a solver conversion.

mod curves;

use super::support::figure;
use std::collections::BTreeSet;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_model::document::{
    Collider, ColliderId, ComponentLists, Document, Edit, EditError, Helper, HelperId, HelperRole,
    JointDynamicsNodePoint, ListKind, Node, SystemId,
};
use yuremono_model::feel::{
    convert::ConversionLoss, convert::convert, convert::convert_chains, convert::order_columns,
};
use yuremono_model::tools::{
    components::add_thigh_sync_bones, components::constrain_neighbour_columns, components::move_chains_to_system,
    components::split_off_chains,
};
use yuremono_session::{Command, Message, Motion, Session};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveShape, Trs};
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{BoneId, Character};
use yuremono_sim::solver::joint_dynamics::{COMPUTE, LOOP};
use yuremono_sim::{
    Attenuation, ColliderShape, Compliance, ConvexHull, EzCollider, JointDynamicsCollider, JointDynamicsPoint,
    LinkKind, SolverKind, SurfaceForce, SyncDirection, SystemSetup, Turbulence,
};

/// Returns the solvers that have component lists.
fn solvers_with_lists() -> Vec<SolverKind> {
    let has_lists = |kind: &SolverKind| <ComponentLists>::empty(*kind).solver().is_some();
    SolverKind::ALL.iter().copied().filter(has_lists).collect()
}
const COLLIDER: ColliderId = ColliderId(90);
const HELPER: HelperId = HelperId(90);

/// Returns the figure with the given solver, a sphere collider and an additional node.
fn figure_with_solver(solver: SolverKind) -> (Character, Document) {
    let character = figure::character();
    let mut document = convert(&figure::document(&character), &character, solver).after;
    let parent = Node::Bone(BoneId(0));
    let helper = Helper { name: "Anchor".to_owned(), parent, local: Trs::IDENTITY, role: HelperRole::Plain };
    let ball = Collider::new("Ball", Node::Helper(HELPER), ColliderShape::Sphere { radius: 0.1, inside: false });
    document.apply(Edit::PutHelper { id: HELPER, helper: Some(helper) }).expect("a node");
    document.apply(Edit::PutCollider { id: COLLIDER, collider: Some(ball) }).expect("a ball");
    (character, document)
}

/// Returns every list of a solver, filled with entries that refer to the document's joints, the node and the sphere.
fn filled_lists(document: &Document, solver: SolverKind) -> ComponentLists {
    let id = document.system_with_solver(solver).expect("it has chains").0;
    let bones: Vec<BoneId> =
        document.chains.values().filter(|c| c.system == id).flat_map(|c| &c.joints).map(|j| j.bone).collect();
    let nodes = [Node::Bone(bones[0]), Node::Bone(bones[1]), Node::Bone(bones[2])];
    let mut extras: ComponentLists = ComponentLists::empty(solver);
    for side in ListKind::ALL.into_iter().filter(|side| side.solver() == solver) {
        extras.set_node(side, Some(Node::Helper(HELPER)));
        extras.add_entries(side, &nodes);
    }
    match &mut extras {
        ComponentLists::EzSoftBone(own) => {
            let hull = ConvexHull::new(vec![glam::Vec3::X, glam::Vec3::Y, glam::Vec3::Z], vec![[0, 1, 2]]);
            own.colliders.insert(COLLIDER, EzCollider { margin: 0.02, hull: Some(hull) });
            own.force_field.as_mut().expect("it was put above").mode = Turbulence::default_curves();
        }
        ComponentLists::JointDynamics(own) => {
            let point = JointDynamicsNodePoint {
                fixed: Some(true),
                mass: 2.0,
                aim_child: Some(nodes[2]),
                ..JointDynamicsNodePoint::default()
            };
            own.points.insert(
                bones[1],
                JointDynamicsNodePoint { movable_limit_radius: 0.1, surface_collision: false, ..point },
            );
            own.colliders.insert(COLLIDER, JointDynamicsCollider { friction: 0.25, surface_force: SurfaceForce::Pull });
        }
        ComponentLists::Kawaii(own) => {
            own.constraints[0].compliance = Some(Compliance::Rubber);
            own.constraints[0].length = Some(0.3);
            own.constraints[1].subdivided = false;
            let sync = &mut own.sync_bones[0];
            sync.directions = [SyncDirection::Positive, SyncDirection::None, SyncDirection::Negative];
            sync.attenuation = Some(Attenuation { inner: 0.1, outer: 0.5, max_attenuation: 0.75 });
            sync.scale_by_distance = vec![[0.0, 1.0], [0.5, 0.25]];
            sync.targets[0].scale = 0.5;
        }
        _ => {}
    }
    let missing: Vec<_> =
        ListKind::ALL.into_iter().filter(|s| s.solver() == solver && extras.entry_count(*s) == 0).collect();
    assert!(missing.is_empty(), "{missing:?} are empty");
    extras
}

/// Returns the figure with the given solver and entries in every list of the solver.
fn figure_with_filled_lists(solver: SolverKind) -> (Character, Document, SystemId) {
    let (character, mut document) = figure_with_solver(solver);
    let (id, system) = document.system_with_solver(solver).expect("it has chains");
    let mut system = system.clone();
    system.component_lists = filled_lists(&document, solver);
    document.apply(Edit::PutSystem { id, system: Some(Box::new(system)) }).expect("everything it refers to exists");
    (character, document, id)
}

#[test]
fn setting_component_lists_is_undone_exactly() {
    for solver in solvers_with_lists() {
        let (_, before) = figure_with_solver(solver);
        let (_, after, id) = figure_with_filled_lists(solver);
        let mut document = before.clone();
        let system = Some(Box::new(after.systems[&id].clone()));
        let changes = document.apply_recorded(Edit::PutSystem { id, system }).expect("the edit applies");
        assert_eq!(document, after, "{solver:?}");
        changes.revert(&mut document);
        assert_eq!(document, before, "{solver:?}");
    }
}

#[test]
fn a_project_stores_every_component_list() {
    for solver in solvers_with_lists() {
        let (character, document, _) = figure_with_filled_lists(solver);
        let bytes = project::write(&document, &character.skeleton, &ProjectMetadata::default());
        let (project, reported) = project::read(&bytes, "p.yure").expect("it reads");
        assert!(reported.is_empty(), "{reported:?}");
        let (read, reported) = project.into_document(&character.skeleton);
        assert!(reported.is_empty(), "{reported:?}");
        assert_eq!(read.systems, document.systems, "{solver:?}");
        assert_eq!(read, document, "{solver:?}");
    }
}

#[test]
fn resolving_maps_nodes_to_bones_and_colliders_and_joints_to_indices() {
    for solver in solvers_with_lists() {
        let (character, document, id) = figure_with_filled_lists(solver);
        let resolved = document.resolve(&character.skeleton);
        let at = resolved.system_ids.iter().position(|system| *system == id).expect("it is resolved");
        let setup = &resolved.systems[at];
        let anchor = resolved.node_bones[&Node::Helper(HELPER)];
        let name = |node: Node| match node {
            Node::Bone(bone) => Some(bone),
            Node::Helper(_) => Some(anchor),
        };
        let mut by_hand = SystemSetup::new(solver, setup.values.clone());
        let ball = resolved.collider_indices[&COLLIDER] as usize;
        match &document.systems[&id].component_lists {
            ComponentLists::DynamicBone(own) => by_hand.dynamic_bone = own.map(name),
            ComponentLists::EzSoftBone(own) => {
                let mut colliders = vec![EzCollider::default(); ball + 1];
                colliders[ball] = own.colliders[&COLLIDER].clone();
                by_hand.ez_soft_bone = own.map(name, colliders);
            }
            ComponentLists::JointDynamics(own) => {
                let mut points = vec![JointDynamicsPoint::default(); setup.joints.len()];
                for (bone, point) in &own.points {
                    let place = setup.joints.iter().position(|j| j.bone == *bone).expect("one of its joints");
                    points[place] = point.map(name);
                }
                let mut colliders = vec![JointDynamicsCollider::default(); ball + 1];
                colliders[ball] = own.colliders[&COLLIDER];
                by_hand.joint_dynamics = own.map(name, points, colliders);
            }
            ComponentLists::Kawaii(own) => by_hand.kawaii = own.map(name),
            ComponentLists::AnimDynamics(own) => by_hand.anim_dynamics = own.map(name),
            ComponentLists::None => unreachable!("every one of these has lists"),
        }
        let lists = |s: &SystemSetup| {
            let (a, b, c) = (s.ez_soft_bone.clone(), s.dynamic_bone.clone(), s.joint_dynamics.clone());
            (a, b, c, s.kawaii.clone(), s.anim_dynamics)
        };
        assert_eq!(lists(setup), lists(&by_hand), "{solver:?}");
        assert_ne!(lists(setup), lists(&SystemSetup::new(solver, setup.values.clone())), "{solver:?}");
    }
}

#[test]
fn invalid_component_lists_are_rejected_and_change_nothing() {
    let (_, document, id) = figure_with_filled_lists(SolverKind::JointDynamics);
    let mut wrong = [document.systems[&id].clone(), document.systems[&id].clone(), document.systems[&id].clone()];
    wrong[0].component_lists = ComponentLists::empty(SolverKind::EzSoftBone);
    wrong[1].component_lists.set_field(ListKind::Grabbers, 0, 0, f32::NAN);
    wrong[2].component_lists.add_entries(ListKind::Planes, &[Node::Helper(HelperId(777))]);
    let expected =
        [EditError::InvalidComponentLists(id.0), EditError::InvalidComponentLists(id.0), EditError::NoSuchHelper(777)];
    for (system, expected) in wrong.into_iter().zip(expected) {
        let mut tried = document.clone();
        assert_eq!(tried.apply(Edit::PutSystem { id, system: Some(Box::new(system)) }), Err(expected));
        assert_eq!(tried, document);
    }
}

#[test]
fn a_listed_node_cannot_be_removed_and_a_removed_collider_leaves_its_list_until_undo() {
    let (_, before, id) = figure_with_filled_lists(SolverKind::JointDynamics);
    let mut document = before.clone();
    document.apply(Edit::PutCollider { id: COLLIDER, collider: None }).expect("no joint refers to it");
    assert_eq!(document.systems[&id].component_lists.entry_count(ListKind::Frictions), 0);
    let mut document = before.clone();
    let changes =
        document.apply_recorded(Edit::PutCollider { id: COLLIDER, collider: None }).expect("no joint names it");
    changes.revert(&mut document);
    assert_eq!(document, before);
    let (_, mut document, _) = figure_with_filled_lists(SolverKind::AnimDynamics);
    document.apply(Edit::PutCollider { id: COLLIDER, collider: None }).expect("no joint refers to it");
    let refused = document.apply(Edit::PutHelper { id: HELPER, helper: None });
    assert_eq!(refused, Err(EditError::HelperInUse("Anchor".to_owned())));
}

#[test]
fn converting_reports_every_component_list_as_lost() {
    for solver in solvers_with_lists() {
        let (character, document, id) = figure_with_filled_lists(solver);
        let reported = convert(&document, &character, SolverKind::PbdSpringBone).losses;
        for side in ListKind::ALL.into_iter().filter(|side| side.solver() == solver) {
            let count = document.systems[&id].component_lists.entry_count(side);
            let found =
                |loss: &&ConversionLoss| matches!(loss, ConversionLoss::ComponentList { list: s, .. } if *s == side);
            let all: usize = reported
                .iter()
                .filter(found)
                .map(|loss| if let ConversionLoss::ComponentList { count, .. } = loss { *count } else { 0 })
                .sum();
            assert!(all >= count && count > 0, "{side:?}: {all} of {count}");
        }
    }
}

#[test]
fn converting_to_joint_dynamics_links_the_skirt_into_a_ring_but_not_the_hair() {
    let character = figure::character();
    let before = figure::document(&character);
    let after = convert(&before, &character, SolverKind::JointDynamics).after;
    let is_skirt = |c: &&yuremono_model::document::Chain| c.part == yuremono_model::document::ChainPart::Skirt;
    let skirts: BTreeSet<SystemId> = after.chains.values().filter(is_skirt).map(|c| c.system).collect();
    let [skirt] = skirts.into_iter().collect::<Vec<_>>()[..] else { panic!("one system for all columns") };
    let system = &after.systems[&skirt];
    assert_eq!(system.component_lists.entry_count(ListKind::Columns), figure::COLUMNS);
    assert_eq!(system.get(LOOP), 1.0);
    assert_eq!(system.get(COMPUTE[LinkKind::StructuralHorizontal as usize]), 1.0);
    let loose = after.chains.values().filter(|c| !is_skirt(c));
    for chain in loose {
        assert_ne!(chain.system, skirt, "{}", chain.name);
        assert_eq!(after.system_of(chain).get(COMPUTE[LinkKind::StructuralHorizontal as usize]), 0.0);
    }
    // Neighbours in the list are neighbours on the character.
    let names: Vec<_> = system
        .component_lists
        .entries(ListKind::Columns)
        .iter()
        .map(|entry| match entry[0] {
            Node::Bone(bone) => character.skeleton.bone(bone).rest.translation,
            Node::Helper(_) => panic!("columns begin with bones"),
        })
        .collect();
    let gap = |i: usize| names[i].distance(names[(i + 1) % names.len()]);
    let widest = (0..names.len()).map(gap).fold(0.0, f32::max);
    let across = names.iter().map(|a| names[0].distance(*a)).fold(0.0, f32::max);
    assert!(widest < across * 0.8, "{widest} of {across}");
    let mut shuffled = after.clone();
    let mut system = system.clone();
    if let ComponentLists::JointDynamics(own) = &mut system.component_lists {
        own.roots.reverse();
        own.roots.swap(0, 3);
    }
    shuffled.apply(Edit::PutSystem { id: skirt, system: Some(Box::new(system)) }).expect("the edit applies");
    shuffled.apply(order_columns(&shuffled, &character, skirt).expect("they are out of order")).expect("it applies");
    assert_eq!(shuffled.systems[&skirt], after.systems[&skirt]);
}

#[test]
fn chains_can_be_split_into_a_new_system_and_moved_back() {
    let (_, document, id) = figure_with_filled_lists(SolverKind::KawaiiPhysics);
    let chains: BTreeSet<_> = document.chains.keys().skip(1).take(2).copied().collect();
    let mut after = document.clone();
    let (edit, fresh) = split_off_chains(&document, &chains, "Front").expect("other chains remain");
    let changes = after.apply_recorded(edit).expect("the edit applies");
    assert_eq!(after.systems[&fresh].name, "Front");
    assert_eq!(after.systems[&fresh].values, document.systems[&id].values);
    assert!(after.chains.iter().all(|(id, chain)| (chain.system == fresh) == chains.contains(id)));
    let reported =
        |side| [id, fresh].map(|id| after.systems[&id].component_lists.entry_count(side)).iter().sum::<usize>();
    assert!(
        reported(ListKind::Constraints) >= document.systems[&id].component_lists.entry_count(ListKind::Constraints)
    );
    let mut undone = after.clone();
    changes.revert(&mut undone);
    assert_eq!(undone, document);
    after.apply(move_chains_to_system(&after, &chains, id).expect("the old system exists")).expect("the edit applies");
    assert!(!after.systems.contains_key(&fresh), "no chain uses it");
    assert!(after.chains.values().all(|chain| chain.system == id));
    assert!(split_off_chains(&document, &document.chains.keys().copied().collect(), "").is_none());
}

#[test]
fn neighbour_columns_are_constrained_once_and_thigh_sync_covers_every_joint() {
    let character = figure::character();
    let before = figure::document(&character);
    let skirts: BTreeSet<_> = before
        .chains
        .iter()
        .filter(|(_, c)| c.part == yuremono_model::document::ChainPart::Skirt)
        .map(|(id, _)| *id)
        .collect();
    let mut document = convert_chains(&before, &character, &skirts, SolverKind::KawaiiPhysics).after;
    let id = document.system_with_solver(SolverKind::KawaiiPhysics).expect("the skirt").0;
    document.apply(constrain_neighbour_columns(&document, &character, id).expect("no list")).expect("it applies");
    assert_eq!(
        document.systems[&id].component_lists.entry_count(ListKind::Constraints),
        figure::COLUMNS * figure::ROWS
    );
    assert_eq!(constrain_neighbour_columns(&document, &character, id), None);
    document.apply(add_thigh_sync_bones(&document, &character, id).expect("no list")).expect("the edit applies");
    let entries = document.systems[&id].component_lists.entries(ListKind::SyncBones);
    assert_eq!(entries.len(), 2);
    let targets: usize = entries.iter().map(|entry| entry.len() - 1).sum();
    assert_eq!(targets, figure::COLUMNS * figure::ROWS, "every joint follows exactly one thigh");
}

#[test]
fn horizontal_links_hold_a_skirt_together_while_walking() {
    let opened = super::support::sample(SolverKind::UnityChanSpringBone);
    let after = convert(&opened.document, &opened.character, SolverKind::JointDynamics).after;
    let is_skirt = |c: &yuremono_model::document::Chain| c.part == yuremono_model::document::ChainPart::Skirt;
    let columns = after.chains.values().filter(|c| is_skirt(c)).count();
    assert!(columns > 3, "the sample has a skirt");
    let mut session = Session::new(opened.character.clone(), after);
    let system = session.document().chains.values().find(|c| is_skirt(c)).expect("a column").system;
    let at = session.resolved().system_ids.iter().position(|id| *id == system).expect("it is resolved") as u32;
    let across = |session: &Session| -> Vec<f32> {
        let links = session.playback().world().links().into_iter();
        let links = links.filter(|l| l.joints[0].system == at && l.kind == LinkKind::StructuralHorizontal);
        links.map(|link| link.ends[0].distance(link.ends[1])).collect()
    };
    let rest = across(&session);
    assert!(rest.len() >= columns, "{} links for {columns} columns", rest.len());
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Walk)));
    session.handle(Command::SetPlaying(true));
    let mut moved = 0.0_f32;
    for tick in 0..300 {
        session.advance(1.0 / 60.0);
        for (now, rest) in across(&session).into_iter().zip(&rest) {
            assert!(now.is_finite(), "tick {tick}");
            assert!(now < rest * 1.6 + 0.02 && now > rest * 0.3 - 0.02, "tick {tick}: {now} of {rest} m");
            moved = moved.max((now - rest).abs());
        }
    }
    assert!(moved > 1e-4, "it moves: {moved} m");
}

#[test]
fn curves_are_evaluated_at_tips_for_solvers_with_params_at_tips() {
    let character = figure::character();
    for solver in [SolverKind::DynamicBone, SolverKind::EzSoftBone, SolverKind::KawaiiPhysics] {
        let mut document = convert(&figure::document(&character), &character, solver).after;
        let (id, mut chain) = document.chains.iter().next().map(|(id, c)| (*id, c.clone())).expect("hair");
        let param = yuremono_sim::params::ParamId(0);
        chain.values[0].base = 1.0;
        chain.values[0].curve = Some(Curve::from_shape(CurveShape::Linear));
        chain.joints.iter_mut().for_each(|joint| _ = joint.overrides.remove(&param));
        document.apply(Edit::PutChain { id, chain: Some(Box::new(chain.clone())) }).expect("the same bones");
        let resolved = document.resolve(&character.skeleton);
        let joints = resolved.systems.iter().flat_map(|s| &s.joints);
        let got: Vec<f32> =
            joints.filter(|j| chain.joint_index(j.bone).is_some()).map(|j| j.values.get(param)).collect();
        // The path length from the root's head to each particle, relative to the path length to the end of the last
        // bone.
        let rest = yuremono_model::document::RestFrames::of(&document, &character.skeleton);
        let heads: Vec<_> = chain.joints.iter().filter_map(|j| rest.head(j.bone)).collect();
        let tips: Vec<_> = chain.joints.iter().filter_map(|j| rest.tip(&character.skeleton, j)).collect();
        let mut ways = vec![0.0];
        for (head, tip) in heads.iter().zip(&tips) {
            ways.push(ways[ways.len() - 1] + head.distance(*tip));
        }
        let at_tips = solver != SolverKind::KawaiiPhysics;
        let (longest, first) = if at_tips { (ways[heads.len()], 1) } else { (ways[heads.len() - 1], 0) };
        let curve = Curve::from_shape(CurveShape::Linear);
        for (at, got) in got.iter().enumerate() {
            let wanted = curve.eval(ways[at + first] / longest);
            assert!((got - wanted).abs() < 1e-5, "{solver:?} joint {at}: {got}, not {wanted}");
        }
    }
}

/// Returns the indices of the fields that an entry uses.
fn used_fields(extras: &ComponentLists, side: ListKind) -> Vec<usize> {
    (0..side.fields().len()).filter(|field| extras.is_field_used(side, 0, *field)).collect()
}

/// Returns a value in the range of the field that differs from the current value.
fn other_value(def: &yuremono_sim::params::ParamDef, now: f32) -> f32 {
    use yuremono_sim::params::ParamKind;
    match def.kind {
        ParamKind::Toggle => 1.0 - now,
        ParamKind::Choice(_) | ParamKind::Integer => {
            if now == def.range.1 {
                def.range.1 - 1.0
            } else {
                now + 1.0
            }
        }
        ParamKind::Number | ParamKind::Degrees => {
            if now == 0.25 {
                0.5
            } else {
                0.25
            }
        }
    }
}

/// Returns the solver's input after one change of a system's lists, as text.
fn solver_input_after(
    document: &Document,
    character: &Character,
    id: SystemId,
    change: impl FnOnce(&mut ComponentLists),
) -> String {
    let mut after = document.clone();
    let edit = yuremono_model::tools::components::edit_system(&after, id, |system| change(&mut system.component_lists));
    after.apply(edit.expect("something changes")).expect("the edit applies");
    solver_input_as_text(&after, character, id)
}

/// Returns the solver's input for a system's lists, as text.
fn solver_input_as_text(document: &Document, character: &Character, id: SystemId) -> String {
    let resolved = document.resolve(&character.skeleton);
    let at = resolved.system_ids.iter().position(|system| *system == id).expect("it is resolved");
    let s = &resolved.systems[at];
    format!("{:?} {:?} {:?} {:?}", s.ez_soft_bone, s.joint_dynamics, s.kawaii, s.dynamic_bone)
}

#[test]
fn every_field_of_a_list_entry_reaches_the_solver() {
    let mut tried = BTreeSet::new();
    for solver in solvers_with_lists() {
        let (character, document, id) = figure_with_filled_lists(solver);
        let system = &document.systems[&id].component_lists;
        let sides =
            ListKind::ALL.into_iter().filter(|s| s.solver() == solver && (s.has_node_entries() || s.is_single()));
        for side in sides {
            // Cover turbulence by curves and turbulence by noise.
            for start in [system.clone(), with_noise_turbulence(system)] {
                let mut document = document.clone();
                document.systems.get_mut(&id).expect("a system").component_lists = start.clone();
                let mut seen = BTreeSet::from([solver_input_as_text(&document, &character, id)]);
                for field in used_fields(&start, side) {
                    let (def, now) = (&side.fields()[field], start.field(side, 0, field));
                    let value = other_value(def, now);
                    let got = solver_input_after(&document, &character, id, |extras| {
                        extras.set_field(side, 0, field, value);
                        assert_eq!(extras.field(side, 0, field), value, "{side:?} {}", def.name);
                    });
                    assert!(seen.insert(got), "{side:?}: {} has no effect, or that of another row", def.name);
                    tried.insert((side, def.name));
                }
            }
        }
    }
    let all = ListKind::ALL
        .iter()
        .filter(|s| s.has_node_entries() || s.is_single())
        .flat_map(|s| s.fields().iter().map(|d| (*s, d.name)));
    let missing: Vec<_> = all.filter(|row| !tried.contains(row)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Returns the same lists, with noise instead of curves in the force field.
fn with_noise_turbulence(extras: &ComponentLists) -> ComponentLists {
    let mut other = extras.clone();
    other.set_field(ListKind::ForceField, 0, 4, 0.0);
    other
}

#[test]
fn node_points_aim_children_sync_scales_and_hulls_reach_the_solver() {
    let (character, document, id) = figure_with_filled_lists(SolverKind::JointDynamics);
    let bone = document.chains.values().find(|c| c.system == id && c.joints.len() > 2).expect("a chain").joints[1].bone;
    let mut seen = BTreeSet::from([solver_input_as_text(&document, &character, id)]);
    for (field, def) in ListKind::Points.fields().iter().enumerate() {
        let now = document.systems[&id].component_lists.point_field(bone, field);
        let got =
            solver_input_after(&document, &character, id, |e| e.set_point_field(bone, field, other_value(def, now)));
        assert!(seen.insert(got), "{}", def.name);
    }
    let aim = Some(Node::Bone(BoneId(0)));
    assert!(seen.insert(solver_input_after(&document, &character, id, |extras| extras.set_aim_child(bone, aim))));
    let (character, document, id) = figure_with_filled_lists(SolverKind::KawaiiPhysics);
    let before = format!("{:?}", document.resolve(&character.skeleton).systems[0].kawaii);
    let after = solver_input_after(&document, &character, id, |e| e.set_member_field(ListKind::SyncBones, 0, 1, 0.125));
    assert!(after.contains("0.125") && !before.contains("0.125"));
    let (character, mut document) = figure_with_solver(SolverKind::EzSoftBone);
    let id = document.system_with_solver(SolverKind::EzSoftBone).expect("hair").0;
    let head = character.humanoid.bone("head").expect("the sample has this bone");
    let ball = Collider::new("Ball", Node::Bone(head), ColliderShape::Sphere { radius: 0.1, inside: false });
    document.apply(Edit::PutCollider { id: COLLIDER, collider: Some(ball) }).expect("a ball");
    let names = yuremono_model::document::hull::candidate_meshes(&document, &character, COLLIDER);
    let face = names.into_iter().find(|at| character.meshes[*at].name == "Face").expect("the head moves this mesh");
    let hull = yuremono_model::document::hull::hull_from_mesh(&document, &character, COLLIDER, face)
        .expect("a ball of vertices");
    let (middle, radius) = (glam::Vec3::Y * figure::HEAD_RADIUS, figure::HEAD_RADIUS);
    assert!(hull.points().iter().all(|p| (p.distance(middle) - radius).abs() < 1e-3), "the hull is spherical");
    let after = solver_input_after(&document, &character, id, |extras| extras.set_hull(COLLIDER, Some(hull.clone())));
    assert!(after.contains("hull: Some"), "{after}");
}

#[test]
fn setting_and_clearing_a_hull_are_one_undo_step_each() {
    let (character, mut document) = figure_with_solver(SolverKind::EzSoftBone);
    let head = character.humanoid.bone("head").expect("the sample has this bone");
    let ball = Collider::new("Ball", Node::Bone(head), ColliderShape::Sphere { radius: 0.001, inside: false });
    document.apply(Edit::PutCollider { id: COLLIDER, collider: Some(ball) }).expect("a ball");
    let mut session = Session::new(std::sync::Arc::new(character), document);
    let choices = session.inspection().hull_mesh_choices(&[COLLIDER]);
    let (mesh, _) = choices.into_iter().find(|(_, name)| name == "Hair").expect("the head moves this mesh");
    session.handle(Command::SetConvexHull(vec![COLLIDER], Some(mesh)));
    assert!(crate::support::no_edit_rejected(&session));
    let extras = |session: &Session| session.inspection().system().component_lists.clone();
    assert!(extras(&session).hull(COLLIDER).is_some_and(|hull| hull.points().len() > 40));
    session.handle(Command::SetConvexHull(vec![COLLIDER], None));
    assert!(crate::support::no_edit_rejected(&session));
    assert_eq!(extras(&session).hull(COLLIDER), None);
    session.handle(Command::Undo);
    assert!(extras(&session).hull(COLLIDER).is_some());
    let far = ColliderId(77);
    let hand = session.character().humanoid.bone("leftHand").expect("the sample has this bone");
    let ball = Collider::new("Palm", Node::Bone(hand), ColliderShape::Sphere { radius: 0.001, inside: false });
    let label = yuremono_model::document::EditLabel::new(message!("Change"));
    session.handle(Command::ApplyEdit(Edit::PutCollider { id: far, collider: Some(ball) }, label));
    assert!(crate::support::no_edit_rejected(&session));
    let (both, head, palm) = (
        session.inspection().hull_mesh_choices(&[COLLIDER, far]),
        session.inspection().hull_mesh_choices(&[COLLIDER]),
        session.inspection().hull_mesh_choices(&[far]),
    );
    assert!(head.iter().chain(&palm).all(|mesh| both.contains(mesh)) && both.len() > palm.len(), "{both:?} {palm:?}");
    session.handle(Command::SetConvexHull(vec![COLLIDER, far], Some(mesh)));
    let done = session.messages().entries().last().and_then(|message| message.message.clone());
    assert_eq!(done, Some(Message::NothingToDo), "the ball has this hull already");
    assert_eq!(extras(&session).hull(far), None, "no hair chain is a child of the hand");
}
