//! From the numbers that joints need to edits of their chain.

use super::joint::{Asked, Felt};
use super::{Feels, Strand};
use crate::document::chain::agreed;
use crate::document::tune::through;
use crate::document::{Chain, ChainId, Document, Edit, Joint, groups, material, pivot};
use crate::rig::BoneId;
use crate::schema::{ParamSet, Row};
use crate::sim::Term;
use std::collections::BTreeSet;

/// Factors that differ by less are one.
const SAME_FACTOR: f32 = 1e-5;
/// How often all joints of a chain that share their numbers are aimed anew.
const ROUNDS: usize = 6;

impl<'a> Feels<'a> {
    /// What brings the joints of a chain to what is asked of each; joints whose limits have no frame yet come to `bare`.
    /// `loaded` is the chain as it was, where its very numbers are to come back.
    pub(super) fn write(
        &self,
        bare: &mut BTreeSet<BoneId>,
        id: ChainId,
        chain: &'a Chain,
        strand: &Strand<'a>,
        asked: &[Asked],
        loaded: Option<&Chain>,
    ) -> Vec<Edit> {
        let has_one_set = groups::has_one_set(self.document.system_of(chain));
        let (rows, after) = if has_one_set { level(strand, asked) } else { aimed(strand, asked) };
        let writing = Writing { document: self.document, id, chain, strand, after: &after };
        let mut edits = Vec::new();
        for row in rows {
            let was = loaded.filter(|was| writing.is_as_loaded(row, was));
            edits.extend(was.map_or_else(|| writing.row(row), |was| writing.restored(row, was)));
        }
        if !edits.is_empty() {
            let limited = asked.iter().zip(&chain.joints).filter(|(asked, _)| asks_limit(asked));
            bare.extend(self.without_pivot(chain, limited.map(|(_, joint)| joint)));
        }
        edits
    }

    /// What brings one joint there, as values of its own; `bare` as in [`Feels::write`].
    pub(super) fn write_joint(
        &self,
        bare: &mut BTreeSet<BoneId>,
        id: ChainId,
        bone: BoneId,
        asked: impl Fn(&Felt<'_>, f32) -> Option<Asked>,
    ) -> Vec<Edit> {
        let Some(chain) = self.document.chains.get(&id) else { return Vec::new() };
        let Some(at) = chain.position(bone) else { return Vec::new() };
        let strand = self.strand(chain);
        let Some(asked) = asked(&strand.felt[at], strand.places[at]) else { return Vec::new() };
        let rows = strand.felt[at].towards(&asked);
        let own = |(row, value)| Edit::SetOwn { chain: id, bone, row, value: Some(value) };
        let edits: Vec<Edit> = rows.into_iter().map(own).collect();
        if !edits.is_empty() && asks_limit(&asked) {
            bare.extend(self.without_pivot(chain, std::iter::once(&chain.joints[at])));
        }
        edits
    }

    /// The engine measures limits in a frame of the joint's own; without one they would lie anywhere.
    fn without_pivot<'b>(
        &self,
        chain: &Chain,
        joints: impl Iterator<Item = &'b Joint>,
    ) -> impl Iterator<Item = BoneId> {
        let measures = self.document.solver_of(chain).info().limits_need_pivots();
        joints.filter(move |joint| measures && joint.pivot.is_none()).map(|joint| joint.bone)
    }

    /// One batch, with the frames that limits need. They are made together: made chain by chain, each would take the
    /// same free number. Chains that share a material go by the first of them.
    pub(crate) fn batch(&self, edits: Vec<Edit>, bare: &BTreeSet<BoneId>) -> Edit {
        let mut edits = material::once(self.document, edits);
        let made = |bones: &[BoneId]| {
            let edit = pivot::place_pivots(self.document, self.skeleton, bones);
            self.document.clone().apply(edit.clone()).is_ok().then_some(edit)
        };
        if bare.is_empty() {
            return Edit::Batch(edits);
        }
        let all: Vec<BoneId> = bare.iter().copied().collect();
        edits.extend(made(&all).or_else(|| {
            // Refused where a name is taken in an impossible way: those limits have the world's frame, as in the engine.
            let mut kept = Vec::new();
            for bone in all {
                kept.push(bone);
                if made(&kept).is_none() {
                    kept.pop();
                }
            }
            made(&kept)
        }));
        Edit::Batch(edits)
    }
}

