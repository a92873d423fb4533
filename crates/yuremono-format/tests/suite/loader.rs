//! Loads character files: small files from this test, and real and malformed files if the environment names their
//! folders.

mod compressed;
mod crosscheck;
mod springs;
mod toon;
mod visibility;

use crate::support::{self, glb::GlbBuilder};
use glam::Vec3;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Mutex;
use yuremono_format::gltf::{self, LoadedCharacter};
use yuremono_format::source::{Folder, SourceFile, no_siblings};
use yuremono_sim::diagnostics::{Diagnostic, Severity};
use yuremono_sim::rig::{AlphaMode, Image, Shading};

fn read_glb(bytes: &[u8]) -> Result<LoadedCharacter, Vec<Diagnostic>> {
    gltf::read(&SourceFile { name: "test.glb", bytes, read_sibling: &no_siblings }, &|_| true)
}

fn read_path(path: &Path) -> Result<LoadedCharacter, Vec<Diagnostic>> {
    let bytes = yuremono_format::source::read_limited(path).map_err(|d| vec![d])?;
    let folder = Folder::of(path).expect("a folder");
    let name = path.file_name().expect("a file").to_string_lossy();
    gltf::read(&SourceFile { name: &name, bytes: &bytes, read_sibling: &|name| folder.read(name) }, &|_| true)
}

#[track_caller]
fn load(builder: &GlbBuilder) -> LoadedCharacter {
    read_glb(&builder.glb()).expect("a character")
}

/// Checks that the file is rejected with exactly this first message.
#[track_caller]
fn check_rejected(builder: &GlbBuilder, expected: &str) {
    let reported = read_glb(&builder.glb()).expect_err("a refusal");
    assert_eq!(reported[0].severity, Severity::Error);
    assert_eq!(reported[0].to_string(), expected);
}

/// Checks that the file loads and that this diagnostic is among its diagnostics.
#[track_caller]
fn load_with_warning(builder: &GlbBuilder, expected: &str) -> LoadedCharacter {
    let loaded = load(builder);
    let reported: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert!(reported.iter().any(|s| s == expected), "{reported:#?}");
    loaded
}

fn set_at_pointer(value: &mut Value, pointer: &str, new: Value) {
    *value.pointer_mut(pointer).expect("the pointer exists") = new;
}

#[test]
fn bones_are_in_depth_first_order_with_scene_nodes_first() {
    let mut b = GlbBuilder::new();
    b.json["nodes"] = json!([
        { "name": "stray" },
        { "name": "hips", "children": [3, 2] },
        { "name": "spine" },
        { "name": "leg", "children": [4] },
        {},
    ]);
    b.json["scenes"] = json!([{ "nodes": [1] }]);
    let loaded = load(&b);
    assert_eq!(loaded.node_of_bone, [1, 3, 4, 2, 0]);
    let skeleton = loaded.character.skeleton;
    let names: Vec<_> = skeleton.bones().iter().map(|bone| bone.name.as_str()).collect();
    assert_eq!(names, ["hips", "leg", "node 4", "spine", "stray"]);
}

