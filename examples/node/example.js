// SPDX-License-Identifier: MIT
//
// example.js - calls a tool from Node.js, in the loop of Node.js.
//
//   node example.js ADDON DIR TOOL ARGUMENTS [PATH-OF-MCPHOST-GUARD]
'use strict';

const [addon, dir, tool, args, guard] = process.argv.slice(2);
const { Host } = require(require('path').resolve(addon));

async function main() {
  const host = new Host(dir, guard);
  await host.ready();

  // Timers continue while calls run, because the host and JavaScript share one loop.
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const answers = await Promise.all([1, 2, 3].map(() => host.call(tool, args)));
  clearInterval(timer);
  console.log(JSON.parse(answers[0]).content[0].text);
  console.log(`${answers.length} answers`);

  const refused = await host.call('no-such-tool', '{}').catch((error) => error);
  console.log(`${refused.code}: ${refused.message}`);

  await host.close();
  await host.close(); // a second call has no effect
  console.log('closed');
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
