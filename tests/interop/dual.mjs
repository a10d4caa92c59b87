// SPDX-License-Identifier: MIT
//
// dual.mjs - a server of both eras on the official TypeScript SDK: sessions for
// clients that begin with `initialize`, single requests for the others.
//
//   node dual.mjs [modern]      modern: nobody else is served
//
// Says on stdout where it listens, and ends with its stdin.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, inputRequired, isLegacyRequest, McpServer } from '@modelcontextprotocol/server';

const modernOnly = process.argv[2] === 'modern';
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const object = (properties, required = []) => fromJsonSchema({ type: 'object', properties, required });
const sleep = (ms, signal) => new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); });
});
let cancelled = 0;
let grown = false;

function makeServer() {
    const server = new McpServer({ name: 'dual', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
    server.registerTool('echo', { description: 'says it again', inputSchema: object({ text: { type: 'string' } }) },
        ({ text: said }) => text(said));
    server.registerTool('era', { description: 'which era', inputSchema: object({}) },
        (_, ctx) => text(ctx.mcpReq.envelope ? 'modern' : 'legacy'));
    server.registerTool('count', { description: 'progress', inputSchema: object({ n: { type: 'integer' } }) },
        async ({ n }, ctx) => {
            for (let i = 1; i <= n && ctx.mcpReq._meta?.progressToken !== undefined; i++)
                await ctx.mcpReq.notify({ method: 'notifications/progress',
                    params: { progressToken: ctx.mcpReq._meta.progressToken, progress: i, total: n } });
            return text(`counted to ${n}`);
        });
    server.registerTool('slow', { description: 'takes its time', inputSchema: object({ ms: { type: 'integer' } }) },
        async ({ ms }, ctx) => {
            await sleep(ms, ctx.mcpReq.signal);
            cancelled += ctx.mcpReq.signal.aborted;
            return text('awake');
        });
    server.registerTool('cancelled', { description: 'how many were', inputSchema: object({}) }, () => text(cancelled));
    server.registerTool('mirrored', { description: 'a header', inputSchema: object({ region: { type: 'string', 'x-mcp-header': 'Region' } }) },
        (_, ctx) => text(ctx.http?.req?.headers.get('mcp-param-region')));
    server.registerTool('ask', { description: 'elicitation', inputSchema: object({}) }, (_, ctx) => {
        const answer = ctx.mcpReq.inputResponses?.who;
        if (!answer)
            return inputRequired({ requestState: 'st\u00e4te "1"', inputRequests: { who: inputRequired.elicit({ message: 'Who?',
                requestedSchema: { type: 'object', properties: { name: { type: 'string', default: 'nobody' }, age: { type: 'integer' } }, required: ['name'] } }) } });
        return text(`${answer.action} ${answer.content?.name} ${answer.content?.age} ${ctx.mcpReq.requestState()}`);
    });
    server.registerTool('sample', { description: 'sampling', inputSchema: object({}) }, (_, ctx) => {
        const answer = ctx.mcpReq.inputResponses?.model;
        if (!answer)
            return inputRequired({ inputRequests: { model: inputRequired.createMessage({ maxTokens: 10,
                messages: [{ role: 'user', content: { type: 'text', text: 'say something' } }] }) } });
        return text(`${answer.model}: ${answer.content.text}`);
    });
    server.registerTool('grow', { description: 'one more tool', inputSchema: object({}) }, () => {
        grown = true;
        for (const session of sessions.values())
            addGrown(session.server);
        handler.notify.toolsChanged();
        return text('grown');
    });
    if (grown)
        addGrown(server);
    return server;
}

function addGrown(server) {
    server.registerTool('grown', { description: 'was not there', inputSchema: object({}) }, () => text('here'));
}

const sessions = new Map();
const handler = createMcpHandler(makeServer, { legacy: 'reject' });
const modern = toNodeHandler(handler);

async function legacy(req, res) {
    const id = req.headers['mcp-session-id'];
    let session = sessions.get(id);
    if (id !== undefined && !session) {
        res.writeHead(404, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }));
        return;
    }
    if (!session) {
        const server = makeServer();
        const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID,
            onsessioninitialized: (made) => sessions.set(made, session),
            onsessionclosed: (closed) => sessions.delete(closed) });
        session = { server, transport };
        await server.connect(transport);
    }
    await session.transport.handleRequest(req, res, req.body);
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
