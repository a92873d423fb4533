//! Runs the complete program and tests that opening the bundled character shows its face, regardless of the previous
//! character.

use super::support::glb::GlbBuilder;
use egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::json;
use std::time::Duration;
use yuremono::app::App;
use yuremono_sim::rig::Facing;

/// Returns a VRM 0.x file with a few bones. VRM 0.x characters face -Z.
fn vrm0_file() -> Vec<u8> {
    let mut file = GlbBuilder::new();
    let mesh = file.triangle_mesh();
    file.node_chain(&["Hips", "Spine", "Head", "Hair", "HairEnd"]);
    file.push_json("nodes", json!({ "name": "Body", "mesh": mesh }));
    file.push_json("scenes", json!({ "nodes": [0, 5] }));
    file.json["extensionsUsed"] = json!(["VRM"]);
    let bones = [("hips", 0), ("spine", 1), ("head", 2)].map(|(bone, node)| json!({ "bone": bone, "node": node }));
    file.json["extensions"]["VRM"] = json!({
        "specVersion": "0.0",
        "humanoid": { "humanBones": bones },
        "secondaryAnimation": { "boneGroups": [], "colliderGroups": [] },
    });
    file.glb()
}

/// Returns the Z position of the camera: positive in front of a character that faces +Z, negative behind.
fn camera_z(h: &Harness<'_, App>) -> f32 {
    h.state().session().playback().world().viewer().expect("a frame was drawn").z
}

#[test]
fn the_sample_faces_the_camera_after_a_character_that_faced_the_other_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("old.vrm");
    std::fs::write(&path, vrm0_file()).expect("it can be written");
    let builder = Harness::builder().with_size(vec2(1440.0, 900.0));
    let mut h = builder.build_eframe(|cc| App::new(cc, Some(path), None));
    for waited in 0.. {
        if h.state().session().character().facing == Facing::MinusZ {
            break;
        }
        assert!(waited < 4000, "the file was not opened: {:?}", h.state().session().messages());
        std::thread::sleep(Duration::from_millis(5));
        h.step();
    }
    h.run_steps(3);
    assert!(camera_z(&h) < -0.1, "the camera is in front of the character: {}", camera_z(&h));
    h.get_by_label("File").click();
    h.run_steps(3);
    h.get_by_label_contains("sample").click();
    h.run_steps(30);
    assert_eq!(h.state().session().character().facing, Facing::PlusZ);
    assert!(camera_z(&h) > 0.1, "the camera is in front of the sample: {}", camera_z(&h));
}
