//! Materials: how a surface reflects light.
//!
//! [`ToonShading`] has all values of `VRMC_materials_mtoon` that change an image with one direction of light and an
//! ambient light that is the same from all sides. The equalization of global illumination has no effect in such a light.

use glam::Vec2;

/// Transparency of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Opaque.
    #[default]
    Opaque,
    /// Texels are invisible below this alpha.
    Mask(f32),
    /// Texels are blended by their alpha.
    Blend,
}

/// Texture addressing for coordinates outside 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureWrap {
    /// Repeats the texture.
    #[default]
    Repeat,
    /// Repeats the texture, mirrored every other time.
    Mirror,
    /// Repeats the edge texel.
    Clamp,
}

/// A texture in a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// Index into [`Character::images`](super::Character::images).
    pub image: usize,
    /// Horizontal and vertical addressing.
    pub wrap: [TextureWrap; 2],
    /// Offset of `KHR_texture_transform`: uv' = offset + rotate(scale * uv).
    pub offset: Vec2,
    /// Scale, see `offset`.
    pub scale: Vec2,
    /// Rotation in radians, see `offset`.
    pub rotation: f32,
    /// Whether magnification uses the nearest texel.
    pub nearest: bool,
}

/// Two-tone shading of `MToon`, in the terms of `VRMC_materials_mtoon` 1.0. Colours are linear RGB.
#[derive(Clone, Debug, PartialEq)]
pub struct ToonShading {
    /// Factor of the shade texture.
    pub shade_color: [f32; 3],
    /// Texture of the shaded side. White if `None`.
    pub shade_texture: Option<TextureRef>,
    /// Shifts the border. Positive values make the lit side larger.
    pub shading_shift: f32,
    /// Added to `shading_shift`: the red channel times the scale.
    pub shift_texture: Option<ScaledTexture>,
    /// Sharpness of the border, in 0..=1. 1 is a hard border.
    pub shading_toony: f32,
    /// Light at the edges.
    pub rim: ToonRim,
    /// Line around the surface, or `None`.
    pub outline: Option<ToonOutline>,
    /// Movement of the texture coordinates, or `None`.
    pub uv_animation: Option<UvAnimation>,
}

impl Default for ToonShading {
    fn default() -> Self {
        Self {
            shade_color: [0.0; 3],
            shade_texture: None,
            shading_shift: 0.0,
            shift_texture: None,
            shading_toony: 0.9,
            rim: ToonRim::default(),
            outline: None,
            uv_animation: None,
        }
    }
}

/// A texture whose values are multiplied by a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledTexture {
    /// The texture, which holds linear values.
    pub texture: TextureRef,
    /// Factor of the values.
    pub scale: f32,
}

/// Light that `MToon` adds at the edges of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToonRim {
    /// Colour of the parametric rim. Black for no rim.
    pub color: [f32; 3],
    /// Exponent of the rim. Higher values make the rim thinner.
    pub fresnel_power: f32,
    /// Added to the base of the power. 1 lights the whole surface.
    pub lift: f32,
    /// Factor of the sphere texture.
    pub matcap_color: [f32; 3],
    /// Texture by the direction of the normal in the image. Black if `None`.
    pub matcap_texture: Option<TextureRef>,
    /// Factor of rim and sphere texture. White if `None`.
    pub multiply_texture: Option<TextureRef>,
    /// How much the light of the scene multiplies the rim, in 0..=1.
    pub lighting_mix: f32,
}

impl Default for ToonRim {
    fn default() -> Self {
        Self {
            color: [0.0; 3],
            fresnel_power: 5.0,
            lift: 0.0,
            matcap_color: [1.0; 3],
            matcap_texture: None,
            multiply_texture: None,
            lighting_mix: 1.0,
        }
    }
}

/// Width of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutlineWidth {
    /// In metres.
    World(f32),
    /// As a share of the height of the image.
    Screen(f32),
}

/// A line around the surface of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToonOutline {
    /// Width, more than 0.
    pub width: OutlineWidth,
    /// Factor of the width, in the green channel. 1 if `None`.
    pub width_texture: Option<TextureRef>,
    /// Colour of the line.
    pub color: [f32; 3],
    /// How much the shaded surface multiplies the colour, in 0..=1.
    pub lighting_mix: f32,
}

/// Movement of texture coordinates over time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UvAnimation {
    /// Coordinates per second, with V downwards.
    pub scroll: Vec2,
    /// Radians per second around (0.5, 0.5), counter-clockwise in the image.
    pub rotation: f32,
    /// Factor of the speeds, in the blue channel. 1 if `None`.
    pub mask: Option<TextureRef>,
}

/// Order of blended materials. Materials that write depth are drawn first, then lower queues first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlendOrder {
    /// Whether blended texels hide what is drawn behind them later.
    pub writes_depth: bool,
    /// Offset of the drawing order. Higher values are drawn later.
    pub queue: i32,
}

/// Lighting of a material.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shading {
    /// Soft light from the camera.
    #[default]
    Lit,
    /// No lighting.
    Unlit,
    /// Two tones with a border.
    Toon(Box<ToonShading>),
}

/// Appearance of a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the file.
    pub name: String,
    /// Linear RGBA factor of the base texture.
    pub base_color: [f32; 4],
    /// Texture of the base colour.
    pub base_texture: Option<TextureRef>,
    /// Linear RGB factor of the emissive texture.
    pub emissive: [f32; 3],
    /// Texture of the emission.
    pub emissive_texture: Option<TextureRef>,
    /// Tangent-space normals, and the factor of their X and Y. Unlit materials are drawn without them.
    pub normal_texture: Option<ScaledTexture>,
    /// Transparency.
    pub alpha: AlphaMode,
    /// Order among blended materials.
    pub blend_order: BlendOrder,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Lighting.
    pub shading: Shading,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: "default".to_owned(),
            base_color: [1.0; 4],
            base_texture: None,
            emissive: [0.0; 3],
            emissive_texture: None,
            normal_texture: None,
            alpha: AlphaMode::Opaque,
            blend_order: BlendOrder::default(),
            double_sided: false,
            shading: Shading::Lit,
        }
    }
}
