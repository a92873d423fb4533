//! Why a motion cannot be baked.

use super::loop_seam::SeamSize;
use std::fmt;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};

/// An option with a number that can be invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BakeNumber {
    /// Start of the range.
    Start,
    /// End of the range.
    End,
    /// Duration before the first key.
    Preroll,
    /// Largest distance after keys are removed.
    MaxError,
}

/// Why a motion cannot be baked. All of these are known before the simulation starts, except for [`Self::NotFinite`],
/// and for [`Self::NothingMoves`] if the joints or the motion stay at rest.
#[derive(Clone, Debug, PartialEq)]
pub enum BakeError {
    /// The animation or gesture does not exist.
    MissingMotion,
    /// Live motion has no keys.
    LiveMotion,
    /// The motion has no duration, in seconds.
    ZeroLength { motion: String },
    /// The rest pose never ends, so the end of the range is needed.
    NoEnd,
    /// The range has no duration. Both ends are in seconds.
    EmptyRange { start: f64, end: f64 },
    /// The number of keys per second is not in 1..=1000.
    KeyRate { rate: f64 },
    /// A number is negative or not finite. The largest distance must also not be zero.
    InvalidNumber(BakeNumber),
    /// The document has no such chain.
    UnknownChain,
    /// The character has no bone of a baked chain.
    MissingBones { chain: String },
    /// No bone leaves its rest pose.
    NothingMoves,
    /// The bake would have too many keys.
    TooManyKeys { keys: usize, max: usize },
    /// The rest pose does not repeat.
    LoopWithoutPeriod,
    /// The range of a loop is not a whole number of cycles. Seconds of the motion.
    LoopRange {
        seconds: f64,
        period: f64,
        /// The nearest end of the range with whole cycles.
        end: f64,
    },
    /// The pose at the end of the motion is too far from the pose at its start.
    MotionDoesNotLoop { motion: String, seam: SeamSize },
    /// The motion does not end exactly in its first pose, so a wrap inside the range would stay visible.
    OpenLoopRange { motion: String, period: f64 },
    /// The simulation returned a pose that is not finite.
    NotFinite { bone: String },
}

impl BakeError {
    /// The message for the user.
    pub fn message(&self) -> MessageText {
        match self {
            Self::MissingMotion => message!("the motion does not exist"),
            Self::LiveMotion => message!("live motion cannot be baked; record it first, and bake the recorded motion"),
            Self::ZeroLength { motion } => {
                message!("the motion \"{motion}\" has no duration", motion = excerpt(motion))
            }
            Self::NoEnd => message!("the rest pose has no end; the end of the range is needed, in seconds"),
            Self::EmptyRange { start, end } => {
                message!(
                    "the range from {start} s to {end} s is empty",
                    start = seconds_text(*start),
                    end = seconds_text(*end)
                )
            }
            // Options are entered as f32, so further digits would be noise.
            Self::KeyRate { rate } => {
                message!("{rate} keys per second were requested; expected 1 to 1000", rate = *rate as f32)
            }
            Self::InvalidNumber(number) => match number {
                BakeNumber::Start => message!("the start of the range is negative or not a number; enter 0 s or more"),
                BakeNumber::End => message!("the end of the range is negative or not a number; enter 0 s or more"),
                BakeNumber::Preroll => message!("the preroll is negative or not a number; enter 0 s or more"),
                BakeNumber::MaxError => {
                    message!("the largest distance after keys are removed is not a number above 0; enter 0.1 mm")
                }
            },
            Self::UnknownChain => message!("a chosen chain does not exist any more; choose the chains again"),
            Self::MissingBones { chain } => {
                message!("the character has no bone of the chain \"{chain}\"", chain = excerpt(chain))
            }
            Self::NothingMoves => message!("nothing moves: no joint is baked, and the motion does not move a bone"),
            Self::TooManyKeys { keys, max } => message!(
                "{keys} keys of all bones are more than {max}; use a shorter range or fewer keys per second",
                keys = *keys,
                max = *max
            ),
            Self::LoopWithoutPeriod => message!("the rest pose does not repeat, so it cannot become a loop"),
            Self::LoopRange { seconds, period, end } => message!(
                "a loop needs a whole number of cycles of {period} s, but the range has {seconds} s; end it at {end} s",
                period = seconds_text(*period),
                seconds = seconds_text(*seconds),
                end = seconds_text(*end)
            ),
            Self::MotionDoesNotLoop { motion, seam } => {
                message!("the motion \"{motion}\" does not loop: {seam}", motion = excerpt(motion), seam = seam.text(1))
            }
            Self::OpenLoopRange { motion, period } => message!(
                "the motion \"{motion}\" does not end exactly in its first pose, so only one cycle from its start can \
                 become a loop; bake from 0 s to {period} s",
                motion = excerpt(motion),
                period = seconds_text(*period)
            ),
            Self::NotFinite { bone } => {
                message!("the simulated pose of \"{bone}\" is not finite", bone = excerpt(bone))
            }
        }
    }
}

/// Seconds in messages.
pub(super) fn seconds_text(seconds: f64) -> String {
    format!("{seconds:.3}")
}

impl fmt::Display for BakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for BakeError {}
