//! Reads typed numbers from `accessors`: strides, sparse replacements, normalized integers, and zeros if there is no
//! buffer view.
//!
//! An accessor is checked completely before its first element is read, so reading cannot exceed the buffer. Decoded
//! bytes are charged to a [`DecodeBudget`], because a few bytes of JSON can request terabytes.
//!
//! The readers of the `gltf` crate have neither check, and they do not support quantized positions or a selection of
//! vertices. A test compares the results with those of the `gltf` crate on valid files.

use super::buffers::Buffers;
use crate::gltf_json::json::{JsonError, JsonObject};
use gltf::json::accessor::{ComponentType, GenericComponentType, IndexComponentType, Type};
use gltf::json::accessor::{VALID_ACCESSOR_TYPES, VALID_COMPONENT_TYPES, VALID_INDEX_TYPES};
use std::cell::Cell;
use yuremono_sim::diagnostics::{MessageText, message};

/// The number of bytes that may still be decoded for a file.
#[derive(Debug)]
pub(crate) struct DecodeBudget(Cell<u64>);

impl DecodeBudget {
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Cell::new(bytes))
    }

    pub(crate) fn charge(&self, count: u64, size: u64) -> Result<(), MessageText> {
        let left = count.checked_mul(size).and_then(|bytes| self.0.get().checked_sub(bytes));
        self.0.set(left.ok_or_else(|| message!("the file has more than 512 MiB of geometry, the maximum"))?);
        Ok(())
    }

    /// Adds charged bytes that are no longer in memory back to the budget.
    pub(crate) fn refund(&self, bytes: usize) {
        self.0.set(self.0.get().saturating_add(bytes as u64));
    }
}

/// Decodes one number. `bytes` must contain at least one component.
fn decode_number(component: ComponentType, bytes: &[u8], normalized: bool) -> f32 {
    let (value, scale) = match component {
        ComponentType::I8 => (f32::from(bytes[0] as i8), f32::from(i8::MAX)),
        ComponentType::U8 => (f32::from(bytes[0]), f32::from(u8::MAX)),
        ComponentType::I16 => (f32::from(i16::from_le_bytes([bytes[0], bytes[1]])), f32::from(i16::MAX)),
        ComponentType::U16 => (f32::from(u16::from_le_bytes([bytes[0], bytes[1]])), f32::from(u16::MAX)),
        ComponentType::U32 => return decode_unsigned(component, bytes) as f32,
        ComponentType::F32 => return f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    };
    if normalized { (value / scale).max(-1.0) } else { value }
}

/// Like [`decode_number`], for unsigned components.
fn decode_unsigned(component: ComponentType, bytes: &[u8]) -> u32 {
    match component {
        ComponentType::U16 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
        ComponentType::U32 => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        _ => u32::from(bytes[0]),
    }
}

/// The number of bytes from the start of one element to the next. Matrix columns are aligned to 4 bytes.
fn element_size(kind: Type, component: ComponentType) -> usize {
    match matrix_columns(kind) {
        Some(columns) => columns * (columns * component.size()).next_multiple_of(4),
        None => kind.multiplicity() * component.size(),
    }
}

/// The number of bytes of an element without the padding of its last matrix column.
fn unpadded_size(kind: Type, component: ComponentType) -> usize {
    let padding = |rows: usize| (rows * component.size()).next_multiple_of(4) - rows * component.size();
    element_size(kind, component) - matrix_columns(kind).map_or(0, padding)
}

/// The number of columns of a matrix type, which equals the number of rows.
fn matrix_columns(kind: Type) -> Option<usize> {
    match kind {
        Type::Mat2 => Some(2),
        Type::Mat3 => Some(3),
        Type::Mat4 => Some(4),
        Type::Scalar | Type::Vec2 | Type::Vec3 | Type::Vec4 => None,
    }
}

/// The sparse elements that replace base elements.
#[derive(Clone, Copy, Debug)]
struct SparseReplacement {
    count: usize,
    indices: ElementLayout,
    index_component: ComponentType,
    values: ElementLayout,
}

/// The location of evenly spaced elements in a buffer view.
#[derive(Clone, Copy, Debug)]
struct ElementLayout {
    view: usize,
    offset: usize,
    stride: usize,
}

