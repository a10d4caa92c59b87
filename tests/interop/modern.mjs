// SPDX-License-Identifier: MIT
//
// modern.mjs - a server on the official TypeScript SDK with one feature of each kind.
//
//   node modern.mjs [either|modern|stdio]      see serve.mjs
//
// The SDK has no tasks, so this file implements the extension
// io.modelcontextprotocol/tasks, for the modern era.
import { completable, fromJsonSchema, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { live, serve } from './serve.mjs';

const TASKS = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SOUND = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
const BYTES = Buffer.from([0, 1, 2, 253, 254, 255]).toString('base64');

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const object = (properties, required = []) => fromJsonSchema({ type: 'object', properties, required });
const sleep = (ms, signal) => new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => { clearTimeout(timer); resolve(); });
});
let cancelled = 0;
let grown = false;

// ---- tools

function calls(server) {
    const tool = (name, properties, run, more = {}) => server.registerTool(name,
        { description: name, inputSchema: object(properties), ...more }, run);
    tool('echo', { text: { type: 'string' } }, ({ text: said }) => text(said));
    tool('era', {}, (_, ctx) => text(ctx.mcpReq.envelope ? 'modern' : 'legacy'));
    tool('fail', {}, () => { throw new Error('no such luck'); });
    tool('mirrored', { region: { type: 'string', 'x-mcp-header': 'Region' } },
        (_, ctx) => text(ctx.http?.req?.headers.get('mcp-param-region')));
    tool('typed', { city: { type: 'string' } }, ({ city }) => ({ ...text(JSON.stringify({ city, degrees: 21.5 })),
        structuredContent: { city, degrees: 21.5 } }), {
        title: 'Typed', annotations: { readOnlyHint: true },
        outputSchema: object({ city: { type: 'string' }, degrees: { type: 'number' } }, ['city', 'degrees']) });
    tool('contents', {}, () => ({ content: [
        { type: 'text', text: 'one of each', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'image', data: PICTURE, mimeType: 'image/png' },
        { type: 'audio', data: SOUND, mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'note://inside', mimeType: 'text/plain', text: 'inside' } },
        { type: 'resource', resource: { uri: 'note://bytes', mimeType: 'application/x-bytes', blob: BYTES } },
        { type: 'resource_link', uri: 'note://fixed', name: 'fixed', mimeType: 'text/plain' }] }));
}

function times(server) {
    const tool = (name, properties, run) => server.registerTool(name,
        { description: name, inputSchema: object(properties) }, run);
    tool('count', { n: { type: 'integer' }, ms: { type: 'integer' } }, async ({ n, ms }, ctx) => {
        for (let i = 1; i <= n && ctx.mcpReq._meta?.progressToken !== undefined; i++) {
            await ctx.mcpReq.notify({ method: 'notifications/progress', params: {
                progressToken: ctx.mcpReq._meta.progressToken, progress: i, total: n, message: `step ${i}` } });
            if (ms) await sleep(ms);
        }
        return text(`counted to ${n}`);
    });
    tool('slow', { ms: { type: 'integer' } }, async ({ ms }, ctx) => {
        await sleep(ms, ctx.mcpReq.signal);
        cancelled += ctx.mcpReq.signal.aborted;
        return text('awake');
    });
    tool('cancelled', {}, () => text(cancelled));
    tool('log', {}, async (_, ctx) => {
        for (const level of LEVELS)
            await ctx.mcpReq.log(level, { said: level }, 'modern');
        return text('logged');
    });
}

const WHO = { message: 'Who?', requestedSchema: { type: 'object', required: ['name'],
    properties: { name: { type: 'string', default: 'nobody' }, age: { type: 'integer' } } } };
const SAY = { maxTokens: 10, messages: [{ role: 'user', content: { type: 'text', text: 'say something' } }] };
const answered = (ctx, key, inputRequests, done, requestState) => {
    const answers = ctx.mcpReq.inputResponses;
    return answers?.[key] ? done(answers[key], answers) : inputRequired({ inputRequests, requestState });
};

