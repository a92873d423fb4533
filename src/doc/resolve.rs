//! From what is authored to what solvers get: one number per joint, helpers as bones.

use super::chain::joint_rows;
use super::{ChainId, ColliderId, Document, Node, Tip};
use crate::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{ParamSet, Row};
use crate::sim::{ColliderSetup, JointSetup, SystemSetup, TipSetup};
use std::collections::BTreeMap;

/// A joint by its chain and bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointRef {
    /// Which chain.
    pub chain: ChainId,
    /// The joint's bone.
    pub bone: BoneId,
}

/// A document made ready for the simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The file's bones, then helpers.
    pub skeleton: Skeleton,
    /// What the world is built from.
    pub systems: Vec<SystemSetup>,
    /// Where each joint of each system came from, in the same order.
    pub joints: Vec<Vec<JointRef>>,
    /// The bone that stands for each node of the document.
    pub bones: BTreeMap<Node, BoneId>,
    /// The place of each joint along its chain, 0..=1.
    pub places: BTreeMap<ChainId, Vec<f32>>,
    /// Which chain has a bone, and as which joint; of those that the file has.
    pub index: BTreeMap<BoneId, (ChainId, usize)>,
}

impl Document {
    /// Resolves curves, helpers and references against the file's skeleton. Joints on bones that the file does
    /// not have are left out.
    pub fn resolve(&self, skeleton: &Skeleton) -> Resolved {
        let mut all = skeleton.clone();
        let bones = self.add_helpers(&mut all);
        let (colliders, collider_at) = self.resolve_colliders(&bones, &all);
        let table = self.table();
        let mut joints = Vec::new();
        let mut refs = Vec::new();
        let mut index = BTreeMap::new();
        for (id, chain) in &self.chains {
            for (at, joint) in chain.joints.iter().enumerate().filter(|(_, j)| j.bone.index() < skeleton.len()) {
                let tip = match &joint.tip {
                    Tip::Offset(offset) => TipSetup::Offset(*offset),
                    Tip::Bone(bone) if bone.index() < skeleton.len() => TipSetup::Bones(vec![*bone]),
                    Tip::Bone(_) | Tip::Children => TipSetup::Bones(skeleton.children(joint.bone).to_vec()),
                };
                joints.push(JointSetup {
                    bone: joint.bone,
                    tip,
                    values: ParamSet::defaults(table),
                    pivot: joint.pivot.and_then(|p| bone_of(&bones, &all, p)),
                    colliders: joint.colliders.iter().filter_map(|c| collider_at.get(c).copied()).collect(),
                    chain: id.0,
                    enabled: joint.enabled,
                    animated: false,
                });
                refs.push(JointRef { chain: *id, bone: joint.bone });
                index.insert(joint.bone, (*id, at));
            }
        }
        let system = SystemSetup { solver: self.solver, values: self.system.clone(), joints, colliders };
        let systems = vec![system];
        let mut resolved =
            Resolved { skeleton: all, systems, joints: vec![refs], bones, places: BTreeMap::new(), index };
        self.resolve_values(skeleton, &mut resolved);
        resolved
    }

    /// Brings the numbers of `resolved` up to date after edits that touched nothing but parameters.
    pub fn resolve_values(&self, skeleton: &Skeleton, resolved: &mut Resolved) {
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        resolved.places = self.chains.iter().map(|(id, c)| (*id, c.places_in(&rest, skeleton))).collect();
        let rows: Vec<Row> = joint_rows(self.table()).map(|(row, _)| row).collect();
        for (system, refs) in resolved.systems.iter_mut().zip(&resolved.joints) {
            system.values.clone_from(&self.system);
            for (joint, JointRef { chain: id, bone }) in system.joints.iter_mut().zip(refs) {
                let Some((chain, (_, at))) = self.chains.get(id).zip(resolved.index.get(bone).copied()) else {
                    continue;
                };
                let place = resolved.places[id][at];
                for row in &rows {
                    joint.values.set(*row, chain.shared(*row, place));
                }
                let own = chain.joints[at].own.iter().filter(|(row, _)| rows.binary_search(row).is_ok());
                own.for_each(|(row, value)| _ = joint.values.set(*row, *value));
            }
        }
    }

    /// Shapes whose node is there, and the position of each.
    fn resolve_colliders(
        &self,
        bones: &BTreeMap<Node, BoneId>,
        skeleton: &Skeleton,
    ) -> (Vec<ColliderSetup>, BTreeMap<ColliderId, u32>) {
        let found = self.colliders.iter().filter_map(|(id, c)| Some((id, c, bone_of(bones, skeleton, c.node)?)));
        found.enumerate().map(|(i, (id, c, bone))| (ColliderSetup { bone, shape: c.shape }, (*id, i as u32))).unzip()
    }

