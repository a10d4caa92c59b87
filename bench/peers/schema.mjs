// SPDX-License-Identifier: MIT
//
// schema.mjs - measures Ajv with the schemas and values of bench/micro_schema.c.
//
//     node schema.mjs SAMPLES
//
// SAMPLES is the output of `micro_schema --samples`: alternating lines with a schema and
// a value.  The program prints the figures that `micro_schema --figures` prints for the
// library: the time to compile 52 schemas, and for each value the time of JSON.parse and
// of the compiled check.  A time is the best of several runs.
import { readFileSync } from "node:fs";
import Ajv from "ajv";

const lines = readFileSync(process.argv[2], "utf8").trim().split("\n");
const samples = [];
for (let i = 0; i + 1 < lines.length; i += 2)
    samples.push({ schema: JSON.parse(lines[i]), value: lines[i + 1] });
for (const s of samples) delete s.schema.$schema;

const us = () => Number(process.hrtime.bigint()) / 1e3;
const best = (runs, work) => {
    let least = Infinity;
    for (let i = 0; i < runs; i++) {
        const since = us();
        work();
        least = Math.min(least, us() - since);
    }
    return least;
};

const compile = best(10, () => {
    const ajv = new Ajv({ strict: false });
    for (let i = 0; i < 52; i++) ajv.compile(structuredClone(samples[i % samples.length].schema));
});
const out = { who: "ajv", what: "schemas", compile_us: compile };
const ajv = new Ajv({ strict: false });
samples.forEach((s, index) => {
    const check = ajv.compile(s.schema);
    const many = 20000;
    let good = 0;
    const each = best(15, () => {
        for (let i = 0; i < many; i++) good += check(JSON.parse(s.value)) ? 1 : 0;
    });
    if (good !== 15 * many) throw new Error(`sample ${index} is not valid`);
    out[`check${index}_us`] = each / many;
});
console.log(JSON.stringify(out));
