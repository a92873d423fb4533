//! Rotation constraints between bones: the roll, aim and rotation constraints of `VRMC_node_constraint` 1.0.
//!
//! [`NodeConstraints::apply`] overwrites the rotations of constrained bones. Call it on a whole input pose: after
//! motions and drags, and before solvers. Each evaluation starts from the rest rotations, so its result depends only on
//! the pose of the other bones.

use super::{BoneId, Pose, Skeleton};
use crate::math::slerp;
use glam::{Quat, Vec3};

/// How a constrained bone follows its source. The axes are unit vectors along the axes of the constrained bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstraintKind {
    /// Copies the rotation of the source from its rest rotation.
    Rotation,
    /// Copies the twist of the source about an axis.
    Roll(Vec3),
    /// Points an axis at the source.
    Aim(Vec3),
}

/// A bone whose rotation follows another bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeConstraint {
    /// The constrained bone.
    pub bone: BoneId,
    /// The bone that the constraint reads.
    pub source: BoneId,
    /// How the bone follows the source.
    pub kind: ConstraintKind,
    /// 0 keeps the rest rotation, 1 follows the source entirely.
    pub weight: f32,
}

/// The constraints of a skeleton, sorted so that each one reads final rotations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeConstraints {
    sorted: Vec<NodeConstraint>,
}

impl NodeConstraints {
    /// Sorts constraints. Also returns the bones whose constraints are left out because they depend on their own result.
    /// A bone has at most one constraint; if there are several, the last one counts.
    pub fn sort(constraints: Vec<NodeConstraint>, skeleton: &Skeleton) -> (Self, Vec<BoneId>) {
        let mut of_bone = vec![None; skeleton.len()];
        for constraint in constraints {
            of_bone[constraint.bone.index()] = Some(constraint);
        }
        let count = skeleton.len();
        let mut sorter =
            Sorter { skeleton, of_bone, states: vec![Visit::New; 2 * count], sorted: Vec::new(), cyclic: Vec::new() };
        for bone in skeleton.ids() {
            if sorter.of_bone[bone.index()].is_some() {
                sorter.visit(Transform::Local(bone));
            }
        }
        sorter.cyclic.sort_unstable();
        (Self { sorted: sorter.sorted }, sorter.cyclic)
    }

    /// Returns the constraints in the order of their evaluation.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &NodeConstraint> {
        self.sorted.iter()
    }

    /// Whether there are no constraints.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Sets the rotation of each constrained bone in a pose of the skeleton. The pose can have more bones at its end.
    pub fn apply(&self, skeleton: &Skeleton, pose: &mut Pose) {
        for constraint in &self.sorted {
            let rotation = constraint.evaluate(skeleton, pose);
            if rotation.is_finite() {
                pose.local[constraint.bone.index()].rotation = rotation;
            }
        }
    }
}

impl NodeConstraint {
    /// Returns the local rotation of the constrained bone.
    fn evaluate(&self, skeleton: &Skeleton, pose: &Pose) -> Quat {
        let rest = skeleton.bone(self.bone).rest.rotation;
        let source_rest = skeleton.bone(self.source).rest.rotation;
        let source = pose.local[self.source.index()].rotation;
        let target = match self.kind {
            ConstraintKind::Rotation => rest * source_rest.inverse() * source,
            ConstraintKind::Roll(axis) => {
                let delta = rest.inverse() * source * source_rest.inverse() * rest;
                // The swing of the axis is taken out, and the twist about the axis is left.
                rest * Quat::from_rotation_arc(axis, (delta * axis).normalize()).inverse() * delta
            }
            ConstraintKind::Aim(axis) => {
                let parent = parent_rotation(skeleton, pose, self.bone);
                let way = world_position(skeleton, pose, self.source) - world_position(skeleton, pose, self.bone);
                // Without a direction to the source, the rest rotation stays, as in three-vrm.
                let Some(to_source) = way.try_normalize() else { return rest };
                let from = (parent * rest * axis).normalize();
                parent.inverse() * Quat::from_rotation_arc(from, to_source) * parent * rest
            }
        };
        slerp(rest, target.normalize(), self.weight).normalize()
    }
}

