//! Resolves a document into the input of the simulation: one number per joint and parameter, with helpers as bones.

use crate::document::chain::{ChainDistances, joint_scope_params};
use crate::document::measure::joint_length;
use crate::document::{
    Chain, ChainId, Collider, ColliderId, Document, Force, ForceId, Helper, HelperRole, HighLeg, Joint, JointRef, Node,
    System, SystemId, Tip,
};
use std::collections::BTreeMap;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::{
    ColliderSetup, ForceSetup, HighLegSetup, JointSetup, LengthTarget, SystemSetup, TipSetup, VrmJoint,
};

#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedDocument {
    /// The bones of the file, followed by the helpers.
    pub skeleton: Skeleton,
    /// The rest pose of the file's bones, stored so that edits of values need not compute it again.
    pub rest_pose: WorldPose,
    /// Systems in the order in which they step. A system on the bones of another system steps after that system.
    pub systems: Vec<SystemSetup>,
    /// The id of each system.
    pub system_ids: Vec<SystemId>,
    /// The joint reference of each joint in each system, in the same order.
    pub joint_refs: Vec<Vec<JointRef>>,
    /// The bone of each helper.
    pub node_bones: BTreeMap<Node, BoneId>,
    /// Position of each joint along its chain, 0..=1.
    pub curve_positions: BTreeMap<ChainId, Vec<f32>>,
    /// Length of each joint in the rest pose, in metres. 0 if unknown.
    pub joint_lengths: BTreeMap<ChainId, Vec<f32>>,
    /// The index of each collider in every system. Colliders on missing nodes are omitted.
    pub collider_indices: BTreeMap<ColliderId, u32>,
    /// The index of each force in every system. Forces on missing nodes are omitted.
    pub force_indices: BTreeMap<ForceId, u32>,
    /// Chain and joint index of each bone of the file that has a joint.
    pub joint_by_bone: BTreeMap<BoneId, (ChainId, usize)>,
}

impl Document {
    /// Resolves curves, helpers and references against the skeleton of the file. Joints on missing bones are skipped.
    pub fn resolve(&self, skeleton: &Skeleton) -> ResolvedDocument {
        let mut all = skeleton.clone();
        let bones = self.add_helpers(&mut all);
        let (colliders, collider_at) = self.resolve_colliders(&bones, &all);
        let (forces, force_at) = self.resolve_forces(&bones, &all);
        let mut index = BTreeMap::new();
        for (id, chain) in &self.chains {
            let there = chain.joints.iter().enumerate().filter(|(_, j)| j.bone.index() < skeleton.len());
            index.extend(there.map(|(at, joint)| (joint.bone, (*id, at))));
        }
        let ids = self.systems_by_depth(skeleton);
        let mut systems = Vec::new();
        let mut joints = Vec::new();
        for (at, id) in ids.iter().enumerate() {
            let (mut setup, refs) = self.resolve_system(*id, &bones, &all, skeleton.len(), &collider_at);
            (setup.colliders, setup.forces) = (colliders.clone(), forces.clone());
            if at == 0 {
                // Leg followers belong to the character, so only the first system steps them.
                setup.high_legs = self.resolve_high_legs(&bones, &all);
            }
            systems.push(setup);
            joints.push(refs);
        }
        let mut resolved = ResolvedDocument {
            skeleton: all,
            rest_pose: WorldPose::from_pose(skeleton, &Pose::rest(skeleton)),
            systems,
            system_ids: ids,
            joint_refs: joints,
            node_bones: bones,
            curve_positions: BTreeMap::new(),
            joint_lengths: BTreeMap::new(),
            collider_indices: collider_at,
            force_indices: force_at,
            joint_by_bone: index,
        };
        self.resolve_values(skeleton, &mut resolved);
        resolved
    }

    /// Returns the systems in the order of the depth of their topmost chain, then of their ids.
    fn systems_by_depth(&self, skeleton: &Skeleton) -> Vec<SystemId> {
        let depth = |chain: &Chain| {
            let root = chain.joints.iter().map(|j| j.bone).find(|bone| bone.index() < skeleton.len())?;
            Some(std::iter::successors(Some(root), |bone| skeleton.get_parent(*bone)).count())
        };
        let first = |id: SystemId| {
            let chains = self.chains.values().filter(move |chain| chain.system == id);
            chains.filter_map(depth).min().unwrap_or(0)
        };
        let mut ids: Vec<SystemId> = self.systems.keys().copied().collect();
        ids.sort_by_key(|id| (first(*id), *id));
        ids
    }

