//! Live motion over the loopback interface: every shape of stream moves every humanoid, and `simulate --live` moves as the
//! window would. The folder that `YUREMONO_VMC` names has an independent sender with its truth.

use crate::support;
use crate::support::yuremono_command;
use glam::{Quat, Vec3};
use rosc::{OscBundle, OscMessage, OscPacket, OscTime, OscType};
use serde_json::Value;
use std::collections::BTreeMap;
use std::f32::consts::{PI, TAU};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Command as Process, Stdio};
use std::time::Duration;
use yuremono::vmc::{LiveReceiver, LiveSender, LiveStatus, ReceiverOptions, SenderBones};
use yuremono_format::open;
use yuremono_model::document::Document;
use yuremono_session::{Command, Motion, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::{Character, Facing, Pose, WorldPose};

const SECONDS_PER_FRAME: f64 = 1.0 / 60.0;

fn character(file: &str) -> Character {
    let path = support::root().join("assets").join(file);
    (*open::character(&path, &|_| true).expect("a character").character).clone()
}

/// The bundled characters, and variants: lowered arms, other bone axes, and facing -Z as in VRM 0.x.
fn characters() -> Vec<Character> {
    let bundled = ["sample.vrm", "sample-rig-japanese.vrm", "sample-rig-blender.vrm"].map(character);
    let variants = [support::with_lowered_arms, support::with_rotated_axes, support::turned_to_minus_z]
        .map(|variant| variant(&bundled[0]));
    bundled.into_iter().chain(variants).collect()
}

/// How a sender packs the messages of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// One datagram for each message.
    Single,
    /// One bundle.
    Bundle,
    /// Bundles of 13 bones, the last of them in a bundle.
    Nested,
}

const STYLES: [Style; 3] = [Style::Single, Style::Bundle, Style::Nested];

/// A frame of a sender, in glTF's space: rotations by role relative to the T-pose, and the position of the hips.
#[derive(Clone, Debug, Default)]
struct Frame {
    rotations: BTreeMap<&'static str, Quat>,
    hips: Option<Vec3>,
    root: Option<(Vec3, Quat)>,
}

impl Frame {
    /// A body that nods, turns, lowers its arms and lifts its right leg.
    fn at(seconds: f32) -> Self {
        let wave = libm::sinf(TAU * seconds);
        let down = (seconds.min(1.0) * 70.0).to_radians();
        let rotations = [
            ("hips", Quat::from_rotation_y(0.3 * wave)),
            ("spine", Quat::from_rotation_x(0.2 * wave)),
            ("head", Quat::from_rotation_y(0.5 * wave) * Quat::from_rotation_x(0.2)),
            ("leftUpperArm", Quat::from_rotation_z(-down)),
            ("rightUpperArm", Quat::from_rotation_z(down)),
            ("leftLowerArm", Quat::from_rotation_y(-0.4)),
            ("rightUpperLeg", Quat::from_rotation_x(-0.8 * wave.max(0.0))),
            ("rightLowerLeg", Quat::from_rotation_x(1.2 * wave.max(0.0))),
            ("leftThumbProximal", Quat::from_rotation_y(0.3)),
        ];
        Self {
            rotations: rotations.into(),
            hips: Some(Vec3::new(0.0, 0.8 + 0.05 * wave, 0.0)),
            root: Some((Vec3::new(0.1 * seconds, 0.0, 0.0), Quat::from_rotation_y(0.1))),
        }
    }

    fn messages(&self) -> Vec<OscMessage> {
        let unity = |position: Vec3, rotation: Quat| {
            [-position.x, position.y, position.z, rotation.x, -rotation.y, -rotation.z, rotation.w].map(OscType::Float)
        };
        let message = |address: &str, name: &str, numbers: [OscType; 7]| OscMessage {
            addr: address.to_owned(),
            args: std::iter::once(OscType::String(name.to_owned())).chain(numbers).collect(),
        };
        let mut all: Vec<OscMessage> = Vec::new();
        for (role, rotation) in &self.rotations {
            let name = role.replace("ThumbProximal", "ThumbIntermediate");
            let position = self.hips.filter(|_| *role == "hips").unwrap_or_default();
            all.push(message("/VMC/Ext/Bone/Pos", &name, unity(position, *rotation)));
        }
        if let Some((position, rotation)) = self.root {
            all.push(message("/VMC/Ext/Root/Pos", "root", unity(position, rotation)));
        }
        all.push(OscMessage { addr: "/VMC/Ext/OK".to_owned(), args: vec![OscType::Int(1), OscType::Int(3)] });
        all
    }

