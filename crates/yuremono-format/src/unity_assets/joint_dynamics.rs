//! Reads the components of `SPCRJointDynamics`.

use super::objects::{Component, reference};
use super::scripts::{Components, Script};
use super::setup_reader::{NamedLists, SetupReader, new_chain, own_name};
use super::yaml::Yaml;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{ByName, Chain, ChainValue, CurveDomain, Joint, NodeRef, System, Tip};
use yuremono_sim::math::{Curve, CurveKey, Interpolation, JsonNumber, Trs};
use yuremono_sim::params::{ParamFields, ParamScope, enumerate_params};
use yuremono_sim::solver::joint_dynamics::DEFAULT_CURVES;
use yuremono_sim::{ColliderShape, Grabber, JointDynamicsCollider, JointDynamicsPoint, JointDynamicsSetup, SolverKind};

pub(super) fn read(reader: &mut SetupReader<'_>, components: &Components<'_>) {
    let mut frictions = BTreeMap::new();
    for component in components.of(&[Script::JointDynamicsCollider]) {
        if let Some(name) = add_collider(reader, component) {
            let mut values = JointDynamicsCollider::default();
            set_fields(&mut values, component.body);
            frictions.insert(name, values);
        }
    }
    let points = PointTree::new(reader, components);
    let mut networks = NetworkReader { reader, components, points, frictions };
    for controller in components.of(&[Script::JointDynamicsController]) {
        networks.read_controller(controller);
    }
}

/// Sets the numbers of a table from the fields with their names.
fn set_fields(values: &mut impl ParamFields, body: &Yaml) {
    for (at, def) in values.table().iter().enumerate() {
        if let Some(number) = body.number(def.name).filter(|number| number.is_finite()) {
            values.set_field(at, number as f32);
        }
    }
}

/// Adds a collider, which is centred on its node and extends along +Y.
fn add_collider(reader: &mut SetupReader<'_>, component: &Component<'_>) -> Option<String> {
    let mut number = |field, otherwise| reader.number(component, component.body, field, otherwise);
    let (radius, height) = (number("_Radius", 0.05), number("_Height", 0.0));
    let tail_radius = radius * number("_RadiusTailScale", 1.0);
    let inside = number("_IsInverseCollider", 0.0) != 0.0;
    let shape = match (height > 0.0, tail_radius == radius) {
        (false, _) => ColliderShape::Sphere { radius, inside },
        (true, true) => ColliderShape::Capsule { radius, height, inside },
        (true, false) => ColliderShape::TaperedCapsule { radius, tail_radius, height, inside },
    };
    let offset = Trs::from_translation(Vec3::new(0.0, -0.5 * height.max(0.0), 0.0));
    reader.add_collider(component, &[component.id], offset, shape, 0)
}

/// The points of all networks.
struct PointTree<'c> {
    points: BTreeMap<i64, &'c Component<'c>>,
    children: BTreeMap<i64, Vec<i64>>,
}

impl<'c> PointTree<'c> {
    fn new(reader: &SetupReader<'_>, components: &'c Components<'c>) -> Self {
        let points: BTreeMap<i64, &Component<'_>> =
            components.of(&[Script::JointDynamicsPoint]).map(|point| (point.id, point)).collect();
        let by_node: BTreeMap<i64, i64> = points.iter().map(|(id, point)| (point.node, *id)).collect();
        let linked = |point: &Component<'_>, field| point.body.get(field).map(reference).filter(|id| *id != 0);
        let by_child: BTreeMap<i64, i64> =
            points.iter().filter_map(|(id, point)| Some((linked(point, "_RefChildPoint")?, *id))).collect();
        let mut children: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (id, point) in &points {
            // Older versions store only the link to the child.
            let named = linked(point, "_RefParentPoint").or_else(|| by_child.get(id).copied());
            let named = named.filter(|id| points.contains_key(id));
            let above = || reader.objects.ancestors(point.node).find_map(|node| by_node.get(&node).copied());
            if let Some(parent) = named.or_else(above) {
                children.entry(parent).or_default().push(*id);
            }
        }
        Self { points, children }
    }

