use super::gl;
use super::shader_variant::{ShaderFeature, ShaderVariant};
use super::uv_transform::{UvRows, animation_matrix};
use glam::{Vec2, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;
use three_d::{Context, Texture2D};
use yuremono_sim::rig::{
    AlphaMode, BlendOrder, Character, Image, Material, OutlineWidth, Shading, TextureRef, ToonOutline, ToonShading,
    UvAnimation,
};

/// Whether the texels of an image are colours or numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TexelKind {
    /// Encoded in sRGB.
    Color,
    /// Linear values.
    Data,
}

/// The names of the uniforms of a texture: its sampler, and both rows of its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextureUniforms {
    pub(super) sampler: &'static str,
    pub(super) uv_x: &'static str,
    pub(super) uv_y: &'static str,
}

macro_rules! texture_uniforms {
    ($($name:ident $prefix:literal)+) => {
        impl TextureUniforms {
            $(const $name: Self = Self {
                sampler: concat!($prefix, "Texture"),
                uv_x: concat!($prefix, "UvX"),
                uv_y: concat!($prefix, "UvY"),
            };)+
        }
    };
}

texture_uniforms! {
    BASE "base"
    SHADE "shade"
    SHIFT "shift"
    NORMAL "normal"
    EMISSION "emission"
    RIM "rim"
    MATCAP "matcap"
    OUTLINE "outline"
    UV_MASK "uvMask"
}

/// A texture of a material, and the rows of its coordinates.
pub(super) struct GpuTexture {
    pub(super) uniforms: TextureUniforms,
    pub(super) texture: Arc<Texture2D>,
    rows: UvRows,
    /// Whether the animation of the coordinates moves the texture.
    is_animated: bool,
}

/// The uniforms of a material.
pub(super) struct GpuMaterial {
    /// The features of the surface that do not depend on the primitive.
    variant: ShaderVariant,
    pub(super) textures: Vec<GpuTexture>,
    pub(super) base_color: [f32; 4],
    pub(super) emissive: Vec3,
    pub(super) alpha: AlphaMode,
    pub(super) blend_order: BlendOrder,
    pub(super) double_sided: bool,
    pub(super) toon: Option<ToonShading>,
    pub(super) normal_scale: f32,
}

impl GpuMaterial {
    /// Returns the variant of the surface, for a primitive with these features.
    pub(super) fn surface_variant(&self, is_skinned: bool, has_colors: bool) -> ShaderVariant {
        // MToon ignores vertex colours.
        let has_colors = has_colors && self.toon.is_none();
        self.variant.with(ShaderFeature::Skinned, is_skinned).with(ShaderFeature::VertexColors, has_colors)
    }

    /// Returns the variant of the outline, or `None` without an outline.
    pub(super) fn outline_variant(&self, is_skinned: bool) -> Option<ShaderVariant> {
        let outline = self.outline()?;
        let keep = |feature: ShaderFeature, on: bool| (feature, on && self.variant.has(feature));
        let is_cut = self.variant.has(ShaderFeature::CutOut);
        // A line with its own colour needs no shading.
        let variant = if outline.lighting_mix > 0.0 {
            self.variant
        } else {
            ShaderVariant::of(&[
                keep(ShaderFeature::CutOut, true),
                keep(ShaderFeature::BaseTexture, is_cut),
                keep(ShaderFeature::UvPerTexture, is_cut),
                keep(ShaderFeature::UvMask, is_cut),
            ])
        };
        let variant = variant.with(ShaderFeature::Outline, true).with(ShaderFeature::Skinned, is_skinned);
        Some(variant.with(ShaderFeature::OutlineTexture, outline.width_texture.is_some()))
    }

    /// Returns the variant of a ghost, which needs only the shape of the surface.
    pub(super) fn ghost_variant(&self, is_skinned: bool) -> ShaderVariant {
        let is_cut = self.variant.has(ShaderFeature::CutOut);
        let keep = |feature: ShaderFeature| (feature, is_cut && self.variant.has(feature));
        let shape = [ShaderFeature::CutOut, ShaderFeature::BaseTexture, ShaderFeature::UvPerTexture];
        let shape = [shape.map(keep).as_slice(), &[keep(ShaderFeature::UvMask)]].concat();
        let variant = ShaderVariant::of(&shape).with(ShaderFeature::Ghost, true);
        variant.with(ShaderFeature::Skinned, is_skinned)
    }

    pub(super) fn outline(&self) -> Option<&ToonOutline> {
        self.toon.as_ref()?.outline.as_ref()
    }