// The tools, the prompt and the resource that asks() registers put questions to the
// client: by input_required in the modern era, and by requests in the legacy era.
function asks(server) {
    const tool = (name, run) => server.registerTool(name, { description: name, inputSchema: object({}) }, run);
    tool('ask', (_, ctx) => answered(ctx, 'who', { who: inputRequired.elicit(WHO) }, ({ action, content }) =>
        text(`${action} ${content?.name} ${content?.age} ${ctx.mcpReq.requestState()}`), 'st\u00e4te "1"'));
    tool('open', (_, ctx) => answered(ctx, 'page', { page: inputRequired.elicitUrl({ message: 'Sign in',
        url: 'https://example.com/in?a=1', elicitationId: 'e1' }) }, ({ action }) => text(action)));
    tool('sample', (_, ctx) => answered(ctx, 'model', { model: inputRequired.createMessage(SAY) },
        ({ model, content }) => text(`${model}: ${content.text}`)));
    tool('roots', (_, ctx) => answered(ctx, 'where', { where: inputRequired.listRoots() },
        ({ roots }) => text(roots.map(({ uri, name }) => `${name} ${uri}`).join())));
    // The first round asks three questions at once.  The second round has only a state.
    // The third round ends the call.
    tool('rounds', (_, ctx) => {
        if (ctx.mcpReq.requestState() === 'twice')
            return text('three rounds');
        return answered(ctx, 'who', { who: inputRequired.elicit(WHO), where: inputRequired.listRoots(),
            model: inputRequired.createMessage(SAY) }, (_, answers) => Object.keys(answers).sort().join() ===
            'model,where,who' ? inputRequired({ requestState: 'twice' }) : text('something is missing'), 'once');
    });
    server.registerPrompt('asking', { description: 'asks who' }, (ctx) => answered(ctx, 'who',
        { who: inputRequired.elicit(WHO) }, ({ content }) => ({ messages: [
            { role: 'assistant', content: { type: 'text', text: `Dear ${content.name}` } }] })));
    server.registerResource('asking', 'note://asking', { mimeType: 'text/plain' }, (uri, ctx) => answered(ctx,
        'who', { who: inputRequired.elicit(WHO) }, ({ content }) => ({ contents: [
            { uri: uri.href, mimeType: 'text/plain', text: `for ${content.name}` }] })));
}

// ---- prompts and resources

function texts(server) {
    const letter = { language: completable(z.string(), (value) => ['English', 'Esperanto', 'German']
        .filter((language) => language.startsWith(value))),
    greeting: completable(z.string(), (value, context) => ({ German: ['Hallo', 'Moin'],
        English: ['Hello'] })[context?.arguments?.language]?.filter((word) => word.startsWith(value)) ?? []).optional() };
    server.registerPrompt('letter', { title: 'A letter', description: 'letter', argsSchema: z.object(letter) },
        ({ language, greeting }) => ({ messages: [
            { role: 'user', content: { type: 'text', text: `${greeting ?? 'Hi'} in ${language}` } },
            { role: 'assistant', content: { type: 'image', data: PICTURE, mimeType: 'image/png' } },
            { role: 'user', content: { type: 'resource', resource: { uri: 'note://inside', text: 'inside' } } }] }));
    const resource = (name, more, content) => server.registerResource(name, `note://${name}`, more,
        (uri) => ({ contents: [{ uri: uri.href, ...content }] }));
    resource('fixed', { title: 'Fixed', mimeType: 'text/plain' }, { mimeType: 'text/plain', text: 'grüße' });
    resource('fresh', { mimeType: 'application/x-bytes' }, { mimeType: 'application/x-bytes', blob: BYTES });
    server.registerResource('page', new ResourceTemplate('note://pages/{book}/{page}', { list: undefined,
        complete: { book: (value) => ['atlas', 'novel'].filter((book) => book.startsWith(value)),
            page: (value, context) => (context?.arguments?.book === 'atlas' ? ['1', '12'] : ['2'])
                .filter((page) => page.startsWith(value)) } }), { mimeType: 'text/plain' },
    (uri, { book, page }) => ({ contents: [{ uri: uri.href, text: `page ${page} of ${book}` }] }));
}

