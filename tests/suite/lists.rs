//! What components know beyond numbers in files by bone name: out and in again, under other names, and what is told.

use super::documents;
use super::support::json_schema::misfit;
use super::support::sample;
use assert_cmd::Command as Program;
use glam::Vec3;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use yuremono::document::{
    Axis, ColliderId, Document, Edit, Extras, Helper, HelperId, HelperRole, Label, NetPoint, Node, Passthrough,
    SetupItem, Side,
};
use yuremono::exchange::{ExportLoss, ExportOptions, ImportPlan, export};
use yuremono::format::open::{self, Opened};
use yuremono::format::project::{self, Surroundings};
use yuremono::format::source::{Source, no_siblings};
use yuremono::format::tables::{self, TableFormat};
use yuremono::format::unity_space::to_gltf;
use yuremono::math::{Curve, CurveShape, Trs};
use yuremono::report::Severity;
use yuremono::rig::{BoneId, Character, Skeleton};
use yuremono::session::{Command, Session};
use yuremono::sim::{
    Attenuation, BoneConstraint, Compliance, ConvexHull, EzCollider, EzForceField, Grabber, JointDynamicsCollider,
    SolverKind, SurfaceForce, SyncBone, SyncDirection, SyncTarget, Turbulence,
};

const SCHEMA: &str = include_str!("../../assets/schema/yuremono-setup-1.schema.json");
/// The solvers that have lists.
pub(crate) fn listed() -> Vec<SolverKind> {
    let has_lists = |kind: &SolverKind| Extras::under(*kind).solver().is_some();
    SolverKind::ALL.iter().copied().filter(has_lists).collect()
}

/// Numbers without end from a seed.
struct Rolls(u64);

impl Rolls {
    fn roll(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }

    fn coin(&mut self) -> bool {
        self.roll().is_multiple_of(2)
    }

    /// Any finite number: tiny, huge, whole or neither.
    fn number(&mut self) -> f32 {
        if self.roll().is_multiple_of(4) {
            return [0.0, 1.0, -1.0, 0.05, 1e-40, -3.0e38][self.roll() % 6];
        }
        let number = f32::from_bits((self.roll() ^ (self.roll() << 16)) as u32);
        if number.is_finite() { number } else { 0.25 }
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.roll() % all.len()].clone()
    }

    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.roll() % 4).map(|_| one(self)).collect()
    }
}

/// Lists of every kind that the solver of a document has, over its nodes and colliders.
fn any_lists(document: &Document, bones: u32, seed: u64) -> Extras {
    let mut rolls = Rolls(seed);
    let helpers = document.helpers.keys().copied().map(Node::Helper);
    let nodes: Vec<Node> = (0..bones).map(|n| Node::Bone(BoneId(n))).chain(helpers).collect();
    let colliders: Vec<ColliderId> = document.colliders.keys().copied().collect();
    let mut extras = Extras::under(document.main().solver);
    for side in Side::ALL {
        let some = rolls.many(|rolls| rolls.of(&nodes));
        if side.is_single() {
            extras.set(side, some.first().copied());
        } else if side.least() == 1 {
            extras.add(side, &some);
        }
    }
    match &mut extras {
        Extras::EzSoftBone(own) => fill_ez(&mut rolls, own, &colliders),
        Extras::JointDynamics(own) => {
            for grabber in &mut own.grabbers {
                let bone = grabber.bone;
                *grabber = Grabber { bone, radius: rolls.number(), force: rolls.number(), enabled: rolls.coin() };
            }
            for _ in 0..rolls.roll() % 4 {
                let aim_child = rolls.coin().then(|| rolls.of(&nodes));
                let point = NetPoint {
                    fixed: [None, Some(true), Some(false)][rolls.roll() % 3],
                    mass: rolls.number(),
                    radius: rolls.number(),
                    movable_limit_radius: rolls.number(),
                    surface_collision: rolls.coin(),
                    invert_collision: rolls.coin(),
                    aim_child,
                    fade: rolls.number(),
                };
                own.points.insert(BoneId(rolls.roll() as u32 % bones), point);
            }
            for id in colliders {
                let surface_force = rolls.of(&[SurfaceForce::Off, SurfaceForce::Push, SurfaceForce::Pull]);
                own.colliders.insert(id, JointDynamicsCollider { friction: rolls.number(), surface_force });
            }
        }
        Extras::Kawaii(own) => {
            own.constraints = rolls.many(|rolls| BoneConstraint {
                bones: [rolls.of(&nodes), rolls.of(&nodes)],
                compliance: rolls.coin().then(|| rolls.of(&Compliance::ALL)),
                length: rolls.coin().then(|| rolls.number()),
                subdivided: rolls.coin(),
            });
            own.sync_bones = rolls.many(|rolls| any_sync(rolls, &nodes));
        }
        Extras::None | Extras::DynamicBone(_) | Extras::AnimDynamics(_) => {}
    }
    extras
}

