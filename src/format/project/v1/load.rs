//! Saved types onto a character.
//!
//! Everything enters through [`Document::apply`], so that a file written by hand is held to the same rules as an
//! artist's edits; what is refused is reported and left out.

mod materials;

use super::{
    Bone, Chain, Curve, Force, Gesture, Group, HighLeg, Joint, LengthTarget, Limit, Node, Number, Saved, Shape, System,
    Tip, Underneath, Value1,
};
use crate::doc::{
    self, Along, BonePath, BonePaths, ChainId, ColliderId, Document, Edit, ForceId, FoundBone, GestureId,
    GestureSample, GroupId, HelperId, HelperRole, HighLegId, KeptRow, Part, SystemId,
};
use crate::math::Trs;
use crate::report::{Diagnostic, Place, clip};
use crate::rig::{BoneId, Skeleton};
use crate::schema::{FormerValue, ParamDef, Row, Scope, find_row_or_former};
use crate::sim::{self, SolverKind, SwingLimit, SwingShape};
use crate::stage::TestMotion;
use glam::{Quat, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// Most findings that one file yields.
const MOST_FINDINGS: usize = 200;

/// Ids are counted up one by one; a file that is near the end of counting leaves no room for new things.
const MOST_ID: u32 = 1 << 30;

pub(in super::super) fn load(saved: Saved, skeleton: &Skeleton, file: &str) -> (Document, Vec<Diagnostic>) {
    let joints = saved.chains.iter().flat_map(|c| &c.joints);
    let pivots = joints.filter_map(|j| match j.pivot {
        Some(Node::Helper(id)) => Some(id),
        _ => None,
    });
    let pivots = pivots.collect();
    let kind = SolverKind::named(&saved.solver);
    let document = Document::under(kind.unwrap_or_default());
    let mut load = Load { document, bones: Vec::new(), pivots, file, found: Vec::new() };
    if kind.is_none() {
        let used = SolverKind::default().key();
        let message = format!("solver \"{}\" is not known; read as {used}", clip(&saved.solver));
        load.warn("/solver", message);
    }
    load.bones(saved.bones, skeleton);
    let first = load.document.main_id();
    load.values(first, &saved.system, "/system");
    let systems = load.systems(&saved.systems);
    load.helpers(saved.helpers);
    for (i, collider) in saved.colliders.into_iter().enumerate() {
        let at = format!("/colliders/{i}");
        let Some(node) = load.node(collider.node, &at) else { continue };
        let collider_id = ColliderId(collider.id);
        if !load.may_be(collider.id, load.document.colliders.contains_key(&collider_id), &at) {
            continue;
        }
        let shape = shape(collider.shape);
        let doc = doc::Collider { enabled: collider.enabled, ..doc::Collider::new(collider.name, node, shape) };
        let collider = doc::Collider { renderer: collider.renderer, source: collider.source, ..doc };
        load.apply(Edit::PutCollider { id: collider_id, collider: Some(collider) }, &at);
    }
    for (i, system) in saved.systems.into_iter().enumerate().filter(|(i, _)| systems.contains(i)) {
        load.component(system, &format!("/systems/{i}"));
    }
    for (i, group) in saved.groups.into_iter().enumerate() {
        load.group(group, &format!("/groups/{i}"));
    }
    for (i, force) in saved.forces.into_iter().enumerate() {
        load.force(force, &format!("/forces/{i}"));
    }
    for (i, high_leg) in saved.high_legs.into_iter().enumerate() {
        load.high_leg(&high_leg, &format!("/high_legs/{i}"));
    }
    load.document.renderers_off = saved.renderers_off.into_iter().collect();
    for (i, material) in saved.materials.into_iter().enumerate() {
        load.material(material, &format!("/materials/{i}"));
    }
    for (i, chain) in saved.chains.into_iter().enumerate() {
        load.chain(chain, &format!("/chains/{i}"));
    }
    for (i, bone) in saved.excluded.iter().enumerate() {
        if let Some(bone) = load.bone(*bone, &format!("/excluded/{i}")) {
            load.document.excluded.insert(bone);
        }
    }
    for (i, gesture) in saved.gestures.into_iter().enumerate() {
        load.gesture(gesture, &format!("/gestures/{i}"));
    }
    load.document.kept = saved.kept.into_iter().map(|k| KeptRow { bone: k.bone, cells: k.cells }).collect();
    (load.document, load.found)
}

pub(super) struct Load<'a> {
    document: Document,
    /// The character's bones for the saved list, or lost ones.
    bones: Vec<BoneId>,
    /// Helpers that joints have their limits in.
    pivots: BTreeSet<u32>,
    file: &'a str,
    found: Vec<Diagnostic>,
}

