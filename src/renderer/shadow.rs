//! Draws a soft ground shadow from points on the surface of the character.
//!
//! Each point darkens the ground below: a small area if the point is near the ground, and a wide area if the point is
//! high. The blurred sum is one small texture. Updating the shadow for a new pose takes a fraction of a millisecond; a
//! shadow map would have to render the character again.

use super::backdrop::Backdrop;
use super::{RenderError, compile_program, gl, gl_mat4, ground_render_states, set_uniform};
use crate::stage::CameraView;
use glam::{Mat4, Vec2, Vec3};
use three_d::{Context, Program, Texture2D, VertexBuffer, Viewport};
use yuremono_sim::rig::skinning::{SkinMatrices, blend_matrix, effective_skin, sanitize_weights};
use yuremono_sim::rig::{Character, WorldPose};

/// A point on the surface.
struct SurfaceSample {
    position: Vec3,
    mesh: usize,
    bone: usize,
    skin: Option<usize>,
    joints: [u16; 4],
    weights: [f32; 4],
}

/// Points distributed evenly over the surface of a character.
#[derive(Default)]
pub(super) struct SurfaceSamples {
    samples: Vec<SurfaceSample>,
    /// Area that a point represents, in m².
    sample_area: f32,
    world_positions: Vec<Vec3>,
}

impl SurfaceSamples {
    const COUNT: usize = 1200;

    pub(super) fn new(character: &Character) -> Self {
        let total: f64 = triangles(character).map(|t| f64::from(t.area)).sum();
        if !(total > 0.0 && total.is_finite()) {
            return Self::default();
        }
        let step = total / Self::COUNT as f64;
        let (mut walked, mut next) = (0.0, step * 0.5);
        let mut samples = Vec::with_capacity(Self::COUNT);
        for triangle in triangles(character) {
            walked += f64::from(triangle.area);
            while next < walked && samples.len() < Self::COUNT {
                samples.push(triangle.sample(character, samples.len()));
                next += step;
            }
        }
        Self { samples, sample_area: step as f32, world_positions: Vec::new() }
    }

    /// Moves the points to the posed surface. Points of hidden meshes are left out.
    pub(super) fn update_pose(&mut self, palettes: &SkinMatrices, pose: &WorldPose, visible: impl Fn(usize) -> bool) {
        let place = |s: &SurfaceSample| {
            let m = match s.skin {
                Some(skin) => blend_matrix(palettes.joint_matrices(skin), s.joints, s.weights),
                None => pose.frames.get(s.bone).map_or(Mat4::IDENTITY, |f| Mat4::from(f.to_affine())),
            };
            m.transform_point3(s.position)
        };
        self.world_positions.clear();
        self.world_positions
            .extend(self.samples.iter().filter(|s| visible(s.mesh)).map(place).filter(|p| p.is_finite()));
    }

    /// Returns the bounding box of the points, or `None` if there are no points.
    pub(super) fn bounds(&self) -> Option<[Vec3; 2]> {
        let low = self.world_positions.iter().copied().reduce(Vec3::min)?;
        let high = self.world_positions.iter().copied().reduce(Vec3::max)?;
        Some([low, high])
    }
}

struct Triangle<'a> {
    mesh: usize,
    primitive: &'a yuremono_sim::rig::Primitive,
    corners: [usize; 3],
    area: f32,
}

fn triangles(character: &Character) -> impl Iterator<Item = Triangle<'_>> {
    let primitives =
        character.meshes.iter().enumerate().flat_map(|(m, mesh)| mesh.primitives.iter().map(move |p| (m, p)));
    primitives.flat_map(|(mesh, primitive)| {
        primitive.indices.as_chunks::<3>().0.iter().filter_map(move |t| {
            let corners = t.map(|i| i as usize);
            let [a, b, c] = corners.map(|i| primitive.positions.get(i).copied().unwrap_or(Vec3::NAN));
            let area = (b - a).cross(c - a).length() * 0.5;
            (area.is_finite() && area > 0.0).then_some(Triangle { mesh, primitive, corners, area })
        })
    })
}

impl Triangle<'_> {
    fn sample(&self, character: &Character, number: usize) -> SurfaceSample {
        // The R2 sequence distributes successive points evenly without randomness.
        let (u, v) = ((number as f32 * 0.754_877_7).fract(), (number as f32 * 0.569_840_3).fract());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let [a, b, c] = self.corners.map(|i| self.primitive.positions[i]);
        let mesh = &character.meshes[self.mesh];
        let skin = effective_skin(character, mesh, self.primitive);
        let (joints, weights) = skin.map_or(([0; 4], [0.0; 4]), |skin| {
            let corner = self.corners[0];
            let palette = character.skins[skin].joints.len();
            sanitize_weights(self.primitive.joints[corner], self.primitive.weights[corner], palette)
        });
        SurfaceSample {
            position: a + (b - a) * u + (c - a) * v,
            mesh: self.mesh,
            bone: mesh.bone.index(),
            skin,
            joints,
            weights,
        }
    }
}

