//! A read-only view of the selection for the inspector and the curve editor.
//!
//! [`subject`](Inspection::subject) describes the tuned part, [`param_warning`](Inspection::param_warning) explains why
//! a value has no effect, and [`derived_quantity`](Inspection::derived_quantity) is the physical meaning of a value.
//! The texts are in the locale files.

mod angles;
mod component;
mod feel;
mod joint_values;
mod joints;
mod limits;
mod param_warnings;
mod presets;
mod tip_causes;

pub use component::{
    ComponentTool, GroupChoice, MaterialChoice, MaterialSharing, OtherSystem, TunedCenter, TunedMaterial,
};
pub use feel::FeelParamView;
pub(super) use feel::{AuthoredRing, FeelPanel};
pub use joint_values::{JointQuantity, JointValues};
pub use joints::{BoxView, HingeView, LengthTargetView};
pub use limits::{BodyDirection, LimitDirections, PivotSummary, SwingAxis, SwingLimitView};
pub use param_warnings::PreviewTarget;
pub(super) use presets::PresetHistory;
pub use presets::{AppliedPreset, CompareBase, PresetApplication, PresetId};
pub use tip_causes::{SolverTime, SteadyOutcome, TipCauses, TipOutcome, TouchedSurface};
pub use yuremono_sim::ParamWarning;

use super::playback::Playback;
use super::selection::{SceneObject, Selection, TuningScope as Reach};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{
    Chain, ChainId, ChainPart, ColliderId, Document, History, Joint, Node, ResolvedDocument, System, SystemId,
};
use yuremono_model::document::{names::BoneName, names::NamePattern};
use yuremono_model::document::{param_edits::EditTargets, param_edits::fit_chain_at, param_edits::joint_value};
use yuremono_model::tools::elements;
use yuremono_sim::math::Curve;
use yuremono_sim::params::{
    self, EntryParams, EntryRole as ParamPart, LimitParams, ParamDef, ParamGroup, ParamId, ParamMeaning, ParamScope,
    ParamSet, find_param,
};
use yuremono_sim::rig::{BoneId, Character};
use yuremono_sim::{ColliderShape, ResponseInput, SolverKind};

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
    pub(super) cache: &'a InspectionCache,
}

/// What several rows and panels ask in every frame. The session clears the cache whenever a command or an edit can have
/// changed an answer.
#[derive(Debug, Default)]
pub(super) struct InspectionCache {
    targets: RefCell<Option<EditTargets>>,
    param_views: RefCell<BTreeMap<ParamId, ParamView>>,
    /// Joints of one side of the body, each with its joint of the other side.
    mirror_pairs: RefCell<Option<Vec<(BoneId, BoneId)>>>,
}

impl InspectionCache {
    pub(super) fn clear(&self) {
        self.targets.take();
        self.param_views.borrow_mut().clear();
        self.mirror_pairs.take();
    }
}

/// Imported values count as constant if their relative difference is smaller than this.
const FLAT_CURVE_TOLERANCE: f32 = 1e-3;

/// The common value of several targets, or the range of their values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueSummary {
    None,
    Same(f32),
    Mixed { low: f32, high: f32 },
}

impl ParamView {
    /// Whether a target chain has a curve.
    pub fn has_curve(&self) -> bool {
        self.curves.iter().any(|curve| *curve != Curve::constant(1.0))
    }
}

/// Returns the different curves among those of several chains. `None` is a level curve.
fn different_curves(curves: impl Iterator<Item = Option<Curve>>) -> Vec<Curve> {
    let mut different: Vec<Curve> = Vec::new();
    for curve in curves.map(|curve| curve.unwrap_or_else(|| Curve::constant(1.0))) {
        let is_same = |other: &Curve| *other == curve || other.is_flat() && curve.is_flat();
        if !different.iter().any(is_same) {
            different.push(curve);
        }
    }
    different
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

    /// Returns the lowest and the highest value; `None` if there are no values.
    pub fn range(self) -> Option<(f32, f32)> {
        match self {
            Self::None => None,
            Self::Same(value) => Some((value, value)),
            Self::Mixed { low, high } => Some((low, high)),
        }
    }
}

/// A parameter and its values for the targets.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamView {
    pub id: ParamId,
    pub def: &'static ParamDef,
    /// Base values of the target chains times their ring curves, or values of the target joints.
    pub values: ValueSummary,
    /// Whether a value differs from the loaded value.
    pub changed: bool,
    /// Whether some, but not all, joints of a chain override the parameter.
    pub overridden: bool,
    /// The different curves of the target chains. A chain without a curve has a level curve.
    pub curves: Vec<Curve>,
    /// Whether ring curves multiply the parameter of a target chain.
    pub has_ring_curve: bool,
}