fn fill_ez(rolls: &mut Rolls, own: &mut yuremono::document::EzExtras, colliders: &[ColliderId]) {
    if let Some(field) = &mut own.force_field {
        let curves = [0; 3].map(|_| match rolls.roll() % 3 {
            0 => Curve::shape(CurveShape::Ease),
            1 => Curve::constant(rolls.number()),
            _ => Curve::through(&[(0.0, rolls.number()), (0.3, 1.0), (1.0, rolls.number())]).expect("finite"),
        });
        let modes = [
            Turbulence::Perlin { frequency: rolls.vector() },
            Turbulence::Curve { cycle: rolls.number(), curves: Box::new(curves) },
        ];
        *field = EzForceField {
            bone: field.bone,
            enabled: rolls.coin(),
            conductivity: rolls.number(),
            force: rolls.number(),
            turbulence: rolls.vector(),
            mode: rolls.of(&modes),
        };
    }
    for id in colliders {
        let points: Vec<Vec3> = (0..3 + rolls.roll() % 3).map(|_| rolls.vector()).collect();
        let hull = rolls.coin().then(|| ConvexHull::new(points, vec![[0, 1, 2], [2, 1, 0]]));
        own.colliders.insert(*id, EzCollider { margin: rolls.number(), hull });
    }
}

fn any_sync(rolls: &mut Rolls, nodes: &[Node]) -> SyncBone<Node> {
    let ways = [SyncDirection::Both, SyncDirection::Positive, SyncDirection::Negative, SyncDirection::None];
    let targets = rolls.many(|rolls| SyncTarget { bone: rolls.of(nodes), scale: rolls.number() });
    SyncBone {
        scale: rolls.vector(),
        by_distance: rolls.many(|rolls| [rolls.number(), rolls.number()]),
        directions: [rolls.of(&ways), rolls.of(&ways), rolls.of(&ways)],
        attenuation: rolls.coin().then(|| Attenuation {
            inner: rolls.number(),
            outer: rolls.number(),
            most: rolls.number(),
        }),
        ..SyncBone::new(rolls.of(nodes), targets)
    }
}

fn put(document: &mut Document, extras: Extras) {
    let id = document.main_id();
    let mut system = document.main().clone();
    system.extras = extras;
    document.apply(Edit::PutSystem { id, system: Some(Box::new(system)) }).expect("all of it is there");
}

pub(crate) fn written(
    document: &Document,
    skeleton: &Skeleton,
    axis: Axis,
    format: TableFormat,
) -> (Vec<u8>, Vec<ExportLoss>) {
    let options = ExportOptions::with_mirror(axis).in_format(format);
    let made = export(document, skeleton, options);
    (tables::write_setup(&made.file, options), made.losses)
}

