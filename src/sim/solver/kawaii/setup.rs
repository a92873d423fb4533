//! What KawaiiPhysics knows of a system beyond what every solver does.

use crate::rig::BoneId;
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Links and references of a system under KawaiiPhysics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KawaiiSetup")]
#[serde(default, deny_unknown_fields)]
pub struct KawaiiSetup<N = BoneId> {
    /// Pairs of bones that keep their distance, in the order in which they are solved.
    pub constraints: Vec<BoneConstraint<N>>,
    /// Bones whose movement shifts the pose of others, in the order in which they act. Their numbers are read again by
    /// [`World::bake`](crate::sim::World::bake).
    pub sync_bones: Vec<SyncBone<N>>,
    /// What tips are carried along by where the simulation space is that of a bone; the component where absent.
    pub base_bone: Option<N>,
}

impl<N> Default for KawaiiSetup<N> {
    fn default() -> Self {
        Self { constraints: Vec::new(), sync_bones: Vec::new(), base_bone: None }
    }
}

impl<N: Clone> KawaiiSetup<N> {
    /// The same with other names for bones; what names one that has none is left out.
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

/// Two bones of a system that keep their distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoneConstraint")]
#[serde(deny_unknown_fields)]
pub struct BoneConstraint<N = BoneId> {
    /// Which; one that is not simulated makes the constraint idle.
    pub bones: [N; 2],
    /// How much it gives way; the system's own where absent.
    pub compliance: Option<Compliance>,
    /// Metres; the distance in the rest pose where absent.
    pub length: Option<f32>,
    /// Whether points along it collide, where the system asks for such points.
    pub subdivided: bool,
}

impl<N: Copy> BoneConstraint<N> {
    /// With the engine's defaults.
    pub const fn new(bones: [N; 2]) -> Self {
        Self { bones, compliance: None, length: None, subdivided: true }
    }
}

/// How much a constraint gives way, from the stiffest to the softest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Compliance {
    /// 0.04e-9 m²/N.
    Concrete,
    /// 0.16e-9 m²/N.
    Wood,
    /// 1e-9 in the engine's numbers.
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
    /// In the order in which the engine lists them.
    pub const ALL: [Self; 7] =
        [Self::Concrete, Self::Wood, Self::Leather, Self::Tendon, Self::Rubber, Self::Muscle, Self::Fat];

    /// The material at a position of [`Compliance::ALL`]; the nearest one where there is none.
    pub fn from_index(position: f32) -> Self {
        Self::ALL[(position.max(0.0) as usize).min(Self::ALL.len() - 1)]
    }

    /// What the engine divides by the square of a step's length.
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

/// A bone whose movement away from its rest place shifts the pose that others are pulled to: a thigh under a skirt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SyncBone")]
#[serde(deny_unknown_fields)]
pub struct SyncBone<N = BoneId> {
    /// Whose movement, in the component's space.
    pub bone: N,
    /// Who is shifted, with what share of it.
    pub targets: Vec<SyncTarget<N>>,
    /// Factor on the movement along each axis of the component.
    #[schemars(with = "[f32; 3]")]
    pub scale: Vec3,
    /// Points of a line that leads from how far the bone has moved, metres, to a factor on it; empty for 1 everywhere.
    #[serde(default)]
    pub scale_by_distance: Vec<[f32; 2]>,
    /// Which ways count along each axis of the component.
    pub directions: [SyncDirection; 3],
    /// Weaker for those further away; everyone alike where absent.
    pub attenuation: Option<Attenuation>,
}

impl<N> SyncBone<N> {
    /// With the engine's defaults, for `targets`.
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

/// Who is shifted by a [`SyncBone`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SyncTarget")]
#[serde(deny_unknown_fields)]
pub struct SyncTarget<N = BoneId> {
    /// A bone of the system.
    pub bone: N,
    /// Share of the movement, its curve along the chain resolved.
    pub scale: f32,
}

/// Which ways of a movement count along one axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SyncDirection {
    /// Both.
    #[default]
    Both,
    /// Only towards the axis.
    Positive,
    /// Only against it.
    Negative,
    /// None.
    None,
}

impl SyncDirection {
    /// What counts of `movement`, metres.
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

/// How a [`SyncBone`] fades with the distance to its targets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attenuation {
    /// Nearer than this nothing is lost, metres.
    pub inner: f32,
    /// Further than this `most` is lost, metres.
    pub outer: f32,
    /// Share lost at most, 0 to 1.
    pub max_attenuation: f32,
}

impl Attenuation {
    /// Share left at a distance, metres.
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
