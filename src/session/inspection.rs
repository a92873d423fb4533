//! What the inspector and the curve drawer show of the selection.
//!
//! [`subject`](Inspection::subject) says what is tuned, [`remark`](Inspection::remark) why a number has no effect, and
//! [`meaning`](Inspection::meaning) what it looks like. The words for all of that are in the locale files.

mod component;
mod feel;
mod joints;
mod limits;
mod remarks;

pub use crate::sim::Remark;
pub use component::{Center, ComponentTool, GroupChoice, MaterialChoice, MaterialState, OtherSystem, Shared};
pub(super) use feel::FeelPanel;
pub use feel::TermView;
pub use joints::{BoxView, HingeView, LengthView};
pub use limits::{LimitWays, Pivots, SwingAxis, SwingView, Way};
pub use remarks::Manner;

use super::playback::Playback;
use super::selection::{Item, Scope as Reach, Selection};
use crate::document::{Chain, ChainId, ColliderId, Document, History, Joint, Node, Part, Resolved, System, SystemId};
use crate::document::{names::BoneName, names::Pattern};
use crate::document::{tune::Targets, tune::fit_at, tune::joint_value};
use crate::math::Curve;
use crate::rig::{BoneId, Character};
use crate::schema::{
    self, EntryRows, Group, Idea, Limits, ParamDef, ParamSet, Part as ParamPart, Row, Scope, find_row,
};
use crate::sim::{Numbers, Shape, SolverKind};
use crate::tools::parts;
use std::collections::{BTreeMap, BTreeSet};

/// What the inspector and the curve drawer show of the selection; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Inspection<'a> {
    pub(super) character: &'a Character,
    pub(super) document: &'a Document,
    /// As [`super::Session::loaded`].
    pub(super) loaded: &'a Document,
    pub(super) resolved: &'a Resolved,
    pub(super) selection: &'a Selection,
    pub(super) playback: &'a Playback,
    pub(super) history: &'a History,
    pub(super) feel: &'a FeelPanel,
}

/// Imported values that differ by less, as a share of the greatest, are drawn level.
const ROUNDING: f32 = 1e-3;

/// One value, or the span of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// Nothing is tuned.
    None,
    /// All targets agree.
    Same(f32),
    /// They do not.
    Mixed {
        /// Least.
        low: f32,
        /// Greatest.
        high: f32,
    },
}

impl Values {
    pub(super) fn of(values: impl Iterator<Item = f32>) -> Self {
        values.fold(Self::None, |all, value| match all {
            Self::None => Self::Same(value),
            Self::Same(same) if same == value => all,
            Self::Same(same) => Self::Mixed { low: same.min(value), high: same.max(value) },
            Self::Mixed { low, high } => Self::Mixed { low: low.min(value), high: high.max(value) },
        })
    }
}

/// A parameter as the inspector shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct RowView {
    /// Which.
    pub row: Row,
    /// Its table row.
    pub def: &'static ParamDef,
    /// Base values of chains, or the values of joints.
    pub values: Values,
    /// Differs from the value as loaded.
    pub changed: bool,
    /// At least one joint, but not all of a chain, has a value of its own.
    pub overridden: bool,
    /// The curve that all target chains share; `None` for level or differing ones.
    pub curve: Option<Curve>,
    /// Some target chain has a curve.
    pub curved: bool,
}

/// What stands in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// One parameter.
    One(Row),
    /// Two limits and their switch.
    Range {
        /// Whether the limits act.
        active: Row,
        /// The lower one.
        min: Row,
        /// The upper one.
        max: Row,
    },
}

/// The rows of a pair of limits, by its switch: the switch, the least and the greatest value. `None` where the row is no
/// such switch.
pub(in crate::session) fn limit_rows(table: &'static [ParamDef], active: Row) -> Option<[Row; 3]> {
    (table.get(active.index())?.part == ParamPart::Active).then(|| active.run())
}

/// The lines of one group of a table, in its order.
pub fn entries(table: &'static [ParamDef], group: Group, scope: Scope) -> Vec<Entry> {
    let lines = |(rows, _): (EntryRows, &ParamDef)| match rows {
        EntryRows::One(row) => vec![Entry::One(row)],
        EntryRows::Vector(rows) => rows.map(Entry::One).to_vec(),
        EntryRows::Limits(Limits { active, min, max }) => vec![Entry::Range { active, min, max }],
    };
    schema::entries(table).filter(|(_, def)| def.group == group && def.scope == scope).flat_map(lines).collect()
}

