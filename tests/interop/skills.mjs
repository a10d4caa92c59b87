// SPDX-License-Identifier: MIT
//
// skills.mjs - a server with skills (SEP-2640) on the official TypeScript SDK.
//
//   node skills.mjs either|modern|stdio DIRECTORY     the skills below the directory
//   node skills.mjs either|modern|stdio               invented skills: two pages that
//                 list three skills, and a skill that is not listed; one of the listed
//                 skills has no digests
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { skillEntry, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { live, serve } from './serve.mjs';

const skillText = (name) => `---\nname: ${name}\ndescription: The skill ${name}.\n---\nDo as ${name} says.\n`;

async function made() {
    const files = Object.fromEntries(['first', 'second', 'hidden'].map((name) => [name,
        { 'SKILL.md': skillText(name), 'notes/more.md': `More of ${name}.\n` }]));
    const [first, second, hidden] = await Promise.all(Object.entries(files).map(([name, of]) => skillEntry(name, of)));
    const changing = { uri: 'skill://changing/SKILL.md', resources: 'dynamic',
        frontmatter: { name: 'changing', description: 'The skill changing.' } };
    const pages = { undefined: { skills: [first, changing], nextCursor: 'page 2' }, 'page 2': { skills: [second] } };
    let reads = 0;
    return new SkillsExtension({ source: {
        list: async ({ cursor }) => pages[cursor],
        get: async (uri) => [first, second, hidden, changing].find((skill) => skill.uri === uri),
        read: async (uri) => {
            const [name, ...path] = uri.slice('skill://'.length).split('/');
            const text = name !== 'changing' ? files[name]?.[path.join('/')]
                : path.join('/') === 'SKILL.md' ? skillText(name) : `Read ${++reads} times.\n`;
            return text === undefined ? undefined : { text, mimeType: 'text/markdown' };
        } } });
}

const skills = process.argv[3] ? await loadSkills(process.argv[3], { prefix: 'acme', pageSize: 2 }) : await made();

function make() {
    const server = new McpServer({ name: 'skills', version: '1.0.0' }, { capabilities: {
        tools: {}, resources: { listChanged: true } } });
    server.registerTool('reload', { description: 'reads the skills anew', inputSchema: fromJsonSchema({ type: 'object' }) },
        async () => {
            const { added, changed, removed } = await skills.reload();
            tell.resources();
            live.forEach((each) => each.sendResourceListChanged());
            return { content: [{ type: 'text', text: JSON.stringify({ added, changed, removed }) }] };
        });
    skills.attach(server);
    return server;
}

const tell = serve(make, process.argv[2]);
