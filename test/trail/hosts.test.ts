import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Kind, openTrail, type Trail } from '../../src/trail/index.ts';
import { testDir } from '../helpers/test-dir.ts';
import { codexSession, geminiSession, piSession } from './host-sessions.ts';

const root = testDir();
const config = { trail: { kinds: [] }, transcript: { paths: [] } };

function open(text: string): Promise<Trail> {
  const transcript = join(root, 'session.jsonl');
  writeFileSync(transcript, text);
  return openTrail({
    root,
    session: 's',
    transcript,
    now: Date.UTC(2026, 2, 1, 12),
    config,
    env: { HOME: root },
  });
}

const texts = ({ facts }: Trail, kind: Kind): string[] =>
  facts.filter((fact) => fact.kind === kind && fact.open).map(({ text }) => text);

test.each([
  ['Codex', codexSession, undefined, []],
  ['Gemini CLI', geminiSession, { $set: { summary: 'Round totals' } }, ['“Round totals”']],
  ['pi', piSession, { type: 'session_info', id: 'n1', parentId: null, name: 'Totals' }, ['“Totals”']],
] as const)('the title of a session of %s', async (_, session, record, titles) => {
  const more = record === undefined ? '' : `${JSON.stringify(record)}\n`;
  expect(texts(await open(session(root) + more), 'title')).toEqual(titles);
});

describe.each([
  ['Codex', codexSession, ['exec_command `rm -rf build`']],
  ['Gemini CLI', geminiSession, ['run_shell_command `rm -rf build`']],
  ['pi and OpenClaw', piSession, []],
] as const)('a session of %s', (_, session, refused) => {
  test('gives what the host can show', async () => {
    const trail = await open(session(root));
    expect(texts(trail, 'instruction')).toEqual(['“Do not touch the coupon code.”']);
    expect(texts(trail, 'task')).toEqual(['in progress: Round to cents', 'Test it']);
    expect(texts(trail, 'file')).toEqual(['src/cart.py', expect.stringMatching(/^src\/money\.py/)]);
    expect(texts(trail, 'check')).toEqual(['`pytest -q` failed']);
    expect(texts(trail, 'failing')).toEqual(['tests/test_cart.py::test_total']);
    expect(texts(trail, 'rejected')).toEqual(refused);
    expect(texts(trail, 'decision')).toEqual(['picked 2: Round each line']);
    expect(texts(trail, 'commit')).toEqual(['1a2b3c4 Round']);
    expect(texts(trail, 'edited')).toEqual([]);
    expect(texts(trail, 'question')).toEqual(['“Shall I push the branch?”']);
    expect(texts(trail, 'command')).toContain('pytest -q');
    expect(trail.problems).toEqual([]);
  });

  test('read in two parts gives the same as read at once', async () => {
    const whole = session(root);
    const all = whole.trimEnd().split('\n');
    const expected = (await open(whole)).facts.map(({ id, text }) => [id, text]);
    const { newFold, take, factsOf } = await import('../../src/trail/fold.ts');
    const { readEvents } = await import('../../src/transcript/read-events.ts');
    const path = join(root, 'parts.jsonl');
    for (let cut = 1; cut < all.length; cut += 1) {
      writeFileSync(path, `${all.slice(0, cut).join('\n')}\n`);
      const first = await readEvents(path);
      const fold = newFold(root);
      take(fold, first.events);
      writeFileSync(path, whole);
      const rest = await readEvents(path, { after: first.position });
      take(rest.continues ? fold : newFold(root), rest.events);
      if (!rest.continues) continue;
      expect(factsOf(fold).map(({ id, text }) => [id, text])).toEqual(expected);
    }
  });
});

