//! One value per joint, to compare all joints at a glance: a parameter or a measured value, with values that stand out.

use super::Inspection;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{Chain, RestFrames};
use yuremono_model::tools::mirror::{MirrorOptions, SourceSide, find_pairs, mirror_rule, source_joints};
use yuremono_sim::params::{MirrorRule, ParamDef, ParamId, ParamScope};
use yuremono_sim::rig::BoneId;
use yuremono_sim::{SolverKind, SystemSetup, TipPart};

/// A value stands out if it differs by more than this share of the larger value, and by more than this share of the
/// range of all values.
const UNUSUAL_SHARE: f32 = 0.25;
const UNUSUAL_RANGE_SHARE: f32 = 0.05;
/// A tip that is slower rests, in m/s.
const MIN_SPEED: f32 = 1e-3;
/// Number of joints on each side along the chain with which a value is compared.
const NEIGHBOR_DEPTH: usize = 2;
/// A value may continue beyond its neighbours by their range times this factor.
const SLOPE_ALLOWANCE: f32 = 2.0;

/// A quantity of which joints have one value each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointQuantity {
    /// A parameter of a solver. Joints of other solvers have no value.
    Param { solver: SolverKind, param: ParamId },
    /// Speed of the tip in the world, in m/s.
    Speed,
    /// The largest angle as a share of its limit, in percent. Joints without limits have no value.
    LimitShare,
    /// Depth of the tip in colliders and in the ground, in millimetres.
    Penetration,
}

/// The values of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct JointValues {
    values: BTreeMap<BoneId, f32>,
    unusual: BTreeSet<BoneId>,
    /// Minimum, median and maximum.
    summary: [f32; 3],
}

impl JointValues {
    /// Returns `None` if no joint has a value. `is_unusual` gets the range of all values.
    fn new(
        values: BTreeMap<BoneId, f32>,
        is_unusual: impl Fn(BoneId, &BTreeMap<BoneId, f32>, f32) -> bool,
    ) -> Option<Self> {
        let mut sorted: Vec<f32> = values.values().copied().collect();
        sorted.sort_by(f32::total_cmp);
        let (low, high) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * sorted[middle - 1] + 0.5 * sorted[middle] };
        let unusual = values.keys().copied().filter(|bone| is_unusual(*bone, &values, high - low)).collect();
        Some(Self { values, unusual, summary: [low, median, high] })
    }

    /// Returns the value of a joint; `None` if the joint lacks the quantity.
    pub fn get(&self, bone: BoneId) -> Option<f32> {
        self.values.get(&bone).copied()
    }

    /// Returns the position of a joint's value between minimum and maximum, 0 to 1. If all values are equal, the
    /// position is 0.5.
    pub fn position(&self, bone: BoneId) -> Option<f32> {
        let [low, _, high] = self.summary;
        let value = self.get(bone)?;
        Some(if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 })
    }

    /// Returns minimum, median and maximum.
    pub const fn summary(&self) -> [f32; 3] {
        self.summary
    }

    /// Returns the number of joints with a value.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns the joints whose values stand out: the value is far from those of up to two joints on each side along the
    /// chain, or, for parameters, from that of the mirrored joint.
    pub const fn unusual(&self) -> &BTreeSet<BoneId> {
        &self.unusual
    }
}

/// Returns whether two values are far from each other, if all values have a range.
fn is_far(difference: f32, [a, b]: [f32; 2], range: f32) -> bool {
    difference > UNUSUAL_SHARE * a.abs().max(b.abs()) && difference > UNUSUAL_RANGE_SHARE * range
}

/// Returns whether a value is far outside of the values of its neighbours along the chain. One neighbour is not enough:
/// of two values, either can be the unusual one.
fn stands_out(value: f32, neighbors: &[f32], range: f32) -> bool {
    if neighbors.len() < 2 {
        return false;
    }
    let low = neighbors.iter().copied().fold(f32::MAX, f32::min);
    let high = neighbors.iter().copied().fold(f32::MIN, f32::max);
    // A curve continues at the ends of a chain.
    let slope = SLOPE_ALLOWANCE * (high - low);
    let (nearest, difference) = if value > high { (high, value - high) } else { (low, low - value) };
    is_far(difference - slope, [value, nearest], range)
}

impl<'a> Inspection<'a> {
    /// Returns the parameters of the tuned solver by which joints can be compared, in table order: those that the solver
    /// reads.
    pub fn comparable_params(self) -> Vec<ParamId> {
        let solver = self.system().solver;
        let mut read: Vec<ParamId> = solver.params_read().into_iter().flatten().collect();
        read.sort_unstable();
        read.dedup();
        read.retain(|param| param.index() < solver.info().params.len());
        read
    }

