//! Comment rows that say what the original's version 4 has no place for.
//!
//! `#yuremono,1,<kind>,<cells>`: the original passes them over, as it does every row that begins with `#`. Each row
//! says one thing and names what it speaks of, so that sorting, filtering or editing in a spreadsheet spoils none
//! of the others. Positions and turns are in the space of the rest of the table; numbers have decimal points and as
//! many digits as they need. Blanks around a name, which readers of tables trim, are written as `\u{20}`.

mod escape;
mod read;
mod write;

pub use escape::{escape, unescape};
pub use read::extra_row;
pub use write::extra_text;

use super::ExtraRow;
use crate::doc::form::Mentions;
use crate::doc::{Along, NamedExtras, Part, Side};
use crate::math::{Curve, Interpolation};
use crate::sim::{ForceKind, SwingLimit, SwingShape};

/// What the first cell of such a row is.
pub const EXTRA: &str = "#yuremono";
/// The second cell; rows of later versions are kept, not used.
const VERSION: &str = "1";

/// What one comment row says.
#[derive(Clone, Debug, PartialEq)]
pub enum Extra {
    /// A value of the whole character.
    System {
        /// Name of the parameter.
        row: String,
        /// In its unit.
        value: f32,
    },
    /// What the engine's component is called.
    Named {
        /// As lists show it.
        name: String,
    },
    /// What the engine's component sits on.
    SitsOn {
        /// Name of the node.
        node: String,
    },
    /// A joint's own value that the engine does not have.
    Joint {
        /// The joint's bone.
        bone: String,
        /// Name of the parameter.
        row: String,
        /// In its unit.
        value: f32,
    },
    /// Whether a joint moves.
    Enabled {
        /// The joint's bone.
        bone: String,
        /// Its switch.
        on: bool,
    },
    /// Whether a program tells the engine that animation moves the bone.
    Animated {
        /// The joint's bone.
        bone: String,
        /// The flag.
        on: bool,
    },
    /// Which child a joint points at.
    TipBone {
        /// The joint's bone.
        bone: String,
        /// The bone at its tip.
        child: String,
    },
    /// The point that a joint points at.
    TipAt {
        /// The joint's bone.
        bone: String,
        /// In the bone's own space, metres.
        at: [f32; 3],
    },
    /// How hard a length is held.
    Length {
        /// The joint's bone.
        bone: String,
        /// The node that the tip keeps its distance to.
        target: String,
        /// 1/s².
        constant: f32,
    },
    /// A bone that detection leaves alone.
    Excluded {
        /// The bone.
        bone: String,
    },
    /// Whether the engine draws a mesh.
    Renderer {
        /// Name of the mesh.
        name: String,
        /// Drawn or not.
        on: bool,
    },
    /// A collider's switch.
    Collider {
        /// Its name.
        name: String,
        /// Its switch.
        on: bool,
    },
    /// A chain.
    Chain {
        /// The bone that it begins with.
        root: String,
        /// As lists show it.
        name: String,
        /// What it is.
        part: Part,
        /// What its curves run over.
        along: Along,
    },
    /// A value of a whole chain. Joints whose number in the table is what it comes to follow it.
    Value {
        /// The bone that the chain begins with.
        root: String,
        /// Name of the parameter.
        row: String,
        /// In its unit.
        base: f32,
        /// Factor along the chain.
        curve: Option<Curve>,
    },
    /// The material that a chain has its numbers from. Chains that name the same one and have the same numbers share it.
    Material {
        /// The bone that the chain begins with.
        root: String,
        /// Name of the material.
        name: String,
    },
    /// A collider group.
    Group {
        /// Tells it from others, whose names may be the same.
        number: u32,
        /// May be empty.
        name: String,
        /// Names of its colliders.
        colliders: Vec<String>,
    },
    /// Groups that push all joints of a chain.
    Groups {
        /// The bone that the chain begins with.
        root: String,
        /// Of the groups, in order.
        numbers: Vec<u32>,
    },
    /// What the speed of a chain is measured against.
    Center {
        /// The bone that the chain begins with.
        root: String,
        /// Name of the node.
        node: String,
    },
    /// How far a joint may turn in any direction.
    Swing {
        /// The joint's bone.
        bone: String,
        /// Radians, as in VRM's files.
        limit: SwingLimit,
    },
    /// Wind or a steady force.
    Force(Box<ForceCells>),
    /// What the engine's component knows beyond numbers: all of it, lists that say nothing included.
    Lists(Box<ListCells>),
}

