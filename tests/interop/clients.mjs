// SPDX-License-Identifier: MIT
//
// clients.mjs - one interface to versions 1 and 2 of the official TypeScript client.
//
// The functions in `clients` below make the clients, in each era that the clients
// support.  The clients answer the requests of a server (sampling, elicitation, roots),
// and record the server's notifications in `seen`.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as types1 from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
const who = { name: 'served', version: '1' };
const LEVEL = 'io.modelcontextprotocol/logLevel';

const requests = {
    'sampling/createMessage': (seen) => {
        seen.sampled++;
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'lent' } };
    },
    'elicitation/create': (seen, { params }) => {
        seen.elicited.push(params.mode ?? 'form');
        return params.mode === 'url' ? { action: 'accept' } : seen.form;
    },
    'roots/list': (seen) => {
        seen.rooted++;
        return { roots: [{ uri: 'file:///srv/work', name: 'work' }] };
    },
};
const notifications = {
    'notifications/resources/updated': (seen, { params }) => { seen.updated.push(params.uri); },
    'notifications/tools/list_changed': (seen) => { seen.changed.tools++; },
    'notifications/prompts/list_changed': (seen) => { seen.changed.prompts++; },
    'notifications/resources/list_changed': (seen) => { seen.changed.resources++; },
    'notifications/message': (seen, { params }) => { seen.messages.push(params); },
};

const schemas1 = {
    'sampling/createMessage': types1.CreateMessageRequestSchema,
    'elicitation/create': types1.ElicitRequestSchema,
    'roots/list': types1.ListRootsRequestSchema,
    'notifications/resources/updated': types1.ResourceUpdatedNotificationSchema,
    'notifications/tools/list_changed': types1.ToolListChangedNotificationSchema,
    'notifications/prompts/list_changed': types1.PromptListChangedNotificationSchema,
    'notifications/resources/list_changed': types1.ResourceListChangedNotificationSchema,
    'notifications/message': types1.LoggingMessageNotificationSchema,
};

function handle(client, seen, named) {
    for (const [method, answer] of Object.entries(requests))
        client.setRequestHandler(named(method), async (request) => answer(seen, request));
    for (const [method, take] of Object.entries(notifications))
        client.setNotificationHandler(named(method), (notice) => take(seen, notice));
}

// Subscriptions, list changes and log levels.  The legacy era has methods for
// subscriptions and for the log level, and the server reports list changes without a
// request.  The modern era has a stream for subscriptions and list changes, and a member
// of _meta for the log level.
function legacy(client) {
    return {
        subscribe: (uri) => client.subscribeResource({ uri }),
        unsubscribe: (uri) => client.unsubscribeResource({ uri }),
        hear: async () => {},
        at: async (level) => {
            await client.setLoggingLevel(level);
            return {};
        },
    };
}

function modern(client) {
    const streams = new Map();
    return {
        subscribe: async (uri) => {
            streams.set(uri, await client.listen({ resourceSubscriptions: [uri] }));
        },
        unsubscribe: (uri) => streams.get(uri).close(),
        hear: () => client.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }),
        at: async (level) => ({ [LEVEL]: level }),
    };
}

// Each function makes a client and starts the client's server with the command.  call()
// takes a tool's name, its arguments, options and a _meta.  hear() subscribes to list
// changes.  It does nothing in the legacy era.  at() returns the _meta that makes a call
// report messages from a level on.  In the legacy era, at() sets the level with a
// request, and the _meta is empty.
export const clients = {
    '1.32.2': async (command, args, seen) => {
        const client = new Client1(who, { capabilities });
        handle(client, seen, (method) => schemas1[method]);
        await client.connect(new Stdio1({ command, args, stderr: 'inherit' }));
        return { client, ...legacy(client), call: (name, given = {}, options = {}, _meta = {}) =>
            client.callTool({ name, arguments: given, _meta }, undefined, options) };
    },
    '2.4.0': async (command, args, seen) => {
        const client = new Client2(who, { capabilities });
        handle(client, seen, (method) => method);
        await client.connect(new Stdio2({ command, args, stderr: 'inherit' }));
        return { client, ...legacy(client), call: (name, given = {}, options = {}, _meta = {}) =>
            client.callTool({ name, arguments: given, _meta }, options) };
    },
    '2.4.0 modern': async (command, args, seen) => {
        const client = new Client2(who, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
        handle(client, seen, (method) => method);
        await client.connect(new Stdio2({ command, args, stderr: 'inherit' }));
        return { client, ...modern(client), call: (name, given = {}, options = {}, _meta = {}) =>
            client.callTool({ name, arguments: given, _meta }, options) };
    },
};

export async function connect(version, command, args) {
    const seen = { sampled: 0, elicited: [], rooted: 0, updated: [], messages: [],
        changed: { tools: 0, prompts: 0, resources: 0 },
        form: { action: 'accept', content: { name: 'Ada' } } };
    return { ...await clients[version](command, args, seen), seen, version,
        isModern: version.endsWith('modern') };
}

// ---- checks

export const text = (result) => result.content.map((item) => item.text ?? '').join('\n');

export function must(condition, what) {
    if (!condition) throw new Error(what);
}

// Waits until holds() is true, for at most 10 seconds.
export async function until(holds, what) {
    for (let i = 0; i < 500 && !await holds(); i++)
        await new Promise((go) => setTimeout(go, 20));
    must(await holds(), what);
}

export async function fails(promise) {
    try {
        await promise;
    } catch (error) {
        return error;
    }
    throw new Error('no error');
}

let passed = 0;
let failed = 0;

// Returns true if the check has passed.
export async function check(name, fn) {
    try {
        let timer;
        const limit = new Promise((_, no) => {
            timer = setTimeout(() => no(new Error('too long')), 30000);
        });
        await Promise.race([fn(), limit]);
        clearTimeout(timer);
        passed++;
        return true;
    } catch (error) {
        failed++;
        console.log(`FAILED ${name}: ${error?.stack ?? error}`);
        return false;
    }
}

// Runs the rows of a table, one after the other, with a client of this version.
export async function use(version, way, rows, command, args) {
    let using;
    if (!await check(`${version}, ${way}: connect`, async () => { using = await connect(version, command, args); }))
        return;
    for (const [what, row] of Object.entries(rows))
        await check(`${version}, ${way}: ${what}`, () => row(using));
    await check(`${version}, ${way}: close`, () => using.client.close());
}

export function end() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
}