    /// Returns the width of the outline in metres, and in metres per metre of depth. `height_at_depth` is the height of
    /// the image in metres, per metre of depth.
    pub(super) fn outline_width(&self, height_at_depth: f32) -> Vec2 {
        match self.outline().map(|outline| outline.width) {
            Some(OutlineWidth::World(width)) => Vec2::new(width, 0.0),
            Some(OutlineWidth::Screen(share)) => Vec2::new(0.0, share * height_at_depth),
            None => Vec2::ZERO,
        }
    }

    pub(super) fn uv_animation(&self) -> Option<UvAnimation> {
        self.toon.as_ref()?.uv_animation
    }

    /// Returns the rows of a texture at a time in seconds. With a mask, the shader animates the coordinates.
    pub(super) fn uv_rows(&self, texture: &GpuTexture, seconds: f64) -> UvRows {
        match self.uv_animation() {
            Some(animation) if texture.is_animated && animation.mask.is_none() => {
                texture.rows.after(&animation_matrix(&animation, seconds))
            }
            _ => texture.rows,
        }
    }

    /// Returns the rows that all textures of the fragment shader share, for variants without `UvPerTexture`.
    pub(super) fn shared_uv_rows(&self, seconds: f64) -> UvRows {
        let shared = self.textures.iter().find(|texture| is_in_fragment_shader(texture.uniforms));
        shared.map_or(UvRows::IDENTITY, |texture| self.uv_rows(texture, seconds))
    }

    /// Whether the opaque texels of a blended material are drawn with the opaque materials. They then need no order.
    /// Toon materials use [`Material::blend_order`] instead, which an artist chose.
    pub(super) fn splits_opaque_texels(&self) -> bool {
        self.alpha == AlphaMode::Blend && self.toon.is_none() && !self.blend_order.writes_depth
    }
}

/// Whether the fragment shader samples a texture at the coordinates of the vertices.
fn is_in_fragment_shader(uniforms: TextureUniforms) -> bool {
    ![TextureUniforms::MATCAP, TextureUniforms::OUTLINE, TextureUniforms::UV_MASK].contains(&uniforms)
}

type TextureKey = (usize, TexelKind, bool, u8, u8);

/// Uploads each image once for each combination of filtering, wrapping and kind of texels.
pub(super) struct TextureCache<'a> {
    context: &'a Context,
    images: &'a [Arc<Image>],
    uploaded: BTreeMap<TextureKey, Arc<Texture2D>>,
}

impl<'a> TextureCache<'a> {
    pub(super) fn new(context: &'a Context, character: &'a Character) -> Self {
        Self { context, images: &character.images, uploaded: BTreeMap::new() }
    }

    fn texture(&mut self, uniforms: TextureUniforms, kind: TexelKind, wanted: &TextureRef) -> GpuTexture {
        let key = (wanted.image, kind, wanted.nearest, wanted.wrap[0] as u8, wanted.wrap[1] as u8);
        let (context, images) = (self.context, self.images);
        let texture = self.uploaded.entry(key).or_insert_with(|| {
            let image =
                images.get(wanted.image).map_or_else(Image::checkerboard, |image| uploadable_image(context, image));
            Arc::new(gl::image_texture(context, &image, wanted, kind == TexelKind::Color))
        });
        let is_animated = ![TextureUniforms::MATCAP, TextureUniforms::UV_MASK].contains(&uniforms);
        GpuTexture { uniforms, texture: Arc::clone(texture), rows: UvRows::of(wanted), is_animated }
    }

    pub(super) fn material(&mut self, material: &Material) -> GpuMaterial {
        let toon = match &material.shading {
            Shading::Toon(toon) => Some(ToonShading::clone(toon)),
            Shading::Lit | Shading::Unlit => None,
        };
        let is_emissive = material.emissive != [0.0; 3];
        let normals =
            material.normal_texture.filter(|normals| normals.scale != 0.0 && material.shading != Shading::Unlit);
        let mut wanted = vec![(TextureUniforms::BASE, TexelKind::Color, material.base_texture)];
        wanted.push((TextureUniforms::EMISSION, TexelKind::Color, material.emissive_texture.filter(|_| is_emissive)));
        wanted.push((TextureUniforms::NORMAL, TexelKind::Data, normals.map(|normals| normals.texture)));
        if let Some(toon) = &toon {
            wanted.extend(toon_textures(toon, material.base_texture));
        }
        let textures: Vec<GpuTexture> = wanted
            .into_iter()
            .filter_map(|(uniforms, kind, texture)| Some(self.texture(uniforms, kind, &texture?)))
            .collect();
        let variant = surface_features(material, toon.as_ref(), &textures);
        GpuMaterial {
            variant,
            textures,
            base_color: material.base_color,
            emissive: Vec3::from(material.emissive),
            alpha: material.alpha,
            blend_order: material.blend_order,
            double_sided: material.double_sided,
            normal_scale: normals.map_or(1.0, |normals| normals.scale),
            toon,
        }
    }
}

