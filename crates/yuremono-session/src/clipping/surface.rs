//! The surface of the body, and the points of hair and cloth that are tested against it.
//!
//! A vertex is moving if at least half of its weight belongs to simulated joints, or to bones below them without a
//! humanoid role. Triangles without moving vertices are the body. Breasts and ears are a part of the body, because they
//! are inside its outline by design. A connected part that is mostly moving, such as a strand of hair with a rigid root,
//! has no body.
//!
//! A chain cannot be in the body where its own cloth is attached: the rigid part of a sleeve at the forearm is not a body
//! for the chains of this sleeve.
//!
//! Openings of connected parts are closed by triangles, so that every point is either inside or outside. Only visible
//! meshes count, without morph targets. Normals decide which side is inside: mirrored bones and parts that are inside
//! out, such as the hull of an outline, are turned.

use super::ClippingError;
use glam::{Mat4, Vec3};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use yuremono_model::document::{ChainId, ChainPart, Document, RestFrames};
use yuremono_model::tools::clipping_fixes::body_part_bones;
use yuremono_sim::math::TriangleTree;
use yuremono_sim::rig::skinning::{SkinMatrices, blend_matrix, effective_skin, sanitize_weights};
use yuremono_sim::rig::{BoneId, Character, Mesh, Pose, Primitive, Skeleton, WorldPose};

/// Minimum share of a moving vertex's weight that belongs to simulated joints.
const MOVING_WEIGHT: f32 = 0.5;
/// Share of moving vertices from which a connected part has no body.
const MOVING_PART: f32 = 0.8;
/// A connected part is inside out if its signed volume is below this multiple of its area to the power of 1.5. The
/// multiple is -0.094 for a sphere that is inside out, and about 0 for a flat part.
const INSIDE_OUT: f32 = -0.02;
/// Distance between points as a share of the size of the body.
const POINT_SPACING: f32 = 0.01;
/// Largest number of rows of points in a triangle.
const MAX_ROWS: u32 = 12;
/// Part of the first joint's length that is attached to the body. Points there are not tested.
const ATTACHED_SHARE: f32 = 0.25;
/// Depth below which a point is not clipping, as a share of the size of the body: 1.5 mm for a person.
const TOLERANCE: f32 = 0.001;

/// Vertices with the same skin.
#[derive(Clone, Debug)]
struct VertexBatch {
    mesh_bone: BoneId,
    skin: Option<usize>,
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct SkinnedVertex {
    position: Vec3,
    joints: [u16; 4],
    weights: [f32; 4],
}

/// The bones that a vertex follows.
#[derive(Clone, Copy, Debug)]
struct VertexOwner {
    /// The simulated joint with most weight, as an index into [`ClippingSurface::joints`]. `None` for vertices of the body.
    joint: Option<u32>,
    /// The bone with most weight.
    bone: BoneId,
}

/// A point of hair or cloth: a mean of three vertices.
#[derive(Clone, Copy, Debug)]
struct TestPoint {
    corners: [u32; 3],
    weights: Vec3,
    joint: u32,
    /// Depth in the body in the rest pose, in metres; 0 outside.
    rest_depth: f32,
}

impl TestPoint {
    fn position(&self, vertices: &[Vec3]) -> Vec3 {
        let corner = |at: usize| vertices[self.corners[at] as usize];
        corner(0) * self.weights.x + corner(1) * self.weights.y + corner(2) * self.weights.z
    }
}

/// A part of the surface of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BodyPart {
    /// The bone of the part: a humanoid bone if the character has any.
    bone: BoneId,
    /// Number of the connected part of a mesh.
    surface: u32,
}

/// A point inside the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClippingPoint {
    /// Index into [`ClippingSurface::joints`].
    pub joint: u32,
    /// The bone of the entered part of the body.
    pub body_bone: BoneId,
    /// Depth in metres, beyond the depth in the rest pose.
    pub depth: f32,
}

/// The surface of a character, split into body and moving points.
#[derive(Clone, Debug)]
pub(super) struct ClippingSurface {
    vertices: Vec<SkinnedVertex>,
    batches: Vec<VertexBatch>,
    /// The body in the rest pose.
    tree: TriangleTree,
    /// The part of the body of each triangle in the tree.
    body_parts: Vec<BodyPart>,
    /// The parts at which the cloth of a chain is attached.
    own_parts: BTreeSet<(ChainId, BodyPart)>,
    points: Vec<TestPoint>,
    joints: Vec<(ChainId, BoneId)>,
    /// Depth below which a point is not clipping, in metres.
    tolerance: f32,
}