    fn datagrams(&self, style: Style) -> Vec<Vec<u8>> {
        let bundle = |content: Vec<OscPacket>| {
            OscPacket::Bundle(OscBundle { timetag: OscTime { seconds: 0, fractional: 1 }, content })
        };
        let messages: Vec<OscPacket> = self.messages().into_iter().map(OscPacket::Message).collect();
        let packets = match style {
            Style::Single => messages,
            Style::Bundle => vec![bundle(messages)],
            Style::Nested => {
                let (first, rest) = messages.split_at(messages.len().min(5));
                vec![bundle(first.to_vec()), bundle(vec![bundle(rest.to_vec())])]
            }
        };
        packets.iter().map(|packet| rosc::encoder::encode(packet).expect("a packet")).collect()
    }

    /// The rotation of each role in the world: the product from the root to the bone.
    fn world_rotation(&self, role: &str) -> Quat {
        let torso = ["hips", "spine", "chest", "upperChest", "neck", "head"];
        let side = if role.starts_with("left") { "left" } else { "right" };
        let limb = |parts: &[&str]| parts.iter().map(|part| format!("{side}{part}")).collect::<Vec<_>>();
        let to = |last: &str| {
            let parts = torso.iter().take_while(|part| **part != last);
            parts.map(|part| (*part).to_owned()).collect::<Vec<_>>()
        };
        let path: Vec<String> = match role {
            "hips" | "spine" | "head" => to(role).into_iter().chain([role.to_owned()]).collect(),
            _ if role.contains("Leg") => to("spine").into_iter().chain(limb(&["UpperLeg", "LowerLeg"])).collect(),
            _ => to("neck")
                .into_iter()
                .chain(limb(&["UpperArm", "LowerArm", "Hand", "ThumbMetacarpal", "ThumbProximal"]))
                .collect(),
        };
        let end = path.iter().position(|part| part == role).expect("the role is on its path");
        let root = self.root.map_or(Quat::IDENTITY, |(_, rotation)| rotation);
        let own = |part: &String| self.rotations.get(&**part).copied().unwrap_or_default();
        root * path[..=end].iter().map(own).product::<Quat>()
    }
}

fn facing(character: &Character) -> Quat {
    if character.facing == Facing::PlusZ { Quat::IDENTITY } else { Quat::from_rotation_y(PI) }
}

/// Checks the rotations of a pose against a frame of a sender.
#[track_caller]
fn check_rotations(character: &Character, pose: &Pose, frame: &Frame) {
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let world = WorldPose::from_pose(&character.skeleton, pose);
    let facing = facing(character);
    for role in frame.rotations.keys() {
        let Some(bone) = character.humanoid.bone(role) else { continue };
        let found = facing.inverse() * world.frame(bone).rotation * rest.frame(bone).rotation.inverse() * facing;
        let degrees = found.angle_between(frame.world_rotation(role)).to_degrees();
        // Arms of an A-pose start from other directions, which the sender's T-pose does not have.
        let is_arm = role.contains("Arm") || role.contains("Thumb");
        assert!(is_arm || degrees < 0.5, "{}: {role} is {degrees}° off", character.name);
    }
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let at = |part: &str| {
            let bone = character.humanoid.bone(&format!("{side}{part}")).expect("an arm");
            facing.inverse() * world.frame(bone).position
        };
        let found = (at("LowerArm") - at("UpperArm")).normalize();
        let expected = frame.world_rotation(&format!("{side}UpperArm")) * (Vec3::X * sign);
        let degrees = found.angle_between(expected).to_degrees();
        assert!(degrees < 0.5, "{}: the {side} arm is {degrees}° off", character.name);
    }
}