    /// Resolves one system without values, lists, colliders and forces. `count` is the number of bones in the file.
    fn resolve_system(
        &self,
        id: SystemId,
        bones: &BTreeMap<Node, BoneId>,
        skeleton: &Skeleton,
        count: usize,
        colliders: &BTreeMap<ColliderId, u32>,
    ) -> (SystemSetup, Vec<JointRef>) {
        let system = &self.systems[&id];
        let mut setup = SystemSetup::new(system.solver, system.values.clone());
        setup.component = system.component.and_then(|node| find_bone(bones, skeleton, node));
        let mut refs = Vec::new();
        for (id, chain) in self.chains.iter().filter(|(_, chain)| chain.system == id) {
            for joint in chain.joints.iter().filter(|j| j.bone.index() < count) {
                setup.joints.push(JointSetup {
                    bone: joint.bone,
                    tip: self.tip_setup(system, joint, skeleton, count, bones),
                    values: ParamSet::defaults(system.param_defs()),
                    tip_values: Vec::new(),
                    pivot: joint.pivot.and_then(|p| find_bone(bones, skeleton, p)),
                    length_targets: length_targets(joint, bones, skeleton),
                    colliders: self.colliders_of(chain, joint).filter_map(|c| colliders.get(&c).copied()).collect(),
                    chain: id.0,
                    enabled: joint.enabled,
                    animated: joint.animated,
                });
                let center = chain.center.and_then(|c| find_bone(bones, skeleton, c));
                setup.vrm.push(VrmJoint { center, limit: joint.limit });
                refs.push(JointRef { chain: *id, bone: joint.bone });
            }
        }
        (setup, refs)
    }

    /// Updates the values of `resolved`, including component lists, after edits that invalidate only
    /// [`Invalidation::Params`](crate::document::Invalidation).
    pub fn resolve_values(&self, skeleton: &Skeleton, resolved: &mut ResolvedDocument) {
        let rest = &resolved.rest_pose;
        resolved.curve_positions =
            self.chains.iter().map(|(id, c)| (*id, self.curve_positions_in_pose(c, rest, skeleton))).collect();
        let lengths = |c: &Chain| c.joints.iter().map(|j| joint_length(j, skeleton, rest)).collect();
        resolved.joint_lengths = self.chains.iter().map(|(id, c)| (*id, lengths(c))).collect();
        let (bones, all) = (&resolved.node_bones, &resolved.skeleton);
        for ((system, id), refs) in resolved.systems.iter_mut().zip(&resolved.system_ids).zip(&resolved.joint_refs) {
            let Some(own) = self.systems.get(id) else { continue };
            own.component_lists.fill(system, refs, &resolved.collider_indices, |node| find_bone(bones, all, node));
            let rows: Vec<ParamId> = joint_scope_params(own.param_defs()).map(|(param, _)| param).collect();
            system.values.clone_from(&own.values);
            for (id, at) in &resolved.collider_indices {
                if let Some(collider) = self.colliders.get(id) {
                    let bone = system.colliders[*at as usize].bone;
                    system.colliders[*at as usize] = self.collider_setup(collider, bone);
                }
            }
            for (id, at) in &resolved.force_indices {
                if let Some(force) = self.forces.get(id) {
                    let setup = &mut system.forces[*at as usize];
                    (setup.kind, setup.enabled) = (force.kind, force.enabled);
                }
            }
            let has_tip_values = system.solver.info().params_at_tips;
            let mut distances: BTreeMap<ChainId, ChainDistances> = BTreeMap::new();
            for (joint, JointRef { chain: id, bone }) in system.joints.iter_mut().zip(refs) {
                let Some((chain, (_, at))) = self.chains.get(id).zip(resolved.joint_by_bone.get(bone).copied()) else {
                    continue;
                };
                let set_values = |values: &mut ParamSet, position: f32| {
                    for param in &rows {
                        values.set(*param, chain.joint_value(at, *param, position));
                    }
                };
                set_values(&mut joint.values, resolved.curve_positions[id][at]);
                if let TipSetup::Bones(tips) = &joint.tip
                    && has_tip_values
                    && tips.len() > 1
                {
                    let distances = distances.entry(*id).or_insert_with(|| chain.distances(rest, skeleton));
                    joint.tip_values.resize(tips.len(), joint.values.clone());
                    for (values, tip) in joint.tip_values.iter_mut().zip(tips) {
                        values.clone_from(&joint.values);
                        let ends = rest.frames.get(bone.index()).zip(rest.frames.get(tip.index())).map(<[_; 2]>::from);
                        set_values(values, chain.curve_position_of_tip(distances, at, ends));
                    }
                }
            }
        }
    }

