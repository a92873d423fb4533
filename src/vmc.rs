//! Live motion by the VMC protocol: OSC messages over UDP, from a motion capture program to another program.
//!
//! [`LiveReceiver`] listens on a port and poses a character as the sender moves. [`LiveSender`] sends the poses of a
//! character. Neither has a thread or a clock: the caller polls once per frame and passes the time. No message opens a file,
//! and the receiver never answers.

mod live_pose;
mod packet;
mod receiver;
mod recording;
mod sender;

pub use live_pose::SenderBones;
pub use receiver::{DEFAULT_PORT, LiveReceiver, LiveStatus, ReceiverOptions};
pub use recording::LiveRecording;
pub use sender::LiveSender;
