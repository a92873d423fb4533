//! The rows of a table as joints of chains, for a comparison without a skeleton.

use super::{FileItem, SetupFile};
use crate::document::{Along, ByName, Chain, ChainItem, Joint, JointItem, JointScope, Part, SetupItem, SystemId, Tip};
use std::collections::BTreeMap;

/// A system of the file and the name of a bone.
type Key = (usize, String);

impl SetupFile {
    /// The file with a numbered chain for each joint that belongs to no chain, with what other entries say of that joint
    /// and of the chain that starts with it. A chain for each joint does not depend on the order of the rows. Of several
    /// rows for one bone the last counts.
    #[must_use]
    pub fn with_row_chains(&self) -> Self {
        let mut rows = RowChains::of(self);
        let mut items: Vec<FileItem> = Vec::with_capacity(self.items.len());
        for (at, item) in self.items.iter().enumerate() {
            match &item.content {
                Ok(SetupItem::Joint(joint)) if joint.chain.is_none() => {
                    let key = (item.system, joint.joint.bone.clone());
                    if rows.is_last_row(&key, at)
                        && let Some([chain, joint]) = rows.take(&key)
                    {
                        items.push(FileItem { content: Ok(chain), ..item.clone() });
                        items.push(FileItem { content: Ok(joint), ..item.clone() });
                    } else if !rows.has_row(&key) {
                        items.push(item.clone());
                    }
                }
                Ok(SetupItem::Chain(chain)) if rows.describes(item.system, chain) => {}
                _ => items.push(item.clone()),
            }
        }
        Self { items, ..self.clone() }
    }
}

struct RowChains {
    /// Positions of the last rows.
    last: BTreeMap<Key, usize>,
    joints: BTreeMap<Key, Joint<ByName>>,
    chains: BTreeMap<Key, Chain<ByName>>,
    next_number: u32,
}

impl RowChains {
    fn of(file: &SetupFile) -> Self {
        let (last, joints, chains) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut rows = Self { last, joints, chains, next_number: 0 };
        let good =
            || file.items.iter().enumerate().filter_map(|(at, item)| Some((at, item, item.content.as_ref().ok()?)));
        for (at, item, entry) in good() {
            match entry {
                SetupItem::Joint(JointItem { scope, chain: None, joint }) if *scope != JointScope::Details => {
                    let key = (item.system, joint.bone.clone());
                    rows.joints.insert(key.clone(), joint.clone());
                    rows.last.insert(key, at);
                }
                SetupItem::Chain(ChainItem { number: Some(number), .. }) => {
                    rows.next_number = rows.next_number.max(number.saturating_add(1));
                }
                SetupItem::Chain(ChainItem { root, number: None, chain }) => {
                    rows.chains.insert((item.system, root.clone()), chain.clone());
                }
                _ => {}
            }
        }
        for (_, item, entry) in good() {
            if let SetupItem::Joint(JointItem { scope: JointScope::Details, chain: None, joint }) = entry
                && let Some(row) = rows.joints.get_mut(&(item.system, joint.bone.clone()))
            {
                add_details(row, joint);
            }
        }
        rows
    }

    fn has_row(&self, key: &Key) -> bool {
        self.last.contains_key(key)
    }

    fn is_last_row(&self, key: &Key, at: usize) -> bool {
        self.last.get(key) == Some(&at)
    }

    /// Whether a chain entry is that of a row's chain.
    fn describes(&self, system: usize, item: &ChainItem) -> bool {
        item.number.is_none() && self.has_row(&(system, item.root.clone()))
    }

    /// The chain of a row and its joint.
    fn take(&mut self, key: &Key) -> Option<[SetupItem; 2]> {
        let joint = self.joints.remove(key)?;
        let root = joint.bone.clone();
        let chain = self.chains.remove(key).unwrap_or_else(|| empty_chain(key));
        let number = Some(self.next_number);
        self.next_number = self.next_number.checked_add(1)?;
        let chain = SetupItem::Chain(ChainItem { root, number, chain });
        Some([chain, SetupItem::Joint(JointItem { scope: JointScope::Whole, chain: number, joint })])
    }
}

fn empty_chain((system, bone): &Key) -> Chain<ByName> {
    Chain {
        name: bone.clone(),
        part: Part::default(),
        system: SystemId(u32::try_from(*system).unwrap_or_default()),
        along: Along::default(),
        values: BTreeMap::new(),
        material: None,
        joints: Vec::new(),
        groups: Vec::new(),
        center: None,
        source: None,
    }
}

/// Sets what is not at its default in `details`.
fn add_details(joint: &mut Joint<ByName>, details: &Joint<ByName>) {
    joint.own.extend(details.own.clone());
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
    use crate::exchange::Section;
    use crate::exchange::TableFormat;
    use crate::math::Number;
    use crate::sim::SolverKind;

    fn joint(scope: JointScope, bone: &str, radius: f32) -> FileItem {
        let mut joint = Joint::<ByName>::new(bone.to_owned());
        joint.own.insert("radius".to_owned(), Number(radius));
        let section = if scope == JointScope::Details { Section::Other } else { Section::Joints };
        FileItem::new(0, section, bone, SetupItem::Joint(JointItem { scope, chain: None, joint }))
    }

    #[test]
    fn each_bone_has_one_chain_with_its_last_row_and_its_details() {
        let mut file = SetupFile::new(TableFormat::Csv, SolverKind::default());
        file.items = vec![joint(JointScope::Row, "a", 1.0), joint(JointScope::Row, "b", 2.0)];
        file.items.extend([joint(JointScope::Row, "a", 3.0), joint(JointScope::Details, "b", 4.0)]);
        let found = file.with_row_chains();
        let roots = found.items.iter().filter_map(|item| match &item.content {
            Ok(SetupItem::Chain(chain)) => Some((chain.root.as_str(), chain.number)),
            _ => None,
        });
        assert_eq!(roots.collect::<Vec<_>>(), [("b", Some(0)), ("a", Some(1))]);
        let radii = found.items.iter().filter_map(|item| match &item.content {
            Ok(SetupItem::Joint(item)) => Some((item.chain, item.joint.own["radius"].0)),
            _ => None,
        });
        assert_eq!(radii.collect::<Vec<_>>(), [(Some(0), 4.0), (Some(1), 3.0)]);
        assert_eq!(found.with_row_chains(), found, "joints with chains stay");
    }
}