    fn resolve_colliders(
        &self,
        bones: &BTreeMap<Node, BoneId>,
        skeleton: &Skeleton,
    ) -> (Vec<ColliderSetup>, BTreeMap<ColliderId, u32>) {
        let found = self.colliders.iter().filter_map(|(id, c)| Some((id, c, find_bone(bones, skeleton, c.node)?)));
        found.enumerate().map(|(i, (id, c, bone))| (self.collider_setup(c, bone), (*id, i as u32))).unzip()
    }

    fn collider_setup(&self, collider: &Collider, bone: BoneId) -> ColliderSetup {
        let renderer_on = collider.mesh_name.as_ref().is_none_or(|name| !self.hidden_meshes.contains(name));
        ColliderSetup { bone, shape: collider.shape, enabled: collider.enabled, renderer_on }
    }

    fn resolve_forces(
        &self,
        bones: &BTreeMap<Node, BoneId>,
        skeleton: &Skeleton,
    ) -> (Vec<ForceSetup>, BTreeMap<ForceId, u32>) {
        let found = self.forces.iter().filter_map(|(id, f)| Some((id, f, find_bone(bones, skeleton, f.node)?)));
        let setup = |f: &Force, bone| ForceSetup { bone, kind: f.kind, enabled: f.enabled };
        found.enumerate().map(|(i, (id, f, bone))| (setup(f, bone), (*id, i as u32))).unzip()
    }

    /// Resolves leg followers. Leg followers with missing nodes are skipped.
    fn resolve_high_legs(&self, bones: &BTreeMap<Node, BoneId>, skeleton: &Skeleton) -> Vec<HighLegSetup> {
        let bone = |node: Node| find_bone(bones, skeleton, node);
        let leg = |[from, to]: &[Node; 2]| Some([bone(*from)?, bone(*to)?]);
        let setup = |high_leg: &HighLeg| {
            let legs = high_leg.legs.iter().map(leg).collect::<Option<_>>()?;
            Some(HighLegSetup { bone: bone(high_leg.node)?, hip: bone(high_leg.hip)?, legs })
        };
        self.high_legs.values().filter_map(setup).collect()
    }

    /// Resolves the tip of a joint. If the system requires it, as in Unity, helpers on the bone (except pivots) count
    /// as children.
    fn tip_setup(
        &self,
        system: &System,
        joint: &Joint,
        skeleton: &Skeleton,
        count: usize,
        bones: &BTreeMap<Node, BoneId>,
    ) -> TipSetup {
        match &joint.tip {
            Tip::Offset(offset) => TipSetup::Offset(*offset),
            Tip::Bone(bone) if bone.index() < count => TipSetup::Bones(vec![*bone]),
            Tip::Bone(_) | Tip::Children => {
                let mut children = skeleton.children(joint.bone).to_vec();
                children.retain(|child| child.index() < count);
                if system.helpers_count_as_children() {
                    let counts = |h: &Helper| h.parent == Node::Bone(joint.bone) && h.role != HelperRole::Pivot;
                    let helpers = self.helpers.iter().filter(|(_, h)| counts(h));
                    children.extend(helpers.filter_map(|(id, _)| bones.get(&Node::Helper(*id))));
                }
                TipSetup::Bones(children)
            }
        }
    }

