// Makes GLB files of spheres, each with another feature of MToon, in VRM 1.0 or in VRM 0.x.
import { deflateSync } from "node:zlib";

const RADIUS = 0.22, SPACING = 0.56, COLUMNS = 3;

function crc32(bytes) {
    let crc = ~0;
    for (const byte of bytes) {
        crc ^= byte;
        for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc >>> 0;
}

/** Returns a PNG of `size` x `size` pixels. `color` maps coordinates from 0 to 1, V downwards, to three bytes. */
function png(size, color) {
    const rows = [];
    for (let y = 0; y < size; y++) {
        rows.push(0);
        for (let x = 0; x < size; x++) rows.push(...color((x + 0.5) / size, (y + 0.5) / size));
    }
    const chunk = (name, data) => {
        const body = Buffer.concat([Buffer.from(name), data]);
        const ends = Buffer.alloc(8);
        ends.writeUInt32BE(data.length, 0);
        ends.writeUInt32BE(crc32(body), 4);
        return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
    };
    const header = Buffer.alloc(13);
    header.writeUInt32BE(size, 0);
    header.writeUInt32BE(size, 4);
    header.set([8, 2, 0, 0, 0], 8);
    const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
    return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.from(rows))), chunk("IEND", Buffer.alloc(0))]);
}

/** A wave of normals, with green upwards. */
function bump(u, v) {
    const [x, y] = [0.5 * Math.sin(u * 40), 0.5 * Math.sin(v * 20)];
    return [x, y, Math.sqrt(1 - x * x - y * y)].map((n) => Math.round(127.5 + 127.5 * n));
}

const TEXTURES = [
    png(64, (u, v) => [80 + 170 * u, 220 - 150 * v, 120 + 100 * ((u * 8) & 1)].map(Math.round)),
    png(64, (u, v) => [255 * v, 120, 255 * (1 - u)].map(Math.round)),
    png(64, (u) => [255 * ((u * 4) & 1), 255 * ((u * 4) & 1), 255]),
    png(128, bump),
    // three.js decodes a texture as sRGB everywhere if one use is a colour, so the numbers have their own image. VRM 0.x
    // animates by the red channel, VRM 1.0 and three-vrm by the blue one.
    png(64, (u, v) => [255 * ((v * 2) & 1), Math.round(220 - 150 * v), 255 * ((v * 2) & 1)]),
];
const COLORS = 0, SPHERE = 1, STRIPES = 2, NORMALS = 3, NUMBERS = 4;
const texture = (index, rest = {}) => ({ index, ...rest });
const LILAC = [0.35, 0.25, 0.6];

/** Per sphere: the extension of VRM 1.0, and what else its material has. */
const VRM1 = [
    [{ shadingShiftFactor: -0.1, shadingToonyFactor: 0.3, shadeMultiplyTexture: texture(COLORS) }, {}],
    [{ outlineWidthMode: "worldCoordinates", outlineWidthFactor: 0.012, outlineColorFactor: [0.9, 0.1, 0.05], outlineLightingMixFactor: 0.5 }, {}],
    [{ outlineWidthMode: "screenCoordinates", outlineWidthFactor: 0.006, outlineColorFactor: [0, 0.2, 0], outlineLightingMixFactor: 0, outlineWidthMultiplyTexture: texture(NUMBERS) }, {}],
    [{ parametricRimColorFactor: [0.9, 0.6, 0.1], parametricRimFresnelPowerFactor: 3, parametricRimLiftFactor: 0.1, rimLightingMixFactor: 0.5, rimMultiplyTexture: texture(STRIPES) }, {}],
    [{ matcapTexture: texture(SPHERE), matcapFactor: [0.4, 0.5, 0.6], shadingToonyFactor: 0.95 }, {}],
    [{ shadingToonyFactor: 0.2 }, { normalTexture: texture(NORMALS, { scale: 0.7 }) }],
    [{ shadingShiftTexture: texture(STRIPES, { scale: -0.8 }), shadingToonyFactor: 0.6 }, {}],
    [{ uvAnimationScrollXSpeedFactor: 0.3, uvAnimationRotationSpeedFactor: 0.4, uvAnimationMaskTexture: texture(NUMBERS) }, { emissiveFactor: [0.3, 0.3, 0.1], emissiveTexture: texture(STRIPES), doubleSided: true }],
    [{ uvAnimationScrollXSpeedFactor: 0.1, uvAnimationScrollYSpeedFactor: -0.2, uvAnimationRotationSpeedFactor: 0.5 }, { alphaMode: "BLEND", alpha: 0.6, transform: { offset: [0.1, 0.2], scale: [2, 1] } }],
];

/** The same in the properties of the shader of VRM 0.x, as [floats, vectors, textures]. */
const VRM0 = [
    [{ _ShadeShift: -0.2, _ShadeToony: 0.4 }, {}, { _ShadeTexture: COLORS }],
    [{ _OutlineWidthMode: 1, _OutlineWidth: 1.2, _OutlineColorMode: 1, _OutlineLightingMix: 0.5 }, { _OutlineColor: [0.9, 0.3, 0.2, 1] }, {}],
    [{ _OutlineWidthMode: 2, _OutlineWidth: 1.2, _OutlineColorMode: 0 }, { _OutlineColor: [0, 0.4, 0, 1] }, { _OutlineWidthTexture: NUMBERS }],
    [{ _RimFresnelPower: 3, _RimLift: 0.1, _RimLightingMix: 0.5 }, { _RimColor: [0.9, 0.7, 0.2, 1] }, { _RimTexture: STRIPES }],
    [{}, {}, { _SphereAdd: SPHERE }],
    [{ _ShadeToony: 0, _BumpScale: 0.7 }, {}, { _BumpMap: NORMALS }],
    [{ _ShadeShift: 0.3, _ShadeToony: 0.8 }, { _MainTex: [0.1, 0.2, 2, 1] }, {}],
    [{ _CullMode: 0, _UvAnimScrollY: 0.3, _UvAnimRotation: 0.4 }, { _EmissionColor: [0.5, 0.5, 0.3, 1] }, { _EmissionMap: STRIPES, _UvAnimMaskTexture: NUMBERS }],
    [{ _BlendMode: 2, _ZWrite: 0 }, { _Color: [1, 1, 1, 0.6] }, {}, { _ALPHABLEND_ON: true }],
];

