//! Materials: base colour, emission, opacity, normal map, and which sides are drawn.

use super::builder::GltfBuilder;
use super::images::ImageFinder;
use super::nodes::finite_or;
use super::notes::Notes;
use crate::source::SourceFile;
use serde_json::{Value, json};
use std::collections::HashMap;
use ufbx::{Material, MaterialMap, SceneRoot, Texture, TextureType, WrapMode};
use yuremono_sim::diagnostics::{join_first_names, message};

const REPEAT: u32 = 10_497;
const CLAMP_TO_EDGE: u32 = 33_071;
const WEBP: &str = "EXT_texture_webp";
/// Texels below this alpha are not drawn.
const ALPHA_CUTOFF: f32 = 0.5;

/// Adds all materials in the order of their ids, and the images that they use.
pub(super) fn add(scene: &SceneRoot, source: &SourceFile<'_>, gltf: &mut GltfBuilder, notes: &mut Notes<'_>) {
    let mut converter = MaterialConverter { images: ImageFinder::new(source), textures: HashMap::new(), gltf };
    for material in &scene.materials {
        let json = converter.material(material);
        converter.gltf.materials.push(json);
    }
    let ImageFinder { missing, unreadable, .. } = converter.images;
    if !missing.is_empty() {
        let names = join_first_names(&missing);
        notes.warn(message!(
            "images are neither in the file nor next to it, nor in a folder \"textures\": {names}; their materials are drawn plain",
            names
        ));
    }
    if !unreadable.is_empty() {
        let names = join_first_names(&unreadable);
        notes.warn(message!(
            "images are neither PNG, JPEG nor WebP: {names}; put a .png of the same name next to them. Their materials are drawn plain",
            names
        ));
    }
}

struct MaterialConverter<'a> {
    images: ImageFinder<'a>,
    /// The glTF texture of each texture by id. `None` if its image was not found.
    textures: HashMap<u32, Option<usize>>,
    gltf: &'a mut GltfBuilder,
}