fn asks_limit(asked: &Asked) -> bool {
    asked.terms.iter().any(|(term, value)| *term == Term::Reach && *value < crate::sim::OPEN_DEG)
}

/// Each joint by itself: the rows that some joint needs changed, and the numbers of all.
fn aimed(strand: &Strand<'_>, asked: &[Asked]) -> (BTreeSet<Row>, Vec<ParamSet>) {
    let mut all = BTreeSet::new();
    let joint = |(felt, asked): (&Felt<'_>, &Asked)| {
        let rows = felt.towards(asked);
        all.extend(rows.iter().map(|(row, _)| *row));
        let mut felt = felt.clone();
        felt.write(&rows);
        felt.joint
    };
    let after = strand.felt.iter().zip(asked).map(joint).collect();
    (all, after)
}

/// VRM 0.x has one set of numbers for a whole chain: the mean of what its joints want, aimed so that the greatest of
/// each term comes out as asked.
fn level(strand: &Strand<'_>, asked: &[Asked]) -> (BTreeSet<Row>, Vec<ParamSet>) {
    let mut aim = asked.to_vec();
    let (mut rows, mut after) = (BTreeSet::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (more, sets) = aimed(strand, &aim);
        rows.extend(more);
        after = sets;
        let count = after.len().max(1) as f32;
        for row in &rows {
            let mean = after.iter().map(|set| set.get(*row)).sum::<f32>() / count;
            for set in &mut after {
                set.set(*row, mean);
            }
        }
        for term in Term::ALL {
            let wanted = asked.iter().filter_map(|joint| joint.of(term)).fold(0.0, f32::max);
            let found = strand.felt.iter().zip(&after).filter_map(|(felt, set)| felt.among(set).told(term));
            let found = found.fold(0.0, f32::max);
            if wanted > 0.0 && found > 0.0 {
                for joint in &mut *aim {
                    joint.scale(term, wanted / found);
                }
            }
        }
    }
    (rows, after)
}

/// A chain on its way to other numbers.
struct Writing<'a, 'b> {
    document: &'a Document,
    id: ChainId,
    chain: &'a Chain,
    strand: &'b Strand<'a>,
    after: &'b [ParamSet],
}

impl Writing<'_, '_> {
    fn values(&self, row: Row) -> impl Iterator<Item = (&Joint, f32)> {
        self.chain.joints.iter().zip(self.after).map(move |(joint, set)| (joint, set.get(row)))
    }

    fn own(&self, joint: &Joint, row: Row, value: Option<f32>) -> Edit {
        Edit::SetOwn { chain: self.id, bone: joint.bone, row, value }
    }

    /// One value where the joints that follow the chain agree; base, curve and exceptions as they are where all go by
    /// one factor; else a value for each joint.
    fn row(&self, row: Row) -> Vec<Edit> {
        let is_own = |joint: &Joint| joint.own.contains_key(&row);
        let base = |value| Edit::SetBase { chain: self.id, row, value };
        let level = |value| [base(value), Edit::SetCurve { chain: self.id, row, curve: None }];
        let owned: Vec<_> = self.values(row).filter(|(joint, _)| is_own(joint)).collect();
        if let Some(all) = self.agreed(row, |_| true) {
            let freed = owned.iter().map(|(joint, _)| self.own(joint, row, None));
            return level(all).into_iter().chain(freed).collect();
        }
        let kept = || owned.iter().map(|(joint, value)| self.own(joint, row, Some(*value)));
        if let Some(all) = self.agreed(row, |joint| !is_own(joint)) {
            return level(all).into_iter().chain(kept()).collect();
        }
        if let Some(factor) = self.factor(row) {
            let scaled = base(self.chain.values[row.index()].base * factor);
            return std::iter::once(scaled).chain(kept()).collect();
        }
        self.fitted(row)
            .unwrap_or_else(|| self.values(row).map(|(joint, value)| self.own(joint, row, Some(value))).collect())
    }

