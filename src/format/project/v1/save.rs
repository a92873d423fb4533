//! A document to saved types.

use super::{
    Bone, Chain, Character, Collider, Curve, Force, Gesture, Group, Helper, HighLeg, Joint, Kept, LengthTarget, Limit,
    Material, Node, Number, Saved, Shape, System, Tip, Underlay, Underneath, Value1,
};
use crate::doc::{self, Along, BonePath, BonePaths, Document, SystemId};
use crate::format::project::{Surroundings, VERSION};
use crate::rig::{BoneId, Skeleton};
use crate::schema::{ParamDef, Row, Scope, rows};
use crate::sim::{self, SwingLimit, SwingShape};
use std::collections::BTreeMap;

pub(in super::super) fn save(document: &Document, skeleton: &Skeleton, around: &Surroundings) -> Saved {
    let mut bones = Bones {
        document,
        paths: BonePaths::of(skeleton),
        count: skeleton.len(),
        at: BTreeMap::new(),
        list: Vec::new(),
    };
    let first = (document.systems.len() > 1).then(|| document.main_id());
    let chains = document.chains.iter().map(|(id, c)| {
        let system = (first.is_some() && first != Some(c.system)).then_some(c.system.0);
        Chain { system, ..chain(id.0, c, document.table_of(c), &mut bones) }
    });
    let chains = chains.collect();
    let materials = document.materials.iter().map(|(id, m)| material(id.0, m)).collect();
    let helpers = document.helpers.iter().map(|(id, h)| helper(id.0, h, &mut bones)).collect();
    let colliders = document.colliders.iter().map(|(id, c)| Collider {
        id: id.0,
        name: c.name.clone(),
        node: bones.node(c.node),
        shape: shape(c.shape),
        enabled: c.enabled,
        renderer: c.renderer.clone(),
        source: c.source,
    });
    let colliders = colliders.collect();
    let groups = document.groups.iter().map(|(id, g)| Group {
        id: id.0,
        name: g.name.clone(),
        colliders: g.colliders.iter().map(|c| c.0).collect(),
        source: g.source,
    });
    let groups = groups.collect();
    let forces = document.forces.iter().map(|(id, f)| force(id.0, f, &mut bones)).collect();
    let high_legs = document.high_legs.iter().map(|(id, h)| HighLeg {
        id: id.0,
        node: bones.node(h.node),
        hip: bones.node(h.hip),
        legs: h.legs.iter().map(|leg| leg.map(|node| bones.node(node))).collect(),
    });
    let high_legs = high_legs.collect();
    let excluded = document.excluded.iter().map(|b| bones.index(*b)).collect();
    let gestures =
        document.gestures.iter().map(|(id, g)| gesture(id.0, g, document.underlays.get(id), &mut bones)).collect();
    let main = document.main();
    let said = !main.name.is_empty() || main.component.is_some() || !main.extras.is_empty();
    // A lone system of the first id needs no list.
    let named = document.systems.len() > 1 || said || document.main_id() != SystemId::default();
    let systems = document.systems.iter().filter(|_| named).map(|(id, s)| system(*id, s, &mut bones)).collect();
    Saved {
        yuremono: VERSION,
        character: Character { path: around.character_path.clone(), name: around.character_name.clone() },
        solver: main.solver.key().to_owned(),
        system: values(main),
        systems,
        materials,
        chains,
        helpers,
        colliders,
        groups,
        forces,
        high_legs,
        renderers_off: document.renderers_off.iter().cloned().collect(),
        excluded,
        gestures,
        kept: document.kept.iter().map(|k| Kept { bone: k.bone.clone(), cells: k.cells.clone() }).collect(),
        motions: around.motions.clone(),
        view: around.view.clone(),
        bones: bones.list,
    }
}

fn system(id: SystemId, system: &doc::System, bones: &mut Bones<'_>) -> System {
    let solver = system.solver.key().to_owned();
    let component = system.component.map(|node| bones.node(node));
    let extras = super::extras::save(&system.extras, bones);
    System { id: id.0, name: system.name.clone(), solver, values: values(system), component, extras }
}

