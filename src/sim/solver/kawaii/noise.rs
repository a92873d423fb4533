//! Random numbers that are the same in every run: those of the engine's procedural wind, and of its gusts.

/// What a channel of noise is used for; the first three are the engine's.
#[derive(Clone, Copy, Debug)]
pub(super) enum Channel {
    Strength,
    SideX,
    SideY,
    Gust,
    ConeAround,
    ConeAway,
}

/// Mixes three numbers into one: FNV-1a over whole words, then a finalizer of two multiplications.
fn hash(seed: i32, grid: i32, channel: Channel) -> u32 {
    let words = [seed, grid, channel as i32];
    let mut mixed = words.iter().fold(0x811c_9dc5_u32, |sum, word| (sum ^ *word as u32).wrapping_mul(0x0100_0193));
    mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x7feb_352d);
    mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x846c_a68b);
    mixed ^ (mixed >> 16)
}

/// From 0 to just below 1: the first number of Unreal's random stream with that seed.
pub(super) fn share(seed: i32, grid: i32, channel: Channel) -> f32 {
    let next = hash(seed, grid, channel).wrapping_mul(196_314_165).wrapping_add(907_633_515);
    f32::from_bits(0x3f80_0000 | (next >> 9)) - 1.0
}

/// From -1 to 1, smoothly from one whole number of `at` to the next.
pub(super) fn smooth(at: f32, seed: i32, channel: Channel) -> f32 {
    let floor = at.floor();
    let (grid, t) = (floor as i32, at - floor);
    let [a, b] = [grid, grid.wrapping_add(1)].map(|grid| 2.0 * share(seed, grid, channel) - 1.0);
    a + (b - a) * (t * t * (3.0 - 2.0 * t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_spreads_evenly_and_depends_on_seed_and_channel() {
        let all: Vec<f32> = (0..4000).map(|i| share(7, i, Channel::Strength)).collect();
        assert!(all.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = all.iter().sum::<f32>() / 4000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let other = |seed, channel| (0..4000).filter(|i| share(seed, *i, channel) == all[*i as usize]).count();
        assert!(other(8, Channel::Strength) < 5 && other(7, Channel::SideX) < 5);
        assert_eq!(other(7, Channel::Strength), 4000);
    }

    #[test]
    fn smooth_noise_has_no_jumps_and_meets_its_grid() {
        let values: Vec<f32> = (0..1000).map(|i| smooth(i as f32 * 0.01, 3, Channel::SideY)).collect();
        assert!(values.windows(2).all(|w| (w[0] - w[1]).abs() < 0.04));
        assert!((smooth(5.0, 3, Channel::SideY) - (2.0 * share(3, 5, Channel::SideY) - 1.0)).abs() < 1e-6);
    }
}
