//! Follows a character that leaves its rest position.
//!
//! A motion on the spot never moves the camera, so that a sway or a hop stays visible. Once the distance of the
//! character from its rest position exceeds its height, the camera follows until another motion starts.

use glam::Vec3;

/// Time constant with which the camera approaches the character, in seconds.
const FOLLOW_SECONDS: f32 = 0.25;
/// Distance at which the camera counts as arrived, in metres.
const ARRIVED: f32 = 1e-4;

/// How far the camera has moved along the ground after the character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FollowCamera {
    /// Offset of the target, in metres in the world.
    offset: Vec3,
    /// Whether the character has left its rest position.
    is_following: bool,
}

impl FollowCamera {
    /// Offset of the camera's target, in metres in the world.
    pub fn offset(&self) -> Vec3 {
        self.offset
    }

    /// Waits until the character leaves its rest position again.
    pub fn restart(&mut self) {
        self.is_following = false;
    }

    /// Advances by `seconds`, and returns the change of the offset. `travel` is the offset of the character from its rest
    /// position, and `height` is the height of the character, in metres. Without `travel`, the camera returns.
    pub fn advance(&mut self, travel: Option<Vec3>, height: f32, seconds: f32) -> Vec3 {
        let travel = travel.filter(|travel| travel.is_finite()).map(|travel| Vec3::new(travel.x, 0.0, travel.z));
        self.is_following = travel.is_some_and(|travel| self.is_following || travel.length() > height);
        let wanted = travel.filter(|_| self.is_following).unwrap_or_default();
        let share = 1.0 - libm::expf(-seconds.max(0.0) / FOLLOW_SECONDS);
        let before = self.offset;
        self.offset = if before.distance(wanted) < ARRIVED { wanted } else { before.lerp(wanted, share) };
        self.offset - before
    }

    /// Whether the camera has not arrived yet.
    pub fn is_moving(&self, travel: Option<Vec3>) -> bool {
        let wanted = travel.filter(|_| self.is_following).unwrap_or_default();
        self.offset.distance(Vec3::new(wanted.x, 0.0, wanted.z)) >= ARRIVED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEIGHT: f32 = 1.6;
    const FRAME: f32 = 1.0 / 60.0;

    #[test]
    fn a_motion_on_the_spot_does_not_move_the_camera() {
        let mut follow = FollowCamera::default();
        for frame in 0..600 {
            let travel = Vec3::new(libm::sinf(frame as f32 * 0.1) * 1.5, 0.4, 0.0);
            assert_eq!(follow.advance(Some(travel), HEIGHT, FRAME), Vec3::ZERO);
        }
    }

    #[test]
    fn a_walking_character_is_followed_smoothly_along_the_ground() {
        let mut follow = FollowCamera::default();
        let mut travel = Vec3::ZERO;
        let mut largest = 0.0_f32;
        for _ in 0..600 {
            travel += Vec3::new(0.0, 0.001, 1.4 * FRAME);
            largest = largest.max(follow.advance(Some(travel), HEIGHT, FRAME).length());
        }
        assert_eq!(follow.offset().y, 0.0);
        let behind = travel.z - follow.offset().z;
        assert!((0.0..0.5).contains(&behind), "{behind} m behind");
        // The camera catches up with one body height in a fraction of a second, but never jumps.
        assert!(largest < 0.15, "{largest} m in a frame");
    }

    #[test]
    fn the_camera_returns_when_following_is_switched_off() {
        let mut follow = FollowCamera::default();
        let far = Some(Vec3::X * 5.0);
        (0..300).for_each(|_| _ = follow.advance(far, HEIGHT, FRAME));
        assert!(!follow.is_moving(far) && follow.offset() == Vec3::X * 5.0);
        assert!(follow.is_moving(None));
        (0..300).for_each(|_| _ = follow.advance(None, HEIGHT, FRAME));
        assert_eq!((follow.offset(), follow.is_moving(None)), (Vec3::ZERO, false));
        assert_eq!(follow.advance(Some(Vec3::NAN), HEIGHT, FRAME), Vec3::ZERO);
    }
}
