// SPDX-License-Identifier: MIT
//
// h2.mjs - a server of the modern era (MCP 2026-07-28) that speaks only HTTP/2 over TLS,
// on node's http2.  The server refuses HTTP/1.1.
//
//   node h2.mjs CERTIFICATE KEY
//
// Prints its URL on stdout, and ends when its stdin ends.
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';

const [cert, key] = process.argv.slice(2).map((file) => readFileSync(file));
let connections = 0;
let open = 0;
let most = 0;

const tool = (name, properties) => ({ name, description: name, inputSchema: { type: 'object', properties } });
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function call(name, args) {
    if (name === 'slow')
        await sleep(args.ms);
    return { slow: () => text('awake'), echo: () => text(args.text), connections: () => text(connections),
        most: () => text(most) }[name]();
}

async function answer({ method, params }) {
    switch (method) {
    case 'server/discover':
        return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private',
            serverInfo: { name: 'h2', version: '1.0.0' } };
    case 'tools/list':
        return { ttlMs: 0, cacheScope: 'private', tools: [tool('echo', { text: { type: 'string' } }),
            tool('slow', { ms: { type: 'integer' } }), tool('connections', {}), tool('most', {})] };
    case 'tools/call':
        return call(params.name, params.arguments);
    default:
        return null;
    }
}

const server = createSecureServer({ cert, key, allowHTTP1: false });
server.on('session', () => connections++);
server.on('stream', async (stream) => {
    const chunks = [];
    most = Math.max(most, ++open);
    stream.on('close', () => open--);
    stream.on('error', () => {});
    for await (const chunk of stream)
        chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString());
    const result = await answer(message);
    if (stream.destroyed)
        return;
    const body = result ? { result: { resultType: 'complete', ...result } }
        : { error: { code: -32601, message: 'Method not found' } };
    stream.respond({ ':status': result ? 200 : 404, 'content-type': 'application/json' });
    stream.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }));
});
server.listen(0, '127.0.0.1', () => console.log(`https://127.0.0.1:${server.address().port}/mcp`));
process.stdin.resume().on('end', () => process.exit(0));
