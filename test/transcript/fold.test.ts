import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeSealed } from '../../src/base/trust/seal.ts';
import { makeWindow, readSession } from '../../src/transcript/read.ts';
import { listItems, listTurns, prepareRecord, type SessionRecord } from '../../src/transcript/record.ts';
import { readStoredSession, storeSession, updateRecord } from '../../src/transcript/store.ts';
import { ClaudeSession } from '../handover/claude-session.ts';
import { codexSession, geminiSession, piSession } from '../handover/host-sessions.ts';
import { runs } from '../helpers/runs.ts';
import { testDir } from '../helpers/test-dir.ts';
import { fixture } from './fixture.ts';

const root = testDir({ '.scratchpad/': '' });
const read = (path: string, more: object = {}): ReturnType<typeof readSession> =>
  readSession(path, { root, limit: Number.POSITIVE_INFINITY, ...more });
const textOf = (record: SessionRecord): string[] =>
  listItems(record).map((item) => ('text' in item ? `${item.type}: ${item.text}` : item.type));

const SESSIONS: Record<string, string> = {
  codex: codexSession(root),
  gemini: geminiSession(root),
  pi: piSession(root),
  ...Object.fromEntries(
    readdirSync(fixture(''))
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => [name, readFileSync(fixture(name), 'utf8')]),
  ),
};

describe('a session read in parts', () => {
  test.each(Object.keys(SESSIONS))('%s: wherever it is cut, the record is the same', async (name) => {
    const whole = SESSIONS[name] ?? '';
    const path = join(root, `${name}.part`);
    const lines = whole.trimEnd().split('\n');
    writeFileSync(path, whole);
    const expected = (await read(path)).record;
    // The first line may not tell the format.
    for (let cut = Math.min(3, lines.length); cut < lines.length; cut += 1) {
      writeFileSync(path, `${lines.slice(0, cut).join('\n')}\n`);
      const first = await read(path);
      writeFileSync(path, whole);
      const { record, continues } = await read(path, { after: first });
      expect(continues).toBe(true);
      expect(textOf(record)).toEqual(textOf(expected));
      expect(makeWindow(record, {}).facts).toEqual(makeWindow(expected, {}).facts);
    }
  });

  test('what a compaction of Claude Code keeps is written again behind it, and is no news', async () => {
    const path = join(root, 'kept.jsonl');
    const row = (uuid: string, second: number, type: string, content: unknown, more = {}): string =>
      JSON.stringify({
        ...{ uuid, type, sessionId: 's1', cwd: root, timestamp: `2026-11-29T11:00:0${second}.000Z` },
        ...(content === undefined ? {} : { message: { role: type, id: `m${second}`, content } }),
        ...more,
      });
    const talk = (name: string): string[] => [
      row(`${name}1`, 1, 'user', 'look at the pool'),
      row(`${name}2`, 2, 'assistant', [{ type: 'text', text: 'It leaks.' }]),
      row(`${name}3`, 3, 'user', 'go on'),
    ];
    const boundary = row('b', 4, 'system', undefined, { subtype: 'compact_boundary' });
    writeFileSync(path, [...talk('a'), boundary, ...talk('k'), row('n', 5, 'user', 'go on')].join('\n'));
    expect(textOf((await read(path)).record)).toEqual([
      ...['person: look at the pool', 'agent: It leaks.', 'person: go on', 'compacted', 'person: go on'],
    ]);
  });

  test('a line that is still being written is read when it is whole', async () => {
    const path = join(root, 'growing.jsonl');
    const talk = new ClaudeSession({ cwd: root }).person('first').agent('yes');
    const half = talk.text.slice(0, -20);
    writeFileSync(path, half);
    const first = await read(path);
    expect(textOf(first.record)).toEqual(['person: first']);
    writeFileSync(path, talk.text);
    expect(textOf((await read(path, { after: first })).record)).toEqual(['person: first', 'agent: yes']);
  });

  test('another file in its place is read from its start', async () => {
    const path = join(root, 'replaced.jsonl');
    writeFileSync(path, new ClaudeSession({ cwd: root }).person('the old words of somebody').text);
    const first = await read(path);
    writeFileSync(
      path,
      new ClaudeSession({ cwd: root }).person('new words').agent('of another session').text,
    );
    const { record, continues } = await read(path, { after: first });
    expect(continues).toBe(false);
    expect(textOf(record)).toEqual(['person: new words', 'agent: of another session']);
  });

  test('of a large file the beginning and the end are read', async () => {
    const path = join(root, 'large.jsonl');
    const talk = new ClaudeSession({ cwd: root }).person('what it is all about, in the beginning');
    for (let at = 0; at < 300; at += 1) talk.person(`message ${at} ${'x'.repeat(200)}`).agent('ok');
    writeFileSync(path, talk.text);
    const { record } = await readSession(path, { root, mostBytes: 20_000 });
    expect(textOf(record)[0]).toContain('what it is all about');
    expect(textOf(record).join()).not.toContain('message 99 ');
    expect(textOf(record).at(-2)).toContain('message 299');
    expect(record.skipped).toContainEqual({ reason: 'middle of a long file', count: 1 });
  });

  test('of much that is new the beginning and the end are read, and what was known stays', async () => {
    const path = join(root, 'grown.jsonl');
    const talk = new ClaudeSession({ cwd: root }).person('never touch the coupon code').agent('ok');
    writeFileSync(path, talk.text);
    const after = await readSession(path, { root });
    for (let at = 0; at < 300; at += 1) talk.person(`message ${at} ${'x'.repeat(200)}`).agent('ok');
    writeFileSync(path, talk.text);
    const { record, continues } = await readSession(path, { root, after, mostBytes: 20_000 });
    expect(continues).toBe(true);
    expect(textOf(record)[0]).toContain('never touch the coupon code');
    expect(textOf(record).join()).not.toContain('message 99 ');
    expect(textOf(record).at(-2)).toContain('message 299');
  });
});

