use super::gl;
use super::gpu_character::{GpuCharacter, GpuPrimitive};
use super::material::GpuMaterial;
use super::shader_variant::{ShaderFeature, ShaderVariant};
use super::uv_transform::{UvRows, animation_state};
use super::{COLOR_ONLY, RenderError, compile_program, gl_mat4, gl_vec3, set_uniform};
use crate::stage::CameraView;
use glam::{Mat3, Mat4, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use three_d::{Blend, Context, Cull, DepthTest, Program, RenderStates, Viewport, WriteMask};
use yuremono_sim::rig::{AlphaMode, ToonShading, WorldPose};

/// Strength of the key light.
const KEY_STRENGTH: f32 = 0.85;
/// Strength of the light from all sides.
const AMBIENT_STRENGTH: f32 = 1.0 - KEY_STRENGTH;

/// A render pass, which determines the drawn part of a character and the use of alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RenderPass {
    /// Opaque and cut-out materials, and the opaque texels of blended materials without their own order. Writes depth.
    Opaque,
    /// Blended materials.
    Blended,
    /// Only the depth of a ghost, so that only its nearest surface is visible.
    GhostDepth,
    /// The colour of a ghost.
    Ghost,
}

/// The part of a primitive that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SurfacePart {
    Surface,
    /// The back of a hull that is wider than the surface.
    Outline,
}

/// The part of a primitive that a draw call draws, and the render pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawStep {
    pub(super) pass: RenderPass,
    pub(super) part: SurfacePart,
}

/// The input of a draw call apart from the character.
pub(super) struct DrawContext<'a> {
    pub(super) camera: &'a CameraView,
    pub(super) viewport: Viewport,
    pub(super) pose: &'a WorldPose,
    /// Direction towards the key light.
    pub(super) light: Vec3,
    /// Time of animated textures.
    pub(super) seconds: f64,
    pub(super) multisampled: bool,
    /// The sRGB colour and the opacity of ghosts.
    pub(super) ghost: [f32; 4],
    /// Least width of outlines, in pixels.
    pub(super) least_outline: f32,
}

/// The shader programs of characters.
pub(super) struct SurfacePrograms {
    context: Context,
    programs: BTreeMap<ShaderVariant, Program>,
}

impl SurfacePrograms {
    /// Compiles the program of plain materials, which shows whether the driver accepts the shaders.
    pub(super) fn new(context: &Context) -> Result<Self, RenderError> {
        let mut programs = Self { context: context.clone(), programs: BTreeMap::new() };
        programs.compile(&BTreeSet::from([ShaderVariant::of(&[(ShaderFeature::Lit, true)])]))?;
        Ok(programs)
    }

    /// Compiles the programs that do not exist yet.
    pub(super) fn compile(&mut self, variants: &BTreeSet<ShaderVariant>) -> Result<(), RenderError> {
        const VERTEX: &str = concat!(include_str!("shaders/uv.glsl"), include_str!("shaders/surface.vert"));
        const FRAGMENT: &str = concat!(include_str!("shaders/uv.glsl"), include_str!("shaders/surface.frag"));
        for variant in variants {
            if !self.programs.contains_key(variant) {
                let program = compile_program(&self.context, &variant.source(VERTEX), &variant.source(FRAGMENT))?;
                self.programs.insert(*variant, program);
            }
        }
        Ok(())
    }

