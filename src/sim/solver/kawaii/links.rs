//! Set-up of links: constraints between points, those that the engine adds beside them, and the points along them.

use super::super::super::scene::WORLD;
use super::super::super::tidy::finite;
use super::build::{Builder, Kind, Link, Point, bare};
use super::{NONE, NOWHERE, row};
use crate::rig::BoneId;
use crate::sim::Compliance;

impl Builder<'_> {
    /// Constraints as links; after them those of ends and of points between, side by side, as the engine adds them.
    pub(super) fn add_links(&mut self) {
        let point_of = |bone: BoneId| self.point_of(bone.0);
        let (mut own, mut added) = (Vec::new(), Vec::new());
        for constraint in &self.setup.kawaii.constraints {
            let [Some(a), Some(b)] = constraint.bones.map(point_of) else { continue };
            let ends = [a, b];
            let compliance = constraint.compliance.map(Compliance::value);
            let length = constraint.length.map_or_else(|| self.apart(ends), finite);
            own.push((Link { ends, length, compliance }, constraint.subdivided));
            if self.number(row::AUTO_LINK_DUMMIES) < 0.5 {
                continue;
            }
            let [a, b] = ends.map(|end| self.companions(end));
            for ends in a.into_iter().zip(b).map(|(a, b)| [a, b]) {
                added.push((Link { ends, length: self.apart(ends), compliance: None }, constraint.subdivided));
            }
        }
        own.extend(added);
        self.subdivided = own.iter().map(|(_, subdivided)| *subdivided).collect();
        self.rest.links = own.into_iter().map(|(link, _)| link).collect();
    }

    pub(super) fn point_of(&self, bone: u32) -> Option<u32> {
        self.point_at.get(bone as usize).copied().filter(|at| *at != NONE)
    }

    fn apart(&self, [a, b]: [u32; 2]) -> f32 {
        self.rest.points[a as usize].rest.distance(self.rest.points[b as usize].rest)
    }

    /// The points between a bone and its first child, and a virtual end behind them.
    fn companions(&self, of: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut above = of;
        loop {
            let virtual_one = |at: &&u32| self.rest.points[**at as usize].bone == WORLD;
            let Some(next) = self.below[above as usize].iter().find(virtual_one) else { return found };
            found.push(*next);
            above = *next;
        }
    }

    /// Points along constraints whose ends leave a gap.
    pub(super) fn add_bridges(&mut self) {
        let count = self.number(row::BRIDGE_COUNT).trunc().clamp(0.0, 10.0) as u32;
        for (link, subdivided) in self.rest.links.clone().into_iter().zip(std::mem::take(&mut self.subdivided)) {
            let [a, b] = link.ends.map(|end| self.rest.points[end as usize].clone());
            let gap = self.radius(a.joints[0]) + self.radius(b.joints[0]);
            if !subdivided || self.apart(link.ends) <= gap.max(NOWHERE) {
                continue;
            }
            for i in 0..count {
                let share = (i + 1) as f32 / (count + 1) as f32;
                let kind = Kind::Bridge { ends: link.ends, share };
                let bridge = bare(kind, WORLD, a.joints[0], a.rest.lerp(b.rest, share));
                let joints = [a.joints[0], b.joints[0]];
                let rate = 0.5 * (a.rate + b.rate);
                let colliders = a.colliders;
                self.push(Point { joints, share: 0.5, rate, colliders, ..bridge });
            }
        }
    }
}