describe('what was taken back', () => {
  /** Steps of a conversation in Claude Code: a prompt, or going back to before one of the prompts. */
  const step = fc.oneof(fc.constant('say' as const), fc.nat({ max: 8 }));

  test('is out of the conversation, and a rewind of a rewind returns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const lines: string[] = [];
        // The model: for each prompt the conversation up to it.
        let path: string[] = [];
        const ends = new Map<string, string | null>([['', null]]);
        let count = 0;
        for (const one of steps) {
          if (typeof one === 'number') path = path.slice(0, one);
          const parent = ends.get(path.at(-1) ?? '') ?? null;
          const words = `prompt ${count}`;
          const [id, answer] = [`u${count}`, `a${count}`];
          const common = { sessionId: 's', cwd: root };
          const user = { type: 'user', uuid: id, parentUuid: parent, message: { content: words }, ...common };
          const content = [{ type: 'text', text: `answer ${count}` }];
          lines.push(JSON.stringify(user));
          lines.push(
            JSON.stringify({
              type: 'assistant',
              uuid: answer,
              parentUuid: id,
              message: { id, content },
              ...common,
            }),
          );
          path = [...path, words];
          ends.set(words, answer);
          count += 1;
        }
        const file = join(root, 'rewinds.jsonl');
        writeFileSync(file, `${lines.join('\n')}\n`);
        const { record } = await read(file);
        const said = listItems(record).flatMap((item) => (item.type === 'person' ? [item.text] : []));
        // Going back to the very beginning starts a conversation with a parent of null, which Claude Code never writes.
        const started = path[0] === 'prompt 0' || said.length === 0;
        if (started) expect(said).toEqual(path);
      }),
      { numRuns: runs(20) },
    );
  });
});

