//! Loads an FBX with ufbx and converts its scene.

use super::builder::GltfBuilder;
use super::meshes::MeshConverter;
use super::nodes::FbxNodes;
use super::notes::Notes;
use super::{ConvertedFbx, MAX_MEMORY, MeshSettings, materials, skins, takes};
use crate::source::SourceFile;
use ufbx::{
    AllocatorOpts, CoordinateAxes, ErrorType, GeometryTransformHandling, InheritModeHandling, LoadOpts, MirrorAxis,
    PivotHandling, SceneRoot, SpaceConversion, WarningType,
};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};

/// Maximum depth of a node.
const MAX_DEPTH: u32 = 512;
/// Memory that the parser may use for a file of any size, in bytes.
const BASE_MEMORY: usize = 64 << 20;
/// Memory that the parser may use for each byte of the file. Real files need about 5, because their arrays are compressed.
const MEMORY_PER_BYTE: usize = 24;

/// Converts an FBX to a GLB, as large as Unity imports it with these settings. The error names the fault, and what the
/// user can do.
pub(crate) fn to_glb(source: &SourceFile<'_>, unity: &MeshSettings) -> Result<ConvertedFbx, Vec<Diagnostic>> {
    let whole = |why: MessageText| vec![Diagnostic::error(Location::file(source.name), why)];
    let mut notes = Notes::new(source.name);
    let mut scale = 1.0;
    if *unity != MeshSettings::default() {
        let header = LoadOpts { ignore_all_content: true, ..load_options(source.bytes) };
        let header =
            ufbx::load_memory(source.bytes, header).map_err(|error| whole(load_error(&error, source.bytes.len())))?;
        scale = unity.scale(header.settings.original_unit_meters);
    }
    let options = LoadOpts { target_unit_meters: 1.0 / scale, ..load_options(source.bytes) };
    let scene =
        ufbx::load_memory(source.bytes, options).map_err(|error| whole(load_error(&error, source.bytes.len())))?;
    if (scale - 1.0).abs() > 1e-6 {
        notes.info(message!("the .meta file of the model scales it by {scale}, as in Unity", scale = scale as f32));
    }
    if unity.bake_axis_conversion {
        notes.info(message!(
            "the .meta file of the model bakes axes into bones in Unity; values in the frames of bones can differ here"
        ));
    }
    let mut gltf = GltfBuilder::default();
    convert_scene(&scene, source, &mut gltf, &mut notes).map_err(whole)?;
    let version = scene.metadata.version;
    let format_name = format!("FBX {}.{}", version / 1000, version / 100 % 10);
    // The scene is several times as large as the file.
    drop(scene);
    let glb = gltf.into_glb().ok_or_else(|| whole(message!("holds more than the 4 GiB that can be converted")))?;
    Ok(ConvertedFbx { glb, format_name, diagnostics: notes.found })
}

fn convert_scene(
    scene: &SceneRoot,
    source: &SourceFile<'_>,
    gltf: &mut GltfBuilder,
    notes: &mut Notes<'_>,
) -> Result<(), MessageText> {
    report_warnings(scene, notes);
    let nodes = FbxNodes::new(scene);
    gltf.nodes = nodes.to_json(notes);
    if gltf.nodes.iter().any(|node| node.get("extensions").is_some()) {
        gltf.extensions.insert("KHR_node_visibility");
    }
    materials::add(scene, source, gltf, notes);
    MeshConverter::new(&nodes, gltf, notes).add_all()?;
    takes::add(scene, &nodes, gltf, notes);
    skins::add_bind_pose(scene, &nodes, gltf, notes);
    Ok(())
}

/// Whether a file has takes and no mesh.
pub(crate) fn is_motion_only(bytes: &[u8]) -> bool {
    let options = LoadOpts { ignore_geometry: true, ignore_embedded: true, ..load_options(bytes) };
    ufbx::load_memory(bytes, options)
        .is_ok_and(|scene| !scene.anim_stacks.is_empty() && scene.nodes.iter().all(|node| node.mesh.is_none()))
}

fn load_options(bytes: &[u8]) -> LoadOpts<'static> {
    let memory_limit = (BASE_MEMORY + MEMORY_PER_BYTE * bytes.len()).min(MAX_MEMORY);
    let memory = || AllocatorOpts { memory_limit, ..AllocatorOpts::default() };
    LoadOpts {
        temp_allocator: memory(),
        result_allocator: memory(),
        node_depth_limit: MAX_DEPTH,
        target_axes: CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        space_conversion: SpaceConversion::ModifyGeometry,
        pivot_handling: PivotHandling::AdjustToPivot,
        geometry_transform_handling: GeometryTransformHandling::Preserve,
        inherit_mode_handling: InheritModeHandling::Compensate,
        handedness_conversion_axis: MirrorAxis::X,
        clean_skin_weights: true,
        generate_missing_normals: true,
        use_blender_pbr_material: true,
        ..LoadOpts::default()
    }
}

fn load_error(error: &ufbx::Error, length: usize) -> MessageText {
    match error.type_ {
        ErrorType::MemoryLimit => message!(
            "needs far more memory than an FBX of {length} bytes should; it may be damaged. Export it again",
            length
        ),
        ErrorType::NodeDepthLimit => {
            message!("has nodes more than {levels} levels deep; fewer were expected", levels = MAX_DEPTH)
        }
        ErrorType::UnsupportedVersion => {
            message!("is an FBX of an unknown version; export it as FBX 2013 or later")
        }
        _ => message!(
            "is an FBX that cannot be read: {error}. It has {length} bytes and may be cut short or damaged; export it again",
            error = excerpt(&error.description),
            length
        ),
    }
}

/// Reports the faults that the parser repaired and that can change what is seen, each kind once.
fn report_warnings(scene: &SceneRoot, notes: &mut Notes<'_>) {
    let mut reported = Vec::new();
    for warning in &scene.metadata.warnings {
        let text = match warning.type_ {
            WarningType::TruncatedArray | WarningType::MissingGeometryData => {
                message!("parts of the geometry are missing in the file")
            }
            WarningType::IndexClamped | WarningType::MissingPolygonMapping => {
                message!("numbers of vertices or materials are out of range, so parts of the surface can be wrong")
            }
            WarningType::DuplicateObjectId | WarningType::BadElementConnectedToRoot => {
                message!("several objects have the same number, so the hierarchy can be wrong")
            }
            WarningType::BadUnicode => {
                message!(
                    "some names are not UTF-8, so tables cannot find these bones; rename them, or export the file again"
                )
            }
            _ => continue,
        };
        if !reported.contains(&text) {
            reported.push(text);
        }
    }
    for text in reported {
        notes.warn(text);
    }
}
