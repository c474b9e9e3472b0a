import { expect, test } from 'vitest';
import type { SpaceName } from '../../src/pad/markers.ts';
import { NO_SPACES } from '../../src/session/journal.ts';
import type { Remote } from '../../src/shared-store/remote.ts';
import type { Batch } from '../../src/shared-store/types.ts';

let made = 0;

type Change = Batch['changes'][number];

export function change(space: SpaceName = 'notes', operation?: string): Change {
  made += 1;
  return {
    operation: operation ?? `${made}-${Math.random().toString(36).slice(2)}`,
    space,
    actor: undefined,
  };
}

export const batch = (since: number, notes: string, operation?: string): Batch => ({
  since,
  changes: [change('notes', operation)],
  spaces: { ...NO_SPACES, notes },
});

/** What every shared store promises of a pad, whatever it is made of. */
export function describeRemote(open: () => Pick<Remote, 'pull' | 'push'>): void {
  test('a pad that nobody wrote has revision 0', async () => {
    expect(await open().pull('empty', 0, undefined)).toEqual({
      revision: 0,
      spaces: NO_SPACES,
      mark: null,
      sinceMark: null,
      landed: null,
      rows: [],
    });
  });

  test('revisions count up by one, and who is behind stores nothing', async () => {
    const remote = open();
    expect(await remote.push('counting', batch(0, 'one'))).toBe(1);
    expect(await remote.push('counting', batch(0, 'late'))).toBe('behind');
    expect(await remote.push('counting', batch(1, 'two', 'the second'))).toBe(2);
    expect(await remote.pull('counting', 1, undefined)).toMatchObject({
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
    expect(await remote.pull('once', 0, 'operation-1')).toMatchObject({ revision: 1, landed: 1 });
    expect(await remote.pull('once', 0, 'operation-2')).toMatchObject({ revision: 1, landed: null });
  });

  test('who changed a space since', async () => {
    const remote = open();
    const by = (user: string): Change => ({ ...change(), actor: { user } });
    const spaces = { ...NO_SPACES, notes: 'b' };
    await remote.push('actors', { since: 0, changes: [by('ann'), by('bob')], spaces });
    const { rows } = await remote.pull('actors', 0, undefined);
    expect(rows.map(({ actor }) => JSON.parse(actor ?? ''))).toEqual([{ user: 'ann' }, { user: 'bob' }]);
    expect((await remote.pull('actors', 2, undefined)).rows).toEqual([]);
  });

  test('any text comes back as it was sent', async () => {
    const remote = open();
    const text = 'a\u{1F600}\r\n\t"\'\\ $1 \\u0000 \u2028\u202e {} \u00e9\n'.repeat(50);
    await remote.push('text ✓ "quoted"', batch(0, text));
    expect((await remote.pull('text ✓ "quoted"', 0, undefined)).spaces.notes).toBe(text);
  });
}
