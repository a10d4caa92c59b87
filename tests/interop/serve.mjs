// SPDX-License-Identifier: MIT
//
// serve.mjs - the transports of the test servers on the official TypeScript SDK.
//
//   either    over HTTP: sessions for clients that begin with `initialize`, single
//             requests for other clients
//   modern    over HTTP: only single requests
//   stdio     over stdin and stdout, in the era of the client's first message
//
// Over HTTP, the server prints its URL on stdout, and ends when its stdin ends.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

// The servers that live longer than one request.  Tests change their lists.
export const live = new Set();

function keep(server) {
    live.add(server);
    server.server.onclose = () => live.delete(server);
    return server;
}

// make() makes a server.  Returns functions that report changes.  The functions for lists
// report a change only to HTTP clients that send single requests, because these clients
// have no server in `live`.  The servers in `live` report the change to the other
// clients.  updated() reports a changed resource to all clients.
export function serve(make, how = 'either') {
    const updated = (uri) => live.forEach((server) => server.server.sendResourceUpdated({ uri }));
    if (how === 'stdio') {
        serveStdio((context) => keep(make(context)));
        return { tools() {}, prompts() {}, resources() {}, updated };
    }
    const handler = createMcpHandler(make, { legacy: 'reject' });
    listen(make, toNodeHandler(handler), how === 'modern');
    return { tools: () => handler.notify.toolsChanged(), prompts: () => handler.notify.promptsChanged(),
        resources: () => handler.notify.resourcesChanged(),
        updated: (uri) => {
            handler.notify.resourceUpdated(uri);
            updated(uri);
        } };
}

function listen(make, modern, modernOnly) {
    const sessions = new Map();

    async function legacy(req, res) {
        const id = req.headers['mcp-session-id'];
        let transport = sessions.get(id);
        if (id !== undefined && !transport) {
            res.writeHead(404, { 'content-type': 'application/json' });
            res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }));
            return;
        }
        if (!transport) {
            transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID,
                onsessioninitialized: (made) => sessions.set(made, transport),
                onsessionclosed: (closed) => sessions.delete(closed) });
            await keep(make({ era: 'legacy' })).connect(transport);
        }
        await transport.handleRequest(req, res, req.body);
    }

    const http = createServer(async (req, res) => {
        const chunks = [];
        for await (const chunk of req)
            chunks.push(chunk);
        const raw = Buffer.concat(chunks).toString();
        try {
            req.body = raw ? JSON.parse(raw) : undefined;
            if (!modernOnly && await isLegacyRequest(await toWebRequest(req, req.body)))
                await legacy(req, res);
            else
                await modern(req, res, req.body);
        } catch (error) {
            console.error(error);
            if (!res.headersSent)
                res.writeHead(500).end();
        }
    });
    http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
    process.stdin.resume().on('end', () => process.exit(0));
}
