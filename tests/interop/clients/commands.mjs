// SPDX-License-Identifier: MIT
//
// commands.mjs - uses the official inspector, and the commands of mcporter that need a
// server, with `mcphostctl serve --stdio` in front of the server `provided`.
//
//   node commands.mjs MCPHOSTCTL PROVIDED
//
// Prints one line for each command and, at the end, `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const [ctl, provided] = process.argv.slice(2);
const scratch = `${process.cwd()}/scratch`;
rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch);
const file = `${scratch}/servers.json`;
writeFileSync(file, JSON.stringify({ mcpServers: { ours: { command: ctl,
    args: ['--stdio', provided, 'serve', '--stdio'] } }, imports: [] }));

let passed = 0;
let failed = 0;

// `wanted` is a text that the output must contain, or a function that checks the output
// or a file that the command has written.
function row(client, command, args, wanted, status = 0) {
    const done = spawnSync('node', [...command, ...args], { encoding: 'utf8', timeout: 60000,
        env: { ...process.env, HOME: scratch, NODE_NO_WARNINGS: '1' } });
    const output = done.stdout + done.stderr;
    const good = done.status === status &&
        (typeof wanted === 'string' ? output.includes(wanted) : wanted(output));
    passed += good;
    failed += !good;
    console.log(`${good ? 'ok    ' : 'FAILED'} ${client} ${args.join(' ').replaceAll(`${scratch}/`, '')}`);
    if (!good)
        console.log(`       status ${done.status} ${done.error ?? ''}\n${output}`);
}

const inspector = (args, wanted, status) => row('inspector', ['node_modules/.bin/mcp-inspector', '--cli',
    '--config', file, '--server', 'ours', '--method'], args, wanted, status);
inspector(['tools/list'], '"outputSchema"');
inspector(['tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hi'], '"text": "hi"');
inspector(['tools/call', '--tool-name', 'typed', '--tool-arg', 'city=Rome', '--tool-metadata', 'a=b'],
    '"degrees": 21.5');
inspector(['tools/call', '--tool-name', 'fail'], '"isError": true');
inspector(['tools/call', '--tool-name', 'no-such'], 'no-such', 1);
inspector(['resources/list'], 'note://fixed');
inspector(['resources/read', '--uri', 'note://fixed'], '"text": "fixed"');
inspector(['resources/read', '--uri', 'note://pages/atlas/3'], 'page 3 of atlas');
inspector(['resources/templates/list'], 'note://pages/{book}/{page}');
inspector(['prompts/list'], '"letter"');
inspector(['prompts/get', '--prompt-name', 'letter', '--prompt-args', 'language=German'], 'Hi in German');
inspector(['logging/setLevel', '--log-level', 'info'], '{}');

const mcporter = (args, wanted, status) => row('mcporter', ['node_modules/.bin/mcporter', '--config', file],
    args, wanted, status);
mcporter(['list'], '13 tools');
mcporter(['list', 'ours', '--schema', '--all-parameters'], 'function echo');
mcporter(['list', 'ours', '--json'], '"status": "ok"');
mcporter(['call', 'ours.echo', 'text=hi'], 'hi');
mcporter(['call', 'ours.echo(text: "two words")'], 'two words');
mcporter(['call', 'ours.echo', '--args', '{"text":"hi"}', '--output', 'json'], '"text": "hi"');
mcporter(['call', '--server', 'ours', '--tool', 'typed', 'city:Rome', '--output', 'raw'], 'degrees: 21.5');
mcporter(['call', 'ours.count', 'n=3', 'ms=20'], 'counted');
mcporter(['call', 'ours.slow', 'ms=60000', '--timeout', '1000'], 'timed out', 1);
mcporter(['call', '--stdio', `${ctl} --stdio ${provided} serve --stdio`, '--tool', 'echo',
    '--args', '{"text":"hi"}'], 'hi');
mcporter(['auth', 'ours'], '');
mcporter(['emit-ts', 'ours', '--mode', 'types', '--out', `${scratch}/ours.d.ts`],
    () => readFileSync(`${scratch}/ours.d.ts`, 'utf8').includes('echo'));
mcporter(['emit-ts', 'ours', '--mode', 'client', '--out', `${scratch}/client.ts`],
    () => readFileSync(`${scratch}/client.ts`, 'utf8').includes('echo'));
mcporter(['generate-cli', '--server', 'ours', '--output', `${scratch}/generated.ts`],
    () => readFileSync(`${scratch}/generated.ts`, 'utf8').includes('echo'));

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
