//! Component lists of KawaiiPhysics: values that only this solver has.

use crate::rig::BoneId;
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Constraints and bone references of a system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KawaiiSetup")]
#[serde(default, deny_unknown_fields)]
pub struct KawaiiSetup<N = BoneId> {
    /// Constraints in the order in which they are solved.
    pub constraints: Vec<BoneConstraint<N>>,
    /// Bones that shift the pose of other bones by their motion, in their order.
    /// [`World::bake`](crate::World::bake) reads their values again.
    pub sync_bones: Vec<SyncBone<N>>,
    /// Bone of the simulation space "bone"; the component if absent.
    pub base_bone: Option<N>,
}

impl<N> Default for KawaiiSetup<N> {
    fn default() -> Self {
        Self { constraints: Vec::new(), sync_bones: Vec::new(), base_bone: None }
    }
}

impl<N: Clone> KawaiiSetup<N> {
    /// Maps the bones. Entries whose bones map to `None` are removed.
    pub fn map<M>(&self, mut name: impl FnMut(N) -> Option<M>) -> KawaiiSetup<M> {
        let base_bone = self.base_bone.clone().and_then(&mut name);
        let constraints = self.constraints.iter().filter_map(|c| {
            let bones = [name(c.bones[0].clone())?, name(c.bones[1].clone())?];
            Some(BoneConstraint { bones, compliance: c.compliance, length: c.length, subdivided: c.subdivided })
        });
        let constraints = constraints.collect();
        let mut sync_bones = Vec::new();
        for sync in &self.sync_bones {
            let Some(bone) = name(sync.bone.clone()) else { continue };
            let target = |t: &SyncTarget<N>| Some(SyncTarget { bone: name(t.bone.clone())?, scale: t.scale });
            let targets = sync.targets.iter().filter_map(target).collect();
            let by_distance = sync.scale_by_distance.clone();
            let (scale, directions, attenuation) = (sync.scale, sync.directions, sync.attenuation);
            sync_bones.push(SyncBone { bone, targets, scale, scale_by_distance: by_distance, directions, attenuation });
        }
        KawaiiSetup { constraints, sync_bones, base_bone }
    }
}

/// Two bones that keep their distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoneConstraint")]
#[serde(deny_unknown_fields)]
pub struct BoneConstraint<N = BoneId> {
    /// The bones; a constraint with a bone that is not simulated has no effect.
    pub bones: [N; 2],
    /// Softness; the system's value if absent.
    pub compliance: Option<Compliance>,
    /// Metres; the distance at rest if absent.
    pub length: Option<f32>,
    /// Whether the system's collision points are added along it.
    pub subdivided: bool,
}

impl<N: Copy> BoneConstraint<N> {
    /// A constraint with the defaults of KawaiiPhysics.
    pub const fn new(bones: [N; 2]) -> Self {
        Self { bones, compliance: None, length: None, subdivided: true }
    }
}

/// Softness of a constraint, from the hardest to the softest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Compliance {
    /// 0.04e-9 m²/N.
    Concrete,
    /// 0.16e-9 m²/N.
    Wood,
    /// 1e-9.
    #[default]
    Leather,
    /// 2e-9.
    Tendon,
    /// 1e-7.
    Rubber,
    /// 2e-5.
    Muscle,
    /// 1e-4.
    Fat,
}

impl Compliance {
    /// All materials, in the order of KawaiiPhysics.
    pub const ALL: [Self; 7] =
        [Self::Concrete, Self::Wood, Self::Leather, Self::Tendon, Self::Rubber, Self::Muscle, Self::Fat];

    /// The material at an index of [`Compliance::ALL`]; the index is clamped.
    pub fn from_index(position: f32) -> Self {
        Self::ALL[(position.max(0.0) as usize).min(Self::ALL.len() - 1)]
    }

    /// Compliance of the material, before the division by the square of the step length.
    pub const fn value(self) -> f32 {
        match self {
            Self::Concrete => 4e-11,
            Self::Wood => 1.6e-10,
            Self::Leather => 1e-9,
            Self::Tendon => 2e-9,
            Self::Rubber => 1e-7,
            Self::Muscle => 2e-5,
            Self::Fat => 1e-4,
        }
    }
}

