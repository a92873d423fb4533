//! Resolves `textures` and `samplers` to images and wrap modes.

use crate::gltf_json::json::{JsonError, JsonObject};
use glam::Vec2;
use gltf::json::texture::{MagFilter, VALID_MAG_FILTERS, VALID_WRAPPING_MODES, WrappingMode};
use std::cell::RefCell;
use std::collections::HashMap;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::{ScaledTexture, TextureRef, TextureWrap};

/// The textures of a file. Records which images are used, because other images need not be decoded.
#[derive(Debug)]
pub(crate) struct Textures<'a> {
    entries: Vec<Option<JsonObject<'a>>>,
    samplers: Vec<Option<JsonObject<'a>>>,
    /// For each texture, the resolved texture with the image index of the file.
    resolved: Vec<Option<TextureRef>>,
    image_count: usize,
    /// Maps the image index of the file to the index among the decoded images.
    image_slots: RefCell<HashMap<usize, usize>>,
}

impl<'a> Textures<'a> {
    pub(crate) fn new(root: &JsonObject<'a>) -> Result<Self, JsonError> {
        let optional = |key| -> Result<Vec<Option<JsonObject<'a>>>, JsonError> {
            Ok(root.objects(key)?.map(|json| root.ok_or_warn(json, "it is left out")).collect())
        };
        let textures = Self {
            entries: optional("textures")?,
            samplers: optional("samplers")?,
            resolved: Vec::new(),
            image_count: root.list("images")?.len(),
            image_slots: RefCell::default(),
        };
        let resolved: Vec<_> = (0..textures.entries.len())
            .map(|i| root.ok_or_warn(textures.resolve(i), "the texture is left out"))
            .collect();
        Ok(Self { resolved: resolved.into_iter().map(Option::flatten).collect(), ..textures })
    }

    /// Reads the `textureInfo` at `key`. An invalid `textureInfo` is treated as absent, with a warning.
    pub(crate) fn texture_at(&self, owner: &JsonObject<'_>, key: &str) -> Option<TextureRef> {
        let info = owner.ok_or_warn(owner.object(key), "the texture is left out").flatten()?;
        info.ok_or_warn(self.read(&info), "the texture is left out").flatten()
    }

    /// Like [`Self::texture_at`], with the `scale` of the `textureInfo`.
    pub(crate) fn scaled_texture_at(&self, owner: &JsonObject<'_>, key: &str) -> Option<ScaledTexture> {
        let texture = self.texture_at(owner, key)?;
        let info = owner.object(key).ok().flatten()?;
        Some(ScaledTexture { texture, scale: info.value_or(info.number("scale"), 1.0) })
    }

    fn read(&self, info: &JsonObject<'_>) -> Result<Option<TextureRef>, JsonError> {
        let texture = info.required_index("index", self.entries.len(), "texture")?;
        let Some(mut found) = self.by_index(texture) else { return Ok(None) };
        let mut set = info.unsigned("texCoord")?.unwrap_or(0);
        if let Some(transform) = info.extension("KHR_texture_transform")? {
            found.offset = transform.numbers("offset")?.map_or(found.offset, Vec2::from_array);
            found.scale = transform.numbers("scale")?.map_or(found.scale, Vec2::from_array);
            found.rotation = transform.number("rotation")?.unwrap_or(found.rotation);
            set = transform.unsigned("texCoord")?.unwrap_or(set);
        }
        if set != 0 {
            let message = message!("texture coordinates {set} are referenced; the first set is used", set);
            info.info(info.pointer_to("texCoord"), message);
        }
        Ok(Some(found))
    }

    /// Checks the index of a texture that is never drawn.
    pub(crate) fn validate_unused(&self, owner: &JsonObject<'_>, key: &str) {
        let index = |info: Option<JsonObject<'_>>| match info {
            Some(info) => info.required_index("index", self.entries.len(), "texture").map(Some),
            None => Ok(None),
        };
        owner.ok_or_warn(owner.object(key).and_then(index), "the texture is left out");
    }

    /// Returns a texture by its index, or `None` if the texture was skipped.
    pub(crate) fn by_index(&self, index: usize) -> Option<TextureRef> {
        let found = (*self.resolved.get(index)?)?;
        Some(TextureRef { image: self.image_slot(found.image), ..found })
    }

    fn resolve(&self, index: usize) -> Result<Option<TextureRef>, JsonError> {
        let Some(Some(texture)) = self.entries.get(index) else { return Ok(None) };
        let webp =
            texture.extension("EXT_texture_webp")?.map(|x| x.index("source", self.image_count, "image")).transpose()?;
        let image = match webp.flatten() {
            Some(image) => image,
            None => match texture.index("source", self.image_count, "image")? {
                Some(image) => image,
                None if texture.get("extensions").is_none() => return Ok(None),
                None => return Err(texture.error(message!("the texture refers to no image of a supported kind"))),
            },
        };
        let sampler = texture.index("sampler", self.samplers.len(), "sampler")?;
        let sampler = sampler.and_then(|sampler| self.samplers[sampler].as_ref());
        let wrap = |key| -> Result<TextureWrap, JsonError> {
            let wrap =
                sampler.map_or(Ok(None), |sampler| sampler.numeric_enum(key, "wrapping mode", VALID_WRAPPING_MODES))?;
            Ok(match wrap.unwrap_or(WrappingMode::Repeat) {
                WrappingMode::Repeat => TextureWrap::Repeat,
                WrappingMode::MirroredRepeat => TextureWrap::Mirror,
                WrappingMode::ClampToEdge => TextureWrap::Clamp,
            })
        };
        let magnify = sampler
            .map_or(Ok(None), |sampler| sampler.numeric_enum("magFilter", "magnification filter", VALID_MAG_FILTERS));
        let magnify = texture.ok_or_warn(magnify, "it is magnified smoothly").flatten();
        Ok(Some(TextureRef {
            wrap: [wrap("wrapS")?, wrap("wrapT")?],
            nearest: magnify == Some(MagFilter::Nearest),
            image,
            offset: Vec2::ZERO,
            scale: Vec2::ONE,
            rotation: 0.0,
        }))
    }

    fn image_slot(&self, image: usize) -> usize {
        let mut used = self.image_slots.borrow_mut();
        let next = used.len();
        *used.entry(image).or_insert(next)
    }

    /// The file's indices of the used images, in the order of the decoded images.
    pub(crate) fn used_images(&self) -> Vec<usize> {
        let used = self.image_slots.borrow();
        let mut order = vec![0; used.len()];
        #[expect(clippy::iter_over_hash_type, reason = "each entry contains its index")]
        for (image, place) in used.iter() {
            order[*place] = *image;
        }
        order
    }
}
