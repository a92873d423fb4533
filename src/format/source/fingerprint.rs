use super::read_limited;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

/// Identifies the contents of a file: equal bytes give equal fingerprints. Good for one run of the program, not for
/// files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// That of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// That of a file; `None` where the file cannot be read.
    pub fn of_file(path: &Path) -> Option<Self> {
        read_limited(path).ok().map(|bytes| Self::of(&bytes))
    }
}