/// Buffers for the surface in a pose.
#[derive(Debug)]
pub(super) struct PosedSurface {
    matrices: SkinMatrices,
    /// Positions of the vertices.
    positions: Vec<Vec3>,
    /// Positions of the points of hair and cloth.
    points: Vec<Vec3>,
    tree: TriangleTree,
}

impl ClippingSurface {
    /// Meshes beyond the end of `visible` are visible.
    pub(super) fn new(character: &Character, document: &Document, visible: &[bool]) -> Result<Self, ClippingError> {
        let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        let (joints, owners) = moving_bones(character, document);
        if joints.is_empty() {
            return Err(ClippingError::NoJoints);
        }
        let mut builder = SurfaceBuilder::new(character, &owners, &rest);
        for (index, mesh) in character.meshes.iter().enumerate() {
            if visible.get(index).copied().unwrap_or(true) {
                builder.add_mesh(mesh);
            }
        }
        let SurfaceBuilder { vertices, batches, positions, vertex_owners, body, surfaces, moving, .. } = builder;
        let tree = TriangleTree::new(&body, &positions);
        let parts = body_part_bones(character);
        // Corners can follow different bones; the bone of most corners is the part that the triangle belongs to.
        let body_bone = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|i| parts[vertex_owners[i as usize].bone.index()]);
            if b == c { b } else { a }
        };
        let size = tree.extent();
        let numbered = (0..).zip(&surfaces);
        let of_surface = numbered.flat_map(|(at, surface)| std::iter::repeat_n(at, surface.triangles));
        let body_parts =
            body.iter().zip(of_surface).map(|(triangle, surface)| BodyPart { bone: body_bone(triangle), surface });
        let mut surface = Self {
            body_parts: body_parts.collect(),
            own_parts: own_parts(&surfaces, &joints, document, &character.skeleton, &parts),
            vertices,
            batches,
            tree,
            points: Vec::new(),
            joints,
            tolerance: TOLERANCE * size,
        };
        let attachments = surface.attachments(document, &character.skeleton);
        let sampler = PointSampler { positions: &positions, owners: &vertex_owners, spacing: POINT_SPACING * size };
        surface.points = sampler.sample(&moving, |joint, position| {
            attachments.get(&joint).is_some_and(|attachment| attachment.contains(position))
        });
        match () {
            () if body.is_empty() => return Err(ClippingError::NoBody),
            () if surface.points.is_empty() => return Err(ClippingError::NoMovingMesh),
            () => {}
        }
        let points: Vec<Vec3> = surface.points.iter().map(|point| point.position(&positions)).collect();
        for at in surface.tree.points_inside(&points, &positions) {
            let found = surface.depth(&surface.tree, at, &points);
            surface.points[at as usize].rest_depth = found.map_or(0.0, |(depth, _)| depth);
        }
        surface.remove_unused_vertices();
        Ok(surface)
    }

    /// Returns the same body with only the points of these chains. The joints keep their indices.
    pub(super) fn with_chains(&self, chains: &BTreeSet<ChainId>) -> Self {
        let mut surface = self.clone();
        surface.points.retain(|point| chains.contains(&self.chain(point.joint)));
        surface.remove_unused_vertices();
        surface
    }

    /// Removes the vertices of neither a point nor the body.
    fn remove_unused_vertices(&mut self) {
        let mut is_used = vec![false; self.vertices.len()];
        let corners = self.points.iter().flat_map(|point| point.corners);
        self.tree.vertices().chain(corners).for_each(|vertex| is_used[vertex as usize] = true);
        let mut next = 0;
        let mut new_indices = vec![0_u32];
        new_indices.extend(is_used.iter().map(|used| {
            next += u32::from(*used);
            next
        }));
        let mut used = is_used.iter();
        self.vertices.retain(|_| used.next() == Some(&true));
        self.batches.iter_mut().for_each(|batch| batch.end = new_indices[batch.end] as usize);
        self.tree.renumber_vertices(|vertex| new_indices[vertex as usize]);
        self.points
            .iter_mut()
            .for_each(|point| point.corners = point.corners.map(|vertex| new_indices[vertex as usize]));
    }

    /// The chain of a joint.
    pub(super) fn chain(&self, joint: u32) -> ChainId {
        self.joints[joint as usize].0
    }

    /// The regions at which the first joints of chains are attached to the body.
    fn attachments(&self, document: &Document, skeleton: &Skeleton) -> BTreeMap<u32, Attachment> {
        let rest_frames = RestFrames::of(document, skeleton);
        let attachment = |(at, (chain, bone)): (usize, &(ChainId, BoneId))| {
            let first = document.chains.get(chain)?.joints.first().filter(|joint| joint.bone == *bone)?;
            let head = rest_frames.head(*bone)?;
            let axis = rest_frames.tip(skeleton, first)? - head;
            Some((at as u32, Attachment { head, axis }))
        };
        self.joints.iter().enumerate().filter_map(attachment).collect()
    }

    /// The chain and the bone of each joint with points.
    pub(super) fn joints(&self) -> &[(ChainId, BoneId)] {
        &self.joints
    }

    pub(super) fn point_count(&self) -> usize {
        self.points.len()
    }

    pub(super) fn tolerance(&self) -> f32 {
        self.tolerance
    }

    /// Creates the buffers for [`Self::find`].
    pub(super) fn posed(&self) -> PosedSurface {
        let (matrices, tree) = (SkinMatrices::default(), self.tree.clone());
        PosedSurface { matrices, positions: Vec::new(), points: Vec::new(), tree }
    }

    /// Returns the position and the joint of every point in the pose of the last [`Self::find`].
    pub(super) fn posed_points<'a>(&'a self, posed: &'a PosedSurface) -> impl Iterator<Item = (Vec3, u32)> + 'a {
        posed.points.iter().copied().zip(self.points.iter().map(|point| point.joint))
    }

    /// Calls `each` with every point that is deeper in the body than in the rest pose.
    pub(super) fn find(
        &self,
        character: &Character,
        pose: &WorldPose,
        posed: &mut PosedSurface,
        mut each: impl FnMut(ClippingPoint),
    ) {
        posed.matrices.update(&character.skins, pose);
        posed.positions.clear();
        for batch in &self.batches {
            let vertices = &self.vertices[posed.positions.len()..batch.end];
            batch.append_positions(vertices, &posed.matrices, pose, &mut posed.positions);
        }
        posed.points.clear();
        posed.points.extend(self.points.iter().map(|point| point.position(&posed.positions)));
        for at in posed.tree.points_inside(&posed.points, &posed.positions) {
            let Some((depth, body_bone)) = self.depth(&posed.tree, at, &posed.points) else { continue };
            let point = &self.points[at as usize];
            let depth = depth - point.rest_depth;
            if depth > self.tolerance {
                each(ClippingPoint { joint: point.joint, body_bone, depth });
            }
        }
    }

    /// Returns the distance from a point in the body to the surface, and the bone of the nearest part of the body. `points`
    /// are the positions of all points.
    fn depth(&self, tree: &TriangleTree, at: u32, points: &[Vec3]) -> Option<(f32, BoneId)> {
        let near = tree.nearest_behind(points[at as usize])?;
        let part = self.body_parts[near.triangle];
        let chain = self.chain(self.points[at as usize].joint);
        (!self.own_parts.contains(&(chain, part))).then_some((near.distance, part.bone))
    }
}