    /// The points of a column, parents first. `seen` has the points of other columns, which are left out.
    fn column(&self, root: i64, seen: &mut BTreeSet<i64>) -> Vec<PointAtDepth<'c>> {
        let mut column = Vec::new();
        let mut open = vec![(root, 0)];
        while let Some((id, depth)) = open.pop() {
            let Some(point) = self.points.get(&id).filter(|_| seen.insert(id)) else { continue };
            let children = self.children.get(&id);
            column.push(PointAtDepth { point, depth, is_last: children.is_none() });
            open.extend(children.into_iter().flatten().rev().map(|child| (*child, depth + 1)));
        }
        column
    }
}

/// A point of a column.
#[derive(Clone, Copy)]
struct PointAtDepth<'c> {
    point: &'c Component<'c>,
    depth: usize,
    /// Whether no point is below it.
    is_last: bool,
}

/// What the columns of a network have in common.
struct Network<'n, 'c> {
    controller: &'n Component<'c>,
    system: usize,
    /// The values of all points, with curves over the depth of the deepest column.
    values: BTreeMap<String, ChainValue>,
    deepest: usize,
    colliders: Vec<String>,
}

struct NetworkReader<'r, 'a, 'c> {
    reader: &'r mut SetupReader<'a>,
    components: &'c Components<'c>,
    points: PointTree<'c>,
    frictions: BTreeMap<String, JointDynamicsCollider>,
}

impl NetworkReader<'_, '_, '_> {
    fn read_controller(&mut self, controller: &Component<'_>) {
        let body = controller.body;
        let mut seen = BTreeSet::new();
        let roots = body.references("_RootPointTbl").into_iter();
        let columns: Vec<_> =
            roots.map(|root| self.points.column(root, &mut seen)).filter(|column| !column.is_empty()).collect();
        if columns.is_empty() {
            return self.reader.warn_without_root(controller);
        }
        self.reader.warn_if_off(controller);
        let colliders = self.reader.colliders_at(body, "_ColliderTbl");
        let component_lists = NamedLists::JointDynamics(self.lists(controller, &columns, &colliders));
        let reader = &mut *self.reader;
        let own_name_of = body.text("Name").filter(|name| !name.is_empty()).map(str::to_owned);
        let root = body.get("_RootTransform").and_then(|field| reader.objects.node_of(reference(field)));
        let bone = root.and_then(|root| reader.bone_at_or_above(root));
        let system = System {
            name: own_name_of.unwrap_or_else(|| reader.name_of(controller)),
            solver: SolverKind::JointDynamics,
            values: reader.values(controller, SolverKind::JointDynamics, ParamScope::System, &[], &own_name),
            component: bone.and_then(|bone| reader.node_ref_of(bone)),
            component_lists,
        };
        let Some(system) = reader.add_system(controller, system) else { return };
        let deepest = columns.iter().flatten().map(|point| point.depth).max().unwrap_or(0);
        let network = Network { controller, system, values: curves(reader, controller), deepest, colliders };
        for column in &columns {
            self.add_column(&network, column);
        }
    }

    fn lists(
        &self,
        controller: &Component<'_>,
        columns: &[Vec<PointAtDepth<'_>>],
        colliders: &[String],
    ) -> JointDynamicsSetup<
        NodeRef,
        BTreeMap<String, JointDynamicsPoint<NodeRef>>,
        BTreeMap<String, JointDynamicsCollider>,
    > {
        let (reader, body) = (&*self.reader, controller.body);
        let named = |point: &Component<'_>| NodeRef::Named(reader.name_of(point));
        let friction = |name: &String| Some((name.clone(), *self.frictions.get(name)?));
        let planes = body.get("_PlaneLimitterTbl").map_or(&[][..], Yaml::items);
        let wanted: BTreeSet<i64> = body.references("_PointGrabberTbl").into_iter().collect();
        let grabbers = self.components.of(&[Script::JointDynamicsGrabber]).filter(|one| wanted.contains(&one.id));
        let grabber = |grabber: &Component<'_>| {
            let bone = reader.node_ref_of(grabber.node)?;
            let mut values = Grabber { bone, radius: 0.05, force: 0.5, enabled: true };
            set_fields(&mut values, grabber.body);
            values.enabled = grabber.body.number("_IsEnabled") != Some(0.0) && reader.objects.is_on(grabber);
            Some(values)
        };
        let point = |point: &Component<'_>| {
            let mut values = JointDynamicsPoint::default();
            set_fields(&mut values, point.body);
            values.fixed = point.body.number("_IsFixed").map(|fixed| fixed != 0.0);
            let aim = point.body.get("_ForceChildPoint").and_then(|field| self.points.points.get(&reference(field)));
            values.aim_child = aim.map(|aim| named(aim));
            (reader.name_of(point), values)
        };
        JointDynamicsSetup {
            roots: columns.iter().map(|column| named(column[0].point)).collect(),
            points: columns.iter().flatten().map(|one| point(one.point)).collect(),
            colliders: colliders.iter().filter_map(friction).collect(),
            grabbers: grabbers.filter_map(grabber).collect(),
            planes: planes.iter().filter_map(|plane| reader.node_ref(plane)).collect(),
        }
    }

    fn add_column(&mut self, network: &Network<'_, '_>, column: &[PointAtDepth<'_>]) {
        let is_deepest = column.iter().any(|point| point.depth == network.deepest);
        let mut joints: Vec<Joint<ByName>> = Vec::new();
        for PointAtDepth { point, depth, is_last } in column {
            let mut joint = Joint::new(self.reader.name_of(point));
            joint.colliders.clone_from(&network.colliders);
            let has_bones_below = self.reader.objects.node(point.node).is_some_and(|node| node.has_children);
            if *is_last && has_bones_below {
                // The last point of a column has no end below it.
                joint.tip = Tip::Offset(Vec3::ZERO);
            }
            if !is_deepest {
                let place = *depth as f32 / network.deepest as f32;
                let curved = network.values.iter().filter(|(_, value)| value.curve.is_some());
                joint.overrides = curved.map(|(name, value)| (name.clone(), JsonNumber(value.along(place)))).collect();
            }
            joints.push(joint);
        }
        let root = joints[0].bone.clone();
        let (values, curve_domain) = (network.values.clone(), CurveDomain::Depth);
        let chain = Chain { values, curve_domain, ..new_chain(&root, &root) };
        self.reader.add_whole_chain(network.controller, chain, joints, network.system);
    }
}