    /// Appends helpers, parents first; those whose parent is missing are left out.
    fn add_helpers(&self, skeleton: &mut Skeleton) -> BTreeMap<Node, BoneId> {
        let mut bones = BTreeMap::new();
        let mut waiting: Vec<_> = self.helpers.iter().collect();
        loop {
            let before = waiting.len();
            waiting.retain(|(id, helper)| {
                let Some(parent) = bone_of(&bones, skeleton, helper.parent) else { return true };
                let bone = Bone { name: helper.name.clone(), parent: Some(parent), rest: helper.local };
                let Ok(bone) = skeleton.push(bone) else { return true };
                bones.insert(Node::Helper(**id), bone);
                false
            });
            if waiting.len() == before {
                return bones;
            }
        }
    }
}

fn bone_of(helpers: &BTreeMap<Node, BoneId>, skeleton: &Skeleton, node: Node) -> Option<BoneId> {
    match node {
        Node::Bone(bone) => (bone.index() < skeleton.len()).then_some(bone),
        Node::Helper(_) => helpers.get(&node).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{Chain, Collider, Helper, HelperId, Joint, Part};
    use crate::math::{Curve, CurveShape, Trs};
    use crate::schema::{Scope, rows};
    use crate::sim::Shape;
    use glam::Vec3;

    fn skeleton() -> Skeleton {
        let bone = |i: u32| Bone {
            name: format!("b{i}"),
            parent: i.checked_sub(1).map(BoneId),
            rest: Trs { translation: Vec3::new(0.0, -0.1, 0.0), ..Trs::IDENTITY },
        };
        Skeleton::new((0..5).map(bone).collect()).expect("parents first")
    }

    fn document() -> Document {
        let mut document = Document::default();
        let joints = [1, 2, 3, 77].map(|i| Joint::new(BoneId(i))).to_vec();
        let chain = Chain::new("hair", Part::Hair, document.table(), joints);
        document.chains.insert(ChainId(4), chain);
        document
    }

    fn helper(name: &str, parent: Node) -> Helper {
        Helper { name: name.to_owned(), parent, local: Trs::IDENTITY }
    }

    #[test]
    fn helpers_come_after_the_bones_parents_first_whatever_their_numbers() {
        let mut document = document();
        document.helpers.insert(HelperId(1), helper("leaf", Node::Helper(HelperId(9))));
        document.helpers.insert(HelperId(9), helper("stem", Node::Bone(BoneId(2))));
        document.helpers.insert(HelperId(3), helper("lost", Node::Bone(BoneId(50))));
        document.helpers.insert(HelperId(2), helper("lost too", Node::Helper(HelperId(3))));
        let resolved = document.resolve(&skeleton());
        let names: Vec<_> = resolved.skeleton.bones()[5..].iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["stem", "leaf"]);
        assert_eq!(resolved.bones[&Node::Helper(HelperId(1))], BoneId(6));
        assert!(!resolved.bones.contains_key(&Node::Helper(HelperId(2))));
    }

    #[test]
    fn what_hangs_on_missing_bones_is_left_out_and_the_rest_keeps_its_order() {
        let mut document = document();
        let ball = |node| Collider { name: "ball".to_owned(), node, shape: Shape::Sphere { radius: 0.1 } };
        document.colliders.insert(ColliderId(1), ball(Node::Bone(BoneId(60))));
        document.colliders.insert(ColliderId(2), ball(Node::Bone(BoneId(4))));
        document.colliders.insert(ColliderId(3), ball(Node::Bone(BoneId(0))));
        let joint = &mut document.chains.get_mut(&ChainId(4)).expect("a chain").joints[1];
        joint.colliders = vec![ColliderId(3), ColliderId(1), ColliderId(2)];
        joint.pivot = Some(Node::Bone(BoneId(61)));
        joint.tip = Tip::Bone(BoneId(62));
        let resolved = document.resolve(&skeleton());
        let system = &resolved.systems[0];
        assert_eq!(system.colliders.len(), 2);
        assert_eq!(system.joints.iter().map(|j| j.bone.0).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(system.joints[1].colliders, [1, 0]);
        assert_eq!(system.joints[1].pivot, None);
        assert_eq!(system.joints[1].tip, TipSetup::Bones(vec![BoneId(3)]));
        assert_eq!(resolved.places[&ChainId(4)].len(), 4);
        assert_eq!(resolved.index.get(&BoneId(3)), Some(&(ChainId(4), 2)));
        assert_eq!(resolved.index.get(&BoneId(77)), None);
    }

    #[test]
    fn a_joint_gets_its_own_value_or_base_times_curve_in_place_as_anew() {
        let mut document = document();
        let (row, _) = rows(document.table()).find(|(_, d)| d.scope == Scope::Joint).expect("a row of joints");
        let mut resolved = document.resolve(&skeleton());
        let chain = document.chains.get_mut(&ChainId(4)).expect("a chain");
        chain.values[row.index()].base = 8.0;
        chain.values[row.index()].curve = Some(Curve::shape(CurveShape::Linear));
        chain.joints[1].own.insert(row, 3.0);
        document.resolve_values(&skeleton(), &mut resolved);
        let values: Vec<f32> = resolved.systems[0].joints.iter().map(|j| j.values.get(row)).collect();
        assert_eq!(values[..2], [8.0, 3.0]);
        assert!((values[2] - 1.6).abs() < 1e-5);
        assert_eq!(resolved, document.resolve(&skeleton()));
    }
}
