//! Tests component lists in files that use bone names: export, import, mapping to other names, and diagnostics.

use super::support::json_schema::schema_mismatch;
use super::support::sample;
use crate::support::formats::{CSV, EZ_JSON, KAWAII_JSON, PARAMETERS};
use crate::support::random_documents;
use glam::Vec3;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_format::tables;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{
    ColliderId, ComponentLists, Document, Edit, EditLabel, FlipAxis, Helper, HelperId, HelperRole,
    JointDynamicsNodePoint, ListKind, Node, Passthrough, SetupEntry,
};
use yuremono_model::exchange::SetupFormat;
use yuremono_model::exchange::{ExportLoss, ExportOptions, ImportPlan, export};
use yuremono_session::{Command, Session};
use yuremono_sim::diagnostics::Severity;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveShape, Trs};
use yuremono_sim::rig::{BoneId, Character, Skeleton};
use yuremono_sim::{
    Attenuation, BoneConstraint, Compliance, ConvexHull, EzCollider, EzForceField, Grabber, JointDynamicsCollider,
    SolverKind, SurfaceForce, SyncBone, SyncDirection, SyncTarget, Turbulence,
};

const SCHEMA: &str = include_str!("../../assets/schema/yuremono-setup-1.schema.json");
/// Returns the solvers that have component lists.
pub(crate) fn solvers_with_lists() -> Vec<SolverKind> {
    let has_lists = |kind: &SolverKind| <ComponentLists>::empty(*kind).solver().is_some();
    SolverKind::ALL.iter().copied().filter(has_lists).collect()
}

/// A stream of pseudorandom numbers from a seed.
struct RandomSource(u64);

impl RandomSource {
    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }

    fn next_bool(&mut self) -> bool {
        self.next().is_multiple_of(2)
    }

    /// Returns a finite number: tiny, huge, integral or fractional.
    fn next_number(&mut self) -> f32 {
        if self.next().is_multiple_of(4) {
            return [0.0, 1.0, -1.0, 0.05, 1e-40, -3.0e38][self.next() % 6];
        }
        let number = f32::from_bits((self.next() ^ (self.next() << 16)) as u32);
        if number.is_finite() { number } else { 0.25 }
    }

    fn next_vector(&mut self) -> Vec3 {
        Vec3::new(self.next_number(), self.next_number(), self.next_number())
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.next() % all.len()].clone()
    }

    fn some_of<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.next() % 4).map(|_| one(self)).collect()
    }
}

/// Returns random lists of every kind that the document's solver has. The lists refer to the nodes and colliders of the
/// document.
fn random_lists(document: &Document, bones: u32, seed: u64) -> ComponentLists {
    let mut rolls = RandomSource(seed);
    let helpers = document.helpers.keys().copied().map(Node::Helper);
    let nodes: Vec<Node> = (0..bones).map(|n| Node::Bone(BoneId(n))).chain(helpers).collect();
    let colliders: Vec<ColliderId> = document.colliders.keys().copied().collect();
    let mut extras: ComponentLists = ComponentLists::empty(document.main_system().solver);
    for side in ListKind::ALL {
        let some = rolls.some_of(|rolls| rolls.pick(&nodes));
        if side.is_single() {
            extras.set_node(side, some.first().copied());
        } else if side.min_nodes() == 1 {
            extras.add_entries(side, &some);
        }
    }
    match &mut extras {
        ComponentLists::EzSoftBone(own) => fill_ez_lists(&mut rolls, own, &colliders),
        ComponentLists::JointDynamics(own) => {
            for grabber in &mut own.grabbers {
                let bone = grabber.bone;
                *grabber = Grabber {
                    bone,
                    radius: rolls.next_number(),
                    force: rolls.next_number(),
                    enabled: rolls.next_bool(),
                };
            }
            for _ in 0..rolls.next() % 4 {
                let aim_child = rolls.next_bool().then(|| rolls.pick(&nodes));
                let point = JointDynamicsNodePoint {
                    fixed: [None, Some(true), Some(false)][rolls.next() % 3],
                    mass: rolls.next_number(),
                    radius: rolls.next_number(),
                    movable_limit_radius: rolls.next_number(),
                    surface_collision: rolls.next_bool(),
                    invert_collision: rolls.next_bool(),
                    aim_child,
                    fade: rolls.next_number(),
                };
                own.points.insert(BoneId(rolls.next() as u32 % bones), point);
            }
            for id in colliders {
                let surface_force = rolls.pick(&[SurfaceForce::Off, SurfaceForce::Push, SurfaceForce::Pull]);
                own.colliders.insert(id, JointDynamicsCollider { friction: rolls.next_number(), surface_force });
            }
        }
        ComponentLists::Kawaii(own) => {
            own.constraints = rolls.some_of(|rolls| BoneConstraint {
                bones: [rolls.pick(&nodes), rolls.pick(&nodes)],
                compliance: rolls.next_bool().then(|| rolls.pick(&Compliance::ALL)),
                length: rolls.next_bool().then(|| rolls.next_number()),
                subdivided: rolls.next_bool(),
            });
            own.sync_bones = rolls.some_of(|rolls| random_sync_bone(rolls, &nodes));
        }
        ComponentLists::None | ComponentLists::DynamicBone(_) | ComponentLists::AnimDynamics(_) => {}
    }
    extras
}

