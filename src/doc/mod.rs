//! Floor 3: what is authored.
//!
//! [`Document`] is everything that is saved and undone; it changes only through [`Document::apply`], which
//! returns the inverse of what it did. [`History`] keeps those inverses. [`tune`] turns what an artist asks for
//! ("this value on these chains") into edits. No egui, no solver state and no time live here.

pub mod beyond;
pub mod body;
mod chain;
pub mod components;
pub mod convert;
pub mod detect;
mod diff;
mod document;
mod edit;
mod export_options;
mod extras;
pub mod feel;
pub mod feel_terms;
pub mod groups;
mod history;
mod home;
pub mod hull;
pub mod import;
pub mod lengths;
mod lost;
pub mod material;
pub mod mirror;
pub mod names;
mod only;
pub mod parts;
pub mod paste;
pub mod pivot;
pub mod preset;
pub mod remap;
mod rename;
mod resolve;
mod setup;
pub mod skirt;
mod stance;
pub mod swing;
mod system;
pub mod table;
pub mod tidy;
pub mod tune;
mod underlay;
mod usual;

pub use beyond::Beyond;
pub use chain::{Along, Authored, Chain, ChainId, Joint, LengthTarget, Part, Tip};
pub use diff::difference;
pub use document::{
    Collider, ColliderGroup, ColliderId, Document, Force, ForceId, FreshIds, Gesture, GestureId, GestureSample,
    GroupId, Helper, HelperId, HelperRole, HighLeg, HighLegId, KeptRow, Node,
};
pub use edit::{Edit, EditError, Touched, Under};
pub use export_options::ExportOptions;
pub(crate) use extras::form;
pub use extras::{Course, Extras, EzExtras, NamedExtras, NetExtras, NetPoint, Side, SideCurve};
pub use history::{History, Label};
pub use lost::{BonePath, BonePaths, FoundBone, LostBones};
pub use material::{Material, MaterialId};
pub use pivot::Axis;
pub use rename::Rename;
pub use resolve::{JointRef, Resolved};
pub use setup::{ById, ByPath, FileNaming, InFiles, Naming, Setup};
pub use stance::{Stance, bone_under, tip_bone};
pub use system::{System, SystemId};
pub use table::BoneTable;
pub use underlay::{MOST_UNDER, Underlay, Underneath};