/// What a number looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    /// Swings per second.
    Hertz(f32),
    /// Damping ratio.
    Damping(f32),
    /// A steady pull together with the character's own along the same axis, metres per second squared.
    Net(f32),
}

impl<'a> Inspection<'a> {
    /// The system that is tuned: that of the chain whose curves are shown, or the first.
    pub fn system_id(self) -> SystemId {
        let active = self.active_chain().and_then(|id| self.document.chains.get(&id));
        active
            .map(|chain| chain.system)
            .filter(|id| self.document.systems.contains_key(id))
            .unwrap_or(self.document.main_id())
    }

    /// The system of [`Self::system_id`].
    pub fn system(self) -> &'a System {
        &self.document.systems[&self.system_id()]
    }

    /// The number that a row of the tuned system had when the character was opened; the engine's default where it had
    /// no such system.
    pub(super) fn loaded_value(self, row: Row) -> f32 {
        let (id, now) = (self.system_id(), self.system());
        let same = self.loaded.systems.get(&id).filter(|was| was.solver == now.solver);
        let was = same.or_else(|| self.loaded.system_under(now.solver).map(|(_, was)| was));
        was.map_or(now.def(row).default, |was| was.get(row))
    }

    /// Height of the ground that the solver has, or zero; metres.
    pub fn ground_height(self) -> f32 {
        let row = find_row(self.system().table(), "groundHeight");
        row.map_or(0.0, |row| self.system().get(row)).clamp(-1e4, 1e4)
    }

    /// The bones whose names match.
    pub fn bones_like(self, pattern: &Pattern) -> Vec<BoneId> {
        let skeleton = &self.character.skeleton;
        skeleton.ids().filter(|bone| pattern.matches(skeleton.name(*bone))).collect()
    }

    /// Name of a bone; also of one that this version of the character lacks.
    pub fn bone_name(self, bone: BoneId) -> &'a str {
        let lost = self.document.lost.path(bone);
        lost.map_or_else(|| self.character.skeleton.name(bone), |path| &path.name)
    }

    /// Name of a node; empty where it is gone.
    pub fn node_name(self, node: Node) -> &'a str {
        match node {
            Node::Bone(bone) => self.bone_name(bone),
            Node::Helper(_) => parts::node_name(self.document, &self.character.skeleton, node),
        }
    }

    /// The bone of a node in the resolved skeleton.
    fn bone_of(self, node: Node) -> Option<BoneId> {
        match node {
            Node::Bone(bone) => Some(bone),
            Node::Helper(_) => self.resolved.bones.get(&node).copied(),
        }
    }

    /// What tuning reaches now: the selected joints, their chains, or all chains; of those, what the solver of the
    /// tuned system moves.
    pub fn targets(self) -> Targets {
        let mut targets = self.selection.targets(self.document, &self.resolved.index);
        let solver = self.system().solver;
        targets.chains.retain(|id| self.is_under(*id, solver));
        targets.joints.retain(|(id, _)| self.is_under(*id, solver));
        targets
    }

    /// The chains that tuning reaches, whole or in part.
    pub fn target_chains(self) -> Vec<ChainId> {
        let targets = self.targets();
        let mut chains = targets.chains;
        chains.extend(targets.joints.iter().map(|j| j.0));
        chains.sort_unstable();
        chains.dedup();
        chains
    }

    /// The joints that tuning reaches.
    pub fn target_bones(self) -> Vec<(ChainId, BoneId)> {
        let targets = self.targets();
        let of = |id: &ChainId| self.document.chains[id].joints.iter().map(|j| j.bone);
        let whole = targets.chains.iter().flat_map(|id| of(id).map(|bone| (*id, bone)));
        whole.chain(targets.joints.iter().copied()).collect()
    }

    /// Whether that solver moves a chain.
    pub fn is_under(self, id: ChainId, solver: SolverKind) -> bool {
        self.document.chains.get(&id).is_some_and(|c| self.document.solver_of(c) == solver)
    }

    /// The selected chains that tuning does not reach, counted by the solver that moves them.
    pub fn out_of_reach(self) -> BTreeMap<SolverKind, usize> {
        let mut others = BTreeMap::new();
        let solver = self.system().solver;
        let selected = self.selected_chains();
        let kinds = selected.iter().filter_map(|id| self.document.chains.get(id)).map(|c| self.document.solver_of(c));
        kinds.filter(|kind| *kind != solver).for_each(|kind| *others.entry(kind).or_default() += 1);
        others
    }

    /// What is selected, whatever moves it; all chains where nothing is.
    pub fn selected_chains(self) -> BTreeSet<ChainId> {
        let targets = self.selection.targets(self.document, &self.resolved.index);
        targets.chains.into_iter().chain(targets.joints.into_iter().map(|(id, _)| id)).collect()
    }

    /// The selected colliders.
    pub fn selected_colliders(self) -> Vec<ColliderId> {
        let collider = |item: &Item| match item {
            Item::Collider(id) => Some(*id),
            Item::Force(_) | Item::Helper(_) => None,
        };
        self.selection.items.iter().filter_map(collider).collect()
    }

    /// What the targets' value of a row looks like; `None` where it says all by itself or targets differ.
    pub fn meaning(self, row: Row) -> Option<Meaning> {
        let same = |row| match self.row_view(row).values {
            Values::Same(value) => Some(value),
            Values::None | Values::Mixed { .. } => None,
        };
        let length = self.mean_length(
            self.target_joints().filter_map(|(_, joint, ..)| self.resolved.index.get(&joint.bone).copied()),
        );
        self.meaning_of(row, length, same)
    }

    /// What a joint's value of a row looks like.
    pub fn joint_meaning(self, chain: ChainId, bone: BoneId, row: Row) -> Option<Meaning> {
        let at = self.document.chains.get(&chain).and_then(|c| c.position(bone)).unwrap_or(0);
        let length = self.mean_length(std::iter::once((chain, at)));
        self.meaning_of(row, length, |row| joint_value(self.document, &self.character.skeleton, chain, bone, row))
    }

    /// What the base value of a chain looks like.
    pub fn base_meaning(self, chain: ChainId, row: Row) -> Option<Meaning> {
        let count = self.document.chains.get(&chain).map_or(0, |c| c.joints.len());
        let length = self.mean_length((0..count).map(|at| (chain, at)));
        self.meaning_of(row, length, |row| self.base_of(chain, row))
    }

    fn meaning_of(self, row: Row, length: f32, value: impl Fn(Row) -> Option<f32>) -> Option<Meaning> {
        if let Some(pull) = self.character_pull(row) {
            return value(row).map(|own| Meaning::Net(own + pull));
        }
        let [speed, settle] = [Idea::Restore, Idea::Drag].map(|idea| self.first_of(idea));
        if speed != Some(row) && settle != Some(row) {
            return None;
        }
        let table = self.system().table();
        let mut joint = ParamSet::defaults(table);
        for (other, _) in schema::rows(table).filter(|(_, def)| def.scope == Scope::Joint) {
            match value(other) {
                Some(value) => _ = joint.set(other, value),
                None if speed == Some(other) || settle == Some(other) => return None,
                None => {}
            }
        }
        let frame = 1.0 / self.playback.settings().players_rate as f32;
        let numbers = Numbers { joint: &joint, system: &self.system().values, length, carried: 0.0, frame };
        let sway = self.system().solver.sway(&numbers);
        Some(if speed == Some(row) { Meaning::Hertz(sway.frequency_hz) } else { Meaning::Damping(sway.damping_ratio) })
    }

    /// The row of joints that means this before all others.
    fn first_of(self, idea: Idea) -> Option<Row> {
        let mut rows = schema::rows(self.system().table());
        rows.find(|(_, def)| def.scope == Scope::Joint && def.idea == idea).map(|(row, _)| row)
    }

    /// Mean length of some joints, metres; some numbers feel otherwise on longer bones.
    fn mean_length(self, joints: impl Iterator<Item = (ChainId, usize)>) -> f32 {
        let known = joints.filter_map(|(chain, at)| self.resolved.lengths.get(&chain)?.get(at).copied());
        let (sum, count) = known.filter(|l| *l > 0.0).fold((0.0, 0), |(sum, count), l| (sum + l, count + 1));
        if count == 0 { 0.0 } else { sum / count as f32 }
    }

    /// What the whole character's gravity adds to a joint's steady pull along the same axis; `None` where that is
    /// nothing, or the row is no such pull. Metres per second squared.
    pub fn character_pull(self, row: Row) -> Option<f32> {
        let def = self.system().def(row);
        if def.scope != Scope::Joint || def.idea != Idea::Gravity {
            return None;
        }
        let axis = def.axis()?;
        let mut same = schema::rows(self.system().table()).filter(|(_, other)| {
            other.scope == Scope::System && other.idea == Idea::Gravity && other.axis() == Some(axis)
        });
        let pull = self.system().get(same.next()?.0);
        (pull != 0.0).then_some(pull)
    }

    /// The value that a chain's curve multiplies.
    pub fn base_of(self, id: ChainId, row: Row) -> Option<f32> {
        let chain = self.document.chains.get(&id)?;
        let fitted = fit_at(chain, &self.resolved.places[&id], row);
        Some(fitted.map_or(chain.values[row.index()].base, |f| f.base))
    }

    /// The chain whose curves are shown: that of the active bone, or the first one that is tuned; `None` when
    /// nothing is selected.
    pub fn active_chain(self) -> Option<ChainId> {
        let active = self.selection.active.and_then(|bone| self.document.joint_of(bone));
        active.map(|(id, _)| id).or_else(|| self.selection.chains(self.document).first().copied())
    }

    /// The joints that tuning reaches, each with its chain and its place along it.
    pub(super) fn target_joints(self) -> impl Iterator<Item = (&'a Chain, &'a Joint, usize, f32)> {
        let targets = self.targets();
        let whole = targets.chains.into_iter().map(|id| (id, None));
        let single = targets.joints.into_iter().map(|(id, bone)| (id, Some(bone)));
        whole.chain(single).flat_map(move |(id, only)| {
            let chain = &self.document.chains[&id];
            let places = &self.resolved.places[&id];
            let joints = chain.joints.iter().enumerate().filter(move |(_, j)| only.is_none_or(|bone| j.bone == bone));
            joints.map(move |(i, joint)| (chain, joint, i, places[i]))
        })
    }

    /// A row of joint scope for the current targets, or of system scope for the character.
    pub fn row_view(self, row: Row) -> RowView {
        let def = self.system().def(row);
        if def.scope == Scope::System {
            let value = self.system().get(row);
            let changed = value != self.loaded_value(row);
            let values = Values::Same(value);
            return RowView { row, def, values, changed, overridden: false, curve: None, curved: false };
        }
        let targets = self.targets();
        let chains: Vec<_> = targets.chains.iter().map(|id| (*id, &self.document.chains[id])).collect();
        let skeleton = &self.character.skeleton;
        let whole = chains.iter().map(|(id, chain)| match fit_at(chain, &self.resolved.places[id], row) {
            Some(fitted) => fitted.base,
            None => chain.values[row.index()].base,
        });
        let single =
            targets.joints.iter().filter_map(|(chain, bone)| joint_value(self.document, skeleton, *chain, *bone, row));
        let values = Values::of(whole.chain(single));
        let mut curves = targets.chains.iter().map(|id| self.curve_of(*id, row));
        let first = curves.next().flatten();
        let curve = curves.all(|c| c == first).then_some(first).flatten();
        RowView {
            row,
            def,
            values,
            changed: self.differs(&targets, row),
            overridden: chains
                .iter()
                .any(|(_, c)| !c.is_exact(row) && c.joints.iter().any(|j| j.own.contains_key(&row))),
            curved: targets.chains.iter().any(|id| self.curve_of(*id, row).is_some()),
            curve,
        }
    }

    /// A chain's curve, or the one that its imported values amount to; `None` where they differ by rounding alone.
    pub fn curve_of(self, id: ChainId, row: Row) -> Option<Curve> {
        let chain = self.document.chains.get(&id)?;
        match fit_at(chain, &self.resolved.places[&id], row) {
            Some(fitted) => fitted.curve.filter(|c| c.keys().iter().any(|k| (k.value - 1.0).abs() > ROUNDING)),
            None => chain.values[row.index()].curve.clone(),
        }
    }

    /// Place along the chain (0..=1) and number of each joint of a chain.
    pub fn joint_values(self, id: ChainId, row: Row) -> Vec<(f32, f32)> {
        let Some(chain) = self.document.chains.get(&id) else { return Vec::new() };
        let places = &self.resolved.places[&id];
        places.iter().enumerate().map(|(i, t)| (*t, chain.value(i, row, *t))).collect()
    }

    fn differs(self, targets: &Targets, row: Row) -> bool {
        let own = |document: &Document, chain, bone| {
            let chain = document.chains.get(chain)?;
            chain.position(bone).and_then(|at| chain.joints[at].own.get(&row).copied())
        };
        let chains = targets.chains.iter().any(|id| {
            let now = &self.document.chains[id];
            self.loaded.chains.get(id).is_some_and(|was| {
                now.values[row.index()] != was.values[row.index()]
                    || now.joints.iter().enumerate().any(|(i, joint)| {
                        // Joints seldom move within their chain.
                        let same = was.joints.get(i).filter(|w| w.bone == joint.bone);
                        let then = same.or_else(|| was.joints.iter().find(|w| w.bone == joint.bone));
                        then.is_some_and(|then| then.own.get(&row) != joint.own.get(&row))
                    })
            })
        });
        let joints =
            targets.joints.iter().any(|(id, bone)| own(self.document, id, *bone) != own(self.loaded, id, *bone));
        chains || joints
    }
}