/// The lists of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct ListCells {
    /// With the names of nodes and colliders.
    pub lists: NamedExtras,
    /// Where the file names what; empty where one row says all.
    pub mentions: Mentions,
    /// The only single nodes that it speaks of; `None` where it speaks of everything.
    pub only: Option<Vec<Side>>,
}

/// A force with its node.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceCells {
    /// As lists show it.
    pub name: String,
    /// Name of the node of its own; empty where it sits on `parent` itself.
    pub node: String,
    /// Name of the node that this one hangs on.
    pub parent: String,
    /// Metres.
    pub position: [f32; 3],
    /// Unit quaternion, x y z w.
    pub rotation: [f32; 4],
    /// Factor along each axis.
    pub scale: [f32; 3],
    /// Its switch.
    pub on: bool,
    /// What it is.
    pub kind: ForceKind,
}

const ALONG: [(&str, Along); 2] = [("length", Along::Length), ("depth", Along::Depth)];
const RUNS: [(&str, Interpolation); 2] = [("hermite", Interpolation::Hermite), ("linear", Interpolation::Linear)];
const SWINGS: [(&str, SwingShape); 3] = [
    ("cone", SwingShape::Cone { angle: 0.0 }),
    ("hinge", SwingShape::Hinge { angle: 0.0 }),
    ("spherical", SwingShape::Spherical { pitch: 0.0, yaw: 0.0 }),
];

impl Extra {
    /// Names of the bones and nodes that it speaks of, the one that it is about first; those of a component's lists are
    /// asked of them, see [`spoken`](crate::doc::import::spoken).
    pub fn nodes(&self) -> Vec<&str> {
        match self {
            Self::System { .. }
            | Self::Named { .. }
            | Self::Renderer { .. }
            | Self::Collider { .. }
            | Self::Group { .. }
            | Self::Lists(_) => Vec::new(),
            Self::SitsOn { node: name }
            | Self::Joint { bone: name, .. }
            | Self::Enabled { bone: name, .. }
            | Self::Animated { bone: name, .. }
            | Self::TipAt { bone: name, .. }
            | Self::Excluded { bone: name }
            | Self::Swing { bone: name, .. }
            | Self::Chain { root: name, .. }
            | Self::Value { root: name, .. }
            | Self::Material { root: name, .. }
            | Self::Groups { root: name, .. } => vec![name],
            Self::TipBone { bone: name, child: other }
            | Self::Length { bone: name, target: other, .. }
            | Self::Center { root: name, node: other } => vec![name, other],
            Self::Force(cells) => vec![&cells.parent],
        }
    }

    /// The bone with which the chain that it is about begins.
    pub fn root(&self) -> Option<&str> {
        match self {
            Self::Chain { root, .. }
            | Self::Value { root, .. }
            | Self::Groups { root, .. }
            | Self::Center { root, .. }
            | Self::Material { root, .. } => Some(root),
            _ => None,
        }
    }
}

