//! Reads the components of `SPCRJointDynamics`.

use super::objects::{Component, reference};
use super::scripts::{Components, Script};
use super::setup_reader::{NamedLists, SetupReader, new_chain, own_name};
use super::yaml::Yaml;
use glam::Vec3;
use std::collections::BTreeMap;
use yuremono_model::document::{ByName, Chain, ChainValue, CurveDomain, Joint, NodeRef, System, Tip};
use yuremono_sim::diagnostics::{excerpt, message};
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
    for controller in components.of(&[Script::JointDynamicsController]) {
        read_controller(reader, controller, components, &points, &frictions);
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
    let number = |key, otherwise| component.body.number(key).map_or(otherwise, |number| number as f32);
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

    /// The points of a column with their depths, parents first. A point occurs once.
    fn column(&self, root: i64) -> Vec<(i64, usize)> {
        let mut column = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut open = vec![(root, 0)];
        while let Some((id, depth)) = open.pop() {
            if self.points.contains_key(&id) && seen.insert(id) {
                column.push((id, depth));
                let below = self.children.get(&id).into_iter().flatten().rev();
                open.extend(below.map(|child| (*child, depth + 1)));
            }
        }
        column
    }
}

fn read_controller(
    reader: &mut SetupReader<'_>,
    controller: &Component<'_>,
    components: &Components<'_>,
    points: &PointTree<'_>,
    frictions: &BTreeMap<String, JointDynamicsCollider>,
) {
    let body = controller.body;
    let roots = body.get("_RootPointTbl").map_or(&[][..], Yaml::items).iter().map(reference);
    let columns: Vec<Vec<(i64, usize)>> = roots.map(|root| points.column(root)).filter(|c| !c.is_empty()).collect();
    if columns.is_empty() {
        let node = excerpt(&reader.name_of(controller));
        return reader.warn(controller, message!("\"{node}\": the component has no root; left out", node));
    }
    let colliders = reader.colliders_at(body, "_ColliderTbl");
    let bone = |reader: &SetupReader<'_>, id: i64| points.points.get(&id).map(|point| reader.name_of(point));
    let mut lists: JointDynamicsSetup<NodeRef, BTreeMap<String, JointDynamicsPoint<NodeRef>>, _> = JointDynamicsSetup {
        roots: columns.iter().filter_map(|column| bone(reader, column[0].0)).map(NodeRef::Named).collect(),
        colliders: colliders
            .iter()
            .filter_map(|name| Some((name.clone(), *frictions.get(name)?)))
            .collect::<BTreeMap<_, _>>(),
        ..JointDynamicsSetup::default()
    };
    let planes = body.get("_PlaneLimitterTbl").map_or(&[][..], Yaml::items);
    lists.planes = planes.iter().filter_map(|plane| reader.node_ref(plane)).collect();
    let grabbers: Vec<i64> = body.get("_PointGrabberTbl").map_or(&[][..], Yaml::items).iter().map(reference).collect();
    for grabber in components.of(&[Script::JointDynamicsGrabber]).filter(|one| grabbers.contains(&one.id)) {
        let Some(bone) = reader.node_ref_of(grabber.node) else { continue };
        let mut made = Grabber { bone, radius: 0.05, force: 0.5, enabled: true };
        set_fields(&mut made, grabber.body);
        made.enabled = grabber.body.number("_IsEnabled") != Some(0.0) && reader.objects.is_on(grabber);
        lists.grabbers.push(made);
    }
    for (id, _) in columns.iter().flatten() {
        let (Some(bone), Some(point)) = (bone(reader, *id), points.points.get(id)) else { continue };
        let mut made = JointDynamicsPoint::default();
        set_fields(&mut made, point.body);
        made.fixed = point.body.number("_IsFixed").map(|fixed| fixed != 0.0);
        let aim = point.body.get("_ForceChildPoint").map(reference).filter(|id| points.points.contains_key(id));
        made.aim_child = aim.and_then(|aim| bone_ref(reader, points, aim));
        lists.points.insert(bone, made);
    }
    let name =
        body.text("Name").filter(|name| !name.is_empty()).map_or_else(|| reader.name_of(controller), str::to_owned);
    let root = body.get("_RootTransform").and_then(|field| reader.objects.node_of(reference(field)));
    let system = System {
        name,
        solver: SolverKind::JointDynamics,
        values: reader.values(controller, SolverKind::JointDynamics, ParamScope::System, &[], &own_name),
        component: root.and_then(|root| reader.bone_at_or_above(root)).and_then(|bone| reader.node_ref_of(bone)),
        component_lists: NamedLists::JointDynamics(lists),
    };
    let Some(system) = reader.add_system(controller, system) else { return };
    let values = curves(reader, controller);
    let deepest = columns.iter().flatten().map(|(_, depth)| *depth).max().unwrap_or(0);
    for column in &columns {
        add_column(reader, controller, points, column, deepest, &values, &colliders, system);
    }
}

fn bone_ref(reader: &SetupReader<'_>, points: &PointTree<'_>, id: i64) -> Option<NodeRef> {
    points.points.get(&id).map(|point| NodeRef::Named(reader.name_of(point)))
}

#[expect(clippy::too_many_arguments, reason = "a column needs all parts of its network")]
fn add_column(
    reader: &mut SetupReader<'_>,
    controller: &Component<'_>,
    points: &PointTree<'_>,
    column: &[(i64, usize)],
    deepest: usize,
    values: &BTreeMap<String, ChainValue>,
    colliders: &[String],
    system: usize,
) {
    // Curves run over the depth of the deepest column.
    let is_deepest = column.iter().any(|(_, depth)| *depth == deepest);
    let mut joints: Vec<Joint<ByName>> = Vec::new();
    for (id, depth) in column {
        let Some(point) = points.points.get(id) else { continue };
        let mut joint = Joint::new(reader.name_of(point));
        joint.colliders = colliders.to_vec();
        let has_bones_below = reader.objects.node(point.node).is_some_and(|node| node.has_children);
        if !points.children.contains_key(id) && has_bones_below {
            // The last point of a column has no end below it.
            joint.tip = Tip::Offset(Vec3::ZERO);
        }
        if !is_deepest {
            let place = *depth as f32 / deepest as f32;
            let curved = values.iter().filter(|(_, value)| value.curve.is_some());
            joint.overrides = curved.map(|(name, value)| (name.clone(), JsonNumber(value.along(place)))).collect();
        }
        joints.push(joint);
    }
    let Some(root) = joints.first().map(|joint| joint.bone.clone()) else { return };
    let (values, curve_domain) = (values.clone(), CurveDomain::Depth);
    let chain = Chain { values, curve_domain, ..new_chain(&root, &root) };
    reader.add_whole_chain(controller, chain, joints, system);
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