    /// Appends helpers to the skeleton, parents first. Helpers whose parent is missing are skipped.
    fn add_helpers(&self, skeleton: &mut Skeleton) -> BTreeMap<Node, BoneId> {
        let mut bones = BTreeMap::new();
        let mut waiting: Vec<_> = self.helpers.iter().collect();
        loop {
            let before = waiting.len();
            waiting.retain(|(id, helper)| {
                let Some(parent) = find_bone(&bones, skeleton, helper.parent) else { return true };
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

fn length_targets(joint: &Joint, helpers: &BTreeMap<Node, BoneId>, skeleton: &Skeleton) -> Vec<LengthTarget> {
    let found = |t: &crate::document::LengthTarget| {
        Some(LengthTarget { bone: find_bone(helpers, skeleton, t.node)?, stiffness: t.constant })
    };
    joint.length_targets.iter().filter_map(found).collect()
}

fn find_bone(helpers: &BTreeMap<Node, BoneId>, skeleton: &Skeleton, node: Node) -> Option<BoneId> {
    match node {
        Node::Bone(bone) => (bone.index() < skeleton.len()).then_some(bone),
        Node::Helper(_) => helpers.get(&node).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainPart, HelperId};
    use glam::Vec3;
    use yuremono_sim::ColliderShape;
    use yuremono_sim::math::{Curve, CurveShape, Trs};
    use yuremono_sim::params::{ParamScope, enumerate_params};

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
        let chain = Chain::new("hair", ChainPart::Hair, document.main_system().param_defs(), joints);
        document.chains.insert(ChainId(4), chain);
        document
    }

    fn helper(name: &str, parent: Node) -> Helper {
        Helper { name: name.to_owned(), parent, local: Trs::IDENTITY, role: HelperRole::Plain }
    }

    #[test]
    fn helpers_follow_the_bones_with_parents_first_regardless_of_their_ids() {
        let mut document = document();
        document.helpers.insert(HelperId(1), helper("leaf", Node::Helper(HelperId(9))));
        document.helpers.insert(HelperId(9), helper("stem", Node::Bone(BoneId(2))));
        document.helpers.insert(HelperId(3), helper("lost", Node::Bone(BoneId(50))));
        document.helpers.insert(HelperId(2), helper("lost too", Node::Helper(HelperId(3))));
        let resolved = document.resolve(&skeleton());
        let names: Vec<_> = resolved.skeleton.bones()[5..].iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["stem", "leaf"]);
        assert_eq!(resolved.node_bones[&Node::Helper(HelperId(1))], BoneId(6));
        assert!(!resolved.node_bones.contains_key(&Node::Helper(HelperId(2))));
    }

    #[test]
    fn elements_on_missing_bones_are_skipped_and_the_rest_keeps_its_order() {
        let mut document = document();
        let ball = |node| Collider::new("ball", node, ColliderShape::Sphere { radius: 0.1, inside: false });
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
        assert_eq!(resolved.curve_positions[&ChainId(4)].len(), 4);
        assert_eq!(resolved.joint_by_bone.get(&BoneId(3)), Some(&(ChainId(4), 2)));
        assert_eq!(resolved.joint_by_bone.get(&BoneId(77)), None);
    }

    #[test]
    fn a_helper_on_a_leaf_bone_is_its_tip_only_with_unity_chan() {
        use yuremono_sim::SolverKind;
        for solver in [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::KawaiiPhysics] {
            let mut document = Document::with_solver(solver);
            document.helpers.insert(HelperId(1), helper("ball", Node::Bone(BoneId(4))));
            let chain =
                Chain::new("hair", ChainPart::Hair, document.main_system().param_defs(), vec![Joint::new(BoneId(4))]);
            document.chains.insert(ChainId(1), chain);
            let tip = if solver == SolverKind::UnityChanSpringBone { vec![BoneId(5)] } else { vec![] };
            assert_eq!(document.resolve(&skeleton()).systems[0].joints[0].tip, TipSetup::Bones(tip), "{solver:?}");
        }
    }

    #[test]
    fn resolving_values_in_place_equals_a_full_resolve() {
        let mut document = document();
        let (param, _) = enumerate_params(document.main_system().param_defs())
            .find(|(_, d)| d.scope == ParamScope::Joint)
            .expect("a row of joints");
        let mut resolved = document.resolve(&skeleton());
        let chain = document.chains.get_mut(&ChainId(4)).expect("a chain");
        chain.values[param.index()].base = 8.0;
        chain.values[param.index()].curve = Some(Curve::from_shape(CurveShape::Linear));
        chain.joints[1].overrides.insert(param, 3.0);
        document.resolve_values(&skeleton(), &mut resolved);
        let values: Vec<f32> = resolved.systems[0].joints.iter().map(|j| j.values.get(param)).collect();
        assert_eq!(values[..2], [8.0, 3.0]);
        assert!((values[2] - 1.6).abs() < 1e-5);
        assert_eq!(resolved, document.resolve(&skeleton()));
    }
}