/// Checks a pose of a character against a frame of a sender whose hips are 0.8 m high at rest.
#[track_caller]
fn check_pose(character: &Character, pose: &Pose, frame: &Frame) {
    check_rotations(character, pose, frame);
    let facing = facing(character);
    let at = |pose: &Pose| {
        let hips = character.humanoid.bone("hips").expect("hips");
        facing.inverse() * WorldPose::from_pose(&character.skeleton, pose).frame(hips).position
    };
    let (rest, found) = (at(&Pose::rest(&character.skeleton)), at(pose));
    let (root, turn) = frame.root.unwrap_or((Vec3::ZERO, Quat::IDENTITY));
    let bob = frame.hips.expect("hips") - Vec3::Y * 0.8;
    // The hips of all tested characters are within 12 % of 0.8 m, so distances are not scaled.
    let expected = root + turn * (Vec3::Y * (0.8 + bob.y) + Vec3::new(rest.x, 0.0, rest.z));
    assert!(found.distance(expected) < 0.005, "{}: the hips are at {found}, expected {expected}", character.name);
}

/// A receiver on a free port, and a socket that sends to it.
struct Loopback {
    receiver: LiveReceiver,
    socket: UdpSocket,
    target: SocketAddr,
    now: f64,
}

impl Loopback {
    fn new(character: &Character) -> Self {
        Self::with_bones(character, SenderBones::Normalized)
    }

    fn with_bones(character: &Character, bones: SenderBones) -> Self {
        let options = ReceiverOptions { port: 0, bones, ..ReceiverOptions::default() };
        let receiver = LiveReceiver::start(options, character).expect("a free port");
        let target = receiver.local_address().expect("an address");
        Self { receiver, socket: sender(), target, now: 0.0 }
    }

    fn send(&self, datagrams: &[Vec<u8>]) {
        for datagram in datagrams {
            self.socket.send_to(datagram, self.target).expect("sent");
        }
    }

