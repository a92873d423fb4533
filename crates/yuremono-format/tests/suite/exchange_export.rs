//! Tests that an export by name matches the document: values, nodes, colliders and losses.

use crate::support::formats::{CSV, PARAMETERS};
use crate::support::{self, random_documents};
use glam::Affine3A;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_model::document::{
    ByName, Chain, ChainId, ChainPart, ChainValue, Collider, Document, FlipAxis, Force, ForceId, Helper, HelperId,
    HelperRole, HighLeg, Joint, JointEntry, Node, NodeRef, Passthrough, ReplacedProperties, SetupEntry, Tip,
};
use yuremono_model::exchange::{
    ExportLoss, ExportOptions, ExportResult, FileSection, SetupFile, SetupLayout, export, setup_by_name,
};
use yuremono_model::feel::convert::convert_chains;
use yuremono_model::tools::elements::node_name;
use yuremono_sim::math::{Curve, CurveShape, Trs};
use yuremono_sim::params::{ParamScope, enumerate_params, find_param};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::{ColliderShape, ForceKind, SolverKind};

fn both_axes() -> [FlipAxis; 2] {
    [FlipAxis::X, FlipAxis::Z]
}

fn entries_of(file: &SetupFile, section: FileSection) -> Vec<&SetupEntry> {
    file.usable_entries(section).map(|(.., item)| item).collect()
}

fn entry_names(file: &SetupFile, section: FileSection) -> Vec<&str> {
    file.usable_entries(section).map(|(_, item, _)| item.name.as_str()).collect()
}

fn name_of_ref(node: &NodeRef) -> &str {
    match node {
        NodeRef::Named(name) => name,
        NodeRef::Inline(helper) => panic!("a row refers to \"{}\" by more than its name", helper.name),
    }
}

/// Returns the solver whose chains a single-solver format exports.
fn exported_solver(document: &Document, options: ExportOptions) -> SolverKind {
    let has = |solver: &SolverKind| document.systems.values().any(|system| system.solver == *solver);
    options.solver.filter(has).unwrap_or(document.main_system().solver)
}

/// The rest poses of bones and helpers in world space.
struct RestWorld<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
}

impl RestWorld<'_> {
    fn world_matrix(&self, node: Node) -> Affine3A {
        let (parent, local) = match node {
            Node::Bone(bone) => (self.skeleton.get_parent(bone).map(Node::Bone), self.skeleton.bone(bone).rest),
            Node::Helper(id) => (Some(self.document.helpers[&id].parent), self.document.helpers[&id].local),
        };
        parent.map_or(Affine3A::IDENTITY, |parent| self.world_matrix(parent)) * local.to_affine()
    }

    /// Whether a table can name the node: a bone, or a helper with its own row.
    fn is_named_in_table(&self, node: Node) -> bool {
        match node {
            Node::Bone(_) => true,
            Node::Helper(id) => self.document.helpers[&id].role == HelperRole::Null,
        }
    }

    /// Returns the nearest ancestor that a table can name.
    fn parent_in_table(&self, node: Node) -> Node {
        let mut parent = self.parent(node);
        while !self.is_named_in_table(parent) {
            parent = self.parent(parent);
        }
        parent
    }

    fn parent(&self, node: Node) -> Node {
        match node {
            Node::Bone(bone) => Node::Bone(self.skeleton.get_parent(bone).expect("a bone with a parent")),
            Node::Helper(id) => self.document.helpers[&id].parent,
        }
    }

    fn name(&self, node: Node) -> &str {
        node_name(self.document, self.skeleton, node)
    }

    /// Checks that a row gives its node the transform of `node`, relative to the parent that the row names.
    #[track_caller]
    fn check_transform(&self, row: &Helper<ByName>, node: Node, parent: Node) {
        assert_eq!(name_of_ref(&row.parent), self.name(parent), "parent of {}", row.name);
        let (ours, expected) = (self.world_matrix(parent) * row.local.to_affine(), self.world_matrix(node));
        let size = expected.to_cols_array().into_iter().fold(1.0_f32, |most, value| most.max(value.abs()));
        assert!(ours.abs_diff_eq(expected, 1e-4 * size), "{}: {ours:?}, not {expected:?}", row.name);
    }
}