// ---- changes

function addGrown(server) {
    return [
        server.registerTool('grown', { description: 'was not there', inputSchema: object({}) }, () => text('here')),
        server.registerPrompt('grown', { description: 'was not there' }, () => ({ messages: [
            { role: 'user', content: { type: 'text', text: 'here' } }] })),
        server.registerResource('grown', 'note://grown', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'here' }] }))];
}

function changes(server) {
    const tool = (name, properties, run) => server.registerTool(name,
        { description: name, inputSchema: object(properties) }, run);
    tool('grow', {}, () => {
        if (!grown)
            live.forEach(addGrown);
        grown = true;
        tell.tools();
        tell.prompts();
        tell.resources();
        return text('grown');
    });
    tool('touch', { uri: { type: 'string' } }, ({ uri }) => {
        tell.updated(uri);
        return text(uri);
    });
}

// ---- tasks

const tasks = new Map();
const task = ({ run, ...shown }) => ({ ...shown, lastUpdatedAt: new Date().toISOString() });
const known = (taskId) => {
    if (!tasks.has(taskId))
        throw Object.assign(new Error('no such task'), { code: -32602 });
    return tasks.get(taskId);
};

function finish(one, result) {
    if (one.status === 'working' || one.status === 'input_required')
        Object.assign(one, { status: 'completed', statusMessage: 'done', result, inputRequests: undefined });
}

function taskTools(server) {
    server.registerTool('work', { description: 'a task', inputSchema: object({ ms: { type: 'integer' },
        asks: { type: 'boolean' } }) }, ({ ms, asks: question }, ctx) => {
        if (!ctx.mcpReq.envelope?.[CAPABILITIES]?.extensions?.[TASKS])
            return text('worked at once');
        const one = { taskId: `task-${tasks.size + 1}`, status: 'working', statusMessage: 'at it',
            createdAt: new Date().toISOString(), ttlMs: 60000, pollIntervalMs: 50 };
        tasks.set(one.taskId, one);
        setTimeout(() => question && one.status === 'working' ? Object.assign(one, { status: 'input_required',
            inputRequests: { who: inputRequired.elicit(WHO) } }) : finish(one, text('worked')), ms);
        return { ...task(one), resultType: 'task', content: [] };
    });
    const method = (name, run) => server.server.setRequestHandler(name, { params: z.looseObject({}) }, run);
    method('tasks/get', ({ taskId }) => task(known(taskId)));
    method('tasks/update', ({ taskId }, ctx) => {
        finish(known(taskId), text(`worked for ${ctx.mcpReq.inputResponses?.who?.content?.name}`));
        return {};
    });
    method('tasks/cancel', ({ taskId }) => {
        Object.assign(known(taskId), { status: 'cancelled' });
        return {};
    });
    server.registerTool('task', { description: 'how a task is', inputSchema: object({ id: { type: 'string' } }) },
        ({ id }) => text(tasks.get(id)?.status));
}

function make({ era }) {
    const server = new McpServer({ name: 'modern', title: 'One of each', version: '1.0.0' }, {
        instructions: 'Ask for one of each.', cacheHints: Object.fromEntries(['tools/list', 'server/discover']
            .map((method) => [method, { ttlMs: 600000, cacheScope: 'private' }])),
        capabilities: { logging: {}, completions: {}, tools: { listChanged: true }, prompts: { listChanged: true },
            resources: { listChanged: true, subscribe: true }, ...era === 'modern' && { extensions: { [TASKS]: {} } } } });
    for (const part of [calls, times, asks, texts, changes])
        part(server);
    if (era === 'modern')
        taskTools(server);
    else
        for (const method of ['resources/subscribe', 'resources/unsubscribe'])
            server.server.setRequestHandler(method, () => ({}));
    if (grown)
        addGrown(server);
    return server;
}

const tell = serve(make, process.argv[2]);
