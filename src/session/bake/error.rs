//! Why a motion cannot be baked.

use super::loop_seam::SeamSize;
use crate::diagnostics::{MessageText, excerpt, message};
use std::fmt;

/// Why a motion cannot be baked. All of these are known before the simulation starts, except for [`Self::NotFinite`].
#[derive(Clone, Debug, PartialEq)]
pub enum BakeError {
    /// The animation or gesture does not exist.
    MissingMotion,
    /// The motion has no duration, in seconds.
    ZeroLength { motion: String },
    /// The rest pose never ends, so the end of the range is needed.
    NoEnd,
    /// The range has no duration. Both ends are in seconds.
    EmptyRange { start: f64, end: f64 },
    /// The number of keys per second is not in 1..=1000.
    KeyRate { rate: f64 },
    /// A number is not finite or negative.
    NotPositive { name: &'static str },
    /// The document has no such chain.
    UnknownChain { number: u32 },
    /// The character has no bone of a baked chain.
    MissingBones { chain: String },
    /// There are no joints, and the motion is the rest pose.
    NothingMoves,
    /// The bake would have too many keys.
    TooManyKeys { keys: usize, max: usize },
    /// The rest pose does not repeat.
    LoopWithoutPeriod,
    /// The range of a loop is not a whole number of cycles. Seconds of the motion.
    LoopRange { seconds: f64, period: f64 },
    /// The pose at the end of the motion is too far from the pose at its start.
    MotionDoesNotLoop { motion: String, seam: SeamSize },
    /// The simulation returned a pose that is not finite.
    NotFinite { bone: String },
}

impl BakeError {
    /// The message for the user.
    pub fn message(&self) -> MessageText {
        match self {
            Self::MissingMotion => message!("the motion does not exist"),
            Self::ZeroLength { motion } => {
                message!("the motion \"{motion}\" has no duration", motion = excerpt(motion))
            }
            Self::NoEnd => message!("the rest pose has no end; the end of the range is needed, in seconds"),
            Self::EmptyRange { start, end } => {
                message!("the range from {start} s to {end} s is empty", start = *start, end = *end)
            }
            Self::KeyRate { rate } => {
                message!("{rate} keys per second were requested; expected 1 to 1000", rate = *rate)
            }
            Self::NotPositive { name } => message!("{name} is negative or not a number", name = *name),
            Self::UnknownChain { number } => message!("there is no chain {number}", number = *number),
            Self::MissingBones { chain } => {
                message!("the character has no bone of the chain \"{chain}\"", chain = excerpt(chain))
            }
            Self::NothingMoves => message!("nothing moves: there are no joints, and the motion is the rest pose"),
            Self::TooManyKeys { keys, max } => message!(
                "{keys} keys of all bones are more than {max}; use a shorter range or fewer keys per second",
                keys = *keys,
                max = *max
            ),
            Self::LoopWithoutPeriod => message!("the rest pose does not repeat, so it cannot become a loop"),
            Self::LoopRange { seconds, period } => message!(
                "a loop needs a whole number of cycles of {period} s, but the range has {seconds} s",
                period = seconds_text(*period),
                seconds = seconds_text(*seconds)
            ),
            Self::MotionDoesNotLoop { motion, seam } => message!(
                "the motion \"{motion}\" does not loop: at its end, \"{bone}\" is {angle} degrees and {distance} mm away \
                 from its start",
                motion = excerpt(motion),
                bone = excerpt(&seam.bone),
                angle = format!("{:.1}", seam.degrees),
                distance = format!("{:.1}", 1000.0 * seam.metres)
            ),
            Self::NotFinite { bone } => {
                message!("the simulated pose of \"{bone}\" is not finite", bone = excerpt(bone))
            }
        }
    }
}

fn seconds_text(seconds: f64) -> String {
    format!("{seconds:.3}")
}

impl fmt::Display for BakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for BakeError {}