/// Returns the product of the rotations of all ancestors of a bone, the root first.
fn parent_rotation(skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> Quat {
    let rotations = skeleton.ancestors(bone).map(|bone| pose.local[bone.index()].rotation);
    rotations.fold(Quat::IDENTITY, |below, rotation| rotation * below).normalize()
}

/// Returns the origin of a bone in world space, in metres.
fn world_position(skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> Vec3 {
    let start = pose.local[bone.index()].translation;
    skeleton.ancestors(bone).fold(start, |point, bone| {
        let local = &pose.local[bone.index()];
        local.translation + local.rotation * (local.scale * point)
    })
}

/// A transform on which a constraint can depend. With both kinds, a transform depends on at most two others, so that
/// sorting takes linear time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transform {
    Local(BoneId),
    World(BoneId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    New,
    /// On the path from the start of the search.
    Open,
    Done,
}

/// A depth-first search through the transforms on which constraints depend.
struct Sorter<'a> {
    skeleton: &'a Skeleton,
    /// Indexed by bone. `None` for bones without a constraint, and for constraints that are left out.
    of_bone: Vec<Option<NodeConstraint>>,
    /// Indexed by [`Sorter::index`].
    states: Vec<Visit>,
    sorted: Vec<NodeConstraint>,
    cyclic: Vec<BoneId>,
}

impl Sorter<'_> {
    fn index(&self, transform: Transform) -> usize {
        match transform {
            Transform::Local(bone) => bone.index(),
            Transform::World(bone) => self.skeleton.len() + bone.index(),
        }
    }

    /// Returns the transforms that a transform is computed from.
    fn inputs(&self, transform: Transform) -> [Option<Transform>; 2] {
        let parent = |bone| self.skeleton.parent(bone).map(Transform::World);
        match transform {
            Transform::World(bone) => [Some(Transform::Local(bone)), parent(bone)],
            Transform::Local(bone) => match self.of_bone[bone.index()] {
                None => [None, None],
                Some(NodeConstraint { kind: ConstraintKind::Aim(_), source, .. }) => {
                    [Some(Transform::World(source)), parent(bone)]
                }
                Some(NodeConstraint { source, .. }) => [Some(Transform::Local(source)), None],
            },
        }
    }

    /// Adds all constraints that a transform depends on, and then its own. Uses its own stack: a hostile file can nest
    /// constraints 65 536 levels deep.
    fn visit(&mut self, start: Transform) {
        let mut path = Vec::new();
        self.enter(start, &mut path);
        while let Some((transform, next)) = path.last_mut() {
            let (transform, input) = (*transform, *next);
            *next += 1;
            match self.inputs(transform).get(input) {
                Some(Some(input)) => self.enter(*input, &mut path),
                Some(None) => {}
                None => {
                    self.leave(transform);
                    path.pop();
                }
            }
        }
    }

    fn enter(&mut self, transform: Transform, path: &mut Vec<(Transform, usize)>) {
        let index = self.index(transform);
        match self.states[index] {
            Visit::New => {
                self.states[index] = Visit::Open;
                path.push((transform, 0));
            }
            Visit::Open => {
                let cycle = path.iter().rev().map(|(on_path, _)| *on_path);
                let end = cycle.clone().position(|on_path| on_path == transform).map_or(0, |at| at + 1);
                for transform in cycle.take(end) {
                    if let Transform::Local(bone) = transform
                        && self.of_bone[bone.index()].take().is_some()
                    {
                        self.cyclic.push(bone);
                    }
                }
            }
            Visit::Done => {}
        }
    }

    fn leave(&mut self, transform: Transform) {
        let index = self.index(transform);
        self.states[index] = Visit::Done;
        if let Transform::Local(bone) = transform {
            self.sorted.extend(self.of_bone[bone.index()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::Bone;

    /// Bones 10 cm above their parents.
    fn skeleton(parents: &[Option<u32>]) -> Skeleton {
        let bone = |(index, parent): (usize, &Option<u32>)| Bone {
            name: format!("bone {index}"),
            parent: parent.map(BoneId),
            rest: Trs::from_translation(Vec3::Y * 0.1),
        };
        Skeleton::new(parents.iter().enumerate().map(bone).collect()).expect("parents first")
    }

    fn constraint(bone: u32, source: u32, kind: ConstraintKind) -> NodeConstraint {
        NodeConstraint { bone: BoneId(bone), source: BoneId(source), kind, weight: 1.0 }
    }

    fn order(constraints: &[NodeConstraint], skeleton: &Skeleton) -> (Vec<u32>, Vec<u32>) {
        let (sorted, cyclic) = NodeConstraints::sort(constraints.to_vec(), skeleton);
        (sorted.iter().map(|c| c.bone.0).collect(), cyclic.into_iter().map(|bone| bone.0).collect())
    }

    const ROLL: ConstraintKind = ConstraintKind::Roll(Vec3::Y);
    const AIM: ConstraintKind = ConstraintKind::Aim(Vec3::Y);

    #[test]
    fn a_constraint_follows_the_constraints_that_it_reads() {
        let bones = skeleton(&[None, Some(0), Some(0), Some(0), Some(3)]);
        let all = [constraint(1, 2, ROLL), constraint(2, 4, AIM), constraint(3, 0, ConstraintKind::Rotation)];
        assert_eq!(order(&all, &bones), (vec![3, 2, 1], vec![]), "an aim reads the parent of its source");
    }

    #[test]
    fn only_constraints_of_a_cycle_are_left_out() {
        let bones = skeleton(&[None, Some(0), Some(0), Some(0), Some(3)]);
        let cycle = [constraint(1, 2, ROLL), constraint(2, 1, ConstraintKind::Rotation), constraint(3, 1, ROLL)];
        assert_eq!(order(&cycle, &bones), (vec![3], vec![1, 2]));
        assert_eq!(order(&[constraint(1, 1, ROLL)], &bones), (vec![], vec![1]), "a bone that reads itself");
        assert_eq!(order(&[constraint(3, 4, AIM)], &bones), (vec![], vec![3]), "an aim at a child moves the child");
        assert_eq!(order(&[constraint(3, 4, ROLL)], &bones), (vec![3], vec![]), "a roll reads only local rotations");
    }

    #[test]
    fn a_deep_chain_of_constraints_is_sorted_without_recursion() {
        let count = 60_000;
        let bones = skeleton(&vec![None; count]);
        let all: Vec<_> = (0..count as u32 - 1).map(|bone| constraint(bone, bone + 1, ROLL)).collect();
        let (sorted, cyclic) = order(&all, &bones);
        assert!(cyclic.is_empty() && sorted.windows(2).all(|pair| pair[0] == pair[1] + 1));
    }

    #[test]
    fn undefined_directions_give_a_finite_rotation_or_the_rest_rotation() {
        let bones = skeleton(&[None, Some(0), Some(0)]);
        let apply = |kind, change: &dyn Fn(&mut Pose)| {
            let (constraints, _) = NodeConstraints::sort(vec![constraint(1, 2, kind)], &bones);
            let mut pose = Pose::rest(&bones);
            change(&mut pose);
            constraints.apply(&bones, &mut pose);
            pose.local[1].rotation
        };
        assert_eq!(apply(AIM, &|_| ()), Quat::IDENTITY, "bone and source are in one place");
        let below = apply(AIM, &|pose| pose.local[2].translation.y = -1.0);
        assert!((below * Vec3::Y).distance(Vec3::NEG_Y) < 1e-3, "the source is opposite to the axis: {below}");
        let over = apply(ROLL, &|pose| pose.local[2].rotation = Quat::from_rotation_x(std::f32::consts::PI));
        assert!(over.is_normalized(), "the roll axis swings by 180 degrees: {over}");
        let broken = apply(AIM, &|pose| pose.local[2].translation.x = f32::NAN);
        assert_eq!(broken, Quat::IDENTITY, "NaN in the pose");
    }
}