    /// Returns whether joints can be compared by a quantity: for a parameter, whether a system of the document reads the
    /// parameter.
    pub fn has_quantity(self, quantity: JointQuantity) -> bool {
        match quantity {
            JointQuantity::Param { solver, param } => {
                self.resolved.systems.iter().any(|system| system.solver == solver && !system.joints.is_empty())
                    && solver.params_read().iter().any(|read| read.contains(&param))
            }
            JointQuantity::Speed | JointQuantity::LimitShare | JointQuantity::Penetration => true,
        }
    }

    /// Returns the values of a quantity; `None` if no joint has a value.
    pub fn quantity_values(self, quantity: JointQuantity) -> Option<JointValues> {
        let values = match quantity {
            JointQuantity::Param { solver, param } => {
                self.has_quantity(quantity).then(|| self.param_values(solver, param))?
            }
            JointQuantity::Speed => self.speeds(),
            JointQuantity::LimitShare => self.measured(|bone| self.limit_share(bone)),
            JointQuantity::Penetration => self.measured(|bone| {
                let joint = self.playback.joint_index(bone)?;
                Some(self.playback.world().penetration(joint, self.playback.displayed_pose())? * 1e3)
            }),
        };
        let neighbors = self.chain_neighbors();
        let mirrored = match quantity {
            JointQuantity::Param { solver, param } => self.mirrored_param_values(solver, param, &values),
            JointQuantity::Speed | JointQuantity::LimitShare | JointQuantity::Penetration => BTreeMap::new(),
        };
        JointValues::new(values, |bone, values, range| {
            let value = values[&bone];
            let around = neighbors.get(&bone).into_iter().flatten();
            let around: Vec<f32> = around.filter_map(|bone| values.get(bone)).copied().collect();
            let differs =
                |images: &Vec<f32>| images.iter().all(|image| is_far((value - image).abs(), [value, *image], range));
            stands_out(value, &around, range) || mirrored.get(&bone).is_some_and(differs)
        })
    }

    /// Returns the cause that turns each bone most. Bones at rest have none; see [`Self::tip_causes`] for when causes are
    /// known.
    pub fn strongest_causes(self) -> BTreeMap<BoneId, TipPart> {
        let strongest = |bone: BoneId| {
            let along =
                self.playback.displayed_tip(bone)? - self.playback.displayed_pose().frames.get(bone.index())?.position;
            Some((bone, self.tip_causes(bone)?.across(along).strongest()?))
        };
        self.joint_bones().filter_map(strongest).collect()
    }

