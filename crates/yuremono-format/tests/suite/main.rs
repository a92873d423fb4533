//! All tests in one binary, with one module per behaviour.

mod body_colliders;
mod csv;
mod csv_golden;
mod csv_round;
mod csv_scene;
mod csv_solvers;
mod exchange_export;
mod fbx;
mod fbx_truth;
mod frame_transfer;
mod gltf_splice;
mod joint_limits;
mod loader;
mod mirror;
mod preset_rest;
mod presets;
mod project;
mod remap_rigs;
mod repeated_export;
mod sample;
mod sample_tables;
mod unity_assets;
mod unity_truth;
mod vmd;
mod vrm_document;
mod vrm_golden;
mod vrm_limits;
mod vrm_migrate;
mod vrm_solver;
mod vrm_write;

use yuremono_test_support as support;