/// Returns the parts of the body at which the cloth of each chain is attached. `parts` is that of [`body_part_bones`].
fn own_parts(
    surfaces: &[BodySurface],
    joints: &[(ChainId, BoneId)],
    document: &Document,
    skeleton: &Skeleton,
    parts: &[BoneId],
) -> BTreeSet<(ChainId, BodyPart)> {
    let mut own = BTreeSet::new();
    for (surface, BodySurface { joints: moving, .. }) in (0..).zip(surfaces) {
        let chains = moving.iter().map(|joint| joints[*joint as usize].0);
        own.extend(chains.filter_map(|chain| {
            let root = document.chains.get(&chain)?.root();
            let attached_to = skeleton.parent(root).unwrap_or(root);
            Some((chain, BodyPart { bone: *parts.get(attached_to.index())?, surface }))
        }));
    }
    own
}

/// The region of a first joint that is attached to the body.
#[derive(Clone, Copy, Debug)]
struct Attachment {
    head: Vec3,
    axis: Vec3,
}

impl Attachment {
    fn contains(&self, point: Vec3) -> bool {
        (point - self.head).dot(self.axis) < ATTACHED_SHARE * self.axis.length_squared()
    }
}

/// Returns the simulated joints, and the index of the joint that moves each bone.
fn moving_bones(character: &Character, document: &Document) -> (Vec<(ChainId, BoneId)>, Vec<Option<u32>>) {
    let skeleton = &character.skeleton;
    let sways = |part: ChainPart| !matches!(part, ChainPart::Breast | ChainPart::Ear);
    let mut of_bone: BTreeMap<BoneId, Option<ChainId>> = BTreeMap::new();
    for (id, chain) in &document.chains {
        let enabled = chain.joints.iter().filter(|joint| joint.enabled && joint.bone.index() < skeleton.len());
        of_bone.extend(enabled.map(|joint| (joint.bone, sways(chain.part).then_some(*id))));
    }
    let mut joints = Vec::new();
    let mut owners: Vec<Option<u32>> = Vec::with_capacity(skeleton.len());
    for bone in skeleton.ids() {
        let above = skeleton.parent(bone).and_then(|parent| owners[parent.index()]);
        owners.push(match of_bone.get(&bone) {
            Some(Some(chain)) => {
                joints.push((*chain, bone));
                Some(joints.len() as u32 - 1)
            }
            Some(None) => None,
            None => above.filter(|_| character.humanoid.role(bone).is_none()),
        });
    }
    (joints, owners)
}

