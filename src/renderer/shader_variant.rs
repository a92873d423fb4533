//! The combinations of features that the shaders of characters are compiled for.
//!
//! A feature is a `#define` of both shaders. A material pays only for its own features: without a GPU, each instruction
//! of the fragment shader counts.

use std::fmt::Write as _;

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident $define:literal)+) => {
        /// A part of the shaders that some materials need.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum ShaderFeature {
            $($(#[$doc])* $name,)+
        }

        impl ShaderFeature {
            const DEFINES: &[(Self, &str)] = &[$((Self::$name, $define),)+];

            #[cfg(test)]
            pub(super) fn all() -> impl Iterator<Item = Self> {
                Self::DEFINES.iter().map(|(feature, _)| *feature)
            }
        }
    };
}

features! {
    /// Light from the direction of the key light and from the camera, for materials of plain glTF.
    Lit "LIT"
    /// Two tones with a border.
    Toon "TOON"
    Skinned "SKINNED"
    /// Some texels are invisible or blended.
    CutOut "CUTOUT"
    VertexColors "COLORS"
    BaseTexture "BASE_TEXTURE"
    /// The shade texture is the base texture with the same coordinates, so one texel serves both.
    ShadeIsBase "SHADE_IS_BASE"
    ShadeTexture "SHADE_TEXTURE"
    ShiftTexture "SHIFT_TEXTURE"
    NormalMap "NORMAL_MAP"
    Emission "EMISSION"
    EmissionTexture "EMISSION_TEXTURE"
    Rim "RIM"
    Matcap "MATCAP"
    RimTexture "RIM_TEXTURE"
    /// The textures have different coordinates, so the fragment shader computes the coordinates.
    UvPerTexture "UV_PER_TEXTURE"
    /// A mask scales the animation of the coordinates. Implies `UvPerTexture`.
    UvMask "UV_MASK"
    /// The inverted hull around the surface.
    Outline "OUTLINE"
    OutlineTexture "OUTLINE_TEXTURE"
    /// One translucent colour, for a body in another pose.
    Ghost "GHOST"
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ShaderVariant(u32);

impl ShaderVariant {
    pub(super) fn of(features: &[(ShaderFeature, bool)]) -> Self {
        features.iter().fold(Self::default(), |variant, (feature, on)| variant.with(*feature, *on))
    }

    #[must_use]
    pub(super) fn with(self, feature: ShaderFeature, on: bool) -> Self {
        let bit = 1 << feature as u32;
        Self(if on { self.0 | bit } else { self.0 & !bit })
    }

    pub(super) fn has(self, feature: ShaderFeature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }

    /// Returns the source of a shader with the features of this variant.
    pub(super) fn source(self, shader: &str) -> String {
        let mut source = String::new();
        for (_, define) in ShaderFeature::DEFINES.iter().filter(|(feature, _)| self.has(*feature)) {
            let _ = writeln!(source, "#define {define}");
        }
        source + shader
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_defines_exactly_its_features() {
        let variant = ShaderVariant::of(&[(ShaderFeature::Toon, true), (ShaderFeature::Rim, false)])
            .with(ShaderFeature::Outline, true);
        assert_eq!(variant.source("void main() {}"), "#define TOON\n#define OUTLINE\nvoid main() {}");
        assert_eq!(variant.with(ShaderFeature::Outline, false).source(""), "#define TOON\n");
    }
}
