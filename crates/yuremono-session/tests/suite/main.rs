//! All tests in one binary, with one module per behaviour.

mod commands;
mod comparison;
mod components;
mod materials;
mod motion_capture;
mod motion_fit;
mod motion_inputs;
mod node_constraints;
mod posing;
mod preset_curve_domain;
mod preset_session;
mod preview;
mod recent_motion;
mod ring;
mod session;
mod simulation_bounds;
mod skirt;

use yuremono_test_support as support;
