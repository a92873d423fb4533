/// How a distance stands to the one that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nearer.
    Slack,
    /// As far as in the rest pose.
    AtLength,
    /// Farther.
    Exceeded,
}

/// Share of the length within which it counts as kept.
const KEPT: f32 = 0.01;

/// How `now` stands to the length at `rest`; metres.
pub fn reach(now: f32, rest: f32) -> Reach {
    let margin = (rest * KEPT).max(1e-5);
    if now > rest + margin {
        Reach::Exceeded
    } else if now < rest - margin {
        Reach::Slack
    } else {
        Reach::AtLength
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundredth_of_the_length_is_forgiven_to_either_side() {
        assert_eq!(reach(0.201, 0.2), Reach::AtLength);
        assert_eq!(reach(0.199, 0.2), Reach::AtLength);
        assert_eq!(reach(0.21, 0.2), Reach::Exceeded);
        assert_eq!(reach(0.19, 0.2), Reach::Slack);
        assert_eq!(reach(0.0, 0.0), Reach::AtLength);
    }
}