/// Returns bones in depth-first order, parents before children.
fn bones_depth_first(skeleton: &Skeleton) -> Vec<BoneId> {
    fn visit(skeleton: &Skeleton, bone: BoneId, all: &mut Vec<BoneId>) {
        all.push(bone);
        skeleton.children(bone).iter().for_each(|child| visit(skeleton, *child, all));
    }
    let mut all = Vec::new();
    skeleton.roots().for_each(|root| visit(skeleton, root, &mut all));
    all
}

/// Returns the position of a shape in the collider order of the Unity CSV. Unsupported shapes are last.
fn shape_order(shape: &ColliderShape) -> usize {
    match shape {
        ColliderShape::Sphere { inside: false, .. } => 0,
        ColliderShape::Capsule { inside: false, .. } => 1,
        ColliderShape::Panel { .. } => 2,
        _ => 3,
    }
}

/// Checks that the joint rows are the joints of the solver's chains, depth first, with the values that the solver
/// receives.
fn check_joints(world: &RestWorld<'_>, file: &SetupFile, options: ExportOptions) {
    let (document, skeleton) = (world.document, world.skeleton);
    let solver = exported_solver(document, options);
    let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    let mut expected = BTreeMap::new();
    for (_, chain) in document.chains_with_solver(solver) {
        let places = document.curve_positions_in_pose(chain, &rest, skeleton);
        for (at, joint) in chain.joints.iter().enumerate() {
            expected.insert(joint.bone, (chain, at, places[at]));
        }
    }
    let order = bones_depth_first(skeleton).into_iter().filter(|bone| expected.contains_key(bone));
    let joints = entries_of(file, FileSection::Joints);
    assert_eq!(joints.len(), expected.len());
    for (item, bone) in joints.into_iter().zip(order) {
        let SetupEntry::Joint(JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint }) = item else {
            panic!("{item:?} is not the row of a joint");
        };
        assert_eq!(joint.bone, skeleton.name(bone));
        let (chain, at, place) = expected[&bone];
        check_joint(world, joint, (chain, at, place), options);
    }
}

fn check_joint(
    world: &RestWorld<'_>,
    joint: &Joint<ByName>,
    (chain, at, place): (&Chain, usize, f32),
    options: ExportOptions,
) {
    let (document, source) = (world.document, &chain.joints[at]);
    let info = document.solver_of(chain).info();
    let own = enumerate_params(info.params).filter(|(_, def)| def.scope == ParamScope::Joint && !def.extension);
    let own: Vec<_> =
        own.map(|(param, def)| (def.name.to_owned(), chain.joint_value(at, param, place).to_bits())).collect();
    let ours = joint.overrides.iter().map(|(name, value)| (name.clone(), value.0.to_bits()));
    assert_eq!(ours.collect::<BTreeMap<_, _>>(), own.into_iter().collect(), "{}", joint.bone);
    let parent = || world.skeleton.get_parent(source.bone).map(Node::Bone);
    let pivot = source.pivot.or_else(|| if options.allow_empty_pivots { None } else { parent() });
    let pivot = pivot.filter(|_| info.uses_pivots).map(|node| world.name(node));
    assert_eq!(joint.pivot.as_ref().map(name_of_ref), pivot, "{}", joint.bone);
    let targets = source.length_targets.iter().filter(|_| info.uses_pivots).map(|target| world.name(target.node));
    assert!(joint.length_targets.iter().map(|target| name_of_ref(&target.node)).eq(targets), "{}", joint.bone);
    let colliders = document.colliders_of(chain, source).map(|id| &document.colliders[&id]);
    let mut colliders: Vec<&Collider> = colliders.filter(|collider| info.supports_shape(&collider.shape)).collect();
    if info.uses_pivots {
        colliders.sort_by_key(|collider| shape_order(&collider.shape));
    }
    let mut names: Vec<&str> = Vec::new();
    for collider in colliders {
        if !names.contains(&collider.name.as_str()) {
            names.push(&collider.name);
        }
    }
    assert_eq!(joint.colliders, names, "{}", joint.bone);
}

