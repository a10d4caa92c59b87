// SPDX-License-Identifier: MIT
//
// served.mjs - the official TypeScript clients at `mcphostctl serve --stdio`, in front of
// server-everything over stdio and over HTTP, and in front of a server of the modern era.
//
//   node served.mjs MCPHOSTCTL
//
// One line a check, and at the end `N passed, N failed`.  Runs where the packages are.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as types1 from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const ctl = process.argv[2];
const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
const port = 20000 + (process.pid % 10000);
let passed = 0;
let failed = 0;

async function check(name, fn) {
    try {
        const limit = new Promise((_, no) => {
            setTimeout(() => no(new Error('too long')), 20000).unref();
        });
        await Promise.race([fn(), limit]);
        passed++;
    } catch (error) {
        failed++;
        console.log(`FAILED ${name}: ${error?.message ?? error}`);
    }
}

function must(condition, what) {
    if (!condition) throw new Error(what);
}

const text = (result) => result.content.map((item) => item.text ?? '').join('\n');
const message = { role: 'assistant', model: 'm', content: { type: 'text', text: 'lent' } };
const capabilities = { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } };

// Both clients, with one way to answer what servers ask.
const clients = {
    '1.32.2': (options) => {
        const client = new Client1({ name: 'served', version: '1' }, { capabilities });
        const handlers = options.handlers;
        client.setRequestHandler(types1.CreateMessageRequestSchema, handlers.sampling);
        client.setRequestHandler(types1.ElicitRequestSchema, handlers.elicitation);
        client.setRequestHandler(types1.ListRootsRequestSchema, handlers.roots);
        client.setNotificationHandler(
            types1.ResourceUpdatedNotificationSchema, handlers.updated);
        client.setNotificationHandler(
            types1.ToolListChangedNotificationSchema, handlers.changed);
        return { client, transport: new Stdio1(options.transport) };
    },
    '2.4.0': (options) => {
        const client = new Client2({ name: 'served', version: '1' }, { capabilities });
        const handlers = options.handlers;
        client.setRequestHandler('sampling/createMessage', handlers.sampling);
        client.setRequestHandler('elicitation/create', handlers.elicitation);
        client.setRequestHandler('roots/list', handlers.roots);
        client.setNotificationHandler('notifications/resources/updated', handlers.updated);
        client.setNotificationHandler('notifications/tools/list_changed', handlers.changed);
        return { client, transport: new Stdio2(options.transport) };
    },
};

async function connect(version, args) {
    const seen = { sampled: 0, elicited: 0, rooted: 0, updated: [], changed: 0 };
    const handlers = {
        sampling: async () => { seen.sampled++; return message; },
        elicitation: async () => {
            seen.elicited++;
            return { action: 'decline' };
        },
        roots: async () => { seen.rooted++; return { roots: [] }; },
        updated: (notice) => { seen.updated.push(notice.params.uri); },
        changed: () => { seen.changed++; },
    };
    const transport = { command: ctl, args: [...args, 'serve', '--stdio'], stderr: 'inherit' };
    const made = clients[version]({ handlers, transport });
    await made.client.connect(made.transport);
    return { ...made, seen };
}

