//! Views of a document as tables store it: names instead of ids, one value per joint, one solver.

use super::name_resolver::NameResolver;
use super::unbind::NodeNames;
use crate::document::{Chain, ChainId, Collider, Document, Joint, Passthrough, System, SystemId};
use crate::exchange::remap::NameMap;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::params::{ParamId, ParamKind};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::{ColliderShape, SolverKind};

pub(super) fn without_duplicates(mut names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// The rank of a shape in the Unity CSV, which sorts the colliders of a row by shape.
pub(super) const fn collider_order(shape: &ColliderShape) -> usize {
    match shape {
        ColliderShape::Sphere { inside: false, .. } => 0,
        ColliderShape::Capsule { inside: false, .. } => 1,
        ColliderShape::Panel { .. } => 2,
        // The Unity CSV has no other shapes.
        _ => 3,
    }
}

/// The collider names of a joint, without duplicates. Colliders of groups are listed first. If the solver uses pivots,
/// the names are sorted by shape. Colliders that the solver does not support are skipped.
pub(super) fn supported_collider_names(document: &Document, chain: &Chain, joint: &Joint) -> Vec<String> {
    let info = document.solver_of(chain).info();
    let all = document.colliders_of(chain, joint).filter_map(|id| document.colliders.get(&id));
    let mut supported: Vec<&Collider> = all.filter(|collider| info.supports_shape(&collider.shape)).collect();
    if info.uses_pivots {
        supported.sort_by_key(|collider| collider_order(&collider.shape));
    }
    without_duplicates(supported.into_iter().map(|collider| collider.name.clone()).collect())
}

/// References of a joint to missing nodes and colliders.
#[derive(Clone, Copy, Default)]
pub(super) struct MissingNames<'a> {
    /// Empty if no pivot is missing.
    pub(super) pivot: &'a str,
    pub(super) length_targets: &'a [String],
    pub(super) colliders: &'a [String],
}

/// The missing references of joints by bone name, from the passthrough entries.
pub(super) fn missing_names(document: &Document) -> BTreeMap<&str, MissingNames<'_>> {
    let references = document.passthrough.iter().filter_map(|kept| match kept {
        Passthrough::References { bone, pivot, length_targets, colliders } => {
            Some((bone.as_str(), MissingNames { pivot, length_targets, colliders }))
        }
        _ => None,
    });
    references.collect()
}

pub(super) struct DocumentView<'a> {
    pub(super) document: &'a Document,
    pub(super) skeleton: &'a Skeleton,
    pub(super) resolver: NameResolver<'a>,
    pub(super) rest: WorldPose,
    curve_positions: BTreeMap<ChainId, Vec<f32>>,
    missing_names: BTreeMap<&'a str, MissingNames<'a>>,
}

impl<'a> DocumentView<'a> {
    pub(super) fn new(document: &'a Document, skeleton: &'a Skeleton, name_map: &'a NameMap) -> Self {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let places =
            document.chains.iter().map(|(id, c)| (*id, document.curve_positions_in_pose(c, &rest, skeleton))).collect();
        Self {
            document,
            skeleton,
            resolver: NameResolver::new(document, skeleton, name_map),
            rest,
            curve_positions: places,
            missing_names: missing_names(document),
        }
    }

    pub(super) fn joint_value(&self, chain: ChainId, joint: usize, param: ParamId) -> f32 {
        self.document.chains[&chain].joint_value(joint, param, self.curve_positions[&chain][joint])
    }

    /// Whether a value from a file differs from the joint's value. Files store toggles only as on or off.
    pub(super) fn is_value_different(&self, chain: ChainId, joint: usize, param: ParamId, new: f32) -> bool {
        let old = self.joint_value(chain, joint, param);
        let table = self.document.param_defs_of(&self.document.chains[&chain]);
        if table[param.index()].kind == ParamKind::Toggle { (old != 0.0) != (new != 0.0) } else { old != new }
    }

    /// The collider names in the row of a joint.
    pub(super) fn collider_names(&self, chain: ChainId, joint: &Joint) -> Vec<String> {
        supported_collider_names(self.document, &self.document.chains[&chain], joint)
    }

    /// Appends the collider names of the bone's row that the document does not contain.
    pub(super) fn with_missing_colliders(&self, bone: BoneId, mut names: Vec<String>) -> Vec<String> {
        names.extend_from_slice(self.missing_names(bone).colliders);
        without_duplicates(names)
    }

    /// The names of the length targets, followed by the missing names.
    pub(super) fn length_target_names(&self, joint: &Joint) -> Vec<String> {
        let live = joint.length_targets.iter().filter_map(|target| self.resolver.name(target.node)).map(str::to_owned);
        live.chain(self.missing_names(joint.bone).length_targets.iter().cloned()).collect()
    }

    /// The unresolved names in the row of a bone.
    pub(super) fn missing_names(&self, bone: BoneId) -> MissingNames<'a> {
        let name = (bone.index() < self.skeleton.len()).then(|| self.skeleton.name(bone));
        name.and_then(|name| self.missing_names.get(name)).copied().unwrap_or_default()
    }
}

/// The chains and systems of one solver, with the nodes and colliders of the whole document.
pub(super) struct SolverSubset<'a> {
    pub(super) document: &'a Document,
    pub(super) skeleton: &'a Skeleton,
    pub(super) names: &'a NodeNames<'a>,
    pub(super) solver: SolverKind,
    /// The first system of the solver. A table stores the values of this system.
    pub(super) main_system: &'a System,
    rest: WorldPose,
    joints: BTreeSet<BoneId>,
}

impl<'a> SolverSubset<'a> {
    /// Uses the solver of the first system if `wanted` is `None`.
    pub(super) fn new(names: &'a NodeNames<'a>, wanted: Option<SolverKind>) -> Self {
        let (document, skeleton) = (names.document(), names.skeleton());
        let main = wanted
            .and_then(|solver| document.system_with_solver(solver))
            .map_or(document.main_system(), |(_, system)| system);
        let solver = main.solver;
        let joints = document.chains_with_solver(solver).flat_map(|(_, chain)| &chain.joints).map(|joint| joint.bone);
        let joints = joints.collect();
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        Self { document, skeleton, names, solver, main_system: main, rest, joints }
    }

    pub(super) fn systems(&self) -> impl Iterator<Item = (SystemId, &'a System)> + '_ {
        let all = self.document.systems.iter().filter(|(_, system)| system.solver == self.solver);
        all.map(|(id, system)| (*id, system))
    }

    /// Whether the document has exactly one system with this solver.
    pub(super) fn has_one_system(&self) -> bool {
        self.systems().count() == 1
    }

    pub(super) fn chains(&self) -> impl Iterator<Item = (ChainId, &'a Chain)> + '_ {
        self.document.chains_with_solver(self.solver)
    }

    pub(super) fn has_joint(&self, bone: BoneId) -> bool {
        self.joints.contains(&bone)
    }

    /// World frames of the rest pose.
    pub(super) const fn rest(&self) -> &WorldPose {
        &self.rest
    }

    pub(super) fn curve_positions(&self, chain: &Chain) -> Vec<f32> {
        self.document.curve_positions_in_pose(chain, &self.rest, self.skeleton)
    }
}
