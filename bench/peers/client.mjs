// SPDX-License-Identifier: MIT
//
// client.mjs - measures the official TypeScript SDK, as bench/client.c does the library.
//
//     node client.mjs v1|v2 calls|cold|list [--NAME VALUE]...
//
// It uses the server, the scenarios and the options of bench/client.c, and prints one
// line of JSON with the same names.
//
// v1 is @modelcontextprotocol/sdk, v2 is @modelcontextprotocol/client.  Use taskset to
// run the program on one core.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const [version, mode, ...rest] = process.argv.slice(2);
const opt = { tool: 'text64', calls: 3000, warm: 3000, inflight: 1, servers: 1, tools: 10, reps: 1 };
for (let i = 0; i < rest.length; i += 2) {
  const name = rest[i].slice(2);
  opt[name] = name === 'tool' ? rest[i + 1] : Number(rest[i + 1]);
}

let Client, StdioClientTransport, StreamableHTTPClientTransport;
if (version === 'v1') {
  ({ Client } = await import('@modelcontextprotocol/sdk/client/index.js'));
  ({ StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js'));
  ({ StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js'));
} else {
  ({ Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client'));
  ({ StdioClientTransport } = await import('@modelcontextprotocol/client/stdio'));
}

const now = () => Number(process.hrtime.bigint()) / 1e3; // us
const cpu = () => { const u = process.cpuUsage(); return u.user + u.system; };
const quantile = (a, q) => {
  a.sort((x, y) => x - y);
  const at = q * (a.length - 1), i = Math.floor(at);
  return i + 1 < a.length ? a[i] + (at - i) * (a[i + 1] - a[i]) : a[a.length - 1];
};

// The server ends when its stdin ends.  Its stdin is a pipe from this process, and
// therefore the server ends with this process.
async function startWeb() {
  const server = spawn(process.env.BENCH_SERVER, ['--http', opt.http === 2 ? 'sse' : 'json'],
    { stdio: ['pipe', 'pipe', 'inherit'] });
  const [first] = await once(server.stdout, 'data');
  return new URL(String(first).trim());
}

async function connectWeb() {
  const client = new Client({ name: 'bench', version: '1.0' });
  await client.connect(new StreamableHTTPClientTransport(await startWeb()));
  return client;
}

async function connect(number) {
  if (opt.http) return connectWeb();
  const args = ['--tools', String(opt.tools)];
  if (opt.servers > 1) args.push('--prefix', `s${number}_`);
  const client = new Client({ name: 'bench', version: '1.0' });
  await client.connect(new StdioClientTransport({
    command: process.env.BENCH_SERVER, args, maxBufferSize: 256 * 1024 * 1024,
  }));
  return client;
}

async function up() {
  const one = async (i) => {
    const client = await connect(i);
    const { tools } = await client.listTools();
    if (tools.length !== opt.tools) throw new Error(`${tools.length} tools came up`);
    return client;
  };
  return Promise.all(Array.from({ length: opt.servers }, (_, i) => one(i)));
}

async function oneCall(client) {
  const r = await client.callTool({ name: opt.tool, arguments: { message: 'hello' } });
  if (r.content[0].text.length < 32) throw new Error('a short result');
}

async function runCalls(client, n, times) {
  let left = n;
  const worker = async () => {
    while (left > 0) {
      left--;
      const t0 = now();
      await oneCall(client);
      times.push(now() - t0);
    }
  };
  await Promise.all(Array.from({ length: opt.inflight }, worker));
}

async function calls() {
  const client = await connect(0);
  await runCalls(client, opt.warm, []);
  const times = [], wall = now(), used = cpu();
  await runCalls(client, opt.calls, times);
  const out = {
    cpu_us: (cpu() - used) / opt.calls,
    calls_per_s: opt.calls / (now() - wall) * 1e6,
  };
  if (opt.inflight === 1) Object.assign(out, { p50_us: quantile(times, 0.5), p99_us: quantile(times, 0.99) });
  await client.close();
  return out;
}

async function cold() {
  const ms = [];
  let first = -1;
  for (let rep = 0; rep < opt.reps; rep++) {
    const t0 = now();
    const clients = await up();
    ms.push((now() - t0) / 1e3);
    if (rep === 0 && process.env.BENCH_START_NS) first = now() / 1e3 - Number(process.env.BENCH_START_NS) / 1e6;
    await Promise.all(clients.map((c) => c.close()));
  }
  return { ms: quantile(ms, 0.5), first_ms: first };
}

const figures = await { calls, cold, list: cold }[mode]();
console.log(JSON.stringify({ who: version, what: mode, ...figures }));
process.exit(0);