impl VertexBatch {
    /// Appends the world positions of the vertices of the batch.
    fn append_positions(
        &self,
        vertices: &[SkinnedVertex],
        matrices: &SkinMatrices,
        pose: &WorldPose,
        positions: &mut Vec<Vec3>,
    ) {
        if let Some(skin) = self.skin {
            let matrices = matrices.joint_matrices(skin);
            let place = |v: &SkinnedVertex| blend_matrix(matrices, v.joints, v.weights).transform_point3(v.position);
            positions.extend(vertices.iter().map(place));
        } else {
            let frame = pose.frames.get(self.mesh_bone.index()).copied().unwrap_or_default();
            positions.extend(vertices.iter().map(|v| frame.transform_point(v.position)));
        }
    }
}

/// A connected part of the body.
struct BodySurface {
    /// Number of triangles.
    triangles: usize,
    /// The joints that move a part of the same cloth.
    joints: BTreeSet<u32>,
}

/// Collects the vertices and triangles of meshes.
struct SurfaceBuilder<'a> {
    character: &'a Character,
    /// The joint that moves each bone.
    bone_owners: &'a [Option<u32>],
    rest: &'a WorldPose,
    matrices: SkinMatrices,
    vertices: Vec<SkinnedVertex>,
    batches: Vec<VertexBatch>,
    /// Positions in the rest pose.
    positions: Vec<Vec3>,
    vertex_owners: Vec<VertexOwner>,
    body: Vec<[u32; 3]>,
    /// The connected parts of the body, in the order of their triangles.
    surfaces: Vec<BodySurface>,
    /// Triangles whose corners all move.
    moving: Vec<[u32; 3]>,
}

impl<'a> SurfaceBuilder<'a> {
    fn new(character: &'a Character, bone_owners: &'a [Option<u32>], rest: &'a WorldPose) -> Self {
        Self {
            character,
            bone_owners,
            rest,
            matrices: SkinMatrices::of(&character.skins, rest),
            vertices: Vec::new(),
            batches: Vec::new(),
            positions: Vec::new(),
            vertex_owners: Vec::new(),
            body: Vec::new(),
            surfaces: Vec::new(),
            moving: Vec::new(),
        }
    }

    fn add_mesh(&mut self, mesh: &Mesh) {
        let first = self.vertices.len();
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for primitive in &mesh.primitives {
            let material = self.character.materials.get(primitive.material);
            if material.is_some_and(|material| material.base_color[3] <= 0.0) {
                continue;
            }
            self.add_primitive(mesh, primitive, &mut triangles);
        }
        let is_finite = |triangle: &[u32; 3]| triangle.iter().all(|i| self.positions[*i as usize].is_finite());
        triangles.retain(is_finite);
        for mut part in connected_parts(&triangles, &self.positions, first) {
            let is_moving = |i: u32| self.vertex_owners[i as usize].joint.is_some();
            let corners = part.iter().flatten().filter(|i| is_moving(**i)).count();
            let share = corners as f32 / (3 * part.len()) as f32;
            let joints = part.iter().flatten().filter_map(|i| self.vertex_owners[*i as usize].joint).collect();
            self.moving.extend(part.iter().filter(|triangle| triangle.iter().all(|i| is_moving(*i))));
            part.retain(|triangle| triangle.iter().all(|i| !is_moving(*i)));
            if share < MOVING_PART {
                if is_inside_out(&part, &self.positions) {
                    for triangle in &mut part {
                        triangle.swap(1, 2);
                    }
                }
                let closing = closing_triangles(&part, &self.positions);
                self.surfaces.push(BodySurface { triangles: part.len() + closing.len(), joints });
                self.body.append(&mut part);
                self.body.extend(closing);
            }
        }
    }

