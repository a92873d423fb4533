uniform vec4 baseColor;
#ifdef BASE_TEXTURE
uniform sampler2D baseTexture;
uniform vec3 baseUvX;
uniform vec3 baseUvY;
#endif
#ifdef CUTOUT
// Only texels with an alpha of at least x and less than y are drawn.
uniform vec2 alphaRange;
// 0: the written alpha is 1; 1: blended; 2: alpha to coverage, with the edge at alphaRange.x.
uniform int alphaUse;
#endif
// -1 if the transform mirrors, which reverses the front faces.
uniform float frontSign;
uniform highp vec3 eye;
#ifdef GHOST
uniform vec4 ghostColor;
#endif
uniform vec3 keyLight;
#ifdef LIT
uniform vec3 fillLight;
#endif
#ifdef TOON
// Strength of the key light, strength of the ambient light.
uniform vec2 lightStrength;
uniform vec3 shadeColor;
// Shift, toony.
uniform vec2 toon;
#endif
#ifdef SHADE_TEXTURE
uniform sampler2D shadeTexture;
uniform vec3 shadeUvX;
uniform vec3 shadeUvY;
#endif
#ifdef SHIFT_TEXTURE
uniform sampler2D shiftTexture;
uniform vec3 shiftUvX;
uniform vec3 shiftUvY;
uniform float shiftScale;
#endif
#ifdef NORMAL_MAP
uniform sampler2D normalTexture;
uniform vec3 normalUvX;
uniform vec3 normalUvY;
uniform float normalScale;
#endif
#ifdef RIM
uniform vec3 rimColor;
// Power, lift.
uniform vec2 rimShape;
#endif
#ifdef MATCAP
uniform sampler2D matcapTexture;
uniform vec3 matcapUvX;
uniform vec3 matcapUvY;
uniform vec3 matcapColor;
uniform mat3 viewFromWorld;
#endif
#ifdef RIM_TEXTURE
uniform sampler2D rimTexture;
uniform vec3 rimUvX;
uniform vec3 rimUvY;
#endif
#ifdef EMISSION
uniform vec3 emissive;
#endif
#ifdef EMISSION_TEXTURE
uniform sampler2D emissionTexture;
uniform vec3 emissionUvX;
uniform vec3 emissionUvY;
#endif
#ifdef OUTLINE
uniform vec3 outlineColor;
uniform float outlineLighting;
#endif

in highp vec3 worldPosition;
in vec3 worldNormal;
in highp vec2 texCoord;
#ifdef COLORS
in vec4 tint;
#endif

layout(location = 0) out vec4 outColor;

#ifdef UV_PER_TEXTURE
#define UV_OF(rowX, rowY) vec2(dot(rowX, uvPoint), dot(rowY, uvPoint))
#else
#define UV_OF(rowX, rowY) texCoord
#endif

// The sRGB encoding, at most 0.1 of an 8-bit step from the exact curve. Roots are cheaper than powers without a GPU.
vec3 encoded(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    vec3 root = sqrt(c);
    vec3 curve = 0.833741 * root + 0.298123 * sqrt(root) - 0.055319 * c - 0.076908;
    return mix(curve, 12.92 * c, vec3(lessThanEqual(c, vec3(0.0031308))));
}

#ifdef NORMAL_MAP
// The directions in which U and V grow along the surface, from the change between neighbouring pixels. They are scaled
// together, so that the longer of both has unit length.
vec3 mappedNormal(vec3 n, vec2 uv) {
    vec3 overX = cross(dFdy(worldPosition), n), overY = cross(n, dFdx(worldPosition));
    vec2 uvX = dFdx(uv), uvY = dFdy(uv);
    vec3 alongU = overX * uvX.x + overY * uvY.x;
    vec3 alongV = overX * uvX.y + overY * uvY.y;
    float longest = max(dot(alongU, alongU), dot(alongV, alongV));
    if (longest <= 0.0) return n;
    vec3 texel = texture(normalTexture, uv).xyz * 2.0 - 1.0;
    // Green points up in the texture, V points down.
    vec2 slope = texel.xy * vec2(normalScale, -normalScale) * inversesqrt(longest);
    return normalize(alongU * slope.x + alongV * slope.y + n * texel.z);
}
#endif

