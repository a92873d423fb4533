//! Converts the entries of a file that was made for another character to the rest frames of this character.

use super::name_resolver::NameResolver;
use super::{FileSection, SetupFile};
use crate::document::rest_frame::FrameTurn;
use crate::document::source_frames::{
    FrameTransfer, KeptValue, RestPose, reverse_chain_gravity, reverse_vrm_gravity, turn_around,
};
use crate::document::{ByName, Chain, ComponentLists, Helper, HelperRole, Joint, JointEntry, NodeRef, SetupEntry};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamDef;
use yuremono_sim::rig::{BoneId, Facing, Pose, Skeleton, WorldPose};

/// Converts a file in glTF space. Does nothing if the frames of the source are unknown. Returns the values that stayed
/// unchanged.
pub(super) fn convert_to_rest_frames(
    file: &mut SetupFile,
    rest: RestPose<'_>,
    resolver: &NameResolver<'_>,
) -> Vec<KeptValue> {
    let Some(source) = file.source_frames.take() else { return Vec::new() };
    let turned_to = source.turned_to(rest.facing);
    let mut transfer = EntryTransfer {
        turns: source.turns(rest, |name| resolver.bone(name)),
        turned_to,
        resolver,
        hulls: colliders_with_hulls(file),
        other_version: BTreeSet::new(),
        kept: Vec::new(),
    };
    if transfer.turns.is_empty() && turned_to.is_none() {
        return Vec::new();
    }
    transfer.convert_chains(file, rest.skeleton);
    for item in &mut file.entries {
        if let Ok(SetupEntry::System(system)) = &mut item.content
            && transfer.convert_system(system)
        {
            transfer.other_version.insert(item.system);
        }
    }
    for at in 0..file.entries.len() {
        let (table, system) = (file.solver_of(&file.entries[at]).info().params, file.entries[at].system);
        if let Ok(content) = &mut file.entries[at].content {
            transfer.convert_entry(content, table, transfer.other_version.contains(&system));
        }
    }
    if turned_to.is_some() {
        let solvers: Vec<_> = file.trees.iter().map(|tree| file.solver_of_tree(tree)).collect();
        for (tree, solver) in file.trees.iter_mut().zip(solvers) {
            turn_around(&mut tree.base_values, solver.info().params);
        }
    }
    transfer.kept
}

fn colliders_with_hulls(file: &SetupFile) -> BTreeSet<String> {
    let systems = file.entries.iter().filter_map(|item| match &item.content {
        Ok(SetupEntry::System(system)) => Some(&system.component_lists),
        _ => None,
    });
    systems.flat_map(ComponentLists::colliders_with_hulls).cloned().collect()
}

struct EntryTransfer<'n, 'a> {
    turns: BTreeMap<String, FrameTurn>,
    turned_to: Option<Facing>,
    resolver: &'n NameResolver<'a>,
    /// Names of colliders with a convex hull.
    hulls: BTreeSet<String>,
    /// Indices of the systems whose version of VRM changed.
    other_version: BTreeSet<usize>,
    kept: Vec<KeptValue>,
}

impl EntryTransfer<'_, '_> {
    /// Converts an entry other than a system. `reverses_gravity` is whether the version of its VRM system changed.
    fn convert_entry(&mut self, entry: &mut SetupEntry, table: &'static [ParamDef], reverses_gravity: bool) {
        match entry {
            SetupEntry::Helper(helper) => self.convert_helper(helper),
            SetupEntry::Collider(collider) => {
                let has_hull = self.hulls.contains(&collider.name);
                self.convert_collider(collider, has_hull);
            }
            SetupEntry::Force(force) => self.convert_force(force),
            SetupEntry::HighLeg(high_leg) => self.convert_high_leg(high_leg),
            SetupEntry::Chain(entry) => {
                self.convert_chain(&mut entry.chain, table);
                if reverses_gravity {
                    reverse_chain_gravity(&mut entry.chain);
                }
            }
            SetupEntry::Joint(entry) => {
                self.convert_joint(&mut entry.joint, table);
                if reverses_gravity {
                    reverse_vrm_gravity(&mut entry.joint.overrides);
                }
            }
            SetupEntry::Material(_, material) => self.convert_material(material, !self.other_version.is_empty()),
            SetupEntry::System(_)
            | SetupEntry::ComponentNodes(_)
            | SetupEntry::DisabledCollider(_)
            | SetupEntry::Group(..)
            | SetupEntry::ExcludedBone(_)
            | SetupEntry::HiddenMesh(_) => {}
        }
    }