/// Checks that pivots, plain nodes and leg follower nodes have the same transforms as in the document.
fn check_nodes(world: &RestWorld<'_>, file: &SetupFile, options: ExportOptions) {
    let document = world.document;
    let helpers: BTreeMap<&str, HelperId> = document.helpers.iter().map(|(id, h)| (h.name.as_str(), *id)).collect();
    assert_eq!(helpers.len(), document.helpers.len(), "names of helpers differ");
    let solver = exported_solver(document, options);
    let joints = document.chains_with_solver(solver).flat_map(|(_, chain)| &chain.joints);
    let pivots = joints.filter(|_| solver.info().uses_pivots).filter_map(|joint| match joint.pivot? {
        Node::Helper(id) => Some(id),
        Node::Bone(_) => None,
    });
    let pivots: BTreeSet<HelperId> = pivots.collect();
    assert_eq!(entries_of(file, FileSection::Pivots).len(), pivots.len());
    for item in entries_of(file, FileSection::Pivots) {
        let SetupEntry::Helper(row @ Helper { name, local, role: HelperRole::Pivot, .. }) = item else {
            panic!("{item:?} is not a pivot");
        };
        assert_eq!(Trs { rotation: local.rotation, ..Trs::IDENTITY }, *local, "a pivot has only a rotation");
        let node = Node::Helper(helpers[name.as_str()]);
        assert!(pivots.contains(&helpers[name.as_str()]), "no joint refers to {name}");
        let parent = world.parent_in_table(node);
        assert_eq!(name_of_ref(&row.parent), world.name(parent));
        let turn = |matrix: Affine3A| matrix.to_scale_rotation_translation().1;
        let ours = turn(world.world_matrix(parent)) * local.rotation;
        assert!(ours.angle_between(turn(world.world_matrix(node))).to_degrees() < 0.1, "{name}");
    }
    let nodes = entries_of(file, FileSection::Nodes);
    let bare = document.helpers.values().filter(|helper| helper.role == HelperRole::Null);
    assert!(bare.map(|helper| helper.name.as_str()).all(|name| entry_names(file, FileSection::Nodes).contains(&name)));
    for item in nodes {
        let SetupEntry::Helper(row @ Helper { role: HelperRole::Null, .. }) = item else {
            panic!("{item:?} is not a bare node");
        };
        let node = Node::Helper(helpers[row.name.as_str()]);
        world.check_transform(row, node, world.parent_in_table(node));
    }
    let expected: BTreeSet<Vec<&str>> = document
        .high_legs
        .values()
        .map(|leg| {
            let nodes = [leg.node, leg.hip].into_iter().chain(leg.legs.iter().flatten().copied());
            nodes.map(|node| world.name(node)).collect()
        })
        .collect();
    let found: BTreeSet<Vec<&str>> = entries_of(file, FileSection::HighLegs)
        .into_iter()
        .map(|item| {
            let SetupEntry::HighLeg(HighLeg { node, hip, legs }) = item else { panic!("{item:?} is not a high leg") };
            [node, hip].into_iter().chain(legs.iter().flatten()).map(name_of_ref).collect()
        })
        .collect();
    assert_eq!(found, expected);
}

/// Checks the colliders that the solver and the format support: their order by shape and their transforms.
fn check_colliders(world: &RestWorld<'_>, file: &SetupFile, options: ExportOptions) {
    let info = exported_solver(world.document, options).info();
    let is_held =
        |collider: &&Collider| info.supports_shape(&collider.shape) && (options.format.stores_shape)(&collider.shape);
    let held: BTreeMap<&str, &Collider> =
        world.document.colliders.values().filter(is_held).map(|c| (c.name.as_str(), c)).collect();
    let rows = entries_of(file, FileSection::Colliders);
    assert_eq!(rows.len(), world.document.colliders.values().filter(is_held).count());
    let mut ranks = Vec::new();
    for item in rows {
        let SetupEntry::Collider(Collider {
            name,
            node,
            shape,
            enabled: true,
            mesh_name: renderer,
            source_index: None,
        }) = item
        else {
            panic!("{item:?} is not a collider of a table");
        };
        let source = held[name.as_str()];
        assert_eq!((shape, renderer), (&source.shape, &source.mesh_name), "{name}");
        let NodeRef::Inline(helper) = node else { panic!("{name} has no place") };
        assert_eq!((name, helper.role), (&helper.name, HelperRole::Plain));
        // A bone with the collider's name becomes the collider's node. Any other bone becomes the parent of a new node.
        let is_its_node = |node: Node| matches!(node, Node::Helper(_)) || world.name(node) == name;
        let parent = if is_its_node(source.node) { world.parent_in_table(source.node) } else { source.node };
        world.check_transform(helper, source.node, parent);
        ranks.push(shape_order(shape));
    }
    assert!(ranks.is_sorted(), "{ranks:?}");
}