void main() {
#ifdef UV_MASK
    highp vec3 uvPoint = vec3(animatedUv(texCoord), 1.0);
#elif defined(UV_PER_TEXTURE)
    highp vec3 uvPoint = vec3(texCoord, 1.0);
#endif
    vec4 texel = vec4(1.0);
#ifdef BASE_TEXTURE
    texel = texture(baseTexture, UV_OF(baseUvX, baseUvY));
#endif
    vec4 base = texel * baseColor;
#ifdef COLORS
    base *= tint;
#endif
    float alpha = 1.0;
    // A shader without `discard` lets the driver test the depth before the shading.
#ifdef CUTOUT
    if (alphaUse != 0) alpha = base.a;
    if (alphaUse == 2) {
        alpha = clamp((alpha - alphaRange.x) / max(fwidth(alpha), 0.0001) + 0.5, 0.0, 1.0);
        if (alpha <= 0.0) discard;
    } else if (base.a < alphaRange.x || base.a >= alphaRange.y) {
        discard;
    }
#endif
#ifdef GHOST
    // The silhouette is less transparent, so that the shape stays visible.
    float facing = clamp(abs(dot(normalize(worldNormal), normalize(eye - worldPosition))), 0.0, 1.0);
    outColor = vec4(ghostColor.rgb, ghostColor.a * (1.0 - 0.5 * facing));
#else
    vec3 c = base.rgb;
#if defined(LIT) || defined(TOON)
    vec3 n = normalize(worldNormal);
#ifndef OUTLINE
    n *= gl_FrontFacing ? frontSign : -frontSign;
#endif
#ifdef NORMAL_MAP
    n = mappedNormal(n, UV_OF(normalUvX, normalUvY));
#endif
#endif
#ifdef LIT
    // A wide soft key light, an ambient light by height, a weak light from the side of the camera, and a weak rim.
    float key = clamp((dot(n, keyLight) + 0.4) / 1.4, 0.0, 1.0);
    float fill = clamp(dot(n, fillLight), 0.0, 1.0);
    vec3 around = mix(vec3(0.30, 0.29, 0.31), vec3(0.46, 0.47, 0.50), 0.5 + 0.5 * n.y);
    vec3 light = around + vec3(0.60, 0.585, 0.56) * key * key + vec3(0.07, 0.075, 0.09) * fill;
    float edge = 1.0 - clamp(abs(dot(n, normalize(eye - worldPosition))), 0.0, 1.0);
    c = c * light + (0.03 + 0.14 * c) * edge * edge * edge;
#endif
#ifdef TOON
    vec3 shade = shadeColor;
#ifdef SHADE_IS_BASE
    shade *= texel.rgb;
#endif
#ifdef SHADE_TEXTURE
    shade *= texture(shadeTexture, UV_OF(shadeUvX, shadeUvY)).rgb;
#endif
    float shading = dot(n, keyLight) + toon.x;
#ifdef SHIFT_TEXTURE
    shading += texture(shiftTexture, UV_OF(shiftUvX, shiftUvY)).r * shiftScale;
#endif
    float lit = clamp((shading + 1.0 - toon.y) / max(2.0 - 2.0 * toon.y, 0.002), 0.0, 1.0);
    c = mix(shade, c, lit) * lightStrength.x + c * lightStrength.y;
#if defined(RIM) || defined(MATCAP)
    vec3 toEye = normalize(eye - worldPosition);
    vec3 rim = vec3(0.0);
#ifdef RIM
    rim += rimColor * pow(clamp(1.0 - dot(n, toEye) + rimShape.y, 0.0, 1.0), rimShape.x);
#endif
#ifdef MATCAP
    vec3 toEyeInView = viewFromWorld * toEye;
    vec3 across = normalize(vec3(toEyeInView.z, 0.0, -toEyeInView.x));
    vec3 upwards = cross(toEyeInView, across);
    vec3 normalInView = viewFromWorld * n;
    // 0.495 instead of 0.5, so that filtering does not include texels of the opposite edge.
    vec3 sphere = vec3(0.5 + 0.495 * vec2(dot(across, normalInView), -dot(upwards, normalInView)), 1.0);
    rim += matcapColor * texture(matcapTexture, vec2(dot(matcapUvX, sphere), dot(matcapUvY, sphere))).rgb;
#endif
#ifdef RIM_TEXTURE
    rim *= texture(rimTexture, UV_OF(rimUvX, rimUvY)).rgb;
#endif
    c += rim;
#endif
#endif
#ifdef EMISSION
    vec3 glow = emissive;
#ifdef EMISSION_TEXTURE
    glow *= texture(emissionTexture, UV_OF(emissionUvX, emissionUvY)).rgb;
#endif
    c += glow;
#endif
#ifdef OUTLINE
    c = outlineColor * mix(vec3(1.0), c, outlineLighting);
#endif
    outColor = vec4(encoded(c), alpha);
#endif
}