fn values(system: &doc::System) -> BTreeMap<String, Number> {
    let own = rows(system.table()).filter(|(_, def)| def.scope == Scope::System);
    own.map(|(row, def)| (def.name.to_owned(), Number(system.get(row)))).collect()
}

/// The bones that were named so far.
pub(super) struct Bones<'a> {
    document: &'a Document,
    paths: BonePaths<'a>,
    /// How many the character has.
    count: usize,
    at: BTreeMap<BoneId, usize>,
    list: Vec<Bone>,
}

impl Bones<'_> {
    pub(super) fn index(&mut self, bone: BoneId) -> usize {
        if let Some(at) = self.at.get(&bone) {
            return *at;
        }
        let path = if bone.index() < self.count {
            self.paths.path(bone)
        } else {
            // A document made by hand may speak of bones that were never there; no name can be told.
            self.document.lost.path(bone).cloned().unwrap_or_default()
        };
        let BonePath { name, above, nth } = path;
        self.at.insert(bone, self.list.len());
        self.list.push(Bone { name, above, nth });
        self.list.len() - 1
    }

    pub(super) fn node(&mut self, node: doc::Node) -> Node {
        match node {
            doc::Node::Bone(bone) => Node::Bone(self.index(bone)),
            doc::Node::Helper(id) => Node::Helper(id.0),
        }
    }
}

fn value(v: &doc::Authored) -> Value1 {
    Value1 { base: Number(v.base), curve: v.curve.as_ref().map(Curve::from) }
}

fn material(id: u32, material: &doc::Material) -> Material {
    let table = material.solver.info().params;
    let named = |(row, v): (&Row, &doc::Authored)| Some((table.get(row.index())?.name.to_owned(), value(v)));
    let values = material.values.iter().filter_map(named).collect();
    Material { id, name: material.name.clone(), solver: material.solver.key().to_owned(), values }
}

fn chain(id: u32, chain: &doc::Chain, table: &'static [ParamDef], bones: &mut Bones<'_>) -> Chain {
    let own = |(row, value): (&Row, &f32)| Some((table.get(row.index())?.name.to_owned(), Number(*value)));
    Chain {
        id,
        name: chain.name.clone(),
        part: chain.part.key().to_owned(),
        along: match chain.along {
            Along::Length => "length",
            Along::Depth => "depth",
        }
        .to_owned(),
        system: None,
        material: chain.material.map(|m| m.0),
        values: table.iter().zip(&chain.values).map(|(def, v)| (def.name.to_owned(), value(v))).collect(),
        joints: chain
            .joints
            .iter()
            .map(|joint| Joint {
                bone: bones.index(joint.bone),
                tip: match &joint.tip {
                    doc::Tip::Children => None,
                    doc::Tip::Bone(bone) => Some(Tip::Bone(bones.index(*bone))),
                    doc::Tip::Offset(p) => Some(Tip::Offset(p.to_array().map(Number))),
                },
                own: joint.own.iter().filter_map(own).collect(),
                pivot: joint.pivot.map(|p| bones.node(p)),
                length_targets: joint
                    .length_targets
                    .iter()
                    .map(|t| LengthTarget { node: bones.node(t.node), constant: t.constant.map(Number) })
                    .collect(),
                colliders: joint.colliders.iter().map(|c| c.0).collect(),
                limit: joint.limit.map(limit),
                enabled: joint.enabled,
                animated: joint.animated,
            })
            .collect(),
        groups: chain.groups.iter().map(|g| g.0).collect(),
        center: chain.center.map(|c| bones.node(c)),
        source: chain.source,
    }
}