fn fill_ez_lists(
    rolls: &mut RandomSource,
    own: &mut yuremono_model::document::EzSoftBoneLists,
    colliders: &[ColliderId],
) {
    if let Some(field) = &mut own.force_field {
        let curves = [0; 3].map(|_| match rolls.next() % 3 {
            0 => Curve::from_shape(CurveShape::Ease),
            1 => Curve::constant(rolls.next_number()),
            _ => Curve::from_points(&[(0.0, rolls.next_number()), (0.3, 1.0), (1.0, rolls.next_number())])
                .expect("finite"),
        });
        let modes = [
            Turbulence::Perlin { frequency: rolls.next_vector() },
            Turbulence::Curve { cycle: rolls.next_number(), curves: Box::new(curves) },
        ];
        *field = EzForceField {
            bone: field.bone,
            enabled: rolls.next_bool(),
            conductivity: rolls.next_number(),
            force: rolls.next_number(),
            turbulence: rolls.next_vector(),
            mode: rolls.pick(&modes),
        };
    }
    for id in colliders {
        let points: Vec<Vec3> = (0..3 + rolls.next() % 3).map(|_| rolls.next_vector()).collect();
        let hull = rolls.next_bool().then(|| ConvexHull::new(points, vec![[0, 1, 2], [2, 1, 0]]));
        own.colliders.insert(*id, EzCollider { margin: rolls.next_number(), hull });
    }
}

fn random_sync_bone(rolls: &mut RandomSource, nodes: &[Node]) -> SyncBone<Node> {
    let ways = [SyncDirection::Both, SyncDirection::Positive, SyncDirection::Negative, SyncDirection::None];
    let targets = rolls.some_of(|rolls| SyncTarget { bone: rolls.pick(nodes), scale: rolls.next_number() });
    SyncBone {
        scale: rolls.next_vector(),
        scale_by_distance: rolls.some_of(|rolls| [rolls.next_number(), rolls.next_number()]),
        directions: [rolls.pick(&ways), rolls.pick(&ways), rolls.pick(&ways)],
        attenuation: rolls.next_bool().then(|| Attenuation {
            inner: rolls.next_number(),
            outer: rolls.next_number(),
            max_attenuation: rolls.next_number(),
        }),
        ..SyncBone::new(rolls.pick(nodes), targets)
    }
}

fn put_component_lists(document: &mut Document, extras: ComponentLists) {
    let id = document.main_system_id();
    let mut system = document.main_system().clone();
    system.component_lists = extras;
    document.apply(Edit::PutSystem { id, system: Some(Box::new(system)) }).expect("everything it refers to exists");
}

pub(crate) fn export_bytes(
    document: &Document,
    skeleton: &Skeleton,
    axis: FlipAxis,
    format: SetupFormat,
) -> (Vec<u8>, Vec<ExportLoss>) {
    let options = ExportOptions::new(format).with_flip_axis(axis);
    let made = export(document, skeleton, options);
    (tables::write_setup(&made.file, options), made.losses)
}

