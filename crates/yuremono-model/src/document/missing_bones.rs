//! Bones to which a document refers but which the character lacks.
//!
//! A [`BonePath`] identifies a bone across exports of a character. [`MissingBones`] gives each missing bone an id, so
//! values for the bone are kept until the bone or a replacement exists.

use crate::document::rest_frame::RestFrame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use yuremono_sim::rig::{BoneId, Skeleton};

/// The smallest id of a missing bone, above the ids of a character's bones.
const FIRST_MISSING_ID: u32 = 1 << 24;

/// Identifies a bone across exports of its character. In files `Hips/Spine/Head`; `~0` is `~` and `~1` is `/` in a
/// name, and `~n1` at the end is the second bone with this name and these ancestors.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub struct BonePath {
    /// Name of the bone.
    pub name: String,
    /// Names of the ancestors, the root first.
    pub ancestors: Vec<String>,
    /// Index among the bones with the same name and ancestors, in file order.
    pub sibling_index: usize,
}

impl From<BonePath> for String {
    fn from(path: BonePath) -> Self {
        let names = path.ancestors.iter().chain([&path.name]).map(|name| name.replace('~', "~0").replace('/', "~1"));
        let text = names.collect::<Vec<_>>().join("/");
        if path.sibling_index > 0 { format!("{text}~n{}", path.sibling_index) } else { text }
    }
}

impl From<String> for BonePath {
    fn from(text: String) -> Self {
        let twin = text.rsplit_once("~n").and_then(|(names, nth)| Some((names, nth.parse().ok()?)));
        let (names, nth) = twin.unwrap_or((&text, 0));
        let mut above: Vec<String> = names.split('/').map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
        let name = above.pop().unwrap_or_default();
        Self { name, ancestors: above, sibling_index: nth }
    }
}

/// Finds the bones of a skeleton by name and ancestors.
#[derive(Debug)]
pub struct BonePaths<'a> {
    skeleton: &'a Skeleton,
    /// Maps the parent's path id and a name to a path id. Siblings with the same name share a path id.
    path_ids: HashMap<(Option<usize>, &'a str), usize>,
    path_id_of_bone: Vec<usize>,
    bones_by_path_id: Vec<Vec<BoneId>>,
}

impl<'a> BonePaths<'a> {
    /// Collects the paths of a skeleton.
    pub fn of(skeleton: &'a Skeleton) -> Self {
        let mut paths = Self {
            skeleton,
            path_ids: HashMap::new(),
            path_id_of_bone: Vec::with_capacity(skeleton.len()),
            bones_by_path_id: Vec::new(),
        };
        for bone in skeleton.ids() {
            let above = skeleton.parent(bone).map(|parent| paths.path_id_of_bone[parent.index()]);
            let fresh = paths.bones_by_path_id.len();
            let path_id = *paths.path_ids.entry((above, skeleton.name(bone))).or_insert(fresh);
            if path_id == fresh {
                paths.bones_by_path_id.push(Vec::new());
            }
            paths.bones_by_path_id[path_id].push(bone);
            paths.path_id_of_bone.push(path_id);
        }
        paths
    }

    /// Returns the path of a bone.
    pub fn path_of(&self, bone: BoneId) -> BonePath {
        let mut above: Vec<_> = self.skeleton.ancestors(bone).map(|b| self.skeleton.name(b).to_owned()).collect();
        above.reverse();
        let twins = &self.bones_by_path_id[self.path_id_of_bone[bone.index()]];
        let nth = twins.binary_search(&bone).expect("a bone is one of its twins");
        BonePath { name: self.skeleton.name(bone).to_owned(), ancestors: above, sibling_index: nth }
    }

    fn find(&self, path: &BonePath) -> Option<BoneId> {
        let mut path_id = None;
        for name in path.ancestors.iter().chain([&path.name]) {
            path_id = Some(*self.path_ids.get(&(path_id, name.as_str()))?);
        }
        self.bones_by_path_id[path_id?].get(path.sibling_index).copied()
    }

    /// Finds bones by path, and then by unique name. Each bone is found at most once.
    pub fn match_paths(&self, paths: &[BonePath]) -> Vec<Option<FoundBone>> {
        let mut taken = BTreeSet::new();
        let by_path = |path| self.find(path).filter(|bone| taken.insert(*bone)).map(FoundBone::ByPath);
        let mut found: Vec<_> = paths.iter().map(by_path).collect();
        let mut unmatched: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, path) in paths.iter().enumerate().filter(|(at, _)| found[*at].is_none()) {
            unmatched.entry(&path.name).or_default().push(at);
        }
        for (name, at) in unmatched {
            if let ([at], [bone]) = (at.as_slice(), self.skeleton.find_all(name))
                && taken.insert(*bone)
            {
                found[*at] = Some(FoundBone::ByName(*bone));
            }
        }
        found
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBone {
    /// The bone has the same path.
    ByPath(BoneId),
    /// The bone has another path, but is the only bone with its name.
    ByName(BoneId),
}

impl FoundBone {
    pub const fn id(self) -> BoneId {
        match self {
            Self::ByPath(bone) | Self::ByName(bone) => bone,
        }
    }
}

/// Missing bones by their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MissingBones {
    paths: BTreeMap<BoneId, BonePath>,
    /// The rest frames for which the values of missing bones are, if known.
    rest_frames: BTreeMap<BoneId, RestFrame>,
}