impl Load<'_> {
    pub(super) fn warn(&mut self, at: &str, message: String) {
        if self.found.len() < MOST_FINDINGS {
            self.found.push(Diagnostic::warning(Place::file(self.file).at(at), message));
        }
    }

    /// Whether something may have the number that its file gives it; `taken` says that something has it already.
    fn may_be(&mut self, id: u32, taken: bool, at: &str) -> bool {
        if taken {
            self.warn(at, format!("left out: a second one with the id {id}"));
        } else if id > MOST_ID {
            self.warn(at, format!("left out: the id {id} is beyond {MOST_ID}"));
        }
        !taken && id <= MOST_ID
    }

    fn apply(&mut self, edit: Edit, at: &str) {
        if let Err(e) = self.document.apply(edit) {
            self.warn(at, format!("left out: {e}"));
        }
    }

    /// Bones that the character lacks keep what was set on them, as lost ones.
    fn bones(&mut self, saved: Vec<Bone>, skeleton: &Skeleton) {
        let path = |bone: Bone| BonePath { name: bone.name, above: bone.above, nth: bone.nth };
        let paths: Vec<_> = saved.into_iter().map(path).collect();
        let found = BonePaths::of(skeleton).find_again(&paths);
        for (i, (path, found)) in paths.into_iter().zip(found).enumerate() {
            let (at, name) = (format!("/bones/{i}"), clip(&path.name));
            let bone = match found {
                Some(FoundBone::ByPath(bone)) => bone,
                Some(FoundBone::ByName(bone)) => {
                    self.warn(&at, format!("bone \"{name}\" hangs elsewhere on this character; used by its name"));
                    bone
                }
                None => {
                    let there = skeleton.find_all(&path.name);
                    let why =
                        if there.is_empty() { "is not on this character" } else { "hangs elsewhere, and not alone" };
                    self.warn(&at, format!("bone \"{name}\" {why}; what was set on it is kept"));
                    self.document.lost.add(path)
                }
            };
            self.bones.push(bone);
        }
    }

    pub(super) fn bone(&mut self, index: usize, at: &str) -> Option<BoneId> {
        let bone = self.bones.get(index).copied();
        if bone.is_none() {
            self.warn(at, format!("there is no bone {index} in the file's list of {}", self.bones.len()));
        }
        bone
    }

    pub(super) fn node(&mut self, node: Node, at: &str) -> Option<doc::Node> {
        match node {
            Node::Bone(bone) => self.bone(bone, at).map(doc::Node::Bone),
            Node::Helper(id) => {
                let id = HelperId(id);
                if self.document.helpers.contains_key(&id) {
                    return Some(doc::Node::Helper(id));
                }
                self.warn(at, format!("helper {} is not there", id.0));
                None
            }
        }
    }

    /// Where the file lists systems, they are all there are, in place of the one that its first lines tell of. The places
    /// in the list of those that are taken.
    fn systems(&mut self, saved: &[System]) -> BTreeSet<usize> {
        let (mut systems, mut taken) = (BTreeMap::new(), BTreeSet::new());
        for (i, system) in saved.iter().enumerate() {
            let at = format!("/systems/{i}");
            let id = SystemId(system.id);
            if !self.may_be(system.id, systems.contains_key(&id), &at) {
                continue;
            }
            let Some(kind) = SolverKind::named(&system.solver) else {
                self.warn(&at, format!("solver \"{}\" is not known; left out", clip(&system.solver)));
                continue;
            };
            systems.insert(id, doc::System { name: system.name.clone(), ..doc::System::under(kind) });
            taken.insert(i);
        }
        if systems.is_empty() {
            return taken;
        }
        self.document.systems = systems;
        for (i, system) in saved.iter().enumerate().filter(|(i, _)| taken.contains(i)) {
            self.values(SystemId(system.id), &system.values, &format!("/systems/{i}"));
        }
        taken
    }

    /// Once all nodes and colliders are there.
    fn component(&mut self, saved: System, at: &str) {
        let id = SystemId(saved.id);
        let Some(mut system) = self.document.systems.get(&id).cloned() else { return };
        system.component = saved.component.and_then(|node| self.node(node, at));
        if let Some(extras) = saved.extras {
            system.extras = super::extras::load(extras, system.solver, self, &format!("{at}/extras"));
        }
        self.apply(Edit::PutSystem { id, system: Some(Box::new(system)) }, at);
    }

    /// Whether a collider is there; one that is not is told of.
    pub(super) fn has_collider(&mut self, id: u32, at: &str) -> bool {
        let found = self.document.colliders.contains_key(&ColliderId(id));
        if !found {
            self.warn(at, format!("collider {id} is not there"));
        }
        found
    }

    fn values(&mut self, system: SystemId, values: &BTreeMap<String, Number>, at: &str) {
        let table = self.document.systems[&system].table();
        for (name, Number(value)) in values {
            let Some((row, was)) = self.row(table, name, Scope::System, at) else { continue };
            let today = table[row.index()].name;
            // Under both names, today's counts.
            if today == name || !values.contains_key(today) {
                self.apply(Edit::SetSystem { system, row, value: was.current(*value) }, at);
            }
        }
    }

    /// The row of a value, which may have the name of an earlier release.
    fn row(&mut self, table: &'static [ParamDef], name: &str, scope: Scope, at: &str) -> Option<(Row, FormerValue)> {
        let row = find_row_or_former(table, name);
        // A chain's list has a value per row, those of system scope included, though nothing reads them.
        let fits = row.filter(|(r, _)| scope == Scope::Joint || table[r.index()].scope == scope);
        if fits.is_none() {
            self.warn(at, format!("parameter \"{}\" is not known; left out", clip(name)));
        }
        fits
    }

    /// Parents may stand after children in the file.
    fn helpers(&mut self, helpers: Vec<super::Helper>) {
        let mut waiting: Vec<_> = helpers.into_iter().enumerate().collect();
        let ids: BTreeSet<_> = waiting.iter().map(|(_, h)| h.id).collect();
        loop {
            let before = waiting.len();
            for (i, helper) in std::mem::take(&mut waiting) {
                let later = matches!(helper.parent, Node::Helper(p)
                    if ids.contains(&p) && !self.document.helpers.contains_key(&HelperId(p)));
                if later {
                    waiting.push((i, helper));
                    continue;
                }
                let at = format!("/helpers/{i}");
                let Some(parent) = self.node(helper.parent, &at) else { continue };
                let local = Trs {
                    translation: vec3(helper.translation),
                    rotation: Quat::from_array(helper.rotation.map(|n| n.0)),
                    scale: vec3(helper.scale),
                };
                let id = HelperId(helper.id);
                if !self.may_be(helper.id, self.document.helpers.contains_key(&id), &at) {
                    continue;
                }
                let role = helper.role.unwrap_or_else(|| {
                    if self.pivots.contains(&helper.id) { HelperRole::Pivot } else { HelperRole::Plain }
                });
                let helper = doc::Helper { name: helper.name, parent, local, role };
                self.apply(Edit::PutHelper { id, helper: Some(helper) }, &at);
            }
            if waiting.is_empty() {
                return;
            }
            if waiting.len() == before {
                for (i, _) in waiting {
                    self.warn(&format!("/helpers/{i}"), "left out: its parent is missing".to_owned());
                }
                return;
            }
        }
    }

    fn chain(&mut self, saved: Chain, at: &str) {
        let system = saved.system.map_or(self.document.main_id(), SystemId);
        let Some(table) = self.document.systems.get(&system).map(doc::System::table) else {
            self.warn(at, format!("there is no system {}; chain \"{}\" is left out", system.0, clip(&saved.name)));
            return;
        };
        let mut joints = Vec::new();
        for (i, joint) in saved.joints.into_iter().enumerate() {
            joints.extend(self.joint(table, joint, &format!("{at}/joints/{i}")));
        }
        if joints.is_empty() {
            self.warn(at, format!("chain \"{}\" has no joint; left out", clip(&saved.name)));
            return;
        }
        let part = Part::ALL.into_iter().find(|p| p.key() == saved.part).unwrap_or_default();
        let mut chain = doc::Chain::new(saved.name, part, table, joints);
        chain.system = system;
        chain.center = saved.center.and_then(|center| self.node(center, at));
        chain.source = saved.source;
        for id in saved.groups.into_iter().map(GroupId) {
            if self.document.groups.contains_key(&id) {
                chain.groups.push(id);
            } else {
                self.warn(at, format!("collider group {} is not there", id.0));
            }
        }
        chain.along = if saved.along == "depth" { Along::Depth } else { Along::Length };
        for (name, value) in saved.values {
            let Some((row, was)) = self.row(table, &name, Scope::Joint, at) else { continue };
            let authored = self.authored(&name, &value, at);
            chain.values[row.index()] = doc::Authored { base: was.current(authored.base), ..authored };
        }
        chain.material = saved.material.and_then(|id| self.material_for(&chain, doc::MaterialId(id), at));
        if !self.may_be(saved.id, self.document.chains.contains_key(&ChainId(saved.id)), at) {
            return;
        }
        self.apply(Edit::PutChain { id: ChainId(saved.id), chain: Some(Box::new(chain)) }, at);
    }

    fn authored(&mut self, name: &str, saved: &Value1, at: &str) -> doc::Authored {
        let curve = saved.curve.as_ref().map(Curve::read);
        if curve == Some(None) {
            self.warn(at, format!("the curve of \"{}\" has no keys; left out", clip(name)));
        }
        doc::Authored { base: saved.base.0, curve: curve.flatten() }
    }

    fn joint(&mut self, table: &'static [ParamDef], saved: Joint, at: &str) -> Option<doc::Joint> {
        let bone = self.bone(saved.bone, at)?;
        let tip = match saved.tip {
            None => doc::Tip::Children,
            Some(Tip::Offset(offset)) => doc::Tip::Offset(vec3(offset)),
            Some(Tip::Bone(tip)) => self.bone(tip, at).map_or(doc::Tip::Children, doc::Tip::Bone),
        };
        let mut own = BTreeMap::new();
        for (name, Number(value)) in saved.own {
            if let Some((row, was)) = self.row(table, &name, Scope::Joint, at) {
                own.insert(row, was.current(value));
            }
        }
        let pivot = saved.pivot.and_then(|p| self.node(p, at));
        let colliders = self.colliders(saved.colliders, at);
        let target = |load: &mut Self, target: LengthTarget| {
            let node = load.node(target.node, at)?;
            Some(doc::LengthTarget { node, constant: target.constant.map(|c| c.0) })
        };
        let length_targets = saved.length_targets.into_iter().filter_map(|t| target(self, t)).collect();
        let (enabled, animated) = (saved.enabled, saved.animated);
        let limit = saved.limit.map(limit);
        Some(doc::Joint { bone, tip, own, pivot, length_targets, colliders, limit, enabled, animated })
    }

    /// Those that are there.
    fn colliders(&mut self, saved: Vec<u32>, at: &str) -> Vec<ColliderId> {
        let mut colliders = Vec::new();
        for id in saved.into_iter().map(ColliderId) {
            if self.document.colliders.contains_key(&id) {
                colliders.push(id);
            } else {
                self.warn(at, format!("collider {} is not there", id.0));
            }
        }
        colliders
    }

    fn group(&mut self, saved: Group, at: &str) {
        let id = GroupId(saved.id);
        if self.may_be(saved.id, self.document.groups.contains_key(&id), at) {
            let colliders = self.colliders(saved.colliders, at);
            let group = doc::ColliderGroup { name: saved.name, colliders, source: saved.source };
            self.apply(Edit::PutGroup { id, group: Some(group) }, at);
        }
    }

    fn force(&mut self, saved: Force, at: &str) {
        if !self.may_be(saved.id, self.document.forces.contains_key(&ForceId(saved.id)), at) {
            return;
        }
        let Some(node) = self.node(saved.node, at) else { return };
        let Some(mut kind) = sim::ForceKind::ALL.into_iter().find(|kind| kind.name() == saved.kind) else {
            self.warn(at, format!("force \"{}\" is of no known kind; left out", clip(&saved.kind)));
            return;
        };
        for (name, Number(value)) in saved.values {
            match kind.fields().iter().position(|def| def.name == name) {
                Some(field) => kind = kind.with_field(field, value),
                None => self.warn(at, format!("parameter \"{}\" is not known; left out", clip(&name))),
            }
        }
        let force = doc::Force { name: saved.name, node, kind, enabled: saved.enabled };
        self.apply(Edit::PutForce { id: ForceId(saved.id), force: Some(force) }, at);
    }

    fn high_leg(&mut self, saved: &HighLeg, at: &str) {
        if !self.may_be(saved.id, self.document.high_legs.contains_key(&HighLegId(saved.id)), at) {
            return;
        }
        let mut node = |node| self.node(node, at);
        let (Some(own), Some(hip)) = (node(saved.node), node(saved.hip)) else { return };
        let legs: Option<Vec<_>> = saved.legs.iter().map(|[from, to]| Some([node(*from)?, node(*to)?])).collect();
        let Some(legs) = legs else { return };
        let high_leg = doc::HighLeg { node: own, hip, legs };
        self.apply(Edit::PutHighLeg { id: HighLegId(saved.id), high_leg: Some(high_leg) }, at);
    }

    fn gesture(&mut self, saved: Gesture, at: &str) {
        if !self.may_be(saved.id, self.document.gestures.contains_key(&GestureId(saved.id)), at) {
            return;
        }
        let Some(bone) = self.bone(saved.bone, at) else { return };
        if saved.samples.is_empty() {
            self.warn(at, format!("gesture \"{}\" has no samples; left out", clip(&saved.name)));
            return;
        }
        let sample = |s: [Number; 7]| {
            let [x, y, z, i, j, k, w] = s.map(|n| n.0);
            GestureSample { offset: Vec3::new(x, y, z), turn: Quat::from_xyzw(i, j, k, w) }
        };
        let samples = saved.samples.into_iter().map(sample).collect();
        let gesture = doc::Gesture { name: saved.name, bone, samples };
        self.apply(Edit::PutGesture { id: GestureId(saved.id), gesture: Some(gesture) }, at);
        let Some(over) = saved.over else { return };
        let motion = match over.motion {
            Underneath::Test(name) => TestMotion::from_name(&name).map(doc::Underneath::Test),
            Underneath::Clip(name) => Some(doc::Underneath::Clip(name)),
            Underneath::Gesture(id) => Some(doc::Underneath::Gesture(GestureId(id))),
        };
        let Some(motion) = motion.filter(|_| over.start.is_finite() && over.pace.is_finite()) else {
            return self
                .warn(at, "what the gesture was recorded over is not known; it plays over the rest pose".to_owned());
        };
        let over = doc::Underlay { motion, start: over.start, pace: over.pace, amplitude: over.amplitude.0 };
        self.apply(Edit::SetUnderlay { id: GestureId(saved.id), over: Some(over) }, at);
    }
}

