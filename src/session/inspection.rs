//! Read-only view of the selection for the inspector and the curve editor.
//!
//! [`subject`](Inspection::subject) is the tuned part, [`param_warning`](Inspection::param_warning) is why a value has
//! no effect, and [`derived_quantity`](Inspection::derived_quantity) is its physical meaning. The texts are in the
//! locale files.

mod component;
mod feel;
mod joints;
mod limits;
mod param_warnings;
mod presets;

pub use crate::sim::ParamWarning;
pub use component::{
    ComponentTool, GroupChoice, MaterialChoice, MaterialSharing, OtherSystem, TunedCenter, TunedMaterial,
};
pub(super) use feel::FeelPanel;
pub use feel::FeelParamView;
pub use joints::{BoxView, HingeView, LengthTargetView};
pub use limits::{BodyDirection, LimitDirections, PivotSummary, SwingAxis, SwingLimitView};
pub use param_warnings::PreviewTarget;
pub(super) use presets::PresetHistory;
pub use presets::{AppliedPreset, CompareBase, PresetApplication, PresetId};

use super::playback::Playback;
use super::selection::{SceneObject, Selection, TuningScope as Reach};
use crate::document::{
    Chain, ChainId, ChainPart, ColliderId, Document, History, Joint, Node, ResolvedDocument, System, SystemId,
};
use crate::document::{names::BoneName, names::NamePattern};
use crate::document::{param_edits::EditTargets, param_edits::fit_chain_at, param_edits::joint_value};
use crate::math::Curve;
use crate::params::{
    self, EntryParams, EntryRole as ParamPart, LimitParams, ParamDef, ParamGroup, ParamId, ParamMeaning, ParamScope,
    ParamSet, find_param,
};
use crate::rig::{BoneId, Character};
use crate::sim::{ColliderShape, ResponseInput, SolverKind};
use crate::tools::elements;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug)]
pub struct Inspection<'a> {
    pub(super) character: &'a Character,
    pub(super) document: &'a Document,
    pub(super) loaded: &'a Document,
    pub(super) resolved: &'a ResolvedDocument,
    pub(super) selection: &'a Selection,
    pub(super) playback: &'a Playback,
    pub(super) history: &'a History,
    pub(super) feel: &'a FeelPanel,
    pub(super) preset_history: &'a PresetHistory,
}

/// Imported values with a smaller relative difference count as a constant curve.
const FLAT_CURVE_TOLERANCE: f32 = 1e-3;

/// A value, or the range of several values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueSummary {
    None,
    Same(f32),
    Mixed { low: f32, high: f32 },
}

impl ValueSummary {
    pub(super) fn of(values: impl Iterator<Item = f32>) -> Self {
        values.fold(Self::None, |all, value| match all {
            Self::None => Self::Same(value),
            Self::Same(same) if same == value => all,
            Self::Same(same) => Self::Mixed { low: same.min(value), high: same.max(value) },
            Self::Mixed { low, high } => Self::Mixed { low: low.min(value), high: high.max(value) },
        })
    }

    /// The lowest and the highest value.
    pub fn range(self) -> Option<(f32, f32)> {
        match self {
            Self::None => None,
            Self::Same(value) => Some((value, value)),
            Self::Mixed { low, high } => Some((low, high)),
        }
    }
}

/// A parameter with the values of the targets.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamView {
    pub id: ParamId,
    pub def: &'static ParamDef,
    /// Base values of chains, or the values of joints.
    pub values: ValueSummary,
    /// Whether a value differs from the loaded one.
    pub changed: bool,
    /// Whether some joints of a chain have own values, but not all.
    pub overridden: bool,
    /// The curve that all target chains share; `None` for constant or different curves.
    pub curve: Option<Curve>,
    /// Whether a target chain has a curve.
    pub has_curve: bool,
}

/// The content of a line of the inspector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamLine {
    Single(ParamId),
    /// A limit pair and its switch.
    LimitPair {
        active: ParamId,
        min: ParamId,
        max: ParamId,
    },
}