    /// Receives until nothing arrives any more. Returns the last pose.
    fn poll(&mut self) -> Option<Pose> {
        self.now += SECONDS_PER_FRAME;
        let mut last = None;
        for _ in 0..50 {
            match self.receiver.poll(self.now) {
                Some(pose) => last = Some(pose),
                None if last.is_some() => break,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        last
    }

    fn status(&self) -> &LiveStatus {
        self.receiver.status()
    }
}

fn sender() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").expect("a free port")
}

#[test]
fn every_shape_of_stream_moves_every_humanoid() {
    for character in characters() {
        for style in STYLES {
            let mut loopback = Loopback::new(&character);
            for tick in 0..90 {
                let frame = Frame::at(tick as f32 / 60.0);
                loopback.send(&frame.datagrams(style));
                let pose = loopback.poll().unwrap_or_else(|| panic!("{style:?}: no pose in frame {tick}"));
                check_pose(&character, &pose, &frame);
            }
            assert_eq!((loopback.status().unusable_count, loopback.status().other_sender), (0, None));
        }
    }
}

#[test]
fn lost_late_and_broken_packets_keep_the_pose_and_are_reported() {
    let character = character("sample.vrm");
    let mut loopback = Loopback::new(&character);
    let frame = Frame::at(0.7);
    loopback.send(&frame.datagrams(Style::Single));
    let pose = loopback.poll().expect("a pose");
    // Half a frame: the other bones keep their rotation.
    loopback.send(&frame.datagrams(Style::Single)[..4]);
    assert_eq!(loopback.poll(), Some(pose.clone()));
    let nan = OscMessage {
        addr: "/VMC/Ext/Bone/Pos".to_owned(),
        args: std::iter::once(OscType::String("Head".to_owned()))
            .chain([const { OscType::Float(f32::NAN) }; 7])
            .collect(),
    };
    let nan = rosc::encoder::encode(&OscPacket::Message(nan)).expect("a packet");
    loopback.send(&[nan, b"GET / HTTP/1.1".to_vec(), vec![0; 60_000], b"#bundle\0".to_vec()]);
    assert_eq!(loopback.poll(), None);
    assert!(loopback.status().unusable_count >= 4, "{:?}", loopback.status());
    loopback.now += 2.0;
    assert_eq!(loopback.poll(), None);
    assert!(loopback.status().is_silent);
    loopback.send(&frame.datagrams(Style::Bundle));
    assert_eq!(loopback.poll(), Some(pose));
    assert!(!loopback.status().is_silent);
}

#[test]
fn of_two_senders_the_first_moves_the_character_until_it_is_silent() {
    let character = character("sample.vrm");
    let mut loopback = Loopback::new(&character);
    let other = sender();
    loopback.send(&Frame::at(0.2).datagrams(Style::Bundle));
    let first = loopback.poll().expect("a pose");
    other.send_to(&Frame::at(0.9).datagrams(Style::Bundle)[0], loopback.target).expect("sent");
    assert_eq!(loopback.poll(), None);
    assert_eq!(loopback.status().other_sender, other.local_addr().ok());
    loopback.now += 2.0;
    other.send_to(&Frame::at(0.9).datagrams(Style::Bundle)[0], loopback.target).expect("sent");
    assert!(loopback.poll().is_some_and(|pose| pose != first));
    assert_eq!((loopback.status().sender, loopback.status().other_sender), (other.local_addr().ok(), None));
}

#[test]
fn a_sender_without_positions_does_not_sink_the_body() {
    let character = character("sample.vrm");
    let mut loopback = Loopback::new(&character);
    let frame = Frame { hips: None, root: None, ..Frame::at(0.4) };
    loopback.send(&frame.datagrams(Style::Bundle));
    let world = WorldPose::from_pose(&character.skeleton, &loopback.poll().expect("a pose"));
    let hips = character.humanoid.bone("hips").expect("hips");
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    assert!(world.frame(hips).position.distance(rest.frame(hips).position) < 1e-4);
}

#[test]
fn a_port_in_use_and_a_character_without_a_body_are_refused_with_a_sentence() {
    let character = character("sample.vrm");
    let used = sender();
    let port = used.local_addr().expect("an address").port();
    let start = |character: &Character| {
        LiveReceiver::start(ReceiverOptions { port, ..ReceiverOptions::default() }, character).map(|_| ())
    };
    assert_eq!(
        start(&character).expect_err("a refusal").to_string(),
        format!("port {port} is in use by another program; close it, or choose another port here and in the sender")
    );
    let refused = start(&Character::default()).expect_err("a refusal").to_string();
    assert!(refused.contains("live motion needs a humanoid character"), "{refused}");
}

#[test]
fn a_flood_ends_each_poll_and_the_character_follows() {
    let character = character("sample.vrm");
    let mut loopback = Loopback::new(&character);
    let (socket, target) = (loopback.socket.try_clone().expect("a socket"), loopback.target);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let datagrams: Vec<Vec<u8>> =
                (0..100).flat_map(|at| Frame::at(at as f32 / 60.0).datagrams(Style::Bundle)).collect();
            for datagram in datagrams.iter().cycle() {
                let _ = socket.send_to(datagram, target);
                if is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
            }
        });
        let mut poses = Vec::new();
        while poses.len() < 60 {
            poses.extend(loopback.receiver.poll(loopback.now));
            loopback.now += SECONDS_PER_FRAME;
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        poses.dedup();
        assert!(poses.len() > 10, "only {} poses differ", poses.len());
    });
}

#[test]
fn an_hour_of_poses_keeps_a_minute() {
    let character = character("sample.vrm");
    let mut loopback = Loopback::new(&character);
    loopback.now = 0.0;
    for second in 0..3600 {
        loopback.now = f64::from(second);
        loopback.send(&Frame::at(0.01 * second as f32).datagrams(Style::Bundle));
        loopback.poll().expect("a pose");
    }
    assert!((loopback.receiver.recording().seconds() - 60.0).abs() < 1.5);
    let track = loopback.receiver.recording().track(&character);
    assert!(track.times().len() <= 62 && track.times()[0] == 0.0);
}

#[test]
fn sent_poses_are_received_as_they_were() {
    for from in characters() {
        let to = character("sample-rig-japanese.vrm");
        let mut session = Session::new(from.clone().into(), Document::default());
        let frame = Frame { root: None, hips: Some(Vec3::Y * 0.8), ..Frame::at(0.6) };
        let mut source = Loopback::new(&from);
        source.send(&frame.datagrams(Style::Bundle));
        session.handle(Command::SetLivePose(source.poll().map(Into::into)));
        session.handle(Command::SetMotion(Motion::Live));
        session.handle(Command::ResetPose);
        session.handle(Command::StepOnce);

        let mut loopback = Loopback::new(&to);
        let mut sender = LiveSender::start(loopback.target.port(), &from).expect("a sender");
        sender.send(0.0, &session);
        let received = loopback.poll().expect("a pose");
        // The hips of the two characters are not equally high.
        let rotations = Frame { hips: None, ..frame };
        check_rotations(&to, &received, &rotations);
        assert_eq!(loopback.status().unusable_count, 0);
    }
}

