//! From a file's spring bones to chains under `UnityChan` `SpringBone`: the same joints and shapes, and the numbers
//! that feel the same on each bone.

use super::{Chain, Joint, Shape, Springs, Tail};
use crate::doc::feel::{joint_length, seconds_per_step};
use crate::doc::names::BoneName;
use crate::doc::{self, Collider, ColliderId, Document, Edit, Helper, HelperRole, Node, Part, Tip};
use crate::math::{Trs, shortest_arc};
use crate::report::{Diagnostic, Place};
use crate::rig::{BoneId, Character, Pose, WorldPose};
use crate::schema::Row;
use crate::sim;
use crate::sim::solver::spring_bone as unity;
use crate::sim::unify::VrmValues;
use glam::{Quat, Vec3};

/// A document with the file's chains, colliders and numbers; what it cannot hold is said.
pub fn to_document(springs: &Springs, character: &Character, file: &str) -> (Document, Vec<Diagnostic>) {
    let mut making = Making { character, document: Document::default(), diagnostics: Vec::new(), file };
    let colliders = making.colliders(springs);
    let rest = WorldPose::of(&character.skeleton, &Pose::rest(&character.skeleton));
    for chain in &springs.chains {
        let groups = chain.collider_groups.iter().filter_map(|g| springs.collider_groups.get(*g));
        let mut hit: Vec<ColliderId> =
            groups.flat_map(|g| &g.colliders).filter_map(|c| colliders.get(*c).copied().flatten()).collect();
        hit.sort_unstable();
        hit.dedup();
        making.chain(chain, &hit, &rest);
    }
    (making.document, making.diagnostics)
}

struct Making<'a> {
    character: &'a Character,
    document: Document,
    diagnostics: Vec<Diagnostic>,
    file: &'a str,
}