/// Returns the expected losses of chains, joints and colliders in a table, as sorted messages.
fn expected_losses(document: &Document, skeleton: &Skeleton, options: ExportOptions) -> Vec<String> {
    let solver = exported_solver(document, options);
    let mut all = Vec::new();
    for (_, chain) in document.chains_with_solver(solver) {
        let name = || chain.name.clone();
        let has_curve = chain.values.iter().any(|value| value.curve.is_some() || value.around.is_some());
        all.extend((has_curve && options.format == CSV).then(|| ExportLoss::Curves(name())));
        all.extend((!chain.groups.is_empty()).then(|| ExportLoss::Groups(name())));
        all.extend(chain.center.map(|_| ExportLoss::Center(name())));
        for joint in &chain.joints {
            let bone = || skeleton.name(joint.bone).to_owned();
            all.extend((!joint.enabled).then(|| ExportLoss::JointDisabled(bone())));
            all.extend(joint.animated.then(|| ExportLoss::AnimatedFlag(bone())));
            all.extend(joint.limit.map(|_| ExportLoss::SwingLimit(bone())));
            all.extend(matches!(joint.tip, Tip::Offset(_)).then(|| ExportLoss::OffsetTip(bone())));
            let is_held = joint.length_targets.iter().any(|target| target.constant.is_some());
            all.extend(is_held.then(|| ExportLoss::LengthConstant(bone())));
        }
    }
    for collider in document.colliders.values() {
        let name = || collider.name.clone();
        all.extend((!collider.enabled).then(|| ExportLoss::DisabledCollider(name())));
        let is_held = solver.info().supports_shape(&collider.shape) && (options.format.stores_shape)(&collider.shape);
        all.extend((!is_held).then(|| ExportLoss::UnsupportedShape(name())));
    }
    all.extend((!document.excluded_bones.is_empty()).then(|| ExportLoss::ExcludedBones(document.excluded_bones.len())));
    all.extend(document.forces.values().map(|force| ExportLoss::Force(force.name.clone())));
    all.extend(document.hidden_meshes.iter().cloned().map(ExportLoss::HiddenMesh));
    let others = document.used_solvers().into_iter().filter(|other| *other != solver);
    let others =
        others.map(|other| (other, document.chains_with_solver(other).count())).filter(|(_, count)| *count > 0);
    all.extend(others.map(|(other, count)| ExportLoss::ChainsOfOtherSolver(other, count)));
    sorted_debug_texts(&all)
}

/// Returns the actual losses of an export, as sorted messages of the same kinds.
fn checked_losses(losses: &[ExportLoss]) -> Vec<String> {
    let is_checked = |loss: &&ExportLoss| {
        matches!(
            loss,
            ExportLoss::Curves(_)
                | ExportLoss::Groups(_)
                | ExportLoss::Center(_)
                | ExportLoss::JointDisabled(_)
                | ExportLoss::AnimatedFlag(_)
                | ExportLoss::SwingLimit(_)
                | ExportLoss::OffsetTip(_)
                | ExportLoss::LengthConstant(_)
                | ExportLoss::DisabledCollider(_)
                | ExportLoss::UnsupportedShape(_)
                | ExportLoss::ExcludedBones(_)
                | ExportLoss::Force(_)
                | ExportLoss::HiddenMesh(_)
                | ExportLoss::ChainsOfOtherSolver(..)
        )
    };
    sorted_debug_texts(&losses.iter().filter(is_checked).cloned().collect::<Vec<_>>())
}

fn sorted_debug_texts(losses: &[ExportLoss]) -> Vec<String> {
    let mut all: Vec<String> = losses.iter().map(|loss| format!("{loss:?}")).collect();
    all.sort();
    all
}

