// SPDX-License-Identifier: MIT
//
// served.mjs - tests the library's server with the official TypeScript clients, in each
// era.  The clients start these programs:
//
//   - `mcphostctl serve --stdio` in front of server-everything, over stdio and over HTTP,
//     and of modern.mjs, in either era and over both transports;
//   - `provided`, which serves a provider of its own.
//
//   node served.mjs MCPHOSTCTL PROVIDED
//
// Prints one line for each failed check and, at the end, `N passed, N failed`.  Run
// the script in the directory of the packages.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { clients, end, fails, must, text, until, use } from './clients.mjs';

const [ctl, provided] = process.argv.slice(2);
const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
const all = async (list) => (await list).map((item) => item.name);

// ---- features of every server

const cancel = (name, given) => async ({ call }) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort('enough'), 200);
    await fails(call(name, given, { signal: stop.signal }));
};

const updates = (uri, change) => async (using) => {
    const { call, seen, subscribe, unsubscribe } = using;
    await subscribe(uri);
    await change(call, uri);
    await until(() => seen.updated.includes(uri), 'no news of a change');
    must(seen.updated.every((told) => told === uri), seen.updated.join());
    await unsubscribe(uri);
};

// ---- server-everything

const EVERYTHING = {
    'tools/list': async ({ client }) => {
        const { tools } = await client.listTools();
        must(tools.some((tool) => tool.name === 'echo' && tool.inputSchema), 'no echo');
    },
    'tools/call': async ({ call }) => {
        must(text(await call('echo', { message: 'hi' })) === 'Echo: hi', 'no echo');
    },
    'structured content': async ({ call }) => {
        const result = await call('get-structured-content', { location: 'Chicago' });
        must(result.structuredContent.humidity === 82, 'no such content');
    },
    'an unknown tool': async ({ call }) => {
        const result = await call('no-such').catch((error) => ({ isError: error.code === -32602 }));
        must(result.isError, 'no error');
    },
    'progress': async ({ call }) => {
        const told = [];
        await call('trigger-long-running-operation', { duration: 1, steps: 3 },
            { onprogress: ({ progress, total }) => total && told.push(`${progress}/${total}`) });
        // The clients drop the last progress if it arrives together with the answer.  On a
        // busy machine, a later progress can replace an earlier one.
        must(/^(1\/3,)?2\/3(,3\/3)?$/.test(told.join()), told.join());
    },
    'cancel': async (using) => {
        await cancel('trigger-long-running-operation', { duration: 30, steps: 3 })(using);
        must(text(await using.call('echo', { message: 'on' })) === 'Echo: on', 'it is not there');
    },
    'sampling': async ({ call, seen }) => {
        const said = text(await call('trigger-sampling-request', { prompt: 'say', maxTokens: 10 }));
        must(seen.sampled === 1 && said.includes('lent'), said);
    },
    'elicitation': async ({ call, seen }) => {
        const said = text(await call('trigger-elicitation-request'));
        must(seen.elicited.join() === 'form' && said.includes('Name: Ada'), said);
        seen.form = { action: 'decline' };
        must(text(await call('trigger-elicitation-request')).includes('declined'), 'not declined');
    },
    'elicitation of a page': async ({ call, seen }) => {
        const said = text(await call('trigger-url-elicitation', { url: 'https://example.com/pay', message: 'Pay' }));
        must(seen.elicited.at(-1) === 'url' && said.includes('User completed'), said);
    },
    'roots': async ({ call, seen }) => {
        const said = text(await call('get-roots-list'));
        must(seen.rooted > 0 && said.includes('file:///srv/work'), said);
    },
    'resources': async ({ client }) => {
        const { resources } = await client.listResources();
        const { contents } = await client.readResource({ uri: resources[0].uri });
        must(contents[0].uri === resources[0].uri, 'another URI');
    },
    'templates': async ({ client }) => {
        const { resourceTemplates } = await client.listResourceTemplates();
        must(resourceTemplates.length > 0, 'none');
        const { contents } = await client.readResource({ uri: 'demo://resource/dynamic/text/1' });
        must(contents[0].text.startsWith('Resource 1:'), contents[0].text);
    },
    'prompts': async ({ client }) => {
        must((await all((await client.listPrompts()).prompts)).includes('args-prompt'), 'no args-prompt');
        const { messages } = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Rome' } });
        must(messages[0].content.text === "What's weather in Rome?", messages[0].content.text);
    },
    'completion': async ({ client }) => {
        const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'completable-prompt' },
            argument: { name: 'department', value: 'S' } });
        must(completion.values.join() === 'Sales,Support', completion.values.join());
        const { completion: of } = await client.complete({ ref: { type: 'ref/resource',
            uri: 'demo://resource/dynamic/text/{resourceId}' }, argument: { name: 'resourceId', value: '12' } });
        must(of.values.join() === '12', of.values.join());
    },
    'subscription': updates('demo://resource/dynamic/text/1', async (call) => {
        await call('toggle-subscriber-updates');
    }),
    'messages': async ({ call, seen, at, isModern }) => {
        const _meta = await at('debug');
        const before = seen.messages.length;
        await call('toggle-simulated-logging', {}, {}, _meta);
        // A modern client gets messages only while a call that asks for them runs.
        if (isModern)
            await call('trigger-long-running-operation', { duration: 6, steps: 2 }, {}, _meta);
        await until(() => seen.messages.length > before, 'no message');
        await call('toggle-simulated-logging');
    },
    'changed lists': async ({ call, client, seen, hear }) => {
        await hear();
        await call('gzip-file-as-resource', { name: 'g.gz', data: 'data:text/plain;base64,aGk=',
            outputType: 'resourceLink' });
        await until(() => seen.changed.resources > 0, 'no news of a new resource');
        await until(async () => (await client.listResources()).resources.some(({ uri }) =>
            uri === 'demo://resource/session/g.gz'), 'no such resource');
    },
};