    /// Adds the vertices that triangles use. Appends the triangles, with indices of the added vertices.
    fn add_primitive(&mut self, mesh: &Mesh, primitive: &Primitive, triangles: &mut Vec<[u32; 3]>) {
        let skin = effective_skin(self.character, mesh, primitive);
        let mut added: Vec<Option<u32>> = vec![None; primitive.positions.len()];
        let first = self.vertices.len();
        for triangle in primitive.indices.as_chunks::<3>().0 {
            if triangle.iter().any(|i| *i as usize >= added.len()) {
                continue;
            }
            let corners = triangle.map(|i| {
                *added[i as usize].get_or_insert_with(|| {
                    let (vertex, owner) = self.vertex(mesh.bone, skin, primitive, i as usize);
                    self.vertices.push(vertex);
                    self.vertex_owners.push(owner);
                    self.vertices.len() as u32 - 1
                })
            });
            triangles.push(corners);
        }
        let batch = VertexBatch { mesh_bone: mesh.bone, skin, end: self.vertices.len() };
        batch.append_positions(&self.vertices[first..], &self.matrices, self.rest, &mut self.positions);
        self.batches.push(batch);
        // A mirrored bone turns the triangles.
        let appended = triangles.iter_mut().filter(|triangle| triangle[0] as usize >= first);
        for triangle in appended {
            if self.is_mirrored(mesh.bone, skin, triangle[0]) {
                triangle.swap(1, 2);
            }
        }
    }

    fn is_mirrored(&self, bone: BoneId, skin: Option<usize>, vertex: u32) -> bool {
        let vertex = &self.vertices[vertex as usize];
        let matrix = match skin {
            Some(skin) => blend_matrix(self.matrices.joint_matrices(skin), vertex.joints, vertex.weights),
            None => self.rest.frames.get(bone.index()).map_or(Mat4::IDENTITY, |f| Mat4::from(f.to_affine())),
        };
        matrix.determinant() < 0.0
    }

    fn vertex(
        &self,
        mesh_bone: BoneId,
        skin: Option<usize>,
        primitive: &Primitive,
        at: usize,
    ) -> (SkinnedVertex, VertexOwner) {
        let position = primitive.positions[at];
        let owner_of = |bone: BoneId| self.bone_owners.get(bone.index()).copied().flatten();
        let Some(skin) = skin else {
            let vertex = SkinnedVertex { position, joints: [0; 4], weights: [0.0; 4] };
            return (vertex, VertexOwner { joint: owner_of(mesh_bone), bone: mesh_bone });
        };
        let bones = &self.character.skins[skin].joints;
        let (joints, weights) = sanitize_weights(primitive.joints[at], primitive.weights[at], bones.len());
        let influences = || joints.iter().zip(weights).map(|(joint, weight)| (bones[usize::from(*joint)], weight));
        let moving = influences().filter_map(|(bone, weight)| Some((owner_of(bone)?, weight)));
        let share: f32 = moving.clone().map(|(_, weight)| weight).sum();
        let strongest_joint = moving.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| joint);
        let is_fixed = |bone: &BoneId| owner_of(*bone).is_none();
        let fixed = influences().filter(|(bone, _)| share >= MOVING_WEIGHT || is_fixed(bone));
        let bone = fixed.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(mesh_bone, |(bone, _)| bone);
        let joint = strongest_joint.filter(|_| share >= MOVING_WEIGHT);
        (SkinnedVertex { position, joints, weights }, VertexOwner { joint, bone })
    }
}

/// The bits of a position. Vertices are split at seams of normals and texture coordinates, and between materials; their
/// positions are equal.
fn position_key(position: Vec3) -> [u32; 3] {
    (position + 0.0).to_array().map(f32::to_bits)
}

