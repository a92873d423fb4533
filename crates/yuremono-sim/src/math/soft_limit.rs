//! Soft limits of the length of a vector.

use glam::Vec3;

/// Limits an offset softly, in metres: small offsets stay nearly unchanged, and no offset exceeds `reach`.
pub fn soft_limit(pull: Vec3, reach: f32) -> Vec3 {
    let length = pull.length();
    if !(length > 1e-9 && reach > 0.0) {
        return Vec3::ZERO;
    }
    pull * (reach * libm::tanhf(length / reach) / length)
}

/// Inverts [`soft_limit`], so a drag can continue from a limited offset.
pub fn inverse_soft_limit(offset: Vec3, reach: f32) -> Vec3 {
    let length = offset.length();
    if !(length > 1e-9 && reach > 0.0) {
        return Vec3::ZERO;
    }
    // Near `reach`, very different inputs have almost the same output, so the ratio is capped.
    offset * (reach * libm::atanhf((length / reach).min(0.995)) / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_follows_small_offsets_and_never_exceeds_its_reach() {
        let small = Vec3::new(0.01, -0.005, 0.0);
        assert!((soft_limit(small, 0.2) - small).length() < 1e-4);
        let far = soft_limit(Vec3::X * 9.0, 0.2);
        assert!(far.x > 0.199 && far.x <= 0.2 && far.y == 0.0, "{far}");
        assert!(soft_limit(Vec3::X * 0.3, 0.2).x > soft_limit(Vec3::X * 0.2, 0.2).x);
        assert_eq!(soft_limit(Vec3::ZERO, 0.2), Vec3::ZERO);
    }

    #[test]
    fn the_inverse_soft_limit_restores_the_offset() {
        let pull = Vec3::new(0.1, 0.2, -0.05);
        assert!((inverse_soft_limit(soft_limit(pull, 0.2), 0.2) - pull).length() < 1e-4);
        assert!(inverse_soft_limit(Vec3::X * 0.2, 0.2).is_finite());
        assert_eq!(inverse_soft_limit(Vec3::ZERO, 0.2), Vec3::ZERO);
    }
}