/// Exports a document without passthrough data, compares the export with the document, and returns the export.
fn check_export(document: &Document, skeleton: &Skeleton, options: ExportOptions) -> ExportResult {
    let new = export(document, skeleton, options);
    let solvers: Vec<_> = new.file.systems.iter().map(|system| system.solver).collect();
    assert_eq!(solvers, [exported_solver(document, options)]);
    let world = RestWorld { document, skeleton };
    check_colliders(&world, &new.file, options);
    if options.format == CSV {
        check_joints(&world, &new.file, options);
        check_nodes(&world, &new.file, options);
    }
    assert_eq!(checked_losses(&new.losses), expected_losses(document, skeleton, options));
    new
}

#[test]
fn exported_rows_equal_the_elements_of_the_sample_for_every_solver() {
    for solver in SolverKind::ALL.iter().copied() {
        let opened = support::sample(solver);
        for axis in both_axes() {
            let new = check_export(
                &opened.document,
                &opened.character.skeleton,
                ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(axis),
            );
            assert!(entry_names(&new.file, FileSection::Joints).len() > 100, "{}", solver.key());
            assert!(!new.losses.iter().any(|loss| matches!(loss, ExportLoss::UnresolvableName(_))), "{}", solver.key());
        }
    }
}

#[test]
fn tree_formats_export_colliders_and_every_system_value() {
    for format in yuremono_format::FORMATS.iter().copied().filter(|format| format.layout == SetupLayout::ChainTrees) {
        let solver = format.solver.expect("a format that lists roots belongs to one solver");
        let opened = support::sample(solver);
        let options = ExportOptions::new(format);
        let new = check_export(&opened.document, &opened.character.skeleton, options);
        assert!(entry_names(&new.file, FileSection::Joints).is_empty());
        let Some(SetupEntry::System(system)) = entries_of(&new.file, FileSection::Other).into_iter().next() else {
            panic!("{} has no component", format.key);
        };
        let all = enumerate_params(solver.info().params).filter(|(_, def)| def.scope == ParamScope::System).count();
        assert_eq!((system.solver, system.values.len()), (solver, all));
        let has_nodes =
            entries_of(&new.file, FileSection::Other).iter().any(|item| matches!(item, SetupEntry::ComponentNodes(_)));
        assert_eq!(has_nodes, !format.single_node_lists.is_empty());
    }
}

#[test]
fn a_json_export_contains_every_entry_of_the_sample() {
    for solver in SolverKind::ALL.iter().copied() {
        let opened = support::sample(solver);
        let (document, skeleton) = (&opened.document, &opened.character.skeleton);
        let ExportResult { file, losses } = export(document, skeleton, ExportOptions::new(PARAMETERS));
        assert_eq!(losses, []);
        let setup = setup_by_name(document, skeleton);
        let mut chains: Vec<_> = setup.chains.values().collect();
        chains.sort_by_key(|chain| chain.system);
        let mut joints = chains.into_iter().flat_map(|chain| &chain.joints);
        for item in entries_of(&file, FileSection::Joints) {
            let SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Full, chain: Some(_), joint }) = item else {
                panic!("{item:?} is not a whole joint");
            };
            assert_eq!(Some(joint), joints.next());
        }
        assert_eq!(joints.next(), None);
        let count =
            |is: fn(&SetupEntry) -> bool| file.entries.iter().filter(|i| i.content.as_ref().is_ok_and(is)).count();
        assert_eq!(count(|item| matches!(item, SetupEntry::Chain(_))), document.chains.len());
        assert_eq!(count(|item| matches!(item, SetupEntry::Helper(_))), document.helpers.len());
        assert_eq!(count(|item| matches!(item, SetupEntry::Collider(_))), document.colliders.len());
        assert_eq!(count(|item| matches!(item, SetupEntry::Group(..))), document.groups.len());
        assert_eq!(count(|item| matches!(item, SetupEntry::Material(..))), document.materials.len());
        assert_eq!(file.systems.len(), document.systems.len());
    }
}