#[test]
fn swinging_bones_are_sent_with_their_names() {
    let opened = support::sample(SolverKind::Vrm);
    let session = Session::new(opened.character, opened.document);
    let socket = sender();
    socket.set_read_timeout(Some(Duration::from_secs(2))).expect("a socket");
    let port = socket.local_addr().expect("an address").port();
    LiveSender::start(port, session.character()).expect("a sender").send(0.0, &session);
    let mut names = Vec::new();
    let mut buffer = [0; 2048];
    socket.set_read_timeout(Some(Duration::from_millis(200))).expect("a socket");
    while let Ok(size) = socket.recv(&mut buffer) {
        assert!(size < 1200, "{size} bytes");
        let Ok((_, OscPacket::Bundle(bundle))) = rosc::decoder::decode_udp(&buffer[..size]) else {
            panic!("no bundle")
        };
        for packet in bundle.content {
            if let OscPacket::Message(OscMessage { args, .. }) = packet
                && let Some(OscType::String(name)) = args.first()
            {
                names.push(name.clone());
            }
        }
    }
    let joints = session.resolved().joint_refs.iter().flatten();
    for joint in joints.filter(|joint| session.character().humanoid.role(joint.bone).is_none()) {
        let name = session.character().skeleton.name(joint.bone);
        assert!(names.iter().any(|sent| sent == name), "{name} is not sent");
    }
    assert!(names.iter().any(|name| name == "LeftThumbProximal"));
}

#[test]
fn bones_of_the_same_model_are_used_as_they_are() {
    let character = support::with_rotated_axes(&character("sample.vrm"));
    let bone = |role: &str| character.humanoid.bone(role).expect("a bone");
    let rest_of = |role: &str| character.skeleton.bone(bone(role)).rest.rotation;
    let mut loopback = Loopback::with_bones(&character, SenderBones::Automatic);
    let sign = if character.facing == Facing::PlusZ { 1.0 } else { -1.0 };
    let to_plus_z = |q: Quat| Quat::from_xyzw(sign * q.x, q.y, sign * q.z, q.w);
    let roles = character.humanoid.iter().map(|(role, _)| (role, to_plus_z(rest_of(role))));
    let mut frame = Frame { rotations: roles.collect(), hips: Some(Vec3::Y), root: None };
    let bent = rest_of("leftLowerArm") * Quat::from_rotation_x(0.5);
    frame.rotations.insert("leftLowerArm", to_plus_z(bent));
    frame.rotations.retain(|role, _| !role.contains("Thumb"));
    loopback.send(&frame.datagrams(Style::Bundle));
    let pose = loopback.poll().expect("a pose");
    assert_eq!(loopback.status().bones, SenderBones::SameModel);
    assert!(pose.local[bone("leftLowerArm").index()].rotation.angle_between(bent) < 1e-3);
    assert!(pose.local[bone("head").index()].rotation.angle_between(rest_of("head")) < 1e-3);
}