#[test]
fn a_matrix_becomes_translation_rotation_and_scale() {
    let mut b = GlbBuilder::new();
    let matrix = [0.0, 2.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0, 2.0, 3.0, 1.0];
    b.json["nodes"] = json!([{ "matrix": matrix }, { "matrix": vec![0; 16] }]);
    let loaded = load(&b);
    let rest = loaded.character.skeleton.bones()[0].rest;
    assert!((rest.rotation * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
    assert_eq!((rest.translation, rest.scale), (Vec3::new(1.0, 2.0, 3.0), Vec3::splat(2.0)));
    assert!(loaded.character.skeleton.bones().iter().all(|bone| bone.rest.is_finite()));
}

#[test]
fn invalid_hierarchies_are_rejected_with_their_location() {
    let mut b = GlbBuilder::new();
    b.json["nodes"] = json!([{ "children": [1] }, { "children": [0] }]);
    check_rejected(&b, "test.glb#/nodes: node 0 is its own ancestor, or a descendant of such a node");
    b.json["nodes"] = json!([{ "children": [0] }]);
    check_rejected(&b, "test.glb#/nodes/0/children: node 0 is its own child");
    b.json["nodes"] = json!([{ "children": [2] }, { "children": [2] }, {}]);
    check_rejected(&b, "test.glb#/nodes/1/children: node 2 has two parents, 0 and 1");
    b.json["nodes"] = json!([{ "children": [7] }]);
    check_rejected(&b, "test.glb#/nodes/0/children/0: there is no node 7; the file has 1");
    b.json["nodes"] = json!([{ "translation": [0, 1e300, 0] }]);
    check_rejected(&b, "test.glb#/nodes/0/translation/1: 1e+300 where a number was expected");
}

#[test]
fn a_very_deep_hierarchy_is_rejected_without_a_stack_overflow() {
    let mut b = GlbBuilder::new();
    let nodes: Vec<_> = (0..20_000).map(|i| json!({ "children": [i + 1] })).chain([json!({})]).collect();
    b.json["nodes"] = json!(nodes);
    check_rejected(&b, "test.glb#/nodes: node 2049 is more than 2048 levels deep");
    let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read_glb(text.as_bytes()).is_err());
    let text = format!("{{\"a\":{text}}}");
    let reported = read_glb(text.as_bytes()).expect_err("too deep")[0].to_string();
    assert!(reported.contains("recursion limit exceeded"), "{reported}");
}

#[test]
fn a_triangle_gets_normals_and_a_default_material() {
    let mut b = GlbBuilder::new();
    let mesh = b.triangle_mesh();
    b.push_json("nodes", json!({ "name": "floor", "mesh": mesh }));
    let character = load(&b).character;
    let part = &character.meshes[0].primitives[0];
    assert_eq!(character.meshes[0].name, "floor");
    assert_eq!(part.normals, [Vec3::Y; 3]);
    assert_eq!(part.indices, [0, 1, 2]);
    assert_eq!(part.uvs.len(), 3);
    assert_eq!(character.materials[part.material].name, "default");
}

#[test]
fn primitives_that_share_vertices_keep_only_the_ones_they_use() {
    let mut b = GlbBuilder::new();
    let xs: Vec<f32> = (0..6).flat_map(|i| [i as f32, (i % 2) as f32, 0.0]).collect();
    let position = b.floats("VEC3", &xs);
    let morph = b.floats("VEC3", &xs);
    let still = b.push_json("accessors", json!({ "componentType": 5126, "type": "VEC3", "count": 6 }));
    let parts: Vec<_> = [[0, 1, 2], [5, 3, 4]].map(|triangle| b.accessor("SCALAR", 5121, 3, &triangle)).into();
    let part = |indices| {
        json!({
            "attributes": { "POSITION": position }, "indices": indices,
            "targets": [{ "POSITION": morph }, { "POSITION": still }],
        })
    };
    b.push_json("meshes", json!({ "primitives": [part(parts[0]), part(parts[1])], "weights": [0.25, 0.5] }));
    b.push_json("nodes", json!({ "mesh": 0, "weights": [0.75] }));
    let mesh = load(&b).character.meshes.remove(0);
    let second = &mesh.primitives[1];
    assert_eq!(second.positions.iter().map(|p| p.x).collect::<Vec<_>>(), [3.0, 4.0, 5.0]);
    assert_eq!(second.indices, [2, 0, 1]);
    assert_eq!(second.morphs[0].positions, second.positions);
    assert!(second.morphs[1].positions.is_empty(), "nothing moves");
    assert_eq!(mesh.morph_weights, [0.75, 0.5]);
}

#[test]
fn quantized_strided_and_sparse_accessors_are_read() {
    let mut b = GlbBuilder::new();
    b.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    // Normalised 16-bit positions with a stride of eight bytes.
    let shorts: [i16; 12] = [0, 0, 0, 99, 32767, 0, -32768, 99, 0, 16384, 0, 99];
    let view = b.buffer_view(&shorts.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    b.json["bufferViews"][view]["byteStride"] = json!(8);
    let indices = b.buffer_view(&[2]);
    let values = b.buffer_view(&[0_i16, 32767, 0].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    b.push_json(
        "accessors",
        json!({
            "bufferView": view, "componentType": 5122, "normalized": true, "type": "VEC3", "count": 3,
            "sparse": {
                "count": 1,
                "indices": { "bufferView": indices, "componentType": 5121 },
                "values": { "bufferView": values },
            },
        }),
    );
    b.push_json("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] }));
    b.push_json("nodes", json!({ "mesh": 0 }));
    let character = load(&b).character;
    assert_eq!(character.meshes[0].primitives[0].positions, [Vec3::ZERO, Vec3::new(1.0, 0.0, -1.0), Vec3::Y],);
}

#[test]
fn ranges_beyond_the_buffer_are_rejected_with_their_sizes() {
    let mut b = GlbBuilder::new();
    b.triangle_mesh();
    let good = b.clone();
    set_at_pointer(&mut b.json, "/accessors/0/count", json!(4));
    check_rejected(
        &b,
        "test.glb#/accessors/0: 4 elements of 12 bytes from byte 0 reach beyond the 36 bytes of buffer view 0",
    );
    b = good.clone();
    set_at_pointer(&mut b.json, "/bufferViews/0/byteOffset", json!(u64::MAX));
    check_rejected(
        &b,
        "test.glb#/bufferViews/0: 36 bytes from byte 18446744073709551615 reach beyond the 36 bytes of buffer 0",
    );
    b = good;
    b.json["buffers"] = json!([{ "byteLength": u64::MAX }]);
    check_rejected(&b, "test.glb#/buffers/0/byteLength: 18446744073709551615 bytes are declared, but there are 36");
}

#[test]
fn unknown_gltf_enum_values_are_reported_with_the_valid_ones() {
    let mut b = GlbBuilder::new();
    b.triangle_mesh();
    for code in [5124, 5126 + (1_u64 << 32)] {
        set_at_pointer(&mut b.json, "/accessors/0/componentType", json!(code));
        let expected = "5120, 5121, 5122, 5123, 5125 or 5126 was expected";
        check_rejected(
            &b,
            &format!("test.glb#/accessors/0/componentType: there is no component type {code}; {expected}"),
        );
    }
    set_at_pointer(&mut b.json, "/accessors/0/componentType", json!(5126.0));
    load(&b);
    b.json["materials"] = json!([{ "alphaMode": "blend" }]);
    let expected = "test.glb#/materials/0/alphaMode: there is no mode \"blend\"; OPAQUE, MASK or BLEND was expected; the default is used";
    load_with_warning(&b, expected);
}

#[test]
fn a_small_file_cannot_allocate_terabytes() {
    let mut b = GlbBuilder::new();
    b.push_json("accessors", json!({ "componentType": 5126, "type": "VEC3", "count": 1_u64 << 52 }));
    b.push_json("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] }));
    b.push_json("nodes", json!({ "mesh": 0 }));
    let expected = "test.glb#/meshes/0/primitives/0: the file has more than 512 MiB of geometry, the maximum; this part of the mesh is left out";
    assert!(load_with_warning(&b, expected).character.meshes[0].primitives.is_empty());
}

#[test]
fn required_extensions_that_are_unknown_are_named() {
    let mut b = GlbBuilder::new();
    b.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression", "VRMC_vrm", "KHR_texture_basisu"]);
    check_rejected(
        &b,
        "test.glb#/extensionsRequired: requires KHR_draco_mesh_compression, KHR_texture_basisu, which is not supported. The tool \
         gltf-transform unpacks such files: gltf-transform copy IN.glb OUT.glb for meshes, gltf-transform ktxdecompress IN.glb \
         OUT.glb for images",
    );
}

#[test]
fn required_extensions_that_are_not_read_are_named() {
    let mut b = GlbBuilder::new();
    b.json["extensionsRequired"] = json!(["VRMC_node_constraint", "VRMC_new", "KHR_materials_clearcoat"]);
    let found: Vec<String> = load(&b).diagnostics.iter().map(ToString::to_string).collect();
    let expected = ["1: the file requires VRMC_new", "2: the file requires KHR_materials_clearcoat"]
        .map(|text| format!("test.glb#/extensionsRequired/{text}, which is not read; its effect is left out"));
    assert_eq!(found, expected);
}

#[test]
fn only_uris_inside_the_folder_reach_the_resolver() {
    let requested = Mutex::new(Vec::new());
    let sibling = |name: &str| {
        requested.lock().expect("not poisoned").push(name.to_owned());
        Ok(vec![0; 4])
    };
    for uri in ["../a.bin", "/etc/passwd", "file:///etc/passwd", "%2e%2e/a.bin", "C:/a.bin", "sub/a%20b.bin"] {
        let json = json!({ "asset": { "version": "2.0" }, "buffers": [{ "uri": uri, "byteLength": 4 }] }).to_string();
        let source = SourceFile { name: "test.gltf", bytes: json.as_bytes(), read_sibling: &sibling };
        assert_eq!(gltf::read(&source, &|_| true).is_ok(), uri.starts_with("sub"), "{uri}");
    }
    assert_eq!(requested.into_inner().expect("not poisoned"), ["sub/a b.bin"]);
}

#[test]
fn only_the_four_strongest_weights_are_kept_and_dropped_joints_are_reported() {
    let mut b = GlbBuilder::new();
    b.triangle_mesh();
    let joints: Vec<u8> = [[0, 1, 2, 3]; 3].concat();
    let more: Vec<u8> = [[4, 0, 0, 0]; 3].concat();
    let joints = [b.accessor("VEC4", 5121, 3, &joints), b.accessor("VEC4", 5121, 3, &more)];
    let weights = [[0.1, 0.2, 0.3, 0.4], [0.4, 0.0, 0.0, 0.0]].map(|row| b.floats("VEC4", &[row; 3].concat()));
    b.json["meshes"][0]["primitives"][0]["attributes"] = json!({
        "POSITION": 0, "JOINTS_0": joints[0], "WEIGHTS_0": weights[0], "JOINTS_1": joints[1], "WEIGHTS_1": weights[1],
    });
    b.node_chain(&["a", "b", "c", "d"]);
    b.push_json("skins", json!({ "joints": [0, 1, 2, 3] }));
    b.push_json("nodes", json!({ "mesh": 0, "skin": 0 }));
    let expected = "test.glb#/nodes/4/skin: 3 vertices of mesh \"node 4\" follow joints that skin 0 does not have; those weights are left out";
    let character = load_with_warning(&b, expected).character;
    let part = &character.meshes[0].primitives[0];
    assert!(part.joints.iter().flatten().all(|joint| *joint < 4));
    for weights in &part.weights {
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_vertex_without_weights_follows_its_first_joint() {
    let mut b = GlbBuilder::new();
    b.triangle_mesh();
    let joints = b.accessor("VEC4", 5121, 3, &[[2, 1, 0, 0], [2, 1, 0, 0], [1, 2, 0, 0]].concat());
    let weights = b.floats("VEC4", &[[0.0; 4], [0.0, 1.0, 0.0, 0.0], [0.0; 4]].concat());
    b.json["meshes"][0]["primitives"][0]["attributes"] =
        json!({ "POSITION": 0, "JOINTS_0": joints, "WEIGHTS_0": weights });
    b.node_chain(&["a", "b", "c"]);
    b.push_json("skins", json!({ "joints": [0, 1, 2] }));
    b.push_json("nodes", json!({ "mesh": 0, "skin": 0 }));
    let character = load(&b).character;
    let part = &character.meshes[0].primitives[0];
    let slot = |weights: &[f32; 4]| weights.iter().position(|weight| *weight == 1.0).expect("one joint");
    let followed: Vec<u16> =
        part.joints.iter().zip(&part.weights).map(|(joints, weights)| joints[slot(weights)]).collect();
    assert_eq!(followed, [2, 1, 1], "as in three.js");
}

/// Returns a PNG chunk.
fn png_chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(&name);
    crc.update(data);
    let length = u32::try_from(data.len()).expect("a short chunk");
    [&length.to_be_bytes(), &name[..], data, &crc.sum().to_be_bytes()].concat()
}

/// Returns a PNG of two pixels with additional chunks after its header.
fn png_with_chunks(chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut png = Vec::new();
    image::RgbaImage::from_pixel(2, 1, image::Rgba([9, 8, 7, 255]))
        .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
        .expect("encodes");
    // The signature has 8 bytes, and the header chunk has 25 bytes.
    png.splice(33..33, chunks.concat());
    png
}

/// Adds a triangle for each image, so that all images are visible.
fn with_visible_images(images: &[Value], mut builder: GlbBuilder) -> GlbBuilder {
    builder.json["images"] = json!(images);
    builder.json["textures"] = (0..images.len()).map(|n| json!({ "source": n })).collect();
    let material = |n: usize| json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": n } } });
    builder.json["materials"] = (0..images.len()).map(material).collect();
    let first = builder.triangle_mesh();
    let triangle = builder.json["meshes"][first]["primitives"][0].clone();
    let primitive = |n: usize| {
        let mut primitive = triangle.clone();
        primitive["material"] = json!(n);
        primitive
    };
    builder.json["meshes"][first]["primitives"] = (0..images.len()).map(primitive).collect();
    let node = builder.push_json("nodes", json!({ "name": "body", "mesh": first }));
    builder.json["scenes"] = json!([{ "nodes": [node] }]);
    builder
}

#[test]
fn png_profiles_and_texts_are_not_decompressed_and_the_pixels_are_read() {
    // The data is not compressed, so decompressing it would fail.
    let spoilt = |head: &[u8]| [head, &[0xff; 64][..]].concat();
    let mut b = GlbBuilder::new();
    let profiles = [
        png_chunk(*b"iCCP", &spoilt(b"profile\0\0")),
        png_chunk(*b"zTXt", &spoilt(b"Comment\0\0")),
        png_chunk(*b"iTXt", &spoilt(b"XML:com.adobe.xmp\0\x01\0\0\0")),
    ];
    let view = b.buffer_view(&png_with_chunks(&profiles));
    let loaded = load(&with_visible_images(&[json!({ "bufferView": view, "mimeType": "image/png" })], b));
    assert_eq!(loaded.diagnostics, []);
    assert_eq!(loaded.character.images[0].rgba, [9, 8, 7, 255, 9, 8, 7, 255]);
}

#[test]
fn images_of_the_same_bytes_are_decoded_once() {
    let mut b = GlbBuilder::new();
    let (good, bad) = (b.buffer_view(&png_with_chunks(&[])), b.buffer_view(b"not an image at all"));
    let view = |view: usize| json!({ "bufferView": view });
    let loaded = load(&with_visible_images(&[view(good), view(good), view(bad), view(good), view(bad)], b));
    let images = &loaded.character.images;
    assert!(std::sync::Arc::ptr_eq(&images[0], &images[1]) && std::sync::Arc::ptr_eq(&images[0], &images[3]));
    assert!(std::sync::Arc::ptr_eq(&images[2], &images[4]) && *images[2] == Image::checkerboard());
    assert_eq!(loaded.diagnostics.iter().filter(|d| d.to_string().contains("a chequer")).count(), 1);
}

#[test]
fn all_images_of_a_file_share_one_memory_budget() {
    // The images consist of headers only: 8192 × 8192 pixels with 16 bits per channel need 512 MiB each.
    let huge = |n: u8| {
        let header = [&8192_u32.to_be_bytes()[..], &8192_u32.to_be_bytes(), &[16, 6, 0, 0, 0]].concat();
        [b"\x89PNG\r\n\x1a\n".to_vec(), png_chunk(*b"IHDR", &header), png_chunk(*b"IDAT", &[n])].concat()
    };
    let mut b = GlbBuilder::new();
    let images: Vec<Value> =
        (0..10).map(|n| b.buffer_view(&huge(n))).map(|view| json!({ "bufferView": view })).collect();
    let loaded = load(&with_visible_images(&images, b));
    let over = |d: &&Diagnostic| d.to_string().contains("exceed the 4096 MiB of pixels");
    assert_eq!(loaded.diagnostics.iter().filter(over).count(), 2, "{:#?}", loaded.diagnostics);
}

#[test]
fn a_bad_image_becomes_a_placeholder_and_a_wrong_mime_type_is_reported() {
    let mut b = GlbBuilder::new();
    let mut png = Vec::new();
    image::RgbaImage::from_pixel(2, 1, image::Rgba([9, 8, 7, 255]))
        .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
        .expect("encodes");
    let (good, bad) = (b.buffer_view(&png), b.buffer_view(b"not an image at all"));
    b.json["images"] = json!([
        { "bufferView": bad, "mimeType": "image/png" },
        { "bufferView": good, "mimeType": "image/jpeg" },
        { "bufferView": bad, "mimeType": "image/png" },
    ]);
    b.json["textures"] = json!([{ "source": 0 }, { "source": 1 }, { "source": 2 }]);
    let material = |texture| json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": texture } } });
    b.json["materials"] = json!([material(1), material(0)]);
    load_with_warning(&b, "test.glb#/images/0: image 0: it is neither PNG, JPEG nor WebP; a chequerboard replaces it");
    let loaded = load_with_warning(
        &b,
        "test.glb#/images/1/mimeType: the image is declared as image/jpeg, but is image/png; its content decides",
    );
    let images = &loaded.character.images;
    assert_eq!(images.len(), 2, "images without a material are not decoded");
    assert_eq!(images[0].rgba, [9, 8, 7, 255, 9, 8, 7, 255]);
    assert_eq!(*images[1], Image::checkerboard());
}

#[test]
fn mtoon_materials_of_both_versions_are_read() {
    let mut b = GlbBuilder::new();
    b.json["materials"] = json!([
        { "extensions": { "VRMC_materials_mtoon": { "shadeColorFactor": [0.5, 0.25, 0.0], "shadingShiftFactor": -0.2 } } },
        { "name": "old" },
    ]);
    b.json["extensions"] = json!({ "VRM": { "materialProperties": [
        { "shader": "VRM_USE_GLTFSHADER" },
        {
            "shader": "VRM/MToon",
            "floatProperties": { "_ShadeToony": 1.0, "_ShadeShift": 0.0, "_BlendMode": 1, "_Cutoff": 0.3, "_CullMode": 0 },
            "vectorProperties": { "_Color": [1, 0.5, 0, 1], "_ShadeColor": [0, 1, 0, 1] },
        },
    ] } });
    let materials = load(&b).character.materials;
    let Shading::Toon(new) = &materials[0].shading else { panic!("{:?}", materials[0].shading) };
    assert_eq!((new.shade_color, new.shading_shift, new.shading_toony), ([0.5, 0.25, 0.0], -0.2, 0.9));
    let Shading::Toon(old) = &materials[1].shading else { panic!("{:?}", materials[1].shading) };
    assert_eq!((old.shade_color, old.shading_shift, old.shading_toony), ([0.0, 1.0, 0.0], 0.0, 1.0));
    assert!((materials[1].base_color[1] - 0.214_04).abs() < 1e-4, "sRGB is converted to linear");
    assert_eq!((materials[1].alpha, materials[1].double_sided), (AlphaMode::Mask(0.3), true));
}

#[test]
fn a_missing_emissive_texture_disables_emission() {
    let mut b = GlbBuilder::new();
    b.json["images"] = json!([{ "uri": "data:,none" }]);
    b.json["textures"] = json!([{ "source": 0 }]);
    let material = |texture: usize| {
        let strength = json!({ "KHR_materials_emissive_strength": { "emissiveStrength": 2 } });
        json!({ "emissiveFactor": [0.5, 0, 1], "emissiveTexture": { "index": texture }, "extensions": strength })
    };
    b.json["materials"] = json!([material(0), material(1)]);
    let expected =
        "test.glb#/materials/1/emissiveTexture/index: there is no texture 1; the file has 1; the texture is left out";
    let materials = load_with_warning(&b, expected).character.materials;
    assert_eq!((materials[0].emissive, materials[0].emissive_texture.map(|t| t.image)), ([1.0, 0.0, 2.0], Some(0)));
    assert_eq!((materials[1].emissive, materials[1].emissive_texture), ([0.0; 3], None));
}

#[test]
fn animations_are_read_and_invalid_channels_are_skipped() {
    let mut b = GlbBuilder::new();
    b.node_chain(&["a", "b"]);
    let times = b.floats("SCALAR", &[0.0, 1.5]);
    let backwards = b.floats("SCALAR", &[1.0, 0.5]);
    let values = b.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let channel = |sampler: usize, node: usize, path: &str| json!({ "sampler": sampler, "target": { "node": node, "path": path } });
    b.push_json("animations", json!({
        "samplers": [{ "input": times, "output": values }, { "input": backwards, "output": values }],
        "channels": [channel(0, 1, "translation"), channel(1, 0, "scale"), channel(0, 1, "weights"), channel(0, 9, "scale")],
    }));
    load_with_warning(
        &b,
        "test.glb#/animations/0/channels/3/target/node: there is no node 9; the file has 2; the channel is left out",
    );
    let loaded = load_with_warning(
        &b,
        "test.glb#/animations/0/samplers/1/input: key 1 is earlier than the key before it; the channel is left out",
    );
    let clip = &loaded.character.clips[0];
    assert_eq!((clip.name.as_str(), clip.duration, clip.channels.len()), ("Animation 1", 1.5, 1));
    assert_eq!(clip.channels[0].bone.0, 1);
}

#[test]
fn expressions_and_gaze_of_a_vrm_animation_are_not_movements_of_bones() {
    let mut b = GlbBuilder::new();
    b.node_chain(&["hips", "happy", "custom", "gaze"]);
    let times = b.floats("SCALAR", &[0.0, 1.5]);
    let values = b.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let channel = |node: usize| json!({ "sampler": 0, "target": { "node": node, "path": "translation" } });
    b.push_json(
        "animations",
        json!({
            "samplers": [{ "input": times, "output": values }],
            "channels": [channel(0), channel(1), channel(2), channel(3)],
        }),
    );
    b.json["extensions"] = json!({ "VRMC_vrm_animation": {
        "specVersion": "1.0",
        "humanoid": { "humanBones": { "hips": { "node": 0 } } },
        "expressions": { "preset": { "happy": { "node": 1 } }, "custom": { "wink": { "node": 2 } } },
        "lookAt": { "node": 3 },
    } });
    let message = "test.glb#/animations: expressions and gaze are ignored: happy, custom, gaze";
    let clips = load_with_warning(&b, message).character.clips;
    let moved: Vec<usize> = clips[0].channels.iter().map(|channel| channel.bone.index()).collect();
    assert_eq!(moved, [0]);
}

#[test]
fn cancelling_returns_an_error() {
    let bytes = GlbBuilder::new().glb();
    let source = SourceFile { name: "test.glb", bytes: &bytes, read_sibling: &no_siblings };
    let reported = gltf::read(&source, &|part| part < 0.5).expect_err("cancelled");
    assert_eq!(reported[0].to_string(), "test.glb: cancelled");
}

#[test]
fn truncated_or_damaged_files_do_not_panic() {
    let mut b = GlbBuilder::new();
    b.triangle_mesh();
    b.node_chain(&["a", "b", "c"]);
    b.push_json("nodes", json!({ "mesh": 0, "skin": 0 }));
    b.push_json("skins", json!({ "joints": [0, 1, 2] }));
    b.json["extensions"] = springs::spring_extension(&json!({}));
    let whole = b.glb();
    for end in 0..whole.len() {
        drop(read_glb(&whole[..end]));
    }
    for at in 0..whole.len() {
        for flip in [0x01, 0x10, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            drop(read_glb(&bytes));
        }
    }
}

#[test]
fn json_values_and_warnings_are_bounded() {
    let text = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"extras\":[{}0]}}", "0,".repeat(5 << 20));
    let reported = read_glb(text.as_bytes()).expect_err("too many parts")[0].to_string();
    assert_eq!(reported, "test.glb: the JSON of the file has 5242887 parts; at most 4194304 are read");

    let mut b = GlbBuilder::new();
    let long = "x".repeat(1000);
    b.json["nodes"] = json!([{ "name": long }]);
    load_with_warning(
        &b,
        "test.glb#/nodes/0/name: a name of 1000 bytes; at most 512 were expected; the node is named after its number",
    );

    let mut bytes = GlbBuilder::new().glb();
    bytes.extend([0; 8 * 1000]);
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    assert_eq!(read_glb(&bytes).expect("a character").diagnostics.len(), 1);
}

/// The numbers of bones, humanoid roles, vertices, images, clips, chains, joints and colliders.
const KNOWN_COUNTS: &[(&str, [usize; 8])] = &[
    ("CesiumMan.glb", [21, 17, 3273, 1, 1, 0, 0, 0]),
    ("Fox.glb", [26, 17, 1728, 1, 3, 0, 0, 0]),
    ("Godette_vrm_v4.vrm", [71, 45, 3109, 3, 0, 8, 16, 4]),
    ("RiggedFigure.glb", [22, 17, 370, 0, 1, 0, 0, 0]),
];

#[test]
fn sample_files_load_with_the_known_counts() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for path in support::files_below(&folder, &["gltf", "glb", "vrm", "vrma"]) {
        let loaded = read_path(&path).unwrap_or_else(|reported| panic!("{}: {}", path.display(), reported[0]));
        let c = &loaded.character;
        let springs = loaded.spring_bones.as_ref();
        let found = [
            c.skeleton.len(),
            c.humanoid.iter().count(),
            c.meshes.iter().flat_map(|m| &m.primitives).map(|p| p.positions.len()).sum(),
            c.images.len(),
            c.clips.len(),
            springs.map_or(0, |s| s.chains.len()),
            springs.map_or(0, |s| s.chains.iter().map(|c| c.joints.len()).sum()),
            springs.map_or(0, |s| s.colliders.len()),
        ];
        let name = path.file_name().expect("a file").to_string_lossy();
        println!("{name}: {}, {found:?}, {} said", c.format_name, loaded.diagnostics.len());
        if let Some((_, expected)) = KNOWN_COUNTS.iter().find(|(known, _)| *known == name) {
            assert_eq!(found, *expected, "{name}");
        }
        for reported in &loaded.diagnostics {
            println!("    {}: {reported}", reported.severity);
        }
    }
}

#[test]
fn every_corpus_file_loads_or_is_rejected() {
    let Some(folder) = support::folder_or_skip("YUREMONO_CORPUS") else { return };
    let mut counts = [[0; 3]; 2];
    for path in support::files_below(&folder, &["gltf", "glb", "vrm"]) {
        #[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
        let start = std::time::Instant::now();
        let outcome = read_path(&path);
        let seconds = start.elapsed().as_secs_f32();
        let (kind, reported) = match &outcome {
            Ok(loaded) if loaded.diagnostics.iter().all(|d| d.severity == Severity::Info) => {
                ("loaded", &loaded.diagnostics)
            }
            Ok(loaded) => ("warned", &loaded.diagnostics),
            Err(reported) => ("refused", reported),
        };
        let judged = validator_report(&path);
        if let Some((errors, _)) = judged {
            let column = ["loaded", "warned", "refused"].iter().position(|k| *k == kind).expect("one of three");
            counts[usize::from(errors > 0)][column] += 1;
        }
        let name = path.strip_prefix(&folder).expect("below").display().to_string();
        let theirs = judged.map_or(String::new(), |(n, code)| format!(" [{n} errors {code}]"));
        println!(
            "{kind}\t{seconds:.2}\t{name}{theirs}\t{}",
            reported.first().map_or(String::new(), ToString::to_string)
        );
    }
    println!("judged valid: loaded, warned, refused = {:?}; judged broken: {:?}", counts[0], counts[1]);
}

/// Returns the number of errors and the first error code in the validator report next to the file.
fn validator_report(path: &Path) -> Option<(u64, String)> {
    let mut name = path.as_os_str().to_owned();
    name.push(".report.json");
    let report: Value = serde_json::from_slice(&std::fs::read(name).ok()?).ok()?;
    let list = report["issues"]["messages"].as_array();
    let code = list.and_then(|m| m.iter().find(|m| m["severity"] == 0)).and_then(|m| m["code"].as_str());
    Some((report["issues"]["numErrors"].as_u64()?, code.unwrap_or_default().to_owned()))
}