/// The switch, lower limit and upper limit of a limit pair. `None` if `active` is not the switch of a limit pair.
pub(in crate::session) fn limit_params(table: &'static [ParamDef], active: ParamId) -> Option<[ParamId; 3]> {
    (table.get(active.index())?.role == ParamPart::Active).then(|| active.consecutive())
}

/// The lines of a group of a table, in the order of the table.
pub fn param_lines(table: &'static [ParamDef], group: ParamGroup, scope: ParamScope) -> Vec<ParamLine> {
    let lines = |(rows, _): (EntryParams, &ParamDef)| match rows {
        EntryParams::Single(row) => vec![ParamLine::Single(row)],
        EntryParams::Vector(rows) => rows.map(ParamLine::Single).to_vec(),
        EntryParams::Limits(LimitParams { active, min, max }) => vec![ParamLine::LimitPair { active, min, max }],
    };
    params::entries(table).filter(|(_, def)| def.group == group && def.scope == scope).flat_map(lines).collect()
}

/// The physical meaning of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DerivedQuantity {
    /// Frequency in swings per second.
    Hertz(f32),
    /// Damping ratio.
    Damping(f32),
    /// Sum of the acceleration and the acceleration of the system along the same axis, in m/s².
    NetAcceleration(f32),
}

impl<'a> Inspection<'a> {
    /// The system of the active chain, or the first system.
    pub fn system_id(self) -> SystemId {
        let active = self.active_chain().and_then(|id| self.document.chains.get(&id));
        active
            .map(|chain| chain.system)
            .filter(|id| self.document.systems.contains_key(id))
            .unwrap_or(self.document.main_system_id())
    }

