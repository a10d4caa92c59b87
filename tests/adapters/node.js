// SPDX-License-Identifier: MIT
//
// node.js - tests of the addon: two hosts, hosts that are never closed, threads, wrong
// arguments.
//
//   node node.js ADDON DIR PATH-OF-MCPHOST-GUARD
'use strict';

const assert = require('assert');
const { Worker, isMainThread } = require('worker_threads');
const [addon, dir, guard] = process.argv.slice(2);
const { Host } = require(require('path').resolve(addon));

async function main() {
  assert.throws(() => new Host(), TypeError);
  assert.throws(() => Host.prototype.call.call({}, 'x'), TypeError);
  const hosts = [new Host(dir, guard), new Host(dir, guard)];
  await Promise.all(hosts.map((host) => host.ready()));
  const many = [];
  for (let i = 0; i < 500; i++)
    many.push(hosts[i % 2].call('echo', JSON.stringify({ text: `n${i}` })));
  const answers = await Promise.all(many);
  answers.forEach((text, i) => assert(text.includes(`n${i}`)));
  await assert.rejects(hosts[0].call('echo', '{'), { code: 'invalid' });
  await assert.rejects(hosts[0].call(), { code: 'invalid' });
  const cut = hosts[0].call('count', '{"to":100000,"step_ms":1000}').catch((e) => e.code);
  await hosts[0].close();
  assert.strictEqual(await cut, 'cancelled');
  await assert.rejects(hosts[0].call('echo', '{}'), { code: 'closed' });

  // Each worker thread has a loop of its own.  A worker ends while its host runs.  Three
  // workers end by themselves.  The test terminates the fourth worker.
  for (let i = 0; i < 4; i++) {
    const worker = new Worker(__filename, { argv: [addon, dir, guard] });
    const code = new Promise((resolve) => worker.on('exit', resolve));
    await new Promise((resolve) => worker.on('message', resolve));
    if (i === 3) await worker.terminate();
    else worker.postMessage('end');
    assert.strictEqual(await code, i === 3 ? 1 : 0);
  }
  console.log('ok');
  process.exit(0); // exit while hosts[1] still runs
}

async function inWorker() {
  const { parentPort } = require('worker_threads');
  const host = new Host(dir, guard);
  await host.ready();
  assert((await host.call('echo', '{"text":"x"}')).includes('x'));
  host.call('count', '{"to":100000,"step_ms":1000}').catch(() => {});
  parentPort.on('message', () => process.exit(0));
  parentPort.postMessage('runs');
}

(isMainThread ? main : inWorker)().catch((error) => {
  console.error(error);
  process.exit(1);
});
