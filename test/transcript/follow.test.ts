import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type ConversationChange,
  findChange,
  type ReadingPlace,
} from '../../src/transcript/conversation-change.ts';
import { createRecord, listItems } from '../../src/transcript/record.ts';
import { updateRecord } from '../../src/transcript/store.ts';
import { testDir } from '../helpers/test-dir.ts';

const root = testDir({ '.scratchpad/': '' });

/** What happened to a session file since a place in it. */
async function followBranch(
  path: string,
  from: ReadingPlace | undefined,
): Promise<ConversationChange | undefined> {
  const record = await updateRecord({ root, session: path, path }, () => undefined);
  return record && findChange(record, from);
}

const THREAD = '01a2072c-4b49-7810-8205-5eb6ccc516de';
const line = (second: number, type: string, payload: object = {}): string =>
  `${JSON.stringify({ timestamp: `2026-11-23T06:51:0${second}.000Z`, type, payload })}\n`;

/** A session of Codex of which the last turn was taken back: it goes on in a second file. */
function revertedIn(dir: string): { old: string; next: string; end: number } {
  const [old, next] = [`rollout-${THREAD}.jsonl`, `rollout-${THREAD}_2.jsonl`].map((name) => join(dir, name));
  const kept = line(0, 'session_meta', { id: THREAD }) + line(1, 'response_item') + line(2, 'event_msg');
  writeFileSync(old as string, `${kept}${line(3, 'response_item')}${line(4, 'event_msg')}`);
  const base = { thread_id: THREAD, end_ordinal_exclusive: 3, end_byte_offset: kept.length };
  writeFileSync(next as string, line(5, 'session_meta', { id: THREAD, history_base: base }));
  return { old: old as string, next: next as string, end: kept.length };
}

test('a second file of Codex that continues the first one from an earlier place is a rewind', async () => {
  const { old, next } = revertedIn(testDir());
  const before = (await followBranch(old, undefined))?.place;
  const followed = await followBranch(next, before);
  expect(followed?.isIntact).toBe(false);
  expect(followed?.rewoundTo).toBe(Date.parse('2026-11-23T06:51:02.000Z'));
  expect((await followBranch(next, followed?.place))?.isIntact).toBe(true);
});

test('what a second file of Codex goes on from is part of its record, without what was taken back', async () => {
  const dir = testDir();
  const [old, next] = [`rollout-${THREAD}.jsonl`, `rollout-${THREAD}_2.jsonl`].map((name) => join(dir, name));
  const said = (second: number, text: string): string =>
    line(second, 'event_msg', { type: 'user_message', message: text });
  const kept = line(0, 'session_meta', { id: THREAD }) + said(1, 'find the leak');
  writeFileSync(old as string, kept + said(2, 'taken back'));
  const base = { thread_id: THREAD, end_byte_offset: kept.length };
  writeFileSync(
    next as string,
    line(3, 'session_meta', { id: THREAD, history_base: base }) + said(4, 'another way'),
  );
  const texts = async (path: string, session: string): Promise<string[]> => {
    const update = await updateRecord({ root, session, path }, () => undefined);
    return listItems(update?.record ?? createRecord('')).map((item) => ('text' in item ? item.text : ''));
  };
  expect(await texts(next as string, 'known by its name')).toEqual(['find the leak', 'another way']);
  expect(await texts(old as string, THREAD)).toEqual(['find the leak', 'taken back']);
  expect(await texts(next as string, THREAD)).toEqual(['find the leak', 'another way']);
  appendFileSync(next as string, said(5, 'and on'));
  expect(await texts(next as string, THREAD)).toEqual(['find the leak', 'another way', 'and on']);
});

test('another file that says nothing of the kind is not', async () => {
  const dir = testDir();
  const { old, next } = revertedIn(dir);
  const before = (await followBranch(old, undefined))?.place;
  for (const first of [
    line(5, 'session_meta', { id: THREAD }),
    line(5, 'session_meta', { history_base: { thread_id: 'another', end_byte_offset: 9 } }),
    line(5, 'session_meta', { history_base: { thread_id: THREAD } }),
    line(5, 'session_meta', { history_base: null }),
    '{"history_base" is broken\n',
  ]) {
    writeFileSync(next, first);
    expect((await followBranch(next, before))?.isIntact).toBe(true);
  }
});

const message = (second: number, id: string, content = `words of ${id}`, type = 'user'): object => ({
  ...{ id, timestamp: `2026-11-23T06:51:0${second}.000Z`, type, content },
});
const lines = (...records: object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

test('a session of Gemini CLI says which message is the first one that was taken back', async () => {
  const path = join(testDir(), 'session.jsonl');
  writeFileSync(path, lines({ sessionId: 's' }, message(1, 'a'), message(2, 'b')));
  const before = (await followBranch(path, undefined))?.place;
  appendFileSync(
    path,
    lines(message(3, 'c'), { $set: { messages: [message(1, 'a'), message(2, 'b'), message(3, 'c')] } }),
  );
  expect((await followBranch(path, before))?.isIntact).toBe(true);
  appendFileSync(path, lines({ $rewindTo: 'c' }));
  const followed = await followBranch(path, before);
  expect([followed?.isIntact, followed?.rewoundTo]).toEqual([false, Date.parse('2026-11-23T06:51:02.000Z')]);
  expect((await followBranch(path, followed?.place))?.isIntact).toBe(true);
});

test('Gemini CLI writes the summary of a compression again at each resume and rewind: it was one', async () => {
  const path = join(testDir(), 'session.jsonl');
  const thanks = 'Got it. Thanks for the additional context!';
  const summary = [
    message(2, 'sum', '<state_snapshot>all</state_snapshot>'),
    message(2, 't', thanks, 'gemini'),
  ];
  const all = (...rest: object[]): object => ({ $set: { messages: [...summary, ...rest] } });
  writeFileSync(path, lines({ sessionId: 's' }, message(1, 'a'), all(), message(3, 'b')));
  const before = (await followBranch(path, undefined))?.place;
  appendFileSync(path, lines(all(message(3, 'b')), message(4, 'c')));
  const resumed = await followBranch(path, before);
  expect(resumed?.isIntact).toBe(true);
  appendFileSync(path, lines(message(5, 'd')));
  const told = (await followBranch(path, resumed?.place))?.place;
  appendFileSync(path, lines({ $rewindTo: 'd' }, all(message(3, 'b'), message(4, 'c')), message(6, 'e')));
  const rewound = await followBranch(path, told);
  expect([rewound?.isIntact, rewound?.rewoundTo]).toEqual([false, Date.parse('2026-11-23T06:51:04.000Z')]);
});