    pub fn system(self) -> &'a System {
        &self.document.systems[&self.system_id()]
    }

    /// The loaded value of a parameter of the tuned system; the solver's default if the system was not loaded.
    pub(super) fn loaded_value(self, row: ParamId) -> f32 {
        let (id, now) = (self.system_id(), self.system());
        let same = self.loaded.systems.get(&id).filter(|was| was.solver == now.solver);
        let was = same.or_else(|| self.loaded.system_with_solver(now.solver).map(|(_, was)| was));
        was.map_or(now.def(row).default, |was| was.get(row))
    }

    /// Height of the ground of the solver, in metres; 0 if the solver has no ground.
    pub fn ground_height(self) -> f32 {
        let row = find_param(self.system().param_defs(), "groundHeight");
        row.map_or(0.0, |row| self.system().get(row)).clamp(-1e4, 1e4)
    }

    /// The bones whose names match a pattern.
    pub fn bones_matching(self, pattern: &NamePattern) -> Vec<BoneId> {
        let skeleton = &self.character.skeleton;
        skeleton.ids().filter(|bone| pattern.matches(skeleton.name(*bone))).collect()
    }

    /// The name of a bone, also of a bone that is missing in this version of the character.
    pub fn bone_name(self, bone: BoneId) -> &'a str {
        let lost = self.document.missing_bones.path(bone);
        lost.map_or_else(|| self.character.skeleton.name(bone), |path| &path.name)
    }

    /// The name of a node; empty if it does not exist.
    pub fn node_name(self, node: Node) -> &'a str {
        match node {
            Node::Bone(bone) => self.bone_name(bone),
            Node::Helper(_) => elements::node_name(self.document, &self.character.skeleton, node),
        }
    }

    /// The bone of a node in the resolved skeleton.
    fn resolved_bone(self, node: Node) -> Option<BoneId> {
        match node {
            Node::Bone(bone) => Some(bone),
            Node::Helper(_) => self.resolved.node_bones.get(&node).copied(),
        }
    }

    /// The targets of edits: the selected joints, their chains, or all chains. Targets use the solver of the tuned
    /// system.
    pub fn targets(self) -> EditTargets {
        let mut targets = self.selection.targets(self.document, &self.resolved.joint_by_bone);
        let solver = self.system().solver;
        targets.chains.retain(|id| self.chain_uses_solver(*id, solver));
        targets.joints.retain(|(id, _)| self.chain_uses_solver(*id, solver));
        targets
    }

    /// The chains that edits reach, as a whole or in part.
    pub fn target_chains(self) -> Vec<ChainId> {
        let targets = self.targets();
        let mut chains = targets.chains;
        chains.extend(targets.joints.iter().map(|j| j.0));
        chains.sort_unstable();
        chains.dedup();
        chains
    }

    /// The joints that edits reach.
    pub fn target_bones(self) -> Vec<(ChainId, BoneId)> {
        let targets = self.targets();
        let of = |id: &ChainId| self.document.chains[id].joints.iter().map(|j| j.bone);
        let whole = targets.chains.iter().flat_map(|id| of(id).map(|bone| (*id, bone)));
        whole.chain(targets.joints.iter().copied()).collect()
    }

    /// Whether a chain uses a solver.
    pub fn chain_uses_solver(self, id: ChainId, solver: SolverKind) -> bool {
        self.document.chains.get(&id).is_some_and(|c| self.document.solver_of(c) == solver)
    }

    /// Number of selected chains that edits do not reach, by solver.
    pub fn untuned_chains_by_solver(self) -> BTreeMap<SolverKind, usize> {
        let mut others = BTreeMap::new();
        let solver = self.system().solver;
        let selected = self.selected_chains();
        let kinds = selected.iter().filter_map(|id| self.document.chains.get(id)).map(|c| self.document.solver_of(c));
        kinds.filter(|kind| *kind != solver).for_each(|kind| *others.entry(kind).or_default() += 1);
        others
    }

    /// The selected chains of all solvers; all chains without selection.
    pub fn selected_chains(self) -> BTreeSet<ChainId> {
        let targets = self.selection.targets(self.document, &self.resolved.joint_by_bone);
        targets.chains.into_iter().chain(targets.joints.into_iter().map(|(id, _)| id)).collect()
    }

    pub fn selected_colliders(self) -> Vec<ColliderId> {
        let collider = |item: &SceneObject| match item {
            SceneObject::Collider(id) => Some(*id),
            SceneObject::Force(_) | SceneObject::Helper(_) => None,
        };
        self.selection.objects.iter().filter_map(collider).collect()
    }

    /// The physical meaning of the targets' value; `None` if the value itself is clear or the targets differ.
    pub fn derived_quantity(self, row: ParamId) -> Option<DerivedQuantity> {
        let same = |row| match self.param_view(row).values {
            ValueSummary::Same(value) => Some(value),
            ValueSummary::None | ValueSummary::Mixed { .. } => None,
        };
        let length = self.mean_joint_length(
            self.target_joints().filter_map(|(_, joint, ..)| self.resolved.joint_by_bone.get(&joint.bone).copied()),
        );
        self.derived_quantity_of(row, length, same)
    }

    /// The physical meaning of a joint's value.
    pub fn joint_derived_quantity(self, chain: ChainId, bone: BoneId, row: ParamId) -> Option<DerivedQuantity> {
        let at = self.document.chains.get(&chain).and_then(|c| c.joint_index(bone)).unwrap_or(0);
        let length = self.mean_joint_length(std::iter::once((chain, at)));
        self.derived_quantity_of(row, length, |row| {
            joint_value(self.document, &self.character.skeleton, chain, bone, row)
        })
    }

    /// The physical meaning of a chain's base value.
    pub fn base_derived_quantity(self, chain: ChainId, row: ParamId) -> Option<DerivedQuantity> {
        let count = self.document.chains.get(&chain).map_or(0, |c| c.joints.len());
        let length = self.mean_joint_length((0..count).map(|at| (chain, at)));
        self.derived_quantity_of(row, length, |row| self.chain_base_value(chain, row))
    }

    fn derived_quantity_of(
        self,
        row: ParamId,
        length: f32,
        value: impl Fn(ParamId) -> Option<f32>,
    ) -> Option<DerivedQuantity> {
        if let Some(pull) = self.system_gravity_along(row) {
            return value(row).map(|own| DerivedQuantity::NetAcceleration(own + pull));
        }
        let [speed, settle] =
            [ParamMeaning::Stiffness, ParamMeaning::Drag].map(|idea| self.first_param_with_meaning(idea));
        if speed != Some(row) && settle != Some(row) {
            return None;
        }
        let table = self.system().param_defs();
        let mut joint = ParamSet::defaults(table);
        for (other, _) in params::enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint) {
            match value(other) {
                Some(value) => _ = joint.set(other, value),
                None if speed == Some(other) || settle == Some(other) => return None,
                None => {}
            }
        }
        let frame = 1.0 / self.playback.settings().player_frame_rate as f32;
        let numbers = ResponseInput {
            joint_params: &joint,
            system_params: &self.system().values,
            bone_length: length,
            carried_inertia: 0.0,
            frame_seconds: frame,
        };
        let sway = self.system().solver.response(&numbers);
        Some(if speed == Some(row) {
            DerivedQuantity::Hertz(sway.frequency_hz)
        } else {
            DerivedQuantity::Damping(sway.damping_ratio)
        })
    }

    /// The first joint parameter with a meaning.
    fn first_param_with_meaning(self, idea: ParamMeaning) -> Option<ParamId> {
        let mut rows = params::enumerate_params(self.system().param_defs());
        rows.find(|(_, def)| def.scope == ParamScope::Joint && def.meaning == idea).map(|(row, _)| row)
    }

    /// Mean length of joints, in metres. The physical meaning of some values depends on it.
    fn mean_joint_length(self, joints: impl Iterator<Item = (ChainId, usize)>) -> f32 {
        let known = joints.filter_map(|(chain, at)| self.resolved.joint_lengths.get(&chain)?.get(at).copied());
        let (sum, count) = known.filter(|l| *l > 0.0).fold((0.0, 0), |(sum, count), l| (sum + l, count + 1));
        if count == 0 { 0.0 } else { sum / count as f32 }
    }

    /// The gravity of the system along the axis of a joint's acceleration, in m/s²; `None` if the gravity is zero, or
    /// if `row` is not an acceleration of a joint.
    pub fn system_gravity_along(self, row: ParamId) -> Option<f32> {
        let def = self.system().def(row);
        if def.scope != ParamScope::Joint || def.meaning != ParamMeaning::Gravity {
            return None;
        }
        let axis = def.axis()?;
        let mut same = params::enumerate_params(self.system().param_defs()).filter(|(_, other)| {
            other.scope == ParamScope::System && other.meaning == ParamMeaning::Gravity && other.axis() == Some(axis)
        });
        let pull = self.system().get(same.next()?.0);
        (pull != 0.0).then_some(pull)
    }

    pub fn chain_base_value(self, id: ChainId, row: ParamId) -> Option<f32> {
        let chain = self.document.chains.get(&id)?;
        let fitted = fit_chain_at(chain, &self.resolved.curve_positions[&id], row);
        Some(fitted.map_or(chain.values[row.index()].base, |f| f.base))
    }

    /// The chain with the displayed curves: the chain of the active bone, or the first tuned chain; `None` without
    /// selection.
    pub fn active_chain(self) -> Option<ChainId> {
        let active = self.selection.active.and_then(|bone| self.document.find_joint(bone));
        active.map(|(id, _)| id).or_else(|| self.selection.chains(self.document).first().copied())
    }

    /// The target joints, each with its chain, its index and its position along the curve domain.
    pub(super) fn target_joints(self) -> impl Iterator<Item = (&'a Chain, &'a Joint, usize, f32)> {
        let targets = self.targets();
        let whole = targets.chains.into_iter().map(|id| (id, None));
        let single = targets.joints.into_iter().map(|(id, bone)| (id, Some(bone)));
        whole.chain(single).flat_map(move |(id, only)| {
            let chain = &self.document.chains[&id];
            let places = &self.resolved.curve_positions[&id];
            let joints = chain.joints.iter().enumerate().filter(move |(_, j)| only.is_none_or(|bone| j.bone == bone));
            joints.map(move |(i, joint)| (chain, joint, i, places[i]))
        })
    }

    /// A parameter of the targets, or of the system for a system parameter.
    pub fn param_view(self, row: ParamId) -> ParamView {
        let def = self.system().def(row);
        if def.scope == ParamScope::System {
            let value = self.system().get(row);
            let changed = value != self.loaded_value(row);
            let values = ValueSummary::Same(value);
            return ParamView { id: row, def, values, changed, overridden: false, curve: None, has_curve: false };
        }
        let targets = self.targets();
        let chains: Vec<_> = targets.chains.iter().map(|id| (*id, &self.document.chains[id])).collect();
        let skeleton = &self.character.skeleton;
        let whole =
            chains.iter().map(|(id, chain)| match fit_chain_at(chain, &self.resolved.curve_positions[id], row) {
                Some(fitted) => fitted.base,
                None => chain.values[row.index()].base,
            });
        let single =
            targets.joints.iter().filter_map(|(chain, bone)| joint_value(self.document, skeleton, *chain, *bone, row));
        let values = ValueSummary::of(whole.chain(single));
        let mut curves = targets.chains.iter().map(|id| self.effective_curve(*id, row));
        let first = curves.next().flatten();
        let curve = curves.all(|c| c == first).then_some(first).flatten();
        ParamView {
            id: row,
            def,
            values,
            changed: self.differs_from_loaded(&targets, row),
            overridden: chains.iter().any(|(_, c)| {
                !c.is_overridden_by_all_joints(row) && c.joints.iter().any(|j| j.overrides.contains_key(&row))
            }),
            has_curve: targets.chains.iter().any(|id| self.effective_curve(*id, row).is_some()),
            curve,
        }
    }

    /// The curve of a chain, or the curve through its own values; `None` if the values differ only by rounding.
    pub fn effective_curve(self, id: ChainId, row: ParamId) -> Option<Curve> {
        let chain = self.document.chains.get(&id)?;
        match fit_chain_at(chain, &self.resolved.curve_positions[&id], row) {
            Some(fitted) => {
                fitted.curve.filter(|c| c.keys().iter().any(|k| (k.value - 1.0).abs() > FLAT_CURVE_TOLERANCE))
            }
            None => chain.values[row.index()].curve.clone(),
        }
    }

    /// Position along the chain (0..=1) and value of each joint.
    pub fn joint_values(self, id: ChainId, row: ParamId) -> Vec<(f32, f32)> {
        let Some(chain) = self.document.chains.get(&id) else { return Vec::new() };
        let places = &self.resolved.curve_positions[&id];
        places.iter().enumerate().map(|(i, t)| (*t, chain.joint_value(i, row, *t))).collect()
    }

    fn differs_from_loaded(self, targets: &EditTargets, row: ParamId) -> bool {
        let own = |document: &Document, chain, bone| {
            let chain = document.chains.get(chain)?;
            chain.joint_index(bone).and_then(|at| chain.joints[at].overrides.get(&row).copied())
        };
        let chains = targets.chains.iter().any(|id| {
            let now = &self.document.chains[id];
            self.loaded.chains.get(id).is_some_and(|was| {
                now.values[row.index()] != was.values[row.index()]
                    || now.joints.iter().enumerate().any(|(i, joint)| {
                        // Joints seldom change their index.
                        let same = was.joints.get(i).filter(|w| w.bone == joint.bone);
                        let then = same.or_else(|| was.joints.iter().find(|w| w.bone == joint.bone));
                        then.is_some_and(|then| then.overrides.get(&row) != joint.overrides.get(&row))
                    })
            })
        });
        let joints =
            targets.joints.iter().any(|(id, bone)| own(self.document, id, *bone) != own(self.loaded, id, *bone));
        chains || joints
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InspectorSubject {
    /// Without selection: all chains with the solver of the tuned system.
    All {
        chains: usize,
        joints: usize,
    },
    Chain {
        id: ChainId,
        joints: usize,
    },
    Chains {
        chains: usize,
        joints: usize,
    },
    Joint {
        chain: ChainId,
        /// Index from 1.
        number: usize,
        bone: BoneId,
    },
    Joints(usize),
    /// Bones without joint, the active bone first.
    UnsimulatedBones(Vec<BoneId>),
}

/// The joints of a chain that have own values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JointOverrides {
    /// No joint, or all the same value.
    None,
    OneValue {
        /// Index from 1.
        joint: usize,
        param: ParamId,
    },
    /// One joint, several values.
    OneJoint {
        /// Index from 1.
        joint: usize,
        params: usize,
    },
    SeveralJoints(usize),
    /// Every joint has all own values, as after an import.
    EveryJoint,
}

