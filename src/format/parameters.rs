//! Yuremono's own JSON of setups: every parameter of every solver by bone name, versioned, with a published schema.
//!
//! `{"format": "yuremono-parameters", "version": 1, "mirror": "x", "systems": […]}`. Each system says its solver, what
//! its component is called and sits on, its values of the whole character, and its chains with a value for every parameter of every joint; then pivots,
//! colliders and nodes by name. `extras` are what the component knows beyond numbers, as a project has them but by name:
//! single nodes, lists of nodes, pairs, sync bones, points by the bones of their joints, and what is added to colliders by
//! the names of these. Where a system has them, all of its lists are as they say; one without them leaves lists alone.
//! What else is authored beyond values stands in `comments`, as in the comment rows of a CSV.
//! Positions and turns are in the space that tables have: Unity's, left-handed, Y up, metres and degrees; `mirror` says
//! which axis changes sign on the way to glTF's. Infinite numbers are the texts `Infinity` and `-Infinity`.
//!
//! In memory it is the same [`BoneTable`] as a CSV, and cells are understood by the same code.

mod read;
mod schema;
mod write;

pub use read::read;
pub use schema::schema;
pub use write::write;

use crate::doc::BoneTable;

/// What its files call their format.
pub const NAME: &str = "yuremono-parameters";
/// The version that is written.
pub const VERSION: u64 = 1;
/// Where the schema says that it lies.
pub const SCHEMA_FILE: &str = "yuremono-parameters-1.schema.json";

/// Fields of a joint beside its values.
const JOINT: [&str; 6] = ["bone", "values", "pivot", "length_targets", "colliders", "cells"];
/// Fields of a chain.
const CHAIN: [&str; 5] = ["name", "part", "along", "values", "joints"];
/// Fields of a system.
const SYSTEM: [&str; 13] = [
    "solver",
    "name",
    "sits_on",
    "values",
    "chains",
    "joints",
    "pivots",
    "colliders",
    "nulls",
    "components",
    "extras",
    "comments",
    "sections",
];
/// What the curves of a chain may run over.
const ALONG: [&str; 2] = ["length", "depth"];

/// A table that holds nothing, as one that was read from such a file.
fn empty(solver: crate::sim::SolverKind) -> BoneTable {
    let mut table = BoneTable::new(solver);
    table.source.format = crate::doc::table::TableFormat::Parameters;
    table
}
