//! The setup of a character as a document, and pure functions over documents.
//!
//! [`document`] has the setup, its edits and their history. [`feel`] converts values between solvers. [`tools`] propose
//! and check setups. [`exchange`] compares, imports and exports setups by bone name. Nothing here opens files, draws or
//! reads a clock. The modules are layers: a module imports only those listed before it.

pub mod job;

pub mod document;

pub mod feel;

pub mod tools;

pub mod exchange;
