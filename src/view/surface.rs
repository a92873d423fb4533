use super::gl;
use super::gpu_character::GpuCharacter;
use super::gpu_primitive::GpuPrimitive;
use super::material::Look;
use super::{COLOR_ONLY, ViewError, compile, mat4, set, vec3};
use crate::rig::{AlphaMode, WorldPose};
use crate::stage::Shot;
use glam::Vec3;
use std::sync::Arc;
use three_d::{Blend, Context, Cull, DepthTest, Program, RenderStates, Viewport, WriteMask};

const LOOKS: [(Look, &str); 3] = [(Look::Lit, "LIT"), (Look::Unlit, "UNLIT"), (Look::Toon, "TOON")];

/// Which part of a character is drawn, and how alpha counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Opaque and cut-out materials, and the opaque texels of blended ones, with depth.
    Solid,
    /// The other texels of blended materials.
    Blended,
}

/// Everything a draw of the character needs besides the character.
pub(super) struct View<'a> {
    pub(super) shot: &'a Shot,
    pub(super) viewport: Viewport,
    pub(super) pose: &'a WorldPose,
    pub(super) multisampled: bool,
}

/// The programs that draw the character's skin, hair and clothes.
pub(super) struct Surface {
    context: Context,
    /// For each look: solid and cut out, of each unskinned and skinned.
    programs: Vec<[[Program; 2]; 2]>,
}

impl Surface {
    pub(super) fn new(context: &Context) -> Result<Self, ViewError> {
        let program = |defines: &str| {
            let vertex = format!("{defines}\n{}", include_str!("shaders/surface.vert"));
            let fragment = format!("{defines}\n{}", include_str!("shaders/surface.frag"));
            compile(context, &vertex, &fragment)
        };
        let look = |(_, name): &(Look, &str)| {
            let define = format!("#define {name}");
            let both = |define: &str| Ok([program(define)?, program(&format!("{define}\n#define SKINNED"))?]);
            Ok([both(&define)?, both(&format!("{define}\n#define CUTOUT"))?])
        };
        Ok(Self { context: context.clone(), programs: LOOKS.iter().map(look).collect::<Result<_, ViewError>>()? })
    }

    pub(super) fn draw(&self, view: &View<'_>, character: &GpuCharacter, primitive: &GpuPrimitive, pass: Pass) {
        let material = character.material(primitive);
        let joints = character.joint_texture(primitive);
        let look = LOOKS.iter().position(|(look, _)| *look == material.look).unwrap_or(0);
        let solid = material.alpha == AlphaMode::Opaque;
        let program = &self.programs[look][usize::from(!solid)][usize::from(joints.is_some())];
        let transform = character.transform(primitive, view.pose);

        set(program, "clipFromWorld", mat4(view.shot.view_projection()));
        set(program, "worldFromMesh", mat4(transform));
        if let Some(joints) = joints.filter(|_| program.requires_uniform("jointMatrices")) {
            program.use_texture("jointMatrices", joints);
        }
        set(program, "useColors", if primitive.has_colors() { 1.0_f32 } else { 0.0 });
        for (name, texture) in [("base", &material.base), ("shade", &material.shade), ("glow", &material.glow)] {
            set(program, &format!("{name}UvX"), vec3(texture.uv_x));
            set(program, &format!("{name}UvY"), vec3(texture.uv_y));
            let sampler = format!("{name}Texture");
            if program.requires_uniform(&sampler) {
                program.use_texture(&sampler, &texture.texture);
            }
        }
        let [r, g, b, a] = material.base_color;
        set(program, "baseColor", three_d::vec4(r, g, b, a));
        set(program, "emissive", vec3(material.emissive));
        set(program, "shadeColor", vec3(material.shade_color));
        let same = Arc::ptr_eq(&material.base.texture, &material.shade.texture)
            && [material.base.uv_x, material.base.uv_y] == [material.shade.uv_x, material.shade.uv_y];
        set(program, "shadeIsBase", i32::from(same));
        set(program, "toon", three_d::vec2(material.toon.x, material.toon.y));
        set_lights(program, view.shot);

        let mirrored = transform.determinant() < 0.0;
        set(program, "frontSign", if mirrored { -1.0_f32 } else { 1.0 });
        let alpha = AlphaRule::of(material.alpha, pass, view.multisampled);
        set(program, "alphaRange", three_d::vec2(alpha.range[0], alpha.range[1]));
        set(program, "alphaUse", alpha.usage);

        primitive.bind(program);
        let cull = match (material.double_sided, mirrored) {
            (true, _) => Cull::None,
            (false, false) => Cull::Back,
            (false, true) => Cull::Front,
        };
        let states = match pass {
            Pass::Solid => RenderStates {
                write_mask: WriteMask { depth: true, ..COLOR_ONLY },
                depth_test: DepthTest::LessOrEqual,
                blend: Blend::Disabled,
                cull,
            },
            Pass::Blended => RenderStates {
                write_mask: COLOR_ONLY,
                depth_test: DepthTest::LessOrEqual,
                blend: Blend::STANDARD_TRANSPARENCY,
                cull,
            },
        };
        let spread = alpha.usage == AlphaRule::SPREAD;
        if spread {
            gl::spread_alpha_over_samples(&self.context, true);
        }
        program.draw_elements(states, view.viewport, primitive.indices());
        if spread {
            gl::spread_alpha_over_samples(&self.context, false);
        }
    }
}

/// What the fragment shader does with alpha.
struct AlphaRule {
    range: [f32; 2],
    usage: i32,
}

impl AlphaRule {
    const SOLID: i32 = 0;
    const BLENDED: i32 = 1;
    const SPREAD: i32 = 2;
    /// From here on a texel of a blended material counts as opaque and hides what is behind it.
    const OPAQUE_FROM: f32 = 0.98;

    fn of(mode: AlphaMode, pass: Pass, multisampled: bool) -> Self {
        match (mode, pass) {
            (AlphaMode::Opaque, _) => Self { range: [-1e9, 1e9], usage: Self::SOLID },
            (AlphaMode::Mask(cutoff), _) => {
                Self { range: [cutoff, 1e9], usage: if multisampled { Self::SPREAD } else { Self::SOLID } }
            }
            (AlphaMode::Blend, Pass::Solid) => Self { range: [Self::OPAQUE_FROM, 1e9], usage: Self::SOLID },
            (AlphaMode::Blend, Pass::Blended) => Self { range: [1.0 / 512.0, Self::OPAQUE_FROM], usage: Self::BLENDED },
        }
    }
}

/// A key light above the viewer's left shoulder and a weak one from the lower right, so that turning the camera
/// never leads into the dark.
fn set_lights(program: &Program, shot: &Shot) {
    let key = shot.up * 0.55 - shot.forward * 0.75 - shot.right * 0.38;
    let fill = shot.right * 0.8 - shot.forward * 0.3 - shot.up * 0.3;
    set(program, "keyLight", vec3(key.normalize_or(Vec3::Y)));
    set(program, "fillLight", vec3(fill.normalize_or(Vec3::X)));
    set(program, "eye", vec3(shot.eye));
}