/// A checked entry of `accessors`.
#[derive(Clone, Debug)]
pub(crate) struct Accessor {
    pub(crate) count: usize,
    pub(crate) kind: Type,
    pub(crate) component: ComponentType,
    normalized: bool,
    /// `None` means zeros.
    base: Option<ElementLayout>,
    sparse: Option<SparseReplacement>,
}

/// All accessors of the file, and their buffers.
#[derive(Debug)]
pub(crate) struct Accessors<'a> {
    list: Vec<Accessor>,
    buffers: &'a Buffers<'a>,
    budget: &'a DecodeBudget,
}

impl<'a> Accessors<'a> {
    pub(crate) fn read(
        root: &JsonObject<'_>,
        buffers: &'a Buffers<'a>,
        budget: &'a DecodeBudget,
    ) -> Result<Self, JsonError> {
        let list =
            root.objects("accessors")?.map(|accessor| check_accessor(&accessor?, buffers)).collect::<Result<_, _>>()?;
        Ok(Self { list, buffers, budget })
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, index: usize) -> &Accessor {
        &self.list[index]
    }

    pub(crate) fn budget(&self) -> &'a DecodeBudget {
        self.budget
    }

    pub(crate) fn floats<const N: usize>(&self, index: usize) -> Result<Vec<[f32; N]>, MessageText> {
        self.selected_floats(index, None)
    }

    /// Like [`Accessors::floats`], for selected elements. `only` contains ascending indices less than the accessor's
    /// count.
    pub(crate) fn selected_floats<const N: usize>(
        &self,
        index: usize,
        only: Option<&[u32]>,
    ) -> Result<Vec<[f32; N]>, MessageText> {
        let accessor = &self.list[index];
        let (component, normalized) = (accessor.component, accessor.normalized);
        self.selected_elements(index, only, |bytes| {
            std::array::from_fn(|i| decode_number(component, &bytes[i * component.size()..], normalized))
        })
    }

    /// Returns elements of `N` unsigned numbers. `only` is as in [`Accessors::selected_floats`].
    pub(crate) fn selected_unsigned<const N: usize>(
        &self,
        index: usize,
        only: Option<&[u32]>,
    ) -> Result<Vec<[u32; N]>, MessageText> {
        let component = self.list[index].component;
        if !matches!(component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32) {
            return Err(message!(
                "accessor {index} holds {component}; unsigned integers were expected",
                index,
                component = format_args!("{component:?}")
            ));
        }
        self.selected_elements(index, only, |bytes| {
            std::array::from_fn(|i| decode_unsigned(component, &bytes[i * component.size()..]))
        })
    }

    fn selected_elements<const N: usize, T>(
        &self,
        index: usize,
        only: Option<&[u32]>,
        make: impl Fn(&[u8]) -> [T; N],
    ) -> Result<Vec<[T; N]>, MessageText> {
        let accessor = &self.list[index];
        // Small matrices have padded columns, which this function does not support.
        if accessor.kind.multiplicity() != N || matches!(accessor.kind, Type::Mat2 | Type::Mat3) {
            return Err(message!(
                "accessor {index} is {kind}; {n} numbers per element were expected",
                index,
                kind = format_args!("{:?}", accessor.kind),
                n = N
            ));
        }
        let count = only.map_or(accessor.count, <[u32]>::len);
        self.budget.charge(count as u64, size_of::<[T; N]>() as u64)?;
        let size = element_size(accessor.kind, accessor.component);
        let mut out = Vec::with_capacity(count);
        if let Some(block) = accessor.base {
            let bytes = self.buffers.view_bytes(block.view)?;
            let element = |i: usize| make(&bytes[block.offset + i * block.stride..][..size]);
            match only {
                Some(only) => out.extend(only.iter().map(|i| element(*i as usize))),
                None => out.extend((0..count).map(element)),
            }
        } else {
            let zeros = [0; 64];
            out.extend((0..count).map(|_| make(&zeros[..size])));
        }
        if let Some(sparse) = &accessor.sparse {
            let replacements = self.replacements(index, sparse, size, make)?;
            for (at, value) in replacements {
                let place = only.map_or(Some(at), |only| only.binary_search(&(at as u32)).ok());
                if let Some(slot) = place.and_then(|place| out.get_mut(place)) {
                    *slot = value;
                }
            }
        }
        Ok(out)
    }

    /// Returns the index and the new value of each replaced element.
    fn replacements<const N: usize, T>(
        &self,
        index: usize,
        sparse: &SparseReplacement,
        size: usize,
        make: impl Fn(&[u8]) -> [T; N],
    ) -> Result<Vec<(usize, [T; N])>, MessageText> {
        let indices = self.buffers.view_bytes(sparse.indices.view)?;
        let values = self.buffers.view_bytes(sparse.values.view)?;
        let count = self.list[index].count;
        let one = |i: usize| {
            let at = &indices[sparse.indices.offset + i * sparse.indices.stride..];
            let at = decode_unsigned(sparse.index_component, at) as usize;
            if at >= count {
                return Err(message!(
                    "accessor {index} replaces its element {at}, but has only {count}",
                    index,
                    at,
                    count
                ));
            }
            Ok((at, make(&values[sparse.values.offset + i * sparse.values.stride..][..size])))
        };
        (0..sparse.count).map(one).collect()
    }
}

