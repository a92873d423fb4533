use glam::Vec3;
use yuremono_sim::rig::Facing;

/// A directional light that turns around the character, as in a viewer for characters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyLight {
    /// Degrees around the vertical axis. 0 shines at the face; positive values come from the character's left.
    degrees: f32,
}

impl KeyLight {
    /// Step of the shortcuts, in degrees.
    pub const STEP: f32 = 15.0;
    /// Height of the light above the horizon, in degrees.
    const ELEVATION: f32 = 33.0;

    /// Returns a light at an angle in degrees, reduced to less than a turn. Returns the default if the angle is not finite.
    pub fn at(degrees: f32) -> Self {
        if !degrees.is_finite() {
            return Self::default();
        }
        let turned = (degrees + 180.0).rem_euclid(360.0) - 180.0;
        Self { degrees: if turned == -180.0 { 180.0 } else { turned } }
    }

    /// Returns the angle in degrees, in `(-180, 180]`.
    pub fn degrees(self) -> f32 {
        self.degrees
    }

    /// Returns the direction towards the light; unit length.
    pub fn direction(self, facing: Facing) -> Vec3 {
        let (sine, cosine) = libm::sincosf(self.degrees.to_radians());
        let (height, reach) = libm::sincosf(Self::ELEVATION.to_radians());
        let front = match facing {
            Facing::PlusZ => 1.0,
            Facing::MinusZ => -1.0,
        };
        Vec3::new(front * sine * reach, height, front * cosine * reach)
    }
}

impl Default for KeyLight {
    /// From the upper left, as seen by somebody in front of the character.
    fn default() -> Self {
        Self { degrees: -30.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_reduced_to_less_than_a_turn() {
        let found = [0.0, 195.0, -195.0, 180.0, -180.0, 720.0].map(|degrees| KeyLight::at(degrees).degrees());
        assert_eq!(found, [0.0, -165.0, 165.0, 180.0, 180.0, 0.0]);
        assert_eq!(KeyLight::at(f32::NAN), KeyLight::default());
    }

    #[test]
    fn the_light_turns_to_the_left_of_the_character() {
        // Somebody who faces +Z has +X at the left hand.
        let front = KeyLight::at(0.0).direction(Facing::PlusZ);
        assert!(front.z > 0.8 && front.x.abs() < 1e-6 && (front.length() - 1.0).abs() < 1e-6);
        assert!(KeyLight::at(90.0).direction(Facing::PlusZ).x > 0.8);
        assert!(KeyLight::at(90.0).direction(Facing::MinusZ).x < -0.8);
    }
}
