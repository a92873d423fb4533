//! Short names for the setup formats.

use yuremono_format::{dynamic_bone_csv, ez_json, kawaii_json, setup_json, unity_csv};
use yuremono_model::exchange::SetupFormat;

pub const CSV: SetupFormat = &unity_csv::INFO;
pub const PARAMETERS: SetupFormat = &setup_json::INFO;
pub const DYNAMIC_BONE_CSV: SetupFormat = &dynamic_bone_csv::INFO;
pub const KAWAII_JSON: SetupFormat = &kawaii_json::INFO;
pub const EZ_JSON: SetupFormat = &ez_json::INFO;