/// What the inspector is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Nothing is selected, so tuning reaches everything that the tuned solver moves.
    All {
        /// How many chains.
        chains: usize,
        /// How many joints they have.
        joints: usize,
    },
    /// One chain.
    Chain {
        /// Which.
        id: ChainId,
        /// How many joints it has.
        joints: usize,
    },
    /// Several chains.
    Chains {
        /// How many.
        chains: usize,
        /// How many joints they have.
        joints: usize,
    },
    /// One joint alone.
    Joint {
        /// Its chain.
        chain: ChainId,
        /// Counted from 1.
        number: usize,
        /// Its bone.
        bone: BoneId,
    },
    /// Several joints.
    Joints(usize),
    /// Bones that no chain moves, the active one first.
    Still(Vec<BoneId>),
}

/// Which joints of the tuned chain have values of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overrides {
    /// None, or all alike.
    None,
    /// One joint, one value.
    One {
        /// Counted from 1.
        joint: usize,
        /// Which value.
        row: Row,
    },
    /// One joint, several values.
    Joint {
        /// Counted from 1.
        joint: usize,
        /// How many values.
        rows: usize,
    },
    /// Several joints.
    Joints(usize),
    /// Every joint has all its values, as an import writes them.
    Imported,
}

/// A collider as it is assigned to what is tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderChoice {
    /// Which.
    pub id: ColliderId,
    /// As it goes into files.
    pub name: String,
    /// The name without the words for its shape.
    pub short: String,
    /// What it is.
    pub shape: Shape,
    /// How many of the tuned joints it pushes.
    pub joints: usize,
    /// Whether that is all of them.
    pub all: bool,
}