async function use_everything(version, way, args) {
    const name = (what) => `${version} ${way}: ${what}`;
    let client, seen;
    await check(name('connect'), async () => {
        ({ client, seen } = await connect(version, args));
    });
    if (!client) return;
    await check(name('tools/list'), async () => {
        const { tools } = await client.listTools();
        must(tools.some((tool) => tool.name === 'echo' && tool.inputSchema), 'no echo');
    });
    await check(name('tools/call'), async () => {
        const result = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
        must(text(result).includes('hi'), text(result));
    });
    await check(name('structured content'), async () => {
        const result = await client.callTool({ name: 'get-structured-content',
                                               arguments: { location: 'Chicago' } });
        must(result.structuredContent, 'none');
    });
    await check(name('an unknown tool'), async () => {
        let error = null;
        try {
            const result = await client.callTool({ name: 'no-such', arguments: {} });
            error = result.isError ? result : null;
        } catch (thrown) {
            error = thrown;
        }
        must(error, 'no error');
    });
    const long = { name: 'trigger-long-running-operation',
                   arguments: { duration: 1, steps: 3 } };
    await check(name('progress'), async () => {
        let last = 0;
        const options = { onprogress: (progress) => { last = progress.progress; } };
        if (version === '1.32.2') await client.callTool(long, undefined, options);
        else await client.callTool(long, options);
        must(last >= 2, `${last}`);
    });
    await check(name('cancel'), async () => {
        const stop = new AbortController();
        const options = { signal: stop.signal };
        const slow = { ...long, arguments: { duration: 30, steps: 3 } };
        setTimeout(() => stop.abort('enough'), 200);
        let ended = false;
        try {
            if (version === '1.32.2') await client.callTool(slow, undefined, options);
            else await client.callTool(slow, options);
        } catch {
            ended = true;
        }
        must(ended, 'it was not cancelled');
        await client.callTool({ name: 'echo', arguments: { message: 'still there' } });
    });
    await check(name('sampling'), async () => {
        const { tools } = await client.listTools();
        const tool = tools.find((t) => t.name.includes('sampling'));
        must(tool, 'no tool samples');
        const result = await client.callTool({
            name: tool.name, arguments: { prompt: 'say', maxTokens: 10 } });
        must(seen.sampled === 1 && text(result).includes('lent'), text(result));
    });
    await check(name('elicitation'), async () => {
        const { tools } = await client.listTools();
        const tool = tools.find((t) => t.name === 'trigger-elicitation-request');
        must(tool, 'no tool elicits');
        await client.callTool({ name: tool.name, arguments: {} });
        must(seen.elicited === 1, `${seen.elicited}`);
    });
    let uri;
    await check(name('resources'), async () => {
        const { resources } = await client.listResources();
        uri = resources[0].uri;
        const { contents } = await client.readResource({ uri });
        must(contents[0].uri === uri, 'another URI');
    });
    await check(name('templates'), async () => {
        const { resourceTemplates } = await client.listResourceTemplates();
        must(resourceTemplates.length > 0, 'none');
        const { contents } = await client.readResource({
            uri: 'demo://resource/dynamic/text/1' });
        must(contents.length === 1, 'nothing was read');
    });
    await check(name('prompts'), async () => {
        const { prompts } = await client.listPrompts();
        must(prompts.some((prompt) => prompt.name === 'args-prompt'), 'no args-prompt');
        const { messages } = await client.getPrompt({
            name: 'args-prompt', arguments: { city: 'Rome' } });
        must(JSON.stringify(messages).includes('Rome'), 'no Rome');
    });
    await check(name('completion'), async () => {
        const { completion } = await client.complete({
            ref: { type: 'ref/prompt', name: 'completable-prompt' },
            argument: { name: 'department', value: 'S' } });
        must(completion.values.includes('Sales'), completion.values.join());
    });
    await check(name('subscription'), async () => {
        const dynamic = 'demo://resource/dynamic/text/1';
        await client.subscribeResource({ uri: dynamic });
        await client.callTool({ name: 'toggle-subscriber-updates', arguments: {} });
        for (let i = 0; i < 150 && seen.updated.length === 0; i++)
            await new Promise((go) => setTimeout(go, 100));
        must(seen.updated[0] === dynamic, `${seen.updated}`);
        await client.unsubscribeResource({ uri: dynamic });
    });
    await check(name('logging level'), async () => {
        await client.setLoggingLevel('warning');
    });
    await check(name('close'), async () => {
        await client.close();
    });
}

const server = spawn('node', [everything, 'streamableHttp'],
    { env: { ...process.env, PORT: `${port}` }, stdio: ['ignore', 'ignore', 'pipe'] });
await Promise.race([once(server.stderr, 'data'),
                    new Promise((go) => setTimeout(go, 5000))]);
const ways = {
    stdio: ['--stdio', `node ${everything}`],
    http: ['--url', `http://127.0.0.1:${port}/mcp`],
};
// Both clients at once: they mostly wait.
await Promise.all(Object.keys(clients).map(async (version) => {
    for (const [way, args] of Object.entries(ways))
        await use_everything(version, way, args);
}));
server.kill();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
