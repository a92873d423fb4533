//! What the inspector shows of a parameter: one value or several, changed or not, and its curve.
//!
//! [`subject`](Session::subject) says what is tuned, [`remark`](Session::remark) why a number does nothing, and
//! [`meaning`](Session::meaning) what it looks like. The words for all of that are found elsewhere.

mod component;
mod effect;
mod grouping;
mod handles;
mod lengths;
mod limits;
mod material;
mod subject;
mod swing;
mod ways;

pub use component::OtherSystem;
pub use effect::Remark;
pub use grouping::{Center, GroupChoice};
pub use handles::{BoxView, HingeView};
pub use lengths::LengthView;
pub use limits::{LimitWays, Pivots, SwingAxis, Way};
pub use material::{MaterialChoice, MaterialState, Shared};
pub use subject::{ColliderChoice, Overrides, Subject, short_name};
pub use swing::SwingView;
pub use ways::Manner;

use super::Session;
use crate::doc::tune::{self, Targets, fit_at, joint_value};
use crate::doc::{Chain, ChainId, Document, Edit, Joint, Label};
use crate::math::Curve;
use crate::rig::BoneId;
use crate::schema::{self, EntryRows, Group, Idea, Limits, ParamDef, ParamSet, Part, Row, Scope};
use crate::sim::Numbers;

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
    (table.get(active.index())?.part == Part::Active).then(|| active.run())
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

