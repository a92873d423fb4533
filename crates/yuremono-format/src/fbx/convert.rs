//! Loads an FBX with ufbx and converts its scene.

use super::builder::GltfBuilder;
use super::meshes::MeshConverter;
use super::nodes::FbxNodes;
use super::notes::Notes;
use super::{ConvertedFbx, MAX_MEMORY, materials, skins, takes};
use crate::source::SourceFile;
use crate::unity_assets::meta::MeshSettings;
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
    let mut scene = load(source.bytes, 1.0).map_err(whole)?;
    let scale = unity.scale(scene.settings.original_unit_meters);
    if (scale - 1.0).abs() > 1e-6 {
        scene = load(source.bytes, 1.0 / scale).map_err(whole)?;
        notes.info(message!("the .meta file beside it scales the model by {scale}, as in Unity", scale = scale as f32));
    }
    if unity.bake_axis_conversion {
        notes.info(message!(
            "the .meta file beside it bakes axes into bones in Unity; values in the frames of bones can differ here"
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
    materials::add(scene, source, gltf, notes);
    MeshConverter::new(&nodes, gltf, notes).add_all()?;
    takes::add(scene, &nodes, gltf, notes);
    skins::add_bind_pose(scene, &nodes, gltf, notes);
    Ok(())
}

/// Loads a file so that one unit of the scene has this length in metres.
fn load(bytes: &[u8], unit_metres: f64) -> Result<SceneRoot, MessageText> {
    let memory_limit = (BASE_MEMORY + MEMORY_PER_BYTE * bytes.len()).min(MAX_MEMORY);
    let memory = || AllocatorOpts { memory_limit, ..AllocatorOpts::default() };
    let options = LoadOpts {
        temp_allocator: memory(),
        result_allocator: memory(),
        node_depth_limit: MAX_DEPTH,
        target_axes: CoordinateAxes::right_handed_y_up(),
        target_unit_meters: unit_metres,
        space_conversion: SpaceConversion::ModifyGeometry,
        pivot_handling: PivotHandling::AdjustToPivot,
        geometry_transform_handling: GeometryTransformHandling::Preserve,
        inherit_mode_handling: InheritModeHandling::Compensate,
        handedness_conversion_axis: MirrorAxis::X,
        clean_skin_weights: true,
        generate_missing_normals: true,
        use_blender_pbr_material: true,
        ..LoadOpts::default()
    };
    ufbx::load_memory(bytes, options).map_err(|error| load_error(&error, bytes.len()))
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

/// Reports the oddities that the parser repaired and that can change what is seen.
fn report_warnings(scene: &SceneRoot, notes: &mut Notes<'_>) {
    for warning in &scene.metadata.warnings {
        let is_told = matches!(
            warning.type_,
            WarningType::TruncatedArray
                | WarningType::MissingGeometryData
                | WarningType::IndexClamped
                | WarningType::DuplicateObjectId
                | WarningType::BadElementConnectedToRoot
        );
        let text = excerpt(&warning.description);
        let is_new = !notes.found.iter().any(|found| found.message.to_string().contains(&*text));
        if is_told && is_new {
            notes.warn(message!("the file has a fault that was repaired: {text}", text));
        }
    }
}
