//! All tests in one binary, with one module per behaviour.

mod edits;
mod feel_params;
mod feel_response;
mod remap;
mod ring_down;
mod setup_tools;

use yuremono_test_support as support;