    /// A curve with a key for each joint, where the chain shares the row with others: a value per joint would leave them.
    fn fitted(&self, row: Row) -> Option<Vec<Edit>> {
        self.document.holder(self.id, row)?;
        let values: Vec<f32> = self.values(row).map(|(_, value)| value).collect();
        let fitted = values.iter().all(|v| v.is_finite()).then(|| through(&values, &self.strand.places))?;
        let base = Edit::SetBase { chain: self.id, row, value: fitted.base };
        let own = self.chain.joints.iter().filter(|joint| joint.own.contains_key(&row));
        let freed = own.map(|joint| self.own(joint, row, None));
        Some([base, Edit::SetCurve { chain: self.id, row, curve: fitted.curve }].into_iter().chain(freed).collect())
    }

    /// The one value that some joints can share. Near the end of a range a little can change much, so that a value that
    /// hardly differs is also tried.
    fn agreed(&self, row: Row, of: impl Fn(&Joint) -> bool) -> Option<f32> {
        let all = agreed(self.values(row).filter(|(joint, _)| of(joint)).map(|(_, value)| value))?;
        let joints = self.chain.joints.iter().zip(&self.strand.felt).zip(self.after);
        let mut felt = joints.filter(|((joint, _), _)| of(joint)).map(|((_, felt), set)| felt.among(set));
        felt.all(|felt| felt.feels_alike(row, all)).then_some(all)
    }

    /// What all values of a row were multiplied by, where no joint feels what rounding makes of that: near the end of a
    /// range a little can change much.
    fn factor(&self, row: Row) -> Option<f32> {
        let pairs = || self.strand.felt.iter().zip(self.after).map(|(felt, set)| (felt.joint.get(row), set.get(row)));
        let (then, now) = pairs().find(|(then, _)| *then != 0.0)?;
        let factor = now / then;
        let mut felt = self.strand.felt.iter().zip(self.after);
        let is_factor = pairs().all(|(then, now)| (then * factor - now).abs() <= SAME_FACTOR * now.abs())
            && felt.all(|(felt, set)| felt.among(set).feels_alike(row, felt.joint.get(row) * factor));
        is_factor.then_some(factor)
    }

    /// Whether a row comes to what it was in `was`, on every joint.
    fn is_as_loaded(&self, row: Row, was: &Chain) -> bool {
        let mut joints = self.chain.joints.iter().zip(&was.joints);
        let same = was.joints.len() == self.chain.joints.len() && joints.all(|(now, then)| now.bone == then.bone);
        let then = |at: usize| was.value(at, row, self.strand.places[at]);
        let alike = |(at, (_, value))| {
            agreed([then(at), value].into_iter()).is_some()
                && self.strand.felt[at].among(&self.after[at]).feels_alike(row, then(at))
        };
        same && self.values(row).enumerate().all(alike)
    }

    fn restored(&self, row: Row, was: &Chain) -> Vec<Edit> {
        let authored = was.values[row.index()].clone();
        let own = self.chain.joints.iter().zip(&was.joints);
        let own = own.map(|(joint, then)| self.own(joint, row, then.own.get(&row).copied()));
        let base = Edit::SetBase { chain: self.id, row, value: authored.base };
        [base, Edit::SetCurve { chain: self.id, row, curve: authored.curve }].into_iter().chain(own).collect()
    }
}

/// An edit of a joint's own value, or the very value of then where both come to the same; `place` is along the chain.
pub(super) fn as_loaded(edit: Edit, loaded: Option<(&Chain, usize)>, place: f32) -> Edit {
    match (edit, loaded) {
        (Edit::SetOwn { chain, bone, row, value: Some(value) }, Some((was, at)))
            if agreed([was.value(at, row, place), value].into_iter()).is_some() =>
        {
            Edit::SetOwn { chain, bone, row, value: was.joints[at].own.get(&row).copied() }
        }
        (edit, _) => edit,
    }
}
