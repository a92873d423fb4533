//! The lists of a component as files hold them: one form for all files, whatever these call nodes by.
//!
//! It differs from the live types, so that these may change. Projects name nodes by numbers of their own lists, files by
//! bone name by names; leading the one to the other is their business.

use super::{Extras, Side};
use crate::math::{self, Interpolation, Key, Number};
use crate::schema::SolverKind;
use crate::sim::{
    Attenuation, BoneConstraint, Compliance, ConvexHull, EzCollider, EzForceField, Grabber, JointDynamicsCollider,
    JointDynamicsPoint, SurfaceForce, SyncBone, SyncDirection, SyncTarget, Turbulence,
};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A curve along a chain or a cycle.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Curve {
    pub linear: bool,
    /// t, value, slope in, slope out.
    pub keys: Vec<[Number; 4]>,
}

impl From<&math::Curve> for Curve {
    fn from(curve: &math::Curve) -> Self {
        Self {
            linear: curve.interpolation() == Interpolation::Linear,
            keys: curve.keys().iter().map(|k| [k.t, k.value, k.slope_in, k.slope_out].map(Number)).collect(),
        }
    }
}

impl Curve {
    /// `None` where it has no keys, or one that is no number.
    pub(crate) fn read(&self) -> Option<math::Curve> {
        let key = |numbers: &[Number; 4]| {
            let [t, value, slope_in, slope_out] = numbers.map(|n| n.0);
            Key { t, value, slope_in, slope_out }
        };
        let interpolation = if self.linear { Interpolation::Linear } else { Interpolation::Hermite };
        math::Curve::new(self.keys.iter().map(key).collect(), interpolation)
    }
}

/// Every list of every solver, those of one of them filled; names of single nodes are those of [`Side`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedExtras<N, B, C> {
    /// Single nodes by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    nodes: BTreeMap<String, N>,
    /// Plain lists of nodes by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lists: BTreeMap<String, Vec<N>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    force_field: Option<Field<N>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    margins: Vec<SavedMargin<C>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    points: Vec<Point<N, B>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frictions: Vec<SavedFriction<C>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    grabbers: Vec<SavedGrabber<N>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<Constraint<N>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sync_bones: Vec<Sync<N>>,
}