describe('a stored record', () => {
  const session = (count: number): string => {
    const talk = new ClaudeSession({ cwd: root, session: 'long' });
    for (let at = 0; at < count; at += 1) {
      talk.person(`Message ${at}: keep the ${'long '.repeat(30)} rules of number ${at}`);
      for (let call = 0; call < 5; call += 1)
        talk
          .use('Edit', { file_path: join(root, `src/f${at % 7}.ts`), new_string: 'y'.repeat(300) })
          .agent('hm');
    }
    return talk.text;
  };

  test('of a long session stays small, and keeps what the person said', async () => {
    const path = join(root, 'long.jsonl');
    const sizes: number[] = [];
    for (const count of [20, 200, 600]) {
      writeFileSync(path, session(count));
      const { record, position } = await readSession(path, { root });
      const stored = { session: 'long', root, worktree: '', forgotten: [], record, position };
      storeSession(root, stored);
      sizes.push(statSync(join(root, '.scratchpad/records/long.json')).size);
      const again = readStoredSession(root, 'long');
      const said = listTurns(again?.record ?? record).filter((items) =>
        items.some(({ type }) => type === 'person'),
      );
      expect(said.length).toBe(Math.min(count, 240));
    }
    expect(sizes[2]).toBeLessThan(900_000);
    // Five times the session costs no more than the turns that are kept.
    expect(sizes[2]).toBeLessThan((sizes[1] ?? 0) * 1.5);
  });

  test('holds no secrets', async () => {
    const path = join(root, 'secret.jsonl');
    const key = `sk-ant-api03-${'Ab1'.repeat(30)}AA`;
    writeFileSync(
      path,
      new ClaudeSession({ cwd: root })
        .person(`the key is ${key}`)
        .bash(`curl -H "x-api-key: ${key}" https://api.example.com`, `key ${key}`)
        .agent(`I used ${key}`).text,
    );
    const { record } = await readSession(path, { root });
    expect(JSON.stringify(prepareRecord(record))).not.toContain(key.slice(0, 40));
  });

  test.each([
    ['a later part of an answer', 0],
    ['a later summary of a compaction', 1],
    ['its title', 2],
  ])('holds no secrets that come in %s', async (_, kind) => {
    const path = join(root, 'late.jsonl');
    const session = `late-${kind}`;
    const token = `ghp_${'x7Kd92LmQpZ4vTr8'.repeat(3).slice(0, 36)}`;
    const part = (text: string): object => ({
      type: 'assistant',
      message: { id: 'msg_of_both', role: 'assistant', content: [{ type: 'text', text }] },
    });
    const talk = new ClaudeSession({ cwd: root, session })
      .person('look at the cart')
      .line(part('First part.'));
    const boundary = { type: 'system', subtype: 'compact_boundary', parentUuid: null };
    if (kind === 1) talk.line({ ...boundary, content: 'Conversation compacted' });
    writeFileSync(path, talk.text);
    await updateRecord({ root, session, path }, () => undefined);
    const told = `the token is ${token}`;
    const summary = `This session is being continued from a previous conversation. ${told}`;
    if (kind === 0) talk.line(part(told));
    if (kind === 1) talk.person(summary, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
    if (kind === 2) talk.line({ type: 'custom-title', customTitle: told });
    writeFileSync(path, talk.text);
    await updateRecord({ root, session, path }, () => undefined);

    const stored = readFileSync(join(root, `.scratchpad/records/${session}.json`), 'utf8');
    expect(stored).toContain('the token is');
    expect(stored).not.toContain(token.slice(0, 20));
  });

  test('that is damaged, or of another version, is read anew', async () => {
    const path = join(root, 'kept.jsonl');
    writeFileSync(path, new ClaudeSession({ cwd: root, session: 'kept' }).person('all of it').text);
    const update = { root, session: 'kept', path };
    const fail = (problem: string): void => expect.fail(problem);
    await updateRecord(update, fail);
    const file = join(root, '.scratchpad/records/kept.json');
    const good = readFileSync(file, 'utf8');
    const older = { version: 0, session: 'kept', root, worktree: '', forgotten: ['x'], record: {} };
    const broken: (string | object)[] = [
      ...['', '{}', 'null', '[]', good.slice(0, 200), good.replace('all of it', 'push it')],
      good.replace(/"body":(.*)\}\n$/s, '"body":{}}\n'),
      JSON.stringify({ ...older, version: 7 }),
      older,
    ];
    for (const content of broken) {
      if (typeof content === 'string') writeFileSync(file, content);
      else writeSealed(file, 'records', content, {});
      const stored = await updateRecord(update, fail);
      expect(stored && textOf(stored.record)).toEqual(['person: all of it']);
    }
    expect(readStoredSession(root, 'kept')?.forgotten).toEqual(['x']);
  });

  test('outlives its session file', async () => {
    const path = join(root, 'gone.jsonl');
    writeFileSync(path, new ClaudeSession({ cwd: root, session: 'gone' }).person('remember this').text);
    const { record, position } = await readSession(path, { root });
    storeSession(root, { session: 'gone', path, position, root, worktree: '', forgotten: [], record });
    expect(readStoredSession(root, 'gone')?.record.entries).toHaveLength(1);
    const stored = await updateRecord(
      { root, session: 'gone', path: join(root, 'nothing') },
      () => undefined,
    );
    expect(stored && textOf(stored.record)).toEqual(['person: remember this']);
  });
});

test('a reading that runs out of time goes on where it stopped', async () => {
  const path = join(root, 'slow.jsonl');
  const talk = new ClaudeSession({ cwd: root });
  for (let at = 0; at < 60; at += 1) talk.person(`message ${at} ${'x'.repeat(40_000)}`);
  writeFileSync(path, talk.text);
  let reading = await read(path, { until: 0 });
  expect(reading.behind).toBe(true);
  expect(listItems(reading.record).length).toBeGreaterThan(0);
  for (let turns = 0; reading.behind === true && turns < 20; turns += 1)
    reading = await read(path, { after: reading, until: 0 });
  expect(listItems(reading.record)).toHaveLength(60);
});
