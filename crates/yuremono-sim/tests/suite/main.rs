//! All tests in one binary, with one module per behaviour.

mod anim_dynamics;
mod bone_golden;
mod chain_independence;
mod dynamic_bone;
mod dynamic_bone_golden;
mod ez_soft_bone;
mod ez_soft_bone_golden;
mod hinge;
mod hinge_golden;
mod joint_dynamics_golden;
mod kawaii;
mod kawaii_golden;
mod pbd_collisions;
mod pbd_golden;
mod pbd_spring_bone;
mod point_batches;
mod response_anim_dynamics;
mod response_dynamic_bone;
mod response_ez_soft_bone;
mod response_joint_dynamics;
mod response_kawaii;
mod response_pbd;
mod solver_contract;
mod spring_bone_golden;
mod spring_bone_improved;

use yuremono_test_support as support;