/// The parameters on one line of the inspector.
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

/// Returns the switch, lower limit and upper limit of a limit pair; `None` if `active` is not the switch of a limit
/// pair.
pub(crate) fn limit_params(table: &'static [ParamDef], active: ParamId) -> Option<[ParamId; 3]> {
    (table.get(active.index())?.role == ParamPart::Active).then(|| active.consecutive())
}

/// Returns the inspector lines of a parameter group, in table order.
pub fn param_lines(table: &'static [ParamDef], group: ParamGroup, scope: ParamScope) -> Vec<ParamLine> {
    let lines = |(rows, _): (EntryParams, &ParamDef)| match rows {
        EntryParams::Single(param) => vec![ParamLine::Single(param)],
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
    /// Sum of this acceleration and the system's acceleration along the same axis, in m/s².
    NetAcceleration(f32),
}

impl<'a> Inspection<'a> {
    /// Returns the system of the active chain, or the first system if no chain is active.
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

    /// Returns the loaded value of a parameter of the tuned system; the solver's default if the system was not loaded.
    pub(super) fn loaded_value(self, param: ParamId) -> f32 {
        let (id, now) = (self.system_id(), self.system());
        let same = self.loaded.systems.get(&id).filter(|was| was.solver == now.solver);
        let was = same.or_else(|| self.loaded.system_with_solver(now.solver).map(|(_, was)| was));
        was.map_or(now.def(param).default, |was| was.get(param))
    }

    /// Returns the ground height of the tuned solver, in metres; 0 if the solver has no ground.
    pub fn ground_height(self) -> f32 {
        let row = find_param(self.system().param_defs(), "groundHeight");
        row.map_or(0.0, |row| self.system().get(row)).clamp(-1e4, 1e4)
    }

    /// Returns the bones whose names match a pattern.
    pub fn bones_matching(self, pattern: &NamePattern) -> Vec<BoneId> {
        let skeleton = &self.character.skeleton;
        skeleton.ids().filter(|bone| pattern.matches(skeleton.name(*bone))).collect()
    }

    /// Returns the name of a bone, even if this version of the character lacks the bone.
    pub fn bone_name(self, bone: BoneId) -> &'a str {
        let lost = self.document.missing_bones.path(bone);
        lost.map_or_else(|| self.character.skeleton.name(bone), |path| &path.name)
    }

    /// Returns the name of a node; empty if the node does not exist.
    pub fn node_name(self, node: Node) -> &'a str {
        match node {
            Node::Bone(bone) => self.bone_name(bone),
            Node::Helper(_) => elements::node_name(self.document, &self.character.skeleton, node),
        }
    }

    /// Returns the bone of a node in the resolved skeleton.
    fn resolved_bone(self, node: Node) -> Option<BoneId> {
        match node {
            Node::Bone(bone) => Some(bone),
            Node::Helper(_) => self.resolved.node_bones.get(&node).copied(),
        }
    }

    /// Returns the targets of edits: the selected joints, their chains, or all chains. Only targets with the solver of
    /// the tuned system are included.
    pub fn targets(self) -> EditTargets {
        if let Some(targets) = &*self.cache.targets.borrow() {
            return targets.clone();
        }
        let targets = self.find_targets();
        self.cache.targets.replace(Some(targets.clone()));
        targets
    }

    fn find_targets(self) -> EditTargets {
        let mut targets = self.selection.targets(self.document, &self.resolved.joint_by_bone);
        let solver = self.system().solver;
        targets.chains.retain(|id| self.chain_uses_solver(*id, solver));
        targets.joints.retain(|(id, _)| self.chain_uses_solver(*id, solver));
        targets
    }

    /// Returns the chains that contain a target of edits.
    pub fn target_chains(self) -> Vec<ChainId> {
        let targets = self.targets();
        let mut chains = targets.chains;
        chains.extend(targets.joints.iter().map(|j| j.0));
        chains.sort_unstable();
        chains.dedup();
        chains
    }

    /// Returns the joints that edits change.
    pub fn target_bones(self) -> Vec<(ChainId, BoneId)> {
        let targets = self.targets();
        let of = |id: &ChainId| self.document.chains[id].joints.iter().map(|j| j.bone);
        let whole = targets.chains.iter().flat_map(|id| of(id).map(|bone| (*id, bone)));
        whole.chain(targets.joints.iter().copied()).collect()
    }

    /// Returns whether a chain uses a solver.
    pub fn chain_uses_solver(self, id: ChainId, solver: SolverKind) -> bool {
        self.document.chains.get(&id).is_some_and(|c| self.document.solver_of(c) == solver)
    }

    /// Counts, for each solver, the selected chains that edits do not change because they use another solver.
    pub fn untuned_chains_by_solver(self) -> BTreeMap<SolverKind, usize> {
        let mut others = BTreeMap::new();
        let solver = self.system().solver;
        let selected = self.selected_chains();
        let kinds = selected.iter().filter_map(|id| self.document.chains.get(id)).map(|c| self.document.solver_of(c));
        kinds.filter(|kind| *kind != solver).for_each(|kind| *others.entry(kind).or_default() += 1);
        others
    }

    /// Returns the selected chains of all solvers; all chains if nothing is selected.
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

    /// Returns the physical meaning of the targets' common value; `None` if the value needs no explanation or the
    /// targets differ.
    pub fn derived_quantity(self, param: ParamId) -> Option<DerivedQuantity> {
        let same = |param| match self.param_view(param).values {
            ValueSummary::Same(value) => Some(value),
            ValueSummary::None | ValueSummary::Mixed { .. } => None,
        };
        let length = || {
            self.mean_joint_length(
                self.target_joints().filter_map(|(_, joint, ..)| self.resolved.joint_by_bone.get(&joint.bone).copied()),
            )
        };
        self.derived_quantity_of(param, length, same)
    }

    /// Returns the physical meaning of a joint's value.
    pub fn joint_derived_quantity(self, chain: ChainId, bone: BoneId, param: ParamId) -> Option<DerivedQuantity> {
        let at = self.document.chains.get(&chain).and_then(|c| c.joint_index(bone)).unwrap_or(0);
        let length = || self.mean_joint_length(std::iter::once((chain, at)));
        self.derived_quantity_of(param, length, |param| {
            joint_value(self.document, &self.character.skeleton, chain, bone, param)
        })
    }

    /// Returns the physical meaning of a chain's base value.
    pub fn base_derived_quantity(self, chain: ChainId, param: ParamId) -> Option<DerivedQuantity> {
        let count = self.document.chains.get(&chain).map_or(0, |c| c.joints.len());
        let length = || self.mean_joint_length((0..count).map(|at| (chain, at)));
        self.derived_quantity_of(param, length, |param| self.chain_base_value(chain, param))
    }

    fn derived_quantity_of(
        self,
        param: ParamId,
        length: impl FnOnce() -> f32,
        value: impl Fn(ParamId) -> Option<f32>,
    ) -> Option<DerivedQuantity> {
        if let Some(pull) = self.system_gravity_along(param) {
            return value(param).map(|own| DerivedQuantity::NetAcceleration(own + pull));
        }
        let [speed, settle] =
            [ParamMeaning::Stiffness, ParamMeaning::Drag].map(|meaning| self.first_param_with_meaning(meaning));
        if speed != Some(param) && settle != Some(param) {
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
            bone_length: length(),
            carried_inertia: 0.0,
            frame_seconds: frame,
        };
        let sway = self.system().solver.response(&numbers);
        Some(if speed == Some(param) {
            DerivedQuantity::Hertz(sway.frequency_hz)
        } else {
            DerivedQuantity::Damping(sway.damping_ratio)
        })
    }

    /// Returns the first joint parameter with a given meaning.
    fn first_param_with_meaning(self, meaning: ParamMeaning) -> Option<ParamId> {
        let mut rows = params::enumerate_params(self.system().param_defs());
        rows.find(|(_, def)| def.scope == ParamScope::Joint && def.meaning == meaning).map(|(param, _)| param)
    }

    /// Returns the mean length of joints, in metres. Some physical meanings depend on the length.
    fn mean_joint_length(self, joints: impl Iterator<Item = (ChainId, usize)>) -> f32 {
        let known = joints.filter_map(|(chain, at)| self.resolved.joint_lengths.get(&chain)?.get(at).copied());
        let (sum, count) = known.filter(|l| *l > 0.0).fold((0.0, 0), |(sum, count), l| (sum + l, count + 1));
        if count == 0 { 0.0 } else { sum / count as f32 }
    }

    /// Returns the system's gravity along the same axis as a joint's acceleration parameter, in m/s²; `None` if the
    /// gravity is zero, or if `param` is not an acceleration of a joint.
    pub fn system_gravity_along(self, param: ParamId) -> Option<f32> {
        let def = self.system().def(param);
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

    pub fn chain_base_value(self, id: ChainId, param: ParamId) -> Option<f32> {
        let chain = self.document.chains.get(&id)?;
        let fitted = fit_chain_at(chain, &self.resolved.curve_positions[&id], param);
        Some(fitted.map_or(chain.values[param.index()].base, |f| f.base))
    }

    /// Returns the chain whose curves are displayed: the chain of the active bone, or the first selected chain; `None`
    /// if no chain is selected.
    pub fn active_chain(self) -> Option<ChainId> {
        let active = self.selection.active.and_then(|bone| self.joint_place(bone));
        active.map(|(id, _)| id).or_else(|| self.selection.chains(self.document).first().copied())
    }

    /// Does the same as [`Document::find_joint`], with the index of the resolved document. Many parts of the window ask in
    /// every frame.
    fn joint_place(self, bone: BoneId) -> Option<(ChainId, usize)> {
        let is_current = |(id, at): &&(ChainId, usize)| {
            self.document.chains.get(id).and_then(|chain| chain.joints.get(*at)).is_some_and(|joint| joint.bone == bone)
        };
        let known = self.resolved.joint_by_bone.get(&bone).filter(is_current);
        known.copied().or_else(|| self.document.find_joint(bone))
    }

    /// Iterates over the target joints, each with its chain, its index and its position in the curve domain.
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

    /// Returns a parameter with its values for the targets, or for the system if it is a system parameter.
    pub fn param_view(self, param: ParamId) -> ParamView {
        if let Some(view) = self.cache.param_views.borrow().get(&param) {
            return view.clone();
        }
        let view = self.find_param_view(param);
        self.cache.param_views.borrow_mut().insert(param, view.clone());
        view
    }

    fn find_param_view(self, param: ParamId) -> ParamView {
        let def = self.system().def(param);
        if def.scope == ParamScope::System {
            let value = self.system().get(param);
            let changed = value != self.loaded_value(param);
            let values = ValueSummary::Same(value);
            let curves = Vec::new();
            return ParamView { id: param, def, values, changed, overridden: false, curves, has_ring_curve: false };
        }
        let targets = self.targets();
        let chains: Vec<_> = targets.chains.iter().map(|id| (*id, &self.document.chains[id])).collect();
        let skeleton = &self.character.skeleton;
        let whole = chains.iter().map(|(id, chain)| {
            let fitted = fit_chain_at(chain, &self.resolved.curve_positions[id], param);
            fitted.map_or(chain.values[param.index()].base, |fitted| fitted.base) * chain.ring_factor(param)
        });
        let single = targets
            .joints
            .iter()
            .filter_map(|(chain, bone)| joint_value(self.document, skeleton, *chain, *bone, param));
        let values = ValueSummary::of(whole.chain(single));
        ParamView {
            id: param,
            def,
            values,
            changed: self.differs_from_loaded(&targets, param),
            overridden: chains.iter().any(|(_, c)| {
                !c.is_overridden_by_all_joints(param) && c.joints.iter().any(|j| j.overrides.contains_key(&param))
            }),
            curves: different_curves(targets.chains.iter().map(|id| self.effective_curve(*id, param))),
            has_ring_curve: chains.iter().any(|(_, chain)| chain.ring_factor(param) != 1.0),
        }
    }

    /// Returns the curve of a chain, or the curve fitted to its joint values; `None` if the values differ only by
    /// rounding.
    pub fn effective_curve(self, id: ChainId, param: ParamId) -> Option<Curve> {
        let chain = self.document.chains.get(&id)?;
        match fit_chain_at(chain, &self.resolved.curve_positions[&id], param) {
            Some(fitted) => {
                fitted.curve.filter(|c| c.keys().iter().any(|k| (k.value - 1.0).abs() > FLAT_CURVE_TOLERANCE))
            }
            None => chain.values[param.index()].curve.clone(),
        }
    }

    /// Returns the curve position (0..=1) and the value of each joint.
    pub fn joint_values(self, id: ChainId, param: ParamId) -> Vec<(f32, f32)> {
        let Some(chain) = self.document.chains.get(&id) else { return Vec::new() };
        let places = &self.resolved.curve_positions[&id];
        places.iter().enumerate().map(|(i, t)| (*t, chain.joint_value(i, param, *t))).collect()
    }

    fn differs_from_loaded(self, targets: &EditTargets, param: ParamId) -> bool {
        let own = |document: &Document, chain, bone| {
            let chain = document.chains.get(chain)?;
            chain.joint_index(bone).and_then(|at| chain.joints[at].overrides.get(&param).copied())
        };
        let chains = targets.chains.iter().any(|id| {
            let now = &self.document.chains[id];
            self.loaded.chains.get(id).is_some_and(|was| {
                now.values[param.index()] != was.values[param.index()]
                    || now.joints.iter().enumerate().any(|(i, joint)| {
                        // A joint usually keeps its index, so try the index before searching.
                        let same = was.joints.get(i).filter(|w| w.bone == joint.bone);
                        let then = same.or_else(|| was.joints.iter().find(|w| w.bone == joint.bone));
                        then.is_some_and(|then| then.overrides.get(&param) != joint.overrides.get(&param))
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
    /// Nothing is selected: all chains with the solver of the tuned system.
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
        /// Number of the joint in its chain, from 1.
        number: usize,
        bone: BoneId,
    },
    Joints(usize),
    /// Bones that are not joints, the active bone first.
    UnsimulatedBones(Vec<BoneId>),
}

/// The joints of a chain that override parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JointOverrides {
    /// No joint overrides a parameter, or all joints have the same values.
    None,
    OneValue {
        /// Number of the joint in its chain, from 1.
        joint: usize,
        param: ParamId,
    },
    /// One joint overrides several parameters.
    OneJoint {
        /// Number of the joint in its chain, from 1.
        joint: usize,
        params: usize,
    },
    SeveralJoints(usize),
    /// Every joint overrides every parameter, as after an import.
    EveryJoint,
}

/// A collider, and how many targets it is assigned to.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderChoice {
    pub id: ColliderId,
    pub name: String,
    /// Name of the collider without the word for its shape.
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

    /// Returns which joints of a chain override parameters.
    pub fn joint_overrides(self, id: ChainId) -> JointOverrides {
        let Some(chain) = self.document.chains.get(&id) else { return JointOverrides::None };
        let rows: Vec<ParamId> = params::enumerate_params(self.system().param_defs())
            .filter(|(_, def)| def.scope == ParamScope::Joint)
            .map(|(param, _)| param)
            .collect();
        if chain.joints.len() > 1 && rows.iter().all(|param| chain.is_overridden_by_all_joints(*param)) {
            return JointOverrides::EveryJoint;
        }
        let loose: Vec<ParamId> = rows.into_iter().filter(|param| !chain.is_overridden_by_all_joints(*param)).collect();
        let own = |joint: &Joint| loose.iter().copied().filter(|param| joint.overrides.contains_key(param)).collect();
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
                [param] => JointOverrides::OneValue { joint: *joint, param: *param },
                many => JointOverrides::OneJoint { joint: *joint, params: many.len() },
            },
            many => JointOverrides::SeveralJoints(many.len()),
        }
    }

    /// Iterates over the selected bones, the active bone first.
    fn bones_active_first(&self) -> impl Iterator<Item = BoneId> {
        let active = self.selection.active;
        active.into_iter().chain(self.selection.bones.iter().copied().filter(move |b| Some(*b) != active))
    }

    /// Returns whether single joints can be tuned, because the active bone is a joint or single joints are already
    /// tuned.
    pub fn can_tune_joint(self) -> bool {
        self.selection.scope == Reach::Joints
            || self.selection.active.is_some_and(|bone| self.document.find_joint(bone).is_some())
    }

    /// Guesses the body part from the name of a bone.
    pub fn guess_part(self, bone: BoneId) -> ChainPart {
        let verdict = BoneName::parse(self.character.skeleton.name(bone)).analyze();
        verdict.part.map_or(ChainPart::Other, |(part, _)| part)
    }

    /// Returns all colliders, and how many targets each is assigned to.
    pub fn collider_choices(self) -> Vec<ColliderChoice> {
        let joints: Vec<_> = self.target_joints().map(|(_, joint, ..)| joint).collect();
        let choice = |(id, collider): (&ColliderId, &yuremono_model::document::Collider)| {
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

/// Shortens `Head_SphereCollider2` to `Head 2`, because an icon shows the shape. Returns other names unchanged.
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
    use yuremono_sim::SolverKind;
    use yuremono_sim::solver::spring_bone as unity;

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
                ParamLine::Single(param) => vec![param],
                ParamLine::LimitPair { active, min, max } => vec![active, min, max],
            })
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, params::enumerate_params(table).map(|(param, _)| param).collect::<Vec<_>>());
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
