//! Tests which meshes a file hides.

use super::{load, load_with_warning};
use crate::support::glb::GlbBuilder;
use serde_json::{Value, json};

/// A file with nodes that show one mesh each: a, its child b, and c. Node c shows the mesh of a.
fn three_meshes() -> GlbBuilder {
    let mut b = GlbBuilder::new();
    b.node_chain(&["a", "b"]);
    b.node_chain(&["c"]);
    let meshes = [b.triangle_mesh(), b.triangle_mesh()];
    for (node, mesh) in [meshes[0], meshes[1], meshes[0]].into_iter().enumerate() {
        b.json["nodes"][node]["mesh"] = json!(mesh);
    }
    b
}

fn shown(b: &GlbBuilder) -> Vec<bool> {
    load(b).character.mesh_visibility()
}

fn with_vrm(extension: &str, annotations: &Value) -> GlbBuilder {
    let mut b = three_meshes();
    b.json["extensions"] = json!({ extension: { "firstPerson": { "meshAnnotations": annotations } } });
    b
}

#[test]
fn meshes_for_the_first_person_only_are_hidden() {
    assert_eq!(shown(&three_meshes()), [true; 3]);
    let vrm1 = json!([
        { "node": 0, "type": "thirdPersonOnly" },
        { "node": 1, "type": "firstPersonOnly" },
        { "node": 2, "type": "both" },
    ]);
    assert_eq!(shown(&with_vrm("VRMC_vrm", &vrm1)), [true, false, true]);
    // VRM 0.x annotates meshes, and two nodes show this mesh.
    let vrm0 = json!([
        { "mesh": 0, "firstPersonFlag": "FirstPersonOnly" },
        { "mesh": 1, "firstPersonFlag": "ThirdPersonOnly" },
    ]);
    assert_eq!(shown(&with_vrm("VRM", &vrm0)), [false, true, false]);
    assert_eq!(shown(&with_vrm("VRM", &json!([{ "mesh": 0, "firstPersonFlag": "Auto" }]))), [true; 3]);
}

#[test]
fn a_bad_annotation_is_reported_and_hides_nothing() {
    let annotations = json!([
        { "node": 0, "type": "never" },
        { "node": 9, "type": "firstPersonOnly" },
        { "node": 1, "type": "firstPersonOnly" },
    ]);
    let at = "test.glb#/extensions/VRMC_vrm/firstPerson/meshAnnotations";
    let b = with_vrm("VRMC_vrm", &annotations);
    let found = load_with_warning(
        &b,
        &format!(
            "{at}/0/type: there is no first-person type \"never\"; auto, both, thirdPersonOnly or firstPersonOnly was expected; \
         the mesh is shown"
        ),
    );
    load_with_warning(&b, &format!("{at}/1/node: there is no node 9; the file has 3; the mesh is shown"));
    assert_eq!(found.character.mesh_visibility(), [true, false, true]);
}

#[test]
fn an_invisible_node_hides_its_descendants() {
    let mut b = three_meshes();
    b.json["extensionsUsed"] = json!(["KHR_node_visibility"]);
    b.json["extensionsRequired"] = json!(["KHR_node_visibility"]);
    b.json["nodes"][0]["extensions"] = json!({ "KHR_node_visibility": { "visible": false } });
    b.json["nodes"][2]["extensions"] = json!({ "KHR_node_visibility": { "visible": true } });
    assert_eq!(shown(&b), [false, false, true]);
    b.json["nodes"][0]["extensions"] = json!({ "KHR_node_visibility": {} });
    assert_eq!(shown(&b), [true; 3], "visible is the default");
}
