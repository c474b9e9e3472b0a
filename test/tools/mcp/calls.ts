import { Client } from '@modelcontextprotocol/client';
import { expect } from 'vitest';

/** One call of each tool, with what its answer must have; a text for the one that gives text only. */
const CALLS: readonly [
  name: string,
  args: Record<string, unknown>,
  answer: string | Record<string, unknown>,
][] = [
  [
    'session_scratchpad',
    { action: 'set_plan', content: '1. Fix auth bug\n2. Add test' },
    { space: 'plan', used: 27 },
  ],
  ['scratchpad_write', { name: 'rows', content: 'a\nb\nc' }, { ok: true, characters: 5 }],
  ['scratchpad_read', { name: 'rows', regex: 'b' }, '2: b'],
  ['scratchpad_edit', { name: 'rows', old_string: 'c', new_string: 'd' }, { replaced: 1 }],
  ['scratchpad_list', {}, { entries: [expect.objectContaining({ name: 'rows' })] }],
  ['scratchpad_delete', { name: 'rows' }, { ok: true }],
  [
    'memory_search',
    { query: 'cluster config' },
    { results: [expect.objectContaining({ path: 'MEMORY.md', line: 1 })] },
  ],
  ['read_notepad', {}, { content: '' }],
  ['write_notepad', { content: '## Findings' }, { ok: true }],
  ['update_notepad', { operation: 'append', content: '- 500 rows' }, { ok: true }],
];

export const TOOL_NAMES = CALLS.map(([name]) => name);

/** Calls every tool in a workspace that has a line on the cluster config in MEMORY.md. */
export async function callEverything(client: Client): Promise<void> {
  for (const [name, args, answer] of CALLS) {
    const result = await client.callTool({ name, arguments: args });
    expect(result, name).not.toHaveProperty('isError', true);
    if (typeof answer === 'string') expect(result.content, name).toMatchObject([{ text: answer }]);
    else expect(result.structuredContent, name).toMatchObject(answer);
    expect(result.content, name).toMatchObject([{ type: 'text', text: expect.any(String) }]);
  }
}

/** A client as most hosts have it today, and one of the protocol after it. */
export const GENERATIONS: readonly [name: string, make: () => Client][] = [
  ['2025', () => new Client({ name: 'test', version: '1' })],
  [
    '2026',
    () => new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  ],
];