type WantedTexture = (TextureUniforms, TexelKind, Option<TextureRef>);

/// Returns the textures of a toon material that change its image.
fn toon_textures(toon: &ToonShading, base: Option<TextureRef>) -> [WantedTexture; 6] {
    let shade = toon.shade_texture.filter(|shade| Some(*shade) != base && toon.shade_color != [0.0; 3]);
    let matcap = toon.rim.matcap_texture.filter(|_| toon.rim.matcap_color != [0.0; 3]);
    let has_rim = matcap.is_some() || toon.rim.color != [0.0; 3];
    [
        (TextureUniforms::SHADE, TexelKind::Color, shade),
        (TextureUniforms::SHIFT, TexelKind::Data, toon.shift_texture.map(|shift| shift.texture)),
        (TextureUniforms::RIM, TexelKind::Color, toon.rim.multiply_texture.filter(|_| has_rim)),
        (TextureUniforms::MATCAP, TexelKind::Color, matcap),
        (TextureUniforms::OUTLINE, TexelKind::Data, toon.outline.and_then(|outline| outline.width_texture)),
        (TextureUniforms::UV_MASK, TexelKind::Data, toon.uv_animation.and_then(|animation| animation.mask)),
    ]
}

fn surface_features(material: &Material, toon: Option<&ToonShading>, textures: &[GpuTexture]) -> ShaderVariant {
    let has = |uniforms: TextureUniforms| textures.iter().any(|texture| texture.uniforms == uniforms);
    let mut rows = textures.iter().filter(|texture| is_in_fragment_shader(texture.uniforms)).map(|t| t.rows);
    let first = rows.next();
    let is_shared = rows.all(|row| Some(row) == first);
    let has_mask = has(TextureUniforms::UV_MASK);
    let shade_is_base =
        toon.is_some_and(|toon| toon.shade_texture.is_some() && toon.shade_texture == material.base_texture);
    ShaderVariant::of(&[
        (ShaderFeature::Lit, material.shading == Shading::Lit),
        (ShaderFeature::Toon, toon.is_some()),
        (ShaderFeature::CutOut, material.alpha != AlphaMode::Opaque),
        (ShaderFeature::BaseTexture, has(TextureUniforms::BASE)),
        (ShaderFeature::ShadeIsBase, shade_is_base),
        (ShaderFeature::ShadeTexture, has(TextureUniforms::SHADE)),
        (ShaderFeature::ShiftTexture, has(TextureUniforms::SHIFT)),
        (ShaderFeature::NormalMap, has(TextureUniforms::NORMAL)),
        (ShaderFeature::Emission, material.emissive != [0.0; 3]),
        (ShaderFeature::EmissionTexture, has(TextureUniforms::EMISSION)),
        (ShaderFeature::Rim, toon.is_some_and(|toon| toon.rim.color != [0.0; 3])),
        (ShaderFeature::Matcap, has(TextureUniforms::MATCAP)),
        (ShaderFeature::RimTexture, has(TextureUniforms::RIM)),
        (ShaderFeature::UvPerTexture, first.is_some() && (has_mask || !is_shared)),
        (ShaderFeature::UvMask, first.is_some() && has_mask),
    ])
}

/// Returns an image with a valid size, scaled down to the maximum of the driver.
fn uploadable_image(context: &Context, image: &Arc<Image>) -> Image {
    let bytes = 4 * u64::from(image.width) * u64::from(image.height);
    if bytes == 0 || image.rgba.len() as u64 != bytes {
        return Image::checkerboard();
    }
    let most = gl::max_texture_size(context);
    if image.width <= most && image.height <= most {
        return Image::clone(image);
    }
    let (width, height) = (image.width.min(most), image.height.min(most));
    image::RgbaImage::from_raw(image.width, image.height, image.rgba.clone()).map_or_else(
        Image::checkerboard,
        |whole| {
            let small = image::imageops::resize(&whole, width, height, image::imageops::FilterType::Triangle);
            Image { width, height, rgba: small.into_raw() }
        },
    )
}