impl MaterialConverter<'_> {
    fn material(&mut self, material: &Material) -> Value {
        let base = self.texture(&material.pbr.base_color);
        // A texture replaces the colour.
        let [r, g, b] = match base {
            Some(_) => [1.0; 3],
            None => color(&material.pbr.base_color, &material.pbr.base_factor).unwrap_or([1.0; 3]),
        };
        let alpha = opacity(material);
        let mut surface = json!({ "baseColorFactor": [r, g, b, alpha], "metallicFactor": 0.0 });
        if let Some(base) = &base {
            surface["baseColorTexture"] = base.clone();
        }
        let mut json = json!({ "name": &*material.element.name, "pbrMetallicRoughness": surface });
        // glTF takes the opacity from the image of the base colour.
        let cutouts = [&material.pbr.opacity, &material.fbx.transparency_color];
        let has_cutout = base.is_some() && cutouts.into_iter().any(|map| self.texture(map) == base);
        if has_cutout {
            json["alphaMode"] = json!("MASK");
            json["alphaCutoff"] = json!(ALPHA_CUTOFF);
        } else if alpha < 1.0 {
            json["alphaMode"] = json!("BLEND");
        }
        if let Some(normal) = self.texture(&material.pbr.normal_map) {
            json["normalTexture"] = normal;
        }
        let (emission, factor) = (&material.pbr.emission_color, &material.pbr.emission_factor);
        if emission.texture.is_some() {
            // Without its image, the material would glow everywhere.
            if let Some(texture) = self.texture(emission) {
                let factor = if factor.has_value { finite_or(factor.value_vec4.x, 1.0).clamp(0.0, 1.0) } else { 1.0 };
                json["emissiveTexture"] = texture;
                json["emissiveFactor"] = json!([factor, factor, factor]);
            }
        } else if let Some(emission) = color(emission, factor).filter(|color| *color != [0.0; 3]) {
            json["emissiveFactor"] = json!(emission);
        }
        // Most exporters do not store which sides are visible, and a missing side is worse than an extra side.
        let sides = &material.features.double_sided;
        json["doubleSided"] = json!(sides.enabled || !sides.is_explicit);
        json
    }

    /// Returns the `textureInfo` of a map; `None` if the map has no texture, or if its image was not found.
    fn texture(&mut self, map: &MaterialMap) -> Option<Value> {
        let texture: &Texture = map.texture.as_ref().filter(|_| map.texture_enabled)?;
        // Only the lowest layer can be shown.
        let texture: &Texture = match texture.type_ {
            TextureType::Layered | TextureType::Shader => texture.file_textures.iter().next()?,
            _ => texture,
        };
        let id = texture.element.typed_id;
        let known = self.textures.get(&id).copied();
        let index = known.unwrap_or_else(|| self.add_texture(texture))?;
        let mut info = json!({ "index": index });
        let m = &texture.uv_to_texture;
        let is_turned = m.m01.abs().max(m.m10.abs()) > 1e-6;
        if texture.has_uv_transform && !is_turned {
            // FBX counts V from the bottom edge of the image, glTF from the top edge.
            let offset = [finite_or(m.m03, 0.0), 1.0 - finite_or(m.m11, 1.0) - finite_or(m.m13, 0.0)];
            let scale = [finite_or(m.m00, 1.0), finite_or(m.m11, 1.0)];
            self.gltf.extensions.insert("KHR_texture_transform");
            info["extensions"] = json!({ "KHR_texture_transform": { "offset": offset, "scale": scale } });
        }
        Some(info)
    }

    fn add_texture(&mut self, texture: &Texture) -> Option<usize> {
        let id = texture.element.typed_id;
        let Some(image) = self.images.find(texture, self.gltf) else {
            self.textures.insert(id, None);
            return None;
        };
        let wrap = |mode: WrapMode| if mode == WrapMode::Clamp { CLAMP_TO_EDGE } else { REPEAT };
        let sampler = json!({ "wrapS": wrap(texture.wrap_u), "wrapT": wrap(texture.wrap_v) });
        let known = self.gltf.samplers.iter().position(|known| *known == sampler);
        let sampler = known.unwrap_or_else(|| {
            self.gltf.samplers.push(sampler);
            self.gltf.samplers.len() - 1
        });
        self.textures.insert(id, Some(self.gltf.textures.len()));
        let mut json = json!({ "source": image, "sampler": sampler });
        if self.gltf.images[image]["mimeType"] == "image/webp" {
            self.gltf.extensions.insert(WEBP);
            json = json!({ "sampler": sampler, "extensions": { WEBP: { "source": image } } });
        }
        self.gltf.textures.push(json);
        Some(self.gltf.textures.len() - 1)
    }
}

/// The opacity of a material without regard to textures. Older materials have a transparency instead.
fn opacity(material: &Material) -> f32 {
    let opacity = &material.pbr.opacity;
    if opacity.texture.is_some() || material.fbx.transparency_color.texture.is_some() {
        return 1.0;
    }
    if opacity.has_value {
        return finite_or(opacity.value_vec4.x, 1.0).clamp(0.0, 1.0);
    }
    let transparency = color(&material.fbx.transparency_color, &material.fbx.transparency_factor);
    let transparency = transparency.map_or(0.0, |[r, g, b]| (r + g + b) / 3.0);
    // Some exporters write a factor of 1 for opaque materials.
    if transparency >= 1.0 { 1.0 } else { 1.0 - transparency }
}

/// The colour of a map times its factor; `None` if the file does not say it.
fn color(map: &MaterialMap, factor: &MaterialMap) -> Option<[f32; 3]> {
    let factor = if factor.has_value { finite_or(factor.value_vec4.x, 1.0) } else { 1.0 };
    let value = map.value_vec4;
    map.has_value.then(|| [value.x, value.y, value.z].map(|channel| (finite_or(channel, 0.0) * factor).clamp(0.0, 1.0)))
}