impl Making<'_> {
    /// One collider per shape, each on a helper of its own; `None` for shapes that the solver does not have.
    fn colliders(&mut self, springs: &Springs) -> Vec<Option<ColliderId>> {
        let mut left_out = 0;
        let ids = springs
            .colliders
            .iter()
            .map(|collider| {
                let (local, shape) = match collider.shape {
                    Shape::Sphere { offset, radius, inside: false } => {
                        (Trs::from_translation(offset), sim::Shape::Sphere { radius })
                    }
                    Shape::Capsule { offset, tail, radius, inside: false } => upright(offset, tail, radius),
                    Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Plane { .. } => {
                        left_out += 1;
                        return None;
                    }
                };
                Some(self.collider(collider.bone, local, shape))
            })
            .collect();
        if left_out > 0 {
            let message = format!("{left_out} inside or plane colliders are left out: UnityChan SpringBone has none");
            self.diagnostics.push(Diagnostic::warning(Place::file(self.file), message));
        }
        ids
    }

    fn collider(&mut self, bone: BoneId, local: Trs, shape: sim::Shape) -> ColliderId {
        let (helper, id) = (self.document.fresh_helper(), self.document.fresh_collider());
        let bone_name = self.character.skeleton.name(bone);
        let kind = shape.node_name();
        let taken = |name: &str| {
            self.document.helpers.values().any(|h| h.name == name) || self.character.skeleton.find(name).is_some()
        };
        let first = format!("{bone_name}_{kind}");
        let name = std::iter::once(first.clone())
            .chain((2_u32..10_000).map(|n| format!("{first}{n}")))
            .find(|name| !taken(name))
            .unwrap_or(first);
        self.put(Edit::PutHelper {
            id: helper,
            helper: Some(Helper { name: name.clone(), parent: Node::Bone(bone), local, role: HelperRole::Plain }),
        });
        self.put(Edit::PutCollider { id, collider: Some(Collider::new(name, Node::Helper(helper), shape)) });
        id
    }

    fn chain(&mut self, chain: &Chain, hit: &[ColliderId], rest: &WorldPose) {
        let table = self.document.table();
        let skeleton = &self.character.skeleton;
        let free: Vec<&Joint> = chain.joints.iter().filter(|j| self.document.joint_of(j.bone).is_none()).collect();
        if free.is_empty() {
            return;
        }
        let mut joints: Vec<doc::Joint> = free.iter().map(|j| self.joint(j, hit)).collect();
        let numbers: Vec<_> = joints.iter().zip(&free).map(|(made, j)| self.numbers(made, j, rest)).collect();
        let root = joints[0].bone;
        let name = skeleton.name(root).to_owned();
        let part = self.part(root, &chain.name);
        let mut made = doc::Chain::new(name, part, table, Vec::new());
        for (row, _) in &numbers[0] {
            let values = || numbers.iter().filter_map(|all| all.iter().find(|(r, _)| r == row).map(|(_, v)| *v));
            let first = values().next().unwrap_or(0.0);
            // The conversion rounds: what differs by less than a thousandth was one number in the file.
            if values().all(|v| (v - first).abs() <= 1e-3 * first.abs()) {
                made.values[row.index()].base = first;
            } else {
                joints.iter_mut().zip(values()).for_each(|(joint, value)| {
                    joint.own.insert(*row, value);
                });
            }
        }
        made.joints = joints;
        let id = self.document.fresh_chain();
        self.put(Edit::PutChain { id, chain: Some(Box::new(made)) });
    }

    fn joint(&self, joint: &Joint, hit: &[ColliderId]) -> doc::Joint {
        let tip = match joint.tail {
            Tail::Offset(offset) => Tip::Offset(offset),
            Tail::Bone(bone) if self.character.skeleton.children(joint.bone) == [bone] => Tip::Children,
            Tail::Bone(bone) => Tip::Bone(bone),
        };
        doc::Joint { tip, colliders: hit.to_vec(), ..doc::Joint::new(joint.bone) }
    }

    fn numbers(&self, made: &doc::Joint, joint: &Joint, rest: &WorldPose) -> Vec<(Row, f32)> {
        let h = seconds_per_step(&self.document);
        let length = joint_length(made, &self.character.skeleton, rest);
        let vrm = VrmValues { stiffness: joint.stiffness, drag: joint.drag, gravity_power: joint.gravity_power };
        let values = vrm.to_spring_bone(length, h);
        let direction = joint.gravity_dir;
        let force: Vec3 =
            direction * values.force - Vec3::from(unity::GRAVITY.map(|row| self.document.system.get(row)));
        let radius = joint.hit_radius;
        let numbers = [
            (unity::STIFFNESS, values.stiffness),
            (unity::DRAG, values.drag),
            (unity::SPRING_FORCE[0], force.x),
            (unity::SPRING_FORCE[1], force.y),
            (unity::SPRING_FORCE[2], force.z),
            (unity::RADIUS, radius),
        ];
        numbers.into_iter().filter(|(_, v)| v.is_finite()).collect()
    }

    /// By the root's name, the chain's own, or the nearest bone above that says something.
    fn part(&self, root: BoneId, comment: &str) -> Part {
        let skeleton = &self.character.skeleton;
        let above = skeleton.ancestors(root).take_while(|b| self.character.humanoid.role(*b).is_none());
        let names = [skeleton.name(root), comment].into_iter().chain(above.map(|b| skeleton.name(b)));
        names.filter_map(|name| BoneName::read(name).verdict().part).map(|found| found.0).next().unwrap_or_default()
    }

    /// Applies an edit of our own making; the file's nonsense becomes a message.
    fn put(&mut self, edit: Edit) {
        if let Err(err) = self.document.apply(edit) {
            self.diagnostics.push(Diagnostic::warning(Place::file(self.file), err.to_string()));
        }
    }
}

/// A capsule from `offset` to `tail` as a node whose +Y runs along it.
fn upright(offset: Vec3, tail: Vec3, radius: f32) -> (Trs, sim::Shape) {
    let along = tail - offset;
    let height = along.length();
    let Some(direction) = along.try_normalize() else {
        return (Trs::from_translation(offset), sim::Shape::Sphere { radius });
    };
    let rotation: Quat = shortest_arc(Vec3::Y, direction);
    (Trs { translation: offset, rotation, scale: Vec3::ONE }, sim::Shape::Capsule { radius, height })
}