    /// Moves values of chains that are in the frames of bones to the joint entries of the chains.
    fn convert_chains(&self, file: &mut SetupFile, skeleton: &Skeleton) {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let mut joints: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
        let mut chains = Vec::new();
        for (at, item) in file.entries.iter().enumerate() {
            match &item.content {
                Ok(SetupEntry::Joint(JointEntry { chain: Some(chain), .. })) => {
                    joints.entry((item.system, *chain)).or_default().push(at);
                }
                Ok(SetupEntry::Chain(chain)) => chains.extend(chain.number.map(|number| (at, number))),
                _ => {}
            }
        }
        for (at, number) in chains {
            let table = file.solver_of(&file.entries[at]).info().params;
            let indices = joints.get(&(file.entries[at].system, number)).map_or(&[][..], Vec::as_slice);
            let Ok(SetupEntry::Chain(entry)) = &file.entries[at].content else { continue };
            let mut chain = entry.chain.clone();
            let joint_at = |index: &usize| match &file.entries[*index].content {
                Ok(SetupEntry::Joint(joint)) => Some(joint.joint.clone()),
                _ => None,
            };
            chain.joints = indices.iter().filter_map(joint_at).collect();
            let positions = self.curve_positions(&chain, &rest, skeleton);
            self.move_bone_values_to_joints(&mut chain, table, &positions);
            for (index, moved) in indices.iter().zip(chain.joints) {
                if let Ok(SetupEntry::Joint(entry)) = &mut file.entries[*index].content {
                    entry.joint = moved;
                }
            }
        }
    }

    /// Returns the curve position of each joint, measured on this character. Joints without a bone are at 0.
    fn curve_positions(&self, chain: &Chain<ByName>, rest: &WorldPose, skeleton: &Skeleton) -> Vec<f32> {
        let bones: Vec<Option<BoneId>> = chain.joints.iter().map(|joint| self.resolver.bone(&joint.bone)).collect();
        let joints = bones.iter().flatten().map(|bone| Joint::new(*bone)).collect();
        let mut found = Chain::new(String::new(), chain.part, &[], joints);
        found.curve_domain = chain.curve_domain;
        let mut positions = found.curve_positions_in_pose(rest, skeleton).into_iter();
        bones.iter().map(|bone| bone.and_then(|_| positions.next()).unwrap_or_default()).collect()
    }
}

impl FrameTransfer<ByName> for EntryTransfer<'_, '_> {
    fn bone_turn(&self, bone: &String) -> Option<FrameTurn> {
        self.turns.get(bone).copied()
    }

    fn node_turn(&self, node: &NodeRef) -> Option<FrameTurn> {
        match node {
            NodeRef::Named(name) => self.bone_turn(name),
            NodeRef::Inline(_) => None,
        }
    }

    fn turned_to(&self) -> Option<Facing> {
        self.turned_to
    }

    fn insert_node(&mut self, bone: &NodeRef, local: Trs, role: HelperRole) -> NodeRef {
        let name = FrameTurn::node_name(bone.name());
        NodeRef::Inline(Box::new(Helper { name, parent: bone.clone(), local, role }))
    }

    fn report_kept(&mut self, bone: &String, def: &'static ParamDef) {
        self.kept.extend(self.resolver.bone(bone).map(|bone| KeptValue { bone, def }));
    }

    fn convert_inline(&mut self, node: &mut NodeRef) {
        if let NodeRef::Inline(helper) = node {
            self.convert_helper(helper);
        }
    }
}

/// Whether a file has values that depend on the frames of bones, so a transfer without the frames of the source assumes
/// that both characters have equal frames.
pub(super) fn depends_on_frames(file: &SetupFile) -> bool {
    let has_transform = |section| matches!(section, FileSection::Pivots | FileSection::Colliders | FileSection::Nodes);
    file.entries.iter().any(|item| has_transform(item.section) && item.content.is_ok())
}