pub(super) fn vec3(numbers: [Number; 3]) -> Vec3 {
    Vec3::from_array(numbers.map(|n| n.0))
}

fn limit(saved: Limit) -> SwingLimit {
    let (shape, rotation) = match saved {
        Limit::Cone { angle, rotation } => (SwingShape::Cone { angle: angle.0 }, rotation),
        Limit::Hinge { angle, rotation } => (SwingShape::Hinge { angle: angle.0 }, rotation),
        Limit::Spherical { pitch, yaw, rotation } => (SwingShape::Spherical { pitch: pitch.0, yaw: yaw.0 }, rotation),
    };
    SwingLimit { shape, rotation: Quat::from_array(rotation.map(|n| n.0)) }
}

fn shape(saved: Shape) -> sim::Shape {
    match saved {
        Shape::Sphere { radius } => sim::Shape::Sphere { radius: radius.0, inside: false },
        Shape::Capsule { radius, height } => sim::Shape::Capsule { radius: radius.0, height: height.0, inside: false },
        Shape::Panel { width, height } => sim::Shape::Panel { width: width.0, height: height.0 },
        Shape::InsideSphere { radius } => sim::Shape::Sphere { radius: radius.0, inside: true },
        Shape::InsideCapsule { radius, height } => {
            sim::Shape::Capsule { radius: radius.0, height: height.0, inside: true }
        }
        Shape::Plane {} => sim::Shape::Plane,
        Shape::Tapered { radius, tail_radius, height } => {
            sim::Shape::Tapered { radius: radius.0, tail_radius: tail_radius.0, height: height.0, inside: false }
        }
        Shape::InsideTapered { radius, tail_radius, height } => {
            sim::Shape::Tapered { radius: radius.0, tail_radius: tail_radius.0, height: height.0, inside: true }
        }
        Shape::Box { width, height, depth } => {
            sim::Shape::Box { width: width.0, height: height.0, depth: depth.0, inside: false }
        }
        Shape::InsideBox { width, height, depth } => {
            sim::Shape::Box { width: width.0, height: height.0, depth: depth.0, inside: true }
        }
        Shape::Cylinder { radius, height } => {
            sim::Shape::Cylinder { radius: radius.0, height: height.0, inside: false }
        }
        Shape::InsideCylinder { radius, height } => {
            sim::Shape::Cylinder { radius: radius.0, height: height.0, inside: true }
        }
    }
}