impl Inspection<'_> {
    /// What the inspector is about.
    pub fn subject(self) -> Subject {
        let document = self.document;
        let targets = self.targets();
        let joints = targets.joint_count(document);
        if self.selection.bones.is_empty() {
            return Subject::All { chains: targets.chains.len(), joints };
        }
        match (targets.chains.as_slice(), targets.joints.as_slice()) {
            ([], []) => {
                let active = self.selection.active;
                let others = self.selection.bones.iter().copied().filter(|b| Some(*b) != active);
                Subject::Still(active.into_iter().chain(others).collect())
            }
            ([id], _) => Subject::Chain { id: *id, joints },
            ([], [(chain, bone)]) => {
                let number = document.chains[chain].position(*bone).map_or(0, |at| at + 1);
                Subject::Joint { chain: *chain, number, bone: *bone }
            }
            ([], many) => Subject::Joints(many.len()),
            (many, _) => Subject::Chains { chains: many.len(), joints },
        }
    }

    /// Which joints of a chain have values of their own beside the chain's.
    pub fn overrides(self, id: ChainId) -> Overrides {
        let Some(chain) = self.document.chains.get(&id) else { return Overrides::None };
        let rows: Vec<Row> = schema::rows(self.system().table())
            .filter(|(_, def)| def.scope == Scope::Joint)
            .map(|(row, _)| row)
            .collect();
        if chain.joints.len() > 1 && rows.iter().all(|row| chain.is_exact(*row)) {
            return Overrides::Imported;
        }
        let loose: Vec<Row> = rows.into_iter().filter(|row| !chain.is_exact(*row)).collect();
        let own = |joint: &Joint| loose.iter().copied().filter(|row| joint.own.contains_key(row)).collect();
        let found: Vec<(usize, Vec<Row>)> = chain
            .joints
            .iter()
            .enumerate()
            .map(|(i, joint)| (i + 1, own(joint)))
            .filter(|(_, rows): &(usize, Vec<Row>)| !rows.is_empty())
            .collect();
        match found.as_slice() {
            [] => Overrides::None,
            [(joint, rows)] => match rows.as_slice() {
                [row] => Overrides::One { joint: *joint, row: *row },
                many => Overrides::Joint { joint: *joint, rows: many.len() },
            },
            many => Overrides::Joints(many.len()),
        }
    }

    /// Whether the scope can be narrowed to one joint: the active bone is a joint.
    pub fn can_tune_joint(self) -> bool {
        self.selection.scope == Reach::Joints
            || self.selection.active.is_some_and(|bone| self.document.joint_of(bone).is_some())
    }

    /// What a bone's name says that it is.
    pub fn guess_part(self, bone: BoneId) -> Part {
        let verdict = BoneName::read(self.character.skeleton.name(bone)).verdict();
        verdict.part.map_or(Part::Other, |(part, _)| part)
    }

    /// All colliders, and how many of the tuned joints each pushes.
    pub fn collider_choices(self) -> Vec<ColliderChoice> {
        let joints: Vec<_> = self.target_joints().map(|(_, joint, ..)| joint).collect();
        let choice = |(id, collider): (&ColliderId, &crate::document::Collider)| {
            let pushed = joints.iter().filter(|j| j.colliders.contains(id)).count();
            ColliderChoice {
                id: *id,
                name: collider.name.clone(),
                short: short_name(&collider.name),
                shape: collider.shape,
                joints: pushed,
                all: pushed == joints.len() && pushed > 0,
            }
        };
        self.document.colliders.iter().map(choice).collect()
    }
}

