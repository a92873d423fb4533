//! Reads text files of Unity projects.

pub(crate) mod meta;
mod yaml;