fn limit(limit: SwingLimit) -> Limit {
    let rotation = limit.rotation.to_array().map(Number);
    match limit.shape {
        SwingShape::Cone { angle } => Limit::Cone { angle: Number(angle), rotation },
        SwingShape::Hinge { angle } => Limit::Hinge { angle: Number(angle), rotation },
        SwingShape::Spherical { pitch, yaw } => Limit::Spherical { pitch: Number(pitch), yaw: Number(yaw), rotation },
    }
}

fn helper(id: u32, helper: &doc::Helper, bones: &mut Bones<'_>) -> Helper {
    Helper {
        id,
        name: helper.name.clone(),
        parent: bones.node(helper.parent),
        translation: helper.local.translation.to_array().map(Number),
        rotation: helper.local.rotation.to_array().map(Number),
        scale: helper.local.scale.to_array().map(Number),
        role: Some(helper.role),
    }
}

fn force(id: u32, force: &doc::Force, bones: &mut Bones<'_>) -> Force {
    let value = |(at, def): (usize, &ParamDef)| (def.name.to_owned(), Number(force.kind.field(at)));
    Force {
        id,
        name: force.name.clone(),
        node: bones.node(force.node),
        kind: force.kind.name().to_owned(),
        values: force.kind.fields().iter().enumerate().map(value).collect(),
        enabled: force.enabled,
    }
}

fn shape(shape: sim::Shape) -> Shape {
    match shape {
        sim::Shape::Sphere { radius, inside: false } => Shape::Sphere { radius: Number(radius) },
        sim::Shape::Capsule { radius, height, inside: false } => {
            Shape::Capsule { radius: Number(radius), height: Number(height) }
        }
        sim::Shape::Panel { width, height } => Shape::Panel { width: Number(width), height: Number(height) },
        sim::Shape::Sphere { radius, inside: true } => Shape::InsideSphere { radius: Number(radius) },
        sim::Shape::Capsule { radius, height, inside: true } => {
            Shape::InsideCapsule { radius: Number(radius), height: Number(height) }
        }
        sim::Shape::Plane => Shape::Plane {},
        sim::Shape::Tapered { radius, tail_radius, height, inside: false } => {
            Shape::Tapered { radius: Number(radius), tail_radius: Number(tail_radius), height: Number(height) }
        }
        sim::Shape::Tapered { radius, tail_radius, height, inside: true } => {
            Shape::InsideTapered { radius: Number(radius), tail_radius: Number(tail_radius), height: Number(height) }
        }
        sim::Shape::Box { width, height, depth, inside: false } => {
            Shape::Box { width: Number(width), height: Number(height), depth: Number(depth) }
        }
        sim::Shape::Box { width, height, depth, inside: true } => {
            Shape::InsideBox { width: Number(width), height: Number(height), depth: Number(depth) }
        }
        sim::Shape::Cylinder { radius, height, inside: false } => {
            Shape::Cylinder { radius: Number(radius), height: Number(height) }
        }
        sim::Shape::Cylinder { radius, height, inside: true } => {
            Shape::InsideCylinder { radius: Number(radius), height: Number(height) }
        }
    }
}

fn gesture(id: u32, gesture: &doc::Gesture, over: Option<&doc::Underlay>, bones: &mut Bones<'_>) -> Gesture {
    let sample = |s: &doc::GestureSample| {
        let (o, t) = (s.offset, s.turn);
        [o.x, o.y, o.z, t.x, t.y, t.z, t.w].map(Number)
    };
    Gesture {
        id,
        name: gesture.name.clone(),
        bone: bones.index(gesture.bone),
        samples: gesture.samples.iter().map(sample).collect(),
        over: over.map(underlay),
    }
}

fn underlay(over: &doc::Underlay) -> Underlay {
    let motion = match &over.motion {
        doc::Underneath::Test(motion) => Underneath::Test(motion.name().to_owned()),
        doc::Underneath::Clip(name) => Underneath::Clip(name.clone()),
        doc::Underneath::Gesture(id) => Underneath::Gesture(id.0),
    };
    Underlay { motion, start: over.start, pace: over.pace, amplitude: Number(over.amplitude) }
}