/// `Head_SphereCollider2` is `Head 2` beside a picture of its shape; names without such words stay.
pub fn short_name(name: &str) -> String {
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
    fn every_row_of_a_table_has_one_line_and_limits_share_theirs() {
        let table = SolverKind::UnityChanSpringBone.info().params;
        let groups = [
            Group::Spring,
            Group::AngleLimits,
            Group::Collision,
            Group::LengthLimits,
            Group::World,
            Group::Time,
            Group::Switches,
            Group::Improved,
        ];
        let all =
            groups.into_iter().flat_map(|g| [Scope::Joint, Scope::System].map(|s| entries(table, g, s))).flatten();
        let mut seen: Vec<Row> = all
            .flat_map(|entry| match entry {
                Entry::One(row) => vec![row],
                Entry::Range { active, min, max } => vec![active, min, max],
            })
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, schema::rows(table).map(|(row, _)| row).collect::<Vec<_>>());
        let limits = entries(table, Group::AngleLimits, Scope::Joint);
        let y = Entry::Range { active: unity::Y_ACTIVE, min: unity::Y_MIN, max: unity::Y_MAX };
        assert_eq!(limits[0], y);
        assert_eq!(limits[2], Entry::One(unity::ANGULAR_STIFFNESS));
    }

    #[test]
    fn collider_names_lose_the_words_for_their_shape() {
        for (name, short) in [
            ("J_Bip_C_Head_SphereCollider", "J_Bip_C_Head"),
            ("J_Bip_C_Head_SphereCollider2", "J_Bip_C_Head 2"),
            ("SphereCollider", "SphereCollider"),
            ("頭_当たり", "頭_当たり"),
        ] {
            assert_eq!(short_name(name), short);
        }
    }
}
