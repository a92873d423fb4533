use super::gl;
use crate::rig::{AlphaMode, Character, Image, Material, Shading, TextureRef, TextureWrap};
use glam::{Vec2, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;
use three_d::{Context, Texture2D};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShaderVariant {
    Lit,
    Unlit,
    Toon,
}

/// A texture and its UV transform, as rows of an affine matrix.
pub(super) struct GpuTexture {
    pub(super) texture: Arc<Texture2D>,
    pub(super) uv_x: Vec3,
    pub(super) uv_y: Vec3,
}

/// The uniforms of a material.
pub(super) struct GpuMaterial {
    pub(super) variant: ShaderVariant,
    pub(super) base_texture: GpuTexture,
    pub(super) base_color: [f32; 4],
    pub(super) emissive: Vec3,
    pub(super) emissive_texture: GpuTexture,
    pub(super) alpha: AlphaMode,
    pub(super) double_sided: bool,
    pub(super) shade_texture: GpuTexture,
    pub(super) shade_color: Vec3,
    /// `MToon` shading shift and shading toony.
    pub(super) toon: Vec2,
}

type TextureKey = (usize, bool, u8, u8);

/// Uploads each image once for each combination of filtering and wrapping.
pub(super) struct TextureCache<'a> {
    context: &'a Context,
    images: &'a [Arc<Image>],
    white: Arc<Texture2D>,
    uploaded: BTreeMap<TextureKey, Arc<Texture2D>>,
}

impl<'a> TextureCache<'a> {
    pub(super) fn new(context: &'a Context, character: &'a Character) -> Self {
        let white = Image { width: 1, height: 1, rgba: vec![255; 4] };
        let white = Arc::new(gl::srgb_texture(context, &white, [TextureWrap::Clamp; 2], true));
        Self { context, images: &character.images, white, uploaded: BTreeMap::new() }
    }

    fn texture(&mut self, wanted: Option<&TextureRef>) -> GpuTexture {
        let Some(wanted) = wanted else {
            return GpuTexture { texture: Arc::clone(&self.white), uv_x: Vec3::X, uv_y: Vec3::Y };
        };
        let key = (wanted.image, wanted.nearest, wanted.wrap[0] as u8, wanted.wrap[1] as u8);
        let (context, images) = (self.context, self.images);
        let texture = self.uploaded.entry(key).or_insert_with(|| {
            let image =
                images.get(wanted.image).map_or_else(Image::placeholder, |image| uploadable_image(context, image));
            Arc::new(gl::srgb_texture(context, &image, wanted.wrap, wanted.nearest))
        });
        let [uv_x, uv_y] = uv_transform_rows(wanted);
        GpuTexture { texture: Arc::clone(texture), uv_x, uv_y }
    }

    pub(super) fn material(&mut self, material: &Material) -> GpuMaterial {
        let base = self.texture(material.base_texture.as_ref());
        let (look, shade, shade_color, toon) = match material.shading {
            Shading::Lit => (ShaderVariant::Lit, self.texture(None), Vec3::ONE, Vec2::ZERO),
            Shading::Unlit => (ShaderVariant::Unlit, self.texture(None), Vec3::ONE, Vec2::ZERO),
            Shading::Toon(toon) => {
                let shade = self.texture(toon.shade_texture.as_ref());
                let border = Vec2::new(toon.shading_shift, toon.shading_toony.clamp(0.0, 1.0));
                (ShaderVariant::Toon, shade, Vec3::from(toon.shade_color), border)
            }
        };
        GpuMaterial {
            variant: look,
            base_texture: base,
            base_color: material.base_color,
            emissive: Vec3::from(material.emissive),
            emissive_texture: self.texture(material.emissive_texture.as_ref()),
            alpha: material.alpha,
            double_sided: material.double_sided,
            shade_texture: shade,
            shade_color,
            toon,
        }
    }
}

/// Computes uv' = offset + rotate(scale * uv). Positive angles rotate counter-clockwise as seen on screen, because V
/// points down.
fn uv_transform_rows(texture: &TextureRef) -> [Vec3; 2] {
    let (s, c) = texture.rotation.sin_cos();
    let (scale, offset) = (texture.scale, texture.offset);
    [Vec3::new(c * scale.x, s * scale.y, offset.x), Vec3::new(-s * scale.x, c * scale.y, offset.y)]
}

/// Returns an image with a valid size, scaled down to the maximum of the driver.
fn uploadable_image(context: &Context, image: &Arc<Image>) -> Image {
    let bytes = 4 * u64::from(image.width) * u64::from(image.height);
    if bytes == 0 || image.rgba.len() as u64 != bytes {
        return Image::placeholder();
    }
    let most = gl::max_texture_size(context);
    if image.width <= most && image.height <= most {
        return Image::clone(image);
    }
    let (width, height) = (image.width.min(most), image.height.min(most));
    image::RgbaImage::from_raw(image.width, image.height, image.rgba.clone()).map_or_else(Image::placeholder, |whole| {
        let small = image::imageops::resize(&whole, width, height, image::imageops::FilterType::Triangle);
        Image { width, height, rgba: small.into_raw() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_rotates_texture_coordinates_counter_clockwise() {
        let texture = TextureRef {
            image: 0,
            wrap: [TextureWrap::Repeat; 2],
            offset: Vec2::new(0.5, 0.25),
            scale: Vec2::new(2.0, 1.0),
            rotation: std::f32::consts::FRAC_PI_2,
            nearest: false,
        };
        let [x, y] = uv_transform_rows(&texture);
        let at = Vec3::new(1.0, 0.0, 1.0);
        assert!((x.dot(at) - 0.5).abs() < 1e-6 && (y.dot(at) - (0.25 - 2.0)).abs() < 1e-6);
    }
}
