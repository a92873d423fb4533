//! The settings with which Unity imports a model.

/// How Unity scales and turns a model. The default is that of a new import.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MeshSettings {
    pub(crate) global_scale: f64,
    /// Whether the unit of the file counts. Otherwise one unit of the file is one metre.
    pub(crate) use_file_scale: bool,
    /// Whether the axes of the file are baked into meshes and bones.
    pub(crate) bake_axis_conversion: bool,
}

impl Default for MeshSettings {
    fn default() -> Self {
        Self { global_scale: 1.0, use_file_scale: true, bake_axis_conversion: false }
    }
}

impl MeshSettings {
    /// Returns by how much Unity scales a model whose units have this length in metres, compared with its real size.
    pub(crate) fn scale(&self, unit_metres: f64) -> f64 {
        let scale = if self.use_file_scale { self.global_scale } else { self.global_scale / unit_metres };
        if scale.is_finite() && scale > 0.0 { scale } else { 1.0 }
    }
}
