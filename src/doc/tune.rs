//! Turns what an artist asks for into edits.
//!
//! Every function reads the document and returns an [`Edit`]; nothing changes here. Chains are tuned by base and
//! curve, joints by values of their own. A chain whose joints all have their own values (an import writes them so)
//! is first fitted: base times curve with one key per joint.

use super::{Chain, ChainId, Document, Edit};
use crate::math::Curve;
use crate::rig::{BoneId, Skeleton};
use crate::schema::Row;

/// What a change is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Tuned as wholes.
    pub chains: Vec<ChainId>,
    /// Tuned one by one.
    pub joints: Vec<(ChainId, BoneId)>,
}

impl Targets {
    /// How many joints a change would reach.
    pub fn joint_count(&self, document: &Document) -> usize {
        let whole: usize = self.chains.iter().filter_map(|id| document.chains.get(id)).map(|c| c.joints.len()).sum();
        whole + self.joints.len()
    }

    /// Whether there is nothing to tune.
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty() && self.joints.is_empty()
    }
}

/// Writes `value` everywhere.
pub fn set(document: &Document, skeleton: &Skeleton, targets: &Targets, row: Row, value: f32) -> Edit {
    change(document, skeleton, targets, row, |_| value)
}

/// Multiplies every value by `factor`, so that differences stay in proportion.
pub fn scale(document: &Document, skeleton: &Skeleton, targets: &Targets, row: Row, factor: f32) -> Edit {
    change(document, skeleton, targets, row, |old| old * factor)
}

fn change(document: &Document, skeleton: &Skeleton, targets: &Targets, row: Row, f: impl Fn(f32) -> f32) -> Edit {
    let mut edits = Vec::new();
    for (id, chain) in found(document, &targets.chains) {
        let fitted = fit(chain, skeleton, row);
        let base = fitted.as_ref().map_or(chain.values[row.index()].base, |f| f.base);
        if let Some(fitted) = fitted {
            edits.extend(fitted.edits(id, chain, row));
        }
        edits.push(Edit::SetBase { chain: id, row, value: f(base) });
    }
    for &(chain, bone) in &targets.joints {
        if let Some(old) = joint_value(document, skeleton, chain, bone, row) {
            edits.push(Edit::SetOwn { chain, bone, row, value: Some(f(old)) });
        }
    }
    Edit::Batch(edits)
}

/// Gives every target chain the same curve; `None` makes it level.
pub fn set_curve(
    document: &Document,
    skeleton: &Skeleton,
    chains: &[ChainId],
    row: Row,
    curve: Option<&Curve>,
) -> Edit {
    let mut edits = Vec::new();
    for (id, chain) in found(document, chains) {
        if let Some(fitted) = fit(chain, skeleton, row) {
            edits.extend(fitted.edits(id, chain, row));
        }
        edits.push(Edit::SetCurve { chain: id, row, curve: curve.cloned() });
    }
    Edit::Batch(edits)
}

/// Puts back what `loaded` says; where it has no such chain or joint, the engine's default.
pub fn reset(document: &Document, loaded: &Document, targets: &Targets, row: Row) -> Edit {
    let mut edits = Vec::new();
    for (id, chain) in found(document, &targets.chains) {
        let was = loaded.chains.get(&id);
        let authored = was.map(|c| &c.values[row.index()]);
        let base = authored.map_or(document.def(row).default, |a| a.base);
        edits.push(Edit::SetBase { chain: id, row, value: base });
        edits.push(Edit::SetCurve { chain: id, row, curve: authored.and_then(|a| a.curve.clone()) });
        for joint in &chain.joints {
            let value =
                was.and_then(|c| c.position(joint.bone).map(|at| &c.joints[at])).and_then(|j| j.own.get(&row).copied());
            edits.push(Edit::SetOwn { chain: id, bone: joint.bone, row, value });
        }
    }
    for &(chain, bone) in &targets.joints {
        let was = loaded.chains.get(&chain).and_then(|c| c.position(bone).map(|at| &c.joints[at]));
        let value = was.and_then(|j| j.own.get(&row).copied());
        edits.push(Edit::SetOwn { chain, bone, row, value });
    }
    Edit::Batch(edits)
}

/// Writes the engine's own default: level, and no joint with its own value.
pub fn engine_default(document: &Document, targets: &Targets, row: Row) -> Edit {
    let default = document.def(row).default;
    let mut edits = Vec::new();
    for (id, chain) in found(document, &targets.chains) {
        edits.push(Edit::SetBase { chain: id, row, value: default });
        edits.push(Edit::SetCurve { chain: id, row, curve: None });
        edits.extend(clear_own(id, chain, row));
    }
    edits.extend(targets.joints.iter().map(|&(chain, bone)| Edit::SetOwn { chain, bone, row, value: Some(default) }));
    Edit::Batch(edits)
}

/// The number a joint gets.
pub fn joint_value(document: &Document, skeleton: &Skeleton, chain: ChainId, bone: BoneId, row: Row) -> Option<f32> {
    let chain = document.chains.get(&chain)?;
    let joint = chain.position(bone)?;
    Some(chain.value(joint, row, chain.places(skeleton)[joint]))
}

/// Base and curve that give each joint of a chain the value that it has now.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The value farthest from zero.
    pub base: f32,
    /// `None` where all values are equal.
    pub curve: Option<Curve>,
}

impl Fitted {
    fn edits(self, id: ChainId, chain: &Chain, row: Row) -> Vec<Edit> {
        let mut edits = clear_own(id, chain, row);
        edits.push(Edit::SetBase { chain: id, row, value: self.base });
        edits.push(Edit::SetCurve { chain: id, row, curve: self.curve });
        edits
    }
}

/// Fits a chain whose joints all have values of their own; `None` for other chains.
pub fn fit(chain: &Chain, skeleton: &Skeleton, row: Row) -> Option<Fitted> {
    if chain.is_exact(row) { fit_at(chain, &chain.places(skeleton), row) } else { None }
}

/// As [`fit`], with the joints' places along the chain at hand.
pub fn fit_at(chain: &Chain, places: &[f32], row: Row) -> Option<Fitted> {
    if !chain.is_exact(row) {
        return None;
    }
    let mut points: Vec<(f32, f32)> =
        (0..chain.joints.len()).map(|i| (places[i], chain.value(i, row, places[i]))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Joints of different strands at the same place share one key: the first strand's.
    points.dedup_by(|b, a| b.0 - a.0 < 1e-6);
    let base = points.iter().map(|p| p.1).fold(0.0, |a: f32, b| if b.abs() > a.abs() { b } else { a });
    let level = points.iter().all(|p| p.1 == base);
    if level || !base.is_finite() {
        return Some(Fitted { base, curve: None });
    }
    let shares: Vec<_> = points.iter().map(|p| (p.0, p.1 / base)).collect();
    Some(Fitted { base, curve: Curve::through(&shares) })
}

fn clear_own(id: ChainId, chain: &Chain, row: Row) -> Vec<Edit> {
    let own = chain.joints.iter().filter(|j| j.own.contains_key(&row));
    own.map(|j| Edit::SetOwn { chain: id, bone: j.bone, row, value: None }).collect()
}

fn found<'a>(document: &'a Document, chains: &'a [ChainId]) -> impl Iterator<Item = (ChainId, &'a Chain)> {
    chains.iter().filter_map(|id| document.chains.get(id).map(|chain| (*id, chain)))
}
