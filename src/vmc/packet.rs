//! Decodes datagrams to the messages that pose a body.
//!
//! Every value of a datagram is untrusted. Positions and rotations are checked, and converted from Unity's space to glTF's.

use glam::{Quat, Vec3};
use rosc::{OscPacket, OscType};
use yuremono_sim::rig::{HUMANOID_ROLES, role_of_unity};

/// Largest depth of bundles in bundles.
const MAX_DEPTH: usize = 8;
/// Largest coordinate, in metres.
const MAX_COORDINATE: f32 = 1000.0;
/// Names of Unity for thumb bones that VRM 1.0 does not use.
const UNITY_THUMBS: [&str; 2] = ["leftThumbIntermediate", "rightThumbIntermediate"];
const BUNDLE: &[u8] = b"#bundle\0";
/// Size of the start of a bundle: its tag and its time.
const BUNDLE_HEADER: usize = 16;

/// A position in metres and a rotation, in glTF's space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
}

/// A message that the receiver uses.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// A bone by its role in VRM 1.0, relative to its parent in the model of the sender.
    Bone(&'static str, Placement),
    /// The model in the world.
    Root(Placement),
    /// Whether the sender has a model.
    Loaded(bool),
    /// Another message of the protocol.
    Other,
}

/// Calls `found` for each message of a datagram, or with `None` for each part that cannot be used.
pub(super) fn decode(datagram: &[u8], found: &mut dyn FnMut(Option<Message>)) {
    decode_element(datagram, 0, found);
}

/// Decodes a message or a bundle. `rosc` decodes bundles and drops arrays by recursion without a limit, so it gets only messages
/// without arrays.
fn decode_element(bytes: &[u8], depth: usize, found: &mut dyn FnMut(Option<Message>)) {
    if !bytes.starts_with(BUNDLE) {
        if has_arrays(bytes) {
            return found(None);
        }
        let packet = rosc::decoder::decode_udp(bytes).ok().map(|(_, packet)| packet);
        let message =
            packet.and_then(|packet| if let OscPacket::Message(message) = packet { Some(message) } else { None });
        return found(message.and_then(|message| read_message(&message.addr, &message.args)));
    }
    let (Some(mut rest), true) = (bytes.get(BUNDLE_HEADER..), depth < MAX_DEPTH) else { return found(None) };
    while !rest.is_empty() {
        let element = rest
            .split_first_chunk::<4>()
            .and_then(|(size, rest)| rest.split_at_checked(usize::try_from(i32::from_be_bytes(*size)).ok()?));
        let Some((element, next)) = element else { return found(None) };
        decode_element(element, depth + 1, found);
        rest = next;
    }
}

/// Returns whether the type tags of a message contain an array, which no message of the protocol has.
fn has_arrays(bytes: &[u8]) -> bool {
    let is_end = |byte: &u8| *byte == 0;
    let address = bytes.iter().position(is_end).unwrap_or(bytes.len());
    let tags = bytes.get((address / 4 + 1) * 4..).unwrap_or_default();
    tags.iter().take_while(|byte| !is_end(byte)).any(|byte| matches!(byte, b'[' | b']'))
}

/// Returns `None` if the arguments do not fit the address. Arguments after the known ones are ignored, because later
/// versions of the protocol append some.
fn read_message(address: &str, args: &[OscType]) -> Option<Message> {
    match address {
        "/VMC/Ext/Bone/Pos" => {
            let OscType::String(name) = args.first()? else { return None };
            let placement = read_placement(args.get(1..)?)?;
            Some(role_of_bone(name).map_or(Message::Other, |role| Message::Bone(role, placement)))
        }
        "/VMC/Ext/Root/Pos" => Some(Message::Root(read_placement(args.get(1..)?)?)),
        "/VMC/Ext/OK" => Some(Message::Loaded(read_number(args.first()?)? > 0.5)),
        _ => Some(Message::Other),
    }
}

fn read_placement(args: &[OscType]) -> Option<Placement> {
    let mut numbers = [0.0; 7];
    for (number, arg) in numbers.iter_mut().zip(args.get(..7)?) {
        *number = read_number(arg)?;
    }
    let [x, y, z, qx, qy, qz, qw] = numbers;
    let (position, rotation) = (Vec3::new(-x, y, z), Quat::from_xyzw(qx, -qy, -qz, qw));
    let is_usable = position.abs().max_element() <= MAX_COORDINATE && (1e-6..1e12).contains(&rotation.length_squared());
    let rotation = rotation.normalize();
    (is_usable && position.is_finite() && rotation.is_finite()).then_some(Placement { position, rotation })
}