#[test]
fn simulate_moves_the_hair_as_the_same_poses_do_in_a_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("steps.json");
    let port = sender().local_addr().expect("an address").port();
    let sample = support::root().join("assets/sample.vrm");
    let (sample, out_text, port_text) = (sample.display().to_string(), out.display().to_string(), port.to_string());
    let args = ["simulate", &sample, "--live", &port_text, "--seconds", "4", "--out", &out_text];
    let program = yuremono_command();
    let mut process = Process::new(program.get_program()).args(args).stdout(Stdio::null()).spawn().expect("it runs");
    // The body turns by 40° and stays there, so that the final pose does not depend on the moment of each packet.
    let frame = |seconds: f32| Frame {
        rotations: [("hips", Quat::from_rotation_y(0.7 * seconds.min(1.0))), ("head", Quat::from_rotation_x(0.3))]
            .into(),
        hips: Some(Vec3::Y * 0.8),
        root: None,
    };
    let socket = sender();
    let target = SocketAddr::from(([127, 0, 0, 1], port));
    let mut tick = 0;
    while process.try_wait().expect("it runs").is_none() {
        for datagram in frame(tick as f32 / 60.0).datagrams(Style::Nested) {
            // Nothing listens before the program has started.
            let _ = socket.send_to(&datagram, target);
        }
        std::thread::sleep(Duration::from_secs_f64(SECONDS_PER_FRAME));
        tick += 1;
    }
    let steps: Value = serde_json::from_slice(&std::fs::read(&out).expect("written")).expect("JSON");
    let last = steps["steps"].as_array().and_then(|steps| steps.last()).expect("a step");

    let opened = support::sample(SolverKind::Vrm);
    let mut loopback = Loopback::new(&opened.character);
    loopback.send(&frame(9.0).datagrams(Style::Bundle));
    let pose = loopback.poll().expect("a pose");
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetLivePose(Some(pose.into())));
    session.handle(Command::SetMotion(Motion::Live));
    session.handle(Command::ResetPose);
    (0..240).for_each(|_| session.handle(Command::StepOnce));
    let joints = session.resolved().joint_refs.iter().flatten();
    for (index, joint) in joints.enumerate() {
        let tip: Vec<f32> = (0..4).map(|at| last["rotations"][index][at].as_f64().expect("a number") as f32).collect();
        let found = Quat::from_xyzw(tip[0], tip[1], tip[2], tip[3]);
        let expected = session.playback().world().pose().local[joint.bone.index()].rotation;
        let degrees = found.angle_between(expected).to_degrees();
        assert!(degrees < 2.0, "joint {index} is {degrees}° off");
    }
}

#[test]
fn an_independent_sender_moves_the_character_as_its_truth_says() {
    let Some(folder) = support::folder_or_skip("YUREMONO_VMC") else { return };
    let truth = std::fs::read(folder.join("motion.truth.json")).expect("a truth");
    let truth: Value = serde_json::from_slice(&truth).expect("JSON");
    let samples = truth["samples"].as_array().expect("samples");
    let character = character("sample-rig-japanese.vrm");
    let head = character.humanoid.bone("head").expect("a head");
    for style in ["single", "bundle", "vmc"] {
        let mut loopback = Loopback::new(&character);
        let port = loopback.target.port().to_string();
        let mut process = Process::new("python3")
            .arg(folder.join("send_vmc.py"))
            .args(["--port", &port, "--style", style, "--lower", "--scale"])
            .stdout(Stdio::null())
            .spawn()
            .expect("python3 runs");
        let mut poses = Vec::new();
        while process.try_wait().expect("it runs").is_none() {
            poses.extend(loopback.receiver.poll(loopback.now));
            loopback.now += 0.002;
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(poses.len() > 200, "{style}: {} poses", poses.len());
        // The last sample of the truth is the pose that remains.
        let last = samples.last().expect("a sample");
        let rotation = |role: &str| {
            let numbers = &last["bones"][role];
            let number = |at: usize| numbers[at].as_f64().map(|number| number as f32);
            number(0).map_or(Quat::IDENTITY, |x| {
                let [y, z, w] = [1, 2, 3].map(|at| number(at).expect("a number"));
                Quat::from_xyzw(x, y, z, w)
            })
        };
        let root = {
            let number = |at: usize| last["root"]["rotation"][at].as_f64().expect("a number") as f32;
            Quat::from_xyzw(number(0), number(1), number(2), number(3))
        };
        let expected = root * rotation("hips") * rotation("spine") * rotation("head");
        let world = WorldPose::from_pose(&character.skeleton, poses.last().expect("a pose"));
        let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        let facing = facing(&character);
        let found = facing.inverse() * world.frame(head).rotation * rest.frame(head).rotation.inverse() * facing;
        let degrees = found.angle_between(expected).to_degrees();
        assert!(degrees < 0.5, "{style}: the head is {degrees}° off");
        assert_eq!(loopback.status().unusable_count, 0, "{style}");
    }
}
