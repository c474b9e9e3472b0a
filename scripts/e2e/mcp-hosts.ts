/**
 * The MCP server in real hosts, with a model on loopback that calls every tool in turn.
 *
 *   npx tsx scripts/e2e/mcp-hosts.ts FOLDER
 *
 * FOLDER has `npm i @anthropic-ai/claude-code @openai/codex` in it. Build the package first.
 * Nothing leaves the machine; the homes are temporary.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS } from '../../src/tools/registry.ts';
import { Bench, BIN } from './bench.ts';
import { claudeCode } from './hosts/claude-code.ts';
import { codex } from './hosts/codex.ts';
import type { Asked } from './model-stub.ts';

const [, , cache] = process.argv;

/** One call of each tool, in an order in which each can succeed, with the answer that the model must get. */
const CALLS: readonly [name: string, input: unknown, answer: string][] = [
  [
    'session.scratchpad',
    { action: 'append_notes', content: 'called by the model' },
    'notes: 19 of 4,000 characters',
  ],
  ['read_notepad', {}, 'called by the model'],
  ['write_notepad', { content: 'written by the model' }, 'notes: 20 of 4,000 characters'],
  ['update_notepad', { operation: 'append', content: 'and added' }, 'notes: 30 of 4,000 characters'],
  ['scratchpad_write', { name: 'rows', content: 'a\nb' }, 'rows'],
  ['scratchpad_read', { name: 'rows', regex: 'b' }, '2: b'],
  ['scratchpad_edit', { name: 'rows', old_string: 'a', new_string: 'c' }, '"replaced":1'],
  ['scratchpad_list', {}, 'rows'],
  ['scratchpad_delete', { name: 'rows' }, '"ok":true'],
  ['memory_search', { query: 'cluster config' }, '"path":"MEMORY.md"'],
  ['analyze_messages', { messages: [{ role: 'user', content: 'what if we tried a queue?' }] }, 'verbosity'],
  ['get_state', {}, 'confidence'],
  ['get_strategy', {}, 'verbosity'],
];

await tryHost('Claude Code', inClaudeCode);
await tryHost('Codex', inCodex);

async function tryHost(title: string, start: (bench: Bench) => () => Promise<string>): Promise<void> {
  await Bench.with('mcp', async (bench) => {
    const { stub } = bench;
    writeFileSync(join(bench.workspace, 'MEMORY.md'), '- The cluster config lives in ~/.kube/lab\n');
    const todo = [...CALLS];
    const missing = TOOLS.map(({ name }) => name).filter(
      (name) => !CALLS.some(([called]) => called === name),
    );
    stub.reply = (asked) => {
      for (let call = todo.shift(); call !== undefined; call = todo.shift()) {
        const [name, input] = call;
        const known = offered(asked).find((tool) => isCalled(tool, name));
        if (known !== undefined) return { tool: { ...known, input } };
        missing.push(name);
      }
      return { text: 'All called.' };
    };
    const said = await start(bench)();
    const names = offered(stub.turns()[0]).map(({ namespace = '', name }) => `${namespace} ${name}`.trim());
    const ours = names.filter((name) => name.includes('scratchpad')).join(', ');
    bench.note(`${title}: ${stub.turns().length} requests; tools as the model sees them: ${ours}`);
    bench.expect(`${title}: every tool was offered`, missing.length === 0, missing.join(', '));
    const told = toolAnswers(stub.turns().at(-1));
    CALLS.forEach(([name, , answer], k) => {
      const found = told[k] ?? said.slice(-600);
      const what = `${title}: ${name} was called, and the model was told: ${answer}`;
      bench.expect(what, found.includes(answer), found);
    });
  });
}

function inClaudeCode(bench: Bench): () => Promise<string> {
  const config = join(bench.home, 'mcp.json');
  const server = { command: process.execPath, args: [BIN, 'mcp', '--all-tools', '-w', bench.workspace] };
  writeFileSync(config, JSON.stringify({ mcpServers: { scratchpad: server } }));
  const run = claudeCode(bench, cache);
  return () => run(['call them all', '--mcp-config', config], { ENABLE_TOOL_SEARCH: 'false' });
}

function inCodex(bench: Bench): () => Promise<string> {
  const { run } = codex(bench, cache, {
    tables: `[mcp_servers.scratchpad]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([BIN, 'mcp', '--all-tools', '-w', bench.workspace])}
default_tools_approval_mode = "approve"
`,
  });
  return () => run(['call them all']);
}

interface Offered {
  name: string;
  namespace?: string;
}

/** The tools in a request, in the form of either interface; Codex groups a server's tools in a namespace. */
function offered(asked: Asked | undefined): Offered[] {
  const tools = (asked?.body.tools ?? []) as { type?: string; name?: string; tools?: { name: string }[] }[];
  return tools.flatMap(({ name = '', tools: inner }) =>
    inner ? inner.map((tool) => ({ name: tool.name, namespace: name })) : [{ name }],
  );
}

/** Hosts allow no dot in a name, and some put the name of the server before it. */
function isCalled({ name, namespace }: Offered, tool: string): boolean {
  const ours = tool.replace('.', '_');
  return name === `mcp__scratchpad__${ours}` || (namespace === 'mcp__scratchpad' && name === ours);
}

/** The answers of tools so far, in order, in the form of either interface. */
function toolAnswers(asked: Asked | undefined): string[] {
  const { messages = [], input = [] } = (asked?.body ?? {}) as {
    messages?: { content: string | { type: string; content?: unknown }[] }[];
    input?: { type: string; output?: unknown }[];
  };
  const results = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_result'),
  );
  const outputs = input.filter(({ type }) => type === 'function_call_output');
  return [...results.map(({ content }) => content), ...outputs.map(({ output }) => output)].map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
}
