//! The lists of a system as they are saved.

use super::load::{Load, read_curve, vec3};
use super::save::{Bones, curve};
use super::{BoneIndex, Curve, Node, Number, is_false, yes};
use crate::doc::{self, ColliderId, Extras, NetPoint, Side};
use crate::math;
use crate::sim::{
    AnimDynamicsSetup, Attenuation, BoneConstraint, Compliance, ConvexHull, DynamicBoneSetup, EzCollider, EzForceField,
    Grabber, JointDynamicsCollider, KawaiiSetup, SurfaceForce, SyncBone, SyncDirection, SyncTarget, Turbulence,
};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every list of every solver, those of one of them filled; names of single nodes are those of [`Side`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::format::project) struct SavedExtras {
    /// Single nodes by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    nodes: BTreeMap<String, Node>,
    /// Plain lists of nodes by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lists: BTreeMap<String, Vec<Node>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    force_field: Option<Field>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    margins: Vec<SavedMargin>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    points: Vec<Point>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frictions: Vec<SavedFriction>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    grabbers: Vec<SavedGrabber>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<Constraint>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sync_bones: Vec<Sync>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Field {
    node: Node,
    #[serde(default = "yes")]
    enabled: bool,
    conductivity: Number,
    force: Number,
    turbulence: [Number; 3],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frequency: Option<[Number; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycle: Option<Number>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    curves: Vec<Curve>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedMargin {
    collider: u32,
    margin: Number,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hull: Option<Hull>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Hull {
    points: Vec<[Number; 3]>,
    faces: Vec<[u32; 3]>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Point {
    bone: BoneIndex,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fixed: Option<bool>,
    mass: Number,
    radius: Number,
    movable_limit_radius: Number,
    #[serde(default = "yes")]
    surface_collision: bool,
    #[serde(default = "yes")]
    invert_collision: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    aim_child: Option<Node>,
    fade: Number,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedFriction {
    collider: u32,
    friction: Number,
    #[serde(default)]
    surface_force: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedGrabber {
    node: Node,
    radius: Number,
    force: Number,
    #[serde(default = "yes")]
    enabled: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Constraint {
    bones: [Node; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    compliance: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<Number>,
    #[serde(default, skip_serializing_if = "is_false")]
    undivided: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sync {
    bone: Node,
    targets: Vec<(Node, Number)>,
    scale: [Number; 3],
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    by_distance: Vec<[Number; 2]>,
    directions: [String; 3],
    /// Inner and outer radius, and what is lost at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attenuation: Option<[Number; 3]>,
}

const SURFACE: [(SurfaceForce, &str); 3] =
    [(SurfaceForce::Off, "off"), (SurfaceForce::Push, "push"), (SurfaceForce::Pull, "pull")];
const DIRECTIONS: [(SyncDirection, &str); 4] = [
    (SyncDirection::Both, "both"),
    (SyncDirection::Positive, "positive"),
    (SyncDirection::Negative, "negative"),
    (SyncDirection::None, "none"),
];
const COMPLIANCES: [&str; 7] = ["concrete", "wood", "leather", "tendon", "rubber", "muscle", "fat"];

fn name_of<T: Copy + PartialEq>(names: &[(T, &str)], value: T) -> String {
    names.iter().find(|(known, _)| *known == value).map_or("", |(_, name)| name).to_owned()
}

fn named<T: Copy + Default>(names: &[(T, &str)], name: &str) -> T {
    names.iter().find(|(_, known)| *known == name).map(|(value, _)| *value).unwrap_or_default()
}

fn numbers(v: Vec3) -> [Number; 3] {
    v.to_array().map(Number)
}

/// `None` where nothing is said.
pub(super) fn save(extras: &Extras, bones: &mut Bones<'_>) -> Option<SavedExtras> {
    if extras.is_empty() {
        return None;
    }
    let mut saved = SavedExtras::default();
    for side in Side::ALL {
        let nodes: Vec<Node> = extras.entries(side).iter().map(|entry| bones.node(entry[0])).collect();
        match side {
            Side::ForceField => {}
            _ if side.is_single() => {
                saved.nodes.extend(nodes.first().map(|node| (side.key().to_owned(), *node)));
            }
            Side::Exclusions | Side::Columns | Side::Planes if !nodes.is_empty() => {
                saved.lists.insert(side.key().to_owned(), nodes);
            }
            _ => {}
        }
    }
    match extras {
        Extras::EzSoftBone(own) => {
            saved.force_field = own.force_field.as_ref().map(|own| field(own, bones));
            saved.margins = own.colliders.iter().map(|(id, own)| margin(id.0, own)).collect();
        }
        Extras::JointDynamics(own) => {
            saved.points = own.points.iter().map(|(bone, own)| point(bones.index(*bone), own, bones)).collect();
            let friction = |(id, own): (&ColliderId, &JointDynamicsCollider)| SavedFriction {
                collider: id.0,
                friction: Number(own.friction),
                surface_force: name_of(&SURFACE, own.surface_force),
            };
            saved.frictions = own.colliders.iter().map(friction).collect();
            let grabber = |own: &Grabber<doc::Node>| SavedGrabber {
                node: bones.node(own.bone),
                radius: Number(own.radius),
                force: Number(own.force),
                enabled: own.enabled,
            };
            saved.grabbers = own.grabbers.iter().map(grabber).collect();
        }
        Extras::Kawaii(own) => {
            saved.constraints = own.constraints.iter().map(|own| constraint(own, bones)).collect();
            saved.sync_bones = own.sync_bones.iter().map(|own| sync(own, bones)).collect();
        }
        Extras::None | Extras::DynamicBone(_) | Extras::AnimDynamics(_) => {}
    }
    Some(saved)
}

fn field(own: &EzForceField<doc::Node>, bones: &mut Bones<'_>) -> Field {
    let (frequency, cycle, curves) = match &own.mode {
        Turbulence::Perlin { frequency } => (Some(numbers(*frequency)), None, Vec::new()),
        Turbulence::Curve { cycle, curves } => (None, Some(Number(*cycle)), curves.iter().map(curve).collect()),
    };
    Field {
        node: bones.node(own.bone),
        enabled: own.enabled,
        conductivity: Number(own.conductivity),
        force: Number(own.force),
        turbulence: numbers(own.turbulence),
        frequency,
        cycle,
        curves,
    }
}

fn margin(collider: u32, own: &EzCollider) -> SavedMargin {
    let hull = |hull: &ConvexHull| Hull {
        points: hull.points().iter().map(|p| numbers(*p)).collect(),
        faces: hull.faces().to_vec(),
    };
    SavedMargin { collider, margin: Number(own.margin), hull: own.hull.as_ref().map(hull) }
}

fn point(bone: BoneIndex, own: &NetPoint, bones: &mut Bones<'_>) -> Point {
    Point {
        bone,
        fixed: own.fixed,
        mass: Number(own.mass),
        radius: Number(own.radius),
        movable_limit_radius: Number(own.movable_limit_radius),
        surface_collision: own.surface_collision,
        invert_collision: own.invert_collision,
        aim_child: own.aim_child.map(|node| bones.node(node)),
        fade: Number(own.fade),
    }
}

fn constraint(own: &BoneConstraint<doc::Node>, bones: &mut Bones<'_>) -> Constraint {
    let place = |c: Compliance| Compliance::ALL.iter().position(|known| *known == c).unwrap_or_default();
    Constraint {
        bones: own.bones.map(|node| bones.node(node)),
        compliance: own.compliance.map(|c| COMPLIANCES[place(c)].to_owned()),
        length: own.length.map(Number),
        undivided: !own.subdivided,
    }
}

fn sync(own: &SyncBone<doc::Node>, bones: &mut Bones<'_>) -> Sync {
    Sync {
        bone: bones.node(own.bone),
        targets: own.targets.iter().map(|t| (bones.node(t.bone), Number(t.scale))).collect(),
        scale: numbers(own.scale),
        by_distance: own.by_distance.iter().map(|point| point.map(Number)).collect(),
        directions: own.directions.map(|direction| name_of(&DIRECTIONS, direction)),
        attenuation: own.attenuation.map(|a| [a.inner, a.outer, a.most].map(Number)),
    }
}

impl SavedExtras {
    /// The lists of a solver; what names something that is not there is left out and told.
    pub(super) fn load(self, mut extras: Extras, load: &mut Load<'_>, at: &str) -> Extras {
        for (key, node) in &self.nodes {
            let side = Side::ALL.into_iter().find(|side| side.key() == key && side.is_single());
            match side.filter(|side| extras.fit(side.solver())) {
                Some(side) => extras.set(side, load.node(*node, at)),
                None => load.warn(at, format!("this solver has no \"{}\"; left out", crate::report::clip(key))),
            }
        }
        for (key, nodes) in &self.lists {
            let Some(side) = Side::ALL.into_iter().find(|side| side.key() == key && extras.fit(side.solver())) else {
                load.warn(at, format!("this solver has no \"{}\"; left out", crate::report::clip(key)));
                continue;
            };
            let nodes: Vec<doc::Node> = nodes.iter().filter_map(|node| load.node(*node, at)).collect();
            extras.add(side, &nodes);
        }
        match &mut extras {
            Extras::EzSoftBone(own) => {
                own.force_field = self.force_field.and_then(|saved| saved.load(load, at));
                for saved in self.margins.into_iter().filter(|s| load.has_collider(s.collider, at)) {
                    own.colliders.insert(ColliderId(saved.collider), saved.load());
                }
            }
            Extras::JointDynamics(own) => {
                for saved in self.points {
                    let Some(bone) = load.bone(saved.bone, at) else { continue };
                    own.points.insert(bone, saved.load(load, at));
                }
                for saved in self.frictions.into_iter().filter(|s| load.has_collider(s.collider, at)) {
                    let surface_force = named(&SURFACE, &saved.surface_force);
                    let extra = JointDynamicsCollider { friction: saved.friction.0, surface_force };
                    own.colliders.insert(ColliderId(saved.collider), extra);
                }
                for saved in self.grabbers {
                    let Some(bone) = load.node(saved.node, at) else { continue };
                    let (radius, force, enabled) = (saved.radius.0, saved.force.0, saved.enabled);
                    own.grabbers.push(Grabber { bone, radius, force, enabled });
                }
            }
            Extras::Kawaii(own) => load_kawaii(own, (self.constraints, self.sync_bones), load, at),
            Extras::None
            | Extras::DynamicBone(DynamicBoneSetup { .. })
            | Extras::AnimDynamics(AnimDynamicsSetup { .. }) => {}
        }
        extras
    }
}

fn load_kawaii(
    own: &mut KawaiiSetup<doc::Node>,
    (constraints, sync_bones): (Vec<Constraint>, Vec<Sync>),
    load: &mut Load<'_>,
    at: &str,
) {
    for saved in constraints {
        let [a, b] = saved.bones.map(|node| load.node(node, at));
        let Some(bones) = a.zip(b).map(|(a, b)| [a, b]) else { continue };
        let place = saved.compliance.and_then(|name| COMPLIANCES.iter().position(|known| *known == name));
        let compliance = place.map(|place| Compliance::ALL[place]);
        let length = saved.length.map(|length| length.0);
        own.constraints.push(BoneConstraint { bones, compliance, length, subdivided: !saved.undivided });
    }
    for saved in sync_bones {
        let Some(bone) = load.node(saved.bone, at) else { continue };
        let target = |(node, scale): &(Node, Number)| Some(SyncTarget { bone: load.node(*node, at)?, scale: scale.0 });
        let targets = saved.targets.iter().filter_map(target).collect();
        own.sync_bones.push(SyncBone {
            scale: vec3(saved.scale),
            by_distance: saved.by_distance.iter().map(|point| point.map(|n| n.0)).collect(),
            directions: saved.directions.map(|name| named(&DIRECTIONS, &name)),
            attenuation: saved.attenuation.map(|a| Attenuation { inner: a[0].0, outer: a[1].0, most: a[2].0 }),
            ..SyncBone::new(bone, targets)
        });
    }
}

impl Field {
    fn load(self, load: &mut Load<'_>, at: &str) -> Option<EzForceField<doc::Node>> {
        let bone = load.node(self.node, at)?;
        let curves: Option<Vec<math::Curve>> = self.curves.iter().map(read_curve).collect();
        let curves: Option<[math::Curve; 3]> = curves.and_then(|curves| curves.try_into().ok());
        let mode = match (self.cycle, curves, self.frequency) {
            (Some(cycle), Some(curves), _) => Turbulence::Curve { cycle: cycle.0, curves: Box::new(curves) },
            (_, _, Some(frequency)) => Turbulence::Perlin { frequency: vec3(frequency) },
            _ => EzForceField::new(bone).mode,
        };
        Some(EzForceField {
            bone,
            enabled: self.enabled,
            conductivity: self.conductivity.0,
            force: self.force.0,
            turbulence: vec3(self.turbulence),
            mode,
        })
    }
}

impl SavedMargin {
    fn load(self) -> EzCollider {
        let hull = |hull: Hull| ConvexHull::new(hull.points.into_iter().map(vec3).collect(), hull.faces);
        EzCollider { margin: self.margin.0, hull: self.hull.map(hull) }
    }
}

impl Point {
    fn load(self, load: &mut Load<'_>, at: &str) -> NetPoint {
        NetPoint {
            fixed: self.fixed,
            mass: self.mass.0,
            radius: self.radius.0,
            movable_limit_radius: self.movable_limit_radius.0,
            surface_collision: self.surface_collision,
            invert_collision: self.invert_collision,
            aim_child: self.aim_child.and_then(|node| load.node(node, at)),
            fade: self.fade.0,
        }
    }
}
