import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SpaceName } from '../../src/pad/markers.ts';
import { NO_SPACES } from '../../src/session/journal.ts';
import type { Remote, RemoteRevision } from '../../src/shared-store/remote.ts';

let made = 0;

export function revision(content: string, space: SpaceName = 'notes', operation?: string): RemoteRevision {
  made += 1;
  return {
    operation: operation ?? `${made}-${Math.random().toString(36).slice(2)}`,
    space,
    content,
    op: 'append',
    by: 'cli',
    made: '2026-02-06T03:00:00.000Z',
  };
}

const batch = (since: number, content: string, operation?: string) => ({
  since,
  revisions: [revision(content, 'notes', operation)],
  spaces: { ...NO_SPACES, notes: content },
});

/** What every shared store promises, whatever it is made of. */
export function describeRemote(open: () => Remote): void {
  test('a pad that nobody wrote has revision 0', async () => {
    expect(await open().pull('empty', 0, [])).toEqual({
      revision: 0,
      spaces: NO_SPACES,
      mark: null,
      sinceMark: null,
      landed: [],
      actors: {},
      conflicts: [],
    });
  });

  test('revisions count up by one, and who is behind stores nothing', async () => {
    const remote = open();
    expect(await remote.push('counting', batch(0, 'one'))).toBe(1);
    expect(await remote.push('counting', batch(0, 'late'))).toBe('behind');
    expect(await remote.push('counting', batch(1, 'two', 'the second'))).toBe(2);
    expect(await remote.pull('counting', 1, [])).toMatchObject({
      revision: 2,
      spaces: { notes: 'two' },
      mark: 'the second',
    });
    expect(await remote.push('counting', batch(5, 'ahead'))).toBe('behind');
  });

  test('an operation is stored once, however often it is sent', async () => {
    const remote = open();
    const first = batch(0, 'once', 'operation-1');
    expect(await remote.push('once', first)).toBe(1);
    expect(await remote.push('once', first)).toBe('behind');
    expect(await remote.push('once', { ...first, since: 1 })).toBe('behind');
    const { revision: newest, landed } = await remote.pull('once', 0, ['operation-1', 'operation-2']);
    expect(newest).toBe(1);
    expect(landed).toMatchObject([{ operation: 'operation-1', revision: 1, last: true }]);
  });

  test('who changed a space last since', async () => {
    const remote = open();
    const by = (user: string, content: string) => ({ ...revision(content), actor: { user } });
    const spaces = { ...NO_SPACES, notes: 'b' };
    await remote.push('actors', { since: 0, revisions: [by('ann', 'a'), by('bob', 'b')], spaces });
    expect((await remote.pull('actors', 0, [])).actors).toEqual({ notes: { user: 'bob' } });
    expect((await remote.pull('actors', 2, [])).actors).toEqual({});
  });

  test('conflicts are told to who comes later', async () => {
    const remote = open();
    await remote.push('conflict', batch(0, 'theirs'));
    const merge = { ...revision('ours'), conflict: 'theirs' };
    await remote.push('conflict', { since: 1, revisions: [merge], spaces: { ...NO_SPACES, notes: 'ours' } });
    const { conflicts } = await remote.pull('conflict', 1, []);
    expect(conflicts).toMatchObject([{ space: 'notes', replaced: 'theirs', content: 'ours' }]);
    expect((await remote.pull('conflict', 2, [])).conflicts).toEqual([]);
  });

  test('any text comes back as it was sent', async () => {
    const remote = open();
    const text = 'a\u{1F600}\r\n\t"\'\\ $1 \\u0000 \u2028\u202e {} \u00e9\n'.repeat(50);
    await remote.push('text ✓ "quoted"', {
      since: 0,
      revisions: [revision(text)],
      spaces: { ...NO_SPACES, notes: text },
    });
    expect((await remote.pull('text ✓ "quoted"', 0, [])).spaces.notes).toBe(text);
    expect([...(await remote.pads()).keys()]).toContain('text ✓ "quoted"');
  });

  test('contents in pieces, and names with versions', async () => {
    const remote = open();
    const content = Buffer.alloc(700_000, 'any bytes \0\xff');
    const hash = createHash('sha256').update(content).digest('hex');
    expect(await remote.hasContent(hash)).toBe(false);
    await remote.putContent(hash, content);
    expect(await remote.hasContent(hash)).toBe(true);
    expect((await remote.content(hash)).equals(content)).toBe(true);
    const entry = {
      name: 'schema.sql',
      hash,
      bytes: content.length,
      origin: 'write',
      updated: '2026-02-06T03:00:00.000Z',
      stored: true,
    };
    expect(await remote.putEntry('entries', entry, 0)).toBe(true);
    expect(await remote.putEntry('entries', entry, 0)).toBe(false);
    expect(await remote.putEntry('entries', { ...entry, hash: null }, 1)).toBe(true);
    expect(await remote.entries('entries')).toEqual([{ ...entry, hash: null, version: 2 }]);
  });

  test('the newest trail of a session', async () => {
    const remote = open();
    await remote.putTrail({ session: 's', updated: 20 }, '{"b":1}');
    await remote.putTrail({ session: 's', updated: 10 }, '{"a":1}');
    expect(await remote.trails()).toEqual([{ session: 's', updated: 20 }]);
    expect(await remote.trail('s')).toBe('{"b":1}');
    expect(await remote.trail('none')).toBeUndefined();
  });

  test('what is forgotten is gone', async () => {
    const remote = open();
    await remote.push('gone', batch(0, 'private'));
    await remote.forget('gone');
    expect(await remote.pull('gone', 0, [])).toMatchObject({ revision: 0, spaces: NO_SPACES });
    expect(await remote.push('gone', batch(1, 'again'))).toBe('behind');
  });
}