    fn joint_bones(self) -> impl Iterator<Item = BoneId> + 'a {
        self.document.chains.values().flat_map(|chain| &chain.joints).map(|joint| joint.bone)
    }

    /// Returns the values of all joints for which `measure` returns a number.
    fn measured(self, measure: impl Fn(BoneId) -> Option<f32>) -> BTreeMap<BoneId, f32> {
        let values = self.joint_bones().filter_map(|bone| Some((bone, measure(bone)?)));
        values.filter(|(_, value)| value.is_finite()).collect()
    }

    fn param_values(self, solver: SolverKind, param: ParamId) -> BTreeMap<BoneId, f32> {
        let is_own = |system: &&SystemSetup| system.solver == solver;
        let of_joint = solver.info().params.get(param.index()).is_some_and(|def| def.scope == ParamScope::Joint);
        let values = self.resolved.systems.iter().filter(is_own).flat_map(|system| {
            system.joints.iter().map(move |joint| {
                (joint.bone, if of_joint { joint.values.get(param) } else { system.values.get(param) })
            })
        });
        values.filter(|(_, value)| value.is_finite()).collect()
    }

    fn speeds(self) -> BTreeMap<BoneId, f32> {
        let Some(([before, now], seconds)) = self.playback.displayed_ticks() else { return BTreeMap::new() };
        self.measured(|bone| {
            let [from, to] = [&before, &now].map(|frames| self.playback.tip_position(frames, bone));
            let speed = from?.distance(to?) / seconds;
            // Differences between the speeds of tips at rest are only rounding.
            Some(if speed < MIN_SPEED { 0.0 } else { speed })
        })
    }

    fn limit_share(self, bone: BoneId) -> Option<f32> {
        let frames = self.playback.displayed_pose();
        let direction = self.playback.displayed_tip(bone)? - frames.frames.get(bone.index())?.position;
        let angles = self.joint_angles(bone);
        let shares = angles.iter().filter_map(|angle| angle.limit_share(frames, direction));
        shares.max_by(f32::total_cmp).map(|share| share * 100.0)
    }

    /// Returns the nearest joints of each joint along its chain.
    fn chain_neighbors(self) -> BTreeMap<BoneId, Vec<BoneId>> {
        let mut found = BTreeMap::<BoneId, Vec<BoneId>>::new();
        for chain in self.document.chains.values() {
            for joint in &chain.joints {
                for above in self.joints_above(chain, joint.bone).take(NEIGHBOR_DEPTH) {
                    found.entry(joint.bone).or_default().push(above);
                    found.entry(above).or_default().push(joint.bone);
                }
            }
        }
        found
    }

    /// Returns the joints of a chain above a bone, nearest first.
    fn joints_above(self, chain: &'a Chain, bone: BoneId) -> impl Iterator<Item = BoneId> + 'a {
        let skeleton = &self.character.skeleton;
        let parent =
            move |bone: &BoneId| skeleton.get_parent(*bone).filter(|above| chain.joint_index(*above).is_some());
        std::iter::successors(parent(&bone), parent)
    }

    /// Returns the values that each joint would have by the values of its mirrored joint. A value along X may be
    /// mirrored or point to the same side of the world.
    fn mirrored_param_values(
        self,
        solver: SolverKind,
        param: ParamId,
        values: &BTreeMap<BoneId, f32>,
    ) -> BTreeMap<BoneId, Vec<f32>> {
        let Some(def) =
            solver.info().params.get(param.index()).filter(|def: &&ParamDef| def.scope == ParamScope::Joint)
        else {
            return BTreeMap::new();
        };
        let (other_param, negates) = mirror_rule(param, def, false);
        let others = if other_param == param { values } else { &self.param_values(solver, other_param) };
        let mut images = BTreeMap::new();
        for (one, other) in self.mirror_pairs() {
            for (bone, source) in [(one, other), (other, one)] {
                let (Some(source), true) = (others.get(&source), values.contains_key(&bone)) else { continue };
                let image = if negates { -source } else { *source };
                let is_axis = def.mirror == MirrorRule::Negate;
                images.insert(bone, if is_axis { vec![image, *source] } else { vec![image] });
            }
        }
        images
    }

    /// Returns the joints of one side with their joints of the other side.
    fn mirror_pairs(self) -> Vec<(BoneId, BoneId)> {
        let cached = self.cache.mirror_pairs.borrow().clone();
        if let Some(pairs) = cached {
            return pairs;
        }
        let skeleton = &self.character.skeleton;
        let stance = RestFrames::of(self.document, skeleton);
        let sources = source_joints(self.document, &stance, SourceSide::PlusX, &BTreeSet::new(), 0.0);
        let tolerance = MirrorOptions::default().tolerance;
        let pairs = find_pairs(self.document, skeleton, &stance, &sources, tolerance);
        let included = pairs.into_iter().filter(|pair| pair.included);
        let pairs: Vec<_> = included.filter_map(|pair| Some((pair.source, pair.target?))).collect();
        *self.cache.mirror_pairs.borrow_mut() = Some(pairs.clone());
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: f32 = 10.0;

    #[test]
    fn one_value_that_differs_from_both_sides_of_its_chain_stands_out() {
        assert!(stands_out(5.0, &[1.0, 1.0, 1.0, 1.0], RANGE));
        assert!(stands_out(0.0, &[1.0, 1.0, 1.0], RANGE));
        assert!(!stands_out(1.0, &[1.0, 5.0, 1.0], RANGE), "the neighbour of an unusual value");
        assert!(!stands_out(1.0, &[1.0, 5.0], RANGE), "the end of a chain next to an unusual value");
        assert!(!stands_out(5.0, &[1.0], RANGE), "either of two values can be the unusual one");
    }

    #[test]
    fn smooth_curves_and_small_differences_do_not_stand_out() {
        assert!(!stands_out(8.0, &[6.0, 4.0], RANGE), "a straight line continues at the root");
        assert!(!stands_out(1000.0, &[500.0, 250.0], 1000.0), "a curve that halves the value at each joint");
        assert!(stands_out(1000.0, &[100.0, 90.0], 1000.0), "a step at the root");
        assert!(!stands_out(1.2, &[1.0, 1.0], RANGE), "20 % more");
        assert!(!stands_out(0.3, &[0.0, 0.0, 0.0], RANGE), "3 % of the range of all values");
        assert!(stands_out(0.6, &[0.0, 0.0, 0.0], RANGE));
    }

    #[test]
    fn the_median_of_an_even_number_of_values_is_between_the_middle_values() {
        let of = |values: &[f32]| {
            let values = values.iter().enumerate().map(|(at, value)| (BoneId(at as u32), *value)).collect();
            JointValues::new(values, |_, _, _| false)
        };
        let values = of(&[4.0, 1.0, 10.0, 2.0]).expect("values");
        assert_eq!(values.summary(), [1.0, 3.0, 10.0]);
        assert_eq!(
            [0, 1, 2, 9].map(|bone| values.position(BoneId(bone))),
            [Some(1.0 / 3.0), Some(0.0), Some(1.0), None]
        );
        assert_eq!(of(&[2.0, 2.0]).expect("values").position(BoneId(1)), Some(0.5), "all values are equal");
        assert_eq!(of(&[]), None);
    }
}