fn import_plan(
    bytes: &[u8],
    document: &Document,
    character: &Character,
    axis: FlipAxis,
    names: &BTreeMap<String, BoneId>,
) -> ImportPlan {
    let (file, found) = tables::read_setup(bytes, "t.json").expect("an export is readable");
    let wrong: Vec<_> = found.iter().filter(|d| d.to_string().contains("/component_lists")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let name_map = names.iter().map(|(name, bone)| (name.clone(), Some(*bone))).collect();
    ImportPlan::new(to_gltf(file, axis), &[], document, character, &name_map)
}

/// Returns the component lists of the first system of a setup file.
fn lists_of(file: &Value) -> &Value {
    &file["setup"]["systems"]["0"]["component_lists"]
}

/// Returns a setup file with these systems.
fn setup_file_of(systems: &[Value]) -> Value {
    let systems: BTreeMap<String, &Value> =
        systems.iter().enumerate().map(|(at, system)| (at.to_string(), system)).collect();
    json!({ "format": "yuremono-setup", "version": 1, "setup": { "systems": systems } })
}

fn schema_error(bytes: &[u8]) -> Option<String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    schema_mismatch(&schema, &schema, &serde_json::from_slice(bytes).expect("the export is JSON"), "")
}

fn character_with_skeleton(skeleton: Skeleton) -> Character {
    Character { skeleton, ..Character::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_lists_match_the_schema_and_survive_export_and_import(
        dice in random_documents::any_edit_seeds(16),
        solver in prop::sample::select(solvers_with_lists()),
        axis in prop_oneof![Just(FlipAxis::X), Just(FlipAxis::Z)],
        format in prop_oneof![Just(PARAMETERS), Just(CSV)],
        seed in any::<u64>(),
    ) {
        let character = character_with_skeleton(random_documents::plain_skeleton());
        let skeleton = &character.skeleton;
        let mut document = random_documents::edited_document_with_solver(solver, &dice, skeleton);
        let lists = random_lists(&document, 14, seed);
        put_component_lists(&mut document, lists.clone());
        let (bytes, losses) = export_bytes(&document, skeleton, axis, format);
        if format == PARAMETERS {
            prop_assert_eq!(schema_error(&bytes), None);
        }
        let lost: Vec<_> = losses.iter().filter(|loss| matches!(loss, ExportLoss::UnresolvableName(_))).collect();
        prop_assert!(lost.is_empty(), "{:?}", lost);
        let with = |document: &Document| {
            let plan = import_plan(&bytes, document, &character, axis, &BTreeMap::new());
            assert_eq!(plan.missing_name_diagnostics("t.json"), []);
            let mut after = document.clone();
            after.apply(plan.edit(document, skeleton)).expect("a plan of an export applies");
            after
        };
        let mut fresh = document.clone();
        put_component_lists(&mut fresh, ComponentLists::empty(solver));
        let (again, fresh) = (with(&document), with(&fresh));
        prop_assert_eq!(&again.main_system().component_lists, &lists);
        prop_assert_eq!(&fresh, &again);
        // An import replaces existing lists. A CSV without component lists has no rows for them, and does not replace
        // them.
        if format == PARAMETERS || !lists.is_empty() {
            let mut other = document.clone();
            put_component_lists(&mut other, random_lists(&document, 14, !seed));
            prop_assert_eq!(&with(&other), &again);
        }
    }

    #[test]
    fn random_lists_follow_renamed_bones(
        solver in prop::sample::select(solvers_with_lists()),
        seed in any::<u64>(),
    ) {
        let skeleton = random_documents::plain_skeleton();
        let mut document = random_documents::edited_document_with_solver(solver, &[[0, 1, 0, 0, 0, 0], [0, 5, 1, 0, 0, 0]], &skeleton);
        let lists = random_lists(&document, 14, seed);
        put_component_lists(&mut document, lists.clone());
        let (bytes, _) = export_bytes(&document, &skeleton, FlipAxis::X, PARAMETERS);
        let renamed = character_with_skeleton(random_documents::skeleton_with_names(|i| format!("knochen {i}")));
        let mapping = (0..14).map(|i| (format!("bone {i}"), BoneId(i))).collect();
        let plan = import_plan(&bytes, &Document::with_solver(solver), &renamed, FlipAxis::X, &mapping);
        prop_assert_eq!(plan.missing_name_diagnostics("t.json"), []);
        let after = plan.after_import(&renamed.skeleton);
        prop_assert_eq!(&after.main_system().component_lists, &lists);
        prop_assert_eq!(after.chains.values().next().map(|c| c.name.as_str()), document.chains.values().next().map(|c| c.name.as_str()));
    }
}

/// Returns the bundled character with the given solver, an additional node, and lists that refer to this node, bones
/// and colliders.
pub(crate) fn sample_with_lists(solver: SolverKind) -> OpenedCharacter {
    let mut opened = sample(solver);
    let head = opened.character.skeleton.find("J_Bip_C_Head").expect("the sample has a head");
    let helper =
        Helper { name: "Anchor".to_owned(), parent: Node::Bone(head), local: Trs::IDENTITY, role: HelperRole::Plain };
    opened.document.apply(Edit::PutHelper { id: HelperId(900), helper: Some(helper) }).expect("a node");
    let bones = opened.character.skeleton.len() as u32;
    // Try seeds until no list is empty.
    let full =
        |extras: &ComponentLists| ListKind::ALL.iter().all(|s| s.solver() != solver || extras.entry_count(*s) > 0);
    let named = |extras: &ComponentLists| extras.referenced_nodes().contains(&Node::Helper(HelperId(900)));
    // A file of the original component cannot contain collider shapes that the original does not support.
    let known = |id: ColliderId| solver.info().supports_shape(&opened.document.colliders[&id].shape);
    let all = (0..50_000).map(|seed| {
        let mut extras = random_lists(&opened.document, bones, seed * 7_919);
        extras.retain_colliders(known);
        extras
    });
    let best = all.into_iter().find(|extras| full(extras) && named(extras)).expect("some seed fills every list");
    put_component_lists(&mut opened.document, best);
    opened
}

#[test]
fn importing_into_an_empty_document_adds_lists_and_nodes_in_one_step() {
    for solver in solvers_with_lists() {
        let before = sample_with_lists(solver);
        let skeleton = &before.character.skeleton;
        let (bytes, losses) = export_bytes(&before.document, skeleton, FlipAxis::X, PARAMETERS);
        assert_eq!(schema_error(&bytes), None, "{solver:?}");
        assert!(
            !losses
                .iter()
                .any(|loss| matches!(loss, ExportLoss::ComponentList { .. } | ExportLoss::UnresolvableName(_))),
            "{losses:?}"
        );
        let mut session = Session::new(before.character.clone(), Document::with_solver(solver));
        let (file, found) = tables::read_setup(&bytes, "t.json").expect("readable");
        assert!(found.iter().all(|d| d.severity == Severity::Info), "{found:?}");
        let plan = ImportPlan::new(file, &found, session.document(), &before.character, &BTreeMap::new());
        assert_eq!(plan.missing_name_diagnostics("t.json"), []);
        let edit = plan.edit(session.document(), skeleton);
        session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Import {n:row|rows}", n = 1))));
        assert!(crate::support::no_edit_rejected(&session));
        let after = session.document().clone();
        // Helpers and colliders have other ids here, but a second export refers to the same objects.
        let again = export_bytes(&after, skeleton, FlipAxis::X, PARAMETERS).0;
        let lists = |bytes: &[u8]| -> Value {
            let file: Value = serde_json::from_slice(bytes).expect("JSON");
            lists_of(&file).clone()
        };
        assert!(lists(&bytes).is_object());
        assert_eq!(lists(&again), lists(&bytes), "{solver:?}");
        session.handle(Command::Undo);
        assert_eq!(session.document(), &Document::with_solver(solver), "one undo step reverts everything");
    }
}

#[test]
fn unresolved_names_are_reported_with_their_location_and_the_rest_is_used() {
    let character = character_with_skeleton(random_documents::plain_skeleton());
    let grabber = |node: &str| json!({ "node": node, "radius": 0.1, "force": 0.5, "enabled": true });
    let extras = json!({ "joint_dynamics": {
        "columns": ["bone 1", "gone", "bone 5"],
        "grabbers": [grabber("bone 2"), grabber("gone"), grabber("hand/l")],
        "points": { "bone 3": { "mass": 2, "radius": 0, "movable_limit_radius": -1, "fade": 0, "aim_child": "lost" } },
        "frictions": { "Ball": { "friction": 0.1 }, "bone 1": { "friction": 0.1, "surface_force": 5 } },
    } });
    let system = json!({ "solver": "SPCRJointDynamics", "component_lists": extras });
    let file = setup_file_of(&[json!({ "solver": "VRM" }), system]);
    let (file, reported) = tables::read_setup(file.to_string().as_bytes(), "t.json").expect("readable");
    let reported: Vec<_> = reported.iter().map(ToString::to_string).collect();
    let word = "t.json:1#/setup/systems/1/component_lists/joint_dynamics/frictions/bone 1/surface_force: \
                invalid type: integer `5`, expected string or map; left out, its default is used";
    assert_eq!(reported, [word]);
    let document = Document::with_solver(SolverKind::JointDynamics);
    let plan = ImportPlan::new(file, &[], &document, &character, &BTreeMap::new());
    let reported: Vec<_> = plan.missing_name_diagnostics("t.json").iter().map(ToString::to_string).collect();
    let expected = |at: &str, kind: &str, name: &str| {
        format!(
            "t.json#/setup/systems/1/component_lists/joint_dynamics{at}: {kind} \"{name}\" does not exist; the component's entry for it is left out"
        )
    };
    let expected = [
        expected("/columns/1", "node", "gone"),
        expected("/points/bone 3/aim_child", "node", "lost"),
        expected("/frictions/Ball", "collider", "Ball"),
        expected("/frictions/bone 1", "collider", "bone 1"),
        expected("/grabbers/2/node", "node", "hand/l"),
    ];
    assert_eq!(reported, expected);
    let after = plan.after_import(&character.skeleton);
    let system = after.systems.values().find(|s| s.solver == SolverKind::JointDynamics).expect("it is there");
    let counts = [ListKind::Columns, ListKind::Grabbers, ListKind::Points, ListKind::Frictions]
        .map(|side| system.component_lists.entry_count(side));
    assert_eq!(counts, [2, 1, 1, 0]);
    assert_eq!(system.component_lists.aim_child(BoneId(3)), None);
}

#[test]
fn lists_of_a_solver_other_than_the_table_are_reported_and_kept() {
    let character = character_with_skeleton(random_documents::plain_skeleton());
    let system = json!({ "solver": "KawaiiPhysics", "component_lists": { "kawaii": { "base_bone": "bone 1" } } });
    let row = json!({ "system": system }).to_string().replace('"', "\"\"");
    let text = format!("version,4\n[DynamicBone]\n#yuremono,2,\"{row}\"\n");
    let (file, _) = tables::read_setup(text.as_bytes(), "t.csv").expect("readable");
    assert_eq!(file.systems[0].solver, SolverKind::DynamicBone);
    let document = Document::with_solver(SolverKind::DynamicBone);
    let plan = ImportPlan::new(to_gltf(file, FlipAxis::X), &[], &document, &character, &BTreeMap::new());
    let reported: Vec<_> = plan.unresolved_rows().iter().map(|one| one.diagnostic("t.csv").to_string()).collect();
    let expected = "no component of KawaiiPhysics exists; kept for the next export";
    assert_eq!(reported, [format!("t.csv:3: comment row \"system\": {expected}")]);
    let after = plan.after_import(&character.skeleton);
    assert_eq!(after.main_system().component_lists, document.main_system().component_lists);
    let kept = after.setup.passthrough.iter().map(|kept| match kept {
        Passthrough::Entry { entry: item, .. } => match &**item {
            SetupEntry::System(system) => system.solver,
            other => panic!("{other:?} is not a system"),
        },
        other => panic!("{other:?} is not an entry"),
    });
    assert_eq!(kept.collect::<Vec<_>>(), [SolverKind::KawaiiPhysics]);
}

#[test]
fn a_file_without_lists_keeps_the_existing_ones() {
    let before = sample_with_lists(SolverKind::KawaiiPhysics);
    let file = setup_file_of(&[json!({ "solver": "KawaiiPhysics" })]);
    let plan =
        import_plan(file.to_string().as_bytes(), &before.document, &before.character, FlipAxis::X, &BTreeMap::new());
    assert_eq!(
        plan.after_import(&before.character.skeleton).main_system().component_lists,
        before.document.main_system().component_lists
    );
    let file = setup_file_of(&[json!({ "solver": "KawaiiPhysics", "component_lists": { "kawaii": {} } })]);
    let plan =
        import_plan(file.to_string().as_bytes(), &before.document, &before.character, FlipAxis::X, &BTreeMap::new());
    assert!(plan.after_import(&before.character.skeleton).main_system().component_lists.is_empty());
}

#[test]
fn unresolvable_nodes_and_lists_that_a_format_cannot_store_are_reported() {
    let mut opened = sample_with_lists(SolverKind::KawaiiPhysics);
    let skeleton = &opened.character.skeleton;
    let mut lists = opened.document.main_system().component_lists.clone();
    lists.set_node(ListKind::BaseBone, opened.character.humanoid.bone("hips").map(Node::Bone));
    put_component_lists(&mut opened.document, lists);
    let reported = |document: &Document, format: SetupFormat| -> Vec<String> {
        let losses = export_bytes(document, skeleton, FlipAxis::X, format).1;
        let ours = losses
            .iter()
            .filter(|loss| matches!(loss, ExportLoss::ComponentList { .. } | ExportLoss::UnresolvableName(_)));
        ours.map(ToString::to_string).collect()
    };
    let extras = &opened.document.main_system().component_lists;
    let counted = |side: ListKind| {
        let count = extras.entry_count(side);
        format!("the component list \"{}\" is not exported; number of entries: {count}", side.key())
    };
    let all = [ListKind::Constraints, ListKind::SyncBones, ListKind::BaseBone].map(counted);
    assert_eq!(reported(&opened.document, KAWAII_JSON), all[..2], "the base bone is a separate property");
    assert_eq!(reported(&opened.document, CSV), all, "comment rows store them");
    assert_eq!(reported(&opened.document, PARAMETERS), [""; 0]);
    // The node has the same name as a bone. If a list refers to this node, the setup file has to describe the node.
    let helper = opened.document.helpers[&HelperId(900)].clone();
    let helper = Helper { name: "J_Bip_C_Head".to_owned(), ..helper };
    opened.document.apply(Edit::PutHelper { id: HelperId(900), helper: Some(helper) }).expect("a node");
    let name = "references to \"J_Bip_C_Head\" are not exported; a file cannot find it by its name";
    assert_eq!(reported(&opened.document, PARAMETERS), [""; 0]);
    let (bytes, _) = export_bytes(&opened.document, skeleton, FlipAxis::X, PARAMETERS);
    let plan = import_plan(&bytes, &opened.document, &opened.character, FlipAxis::X, &BTreeMap::new());
    assert_eq!(
        plan.after_import(skeleton).main_system().component_lists,
        opened.document.main_system().component_lists
    );
    assert_eq!(reported(&opened.document, KAWAII_JSON), all[..2], "the file has no reference to the node");
    let mut lists = opened.document.main_system().component_lists.clone();
    lists.set_node(ListKind::BaseBone, Some(Node::Helper(HelperId(900))));
    put_component_lists(&mut opened.document, lists);
    assert_eq!(reported(&opened.document, KAWAII_JSON), [&all[0], &all[1], name], "no original format supports it");
}

#[test]
fn native_formats_store_their_single_nodes_and_leave_other_lists_unchanged() {
    for (solver, format, sides) in [
        (SolverKind::KawaiiPhysics, KAWAII_JSON, &[ListKind::BaseBone][..]),
        (SolverKind::EzSoftBone, EZ_JSON, &[ListKind::SimulateSpace, ListKind::GravityAligner]),
    ] {
        let mut opened = sample_with_lists(solver);
        let skeleton = &opened.character.skeleton;
        let [hips, head] =
            ["hips", "head"].map(|name| Node::Bone(opened.character.humanoid.bone(name).expect("a body")));
        let with = |nodes: [Option<Node>; 2]| {
            let mut extras = opened.document.main_system().component_lists.clone();
            sides.iter().zip(nodes).for_each(|(side, node)| extras.set_node(*side, node));
            extras
        };
        let (lists, others, none) = (with([Some(hips), Some(head)]), with([Some(head), None]), with([None, None]));
        for (reported, before) in [(&lists, &others), (&none, &others), (&others, &none)] {
            put_component_lists(&mut opened.document, reported.clone());
            let (bytes, _) = export_bytes(&opened.document, skeleton, FlipAxis::X, format);
            put_component_lists(&mut opened.document, before.clone());
            let plan = import_plan(&bytes, &opened.document, &opened.character, FlipAxis::X, &BTreeMap::new());
            assert_eq!(plan.missing_name_diagnostics("t.json"), []);
            assert_eq!(&plan.after_import(skeleton).main_system().component_lists, reported, "{solver:?}");
        }
        put_component_lists(&mut opened.document, lists);
        let (bytes, _) = export_bytes(&opened.document, skeleton, FlipAxis::X, format);
        let text = String::from_utf8(bytes).expect("UTF-8").replace("J_Bip_C_Hips", "Nobody");
        let plan = import_plan(text.as_bytes(), &opened.document, &opened.character, FlipAxis::X, &BTreeMap::new());
        let reported: Vec<_> = plan.missing_name_diagnostics("t.json").iter().map(ToString::to_string).collect();
        let list = if solver == SolverKind::KawaiiPhysics {
            "Nodes/0/SimulationBaseBone"
        } else {
            "Components/0/m_SimulateSpace"
        };
        let expected =
            format!("t.json#/{list}: node \"Nobody\" does not exist; the component's entry for it is left out");
        assert_eq!(reported, [expected]);
    }
}

#[test]
fn json_stores_the_lists_of_each_component_and_csv_reports_them_as_lost() {
    let opened = sample_with_lists(SolverKind::DynamicBone);
    let mut document = opened.document.clone();
    let one: BTreeSet<_> = document.chains.keys().take(1).copied().collect();
    let (edit, own) =
        yuremono_model::tools::components::split_off_chains(&document, &one, "Other").expect("the others stay");
    document.apply(edit).expect("it applies");
    let head = opened.character.skeleton.find("J_Bip_C_Head").map(Node::Bone);
    let mut system = document.systems[&own].clone();
    system.component_lists = ComponentLists::empty(SolverKind::DynamicBone);
    system.component_lists.set_node(ListKind::Reference, head);
    document.apply(Edit::PutSystem { id: own, system: Some(Box::new(system)) }).expect("it applies");
    let (bytes, _) = export_bytes(&document, &opened.character.skeleton, FlipAxis::Z, PARAMETERS);
    let mut cleared = document.clone();
    for system in cleared.systems.values_mut() {
        system.component_lists = ComponentLists::empty(SolverKind::DynamicBone);
    }
    let after = import_plan(&bytes, &cleared, &opened.character, FlipAxis::Z, &BTreeMap::new())
        .after_import(&opened.character.skeleton);
    assert_eq!(after.systems.len(), 2);
    for (id, system) in &document.systems {
        assert_eq!(after.systems[id].component_lists, system.component_lists);
    }
    let file = setup_file_of(&[json!({ "solver": "DynamicBone", "component_lists": { "dynamic_bone": {} } })]);
    let one = import_plan(file.to_string().as_bytes(), &document, &opened.character, FlipAxis::Z, &BTreeMap::new());
    let reported =
        "t.json#/setup/systems/0: component lists are left out, because the chains belong to several components";
    assert_eq!(one.missing_name_diagnostics("t.json").iter().map(ToString::to_string).collect::<Vec<_>>(), [reported]);
    assert_eq!(one.after_import(&opened.character.skeleton).systems, document.systems);
    let losses = export_bytes(&document, &opened.character.skeleton, FlipAxis::Z, CSV).1;
    let gone = |loss: &&ExportLoss| matches!(loss, ExportLoss::ComponentList { is_single_component: false, .. });
    assert!(
        losses.iter().filter(gone).all(|loss| !loss.is_kept_in_comments()) && losses.iter().any(|loss| gone(&loss))
    );
}

fn run_cli(args: &[&str]) -> (String, String) {
    let output = crate::support::yuremono_command().args(args).output().expect("it runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{args:?}\n{out}\n{err}");
    (out, err)
}

fn read_json_file(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("written")).expect("JSON")
}