impl From<Extra> for ExtraRow {
    fn from(extra: Extra) -> Self {
        let kind = extra_text(&extra).swap_remove(1);
        Self::new(kind, extra)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fault;
    use super::*;
    use crate::sim::DynamicBoneSetup;
    use glam::Quat;

    #[track_caller]
    fn check(extra: Extra, expected: &str) {
        let text = extra_text(&extra);
        assert_eq!(text.join(","), expected);
        let mut padded: Vec<String> = text.iter().map(|c| c.trim().to_owned()).collect();
        padded.extend([String::new(), String::new()]);
        assert_eq!(extra_row(0, padded).cells, Ok(extra));
    }

    #[test]
    fn every_kind_of_row_reads_back_through_a_spreadsheet() {
        let bone = || "hair_1".to_owned();
        check(Extra::System { row: "gravity y".to_owned(), value: -9.8 }, "1,system,gravity y,-9.8");
        check(Extra::Named { name: " Tails".to_owned() }, "1,named,\\u{20}Tails");
        check(Extra::SitsOn { node: "Hips".to_owned() }, "1,sits on,Hips");
        check(Extra::Joint { bone: bone(), row: "x".to_owned(), value: 0.5 }, "1,joint,hair_1,x,0.5");
        check(Extra::Enabled { bone: bone(), on: false }, "1,enabled,hair_1,False");
        check(Extra::Animated { bone: bone(), on: true }, "1,animated,hair_1,True");
        check(Extra::TipBone { bone: bone(), child: " a\\b".to_owned() }, "1,tip,hair_1,\\u{20}a\\\\b");
        check(Extra::TipAt { bone: bone(), at: [0.0, -0.1, 1e-5] }, "1,tip at,hair_1,0,-0.1,1E-05");
        check(Extra::Length { bone: bone(), target: " ".to_owned(), constant: 5.0 }, "1,length,hair_1,\\u{20},5");
        check(Extra::Excluded { bone: "\t".to_owned() }, "1,excluded,\\u{9}");
        check(Extra::Renderer { name: "Body".to_owned(), on: false }, "1,renderer,Body,False");
        check(Extra::Collider { name: "Ball".to_owned(), on: false }, "1,collider,Ball,False");
        let (part, along) = (Part::Hair, Along::Depth);
        check(
            Extra::Chain { root: bone(), name: "Fringe".to_owned(), part, along },
            "1,chain,hair_1,Fringe,hair,depth",
        );
        let colliders = vec!["Ball".to_owned(), " Box".to_owned()];
        check(Extra::Group { number: 2, name: String::new(), colliders }, "1,group,2,,Ball,\\u{20}Box");
        check(Extra::Groups { root: bone(), numbers: vec![2, 1] }, "1,groups,hair_1,2,1");
        check(Extra::Center { root: bone(), node: "Hips".to_owned() }, "1,center,hair_1,Hips");
        let swing = |shape| Extra::Swing { bone: bone(), limit: SwingLimit { shape, rotation: Quat::IDENTITY } };
        check(swing(SwingShape::Cone { angle: 0.5 }), "1,swing,hair_1,cone,0.5,0,0,0,1");
        check(swing(SwingShape::Spherical { pitch: 1.0, yaw: 0.5 }), "1,swing,hair_1,spherical,1,0.5,0,0,0,1");
        let curve = Curve::through(&[(0.0, 1.0), (1.0, 0.25)]);
        let value = |curve| Extra::Value { root: bone(), row: "radius".to_owned(), base: 2.0, curve };
        check(value(None), "1,value,hair_1,radius,2");
        check(value(curve), "1,value,hair_1,radius,2,linear,0,1,0,0,1,0.25,0,0");
        let lists = NamedExtras::DynamicBone(DynamicBoneSetup {
            reference: Some("Head".to_owned()),
            exclusions: vec![" a,\"b".to_owned()],
        });
        check(
            Extra::Lists(Box::new(ListCells { lists, mentions: Mentions::default(), only: None })),
            "1,lists,DynamicBone,{\"reference\":\"Head\",\"exclusions\":[\" a,\\\"b\"]}",
        );
        check(Extra::Material { root: bone(), name: "Soft hair".to_owned() }, "1,material,hair_1,Soft hair");
        let force = ForceCells {
            name: "Breeze".to_owned(),
            node: String::new(),
            parent: "Root".to_owned(),
            position: [1.0, 2.0, 3.0],
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: [1.0; 3],
            on: true,
            kind: ForceKind::ALL[1],
        };
        check(
            Extra::Force(Box::new(force)),
            "1,force,Breeze,,Root,1,2,3,0,0,0,1,1,1,1,True,WindVolume,0,100,1,1.5,1.5,0.2",
        );
    }

    #[test]
    fn rows_of_later_versions_and_edited_rows_say_what_is_wrong_and_keep_their_cells() {
        let row = |text: &str| extra_row(7, text.split(',').map(str::to_owned).collect());
        let later = row("2,system,gravity y,1");
        assert_eq!(
            later.cells.as_ref().expect_err("later").problems[0].to_string(),
            "version: \"2\" is not understood"
        );
        assert_eq!(later.cells.expect_err("later").cells.len(), 4);
        assert_eq!(row("1,colour,red").cells.expect_err("no kind").problems[0].column, "kind");
        assert_eq!(row("1,system,bounce,much").cells.expect_err("no number").problems[0].fault, Fault::NotANumber);
        assert!(row("").cells.is_err());
        let lists = |text: &str| extra_row(0, ["1", "lists", "KawaiiPhysics", text].map(str::to_owned).to_vec());
        assert!(lists("{\"base_bone\":\"Hips\"}").cells.is_ok());
        for (text, told) in [
            ("{", "lists: \"{\" is not understood"),
            ("{\"base_bone\":1}", "lists: \"/base_bone: 1 is not a name; left out\" is not understood"),
        ] {
            assert_eq!(lists(text).cells.expect_err("bad").problems[0].to_string(), told);
        }
    }
}
