//! Listens for a sender.

use super::live_pose::{LivePose, SenderBones};
use super::packet::{Message, decode};
use super::recording::LiveRecording;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::{Character, Pose};

/// The port on which programs expect the motion of a performer.
pub const DEFAULT_PORT: u16 = 39539;
/// Maximum number of datagrams of one poll. More would delay the frame; the system drops what does not fit its buffer.
const MAX_DATAGRAMS: usize = 600;
/// Size of the largest datagram, in bytes.
const MAX_SIZE: usize = 65_536;
/// Time without a bone after which a sender counts as silent, in seconds.
const SILENT_SECONDS: f64 = 1.0;
/// Interval over which the rate is measured, in seconds.
const RATE_SECONDS: f64 = 1.0;

/// What the artist chooses before a receiver starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverOptions {
    pub port: u16,
    /// Whether other computers may send.
    pub allows_network: bool,
    pub bones: SenderBones,
    /// Whether the body is turned by half a turn.
    pub turned: bool,
}

impl Default for ReceiverOptions {
    fn default() -> Self {
        Self { port: DEFAULT_PORT, allows_network: false, bones: SenderBones::Automatic, turned: false }
    }
}

/// What a receiver reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveStatus {
    /// The sender whose motion is shown.
    pub sender: Option<SocketAddr>,
    /// Poses per second.
    pub rate: f64,
    /// Whether the sender has sent no bone for a while.
    pub is_silent: bool,
    /// Whether the sender says that it has no model.
    pub has_no_model: bool,
    /// Another sender, whose messages are ignored.
    pub other_sender: Option<SocketAddr>,
    /// Number of messages that cannot be used.
    pub unusable_count: u64,
    /// Whether more messages arrive than can be used.
    pub is_flooded: bool,
    /// How the rotations of the sender are measured.
    pub bones: SenderBones,
}

/// Listens on a port, and poses a character as the sender moves.
#[derive(Debug)]
pub struct LiveReceiver {
    socket: UdpSocket,
    options: ReceiverOptions,
    pose: LivePose,
    status: LiveStatus,
    /// Times of the last bone and of the start of the measurement of the rate, in seconds.
    last_bone: f64,
    rate_start: f64,
    poses_since_rate_start: u32,
    recording: LiveRecording,
    buffer: Box<[u8]>,
}

fn live_pose(bones: SenderBones, character: &Character) -> Result<LivePose, MessageText> {
    LivePose::new(character, bones)
        .map_err(|err| message!("{error}; live motion needs a humanoid character", error = err.to_string()))
}

impl LiveReceiver {
    /// Starts to listen. Fails with a sentence if the port cannot be used, or if the character has no humanoid bones.
    pub fn start(options: ReceiverOptions, character: &Character) -> Result<Self, MessageText> {
        let pose = live_pose(options.bones, character)?;
        let address = if options.allows_network { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        let bind = UdpSocket::bind((IpAddr::V4(address), options.port));
        let socket = bind.and_then(|socket| socket.set_nonblocking(true).map(|()| socket)).map_err(|err| {
            let port = options.port;
            match err.kind() {
                ErrorKind::AddrInUse => {
                    message!("port {port} is in use by another program; close it, or choose another port here and in the sender", port)
                }
                ErrorKind::PermissionDenied => {
                    message!("the system does not allow listening on port {port}; choose a port above 1023", port)
                }
                _ => message!("port {port} cannot be used: {error}", port, error = err.to_string()),
            }
        })?;
        Ok(Self {
            socket,
            options,
            recording: LiveRecording::new(pose.posed_bones()),
            pose,
            status: LiveStatus::default(),
            last_bone: f64::NEG_INFINITY,
            rate_start: 0.0,
            poses_since_rate_start: 0,
            buffer: vec![0; MAX_SIZE].into_boxed_slice(),
        })
    }

    /// Poses another character from now on. Fails if it has no humanoid bones.
    pub fn set_character(&mut self, character: &Character) -> Result<(), MessageText> {
        self.pose = live_pose(self.options.bones, character)?;
        self.recording = LiveRecording::new(self.pose.posed_bones());
        Ok(())
    }

    /// The address on which the receiver listens.
    pub fn local_address(&self) -> Option<SocketAddr> {
        self.socket.local_addr().ok()
    }

    pub const fn options(&self) -> &ReceiverOptions {
        &self.options
    }

    pub const fn status(&self) -> &LiveStatus {
        &self.status
    }

    /// The poses of the last minute.
    pub const fn recording(&self) -> &LiveRecording {
        &self.recording
    }

    /// Turns the body by half a turn, or back.
    pub const fn set_turned(&mut self, turned: bool) {
        self.options.turned = turned;
    }

    /// Takes the present height of the sender's hips as that of an upright body.
    pub fn calibrate(&mut self) {
        self.pose.calibrate();
    }

    /// Reads what has arrived. Returns the pose of the character if the sender has moved. `now` is the time in seconds.
    pub fn poll(&mut self, now: f64) -> Option<Pose> {
        let (mut has_moved, mut count) = (false, 0);
        while count < MAX_DATAGRAMS {
            count += 1;
            match self.socket.recv_from(&mut self.buffer) {
                Ok((size, sender)) => has_moved |= self.receive(size, sender, now),
                // Windows reports here that an earlier answer of the system could not be delivered.
                Err(err) if err.kind() == ErrorKind::ConnectionReset => {}
                Err(_) => break,
            }
        }
        self.status.is_flooded = count == MAX_DATAGRAMS;
        self.status.is_silent = now - self.last_bone > SILENT_SECONDS;
        if now - self.rate_start >= RATE_SECONDS {
            self.status.rate = f64::from(self.poses_since_rate_start) / (now - self.rate_start);
            (self.rate_start, self.poses_since_rate_start) = (now, 0);
        }
        if !has_moved || self.pose.is_empty() {
            return None;
        }
        self.poses_since_rate_start += 1;
        self.status.bones = self.pose.sender_bones();
        let pose = self.pose.pose(self.options.turned);
        self.recording.push(now, &pose);
        Some(pose)
    }

    /// Uses a datagram in the buffer. Returns whether the pose may have changed.
    fn receive(&mut self, size: usize, sender: SocketAddr, now: f64) -> bool {
        let is_silent = now - self.last_bone > SILENT_SECONDS;
        if self.status.sender.is_some_and(|first| first != sender) && !is_silent {
            self.status.other_sender = Some(sender);
            return false;
        }
        let (pose, status, last_bone) = (&mut self.pose, &mut self.status, &mut self.last_bone);
        let mut has_moved = false;
        decode(&self.buffer[..size], &mut |message| match message {
            Some(Message::Loaded(is_loaded)) => status.has_no_model = !is_loaded,
            Some(message) => {
                let changes_pose = pose.apply(&message);
                if changes_pose {
                    // The first sender of a bone is shown, until it is silent.
                    if status.sender != Some(sender) {
                        (status.sender, status.other_sender) = (Some(sender), None);
                        status.has_no_model = false;
                        pose.forget_sender();
                        pose.apply(&message);
                    }
                    *last_bone = now;
                }
                has_moved |= changes_pose;
            }
            None => status.unusable_count += 1,
        });
        has_moved && !self.status.has_no_model
    }
}
