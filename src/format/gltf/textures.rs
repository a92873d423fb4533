//! `textures` and `samplers`: which image a material means, and how it repeats.

use super::super::gltf_json::json::{Fault, Json, Notes};
use crate::rig::{TextureRef, Wrap};
use glam::Vec2;
use gltf::json::texture::{MagFilter, VALID_MAG_FILTERS, VALID_WRAPPING_MODES, WrappingMode};
use std::cell::RefCell;
use std::collections::HashMap;

/// The textures of a file; notes which images are asked for, so that no other is decoded.
#[derive(Debug)]
pub(crate) struct Textures<'a, 'n> {
    entries: Vec<Option<Json<'a>>>,
    samplers: Vec<Option<Json<'a>>>,
    /// By number: what the texture means, its image still by the file's number.
    resolved: Vec<Option<TextureRef>>,
    images: usize,
    /// By the file's number: where the image will stand.
    used: RefCell<HashMap<usize, usize>>,
    notes: &'n Notes<'n>,
}

impl<'a, 'n> Textures<'a, 'n> {
    pub(crate) fn new(root: &Json<'a>, notes: &'n Notes<'n>) -> Result<Self, Fault> {
        let optional = |key| -> Result<Vec<Option<Json<'a>>>, Fault> {
            Ok(root.objects(key)?.map(|json| notes.keep(json, "it is left out")).collect())
        };
        let textures = Self {
            entries: optional("textures")?,
            samplers: optional("samplers")?,
            resolved: Vec::new(),
            images: root.list("images")?.len(),
            used: RefCell::default(),
            notes,
        };
        let resolved: Vec<_> =
            (0..textures.entries.len()).map(|i| notes.keep(textures.resolve(i), "the texture is left out")).collect();
        Ok(Self { resolved: resolved.into_iter().map(Option::flatten).collect(), ..textures })
    }

    /// The `textureInfo` under `key`; a broken one counts as absent, with a warning.
    pub(crate) fn of(&self, owner: &Json<'_>, key: &str) -> Option<TextureRef> {
        let info = self.notes.keep(owner.object(key), "the texture is left out").flatten()?;
        self.notes.keep(self.read(&info), "the texture is left out").flatten()
    }

    fn read(&self, info: &Json<'_>) -> Result<Option<TextureRef>, Fault> {
        let texture = info.required_index("index", self.entries.len(), "texture")?;
        let Some(mut found) = self.numbered(texture) else { return Ok(None) };
        let mut set = info.whole("texCoord")?.unwrap_or(0);
        if let Some(transform) = info.extension("KHR_texture_transform")? {
            found.offset = transform.numbers("offset")?.map_or(found.offset, Vec2::from_array);
            found.scale = transform.numbers("scale")?.map_or(found.scale, Vec2::from_array);
            found.rotation = transform.number("rotation")?.unwrap_or(found.rotation);
            set = transform.whole("texCoord")?.unwrap_or(set);
        }
        if set != 0 {
            let message = format!("texture coordinates {set} are asked for; the first ones are used");
            self.notes.info(info.pointer_to("texCoord"), message);
        }
        Ok(Some(found))
    }

    /// A texture that is only checked, because it is not drawn.
    pub(crate) fn check(&self, owner: &Json<'_>, key: &str) {
        let index = |info: Option<Json<'_>>| match info {
            Some(info) => info.required_index("index", self.entries.len(), "texture").map(Some),
            None => Ok(None),
        };
        self.notes.keep(owner.object(key).and_then(index), "the texture is left out");
    }

    /// A texture by its number; `None` where it was left out.
    pub(crate) fn numbered(&self, index: usize) -> Option<TextureRef> {
        let found = (*self.resolved.get(index)?)?;
        Some(TextureRef { image: self.slot(found.image), ..found })
    }

    fn resolve(&self, index: usize) -> Result<Option<TextureRef>, Fault> {
        let Some(Some(texture)) = self.entries.get(index) else { return Ok(None) };
        let webp =
            texture.extension("EXT_texture_webp")?.map(|x| x.index("source", self.images, "image")).transpose()?;
        let image = match webp.flatten() {
            Some(image) => image,
            None => match texture.index("source", self.images, "image")? {
                Some(image) => image,
                None if texture.get("extensions").is_none() => return Ok(None),
                None => return Err(texture.broken("the texture names no image of a kind that is read")),
            },
        };
        let sampler = match texture.index("sampler", self.samplers.len(), "sampler")? {
            Some(sampler) => self.samplers[sampler].as_ref(),
            None => None,
        };
        let wrap = |key| -> Result<Wrap, Fault> {
            let wrap = sampler.map_or(Ok(None), |sampler| sampler.code(key, "wrapping mode", VALID_WRAPPING_MODES))?;
            Ok(match wrap.unwrap_or(WrappingMode::Repeat) {
                WrappingMode::Repeat => Wrap::Repeat,
                WrappingMode::MirroredRepeat => Wrap::Mirror,
                WrappingMode::ClampToEdge => Wrap::Clamp,
            })
        };
        let magnify =
            sampler.map_or(Ok(None), |sampler| sampler.code("magFilter", "magnification filter", VALID_MAG_FILTERS));
        let magnify = self.notes.keep(magnify, "it is magnified smoothly").flatten();
        Ok(Some(TextureRef {
            wrap: [wrap("wrapS")?, wrap("wrapT")?],
            nearest: magnify == Some(MagFilter::Nearest),
            image,
            offset: Vec2::ZERO,
            scale: Vec2::ONE,
            rotation: 0.0,
        }))
    }

    /// Where an image will stand in the character's list.
    fn slot(&self, image: usize) -> usize {
        let mut used = self.used.borrow_mut();
        let next = used.len();
        *used.entry(image).or_insert(next)
    }

    /// The numbers of the images that were asked for, in the order of their places.
    pub(crate) fn used(&self) -> Vec<usize> {
        let used = self.used.borrow();
        let mut order = vec![0; used.len()];
        #[expect(clippy::iter_over_hash_type, reason = "each entry says its own place")]
        for (image, place) in used.iter() {
            order[*place] = *image;
        }
        order
    }
}