/// Replaces texts anywhere in a JSON value.
fn replace_texts(value: &mut Value, names: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text) {
                *text = name.clone();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| replace_texts(value, names)),
        Value::Object(fields) => fields.values_mut().for_each(|value| replace_texts(value, names)),
        _ => {}
    }
}

#[test]
fn the_command_line_exports_imports_and_remaps_lists() {
    const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
    const OTHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-rig-blender.vrm");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let opened = sample_with_lists(SolverKind::KawaiiPhysics);
    let skeleton = &opened.character.skeleton;
    let mut document = opened.document.clone();
    // The simulated bones and a thigh can be mapped by name.
    let mut lists: ComponentLists = ComponentLists::empty(SolverKind::KawaiiPhysics);
    let chain: Vec<Node> =
        document.chains.values().flat_map(|c| &c.joints).take(6).map(|j| Node::Bone(j.bone)).collect();
    lists.add_entries(ListKind::Constraints, &chain);
    let thigh = Node::Bone(opened.character.humanoid.bone("leftUpperLeg").expect("the sample has legs"));
    lists.add_entries(ListKind::SyncBones, &[thigh, chain[0], chain[1]]);
    lists.set_node(ListKind::BaseBone, Some(Node::Helper(HelperId(900))));
    put_component_lists(&mut document, lists);
    let [yure, json, again, other] = ["a.yure", "a.json", "b.yure", "other.json"].map(at);
    std::fs::write(&yure, project::write(&document, skeleton, &ProjectMetadata::default())).expect("written");
    run_cli(&["convert", SAMPLE, "--setup", &text(&yure), "--out", &text(&json)]);
    let out = read_json_file(&json);
    assert_eq!(lists_of(&out)["kawaii"]["constraints"].as_array().map(Vec::len), Some(5));
    assert_eq!(schema_error(&std::fs::read(&json).expect("written")), None);
    run_cli(&["check", &text(&json)]);
    run_cli(&["convert", SAMPLE, "--setup", &text(&json), "--out", &text(&again)]);
    let reread = open::project(&again).expect("a project").0.into_document(skeleton).0;
    let names = |document: &Document| export_bytes(document, skeleton, FlipAxis::X, PARAMETERS).0;
    let of = |bytes: Vec<u8>| lists_of(&serde_json::from_slice(&bytes).expect("JSON")).clone();
    assert_eq!(of(names(&reread)), of(names(&document)));
    // Bones at the same positions in both skeletons are mapped to each other.
    run_cli(&["remap", &text(&json), "--from", SAMPLE, "--to", OTHER, "--out", &text(&other)]);
    let bytes = std::fs::read(OTHER).expect("it is there");
    let source = SourceFile { name: "rig.vrm", bytes: &bytes, read_sibling: &no_siblings };
    let theirs = open::character_from_source(&source, &|_| true).expect("it opens").character;
    let pairs = skeleton.ids().map(|b| (skeleton.name(b).to_owned(), theirs.skeleton.name(b).to_owned()));
    let mut expected = lists_of(&out).clone();
    replace_texts(&mut expected, &pairs.collect());
    assert_ne!(&expected, lists_of(&out));
    assert_eq!(lists_of(&read_json_file(&other)), &expected);
    // Missing references are reported with file and location.
    let mut broken = out.clone();
    broken["setup"]["systems"]["0"]["component_lists"]["kawaii"]["constraints"][3]["bones"][1] = json!("Nobody");
    std::fs::write(&json, broken.to_string()).expect("written");
    let args = ["convert", SAMPLE, "--setup", &text(&json), "--overwrite", "--out", &text(&again)];
    let (_, err) = run_cli(&args);
    let reported =
        "a.json#/setup/systems/0/component_lists/kawaii/constraints/3/bones/1: node \"Nobody\" does not exist";
    assert!(err.contains(reported), "{err}");
    let (out, _) = run_cli(&["apply", &text(&json), "--to", SAMPLE, "--min-matched", "0"]);
    assert!(out.contains(reported), "diagnostics do not require an output: {out}");
}