#[test]
fn passthrough_is_exported_unless_the_document_has_the_same_name() {
    let opened = support::sample(SolverKind::UnityChanSpringBone);
    let (mut document, skeleton) = (opened.document, opened.character.skeleton.clone());
    let options = ExportOptions::new(DEFAULT_FORMAT);
    let first = export(&document, &skeleton, options);
    let (joint, collider) =
        (entry_names(&first.file, FileSection::Joints)[0], entry_names(&first.file, FileSection::Colliders)[0]);
    let row =
        |section: &str, name: &str| Passthrough::CsvRow { section: section.to_owned(), cells: vec![name.to_owned()] };
    let item = |solver, name: &str| Passthrough::Entry {
        solver,
        entry: Box::new(SetupEntry::DisabledCollider(name.to_owned())),
    };
    let ours = SolverKind::UnityChanSpringBone;
    let gone = [row("[SpringBones]", joint), row("[colliders]", collider)];
    let written = [row("[SpringBones]", "other hair"), row("[Notes]", collider), item(ours, "other ball")];
    let references = Passthrough::References {
        bone: joint.to_owned(),
        pivot: String::new(),
        length_targets: vec!["other bone".to_owned()],
        colliders: vec!["other ball".to_owned()],
    };
    document.setup.passthrough = gone.into_iter().chain(written.clone()).chain([references]).collect();
    let ExportResult { file, losses } = export(&document, &skeleton, options);
    assert_eq!(file.passthrough, written);
    assert_eq!(losses.last(), Some(&ExportLoss::PassthroughRows(2)));
    let Some(SetupEntry::Joint(first)) = entries_of(&file, FileSection::Joints).into_iter().next() else {
        panic!("a joint")
    };
    assert_eq!(first.joint.colliders.last().map(String::as_str), Some("other ball"));
    assert_eq!(first.joint.length_targets.last().map(|target| name_of_ref(&target.node)), Some("other bone"));
    let without = ExportOptions { write_joints: false, write_comment_rows: false, ..options };
    assert_eq!(export(&document, &skeleton, without).file.passthrough, [row("[Notes]", collider)]);
    let json = export(&document, &skeleton, options.for_format(PARAMETERS)).file;
    assert_eq!(json.passthrough.len(), 4, "JSON keeps references too");
}

#[test]
fn groups_are_exported_as_comment_rows() {
    let opened = support::sample(SolverKind::Vrm);
    let (document, skeleton) = (opened.document, opened.character.skeleton.clone());
    let options = ExportOptions::new(DEFAULT_FORMAT);
    let with = export(&document, &skeleton, options).file;
    let groups =
        entries_of(&with, FileSection::Other).into_iter().filter(|item| matches!(item, SetupEntry::Group(..))).count();
    assert_eq!(groups, document.groups.len());
    let named = entries_of(&with, FileSection::Other).into_iter().filter_map(|item| match item {
        SetupEntry::Chain(chain) => Some(chain.chain.groups.len()),
        _ => None,
    });
    assert_eq!(named.sum::<usize>(), document.chains.values().map(|chain| chain.groups.len()).sum::<usize>());
    let without = export(&document, &skeleton, ExportOptions { write_comment_rows: false, ..options }).file;
    assert!(entries_of(&without, FileSection::Other).is_empty());
    assert_eq!(entry_names(&without, FileSection::Joints), entry_names(&with, FileSection::Joints));
}

#[test]
fn a_csv_of_one_solver_omits_the_chains_of_other_solvers() {
    let opened = support::sample(SolverKind::Vrm);
    let half = opened.document.chains.keys().copied().filter(|id| id.0 % 2 == 0).collect();
    let mixed = convert_chains(&opened.document, &opened.character, &half, SolverKind::UnityChanSpringBone).after;
    for solver in [None, Some(SolverKind::Vrm), Some(SolverKind::UnityChanSpringBone)] {
        check_export(
            &mixed,
            &opened.character.skeleton,
            ExportOptions { solver, ..ExportOptions::new(DEFAULT_FORMAT) },
        );
    }
    let absent = ExportOptions { solver: Some(SolverKind::Hinge), ..ExportOptions::new(DEFAULT_FORMAT) };
    let first = export(&mixed, &opened.character.skeleton, absent).file;
    assert_eq!(first, export(&mixed, &opened.character.skeleton, ExportOptions::new(DEFAULT_FORMAT)).file);
    let json = ExportOptions::new(PARAMETERS);
    let all = export(&mixed, &opened.character.skeleton, json);
    assert_eq!((all.file.systems.len(), all.losses.len()), (2, 0));
    let solver = Some(SolverKind::UnityChanSpringBone);
    let one = export(&mixed, &opened.character.skeleton, ExportOptions { solver, ..json });
    assert_eq!(one.file.systems.len(), 1);
    assert_eq!(
        one.losses,
        [ExportLoss::ChainsOfOtherSolver(SolverKind::Vrm, mixed.chains.len() - unitychan_chain_count(&mixed))]
    );
}

