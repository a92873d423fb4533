//! What is authored.
//!
//! [`Document`] is everything that is saved and undone; it changes only through [`Document::apply`], which
//! returns the inverse of what it did. [`History`] keeps those inverses. [`tune`] turns what an artist asks for
//! ("this value on these chains") into edits. No egui, no solver state and no time live here.

pub(crate) mod authored;
pub mod axis;
pub mod beyond;
pub(crate) mod chain;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod elements;
pub(crate) mod extras;
pub(crate) mod file_naming;
mod gesture_edits;
pub mod groups;
pub(crate) mod history;
pub(crate) mod home;
pub mod hull;
pub(crate) mod ids;
pub(crate) mod item;
pub(crate) mod lost;
pub mod material;
pub mod measure;
pub(crate) mod model;
pub mod names;
pub(crate) mod naming;
pub mod pivot;
pub(crate) mod rename;
pub(crate) mod resolve;
pub(crate) mod setup;
pub mod skirt;
pub(crate) mod stance;
pub(crate) mod system;
pub mod tune;
pub(crate) mod underlay;

pub use authored::Authored;
pub use axis::Axis;
pub use beyond::Beyond;
pub use chain::{Along, Chain, Joint, LengthTarget, Part, Tip};
pub use diff::difference;
pub use edit::{Edit, EditError, Touched, Under};
pub use elements::{Collider, ColliderGroup, Force, Gesture, GestureSample, Helper, HelperRole, HighLeg, Material};
pub use extras::{Course, Extras, EzExtras, NamedExtras, NetExtras, NetPoint, Side, SideCurve};
pub use file_naming::{ByName, ByPath, NodeRef};
pub use history::{History, Label};
pub use ids::{
    ChainId, ColliderId, ForceId, GestureId, GroupId, HelperId, HighLegId, JointRef, MaterialId, Node, SystemId,
};
pub use item::{ChainItem, JointItem, JointScope, Passthrough, SetupItem};
pub use lost::{BonePath, BonePaths, FoundBone, LostBones};
pub use model::Document;
pub use naming::{ById, FileNaming, InFiles, Naming};
pub use rename::{MapNodes, Rename};
pub use resolve::Resolved;
pub use setup::Setup;
pub use stance::{Stance, bone_under, tip_bone};
pub use system::System;
pub use underlay::{MOST_UNDER, Underlay, Underneath};