/// Side of the shadow texture, in texels.
const SHADOW_TEXELS: usize = 64;

/// The darkness of the ground in a square.
#[derive(Clone, Debug)]
pub(super) struct ShadowDensity {
    /// The x and z coordinates of the centre of the square.
    center: Vec2,
    /// Half the side of the square, in metres.
    half_size: f32,
    /// Rows from -z to +z, with values in 0..=1.
    density: Vec<f32>,
}

impl ShadowDensity {
    /// Computes the density. `ground` is the height of the ground in metres. Returns `None` if no point is near the
    /// ground.
    fn new(samples: &SurfaceSamples, ground: f32) -> Option<Self> {
        let [low, high] = samples.bounds()?;
        let tall = (high.y - ground).clamp(0.05, 50.0);
        let weight = |p: &Vec3| libm::expf(-(p.y - ground).max(0.0) / (0.3 * tall));
        let sum: f32 = samples.world_positions.iter().map(weight).sum();
        let middle = samples.world_positions.iter().map(|p| Vec2::new(p.x, p.z) * weight(p)).sum::<Vec2>() / sum;
        if !(middle.is_finite() && low.y < ground + tall) {
            return None;
        }
        // The square is wide enough for separate contact points, such as the paws of a long animal.
        let apart = |p: &Vec3| weight(p) * Vec2::new(p.x, p.z).distance_squared(middle);
        let spread = (samples.world_positions.iter().map(apart).sum::<f32>() / sum).sqrt();
        let half = 0.4 * tall + 1.9 * spread;
        let texel = 2.0 * half / SHADOW_TEXELS as f32;
        let (mut close, mut wide) =
            (vec![0.0; SHADOW_TEXELS * SHADOW_TEXELS], vec![0.0; SHADOW_TEXELS * SHADOW_TEXELS]);
        for p in &samples.world_positions {
            let at = (Vec2::new(p.x, p.z) - middle + half) / texel;
            let above = (p.y - ground).max(0.0) / tall;
            let share = samples.sample_area / (texel * texel);
            splat(&mut close, at, share * libm::expf(-above / 0.035));
            splat(&mut wide, at, share * libm::expf(-above / 0.3));
        }
        (0..3).for_each(|_| blur(&mut close, 1));
        (0..3).for_each(|_| blur(&mut wide, 5));
        let dark = |i: usize| {
            let (x, y) = ((i % SHADOW_TEXELS) as f32 + 0.5, (i / SHADOW_TEXELS) as f32 + 0.5);
            let out = (Vec2::new(x, y) / SHADOW_TEXELS as f32 * 2.0 - 1.0).length();
            let window = 1.0 - ((out - 0.6) / 0.38).clamp(0.0, 1.0);
            (1.0 - libm::expf(-1.2 * close[i] - 0.42 * wide[i])) * window * window * (3.0 - 2.0 * window)
        };
        Some(Self { center: middle, half_size: half, density: (0..SHADOW_TEXELS * SHADOW_TEXELS).map(dark).collect() })
    }
}

/// Distributes `amount` over the four texels around a position.
fn splat(map: &mut [f32], at: Vec2, amount: f32) {
    let corner = (at - 0.5).floor();
    let f = at - 0.5 - corner;
    for (dx, dy, share) in
        [(0, 0, (1.0 - f.x) * (1.0 - f.y)), (1, 0, f.x * (1.0 - f.y)), (0, 1, (1.0 - f.x) * f.y), (1, 1, f.x * f.y)]
    {
        let (x, y) = (corner.x as i64 + dx, corner.y as i64 + dy);
        if (0..SHADOW_TEXELS as i64).contains(&x) && (0..SHADOW_TEXELS as i64).contains(&y) {
            map[y as usize * SHADOW_TEXELS + x as usize] += amount * share;
        }
    }
}

