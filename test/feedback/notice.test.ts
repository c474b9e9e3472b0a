import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noticeFeedback } from '../../src/feedback/notice.ts';
import { readCache } from '../../src/fs/cache.ts';
import type { Message } from '../../src/transcript/types.ts';
import { WindowCache, type WindowPart } from '../../src/transcript/window-cache.ts';
import { testDir } from '../helpers/test-dir.ts';

const at = (minute: number): string => `2026-02-06T01:${String(minute).padStart(2, '0')}:00Z`;
const said = (role: Message['role'], content: string, minute: number): Message => ({
  id: `m${minute}`,
  role,
  content,
  timestamp: at(minute),
  session: 's',
});
/** Both have words of a remark on the answers; only the second is one. */
const TALK = [
  said('assistant', 'done', 1),
  said('user', 'the long lines are too long for the table', 2),
  said('user', 'shorter answers please', 3),
];
const cacheFile = (): string => join(testDir({ '.scratchpad/cache/': '' }), '.scratchpad/cache/window.json');

const silentIn = (cache: WindowCache): WindowPart<true> =>
  cache.part('silent', '1', (kept) => kept === true || undefined);

function notice(file: string, talk: readonly Message[] = TALK): string[] {
  const cache = new WindowCache(file);
  const silent = silentIn(cache);
  const found = noticeFeedback(talk, { known: [], forgotten: () => 0, inForce: () => null, silent });
  cache.keep();
  return found.map(({ text }) => text);
}

const marksIn = (file: string): string[] =>
  (readCache(file) as { silent: { values: [string, true][] } }).silent.values.map(([mark]) => mark);

test('a message without a remark on the answers is read once, and a remark is found every time', () => {
  const file = cacheFile();
  const remarks = notice(file);
  expect(remarks).toHaveLength(1);
  const marks = marksIn(file);
  expect(marks).toHaveLength(1);
  expect(readFileSync(file, 'utf8')).not.toMatch(/long|table/);
  expect(notice(file)).toEqual(remarks);
  expect(marksIn(file)).toEqual(marks);
});

test('only the last window is kept', () => {
  const file = cacheFile();
  notice(file);
  const [first = ''] = marksIn(file);
  notice(file, [...TALK.slice(0, 1), said('user', 'too many long words in this report', 5)]);
  expect(marksIn(file)).toHaveLength(1);
  expect(marksIn(file)).not.toContain(first);
});

test('a message that is marked is not read again', () => {
  const file = cacheFile();
  const [remark = ''] = noticeFeedback(TALK, { known: [], forgotten: () => 0, inForce: () => null }).map(
    ({ mark }) => mark ?? '',
  );
  const cache = new WindowCache(file);
  silentIn(cache).set(remark, true);
  cache.keep();
  expect(notice(file)).toEqual([]);
});

test.each([
  '',
  '{"version"',
  'null',
  '[]',
  '{"silent":null}',
  '{"silent":{"version":"0","values":[["x",true]]}}',
  '{"silent":{"version":"1","values":[["x",1],"y",[2,true]]}}',
])('%j in the file counts as nothing', (content) => {
  const file = cacheFile();
  writeFileSync(file, `{"begun":"1","value":${content || '""'},"ended":"1"}`);
  expect(notice(file)).toHaveLength(1);
  expect(marksIn(file)).toHaveLength(1);
});