/// Returns the number of chains that the Unity CSV can store.
fn unitychan_chain_count(document: &Document) -> usize {
    document.chains_with_solver(SolverKind::UnityChanSpringBone).count()
}

#[test]
fn comment_rows_contain_values_that_are_not_in_joint_rows() {
    let skeleton = random_documents::plain_skeleton();
    let mut document = Document::with_solver(SolverKind::UnityChanSpringBone);
    let table = document.main_system().param_defs();
    let [stiffness, drag, radius] = ["stiffnessForce", "dragForce", "radius"].map(|name| find_param(table, name));
    let [stiffness, drag, radius] = [stiffness, drag, radius].map(|row| row.expect("a parameter"));
    let mut chain =
        Chain::new("bone 2", ChainPart::default(), table, [2, 3, 4].map(|n| Joint::new(BoneId(n))).to_vec());
    chain.values[stiffness.index()] = ChainValue::new(9.0, Some(Curve::from_shape(CurveShape::Flat)));
    chain.values[drag.index()].base = 0.25;
    chain.values[radius.index()].base = 0.5;
    for joint in &mut chain.joints {
        joint.overrides.insert(drag, 0.75);
    }
    chain.joints[1].enabled = false;
    chain.center = Some(Node::Helper(HelperId(1)));
    document.chains.insert(ChainId(1), chain);
    let helper = |name: &str| Helper {
        name: name.to_owned(),
        parent: Node::Bone(BoneId(1)),
        local: Trs::IDENTITY,
        role: HelperRole::Plain,
    };
    document.helpers.insert(HelperId(1), helper("center"));
    document.helpers.insert(HelperId(2), helper("fan"));
    let (node, kind) = (Node::Helper(HelperId(2)), ForceKind::ALL[0]);
    document.forces.insert(ForceId(1), Force { name: "wind".to_owned(), node, kind, enabled: true });
    let file = check_export(&document, &skeleton, ExportOptions::new(DEFAULT_FORMAT)).file;
    let others = entries_of(&file, FileSection::Other);
    let [SetupEntry::Chain(chain), SetupEntry::Joint(off), SetupEntry::Force(force)] = others.as_slice() else {
        panic!("{others:?}");
    };
    let values: Vec<&str> = chain.chain.values.keys().map(String::as_str).collect();
    assert_eq!(values, ["dragForce", "stiffnessForce"], "the joint rows contain the radius");
    assert_eq!(chain.chain.center, Some(NodeRef::from("center")), "the center has a row");
    assert_eq!(off.joint, Joint { enabled: false, ..Joint::new("bone 3".to_owned()) });
    assert_eq!(off.scope, ReplacedProperties::Details);
    assert!(matches!(&force.node, NodeRef::Inline(helper) if helper.name == "fan"), "the node has no row");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(support::cases(100)))]

    #[test]
    fn exported_rows_equal_the_elements_of_any_document(
        dice in random_documents::any_edit_seeds(40),
        solver in prop::sample::select(SolverKind::ALL.to_vec()),
        axis in prop::sample::select(both_axes().to_vec()),
        empty_pivots in any::<bool>(),
    ) {
        let skeleton = random_documents::plain_skeleton();
        let mut document = random_documents::edited_document_with_solver(solver, &dice, &skeleton);
        document.setup.passthrough.clear();
        check_export(&document, &skeleton, ExportOptions { allow_empty_pivots: empty_pivots, ..ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(axis) });
        let json = ExportOptions::new(PARAMETERS);
        let file = export(&document, &skeleton, json).file;
        let joints: usize = document.chains.values().map(|chain| chain.joints.len()).sum();
        let lost = document.chains.values().flat_map(|c| &c.joints).filter(|j| j.bone.index() >= skeleton.len()).count();
        prop_assert_eq!(entries_of(&file, FileSection::Joints).len(), joints - lost);
    }
}
