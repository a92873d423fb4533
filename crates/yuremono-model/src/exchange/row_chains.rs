//! Converts table rows to joints of chains, so that files can be compared without a skeleton.

use super::{FileEntry, SetupFile};
use crate::document::{ByName, Chain, ChainEntry, Joint, JointEntry, ReplacedProperties, SetupEntry, SystemId, Tip};
use std::collections::BTreeMap;

/// A bone in a system of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SystemAndBone {
    /// Index of the system.
    system: usize,
    /// Name of the bone.
    bone: String,
}

impl SetupFile {
    /// Adds a numbered chain for each joint without a chain. The joint gets the values of its details entry, and the
    /// chain gets the values of the chain entry with the same root. With one chain per joint, the result does not
    /// depend on the order of rows. If several rows have the same bone, the last row is used.
    #[must_use]
    pub fn with_row_chains(&self) -> Self {
        let mut rows = RowChainBuilder::from_file(self);
        let mut items: Vec<FileEntry> = Vec::with_capacity(self.entries.len());
        for (at, item) in self.entries.iter().enumerate() {
            match &item.content {
                Ok(SetupEntry::Joint(joint)) if joint.chain.is_none() => {
                    let key = SystemAndBone { system: item.system, bone: joint.joint.bone.clone() };
                    if rows.is_last_row(&key, at)
                        && let Some([chain, joint]) = rows.build_chain(&key)
                    {
                        items.push(FileEntry { content: Ok(chain), ..item.clone() });
                        items.push(FileEntry { content: Ok(joint), ..item.clone() });
                    } else if !rows.has_row(&key) {
                        items.push(item.clone());
                    }
                }
                Ok(SetupEntry::Chain(chain)) if rows.describes_row_chain(item.system, chain) => {}
                _ => items.push(item.clone()),
            }
        }
        Self { entries: items, ..self.clone() }
    }
}

struct RowChainBuilder {
    last_rows: BTreeMap<SystemAndBone, usize>,
    joints: BTreeMap<SystemAndBone, Joint<ByName>>,
    chains: BTreeMap<SystemAndBone, Chain<ByName>>,
    next_number: u32,
}

impl RowChainBuilder {
    fn from_file(file: &SetupFile) -> Self {
        let (last, joints, chains) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut rows = Self { last_rows: last, joints, chains, next_number: 0 };
        let good =
            || file.entries.iter().enumerate().filter_map(|(at, item)| Some((at, item, item.content.as_ref().ok()?)));
        for (at, item, entry) in good() {
            match entry {
                SetupEntry::Joint(JointEntry { scope, chain: None, joint })
                    if *scope != ReplacedProperties::Details =>
                {
                    let key = SystemAndBone { system: item.system, bone: joint.bone.clone() };
                    rows.joints.insert(key.clone(), joint.clone());
                    rows.last_rows.insert(key, at);
                }
                SetupEntry::Chain(ChainEntry { number: Some(number), .. }) => {
                    rows.next_number = rows.next_number.max(number.saturating_add(1));
                }
                SetupEntry::Chain(ChainEntry { root, number: None, chain }) => {
                    let key = SystemAndBone { system: item.system, bone: root.clone() };
                    rows.chains.insert(key, chain.clone());
                }
                _ => {}
            }
        }
        for (_, item, entry) in good() {
            if let SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Details, chain: None, joint }) = entry
                && let Some(row) = rows.joints.get_mut(&SystemAndBone { system: item.system, bone: joint.bone.clone() })
            {
                add_details(row, joint);
            }
        }
        rows
    }

    fn has_row(&self, key: &SystemAndBone) -> bool {
        self.last_rows.contains_key(key)
    }

    fn is_last_row(&self, key: &SystemAndBone, at: usize) -> bool {
        self.last_rows.get(key) == Some(&at)
    }

    fn describes_row_chain(&self, system: usize, item: &ChainEntry) -> bool {
        item.number.is_none() && self.has_row(&SystemAndBone { system, bone: item.root.clone() })
    }

    fn build_chain(&mut self, key: &SystemAndBone) -> Option<[SetupEntry; 2]> {
        let joint = self.joints.remove(key)?;
        let root = joint.bone.clone();
        let chain = self.chains.remove(key).unwrap_or_else(|| empty_chain(key));
        let number = Some(self.next_number);
        self.next_number = self.next_number.checked_add(1)?;
        let chain = SetupEntry::Chain(ChainEntry { root, number, chain });
        Some([chain, SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Full, chain: number, joint })])
    }
}

fn empty_chain(key: &SystemAndBone) -> Chain<ByName> {
    let system = SystemId(u32::try_from(key.system).unwrap_or_default());
    Chain { system, ..Chain::without_joints(&key.bone) }
}

/// Copies the values of `details` that differ from the defaults.
fn add_details(joint: &mut Joint<ByName>, details: &Joint<ByName>) {
    joint.overrides.extend(details.overrides.clone());
    if details.tip != Tip::Children {
        joint.tip = details.tip.clone();
    }
    for target in details.length_targets.iter().filter(|target| target.constant.is_some()) {
        if let Some(same) = joint.length_targets.iter_mut().find(|one| one.node == target.node) {
            same.constant = target.constant;
        }
    }
    joint.limit = details.limit.or(joint.limit);
    joint.enabled &= details.enabled;
    joint.animated |= details.animated;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::FileSection;
    use crate::exchange::test_format::test_format;
    use yuremono_sim::SolverKind;
    use yuremono_sim::math::JsonNumber;

    fn joint(scope: ReplacedProperties, bone: &str, radius: f32) -> FileEntry {
        let mut joint = Joint::<ByName>::new(bone.to_owned());
        joint.overrides.insert("radius".to_owned(), JsonNumber(radius));
        let section = if scope == ReplacedProperties::Details { FileSection::Other } else { FileSection::Joints };
        FileEntry::new(0, section, bone, SetupEntry::Joint(JointEntry { scope, chain: None, joint }))
    }

    #[test]
    fn each_bone_gets_one_chain_with_its_last_row_and_details() {
        let mut file = SetupFile::new(test_format(), SolverKind::default());
        file.entries =
            vec![joint(ReplacedProperties::TableRow, "a", 1.0), joint(ReplacedProperties::TableRow, "b", 2.0)];
        file.entries
            .extend([joint(ReplacedProperties::TableRow, "a", 3.0), joint(ReplacedProperties::Details, "b", 4.0)]);
        let found = file.with_row_chains();
        let roots = found.entries.iter().filter_map(|item| match &item.content {
            Ok(SetupEntry::Chain(chain)) => Some((chain.root.as_str(), chain.number)),
            _ => None,
        });
        assert_eq!(roots.collect::<Vec<_>>(), [("b", Some(0)), ("a", Some(1))]);
        let radii = found.entries.iter().filter_map(|item| match &item.content {
            Ok(SetupEntry::Joint(item)) => Some((item.chain, item.joint.overrides["radius"].0)),
            _ => None,
        });
        assert_eq!(radii.collect::<Vec<_>>(), [(Some(0), 4.0), (Some(1), 3.0)]);
        assert_eq!(found.with_row_chains(), found, "joints with chains stay unchanged");
    }
}