/// A collider and its assignment to the targets.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderChoice {
    pub id: ColliderId,
    pub name: String,
    /// Name of the collider without the words for the shape.
    pub short_name: String,
    pub shape: ColliderShape,
    /// Number of targets with this collider.
    pub joints: usize,
    /// Whether the collider is assigned to all targets.
    pub all: bool,
}

impl Inspection<'_> {
    pub fn subject(self) -> InspectorSubject {
        let document = self.document;
        let targets = self.targets();
        let joints = targets.joint_count(document);
        if self.selection.bones.is_empty() {
            return InspectorSubject::All { chains: targets.chains.len(), joints };
        }
        match (targets.chains.as_slice(), targets.joints.as_slice()) {
            ([], []) => InspectorSubject::UnsimulatedBones(self.bones_active_first().collect()),
            ([id], _) => InspectorSubject::Chain { id: *id, joints },
            ([], [(chain, bone)]) => {
                let number = document.chains[chain].joint_index(*bone).map_or(0, |at| at + 1);
                InspectorSubject::Joint { chain: *chain, number, bone: *bone }
            }
            ([], many) => InspectorSubject::Joints(many.len()),
            (many, _) => InspectorSubject::Chains { chains: many.len(), joints },
        }
    }

    /// The joints of a chain that have own values.
    pub fn joint_overrides(self, id: ChainId) -> JointOverrides {
        let Some(chain) = self.document.chains.get(&id) else { return JointOverrides::None };
        let rows: Vec<ParamId> = params::enumerate_params(self.system().param_defs())
            .filter(|(_, def)| def.scope == ParamScope::Joint)
            .map(|(row, _)| row)
            .collect();
        if chain.joints.len() > 1 && rows.iter().all(|row| chain.is_overridden_by_all_joints(*row)) {
            return JointOverrides::EveryJoint;
        }
        let loose: Vec<ParamId> = rows.into_iter().filter(|row| !chain.is_overridden_by_all_joints(*row)).collect();
        let own = |joint: &Joint| loose.iter().copied().filter(|row| joint.overrides.contains_key(row)).collect();
        let found: Vec<(usize, Vec<ParamId>)> = chain
            .joints
            .iter()
            .enumerate()
            .map(|(i, joint)| (i + 1, own(joint)))
            .filter(|(_, rows): &(usize, Vec<ParamId>)| !rows.is_empty())
            .collect();
        match found.as_slice() {
            [] => JointOverrides::None,
            [(joint, rows)] => match rows.as_slice() {
                [row] => JointOverrides::OneValue { joint: *joint, param: *row },
                many => JointOverrides::OneJoint { joint: *joint, params: many.len() },
            },
            many => JointOverrides::SeveralJoints(many.len()),
        }
    }

    /// The selected bones, the active bone first.
    fn bones_active_first(&self) -> impl Iterator<Item = BoneId> {
        let active = self.selection.active;
        active.into_iter().chain(self.selection.bones.iter().copied().filter(move |b| Some(*b) != active))
    }

    /// Whether a single joint can be tuned: the active bone is a joint.
    pub fn can_tune_joint(self) -> bool {
        self.selection.scope == Reach::Joints
            || self.selection.active.is_some_and(|bone| self.document.find_joint(bone).is_some())
    }

    /// The body part that the name of a bone suggests.
    pub fn guess_part(self, bone: BoneId) -> ChainPart {
        let verdict = BoneName::parse(self.character.skeleton.name(bone)).analyze();
        verdict.part.map_or(ChainPart::Other, |(part, _)| part)
    }

    /// All colliders and their assignment to the targets.
    pub fn collider_choices(self) -> Vec<ColliderChoice> {
        let joints: Vec<_> = self.target_joints().map(|(_, joint, ..)| joint).collect();
        let choice = |(id, collider): (&ColliderId, &crate::document::Collider)| {
            let pushed = joints.iter().filter(|j| j.colliders.contains(id)).count();
            ColliderChoice {
                id: *id,
                name: collider.name.clone(),
                short_name: collider_short_name(&collider.name),
                shape: collider.shape,
                joints: pushed,
                all: pushed == joints.len() && pushed > 0,
            }
        };
        self.document.colliders.iter().map(choice).collect()
    }
}

