//! The network: which points are linked, in the order in which the engine goes through its links.

use super::{LinkTopology, NONE};
use crate::sim::LinkKind;

/// Points in columns; whom each one hangs on, and who hangs on it.
#[derive(Clone, Debug, Default)]
pub(super) struct PointGrid {
    pub(super) children: Vec<Vec<u32>>,
    pub(super) roots: Vec<u32>,
}

/// A link before it has a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkPair {
    pub(super) kind: LinkKind,
    pub(super) a: u32,
    pub(super) b: u32,
}

impl PointGrid {
    fn first_child(&self, point: u32) -> u32 {
        self.children.get(point as usize).and_then(|c| c.first().copied()).unwrap_or(NONE)
    }

    /// Columns so many places apart, round the ring where it is closed.
    fn column_pairs(&self, apart: usize, closed: bool) -> impl Iterator<Item = (u32, u32)> + '_ {
        let count = self.roots.len();
        let last = if closed { count } else { count.saturating_sub(apart) };
        (0..last).map(move |i| (self.roots[i], self.roots[(i + apart) % count])).filter(|(a, b)| a != b)
    }

    /// Every link of the kinds that are on, packed as the engine does it: bending before shear before structure, each
    /// into the first group where neither of its points stands yet, group after group.
    pub(super) fn links(&self, topology: &LinkTopology) -> Vec<LinkPair> {
        let on = |kind: LinkKind| topology.compute[kind as usize];
        let mut pairs = Vec::new();
        if on(LinkKind::BendingHorizontal) {
            let kind = LinkKind::BendingHorizontal;
            self.column_pairs(2, topology.closed).for_each(|(a, b)| self.add_horizontal_links(kind, a, b, &mut pairs));
        }
        if on(LinkKind::BendingVertical) {
            self.roots.iter().for_each(|root| self.add_vertical_bending_links(*root, &mut pairs));
        }
        if on(LinkKind::Shear) {
            self.column_pairs(1, topology.closed).for_each(|(a, b)| self.add_shear_links(a, b, &mut pairs));
        }
        if on(LinkKind::StructuralHorizontal) {
            let kind = LinkKind::StructuralHorizontal;
            self.column_pairs(1, topology.closed).for_each(|(a, b)| self.add_horizontal_links(kind, a, b, &mut pairs));
        }
        if on(LinkKind::StructuralVertical) {
            self.roots.iter().for_each(|root| self.add_vertical_links(*root, &mut pairs));
        }
        grouped_without_shared_points(&pairs, self.children.len())
    }

    /// Children at one depth of two columns; where one column is shorter, its last point with the other's next one.
    fn add_horizontal_links(&self, kind: LinkKind, mut a: u32, mut b: u32, pairs: &mut Vec<LinkPair>) {
        loop {
            let (below_a, below_b) = (self.first_child(a), self.first_child(b));
            match (below_a == NONE, below_b == NONE) {
                (true, true) => return,
                (false, true) => return pairs.push(LinkPair { kind, a: below_a, b }),
                (true, false) => return pairs.push(LinkPair { kind, a, b: below_b }),
                (false, false) => pairs.push(LinkPair { kind, a: below_a, b: below_b }),
            }
            (a, b) = (below_a, below_b);
        }
    }

    /// Diagonals between two columns.
    fn add_shear_links(&self, mut a: u32, mut b: u32, pairs: &mut Vec<LinkPair>) {
        let kind = LinkKind::Shear;
        while a != NONE && b != NONE {
            let (below_a, below_b) = (self.first_child(a), self.first_child(b));
            if below_a != NONE {
                pairs.push(LinkPair { kind, a: below_a, b });
            }
            if below_b != NONE {
                pairs.push(LinkPair { kind, a, b: below_b });
            }
            (a, b) = (below_a, below_b);
        }
    }

    /// Each point with its grandchild, as long as nothing branches.
    fn add_vertical_bending_links(&self, mut point: u32, pairs: &mut Vec<LinkPair>) {
        let only = |point: u32| match self.children[point as usize][..] {
            [child] => Some(child),
            _ => None,
        };
        while let Some(child) = only(point) {
            let Some(grandchild) = only(child) else { return };
            pairs.push(LinkPair { kind: LinkKind::BendingVertical, a: point, b: grandchild });
            point = child;
        }
    }

    /// Parents with children, each subtree before the next one.
    fn add_vertical_links(&self, root: u32, pairs: &mut Vec<LinkPair>) {
        let mut waiting: Vec<(u32, u32)> = self.children[root as usize].iter().rev().map(|c| (root, *c)).collect();
        while let Some((a, b)) = waiting.pop() {
            pairs.push(LinkPair { kind: LinkKind::StructuralVertical, a, b });
            waiting.extend(self.children[b as usize].iter().rev().map(|c| (b, *c)));
        }
    }

    /// Quads between neighbouring columns: a, b, the child of b, the child of a.
    pub(super) fn faces(&self, closed: bool) -> Vec<[u32; 4]> {
        let count = self.roots.len();
        let mut faces = Vec::new();
        for i in 0..if closed { count } else { count.saturating_sub(1) } {
            let (mut a, mut b) = (self.roots[i], self.roots[(i + 1) % count]);
            while a != b {
                let (below_a, below_b) = (self.first_child(a), self.first_child(b));
                if below_a == NONE || below_b == NONE {
                    break;
                }
                faces.push([a, b, below_b, below_a]);
                (a, b) = (below_a, below_b);
            }
        }
        faces
    }
}

/// Greedy groups without shared points, one after the other.
fn grouped_without_shared_points(pairs: &[LinkPair], points: usize) -> Vec<LinkPair> {
    let mut groups: Vec<(Vec<bool>, Vec<LinkPair>)> = Vec::new();
    for pair in pairs {
        let (a, b) = (pair.a as usize, pair.b as usize);
        let free = groups.iter().position(|(taken, _)| !taken[a] && !taken[b]);
        let at = free.unwrap_or_else(|| {
            groups.push((vec![false; points], Vec::new()));
            groups.len() - 1
        });
        let (taken, group) = &mut groups[at];
        (taken[a], taken[b]) = (true, true);
        group.push(*pair);
    }
    groups.into_iter().flat_map(|(_, group)| group).collect()
}
