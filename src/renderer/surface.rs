use super::gl;
use super::gpu_character::{GpuCharacter, GpuPrimitive};
use super::material::ShaderVariant;
use super::{COLOR_ONLY, RenderError, compile_program, gl_mat4, gl_vec3, set_uniform};
use crate::rig::{AlphaMode, WorldPose};
use crate::stage::CameraView;
use glam::Vec3;
use std::sync::Arc;
use three_d::{Blend, Context, Cull, DepthTest, Program, RenderStates, Viewport, WriteMask};

const SHADER_VARIANTS: [(ShaderVariant, &str); 3] =
    [(ShaderVariant::Lit, "LIT"), (ShaderVariant::Unlit, "UNLIT"), (ShaderVariant::Toon, "TOON")];

/// A render pass, which determines the drawn part of a character and the use of alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RenderPass {
    /// Opaque and cut-out materials, and the opaque texels of blended materials. Writes depth.
    Opaque,
    /// The other texels of blended materials.
    Blended,
}

/// The input of a draw call apart from the character.
pub(super) struct DrawContext<'a> {
    pub(super) camera: &'a CameraView,
    pub(super) viewport: Viewport,
    pub(super) pose: &'a WorldPose,
    pub(super) multisampled: bool,
}

/// The shader programs of characters.
pub(super) struct SurfacePrograms {
    context: Context,
    /// Indexed by shader variant, then by solid or cut out, then by unskinned or skinned.
    programs: Vec<[[Program; 2]; 2]>,
}

impl SurfacePrograms {
    pub(super) fn new(context: &Context) -> Result<Self, RenderError> {
        let program = |defines: &str| {
            let vertex = format!("{defines}\n{}", include_str!("shaders/surface.vert"));
            let fragment = format!("{defines}\n{}", include_str!("shaders/surface.frag"));
            compile_program(context, &vertex, &fragment)
        };
        let look = |(_, name): &(ShaderVariant, &str)| {
            let define = format!("#define {name}");
            let both = |define: &str| Ok([program(define)?, program(&format!("{define}\n#define SKINNED"))?]);
            Ok([both(&define)?, both(&format!("{define}\n#define CUTOUT"))?])
        };
        Ok(Self {
            context: context.clone(),
            programs: SHADER_VARIANTS.iter().map(look).collect::<Result<_, RenderError>>()?,
        })
    }

