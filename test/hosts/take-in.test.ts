import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const KEY = 'agent:main:main';

/** A session file of OpenClaw in which an agent kept a scratchpad by the designs' own keys. */
function host(cwd: string, entries: readonly [key: string, data: unknown][]): Record<string, string> {
  const at = '2026-02-06T01:00:00.000Z';
  const lines = [
    { type: 'session', version: 3, id: 's1', timestamp: at, cwd },
    { type: 'message', id: 'm1', parentId: null, timestamp: at, message: { role: 'user', content: 'hi' } },
    ...entries.map(([key, data], k) => ({
      ...{ type: 'custom', customType: `openclaw:scratchpad${key}`, data },
      ...{ id: `c${k}`, parentId: k === 0 ? 'm1' : `c${k - 1}`, timestamp: at },
    })),
  ];
  const index = { [KEY]: { sessionId: 's1', updatedAt: Date.parse(at), lastInteractionAt: Date.parse(at) } };
  const home = testDir({
    'agents/main/sessions/s1.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    'agents/main/sessions/sessions.json': JSON.stringify(index),
  });
  return { OPENCLAW_STATE_DIR: home };
}

async function prompt(cwd: string, env: Record<string, string>, source?: string): Promise<string> {
  const input = JSON.stringify({ session_id: KEY, session_file: 's1', cwd, source });
  const { stdout } = await runWarm(['hook', 'openclaw', 'before_prompt_build'], { cwd, input, env });
  return (JSON.parse(stdout) as { context?: string }).context ?? '';
}

const pad = (cwd: string): string => readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');

describe("entries in the host's own session file", () => {
  test('are imported at first use, which is reported', async () => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    const env = host(cwd, [
      [':plan', '1. Find the leak'],
      [':notes', 'old words'],
      [':notes', 'release() is skipped'],
      [':refs', ['src/pool.ts']],
    ]);
    const said = await prompt(cwd, env);
    for (const text of ['1. Find the leak', 'release() is skipped', '- src/pool.ts']) {
      expect(said).toContain(text);
      expect(pad(cwd)).toContain(text);
    }
    expect(pad(cwd)).not.toContain('old words');
    const { stdout } = await runWarm(['history'], { cwd });
    expect(stdout.match(/restored/g)).toHaveLength(3);
  });

  test('the older single key counts as the notes', async () => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    expect(await prompt(cwd, host(cwd, [['', 'from the older key']]))).toContain('from the older key');
  });

  test('once: a cleared space stays empty at a resume, until the host has something new', async () => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    await prompt(cwd, host(cwd, [[':notes', 'first']]));
    await runWarm(['notes', 'clear'], { cwd });
    expect(await prompt(cwd, host(cwd, [[':notes', 'first']]), 'resume')).not.toContain('first');
    const later = host(cwd, [
      [':notes', 'first'],
      [':notes', 'second'],
    ]);
    expect(await prompt(cwd, later)).not.toContain('second');
    expect(await prompt(cwd, later, 'resume')).toContain('second');
  });

  test('a space that holds something is not touched', async () => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    await runWarm(['notes', 'set', 'mine'], { cwd });
    const env = host(cwd, [
      [':notes', 'theirs'],
      [':plan', '1. Theirs'],
    ]);
    await prompt(cwd, env);
    expect(pad(cwd)).toContain('mine');
    expect(pad(cwd)).toContain('1. Theirs');
    expect(pad(cwd)).not.toContain('theirs');
  });
});
