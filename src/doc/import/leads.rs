//! Which bone or node each name of a file means. Rows of bones, of nodes and comment rows go by the same leads.

use super::names::Names;
use crate::doc::Node;
use crate::doc::remap::Leads;
use crate::doc::table::{BoneTable, Extra};
use crate::rig::{BoneId, Skeleton};
use std::collections::{BTreeMap, BTreeSet};

/// No lead at all: names mean what is called so.
static NO_LEADS: Leads = BTreeMap::new();

/// Finds bones and nodes by the names of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finder<'a> {
    leads: &'a Leads,
    skeleton: &'a Skeleton,
}

impl<'a> Finder<'a> {
    pub(super) fn new(leads: &'a Leads, skeleton: &'a Skeleton) -> Self {
        Self { leads, skeleton }
    }

    /// Letter by letter.
    pub(super) fn exact(skeleton: &'a Skeleton) -> Self {
        Self { leads: &NO_LEADS, skeleton }
    }

    pub(super) fn skeleton(&self) -> &'a Skeleton {
        self.skeleton
    }

    /// Where the lead goes, else the bone of exactly that name.
    pub(super) fn bone(&self, name: &str) -> Option<BoneId> {
        match self.leads.get(name) {
            Some(Some(bone)) if bone.index() < self.skeleton.len() => Some(*bone),
            Some(None) => None,
            _ => self.skeleton.find(name),
        }
    }

    /// As [`Finder::bone`], else the helper of exactly that name.
    pub(super) fn node(&self, name: &str, names: &Names<'_>) -> Option<Node> {
        self.bone(name).map(Node::Bone).or_else(|| names.helper(name))
    }
}

/// The names that a plan of names leads for tables: those of all joints and roots first, then those of nodes that other
/// rows speak of, unless the tables describe them or a bone is called just so. Each stands there once.
pub fn spoken(tables: &[BoneTable], skeleton: &Skeleton) -> Vec<String> {
    let mut known = BTreeSet::new();
    let mut all: Vec<String> = Vec::new();
    for table in tables {
        // Rows of bones come of trees where there are some, under the names of a skeleton.
        let rows = table.bones.iter().filter(|_| table.trees.is_empty()).map(|row| row.name.as_str());
        let joints = rows.chain(table.trees.iter().map(|tree| tree.root.as_str()));
        all.extend(joints.filter(|name| known.insert(*name)).map(str::to_owned));
    }
    let described: BTreeSet<&str> = tables.iter().flat_map(described).collect();
    let is_open = |name: &&str| !name.is_empty() && !described.contains(name) && skeleton.find(name).is_none();
    for table in tables {
        all.extend(others(table).into_iter().filter(is_open).filter(|name| known.insert(*name)).map(str::to_owned));
    }
    let open = listed(tables).filter(|name| is_open(&name.as_str()) && !known.contains(name.as_str()));
    let mut seen = BTreeSet::new();
    all.extend(open.filter(|name| seen.insert(name.clone())));
    all
}

/// Names of nodes that components' lists have, as often as they stand there.
fn listed(tables: &[BoneTable]) -> impl Iterator<Item = String> + '_ {
    let lists = tables.iter().flat_map(|table| &table.extras).filter_map(|row| match &row.cells {
        Ok(Extra::Lists(cells)) => Some(cells.lists.names()),
        _ => None,
    });
    lists.flatten()
}

/// Nodes that a table makes.
fn described(table: &BoneTable) -> impl Iterator<Item = &str> {
    let pivots = table.pivots.iter().map(|row| row.name.as_str());
    let colliders = table.colliders.iter().map(|row| row.name.as_str());
    pivots.chain(colliders).chain(table.nulls.iter().map(|row| row.name.as_str()))
}

/// Every name of a bone or node but those of joints, in the order of the sections.
fn others(table: &BoneTable) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for cells in table.bones.iter().filter(|_| table.trees.is_empty()).filter_map(|row| row.cells.as_ref().ok()) {
        all.push(&cells.pivot);
        all.extend(cells.length_targets.iter().map(|target| target.bone.as_str()));
    }
    all.extend(table.trees.iter().flat_map(|tree| tree.ends.iter().chain(&tree.excluded)).map(String::as_str));
    all.extend(table.pivots.iter().filter_map(|row| row.cells.as_ref().ok()).map(|cells| cells.parent.as_str()));
    all.extend(table.colliders.iter().filter_map(|row| row.cells.as_ref().ok()).map(|c| c.node.parent.as_str()));
    all.extend(table.nulls.iter().filter_map(|row| row.cells.as_ref().ok()).map(|cells| cells.parent.as_str()));
    for row in &table.components {
        let Ok(cells) = &row.cells else { continue };
        all.push(&row.name);
        all.push(&cells.hip);
        all.extend(cells.legs.iter().flatten().map(String::as_str));
    }
    all.extend(table.extras.iter().filter_map(|row| row.cells.as_ref().ok()).flat_map(|extra| extra.nodes()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Document;
    use crate::doc::table::{BoneCells, BoneRow, ExtraRow, NodeCells, NullRow};
    use crate::math::Trs;
    use crate::rig::Bone;
    use crate::schema::ParamSet;
    use crate::sim::SolverKind;

    fn skeleton() -> Skeleton {
        let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
        Skeleton::new(vec![bone("root", None), bone("hair", Some(BoneId(0)))]).expect("ordered")
    }

    #[test]
    fn joints_stand_first_and_what_is_here_or_described_needs_no_lead() {
        let solver = SolverKind::Vrm;
        let values = ParamSet::defaults(solver.info().params);
        let cells = BoneCells { values, pivot: String::new(), length_targets: Vec::new(), colliders: Vec::new() };
        let center = |node: &str| Extra::Center { root: "hair".to_owned(), node: node.to_owned() };
        let shelf = NodeCells { parent: "Neck".to_owned(), position: [0.0; 3], euler_deg: [0.0; 3], scale: [1.0; 3] };
        let table = BoneTable {
            extras: ["Head", "root", "Shelf"].map(|node| ExtraRow::from(center(node))).to_vec(),
            bones: vec![BoneRow::new("hair", cells.clone()), BoneRow::new("tail", cells)],
            nulls: vec![NullRow::new("Shelf", shelf)],
            ..BoneTable::new(solver)
        };
        assert_eq!(spoken(&[table.clone(), table], &skeleton()), ["hair", "tail", "Neck", "Head"]);
    }

    #[test]
    fn a_name_that_leads_nowhere_finds_no_bone_of_that_name() {
        let (skeleton, document) = (skeleton(), Document::default());
        let names = Names::of(&document, &skeleton);
        let leads = Leads::from([("hair".to_owned(), None), ("bang".to_owned(), Some(BoneId(1)))]);
        let finder = Finder::new(&leads, &skeleton);
        assert_eq!((finder.bone("hair"), finder.node("hair", &names)), (None, None));
        assert_eq!(finder.node("bang", &names), Some(Node::Bone(BoneId(1))));
        assert_eq!(finder.bone("root"), Some(BoneId(0)), "nobody leads it");
        assert_eq!(Finder::exact(&skeleton).bone("hair"), Some(BoneId(1)));
    }
}