    pub(super) fn draw(
        &self,
        view: &DrawContext<'_>,
        character: &GpuCharacter,
        primitive: &GpuPrimitive,
        pass: RenderPass,
    ) {
        let material = character.material(primitive);
        let joints = character.joint_texture(primitive);
        let look = SHADER_VARIANTS.iter().position(|(look, _)| *look == material.variant).unwrap_or(0);
        let solid = material.alpha == AlphaMode::Opaque;
        let program = &self.programs[look][usize::from(!solid)][usize::from(joints.is_some())];
        let transform = character.world_transform(primitive, view.pose);

        set_uniform(program, "clipFromWorld", gl_mat4(view.camera.view_projection()));
        set_uniform(program, "worldFromMesh", gl_mat4(transform));
        if let Some(joints) = joints.filter(|_| program.requires_uniform("jointMatrices")) {
            program.use_texture("jointMatrices", joints);
        }
        set_uniform(program, "useColors", if primitive.colors.is_some() { 1.0_f32 } else { 0.0 });
        for (name, texture) in
            [("base", &material.base_texture), ("shade", &material.shade_texture), ("glow", &material.emissive_texture)]
        {
            set_uniform(program, &format!("{name}UvX"), gl_vec3(texture.uv_x));
            set_uniform(program, &format!("{name}UvY"), gl_vec3(texture.uv_y));
            let sampler = format!("{name}Texture");
            if program.requires_uniform(&sampler) {
                program.use_texture(&sampler, &texture.texture);
            }
        }
        let [r, g, b, a] = material.base_color;
        set_uniform(program, "baseColor", three_d::vec4(r, g, b, a));
        set_uniform(program, "emissive", gl_vec3(material.emissive));
        set_uniform(program, "shadeColor", gl_vec3(material.shade_color));
        let same = Arc::ptr_eq(&material.base_texture.texture, &material.shade_texture.texture)
            && [material.base_texture.uv_x, material.base_texture.uv_y]
                == [material.shade_texture.uv_x, material.shade_texture.uv_y];
        set_uniform(program, "shadeIsBase", i32::from(same));
        set_uniform(program, "toon", three_d::vec2(material.toon.x, material.toon.y));
        set_lights(program, view.camera);

        let mirrored = transform.determinant() < 0.0;
        set_uniform(program, "frontSign", if mirrored { -1.0_f32 } else { 1.0 });
        let alpha = AlphaUniforms::of(material.alpha, pass, view.multisampled);
        set_uniform(program, "alphaRange", three_d::vec2(alpha.range[0], alpha.range[1]));
        set_uniform(program, "alphaUse", alpha.mode);

        primitive.bind(program);
        let cull = match (material.double_sided, mirrored) {
            (true, _) => Cull::None,
            (false, false) => Cull::Back,
            (false, true) => Cull::Front,
        };
        let (write_mask, blend) = match pass {
            RenderPass::Opaque => (WriteMask { depth: true, ..COLOR_ONLY }, Blend::Disabled),
            RenderPass::Blended => (COLOR_ONLY, Blend::STANDARD_TRANSPARENCY),
        };
        let states = RenderStates { write_mask, depth_test: DepthTest::LessOrEqual, blend, cull };
        let spread = alpha.mode == AlphaUniforms::ALPHA_TO_COVERAGE;
        if spread {
            gl::set_alpha_to_coverage(&self.context, true);
        }
        program.draw_elements(states, view.viewport, &primitive.indices);
        if spread {
            gl::set_alpha_to_coverage(&self.context, false);
        }
    }
}

/// How the fragment shader uses alpha.
struct AlphaUniforms {
    range: [f32; 2],
    mode: i32,
}

impl AlphaUniforms {
    const OPAQUE: i32 = 0;
    const BLENDED: i32 = 1;
    const ALPHA_TO_COVERAGE: i32 = 2;
    /// A texel of a blended material with at least this alpha is opaque and writes depth.
    const MIN_OPAQUE_ALPHA: f32 = 0.98;

    fn of(mode: AlphaMode, pass: RenderPass, multisampled: bool) -> Self {
        match (mode, pass) {
            (AlphaMode::Opaque, _) => Self { range: [-1e9, 1e9], mode: Self::OPAQUE },
            (AlphaMode::Mask(cutoff), _) => {
                Self { range: [cutoff, 1e9], mode: if multisampled { Self::ALPHA_TO_COVERAGE } else { Self::OPAQUE } }
            }
            (AlphaMode::Blend, RenderPass::Opaque) => Self { range: [Self::MIN_OPAQUE_ALPHA, 1e9], mode: Self::OPAQUE },
            (AlphaMode::Blend, RenderPass::Blended) => {
                Self { range: [1.0 / 512.0, Self::MIN_OPAQUE_ALPHA], mode: Self::BLENDED }
            }
        }
    }
}

/// Sets a key light above the left shoulder of the viewer and a weak light from the lower right, so no side of the
/// character is dark.
fn set_lights(program: &Program, camera: &CameraView) {
    let key = camera.up * 0.55 - camera.forward * 0.75 - camera.right * 0.38;
    let fill = camera.right * 0.8 - camera.forward * 0.3 - camera.up * 0.3;
    set_uniform(program, "keyLight", gl_vec3(key.normalize_or(Vec3::Y)));
    set_uniform(program, "fillLight", gl_vec3(fill.normalize_or(Vec3::X)));
    set_uniform(program, "eye", gl_vec3(camera.eye));
}