function vrm1Material([toon, rest], index) {
    const { transform, alpha = 1, ...others } = rest;
    const extensions = transform && { KHR_texture_transform: transform };
    return {
        name: `sphere ${index}`,
        pbrMetallicRoughness: { baseColorFactor: [1, 1, 1, alpha], baseColorTexture: texture(COLORS, { extensions }) },
        ...others,
        extensions: { VRMC_materials_mtoon: { specVersion: "1.0", shadeColorFactor: LILAC, ...toon } },
    };
}

function vrm0Properties([floats, vectors, textures, keywords = {}]) {
    return {
        name: "sphere", shader: "VRM/MToon", renderQueue: -1, keywordMap: keywords, tagMap: {},
        floatProperties: { _BlendMode: 0, _CullMode: 2, _ZWrite: 1, _ShadeShift: 0, _ShadeToony: 0.9, ...floats },
        vectorProperties: { _Color: [1, 1, 1, 1], _ShadeColor: [0.63, 0.54, 0.8, 1], _MainTex: [0, 0, 1, 1], ...vectors },
        textureProperties: { _MainTex: COLORS, ...textures },
    };
}

function sphere() {
    const [columns, rows] = [48, 24];
    const [positions, normals, uvs, indices] = [[], [], [], []];
    for (let row = 0; row <= rows; row++) {
        for (let column = 0; column <= columns; column++) {
            const [around, down] = [(column / columns) * 2 * Math.PI, (row / rows) * Math.PI];
            const n = [Math.sin(around) * Math.sin(down), Math.cos(down), Math.cos(around) * Math.sin(down)];
            normals.push(...n);
            positions.push(...n.map((c) => c * RADIUS));
            uvs.push((column / columns) * 2, row / rows);
            if (row < rows && column < columns) {
                const a = row * (columns + 1) + column, b = a + columns + 1;
                indices.push(a, b, a + 1, a + 1, b, b + 1);
            }
        }
    }
    return { positions, normals, uvs, indices, count: (columns + 1) * (rows + 1) };
}

/** Returns the GLB in version 0 or 1. */
export function spheres(version) {
    const { positions, normals, uvs, indices, count } = sphere();
    const parts = [new Float32Array(positions), new Float32Array(normals), new Float32Array(uvs), new Uint16Array(indices)]
        .map((list) => Buffer.from(list.buffer)).concat(TEXTURES);
    const bufferViews = [];
    const chunks = [];
    let offset = 0;
    for (const part of parts) {
        bufferViews.push({ buffer: 0, byteOffset: offset, byteLength: part.length });
        const padding = Buffer.alloc(-part.length & 3);
        chunks.push(part, padding);
        offset += part.length + padding.length;
    }
    const materials = version === 1 ? VRM1.map(vrm1Material) : VRM0.map((_, index) => ({ name: `sphere ${index}` }));
    const place = (index) => [
        ((index % COLUMNS) - (COLUMNS - 1) / 2) * SPACING, 1.2 - Math.floor(index / COLUMNS) * SPACING, 0,
    ];
    const json = {
        asset: { version: "2.0" },
        extensionsUsed: version === 1 ? ["VRMC_materials_mtoon", "KHR_texture_transform"] : ["VRM"],
        scene: 0,
        scenes: [{ nodes: [0] }],
        nodes: [{ name: "root", children: materials.map((_, index) => index + 1) },
            ...materials.map((_, index) => ({ name: `sphere ${index}`, mesh: index, translation: place(index) }))],
        meshes: materials.map((_, material) => ({
            primitives: [{ attributes: { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2 }, indices: 3, material }],
        })),
        accessors: [
            { bufferView: 0, componentType: 5126, count, type: "VEC3", min: [-RADIUS, -RADIUS, -RADIUS], max: [RADIUS, RADIUS, RADIUS] },
            { bufferView: 1, componentType: 5126, count, type: "VEC3" },
            { bufferView: 2, componentType: 5126, count, type: "VEC2" },
            { bufferView: 3, componentType: 5123, count: indices.length, type: "SCALAR" },
        ],
        materials,
        textures: TEXTURES.map((_, source) => ({ source, sampler: 0 })),
        samplers: [{ wrapS: 10497, wrapT: 10497, magFilter: 9729, minFilter: 9729 }],
        images: TEXTURES.map((_, index) => ({ bufferView: 4 + index, mimeType: "image/png" })),
        bufferViews,
        buffers: [{ byteLength: offset }],
    };
    if (version === 0) json.extensions = { VRM: { materialProperties: VRM0.map(vrm0Properties) } };
    const text = Buffer.from(JSON.stringify(json));
    const jsonChunk = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
    const bin = Buffer.concat(chunks);
    const header = Buffer.alloc(20), binHeader = Buffer.alloc(8);
    header.write("glTF");
    [2, 28 + jsonChunk.length + bin.length, jsonChunk.length, 0x4e4f534a].forEach((n, i) => header.writeUInt32LE(n, 4 + 4 * i));
    [bin.length, 0x004e4942].forEach((n, i) => binHeader.writeUInt32LE(n, 4 * i));
    return Buffer.concat([header, jsonChunk, binHeader, bin]);
}