// ---- servers with one feature of each kind: modern.mjs and provided

const ONE_OF_EACH = {
    'tools/list': async ({ client }) => {
        const { tools } = await client.listTools();
        must(tools.find((tool) => tool.name === 'typed')?.outputSchema, 'no typed');
    },
    'tools/call': async ({ call }) => {
        must(text(await call('echo', { text: 'grüße' })) === 'grüße', 'no echo');
    },
    'a tool that fails': async ({ call }) => {
        const result = await call('fail');
        must(result.isError && text(result) === 'no such luck', text(result));
    },
    'structured content': async ({ call }) => {
        const { structuredContent } = await call('typed', { city: 'Rome' });
        must(structuredContent.city === 'Rome' && structuredContent.degrees === 21.5, 'no such content');
    },
    'an unknown tool': async ({ call }) => {
        must((await fails(call('no-such'))).code === -32602, 'another code');
    },
    // The tool pauses after each report, because the clients drop progress that they read
    // together with the answer.
    'progress': async ({ call }) => {
        const told = [];
        await call('count', { n: 5, ms: 50 }, { onprogress: ({ progress, total, message }) =>
            told.push(`${progress}/${total} ${message}`) });
        must(told.length === 5 && told[4] === '5/5 step 5', told.join());
    },
    'cancel': async (using) => {
        const { call } = using;
        const before = Number(text(await call('cancelled')));
        await cancel('slow', { ms: 60000 })(using);
        await until(async () => Number(text(await call('cancelled'))) === before + 1, 'it goes on');
    },
    'sampling': async ({ call, seen }) => {
        const said = text(await call('sample'));
        must(seen.sampled === 1 && said.includes('lent'), said);
    },
    'elicitation': async ({ call, seen }) => {
        const said = text(await call('ask'));
        must(seen.elicited.join() === 'form' && said.includes('Ada'), said);
        seen.form = { action: 'decline' };
        must(text(await call('ask')).includes('decline'), 'not declined');
    },
    'elicitation of a page': async ({ call, seen }) => {
        const said = text(await call('open'));
        must(seen.elicited.at(-1) === 'url' && said.includes('accept'), said);
    },
    'roots': async ({ call, seen }) => {
        const said = text(await call('roots'));
        must(seen.rooted > 0 && said.includes('file:///srv/work'), said);
    },
    'resources': async ({ client }) => {
        const { resources } = await client.listResources();
        must(resources.some(({ uri }) => uri === 'note://fixed'), 'it is not listed');
        const { contents } = await client.readResource({ uri: 'note://fixed' });
        must(contents[0].uri === 'note://fixed' && contents[0].text, 'another text');
        await fails(client.readResource({ uri: 'note://none' }));
    },
    'templates': async ({ client }) => {
        const { resourceTemplates } = await client.listResourceTemplates();
        must(resourceTemplates[0].uriTemplate === 'note://pages/{book}/{page}', 'another template');
        const { contents } = await client.readResource({ uri: 'note://pages/atlas/3' });
        must(contents[0].text === 'page 3 of atlas', contents[0].text);
    },
    'prompts': async ({ client }) => {
        must((await all((await client.listPrompts()).prompts)).includes('letter'), 'no letter');
        const { messages } = await client.getPrompt({ name: 'letter', arguments: { language: 'German' } });
        must(messages[0].content.text === 'Hi in German', messages[0].content.text);
    },
    'completion': async ({ client }) => {
        const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'letter' },
            argument: { name: 'language', value: 'E' } });
        must(completion.values.join() === 'English,Esperanto', completion.values.join());
        const { completion: of } = await client.complete({ ref: { type: 'ref/resource',
            uri: 'note://pages/{book}/{page}' }, argument: { name: 'book', value: 'n' } });
        must(of.values.join() === 'novel', of.values.join());
    },
    'subscription': updates('note://fixed', async (call, uri) => {
        await call('touch', { uri: 'note://none' });
        await call('touch', { uri });
    }),
    'messages': async ({ call, seen, at }) => {
        const before = seen.messages.length;
        await call('log', {}, {}, await at('warning'));
        await until(() => seen.messages.length >= before + 5, `${seen.messages.length - before} messages`);
        const levels = seen.messages.slice(before).map(({ level }) => level).join();
        must(levels === 'warning,error,critical,alert,emergency', levels);
    },
    'changed lists': async ({ call, client, seen, hear }) => {
        must(!(await all((await client.listTools()).tools)).includes('grown'), 'it has grown before');
        await hear();
        await call('grow');
        await until(() => seen.changed.tools && seen.changed.prompts && seen.changed.resources,
            JSON.stringify(seen.changed));
        await until(async () => (await all((await client.listTools()).tools)).includes('grown'), 'no new tool');
        await until(async () => (await all((await client.listPrompts()).prompts)).includes('grown'), 'no new prompt');
        await until(async () => (await client.listResources()).resources.some(({ uri }) =>
            uri === 'note://grown'), 'no new resource');
    },
};