impl Session {
    /// What the targets' value of a row looks like; `None` where it says all by itself or targets differ.
    pub fn meaning(&self, row: Row) -> Option<Meaning> {
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
    pub fn joint_meaning(&self, chain: ChainId, bone: BoneId, row: Row) -> Option<Meaning> {
        let at = self.document.chains.get(&chain).and_then(|c| c.position(bone)).unwrap_or(0);
        let length = self.mean_length(std::iter::once((chain, at)));
        self.meaning_of(row, length, |row| joint_value(&self.document, &self.character.skeleton, chain, bone, row))
    }

    /// What the base value of a chain looks like.
    pub fn base_meaning(&self, chain: ChainId, row: Row) -> Option<Meaning> {
        let count = self.document.chains.get(&chain).map_or(0, |c| c.joints.len());
        let length = self.mean_length((0..count).map(|at| (chain, at)));
        self.meaning_of(row, length, |row| self.base_of(chain, row))
    }

    fn meaning_of(&self, row: Row, length: f32, value: impl Fn(Row) -> Option<f32>) -> Option<Meaning> {
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
        let frame = 1.0 / self.play.players_rate() as f32;
        let numbers = Numbers { joint: &joint, system: &self.system().values, length, carried: 0.0, frame };
        let sway = self.system().solver.sway(&numbers);
        Some(if speed == Some(row) { Meaning::Hertz(sway.frequency_hz) } else { Meaning::Damping(sway.damping_ratio) })
    }

    /// The row of joints that means this before all others.
    fn first_of(&self, idea: Idea) -> Option<Row> {
        let mut rows = schema::rows(self.system().table());
        rows.find(|(_, def)| def.scope == Scope::Joint && def.idea == idea).map(|(row, _)| row)
    }

    /// Mean length of some joints, metres; some numbers feel otherwise on longer bones.
    fn mean_length(&self, joints: impl Iterator<Item = (ChainId, usize)>) -> f32 {
        let known = joints.filter_map(|(chain, at)| self.resolved.lengths.get(&chain)?.get(at).copied());
        let (sum, count) = known.filter(|l| *l > 0.0).fold((0.0, 0), |(sum, count), l| (sum + l, count + 1));
        if count == 0 { 0.0 } else { sum / count as f32 }
    }

    /// What the whole character's gravity adds to a joint's steady pull along the same axis; `None` where that is
    /// nothing, or the row is no such pull. Metres per second squared.
    pub fn character_pull(&self, row: Row) -> Option<f32> {
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
    pub fn base_of(&self, id: ChainId, row: Row) -> Option<f32> {
        let chain = self.document.chains.get(&id)?;
        let fitted = fit_at(chain, &self.resolved.places[&id], row);
        Some(fitted.map_or(chain.values[row.index()].base, |f| f.base))
    }

    /// An edit that writes the base of whole chains, whatever is tuned; those of other solvers than the tuned one stay.
    pub fn set_base(&self, chains: &[ChainId], row: Row, value: f32) -> (Edit, Label) {
        let solver = self.system().solver;
        let chains = chains.iter().copied().filter(|id| self.is_under(*id, solver)).collect();
        let targets = Targets { chains, joints: Vec::new() };
        let count = targets.joint_count(&self.document);
        let edit = tune::set(&self.document, &self.character.skeleton, &targets, row, value);
        (edit, Label::new("set", count).row(solver, row))
    }

    /// One edit that puts back what was loaded for several rows.
    pub fn reset_rows(&self, rows: &[Row]) -> (Edit, Label) {
        self.each_row("reset", rows, |targets, row| tune::reset(&self.document, self.loaded(), targets, row))
    }

    /// One edit that writes the engine's default to several rows.
    pub fn default_rows(&self, rows: &[Row]) -> (Edit, Label) {
        self.each_row("engine_default", rows, |targets, row| tune::engine_default(&self.document, targets, row))
    }

    fn each_row(&self, what: &'static str, rows: &[Row], edit: impl Fn(&Targets, Row) -> Edit) -> (Edit, Label) {
        let targets = self.targets();
        let label = Label::new(what, targets.joint_count(&self.document));
        let label = rows.first().map_or(label.clone(), |row| label.row(self.system().solver, *row));
        (Edit::Batch(rows.iter().map(|row| edit(&targets, *row)).collect()), label)
    }

    /// The chain whose curves are shown: that of the active bone, or the first one that is tuned; `None` when
    /// nothing is selected.
    pub fn active_chain(&self) -> Option<ChainId> {
        let active = self.selection.active.and_then(|bone| self.document.joint_of(bone));
        active.map(|(id, _)| id).or_else(|| self.selection.chains(&self.document).first().copied())
    }

    /// The joints that tuning reaches, each with its chain and its place along it.
    fn target_joints(&self) -> impl Iterator<Item = (&Chain, &Joint, usize, f32)> {
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
    pub fn row_view(&self, row: Row) -> RowView {
        let def = self.system().def(row);
        if def.scope == Scope::System {
            let value = self.system().get(row);
            let changed = value != self.loaded_value(row);
            return RowView {
                row,
                def,
                values: Values::Same(value),
                changed,
                overridden: false,
                curve: None,
                curved: false,
            };
        }
        let targets = self.targets();
        let chains: Vec<_> = targets.chains.iter().map(|id| (*id, &self.document.chains[id])).collect();
        let skeleton = &self.character.skeleton;
        let whole = chains.iter().map(|(id, chain)| match fit_at(chain, &self.resolved.places[id], row) {
            Some(fitted) => fitted.base,
            None => chain.values[row.index()].base,
        });
        let single =
            targets.joints.iter().filter_map(|(chain, bone)| joint_value(&self.document, skeleton, *chain, *bone, row));
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
    pub fn curve_of(&self, id: ChainId, row: Row) -> Option<Curve> {
        let chain = self.document.chains.get(&id)?;
        match fit_at(chain, &self.resolved.places[&id], row) {
            Some(fitted) => fitted.curve.filter(|c| c.keys().iter().any(|k| (k.value - 1.0).abs() > ROUNDING)),
            None => chain.values[row.index()].curve.clone(),
        }
    }

    /// Place along the chain (0..=1) and number of each joint of a chain.
    pub fn joint_values(&self, id: ChainId, row: Row) -> Vec<(f32, f32)> {
        let Some(chain) = self.document.chains.get(&id) else { return Vec::new() };
        let places = &self.resolved.places[&id];
        places.iter().enumerate().map(|(i, t)| (*t, chain.value(i, row, *t))).collect()
    }

    fn differs(&self, targets: &Targets, row: Row) -> bool {
        let own = |document: &Document, chain, bone| {
            let chain = document.chains.get(chain)?;
            chain.position(bone).and_then(|at| chain.joints[at].own.get(&row).copied())
        };
        let chains = targets.chains.iter().any(|id| {
            let now = &self.document.chains[id];
            self.loaded().chains.get(id).is_some_and(|was| {
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
            targets.joints.iter().any(|(id, bone)| own(&self.document, id, *bone) != own(self.loaded(), id, *bone));
        chains || joints
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
}