describe('a call inside another one', () => {
  const at = '2026-03-01T09:00:00.000Z';
  const written = (records: object[]): string => `${records.map((one) => JSON.stringify(one)).join('\n')}\n`;

  test('a patch that Codex makes in the shell is an edit', async () => {
    const patch = '*** Begin Patch\n*** Update File: src/tax.py\n@@\n-a\n+b\n*** End Patch';
    const item = (type: string, payload: object): object => ({
      timestamp: at,
      type: 'response_item',
      payload: { type, call_id: 'c', ...payload },
    });
    const trail = await open(
      written([
        { timestamp: at, type: 'session_meta', payload: { id: 's', cwd: root } },
        { timestamp: at, type: 'event_msg', payload: { type: 'user_message', message: 'Mend the tax' } },
        item('function_call', {
          name: 'exec_command',
          arguments: JSON.stringify({ cmd: `apply_patch <<'END'\n${patch}\nEND` }),
        }),
        item('function_call_output', { output: 'Exit code: 0\nOutput:\nSuccess.' }),
      ]),
    );
    expect(texts(trail, 'edited')).toEqual(['src/tax.py']);
  });

  test('the steps of OpenClaw’s progress card are tasks, whichever tool calls it', async () => {
    const plan = [
      { step: 'Look', status: 'completed' },
      { step: 'Mend the tax', status: 'in_progress' },
    ];
    for (const [name, args] of [
      ['tool_call', { id: 'openclaw:core:progress_card', args: { plan } }],
      ['progress_card', { plan }],
    ] as const) {
      const trail = await open(
        written([
          { type: 'session', version: 3, id: 's', cwd: root },
          { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'Mend the tax' } },
          {
            type: 'message',
            id: 'b',
            parentId: 'a',
            message: { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name, arguments: args }] },
          },
          {
            type: 'message',
            id: 'd',
            parentId: 'b',
            message: { role: 'toolResult', toolCallId: 'c', toolName: name, content: 'updated' },
          },
        ]),
      );
      expect(texts(trail, 'task')).toEqual(['in progress: Mend the tax']);
    }
  });
});

describe('an interruption', () => {
  test('of Codex, Gemini CLI and pi names what was under way', async () => {
    const stamp = '2026-03-01T09:00:00.000Z';
    const codex = [
      { timestamp: stamp, type: 'session_meta', payload: { id: 's', cwd: root } },
      {
        timestamp: stamp,
        type: 'event_msg',
        payload: { type: 'user_message', message: 'Look at the totals' },
      },
      {
        timestamp: stamp,
        type: 'response_item',
        payload: {
          type: 'function_call',
          name: 'exec_command',
          arguments: '{"cmd":"npm test"}',
          call_id: 'c',
        },
      },
      { timestamp: stamp, type: 'event_msg', payload: { type: 'turn_aborted', reason: 'interrupted' } },
    ];
    const gemini = [
      { sessionId: 's', projectHash: 'p' },
      { id: 'u', timestamp: stamp, type: 'user', content: 'Look at the totals' },
      { id: 'i', timestamp: stamp, type: 'info', content: 'Request cancelled.' },
    ];
    const pi = [
      { type: 'session', version: 3, id: 's', cwd: root },
      { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'Look at the totals' } },
      {
        type: 'message',
        id: 'b',
        parentId: 'a',
        message: { role: 'assistant', content: [], stopReason: 'aborted' },
      },
    ];
    const said = async (records: object[]): Promise<string[]> =>
      texts(await open(`${records.map((one) => JSON.stringify(one)).join('\n')}\n`), 'interrupted');
    expect(await said(codex)).toEqual(['exec_command `npm test`']);
    expect(await said(gemini)).toEqual(['work on “Look at the totals”']);
    expect(await said(pi)).toEqual(['work on “Look at the totals”']);
    const answered = [
      ...pi,
      { type: 'message', id: 'c', parentId: 'b', message: { role: 'user', content: 'Why are they wrong?' } },
      {
        type: 'message',
        id: 'd',
        parentId: 'c',
        message: { role: 'assistant', content: [{ type: 'text', text: 'They are rounded twice.' }] },
      },
    ];
    expect(await said(answered)).toEqual([]);
  });
});