fn plan(
    bytes: &[u8],
    document: &Document,
    character: &Character,
    axis: Axis,
    names: &BTreeMap<String, BoneId>,
) -> ImportPlan {
    let (file, found) = tables::read_setup(bytes, "t.json").expect("an export is readable");
    let wrong: Vec<_> = found.iter().filter(|d| d.to_string().contains("/extras")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let leads = names.iter().map(|(name, bone)| (name.clone(), Some(*bone))).collect();
    ImportPlan::new(to_gltf(file, axis), &[], document, character, &leads)
}

/// The lists of the first system of our own file.
fn lists_of(file: &Value) -> &Value {
    &file["setup"]["systems"]["0"]["extras"]
}

/// Our own file of these systems.
fn file_of(systems: &[Value]) -> Value {
    let systems: BTreeMap<String, &Value> =
        systems.iter().enumerate().map(|(at, system)| (at.to_string(), system)).collect();
    json!({ "format": "yuremono-setup", "version": 1, "setup": { "systems": systems } })
}

fn misfit_of(bytes: &[u8]) -> Option<String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    misfit(&schema, &schema, &serde_json::from_slice(bytes).expect("the export is JSON"), "")
}

fn bare(skeleton: Skeleton) -> Character {
    Character { skeleton, ..Character::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_lists_fit_the_schema_and_come_back_the_same_in_a_fresh_copy(
        dice in documents::any_dice(16),
        solver in prop::sample::select(listed()),
        axis in prop_oneof![Just(Axis::X), Just(Axis::Z)],
        format in prop_oneof![Just(TableFormat::Parameters), Just(TableFormat::Csv)],
        seed in any::<u64>(),
    ) {
        let character = bare(documents::plain());
        let skeleton = &character.skeleton;
        let mut document = documents::after_under(solver, &dice, skeleton);
        let lists = any_lists(&document, 14, seed);
        put(&mut document, lists.clone());
        let (bytes, losses) = written(&document, skeleton, axis, format);
        if format == TableFormat::Parameters {
            prop_assert_eq!(misfit_of(&bytes), None);
        }
        let lost: Vec<_> = losses.iter().filter(|loss| matches!(loss, ExportLoss::Listed(_))).collect();
        prop_assert!(lost.is_empty(), "{:?}", lost);
        let with = |document: &Document| {
            let plan = plan(&bytes, document, &character, axis, &BTreeMap::new());
            assert_eq!(plan.findings("t.json"), []);
            let mut after = document.clone();
            after.apply(plan.edit(document, skeleton)).expect("a plan of an export applies");
            after
        };
        let mut fresh = document.clone();
        put(&mut fresh, Extras::under(solver));
        let (again, fresh) = (with(&document), with(&fresh));
        prop_assert_eq!(&again.main().extras, &lists);
        prop_assert_eq!(&fresh, &again);
        // Others that were there go; a CSV of a component without lists has no row of them.
        if format == TableFormat::Parameters || !lists.is_empty() {
            let mut other = document.clone();
            put(&mut other, any_lists(&document, 14, !seed));
            prop_assert_eq!(&with(&other), &again);
        }
    }

    #[test]
    fn random_lists_follow_the_names_of_their_joints(
        solver in prop::sample::select(listed()),
        seed in any::<u64>(),
    ) {
        let skeleton = documents::plain();
        let mut document = documents::after_under(solver, &[[0, 1, 0, 0, 0, 0], [0, 5, 1, 0, 0, 0]], &skeleton);
        let lists = any_lists(&document, 14, seed);
        put(&mut document, lists.clone());
        let (bytes, _) = written(&document, &skeleton, Axis::X, TableFormat::Parameters);
        let renamed = bare(documents::skeleton(|i| format!("knochen {i}")));
        let mapping = (0..14).map(|i| (format!("bone {i}"), BoneId(i))).collect();
        let plan = plan(&bytes, &Document::under(solver), &renamed, Axis::X, &mapping);
        prop_assert_eq!(plan.findings("t.json"), []);
        let after = plan.after(&renamed.skeleton);
        prop_assert_eq!(&after.main().extras, &lists);
        prop_assert_eq!(after.chains.values().next().map(|c| c.name.as_str()), document.chains.values().next().map(|c| c.name.as_str()));
    }
}

/// The bundled character under a solver, with a node of its own and lists that name it, bones and colliders.
pub(crate) fn listed_sample(solver: SolverKind) -> Opened {
    let mut opened = sample(solver);
    let head = opened.character.skeleton.find("J_Bip_C_Head").expect("she has a head");
    let helper =
        Helper { name: "Anchor".to_owned(), parent: Node::Bone(head), local: Trs::IDENTITY, role: HelperRole::Plain };
    opened.document.apply(Edit::PutHelper { id: HelperId(900), helper: Some(helper) }).expect("a node");
    let bones = opened.character.skeleton.len() as u32;
    // One seed after another until no list is empty.
    let full = |extras: &Extras| Side::ALL.iter().all(|s| s.solver() != solver || extras.count(*s) > 0);
    let named = |extras: &Extras| extras.nodes().contains(&Node::Helper(HelperId(900)));
    // A file of an engine holds no colliders of shapes that the engine does not know.
    let known = |id: ColliderId| solver.info().supports(&opened.document.colliders[&id].shape);
    let all = (0..50_000).map(|seed| {
        let mut extras = any_lists(&opened.document, bones, seed * 7_919);
        extras.keep_colliders(known);
        extras
    });
    let best = all.into_iter().find(|extras| full(extras) && named(extras)).expect("some seed fills all");
    put(&mut opened.document, best);
    opened
}

#[test]
fn a_fresh_character_gets_the_lists_with_their_nodes_in_one_step() {
    for solver in listed() {
        let before = listed_sample(solver);
        let skeleton = &before.character.skeleton;
        let (bytes, losses) = written(&before.document, skeleton, Axis::X, TableFormat::Parameters);
        assert_eq!(misfit_of(&bytes), None, "{solver:?}");
        assert!(
            !losses.iter().any(|loss| matches!(loss, ExportLoss::Lists { .. } | ExportLoss::Listed(_))),
            "{losses:?}"
        );
        let mut session = Session::new(before.character.clone(), Document::under(solver));
        let (file, found) = tables::read_setup(&bytes, "t.json").expect("readable");
        assert!(found.iter().all(|d| d.severity == Severity::Info), "{found:?}");
        let plan = ImportPlan::new(file, &found, session.document(), &before.character, &BTreeMap::new());
        assert_eq!(plan.findings("t.json"), []);
        let edit = plan.edit(session.document(), skeleton);
        session.handle(Command::Apply(edit, Label::new("import", 1)));
        assert!(crate::support::nothing_refused(&session));
        let after = session.document().clone();
        // Helpers and colliders have other numbers here: what a second file says of them is the same.
        let again = written(&after, skeleton, Axis::X, TableFormat::Parameters).0;
        let lists = |bytes: &[u8]| -> Value {
            let file: Value = serde_json::from_slice(bytes).expect("JSON");
            lists_of(&file).clone()
        };
        assert!(lists(&bytes).is_object());
        assert_eq!(lists(&again), lists(&bytes), "{solver:?}");
        session.handle(Command::Undo);
        assert_eq!(session.document(), &Document::under(solver), "one step takes all of it back");
    }
}

#[test]
fn names_that_lead_nowhere_are_told_at_their_place_and_the_rest_is_used() {
    let character = bare(documents::plain());
    let grabber = |node: &str| json!({ "node": node, "radius": 0.1, "force": 0.5, "enabled": true });
    let extras = json!({ "joint_dynamics": {
        "columns": ["bone 1", "gone", "bone 5"],
        "grabbers": [grabber("bone 2"), grabber("gone"), grabber("hand/l")],
        "points": { "bone 3": { "mass": 2, "radius": 0, "movable_limit_radius": -1, "fade": 0, "aim_child": "lost" } },
        "frictions": { "Ball": { "friction": 0.1 }, "bone 1": { "friction": 0.1, "surface_force": 5 } },
    } });
    let system = json!({ "solver": "SPCRJointDynamics", "extras": extras });
    let file = file_of(&[json!({ "solver": "VRM" }), system]);
    let (file, said) = tables::read_setup(file.to_string().as_bytes(), "t.json").expect("readable");
    let said: Vec<_> = said.iter().map(ToString::to_string).collect();
    let word = "t.json:1#/setup/systems/1/extras/joint_dynamics/frictions/bone 1/surface_force: \
                invalid type: integer `5`, expected string or map; left out, its default is used";
    assert_eq!(said, [word]);
    let document = Document::under(SolverKind::JointDynamics);
    let plan = ImportPlan::new(file, &[], &document, &character, &BTreeMap::new());
    let told: Vec<_> = plan.findings("t.json").iter().map(ToString::to_string).collect();
    let expected = |at: &str, kind: &str, name: &str| {
        format!(
            "t.json#/setup/systems/1/extras/joint_dynamics{at}: there is no {kind} \"{name}\" here; the component's entry for it is left out"
        )
    };
    let expected = [
        expected("/columns/1", "node", "gone"),
        expected("/points/bone 3/aim_child", "node", "lost"),
        expected("/frictions/Ball", "collider", "Ball"),
        expected("/frictions/bone 1", "collider", "bone 1"),
        expected("/grabbers/2/node", "node", "hand/l"),
    ];
    assert_eq!(told, expected);
    let after = plan.after(&character.skeleton);
    let system = after.systems.values().find(|s| s.solver == SolverKind::JointDynamics).expect("it is there");
    let counts = [Side::Columns, Side::Grabbers, Side::Points, Side::Frictions].map(|side| system.extras.count(side));
    assert_eq!(counts, [2, 1, 1, 0]);
    assert_eq!(system.extras.aim(BoneId(3)), None);
}

#[test]
fn lists_of_another_solver_than_their_tables_are_told_and_kept() {
    let character = bare(documents::plain());
    let system = json!({ "solver": "KawaiiPhysics", "extras": { "kawaii": { "base_bone": "bone 1" } } });
    let row = json!({ "system": system }).to_string().replace('"', "\"\"");
    let text = format!("version,4\n[DynamicBone]\n#yuremono,2,\"{row}\"\n");
    let (file, _) = tables::read_setup(text.as_bytes(), "t.csv").expect("readable");
    assert_eq!(file.systems[0].solver, SolverKind::DynamicBone);
    let document = Document::under(SolverKind::DynamicBone);
    let plan = ImportPlan::new(to_gltf(file, Axis::X), &[], &document, &character, &BTreeMap::new());
    let told: Vec<_> = plan.unresolved().iter().map(|one| one.diagnostic("t.csv").to_string()).collect();
    let expected = "there is no component of KawaiiPhysics here; kept for an export";
    assert_eq!(told, [format!("t.csv:3: comment row \"system\": {expected}")]);
    let after = plan.after(&character.skeleton);
    assert_eq!(after.main().extras, document.main().extras);
    let kept = after.setup.passthrough.iter().map(|kept| match kept {
        Passthrough::Item { item, .. } => match &**item {
            SetupItem::System(system) => system.solver,
            other => panic!("{other:?} is not a system"),
        },
        other => panic!("{other:?} is not an entry"),
    });
    assert_eq!(kept.collect::<Vec<_>>(), [SolverKind::KawaiiPhysics]);
}

#[test]
fn a_file_without_lists_leaves_those_that_are_there() {
    let before = listed_sample(SolverKind::KawaiiPhysics);
    let file = file_of(&[json!({ "solver": "KawaiiPhysics" })]);
    let plan = plan(file.to_string().as_bytes(), &before.document, &before.character, Axis::X, &BTreeMap::new());
    assert_eq!(plan.after(&before.character.skeleton).main().extras, before.document.main().extras);
    let file = file_of(&[json!({ "solver": "KawaiiPhysics", "extras": { "kawaii": {} } })]);
    let plan = self::plan(file.to_string().as_bytes(), &before.document, &before.character, Axis::X, &BTreeMap::new());
    assert!(plan.after(&before.character.skeleton).main().extras.is_empty());
}

#[test]
fn what_no_name_leads_to_and_what_a_format_has_no_place_for_is_told() {
    let mut opened = listed_sample(SolverKind::KawaiiPhysics);
    let skeleton = &opened.character.skeleton;
    let mut lists = opened.document.main().extras.clone();
    lists.set(Side::BaseBone, opened.character.humanoid.bone("hips").map(Node::Bone));
    put(&mut opened.document, lists);
    let told = |document: &Document, format: TableFormat| -> Vec<String> {
        let losses = written(document, skeleton, Axis::X, format).1;
        let ours = losses.iter().filter(|loss| matches!(loss, ExportLoss::Lists { .. } | ExportLoss::Listed(_)));
        ours.map(ToString::to_string).collect()
    };
    let extras = &opened.document.main().extras;
    let counted = |side: Side| {
        let count = extras.count(side);
        let entries = if count == 1 { "entry" } else { "entries" };
        format!("{count} {entries} in the component's list \"{}\"; this cannot be exported", side.key())
    };
    let all = [Side::Constraints, Side::SyncBones, Side::BaseBone].map(counted);
    assert_eq!(told(&opened.document, TableFormat::KawaiiJson), all[..2], "the base bone has a property of its own");
    assert_eq!(told(&opened.document, TableFormat::Csv), all, "comment rows keep them");
    assert_eq!(told(&opened.document, TableFormat::Parameters), [""; 0]);
    // By the name of this node the bone would be found: where the lists refer to the node, our own file describes it.
    let helper = opened.document.helpers[&HelperId(900)].clone();
    let helper = Helper { name: "J_Bip_C_Head".to_owned(), ..helper };
    opened.document.apply(Edit::PutHelper { id: HelperId(900), helper: Some(helper) }).expect("a node");
    let name = "\"J_Bip_C_Head\" is left out where entries refer to it: a file cannot find it again by that name";
    assert_eq!(told(&opened.document, TableFormat::Parameters), [""; 0]);
    let (bytes, _) = written(&opened.document, skeleton, Axis::X, TableFormat::Parameters);
    let plan = plan(&bytes, &opened.document, &opened.character, Axis::X, &BTreeMap::new());
    assert_eq!(plan.after(skeleton).main().extras, opened.document.main().extras);
    assert_eq!(told(&opened.document, TableFormat::KawaiiJson), all[..2], "nothing that it holds names the node");
    let mut lists = opened.document.main().extras.clone();
    lists.set(Side::BaseBone, Some(Node::Helper(HelperId(900))));
    put(&mut opened.document, lists);
    assert_eq!(told(&opened.document, TableFormat::KawaiiJson), [&all[0], &all[1], name], "no engine has it");
}

#[test]
fn engines_own_formats_name_the_nodes_that_their_components_do_and_leave_other_lists_alone() {
    for (solver, format, sides) in [
        (SolverKind::KawaiiPhysics, TableFormat::KawaiiJson, &[Side::BaseBone][..]),
        (SolverKind::EzSoftBone, TableFormat::EzJson, &[Side::SimulateSpace, Side::GravityAligner]),
    ] {
        let mut opened = listed_sample(solver);
        let skeleton = &opened.character.skeleton;
        let [hips, head] =
            ["hips", "head"].map(|name| Node::Bone(opened.character.humanoid.bone(name).expect("a body")));
        let with = |nodes: [Option<Node>; 2]| {
            let mut extras = opened.document.main().extras.clone();
            sides.iter().zip(nodes).for_each(|(side, node)| extras.set(*side, node));
            extras
        };
        let (lists, others, none) = (with([Some(hips), Some(head)]), with([Some(head), None]), with([None, None]));
        for (said, before) in [(&lists, &others), (&none, &others), (&others, &none)] {
            put(&mut opened.document, said.clone());
            let (bytes, _) = written(&opened.document, skeleton, Axis::X, format);
            put(&mut opened.document, before.clone());
            let plan = plan(&bytes, &opened.document, &opened.character, Axis::X, &BTreeMap::new());
            assert_eq!(plan.findings("t.json"), []);
            assert_eq!(&plan.after(skeleton).main().extras, said, "{solver:?}");
        }
        put(&mut opened.document, lists);
        let (bytes, _) = written(&opened.document, skeleton, Axis::X, format);
        let text = String::from_utf8(bytes).expect("UTF-8").replace("J_Bip_C_Hips", "Nobody");
        let plan = plan(text.as_bytes(), &opened.document, &opened.character, Axis::X, &BTreeMap::new());
        let told: Vec<_> = plan.findings("t.json").iter().map(ToString::to_string).collect();
        let list = if solver == SolverKind::KawaiiPhysics {
            "Nodes/0/SimulationBaseBone"
        } else {
            "Components/0/m_SimulateSpace"
        };
        let expected =
            format!("t.json#/{list}: there is no node \"Nobody\" here; the component's entry for it is left out");
        assert_eq!(told, [expected]);
    }
}

#[test]
fn each_of_several_components_has_its_lists_in_one_file_and_a_table_of_all_says_that_it_has_not() {
    let opened = listed_sample(SolverKind::DynamicBone);
    let mut document = opened.document.clone();
    let one: BTreeSet<_> = document.chains.keys().take(1).copied().collect();
    let (edit, own) = yuremono::tools::components::split(&document, &one, "Other").expect("the others stay");
    document.apply(edit).expect("it fits");
    let head = opened.character.skeleton.find("J_Bip_C_Head").map(Node::Bone);
    let mut system = document.systems[&own].clone();
    system.extras = Extras::under(SolverKind::DynamicBone);
    system.extras.set(Side::Reference, head);
    document.apply(Edit::PutSystem { id: own, system: Some(Box::new(system)) }).expect("it fits");
    let (bytes, _) = written(&document, &opened.character.skeleton, Axis::Z, TableFormat::Parameters);
    let mut cleared = document.clone();
    for system in cleared.systems.values_mut() {
        system.extras = Extras::under(SolverKind::DynamicBone);
    }
    let after = plan(&bytes, &cleared, &opened.character, Axis::Z, &BTreeMap::new()).after(&opened.character.skeleton);
    assert_eq!(after.systems.len(), 2);
    for (id, system) in &document.systems {
        assert_eq!(after.systems[id].extras, system.extras);
    }
    let file = file_of(&[json!({ "solver": "DynamicBone", "extras": { "dynamic_bone": {} } })]);
    let one = plan(file.to_string().as_bytes(), &document, &opened.character, Axis::Z, &BTreeMap::new());
    let told =
        "t.json#/setup/systems/0: lists of a component; the chains here are of several, so that they are left out";
    assert_eq!(one.findings("t.json").iter().map(ToString::to_string).collect::<Vec<_>>(), [told]);
    assert_eq!(one.after(&opened.character.skeleton).systems, document.systems);
    let losses = written(&document, &opened.character.skeleton, Axis::Z, TableFormat::Csv).1;
    let gone = |loss: &&ExportLoss| matches!(loss, ExportLoss::Lists { alone: false, .. });
    assert!(losses.iter().filter(gone).all(|loss| !loss.is_in_comments()) && losses.iter().any(|loss| gone(&loss)));
}

fn yuremono(args: &[&str]) -> (String, String) {
    let output = Program::cargo_bin("yuremono").expect("built with the tests").args(args).output().expect("it runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{args:?}\n{out}\n{err}");
    (out, err)
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("written")).expect("JSON")
}