/// A bone that shifts the pose of other bones by its displacement from rest: a thigh below a skirt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SyncBone")]
#[serde(deny_unknown_fields)]
pub struct SyncBone<N = BoneId> {
    /// The bone; its displacement is measured in the component's space.
    pub bone: N,
    /// The shifted bones, with their shares.
    pub targets: Vec<SyncTarget<N>>,
    /// Factor on the displacement along each axis of the component.
    #[schemars(with = "[f32; 3]")]
    pub scale: Vec3,
    /// Polyline from the displacement's length, metres, to a factor on it; empty for 1 everywhere.
    #[serde(default)]
    pub scale_by_distance: Vec<[f32; 2]>,
    /// Directions that count along each axis of the component.
    pub directions: [SyncDirection; 3],
    /// Attenuation with the distance; none if absent.
    pub attenuation: Option<Attenuation>,
}

impl<N> SyncBone<N> {
    /// A sync bone that shifts `targets`, with the defaults of KawaiiPhysics.
    pub fn new(bone: N, targets: Vec<SyncTarget<N>>) -> Self {
        Self {
            bone,
            targets,
            scale: Vec3::ONE,
            scale_by_distance: Vec::new(),
            directions: [SyncDirection::Both; 3],
            attenuation: None,
        }
    }
}

/// A bone that a [`SyncBone`] shifts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SyncTarget")]
#[serde(deny_unknown_fields)]
pub struct SyncTarget<N = BoneId> {
    /// A bone of the system.
    pub bone: N,
    /// Share of the displacement, with the curve along the chain applied.
    pub scale: f32,
}

/// Directions of a displacement that count along one axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SyncDirection {
    /// Both.
    #[default]
    Both,
    /// Only positive.
    Positive,
    /// Only negative.
    Negative,
    /// None.
    None,
}

impl SyncDirection {
    /// The part of `movement` that counts, in metres.
    pub fn filter(self, movement: f32) -> f32 {
        let counts = match self {
            Self::Both => true,
            Self::Positive => movement > 0.0,
            Self::Negative => movement < 0.0,
            Self::None => false,
        };
        if counts { movement } else { 0.0 }
    }
}

/// Attenuation of a [`SyncBone`] with the distance to its targets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attenuation {
    /// Up to this distance nothing is lost, metres.
    pub inner: f32,
    /// Beyond this distance `most` is lost, metres.
    pub outer: f32,
    /// Largest share lost, 0 to 1.
    pub max_attenuation: f32,
}

impl Attenuation {
    /// Share of the displacement that remains at a distance in metres.
    pub fn remaining(&self, distance: f32) -> f32 {
        let outer = self.outer.max(self.inner);
        let width = outer - self.inner;
        let lost = if distance <= self.inner {
            0.0
        } else if distance >= outer || width <= 1e-6 {
            self.max_attenuation
        } else {
            self.max_attenuation * (distance - self.inner) / width
        };
        (1.0 - lost).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compliances_are_listed_from_stiffest_to_softest() {
        assert!(Compliance::ALL.windows(2).all(|pair| pair[0].value() < pair[1].value()));
        assert_eq!(Compliance::from_index(2.0), Compliance::default());
        assert_eq!(Compliance::from_index(-1.0), Compliance::Concrete);
        assert_eq!(Compliance::from_index(99.0), Compliance::Fat);
    }

    #[test]
    fn attenuation_is_linear_between_its_radii() {
        let fade = Attenuation { inner: 0.1, outer: 0.3, max_attenuation: 0.8 };
        let expected = [(0.05, 1.0), (0.2, 0.6), (0.3, 0.2), (9.0, 0.2)];
        assert!(expected.iter().all(|(at, left)| (fade.remaining(*at) - left).abs() < 1e-6));
        let step = Attenuation { inner: 0.1, outer: 0.0, max_attenuation: 1.0 };
        assert_eq!((step.remaining(0.1), step.remaining(0.11)), (1.0, 0.0));
    }

    #[test]
    fn a_sync_direction_keeps_only_its_own_sign() {
        let passed = [SyncDirection::Both, SyncDirection::Positive, SyncDirection::Negative, SyncDirection::None]
            .map(|direction| (direction.filter(2.0), direction.filter(-3.0)));
        assert_eq!(passed, [(2.0, -3.0), (2.0, 0.0), (0.0, -3.0), (0.0, 0.0)]);
    }
}