// ---- all combinations

const running = [];

// Starts an HTTP server for one client.  Clients cannot share a server, because each
// client changes the server's lists.
async function started(args, env, stream) {
    const server = spawn('node', args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    running.push(server);
    const [first] = await Promise.race([once(server[stream], 'data'),
        new Promise((_, no) => setTimeout(() => no(new Error(`${args[0]} does not start`)), 15000).unref())]);
    server.stdout.resume();
    server.stderr.resume();
    return `${first}`.trim();
}

let port = 20000 + (process.pid % 10000);

async function everythingAt() {
    const mine = port++;
    await started([everything, 'streamableHttp'], { PORT: `${mine}` }, 'stderr');
    return ['--url', `http://127.0.0.1:${mine}/mcp`];
}

const serve = (rows, behind) => async (version, way) =>
    use(version, way, rows, ctl, [...await behind(), 'serve', '--stdio']);

const ways = {
    'server-everything over stdio': serve(EVERYTHING, async () => ['--stdio', `node ${everything}`]),
    'server-everything over HTTP': serve(EVERYTHING, everythingAt),
    'a modern server over stdio': serve(ONE_OF_EACH, async () =>
        ['--stdio', 'node modern.mjs stdio', '--era', 'modern']),
    'a modern server over HTTP': serve(ONE_OF_EACH, async () =>
        ['--url', await started(['modern.mjs', 'modern'], {}, 'stdout'), '--era', 'modern']),
    'the same in its legacy era, over stdio': serve(ONE_OF_EACH, async () =>
        ['--stdio', 'node modern.mjs stdio', '--era', 'legacy']),
    'the same in its legacy era, over HTTP': serve(ONE_OF_EACH, async () =>
        ['--url', await started(['modern.mjs', 'either'], {}, 'stdout'), '--era', 'legacy']),
    'a provider': (version, way) => use(version, way, ONE_OF_EACH, provided, []),
};

// All clients run in parallel, because they mostly wait.  Each client takes its ways one
// after the other.
await Promise.all(Object.keys(clients).map(async (version) => {
    for (const [way, run] of Object.entries(ways)) {
        try {
            await run(version, way);
        } catch (error) {
            await use(version, `${way}: ${error.message}`, {}, 'false', []);
        }
    }
}));
running.forEach((server) => server.kill());
end();