impl<N, B, C> Default for SavedExtras<N, B, C> {
    fn default() -> Self {
        Self {
            nodes: BTreeMap::new(),
            lists: BTreeMap::new(),
            force_field: None,
            margins: Vec::new(),
            points: Vec::new(),
            frictions: Vec::new(),
            grabbers: Vec::new(),
            constraints: Vec::new(),
            sync_bones: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Field<N> {
    node: N,
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
struct SavedMargin<C> {
    collider: C,
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
struct Point<N, B> {
    bone: B,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fixed: Option<bool>,
    mass: Number,
    radius: Number,
    movable_limit_radius: Number,
    #[serde(default = "yes")]
    surface_collision: bool,
    #[serde(default = "yes")]
    invert_collision: bool,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    aim_child: Option<N>,
    fade: Number,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedFriction<C> {
    collider: C,
    friction: Number,
    #[serde(default)]
    surface_force: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedGrabber<N> {
    node: N,
    radius: Number,
    force: Number,
    #[serde(default = "yes")]
    enabled: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Constraint<N> {
    bones: [N; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    compliance: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<Number>,
    #[serde(default, skip_serializing_if = "is_false")]
    undivided: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sync<N> {
    bone: N,
    targets: Vec<(N, Number)>,
    scale: [Number; 3],
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    by_distance: Vec<[Number; 2]>,
    directions: [String; 3],
    /// Inner and outer radius, and what is lost at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attenuation: Option<[Number; 3]>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(b: &bool) -> bool {
    !*b
}

const fn yes() -> bool {
    true
}

/// What a file calls the ways of [`SurfaceForce`].
pub(crate) const SURFACES: [&str; 3] = ["off", "push", "pull"];
const SURFACE: [SurfaceForce; 3] = [SurfaceForce::Off, SurfaceForce::Push, SurfaceForce::Pull];
/// What a file calls the ways of [`SyncDirection`].
pub(crate) const DIRECTIONS: [&str; 4] = ["both", "positive", "negative", "none"];
const DIRECTION: [SyncDirection; 4] =
    [SyncDirection::Both, SyncDirection::Positive, SyncDirection::Negative, SyncDirection::None];
/// What a file calls [`Compliance::ALL`].
pub(crate) const COMPLIANCES: [&str; 7] = ["concrete", "wood", "leather", "tendon", "rubber", "muscle", "fat"];

fn word<T: PartialEq>(all: &[T], words: &[&str], value: &T) -> String {
    all.iter().position(|known| known == value).map_or("", |at| words[at]).to_owned()
}

fn named<T: Copy>(all: &[T], words: &[&str], word: &str) -> Option<T> {
    words.iter().position(|known| *known == word).map(|at| all[at])
}

fn numbers(v: Vec3) -> [Number; 3] {
    v.to_array().map(Number)
}

fn vec3(numbers: [Number; 3]) -> Vec3 {
    Vec3::from_array(numbers.map(|n| n.0))
}

impl<N: Clone, B: Clone, C: Clone> From<Extras<N, B, C>> for SavedExtras<N, B, C> {
    fn from(mut extras: Extras<N, B, C>) -> Self {
        let mut saved = Self::default();
        for side in Side::ALL {
            if let Some(Some(node)) = extras.single_mut(side) {
                saved.nodes.insert(side.key().to_owned(), node.clone());
            }
            if let Some(list) = extras.list_mut(side).filter(|list| !list.is_empty()) {
                saved.lists.insert(side.key().to_owned(), std::mem::take(list));
            }
        }
        match extras {
            Extras::EzSoftBone(own) => {
                saved.force_field = own.force_field.map(Field::of);
                saved.margins = own.colliders.into_iter().map(|(id, own)| SavedMargin::of(id, &own)).collect();
            }
            Extras::JointDynamics(own) => {
                saved.points = own.points.into_iter().map(|(bone, own)| Point::of(bone, own)).collect();
                let friction = |(collider, own): (C, JointDynamicsCollider)| SavedFriction {
                    collider,
                    friction: Number(own.friction),
                    surface_force: word(&SURFACE, &SURFACES, &own.surface_force),
                };
                saved.frictions = own.colliders.into_iter().map(friction).collect();
                let grabber = |own: Grabber<N>| {
                    let Grabber { bone: node, radius, force, enabled } = own;
                    SavedGrabber { node, radius: Number(radius), force: Number(force), enabled }
                };
                saved.grabbers = own.grabbers.into_iter().map(grabber).collect();
            }
            Extras::Kawaii(own) => {
                saved.constraints = own.constraints.into_iter().map(Constraint::of).collect();
                saved.sync_bones = own.sync_bones.into_iter().map(Sync::of).collect();
            }
            Extras::None | Extras::DynamicBone(_) | Extras::AnimDynamics(_) => {}
        }
        saved
    }
}

impl<N: Clone, B: Clone + Ord, C: Clone + Ord> SavedExtras<N, B, C> {
    /// The lists of a solver, and what is said that it has no place for.
    pub(crate) fn into_extras(self, solver: SolverKind) -> (Extras<N, B, C>, Vec<String>) {
        let (mut extras, mut strangers) = (Extras::empty(solver), Vec::new());
        for (key, node) in self.nodes {
            let side = Side::ALL.into_iter().find(|side| side.key() == key);
            match side.and_then(|side| extras.single_mut(side)) {
                Some(slot) => *slot = Some(node),
                None => strangers.push(key),
            }
        }
        for (key, nodes) in self.lists {
            let side = Side::ALL.into_iter().find(|side| side.key() == key);
            match side.and_then(|side| extras.list_mut(side)) {
                Some(list) => *list = nodes,
                None => strangers.push(key),
            }
        }
        match &mut extras {
            Extras::EzSoftBone(own) => {
                own.force_field = self.force_field.map(Field::read);
                own.colliders = self.margins.into_iter().map(SavedMargin::read).collect();
            }
            Extras::JointDynamics(own) => {
                own.points = self.points.into_iter().map(Point::read).collect();
                own.colliders = self.frictions.into_iter().map(SavedFriction::read).collect();
                let grabber = |saved: SavedGrabber<N>| {
                    let SavedGrabber { node: bone, radius, force, enabled } = saved;
                    Grabber { bone, radius: radius.0, force: force.0, enabled }
                };
                own.grabbers = self.grabbers.into_iter().map(grabber).collect();
            }
            Extras::Kawaii(own) => {
                own.constraints = self.constraints.into_iter().map(Constraint::read).collect();
                own.sync_bones = self.sync_bones.into_iter().map(Sync::read).collect();
            }
            Extras::None | Extras::DynamicBone(_) | Extras::AnimDynamics(_) => {}
        }
        (extras, strangers)
    }
}

impl<N: Clone> Field<N> {
    fn of(own: EzForceField<N>) -> Self {
        let (frequency, cycle, curves) = match &own.mode {
            Turbulence::Perlin { frequency } => (Some(numbers(*frequency)), None, Vec::new()),
            Turbulence::Curve { cycle, curves } => {
                (None, Some(Number(*cycle)), curves.iter().map(Curve::from).collect())
            }
        };
        Self {
            node: own.bone,
            enabled: own.enabled,
            conductivity: Number(own.conductivity),
            force: Number(own.force),
            turbulence: numbers(own.turbulence),
            frequency,
            cycle,
            curves,
        }
    }

    fn read(self) -> EzForceField<N> {
        let curves: Option<Vec<math::Curve>> = self.curves.iter().map(Curve::read).collect();
        let curves: Option<[math::Curve; 3]> = curves.and_then(|curves| curves.try_into().ok());
        let fresh = EzForceField::new(self.node);
        let mode = match (self.cycle, curves, self.frequency) {
            (Some(cycle), Some(curves), _) => Turbulence::Curve { cycle: cycle.0, curves: Box::new(curves) },
            (_, _, Some(frequency)) => Turbulence::Perlin { frequency: vec3(frequency) },
            _ => fresh.mode,
        };
        EzForceField {
            enabled: self.enabled,
            conductivity: self.conductivity.0,
            force: self.force.0,
            turbulence: vec3(self.turbulence),
            mode,
            bone: fresh.bone,
        }
    }
}

impl<C> SavedMargin<C> {
    fn of(collider: C, own: &EzCollider) -> Self {
        let hull = |hull: &ConvexHull| Hull {
            points: hull.points().iter().map(|p| numbers(*p)).collect(),
            faces: hull.faces().to_vec(),
        };
        Self { collider, margin: Number(own.margin), hull: own.hull.as_ref().map(hull) }
    }

    fn read(self) -> (C, EzCollider) {
        let hull = |hull: Hull| ConvexHull::new(hull.points.into_iter().map(vec3).collect(), hull.faces);
        (self.collider, EzCollider { margin: self.margin.0, hull: self.hull.map(hull) })
    }
}

impl<N, B> Point<N, B> {
    fn of(bone: B, own: JointDynamicsPoint<N>) -> Self {
        Self {
            bone,
            fixed: own.fixed,
            mass: Number(own.mass),
            radius: Number(own.radius),
            movable_limit_radius: Number(own.movable_limit_radius),
            surface_collision: own.surface_collision,
            invert_collision: own.invert_collision,
            aim_child: own.aim_child,
            fade: Number(own.fade),
        }
    }

    fn read(self) -> (B, JointDynamicsPoint<N>) {
        let point = JointDynamicsPoint {
            fixed: self.fixed,
            mass: self.mass.0,
            radius: self.radius.0,
            movable_limit_radius: self.movable_limit_radius.0,
            surface_collision: self.surface_collision,
            invert_collision: self.invert_collision,
            aim_child: self.aim_child,
            fade: self.fade.0,
        };
        (self.bone, point)
    }
}

impl<C> SavedFriction<C> {
    fn read(self) -> (C, JointDynamicsCollider) {
        let surface_force = named(&SURFACE, &SURFACES, &self.surface_force).unwrap_or_default();
        (self.collider, JointDynamicsCollider { friction: self.friction.0, surface_force })
    }
}

impl<N> Constraint<N> {
    fn of(own: BoneConstraint<N>) -> Self {
        Self {
            bones: own.bones,
            compliance: own.compliance.map(|c| word(&Compliance::ALL, &COMPLIANCES, &c)),
            length: own.length.map(Number),
            undivided: !own.subdivided,
        }
    }

    fn read(self) -> BoneConstraint<N> {
        let compliance = self.compliance.and_then(|name| named(&Compliance::ALL, &COMPLIANCES, &name));
        let length = self.length.map(|length| length.0);
        BoneConstraint { bones: self.bones, compliance, length, subdivided: !self.undivided }
    }
}

impl<N> Sync<N> {
    fn of(own: SyncBone<N>) -> Self {
        Self {
            bone: own.bone,
            targets: own.targets.into_iter().map(|t| (t.bone, Number(t.scale))).collect(),
            scale: numbers(own.scale),
            by_distance: own.by_distance.into_iter().map(|point| point.map(Number)).collect(),
            directions: own.directions.map(|direction| word(&DIRECTION, &DIRECTIONS, &direction)),
            attenuation: own.attenuation.map(|a| [a.inner, a.outer, a.most].map(Number)),
        }
    }

    fn read(self) -> SyncBone<N> {
        let target = |(bone, scale): (N, Number)| SyncTarget { bone, scale: scale.0 };
        SyncBone {
            bone: self.bone,
            targets: self.targets.into_iter().map(target).collect(),
            scale: vec3(self.scale),
            by_distance: self.by_distance.into_iter().map(|point| point.map(|n| n.0)).collect(),
            directions: self.directions.map(|name| named(&DIRECTION, &DIRECTIONS, &name).unwrap_or_default()),
            attenuation: self.attenuation.map(|a| Attenuation { inner: a[0].0, outer: a[1].0, most: a[2].0 }),
        }
    }
}