fn check_accessor(accessor: &JsonObject<'_>, buffers: &Buffers<'_>) -> Result<Accessor, JsonError> {
    let count = accessor.required("count", JsonObject::unsigned)?;
    let GenericComponentType(component) = accessor
        .required("componentType", |json, key| json.numeric_enum(key, "component type", VALID_COMPONENT_TYPES))?;
    let kind: Type = accessor.required("type", |json, key| json.string_enum(key, "type", VALID_ACCESSOR_TYPES))?;
    let offset = accessor.unsigned("byteOffset")?.unwrap_or(0);
    let tight = unpadded_size(kind, component) as u64;
    let view = accessor.index("bufferView", buffers.views.len(), "buffer view")?;
    let layout = |view: usize| {
        let stride = buffers.views[view].stride.unwrap_or(element_size(kind, component) as u64);
        check_layout(accessor, buffers, view, offset, stride, tight, count)
    };
    let base = view.map(layout).transpose()?;
    let sparse = accessor.object("sparse")?.map_or(Ok(None), |sparse| check_sparse(&sparse, buffers, tight, count))?;
    let count = usize::try_from(count).map_err(|why| accessor.error_at("count", why.to_string()))?;
    Ok(Accessor { count, kind, component, normalized: accessor.flag("normalized")?, base, sparse })
}

fn check_sparse(
    sparse: &JsonObject<'_>,
    buffers: &Buffers<'_>,
    size: u64,
    elements: u64,
) -> Result<Option<SparseReplacement>, JsonError> {
    let count = sparse.required("count", JsonObject::unsigned)?;
    if count > elements {
        return Err(sparse
            .error_at("count", message!("{count} elements are replaced, but there are {elements}", count, elements)));
    }
    if count == 0 {
        return Ok(None);
    }
    let indices = sparse.required("indices", JsonObject::object)?;
    let values = sparse.required("values", JsonObject::object)?;
    let IndexComponentType(index_component) = indices.required("componentType", |json, key| {
        json.numeric_enum(key, "component type of indices", VALID_INDEX_TYPES)
    })?;
    let place = |json: &JsonObject<'_>, size| {
        let view = json.required_index("bufferView", buffers.views.len(), "buffer view")?;
        let offset = json.unsigned("byteOffset")?.unwrap_or(0);
        check_layout(json, buffers, view, offset, size, size, count)
    };
    Ok(Some(SparseReplacement {
        count: count as usize,
        indices: place(&indices, index_component.size() as u64)?,
        index_component,
        values: place(&values, size)?,
    }))
}

fn check_layout(
    json: &JsonObject<'_>,
    buffers: &Buffers<'_>,
    view: usize,
    offset: u64,
    stride: u64,
    size: u64,
    count: u64,
) -> Result<ElementLayout, JsonError> {
    if stride < size {
        let message = message!("a stride of {stride} bytes for elements of {size} bytes", stride, size);
        return Err(json.error_at("bufferView", message));
    }
    let length = buffers.views[view].length;
    let end = match count.checked_sub(1) {
        Some(last) => last.checked_mul(stride).and_then(|x| x.checked_add(size)).and_then(|x| x.checked_add(offset)),
        None => Some(0),
    };
    if end.is_none_or(|end| end > length) {
        return Err(json.error(message!(
            "{count} elements of {size} bytes from byte {offset} reach beyond the {length} bytes of buffer view {view}",
            count,
            size,
            offset,
            length,
            view
        )));
    }
    Ok(ElementLayout { view, offset: offset as usize, stride: stride as usize })
}
