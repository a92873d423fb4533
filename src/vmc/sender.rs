//! Sends the poses of a character to another program.
//!
//! Humanoid bones have the names of Unity's `HumanBodyBones` and rotations relative to the T-pose, as senders of normalized
//! bones do. Simulated bones have the names of their nodes, with the local rotation of the node; programs that know only
//! humanoid bones ignore these.

use glam::{Quat, Vec3};
use rosc::{OscBundle, OscMessage, OscPacket, OscTime, OscType};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use yuremono_session::Session;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{
    BoneId, Character, Facing, Pose, PoseRetargeter, node_rotation_in_plus_z, normalized_humanoid, with_arms,
};

/// Seconds between two poses.
const INTERVAL: f64 = 1.0 / 60.0;
/// Number of bones of a datagram, so that datagrams stay below 1,200 bytes, which networks do not split.
const BONES_PER_DATAGRAM: usize = 13;
/// The time tag that means "immediately".
const IMMEDIATELY: OscTime = OscTime { seconds: 0, fractional: 1 };

/// Sends the poses of a character.
#[derive(Debug)]
pub struct LiveSender {
    socket: UdpSocket,
    body: SentBody,
    /// Time at which the last pose was due, in seconds.
    last: f64,
}

/// The humanoid bones of the character, which move like the character.
#[derive(Debug)]
struct SentBody {
    humanoid: Character,
    /// `None` if the character has no humanoid bones.
    retargeter: Option<PoseRetargeter>,
}

impl SentBody {
    fn new(character: &Character) -> Self {
        // A receiver expects rotations from a T-pose.
        let humanoid = with_arms(normalized_humanoid(character, &|_| true), 0.0);
        Self { retargeter: PoseRetargeter::by_direction(character, &humanoid).ok(), humanoid }
    }
}

impl LiveSender {
    /// Prepares to send the poses of a character to a port of this computer.
    pub fn start(port: u16, character: &Character) -> io::Result<Self> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.set_nonblocking(true)?;
        socket.connect((Ipv4Addr::LOCALHOST, port))?;
        Ok(Self { socket, body: SentBody::new(character), last: f64::NEG_INFINITY })
    }

    /// Sends another character from now on.
    pub fn set_character(&mut self, character: &Character) {
        self.body = SentBody::new(character);
    }

    /// The address of the receiver.
    pub fn target(&self) -> Option<SocketAddr> {
        self.socket.peer_addr().ok()
    }

    /// Sends the pose of the last step, on average 60 times per second. `now` is the time in seconds. A receiver that does not
    /// listen is not an error.
    pub fn send(&mut self, now: f64, session: &Session) {
        if now - self.last < INTERVAL {
            return;
        }
        self.last = (self.last + INTERVAL).max(now - INTERVAL);
        for datagram in self.datagrams(now, session) {
            let _ = self.socket.send(&datagram);
        }
    }

    /// Returns the datagrams of the present pose.
    fn datagrams(&mut self, now: f64, session: &Session) -> Vec<Vec<u8>> {
        let (character, world) = (session.character(), session.playback().world());
        let mut messages = Vec::new();
        let SentBody { humanoid, retargeter } = &mut self.body;
        if let Some(retargeter) = retargeter {
            let mut pose = Pose::rest(&humanoid.skeleton);
            retargeter.transfer(world.frames(), &mut pose);
            for (role, bone) in humanoid.humanoid.iter() {
                let local = pose.local[bone.index()];
                messages.push(bone_message(&unity_name(role), local.translation, local.rotation));
            }
        }
        let simulated = session.resolved().joint_refs.iter().flatten().map(|joint| joint.bone);
        let in_file = |bone: &BoneId| bone.index() < character.skeleton.len();
        for bone in simulated.filter(in_file).filter(|bone| character.humanoid.role(*bone).is_none()) {
            let Trs { translation, rotation, .. } = world.pose().local[bone.index()];
            let turn = if character.facing == Facing::PlusZ { 1.0 } else { -1.0 };
            let position = translation * Vec3::new(turn, 1.0, turn);
            let rotation = node_rotation_in_plus_z(character.facing, rotation);
            messages.push(bone_message(character.skeleton.name(bone), position, rotation));
        }
        let root = placement_message("/VMC/Ext/Root/Pos", "root", Vec3::ZERO, Quat::IDENTITY);
        let status = [("/VMC/Ext/OK", OscType::Int(1)), ("/VMC/Ext/T", OscType::Float(now as f32))]
            .map(|(addr, arg)| OscMessage { addr: addr.to_owned(), args: vec![arg] });
        let frame_end: Vec<OscMessage> = std::iter::once(root).chain(status).collect();
        messages.chunks(BONES_PER_DATAGRAM).chain([&frame_end[..]]).filter_map(|part| encode(part).ok()).collect()
    }
}

fn encode(messages: &[OscMessage]) -> Result<Vec<u8>, rosc::OscError> {
    let content = messages.iter().cloned().map(OscPacket::Message).collect();
    rosc::encoder::encode(&OscPacket::Bundle(OscBundle { timetag: IMMEDIATELY, content }))
}

fn bone_message(name: &str, position: Vec3, rotation: Quat) -> OscMessage {
    placement_message("/VMC/Ext/Bone/Pos", name, position, rotation)
}

/// Returns a message with a transform, in Unity's space.
fn placement_message(address: &str, name: &str, position: Vec3, rotation: Quat) -> OscMessage {
    let numbers = [-position.x, position.y, position.z, rotation.x, -rotation.y, -rotation.z, rotation.w];
    let name = OscType::String(name.to_owned());
    OscMessage { addr: address.to_owned(), args: std::iter::once(name).chain(numbers.map(OscType::Float)).collect() }
}

/// Returns the name of a humanoid bone in Unity's `HumanBodyBones`.
fn unity_name(role: &str) -> String {
    let role = role.replace("ThumbProximal", "ThumbIntermediate").replace("ThumbMetacarpal", "ThumbProximal");
    let mut letters = role.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}