/// The values of all points: a number, a curve over depth, or a number with a curve of factors.
fn curves(reader: &mut SetupReader<'_>, controller: &Component<'_>) -> BTreeMap<String, ChainValue> {
    let defs = enumerate_params(SolverKind::JointDynamics.info().params)
        .filter(|(_, def)| def.scope == ParamScope::Joint && !def.extension);
    let mut values = BTreeMap::new();
    for (param, def) in defs {
        let is_curve = def.name.ends_with("Curve");
        let field = if is_curve { def.name.to_owned() } else { format!("{}ScaleCurve", def.name) };
        let number = if is_curve { Some(1.0) } else { reader.value(controller, def, def.name) };
        let is_absent = controller.body.get(&field).is_none() && (is_curve || number.is_none());
        let value = if is_absent {
            let ends = DEFAULT_CURVES.iter().find(|(of, _)| *of == param).map(|(_, ends)| ends);
            let keys = ends.map(|[start, end]| vec![CurveKey::flat(0.0, *start), CurveKey::flat(1.0, *end)]);
            let curve = keys.and_then(|keys| Curve::new(keys, Interpolation::Hermite));
            curve.map_or_else(|| ChainValue::constant(def.default), |curve| scaled(1.0, curve))
        } else {
            let number = number.unwrap_or(def.default);
            let curve = reader.curve(controller, controller.body, &field);
            curve.map_or_else(|| ChainValue::constant(number), |curve| scaled(number, curve))
        };
        values.insert(def.name.to_owned(), value);
    }
    values
}

/// A value whose curve has 1 as its largest value.
fn scaled(number: f32, curve: Curve) -> ChainValue {
    let most = curve
        .keys()
        .iter()
        .map(|key| key.value)
        .fold(0.0, |most: f32, value| if value.abs() > most.abs() { value } else { most });
    if most == 0.0 {
        return ChainValue::new(number, Some(curve));
    }
    let is_flat = |key: &CurveKey| key.value == most && key.slope_in == 0.0 && key.slope_out == 0.0;
    if curve.keys().iter().all(is_flat) {
        return ChainValue::constant(number * most);
    }
    let divided = |key: &CurveKey| CurveKey {
        t: key.t,
        value: key.value / most,
        slope_in: key.slope_in / most,
        slope_out: key.slope_out / most,
    };
    let keys = curve.keys().iter().map(divided).collect();
    ChainValue::new(number * most, Curve::new(keys, Interpolation::Hermite).or(Some(curve)))
}