/// A text anywhere in a value, replaced.
fn renamed(value: &mut Value, names: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text) {
                *text = name.clone();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| renamed(value, names)),
        Value::Object(fields) => fields.values_mut().for_each(|value| renamed(value, names)),
        _ => {}
    }
}

#[test]
fn the_command_line_carries_lists_out_in_again_and_to_a_character_with_other_names() {
    const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
    const OTHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-rig-blender.vrm");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let opened = listed_sample(SolverKind::KawaiiPhysics);
    let skeleton = &opened.character.skeleton;
    let mut document = opened.document.clone();
    // Bones that sway, and a thigh: those that names lead.
    let mut lists = Extras::under(SolverKind::KawaiiPhysics);
    let chain: Vec<Node> =
        document.chains.values().flat_map(|c| &c.joints).take(6).map(|j| Node::Bone(j.bone)).collect();
    lists.add(Side::Constraints, &chain);
    let thigh = Node::Bone(opened.character.humanoid.bone("leftUpperLeg").expect("she has legs"));
    lists.add(Side::SyncBones, &[thigh, chain[0], chain[1]]);
    lists.set(Side::BaseBone, Some(Node::Helper(HelperId(900))));
    put(&mut document, lists);
    let [yure, json, again, other] = ["a.yure", "a.json", "b.yure", "other.json"].map(at);
    std::fs::write(&yure, project::write(&document, skeleton, &Surroundings::default())).expect("written");
    yuremono(&["convert", SAMPLE, "--setup", &text(&yure), "--out", &text(&json)]);
    let out = json_of(&json);
    assert_eq!(lists_of(&out)["kawaii"]["constraints"].as_array().map(Vec::len), Some(5));
    assert_eq!(misfit_of(&std::fs::read(&json).expect("written")), None);
    yuremono(&["check", &text(&json)]);
    yuremono(&["convert", SAMPLE, "--setup", &text(&json), "--out", &text(&again)]);
    let reread = open::project(&again).expect("a project").0.into_document(skeleton).0;
    let names = |document: &Document| written(document, skeleton, Axis::X, TableFormat::Parameters).0;
    let of = |bytes: Vec<u8>| lists_of(&serde_json::from_slice(&bytes).expect("JSON")).clone();
    assert_eq!(of(names(&reread)), of(names(&document)));
    // Bone and bone at the same place of both skeletons are one.
    yuremono(&["remap", &text(&json), "--from", SAMPLE, "--to", OTHER, "--out", &text(&other)]);
    let bytes = std::fs::read(OTHER).expect("it is there");
    let source = Source { name: "rig.vrm", bytes: &bytes, sibling: &no_siblings };
    let theirs = open::character_from(&source, &|_| true).expect("it opens").character;
    let pairs = skeleton.ids().map(|b| (skeleton.name(b).to_owned(), theirs.skeleton.name(b).to_owned()));
    let mut expected = lists_of(&out).clone();
    renamed(&mut expected, &pairs.collect());
    assert_ne!(&expected, lists_of(&out));
    assert_eq!(lists_of(&json_of(&other)), &expected);
    // What is not there is told with file and place.
    let mut broken = out.clone();
    broken["setup"]["systems"]["0"]["extras"]["kawaii"]["constraints"][3]["bones"][1] = json!("Nobody");
    std::fs::write(&json, broken.to_string()).expect("written");
    let args = ["convert", SAMPLE, "--setup", &text(&json), "--overwrite", "--out", &text(&again)];
    let (_, err) = yuremono(&args);
    let told = "a.json#/setup/systems/0/extras/kawaii/constraints/3/bones/1: there is no node \"Nobody\" here";
    assert!(err.contains(told), "{err}");
    let (out, _) = yuremono(&["apply", &text(&json), "--to", SAMPLE, "--min-matched", "0"]);
    assert!(out.contains(told), "also where nothing is written: {out}");
}
