//! Messages about values that the simulation cannot follow: chains that left their bounds, and work that is cut.

use super::{MessageId, Said, Session};
use crate::schema::{ParamDef, Row, Scope, rows};
use crate::sim::{JointIndex, SystemSetup, Work};
use std::collections::{BTreeMap, BTreeSet};

/// What was said already, so that it is said once.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Systems whose chains were reported.
    strays: BTreeSet<u32>,
    work: Vec<Work>,
    /// The last message about strayed chains of each system, and about its work (`true`): a later one replaces it.
    messages: BTreeMap<(u32, bool), MessageId>,
}

/// The number that most probably made a chain leave its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspect {
    /// Label of the parameter.
    pub parameter: &'static str,
    /// Its value.
    pub value: f32,
    /// The range that it leaves: the declared one, or the slider's where the declared one holds the value.
    pub range: (f32, f32),
    /// Whether the range is the declared one; a slider's range is only usual.
    pub declared: bool,
}

/// A count that is reduced: the parameter's label, how many it asks for in a step, and how many are done.
pub type CutCount = (&'static str, u32, u32);

impl Session {
    /// Says which joints left their bounds since the numbers changed, and why.
    pub(super) fn tell_strays(&mut self) {
        let strays = self.play.world().strays();
        // More chains of a system may follow those that were reported.
        let Some(first) = strays.iter().copied().find(|joint| !self.told.strays.contains(&joint.system)) else {
            return;
        };
        self.told.strays.insert(first.system);
        let more = strays.iter().filter(|joint| joint.system == first.system).count() - 1;
        let Some(bone) = self.play.world().joint_bone(first) else { return };
        let suspect = self.suspect(first);
        let joint = self.bone_name(bone).to_owned();
        self.say_of_bounds((first.system, false), Said::Strayed { joint, more, suspect });
    }

    /// Says something in place of what was said of the same before, since a drag changes a number in every frame.
    fn say_of_bounds(&mut self, about: (u32, bool), said: Said) {
        if let Some(earlier) = self.told.messages.remove(&about) {
            self.messages.dismiss(earlier);
        }
        self.messages.say(said);
        self.told.messages.extend(self.messages.list().last().map(|message| (about, message.id)));
    }

    /// Says which parameters ask for more work than a step may do.
    pub(super) fn tell_work(&mut self) {
        let dt = self.play.tick_length();
        let work: Vec<Work> = self.play.world().work(dt).map(|work| Work { visits: 0, ..work }).collect();
        if work == self.told.work {
            return;
        }
        for (at, work) in work.iter().enumerate() {
            let Some(solver) = self.resolved.systems.get(at).map(|setup| setup.solver) else { continue };
            let table = solver.info().params;
            let cut = |cut: &crate::sim::Cut| (table[cut.row.index()].label, cut.asked, cut.done);
            let cuts: Vec<CutCount> = work.cuts.iter().flatten().map(cut).collect();
            if !cuts.is_empty() {
                self.say_of_bounds((at as u32, true), Said::WorkCut { solver: solver.key(), cuts });
            }
        }
        self.told.work = work;
    }

    /// Allows strayed chains to be reported again after parameters changed.
    pub(super) fn forget_strays(&mut self) {
        self.told.strays.clear();
    }

    /// Of all numbers that act on a joint, the one that is farthest out of its range, or of the slider's where all are in
    /// range.
    fn suspect(&self, joint: JointIndex) -> Option<Suspect> {
        let setup = self.resolved.systems.get(joint.system as usize)?;
        let farthest = |range: fn(&ParamDef) -> (f32, f32), declared: bool| {
            let beyond = numbers(setup, joint.joint as usize).filter_map(move |(def, value)| {
                let range = range(def);
                let beyond = (range.0 - value).max(value - range.1);
                let span = (def.soft_range.1 - def.soft_range.0).max(f32::MIN_POSITIVE);
                (beyond > 0.0).then_some((beyond / span, Suspect { parameter: def.label, value, range, declared }))
            });
            beyond.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, suspect)| suspect)
        };
        farthest(|def| def.range, true).or_else(|| farthest(|def| def.soft_range, false))
    }

    /// The range of a row that the targets' values leave; `None` where they keep it.
    pub fn left_range(&self, row: Row) -> Option<(f32, f32)> {
        let view = self.row_view(row);
        let (low, high) = match view.values {
            super::Values::None => return None,
            super::Values::Same(value) => (value, value),
            super::Values::Mixed { low, high } => (low, high),
        };
        view.def.range_left_by(low, high)
    }
}

/// All numbers that act on a joint: its own, its system's, and those of shapes and forces.
fn numbers(setup: &SystemSetup, joint: usize) -> impl Iterator<Item = (&'static ParamDef, f32)> {
    let table = rows(setup.solver.info().params);
    let own = table.filter_map(move |(row, def)| {
        let values = if def.scope == Scope::Joint { &setup.joints.get(joint)?.values } else { &setup.values };
        Some((def, values.get(row)))
    });
    let shapes = setup.colliders.iter().map(|collider| collider.shape);
    let shapes = shapes.flat_map(|s| s.fields().iter().enumerate().map(move |(at, def)| (def, s.field(at))));
    let forces = setup.forces.iter().map(|force| force.kind);
    let forces = forces.flat_map(|f| f.fields().iter().enumerate().map(move |(at, def)| (def, f.field(at))));
    own.chain(shapes).chain(forces)
}

/// The ends of a range, `None` where it is open.
pub fn range_ends((low, high): (f32, f32)) -> [Option<f32>; 2] {
    [(low > f32::MIN).then_some(low), (high < f32::MAX).then_some(high)]
}