impl MissingBones {
    /// Adds a missing bone and returns its new id.
    pub fn add(&mut self, path: BonePath) -> BoneId {
        let id = self.paths.last_key_value().map_or(BoneId(FIRST_MISSING_ID), |(id, _)| BoneId(id.0 + 1));
        self.paths.insert(id, path);
        id
    }

    /// Removes a missing bone, for example because it was found.
    pub fn remove(&mut self, bone: BoneId) {
        self.paths.remove(&bone);
        self.rest_frames.remove(&bone);
    }

    /// Keeps the rest frames of missing bones. `frame_of` returns the frame of a bone, if known.
    pub fn keep_rest_frames(&mut self, frame_of: impl Fn(&BonePath) -> Option<RestFrame>) {
        let known = self.paths.iter().filter_map(|(bone, path)| Some((*bone, frame_of(path)?)));
        self.rest_frames = known.collect();
    }

    /// Sets the rest frame of a missing bone.
    pub fn set_rest_frame(&mut self, bone: BoneId, frame: RestFrame) {
        self.rest_frames.insert(bone, frame);
    }

    /// Returns the rest frame for which the values of a missing bone are, if known.
    pub fn rest_frame(&self, bone: BoneId) -> Option<&RestFrame> {
        self.rest_frames.get(&bone)
    }

    /// Returns the path of a missing bone.
    pub fn path(&self, bone: BoneId) -> Option<&BonePath> {
        self.paths.get(&bone)
    }

    /// Returns all missing bones in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (BoneId, &BonePath)> {
        self.paths.iter().map(|(bone, path)| (*bone, path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::Bone;

    fn skeleton(bones: &[(&str, Option<u32>)]) -> Skeleton {
        let bone = |(name, parent): &(&str, Option<u32>)| Bone {
            name: (*name).to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::IDENTITY,
        };
        Skeleton::new(bones.iter().map(bone).collect()).expect("parents first")
    }

    #[test]
    fn every_bone_matches_itself_by_path() {
        let twins =
            skeleton(&[("a", None), ("b", Some(0)), ("b", Some(0)), ("c", Some(1)), ("c", Some(2)), ("", None)]);
        let paths = BonePaths::of(&twins);
        let known: Vec<_> = twins.ids().map(|bone| paths.path_of(bone)).collect();
        assert_eq!(known[4], BonePath { name: "c".into(), ancestors: vec!["a".into(), "b".into()], sibling_index: 1 });
        let expected: Vec<_> = twins.ids().map(|bone| Some(FoundBone::ByPath(bone))).collect();
        assert_eq!(paths.match_paths(&known), expected);
    }

    #[test]
    fn a_bone_matches_by_name_only_if_the_name_is_unique() {
        let before = skeleton(&[("a", None), ("b", Some(0)), ("c", Some(0)), ("c", Some(1))]);
        let paths = BonePaths::of(&before);
        let known: Vec<_> = before.ids().map(|bone| paths.path_of(bone)).collect();
        let after = skeleton(&[("b", None), ("c", Some(0))]);
        assert_eq!(BonePaths::of(&after).match_paths(&known), [None, Some(FoundBone::ByName(BoneId(0))), None, None]);
    }

    #[test]
    fn bone_paths_survive_a_text_round_trip() {
        let path = |names: &[&str], nth| BonePath {
            name: names[0].to_owned(),
            ancestors: names[1..].iter().map(|name| (*name).to_owned()).collect(),
            sibling_index: nth,
        };
        let text = |path: &BonePath| String::from(path.clone());
        assert_eq!(text(&path(&["Head", "Hips", "Spine"], 0)), "Hips/Spine/Head");
        assert_eq!(text(&path(&["a/b", "~1"], 2)), "~01/a~1b~n2");
        let names = ["", "/", "~", "~n1", "~0n1", "~01", "a/b~n", "髪"];
        for (a, b) in names.iter().flat_map(|a| names.iter().map(move |b| (*a, *b))) {
            for path in [path(&[a, b], 0), path(&[a], 0), path(&[a, b], 1), path(&[a], 12)] {
                assert_eq!(BonePath::from(text(&path)), path);
            }
        }
    }

    #[test]
    fn missing_bones_have_unique_ids() {
        let mut missing = MissingBones::default();
        let ids = [missing.add(BonePath::default()), missing.add(BonePath::default())];
        assert_ne!(ids[0], ids[1]);
        missing.remove(ids[0]);
        assert!(!ids.contains(&missing.add(BonePath::default())));
    }
}