    /// Draws a part of a primitive. Does nothing for the outline of a primitive without an outline.
    pub(super) fn draw(
        &self,
        view: &DrawContext<'_>,
        character: &GpuCharacter,
        primitive: &GpuPrimitive,
        step: DrawStep,
    ) {
        let material = character.material(primitive);
        let variant = match (step.pass, step.part) {
            (RenderPass::GhostDepth | RenderPass::Ghost, _) => Some(primitive.ghost_variant),
            (_, SurfacePart::Surface) => Some(primitive.surface_variant),
            (_, SurfacePart::Outline) => primitive.outline_variant,
        };
        let Some(program) = variant.and_then(|variant| self.programs.get(&variant)) else { return };
        let transform = character.world_transform(primitive, view.pose);
        set_uniform(program, "clipFromWorld", gl_mat4(view.camera.view_projection()));
        set_uniform(program, "worldFromMesh", gl_mat4(transform));
        if let Some(joints) = character.joint_texture(primitive).filter(|_| program.requires_uniform("jointMatrices")) {
            program.use_texture("jointMatrices", joints);
        }
        let mirrored = transform.determinant() < 0.0;
        set_uniform(program, "frontSign", if mirrored { -1.0_f32 } else { 1.0 });
        set_material(program, material, view.seconds);
        set_lights(program, view);
        if let Some(toon) = &material.toon {
            set_toon(program, toon, material, view);
        }
        let alpha = AlphaUniforms::of(material, step.pass, view.multisampled);
        set_uniform(program, "alphaRange", three_d::vec2(alpha.range[0], alpha.range[1]));
        set_uniform(program, "alphaUse", alpha.mode);
        set_uniform(program, "ghostColor", three_d::Vec4::from(view.ghost));

        primitive.bind(program);
        let states = render_states(material, step, mirrored);
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

fn render_states(material: &GpuMaterial, step: DrawStep, mirrored: bool) -> RenderStates {
    let hides_front = step.part == SurfacePart::Outline;
    let cull = if material.double_sided && !hides_front {
        Cull::None
    } else if mirrored == hides_front {
        Cull::Back
    } else {
        Cull::Front
    };
    let (depth, blend) = match step.pass {
        RenderPass::Opaque | RenderPass::GhostDepth => (true, Blend::Disabled),
        RenderPass::Blended => (material.blend_order.writes_depth, Blend::STANDARD_TRANSPARENCY),
        RenderPass::Ghost => (false, Blend::STANDARD_TRANSPARENCY),
    };
    let write_mask =
        if step.pass == RenderPass::GhostDepth { WriteMask::DEPTH } else { WriteMask { depth, ..COLOR_ONLY } };
    RenderStates { write_mask, depth_test: DepthTest::LessOrEqual, blend, cull }
}

fn set_material(program: &Program, material: &GpuMaterial, seconds: f64) {
    let [r, g, b, a] = material.base_color;
    set_uniform(program, "baseColor", three_d::vec4(r, g, b, a));
    set_uniform(program, "emissive", gl_vec3(material.emissive));
    set_uniform(program, "normalScale", material.normal_scale);
    set_uv_rows(program, ["sharedUvX", "sharedUvY"], material.shared_uv_rows(seconds));
    for texture in &material.textures {
        let uniforms = texture.uniforms;
        if program.requires_uniform(uniforms.sampler) {
            program.use_texture(uniforms.sampler, &texture.texture);
            set_uv_rows(program, [uniforms.uv_x, uniforms.uv_y], material.uv_rows(texture, seconds));
        }
    }
    if let Some(animation) = material.uv_animation() {
        set_uniform(program, "uvAnimation", gl_vec3(animation_state(&animation, seconds)));
    }
}

fn set_uv_rows(program: &Program, names: [&str; 2], rows: UvRows) {
    set_uniform(program, names[0], gl_vec3(rows.x));
    set_uniform(program, names[1], gl_vec3(rows.y));
}

/// Sets the key light, and a weak light from the lower right of the viewer, so that no side of a plain material is dark.
fn set_lights(program: &Program, view: &DrawContext<'_>) {
    let camera = view.camera;
    let fill = camera.right * 0.8 - camera.forward * 0.3 - camera.up * 0.3;
    set_uniform(program, "keyLight", gl_vec3(view.light.normalize_or(Vec3::Y)));
    set_uniform(program, "fillLight", gl_vec3(fill.normalize_or(Vec3::X)));
    set_uniform(program, "lightStrength", three_d::vec2(KEY_STRENGTH, AMBIENT_STRENGTH));
    set_uniform(program, "eye", gl_vec3(camera.eye));
}

fn set_toon(program: &Program, toon: &ToonShading, material: &GpuMaterial, view: &DrawContext<'_>) {
    /// Smallest exponent of the rim. 0 would light the whole surface, or give NaN.
    const MIN_POWER: f32 = 1e-5;
    set_uniform(program, "shadeColor", gl_vec3(toon.shade_color.into()));
    set_uniform(program, "toon", three_d::vec2(toon.shading_shift, toon.shading_toony.clamp(0.0, 1.0)));
    set_uniform(program, "shiftScale", toon.shift_texture.map_or(0.0, |shift| shift.scale));
    let camera = view.camera;
    let rim = &toon.rim;
    let light = 1.0 + (KEY_STRENGTH + AMBIENT_STRENGTH - 1.0) * rim.lighting_mix.clamp(0.0, 1.0);
    set_uniform(program, "rimColor", gl_vec3(Vec3::from(rim.color) * light));
    set_uniform(program, "rimShape", three_d::vec2(rim.fresnel_power.max(MIN_POWER), rim.lift));
    set_uniform(program, "matcapColor", gl_vec3(Vec3::from(rim.matcap_color) * light));
    let view_from_world: three_d::Mat3 = Mat3::from_mat4(camera.view_matrix).to_cols_array_2d().into();
    set_uniform(program, "viewFromWorld", view_from_world);
    if let Some(outline) = &toon.outline {
        let height = height_at_depth(camera.projection);
        let width = material.outline_width(height);
        set_uniform(program, "outlineWidth", three_d::vec2(width.x, width.y));
        set_uniform(program, "leastOutline", view.least_outline * height / view.viewport.height.max(1) as f32);
        set_uniform(program, "outlineColor", gl_vec3(outline.color.into()));
        set_uniform(program, "outlineLighting", outline.lighting_mix.clamp(0.0, 1.0));
    }
}

/// Returns the height of the image in metres, per metre of depth.
fn height_at_depth(projection: Mat4) -> f32 {
    2.0 / projection.y_axis.y
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
    const MIN_VISIBLE_ALPHA: f32 = 1.0 / 512.0;
    /// Texels of a blended material with at least this alpha belong to a ghost.
    const MIN_GHOST_ALPHA: f32 = 0.5;

    fn of(material: &GpuMaterial, pass: RenderPass, multisampled: bool) -> Self {
        match (material.alpha, pass) {
            (AlphaMode::Opaque, _) => Self { range: [-1e9, 1e9], mode: Self::OPAQUE },
            (alpha, RenderPass::GhostDepth | RenderPass::Ghost) => {
                let cutoff = if let AlphaMode::Mask(cutoff) = alpha { cutoff } else { Self::MIN_GHOST_ALPHA };
                Self { range: [cutoff, 1e9], mode: Self::OPAQUE }
            }
            (AlphaMode::Mask(cutoff), _) => {
                Self { range: [cutoff, 1e9], mode: if multisampled { Self::ALPHA_TO_COVERAGE } else { Self::OPAQUE } }
            }
            (AlphaMode::Blend, RenderPass::Opaque) => Self { range: [Self::MIN_OPAQUE_ALPHA, 1e9], mode: Self::OPAQUE },
            (AlphaMode::Blend, RenderPass::Blended) => {
                let most = if material.splits_opaque_texels() { Self::MIN_OPAQUE_ALPHA } else { 1e9 };
                Self { range: [Self::MIN_VISIBLE_ALPHA, most], mode: Self::BLENDED }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renderer::HeadlessContext;

    /// Features, each with another feature that the feature needs.
    const NEEDED: [(ShaderFeature, ShaderFeature); 4] = [
        (ShaderFeature::EmissionTexture, ShaderFeature::Emission),
        (ShaderFeature::RimTexture, ShaderFeature::Rim),
        (ShaderFeature::UvMask, ShaderFeature::UvPerTexture),
        (ShaderFeature::OutlineTexture, ShaderFeature::Outline),
    ];

    /// Returns each feature alone with each lighting, and all features of toon materials together.
    fn tested_variants() -> BTreeSet<ShaderVariant> {
        let mut variants = BTreeSet::new();
        let mut all = ShaderVariant::of(&[(ShaderFeature::Toon, true)]);
        for lighting in [Some(ShaderFeature::Lit), Some(ShaderFeature::Toon), None] {
            let plain = lighting.map_or(ShaderVariant::default(), |lighting| ShaderVariant::of(&[(lighting, true)]));
            for feature in ShaderFeature::all().filter(|f| ![ShaderFeature::Lit, ShaderFeature::Toon].contains(f)) {
                let needed = NEEDED.iter().find(|(owner, _)| *owner == feature);
                let variant = plain.with(feature, true);
                variants.insert(needed.map_or(variant, |(_, other)| variant.with(*other, true)));
                all = all.with(feature, true);
            }
        }
        variants.insert(all);
        variants
    }

    #[test]
    fn all_shader_features_compile_on_opengl_and_opengl_es() {
        for headless in [HeadlessContext::new(), HeadlessContext::new_es()] {
            let headless = match headless {
                Ok(headless) => headless,
                Err(reason) => {
                    eprintln!("skipped: {reason}");
                    continue;
                }
            };
            headless.make_current().expect("the context was made on this thread");
            let context = Context::from_gl_context(headless.gl.clone()).expect("OpenGL 3.3 or OpenGL ES 3.0");
            let mut programs = SurfacePrograms::new(&context).expect("the driver accepts the shaders");
            let variants = tested_variants();
            assert!(variants.len() > 40);
            programs.compile(&variants).expect("the driver accepts all variants");
            assert!(variants.iter().all(|variant| programs.programs.contains_key(variant)));
        }
    }
}
