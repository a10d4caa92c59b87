// SPDX-License-Identifier: MIT
//
// judge.mjs - compares the library's verdicts on instances with Ajv's verdicts.
//
//   judge.mjs DIRECTORY-WITH-NODE_MODULES SCHEMAS VERDICTS
//
// Ends with the line `N passed, N failed`, which counts instances.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [work, schemas, verdicts] = process.argv.slice(2);
const require = createRequire(join(work, "package.json"));
const Draft7 = require("ajv").default;
const Draft2020 = require("ajv/dist/2020").default;

const options = { strict: false, validateFormats: false, logger: false };
const tools = new Map();
for (const name of readdirSync(schemas)) {
  const about = JSON.parse(readFileSync(join(schemas, name)));
  for (const tool of about.tools)
    tools.set(`${about.server} ${tool.name}`, tool);
}

const compiled = new Map();
function validator(key, which) {
  const id = `${key} ${which}`;
  if (!compiled.has(id)) {
    const schema = tools.get(key)[which];
    const old = /draft-0[67]/.test(schema.$schema ?? "");
    compiled.set(id, new (old ? Draft7 : Draft2020)(options).compile(schema));
  }
  return compiled.get(id);
}

let passed = 0, failed = 0;
for (const line of readFileSync(verdicts, "utf8").split("\n")) {
  if (!line) continue;
  const { server, tool, schema, instance, valid } = JSON.parse(line);
  if (validator(`${server} ${tool}`, schema)(instance) === valid) {
    passed++;
  } else {
    failed++;
    console.log(`${server} ${tool} ${schema}: we say ${valid}: ${JSON.stringify(instance)}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
