//! The lists on the other side of the change between glTF's space and that of tables.

use super::ComponentLists;
use crate::document::FlipAxis;
use crate::sim::{ConvexHull, SyncDirection};
use glam::Vec3;

impl<N, B, C> ComponentLists<N, B, C> {
    /// What they say in the other space; its own inverse. Corners of hulls and what a force field blows stand in the axes
    /// of a node, which are mirrored with it, and ways of a movement in those of the component.
    #[must_use]
    pub fn flipped(mut self, axis: FlipAxis) -> Self {
        match &mut self {
            Self::EzSoftBone(own) => {
                if let Some(field) = &mut own.force_field {
                    field.turbulence = axis.flip_point(field.turbulence);
                    field.force = axis.flip_point(Vec3::Z * field.force).z;
                }
                for hull in own.colliders.values_mut().filter_map(|extra| extra.hull.as_mut()) {
                    let points = hull.points().iter().map(|point| axis.flip_point(*point)).collect();
                    *hull = ConvexHull::new(points, hull.faces().to_vec());
                }
            }
            Self::Kawaii(own) => {
                for sync in &mut own.sync_bones {
                    let way = &mut sync.directions[axis.index()];
                    *way = match *way {
                        SyncDirection::Positive => SyncDirection::Negative,
                        SyncDirection::Negative => SyncDirection::Positive,
                        same => same,
                    };
                }
            }
            Self::None | Self::DynamicBone(_) | Self::JointDynamics(_) | Self::AnimDynamics(_) => {}
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Node;
    use crate::rig::BoneId;
    use crate::sim::{EzForceField, SolverKind, SyncBone};

    #[test]
    fn flipping_reverses_the_axis_and_flipping_twice_changes_nothing() {
        let node = Node::Bone(BoneId(0));
        for (axis, turbulence, force) in
            [(FlipAxis::X, Vec3::new(-1.0, 0.5, 2.0), 3.0), (FlipAxis::Z, Vec3::new(1.0, 0.5, -2.0), -3.0)]
        {
            let mut extras: ComponentLists = ComponentLists::for_solver(SolverKind::EzSoftBone);
            if let ComponentLists::EzSoftBone(own) = &mut extras {
                own.force_field = Some(EzForceField { force: 3.0, ..EzForceField::new(node) });
            }
            let ComponentLists::EzSoftBone(own) = extras.clone().flipped(axis) else { panic!("of one solver") };
            let field = own.force_field.as_ref().expect("it was set");
            assert_eq!((field.turbulence, field.force), (turbulence, force));
            assert_eq!(extras.clone().flipped(axis).flipped(axis), extras);
        }
        let mut extras: ComponentLists = ComponentLists::for_solver(SolverKind::KawaiiPhysics);
        if let ComponentLists::Kawaii(own) = &mut extras {
            let directions = [SyncDirection::Positive, SyncDirection::Negative, SyncDirection::Positive];
            own.sync_bones = vec![SyncBone { directions, ..SyncBone::new(node, Vec::new()) }];
        }
        let ComponentLists::Kawaii(own) = extras.flipped(FlipAxis::X) else { panic!("of one solver") };
        let turned = [SyncDirection::Negative, SyncDirection::Negative, SyncDirection::Positive];
        assert_eq!(own.sync_bones[0].directions, turned);
    }
}
