//! The whole program: the bundled character shows her face, whatever was open before.

use super::support::glb::Builder;
use egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::json;
use std::time::Duration;
use yuremono::app::App;
use yuremono::rig::Facing;

/// A VRM 0.x file of a few bones; such characters look along -Z.
fn vrm0() -> Vec<u8> {
    let mut file = Builder::new();
    let mesh = file.triangle();
    file.chain(&["Hips", "Spine", "Head", "Hair", "HairEnd"]);
    file.push("nodes", json!({ "name": "Body", "mesh": mesh }));
    file.push("scenes", json!({ "nodes": [0, 5] }));
    file.json["extensionsUsed"] = json!(["VRM"]);
    let bones = [("hips", 0), ("spine", 1), ("head", 2)].map(|(bone, node)| json!({ "bone": bone, "node": node }));
    file.json["extensions"]["VRM"] = json!({
        "specVersion": "0.0",
        "humanoid": { "humanBones": bones },
        "secondaryAnimation": { "boneGroups": [], "colliderGroups": [] },
    });
    file.glb()
}

/// Where the eye is in front of (above 0) or behind the character.
fn eye(h: &Harness<'_, App>) -> f32 {
    h.state().session().playback().world().viewer().expect("a frame was drawn").z
}

#[test]
fn the_sample_shows_her_face_after_a_character_that_looks_the_other_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("old.vrm");
    std::fs::write(&path, vrm0()).expect("it can be written");
    let builder = Harness::builder().with_size(vec2(1440.0, 900.0));
    let mut h = builder.build_eframe(|cc| App::new(cc, Some(path)));
    for waited in 0.. {
        if h.state().session().character().facing == Facing::MinusZ {
            break;
        }
        assert!(waited < 4000, "the file was not opened: {:?}", h.state().session().messages());
        std::thread::sleep(Duration::from_millis(5));
        h.step();
    }
    h.run_steps(3);
    assert!(eye(&h) < -0.1, "the camera is in front of her, at -Z: {}", eye(&h));
    h.get_by_label("File").click();
    h.run_steps(3);
    h.get_by_label_contains("sample").click();
    h.run_steps(30);
    assert_eq!(h.state().session().character().facing, Facing::PlusZ);
    assert!(eye(&h) > 0.1, "the camera is in front of the sample: {}", eye(&h));
}