fn read_number(arg: &OscType) -> Option<f32> {
    let number = match arg {
        OscType::Float(number) => *number,
        OscType::Int(number) => *number as f32,
        OscType::Double(number) => *number as f32,
        OscType::Bool(is_on) => f32::from(u8::from(*is_on)),
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// Returns the role of a bone of Unity's `HumanBodyBones`, in any case.
fn role_of_bone(name: &str) -> Option<&'static str> {
    let known = HUMANOID_ROLES.iter().chain(&UNITY_THUMBS).find(|known| known.eq_ignore_ascii_case(name))?;
    let role = role_of_unity(known);
    HUMANOID_ROLES.iter().copied().find(|known| *known == role)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rosc::{OscBundle, OscMessage, OscTime};

    fn message(address: &str, args: Vec<OscType>) -> OscPacket {
        OscPacket::Message(OscMessage { addr: address.to_owned(), args })
    }

    fn bone(name: &str, numbers: [f32; 7]) -> OscPacket {
        let numbers = numbers.into_iter().map(OscType::Float);
        message("/VMC/Ext/Bone/Pos", std::iter::once(OscType::String(name.to_owned())).chain(numbers).collect())
    }

    fn bundle(content: Vec<OscPacket>) -> OscPacket {
        OscPacket::Bundle(OscBundle { timetag: OscTime { seconds: 0, fractional: 1 }, content })
    }

    fn decoded(packet: &OscPacket) -> Vec<Option<Message>> {
        let mut all = Vec::new();
        decode(&rosc::encoder::encode(packet).expect("a packet"), &mut |message| all.push(message));
        all
    }

    #[test]
    fn bones_are_found_in_any_case_and_in_nested_bundles() {
        let turned = [1.0, 2.0, 3.0, 0.6, 0.0, 0.0, 0.8];
        let nested = bundle(vec![bone("lefthand", turned), bundle(vec![bone("LeftThumbIntermediate", turned)])]);
        let placement =
            Placement { position: Vec3::new(-1.0, 2.0, 3.0), rotation: Quat::from_xyzw(0.6, 0.0, 0.0, 0.8) };
        assert_eq!(
            decoded(&nested),
            [Some(Message::Bone("leftHand", placement)), Some(Message::Bone("leftThumbProximal", placement))]
        );
        assert_eq!(decoded(&bone("Tail9", turned)), [Some(Message::Other)]);
    }

    #[test]
    fn unusable_values_are_rejected_and_integers_count_as_numbers() {
        let far = [0.0, 1e30, 0.0, 0.0, 0.0, 0.0, 1.0];
        let huge = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3e30];
        for numbers in [[f32::NAN; 7], [0.0; 7], far, huge] {
            assert_eq!(decoded(&bone("Head", numbers)), [None]);
        }
        let integers = [0, 0, 0, 0, 0, 0, 1].map(OscType::Int);
        let args = std::iter::once(OscType::String("root".to_owned())).chain(integers).collect();
        let root = Placement { position: Vec3::ZERO, rotation: Quat::IDENTITY };
        assert_eq!(decoded(&message("/VMC/Ext/Root/Pos", args)), [Some(Message::Root(root))]);
        assert_eq!(decoded(&message("/VMC/Ext/OK", vec![OscType::Bool(false)])), [Some(Message::Loaded(false))]);
        assert_eq!(decoded(&message("/VMC/Ext/T", vec![OscType::String("soon".to_owned())])), [Some(Message::Other)]);
    }

    #[test]
    fn hostile_datagrams_end_without_a_panic() {
        let deep = (0..2500).fold(rosc::encoder::encode(&bone("Head", [0.0; 7])).expect("a packet"), |inner, _| {
            [BUNDLE, &[0; 7], &[1], &(inner.len() as i32).to_be_bytes(), &inner].concat()
        });
        let too_long = [BUNDLE, &[0; 8], &0x7fff_fff0_i32.to_be_bytes()].concat();
        let negative = [BUNDLE, &[0; 8], &(-8_i32).to_be_bytes()].concat();
        let strings = [b"/a\0\0,".to_vec(), vec![b'f'; 2000]].concat();
        let arrays = [b"/a\0\0,".to_vec(), vec![b'['; 30_000], vec![b']'; 30_000], vec![0; 4]].concat();
        for datagram in [deep, too_long, negative, strings, arrays, b"#bundle".to_vec(), b"/VMC/Ext/Bone/Pos".to_vec()]
        {
            let mut all = Vec::new();
            decode(&datagram, &mut |message| all.push(message));
            assert_eq!(all, [None], "{} bytes", datagram.len());
        }
    }
}