/// Groups triangles that share positions. `first` is the first vertex of the triangles.
fn connected_parts(triangles: &[[u32; 3]], positions: &[Vec3], first: usize) -> Vec<Vec<[u32; 3]>> {
    let mut at_position: HashMap<[u32; 3], usize> = HashMap::new();
    let mut parents: Vec<usize> = (0..positions.len() - first).collect();
    for (at, position) in positions[first..].iter().enumerate() {
        parents[at] = *at_position.entry(position_key(*position)).or_insert(at);
    }
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| root_of(&mut parents, i as usize - first));
        let root = a.min(b).min(c);
        for corner in [a, b, c] {
            parents[corner] = root;
        }
    }
    let mut parts: BTreeMap<usize, Vec<[u32; 3]>> = BTreeMap::new();
    for triangle in triangles {
        parts.entry(root_of(&mut parents, triangle[0] as usize - first)).or_default().push(*triangle);
    }
    parts.into_values().collect()
}

fn root_of(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

/// Returns triangles that close the openings of a surface: from each open edge to one vertex of its opening.
fn closing_triangles(triangles: &[[u32; 3]], positions: &[Vec3]) -> Vec<[u32; 3]> {
    let mut at_position: HashMap<[u32; 3], u32> = HashMap::new();
    let welded = |i: u32| *at_position.entry(position_key(positions[i as usize])).or_insert(i);
    let corners: Vec<u32> = triangles.iter().flatten().copied().map(welded).collect();
    let edges = || corners.as_chunks::<3>().0.iter().flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)]);
    // How often an edge has a triangle at its left, minus how often at its right.
    let mut balance: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for (a, b) in edges() {
        *balance.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
    }
    let open: Vec<(u32, u32, i32)> =
        balance.into_iter().filter(|(_, count)| *count != 0).map(|((a, b), count)| (a, b, count)).collect();
    let vertices: BTreeMap<u32, usize> = open.iter().flat_map(|(a, b, _)| [*a, *b]).zip(0..).collect();
    let mut parents: Vec<usize> = (0..2 * open.len()).collect();
    for (a, b, _) in &open {
        let [a, b] = [a, b].map(|i| root_of(&mut parents, vertices[i]));
        parents[a.max(b)] = a.min(b);
    }
    let mut apexes: BTreeMap<usize, u32> = BTreeMap::new();
    let mut closing = Vec::new();
    for (a, b, count) in open {
        let apex = *apexes.entry(root_of(&mut parents, vertices[&a])).or_insert(a);
        if apex != a && apex != b {
            let triangle = if count > 0 { [apex, b, a] } else { [apex, a, b] };
            closing.extend(std::iter::repeat_n(triangle, count.unsigned_abs() as usize));
        }
    }
    closing
}

/// Whether the normals of a connected part point to its inside.
fn is_inside_out(triangles: &[[u32; 3]], positions: &[Vec3]) -> bool {
    let corners = || triangles.iter().map(|triangle| triangle.map(|i| positions[i as usize]));
    let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(c - a).length();
    let total: f32 = corners().map(area).sum();
    let center = corners().map(|t| area(t) / total * (t[0] + t[1] + t[2]) / 3.0).sum::<Vec3>();
    let volume: f32 = corners().map(|t| t.map(|p| p - center)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
    volume < INSIDE_OUT * libm::powf(total, 1.5)
}

/// Distributes points over moving triangles.
struct PointSampler<'a> {
    positions: &'a [Vec3],
    owners: &'a [VertexOwner],
    spacing: f32,
}

impl PointSampler<'_> {
    /// Returns the corners of the triangles, and points between the corners of large triangles. At most one point of a
    /// joint is in a cell of the size of the spacing. Leaves out points for which `is_attached` returns true.
    fn sample(&self, triangles: &[[u32; 3]], is_attached: impl Fn(u32, Vec3) -> bool) -> Vec<TestPoint> {
        let mut points = Vec::new();
        let mut taken: HashSet<(u32, [i32; 3])> = HashSet::new();
        for corners in triangles {
            let [a, b, c] = corners.map(|i| self.positions[i as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let rows = ((longest / self.spacing).ceil() as u32).clamp(1, MAX_ROWS);
            for (i, j) in (0..=rows).flat_map(|i| (0..=rows - i).map(move |j| (i, j))) {
                let weights = Vec3::new(i as f32, j as f32, (rows - i - j) as f32) / rows as f32;
                let strongest = corners[weights.max_position()];
                let Some(joint) = self.owners[strongest as usize].joint else { continue };
                let point = TestPoint { corners: *corners, weights, joint, rest_depth: 0.0 };
                let position = point.position(self.positions);
                let cell = (position / self.spacing).floor().as_ivec3().to_array();
                if !is_attached(joint, position) && taken.insert((joint, cell)) {
                    points.push(point);
                }
            }
        }
        points
    }
}