/// `Head_SphereCollider2` becomes `Head 2`, next to an icon of the shape. Other names are unchanged.
pub fn collider_short_name(name: &str) -> String {
    let ends = ["SphereCollider", "CapsuleCollider", "PanelCollider"];
    let Some((stem, number)) = ends.iter().find_map(|end| name.rsplit_once(end)) else { return name.to_owned() };
    let stem = stem.trim_end_matches(['_', '.', ' ', '-']);
    match (stem.is_empty(), number.is_empty()) {
        (true, _) => name.to_owned(),
        (false, true) => stem.to_owned(),
        (false, false) => format!("{stem} {}", number.trim_start_matches(['_', '.', ' ', '-'])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SolverKind;
    use crate::sim::solver::spring_bone as unity;

    #[test]
    fn every_param_has_one_line_and_limit_pairs_share_a_line() {
        let table = SolverKind::UnityChanSpringBone.info().params;
        let groups = [
            ParamGroup::Spring,
            ParamGroup::AngleLimits,
            ParamGroup::Collision,
            ParamGroup::LengthLimits,
            ParamGroup::World,
            ParamGroup::Time,
            ParamGroup::Switches,
            ParamGroup::Improved,
        ];
        let all = groups
            .into_iter()
            .flat_map(|g| [ParamScope::Joint, ParamScope::System].map(|s| param_lines(table, g, s)))
            .flatten();
        let mut seen: Vec<ParamId> = all
            .flat_map(|entry| match entry {
                ParamLine::Single(row) => vec![row],
                ParamLine::LimitPair { active, min, max } => vec![active, min, max],
            })
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, params::enumerate_params(table).map(|(row, _)| row).collect::<Vec<_>>());
        let limits = param_lines(table, ParamGroup::AngleLimits, ParamScope::Joint);
        let y = ParamLine::LimitPair { active: unity::Y_ACTIVE, min: unity::Y_MIN, max: unity::Y_MAX };
        assert_eq!(limits[0], y);
        assert_eq!(limits[2], ParamLine::Single(unity::ANGULAR_STIFFNESS));
    }

    #[test]
    fn collider_short_names_omit_the_shape() {
        for (name, short) in [
            ("J_Bip_C_Head_SphereCollider", "J_Bip_C_Head"),
            ("J_Bip_C_Head_SphereCollider2", "J_Bip_C_Head 2"),
            ("SphereCollider", "SphereCollider"),
            ("頭_当たり", "頭_当たり"),
        ] {
            assert_eq!(collider_short_name(name), short);
        }
    }
}
