//! Floor 6: the character on the GPU: meshes, skinning, materials, grid, off-screen pictures. No egui, no editing.
