// Checks baked files with the glTF validator: node bake_gltf_validator.mjs ORIGINAL FILE...
// A file may have no errors, and no warnings that the original does not have.
import fs from "node:fs";
import validator from "gltf-validator";

const WARNING = 1;

async function findings(file) {
  const bytes = new Uint8Array(fs.readFileSync(file));
  const report = await validator.validateBytes(bytes, { maxIssues: 0 });
  return report.issues.messages.filter((m) => m.severity <= WARNING).map((m) => `${m.code} ${m.pointer}: ${m.message}`);
}

const [original, ...files] = process.argv.slice(2);
const known = new Set(await findings(original));
for (const file of files) {
  const found = (await findings(file)).filter((finding) => !known.has(finding));
  console.log(`glTF validator, ${file}: ${found.length} new errors and warnings`);
  found.slice(0, 10).forEach((finding) => console.log(`  ${finding}`));
  if (found.length > 0) process.exitCode = 1;
}
