use glam::Vec3;
use yuremono_sim::rig::{TextureRef, UvAnimation};

/// Texture coordinates as the rows of an affine matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UvRows {
    pub(super) x: Vec3,
    pub(super) y: Vec3,
}

impl UvRows {
    pub(super) const IDENTITY: Self = Self { x: Vec3::X, y: Vec3::Y };

    /// Computes uv' = offset + rotate(scale * uv). Positive angles rotate counter-clockwise as seen on screen, because V
    /// points down.
    pub(super) fn of(texture: &TextureRef) -> Self {
        let (s, c) = libm::sincosf(texture.rotation);
        let (scale, offset) = (texture.scale, texture.offset);
        Self { x: Vec3::new(c * scale.x, s * scale.y, offset.x), y: Vec3::new(-s * scale.x, c * scale.y, offset.y) }
    }

    /// Returns the rows that apply `first` before `self`.
    pub(super) fn after(&self, first: &Self) -> Self {
        let row = |row: Vec3| first.x * row.x + first.y * row.y + Vec3::Z * row.z;
        Self { x: row(self.x), y: row(self.y) }
    }
}

/// Returns the angle in radians and the scroll of an animation at a time in seconds.
pub(super) fn animation_state(animation: &UvAnimation, seconds: f64) -> Vec3 {
    let angle = (f64::from(animation.rotation) * seconds).rem_euclid(std::f64::consts::TAU);
    let scroll = animation.scroll.as_dvec2() * seconds;
    Vec3::new(scroll.x as f32, scroll.y as f32, angle as f32)
}

/// Returns the rotation around (0.5, 0.5) followed by the scroll.
pub(super) fn animation_matrix(animation: &UvAnimation, seconds: f64) -> UvRows {
    let state = animation_state(animation, seconds);
    let (s, c) = libm::sincosf(state.z);
    UvRows { x: Vec3::new(c, s, 0.5 - 0.5 * (c + s) + state.x), y: Vec3::new(-s, c, 0.5 - 0.5 * (c - s) + state.y) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;
    use std::f32::consts::FRAC_PI_2;
    use yuremono_sim::rig::TextureWrap;

    const PLAIN: TextureRef = TextureRef {
        image: 0,
        wrap: [TextureWrap::Repeat; 2],
        offset: Vec2::new(0.5, 0.25),
        scale: Vec2::new(2.0, 1.0),
        rotation: 0.0,
        nearest: false,
    };

    #[track_caller]
    fn check_maps(rows: UvRows, uv: Vec2, expected: Vec2) {
        let found = Vec2::new(rows.x.dot(uv.extend(1.0)), rows.y.dot(uv.extend(1.0)));
        assert!((found - expected).length() < 1e-6, "{found} instead of {expected}");
    }

    #[test]
    fn a_quarter_turn_rotates_texture_coordinates_counter_clockwise() {
        let rows = UvRows::of(&TextureRef { rotation: FRAC_PI_2, ..PLAIN });
        check_maps(rows, Vec2::X, Vec2::new(0.5, 0.25 - 2.0));
    }

    #[test]
    fn an_animation_rotates_around_the_middle_then_scrolls_and_comes_before_the_transform() {
        let animation = UvAnimation { scroll: Vec2::new(0.1, -0.2), rotation: FRAC_PI_2, mask: None };
        // After a second, the right edge of the image is at its top, and V points down.
        let matrix = animation_matrix(&animation, 1.0);
        check_maps(matrix, Vec2::new(1.0, 0.5), Vec2::new(0.5 + 0.1, 0.0 - 0.2));
        check_maps(UvRows::of(&PLAIN).after(&matrix), Vec2::new(1.0, 0.5), Vec2::new(0.5 + 2.0 * 0.6, 0.25 - 0.2));
        check_maps(animation_matrix(&animation, 0.0), Vec2::new(0.3, 0.8), Vec2::new(0.3, 0.8));
    }
}