/// Applies a box blur of `2 * radius + 1` texels along both axes.
fn blur(map: &mut [f32], radius: usize) {
    let mut line = [0.0; SHADOW_TEXELS];
    for (start, stride) in
        (0..SHADOW_TEXELS).map(|y| (y * SHADOW_TEXELS, 1)).chain((0..SHADOW_TEXELS).map(|x| (x, SHADOW_TEXELS)))
    {
        for (i, value) in line.iter_mut().enumerate() {
            *value = map[start + i * stride];
        }
        let mut sum: f32 = line[..radius].iter().sum();
        for i in 0..SHADOW_TEXELS {
            sum += line.get(i + radius).copied().unwrap_or(0.0);
            if i > radius {
                sum -= line[i - radius - 1];
            }
            map[start + i * stride] = (sum / (2 * radius + 1) as f32).max(0.0);
        }
    }
}

pub(super) struct GroundShadow {
    program: Program,
    corners: VertexBuffer<[f32; 2]>,
    texture: Texture2D,
    texels: Vec<u8>,
    /// The density in the texture and the height of its ground; `None` after a change of the character.
    current: Option<(f32, Option<ShadowDensity>)>,
}

impl GroundShadow {
    pub(super) fn new(context: &Context) -> Result<Self, RenderError> {
        let (vertex, fragment) = (include_str!("shaders/shadow.vert"), include_str!("shaders/shadow.frag"));
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        Ok(Self {
            program: compile_program(context, vertex, fragment)?,
            corners: VertexBuffer::new_with_data(context, &corners),
            texture: gl::data_texture::<u8>(context, SHADOW_TEXELS as u32, SHADOW_TEXELS as u32, true),
            texels: Vec::new(),
            current: None,
        })
    }

    /// Computes the density again at the next draw.
    pub(super) fn invalidate(&mut self) {
        self.current = None;
    }

    /// Computes and uploads the density of points, unless the texture already has it.
    fn update(&mut self, ground: f32, samples: &SurfaceSamples) {
        if self.current.as_ref().is_some_and(|(height, _)| *height == ground) {
            return;
        }
        let density = ShadowDensity::new(samples, ground);
        if let Some(density) = &density {
            self.texels.clear();
            self.texels.extend(density.density.iter().map(|d| (d * 255.0).round() as u8));
            self.texture.fill(&self.texels);
        }
        self.current = Some((ground, density));
    }

    pub(super) fn draw(
        &mut self,
        camera: &CameraView,
        viewport: Viewport,
        backdrop: &Backdrop,
        ground: f32,
        samples: &SurfaceSamples,
    ) {
        // Seen from below, the shadow would cover the soles.
        let above = ((camera.eye.y - ground) / camera.distance.max(1e-3) * 20.0).clamp(0.0, 1.0);
        let strength = backdrop.shadow.clamp(0.0, 1.0) * above;
        if strength <= 0.0 {
            return;
        }
        self.update(ground, samples);
        let Some((_, Some(print))) = &self.current else { return };
        let p = &self.program;
        set_uniform(p, "clipFromWorld", gl_mat4(camera.view_projection()));
        // The square is slightly below the ground, so soles on the ground cover the shadow.
        let height = ground - 0.0015 * print.half_size;
        set_uniform(p, "square", three_d::vec4(print.center.x, print.center.y, height, print.half_size));
        set_uniform(p, "shadow", three_d::vec4(0.03, 0.035, 0.05, strength));
        p.use_texture("density", &self.texture);
        p.use_vertex_attribute("corner", &self.corners);
        p.draw_arrays(ground_render_states(), viewport, 6);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blurring_keeps_the_sum_and_spreads_by_its_radius() {
        let mut map = vec![0.0; SHADOW_TEXELS * SHADOW_TEXELS];
        splat(&mut map, Vec2::splat(32.0), 1.0);
        blur(&mut map, 3);
        let sum: f32 = map.iter().sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
        assert!(map[32 * SHADOW_TEXELS + 34] > 0.0 && map[32 * SHADOW_TEXELS + 40] == 0.0);
    }

    #[test]
    fn the_shadow_is_darkest_below_contact_points() {
        let low = |x: f32| Vec3::new(x, 0.0, 0.0);
        let posed = (0..100).flat_map(|i| [low(0.3 + i as f32 * 1e-4), Vec3::new(-0.3, 1.0, 0.0)]).collect();
        let samples = SurfaceSamples { samples: vec![], sample_area: 1e-3, world_positions: posed };
        let print = ShadowDensity::new(&samples, 0.0).expect("a point is near the ground");
        let at = |x: f32| {
            let t = Vec2::new(x - print.center.x + print.half_size, print.half_size - print.center.y)
                / (2.0 * print.half_size);
            print.density[(t.y * SHADOW_TEXELS as f32) as usize * SHADOW_TEXELS + (t.x * SHADOW_TEXELS as f32) as usize]
        };
        assert!(at(0.3) > 3.0 * at(-0.3), "{} and {}", at(0.3), at(-0.3));
    }
}
