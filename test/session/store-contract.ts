import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScratchpadError } from '../../src/base/errors.ts';
import type { Change, PadStore } from '../../src/session/store.ts';
import { planUndo } from '../../src/session/undo.ts';

/** One store with eyes and hands on its pad, as a person with an editor has them. */
export interface Bench {
  store: PadStore;
  read(): string | undefined;
  write(text: string | undefined): void;
  recovered(): string[];
  conflicts(): string[];
}

export const NOW = Date.parse('2026-02-06T03:00:00Z');

export function set(space: 'plan' | 'notes' | 'refs', content: string, op = 'set'): Change {
  return { space, content, op };
}

/** What every store promises, whatever it is made of. */
export function describeStore(name: string, open: () => Bench): void {
  const append = (bench: Bench, line: string) =>
    bench.store.change(({ spaces }) => [
      set('notes', spaces.notes === '' ? line : `${spaces.notes}\n${line}`, 'append'),
    ]);
  const edit = (bench: Bench, from: string, to: string): void => {
    const text = bench.read() ?? '';
    expect(text).toContain(from);
    bench.write(text.replace(from, () => to));
  };
  const undo = (bench: Bench, kind: 'undo' | 'redo') =>
    bench.store.change(async () => {
      const [step] = planUndo(kind, await bench.store.history());
      if (!step) return [];
      return [{ space: step.space, content: step.content, op: kind, of: step.of }];
    });

  describe(name, () => {
    test('nothing exists before the first change, and reading makes nothing', async () => {
      const bench = open();
      expect(await bench.store.read()).toMatchObject({
        exists: false,
        revision: 0,
        notices: [],
        spaces: { plan: '', notes: '', refs: '' },
      });
      expect(bench.read()).toBeUndefined();
    });

    test('a change is answered with what it came to, and is in the file', async () => {
      const bench = open();
      const done = await append(bench, 'root cause: timezone');
      expect(done).toMatchObject({ exists: true, revision: 1, spaces: { notes: 'root cause: timezone' } });
      expect(done.revisions).toMatchObject([
        { rev: 1, space: 'notes', op: 'append', by: 'cli', parentId: null },
      ]);
      expect(bench.read()).toBe(done.document.text);
      expect(bench.read()).toContain('\nrevision: 1\n');
      expect(bench.read()).toContain(
        '<!-- scratchpad:notes -->\nroot cause: timezone\n<!-- /scratchpad:notes -->',
      );
      expect((await bench.store.read()).spaces).toEqual(done.spaces);
    });

    test('several spaces in one change are several revisions, each a child of the one before', async () => {
      const bench = open();
      const { revisions } = await bench.store.change(() => [
        set('plan', '1. a'),
        set('refs', '- x'),
        set('plan', '1. b'),
      ]);
      expect(revisions.map(({ rev, space, content }) => [rev, space, content])).toEqual([
        [1, 'plan', '1. a'],
        [2, 'refs', '- x'],
        [3, 'plan', '1. b'],
      ]);
      expect(revisions[1]?.parentId).toBe(revisions[0]?.id);
      expect(revisions[2]?.parentId).toBe(revisions[1]?.id);
    });

    test('a change to the same content is no change', async () => {
      const bench = open();
      await append(bench, 'a');
      const text = bench.read();
      const { revisions, revision } = await bench.store.change(() => [set('notes', 'a')]);
      expect({ revisions, revision }).toEqual({ revisions: [], revision: 1 });
      expect(bench.read()).toBe(text);
    });

    test('when the decision throws, nothing has changed', async () => {
      const bench = open();
      await append(bench, 'a');
      const text = bench.read();
      const refusal = new ScratchpadError('refused', 'no');
      await expect(
        bench.store.change(() => {
          throw refusal;
        }),
      ).rejects.toBe(refusal);
      expect(bench.read()).toBe(text);
      expect((await bench.store.history()).revisions).toHaveLength(1);
      await append(bench, 'b');
    });

    test('changes that are made at once are all there, in order', async () => {
      const bench = open();
      await Promise.all(Array.from({ length: 12 }, (_, k) => append(bench, `line ${k}`)));
      const { notes } = (await bench.store.read()).spaces;
      expect(notes.split('\n').sort()).toEqual(Array.from({ length: 12 }, (_, k) => `line ${k}`).sort());
      expect((await bench.store.history()).revisions.map(({ rev }) => rev)).toEqual(
        Array.from({ length: 12 }, (_, k) => k + 1),
      );
    });

    test('a state block is written without a revision', async () => {
      const bench = open();
      await append(bench, 'a');
      const updated = '2026-02-06T03:00:00Z';
      const sections = [{ id: 'time', title: 'Time Context', lines: [{ text: '- now' }] }];
      const state = { updated, expires: updated, ttlMs: 1_800_000, sections };
      expect(await bench.store.writeState(state)).toEqual([]);
      expect((await bench.store.history()).revisions).toHaveLength(1);
      expect(bench.read()).toContain('ttl: 30m\n');
      expect(bench.read()).toContain('## Time Context\n- now\n<!-- /scratchpad:state -->\n');
    });

    test("a person's edit is adopted and journalled as theirs; reading alone shows it and journals nothing", async () => {
      const bench = open();
      await append(bench, 'a');
      edit(bench, '\na\n', '\na, by hand\n');
      expect((await bench.store.read()).spaces.notes).toBe('a, by hand');
      // What is not journalled has no id.
      expect((await bench.store.history()).revisions.map(({ id }) => id !== '')).toEqual([true, false]);
      const done = await append(bench, 'b');
      expect(done.revisions.map(({ op, by, content }) => [op, by, content])).toEqual([
        ['edit', 'edit', 'a, by hand'],
        ['append', 'cli', 'a, by hand\nb'],
      ]);
    });

    test('a deletion in the newest file is honoured', async () => {
      const bench = open();
      await append(bench, 'keep');
      await append(bench, 'drop');
      edit(bench, 'drop\n', '');
      expect((await append(bench, 'more')).spaces.notes).toBe('keep\nmore');
    });

    test('every byte outside the spaces survives', async () => {
      const bench = open();
      await append(bench, 'a');
      edit(
        bench,
        '# SCRATCHPAD.md — Working Memory\n',
        '# My pad\r\n\r\nfree text \t\n\n\n```\nfence\n```\n',
      );
      edit(bench, 'session:', 'owner: me # and a remark\nsession:');
      const before = bench.read() ?? '';
      await append(bench, 'b');
      expect(bench.read()).toBe(before.replace('revision: 1', 'revision: 2').replace('\na\n', '\na\nb\n'));
    });

    test('an old buffer saved over newer writes is merged: both sides stay', async () => {
      const bench = open();
      await append(bench, 'one');
      const buffer = bench.read() ?? '';
      await append(bench, 'two');
      await append(bench, 'three');
      bench.write(buffer.replace('\none\n', '\nby hand\none\n'));
      expect((await bench.store.read()).spaces.notes).toBe('by hand\none\ntwo\nthree');
      const done = await append(bench, 'four');
      expect(done.spaces.notes).toBe('by hand\none\ntwo\nthree\nfour');
      expect(done.revisions[0]).toMatchObject({ op: 'edit', by: 'merge' });
      expect(done.notices.join()).toContain('older copy');
      expect(bench.conflicts()).toEqual([]);
    });

    test('an old buffer may be saved again and again: its first edits are not news, and nothing is lost', async () => {
      const edits = fc.array(fc.record({ line: fc.nat(2), writes: fc.nat(2), end: fc.boolean() }), {
        minLength: 1,
        maxLength: 5,
      });
      await fc.assert(
        fc.asyncProperty(edits, async (saves) => {
          const bench = open();
          const lines = ['one', 'two', 'three'];
          const noted: string[] = [];
          await bench.store.change(() => [set('notes', lines.join('\n'))]);
          const buffer = bench.read() ?? '';
          for (const [k, { line, writes, end }] of saves.entries()) {
            for (let n = 0; n < writes; n += 1) {
              noted.push(`by the agent ${k}.${n}`);
              await append(bench, noted.at(-1) ?? '');
            }
            lines[line] = `${lines[line]}, edited ${k}`;
            if (end) lines.push(`by hand ${k}`);
            bench.write(buffer.replace('one\ntwo\nthree', lines.join('\n')));
            const now = (await bench.store.read()).spaces.notes.split('\n');
            expect(new Set(now)).toEqual(new Set([...lines, ...noted]));
            expect(now).toHaveLength(lines.length + noted.length);
          }
          await append(bench, 'last');
          expect(bench.conflicts()).toEqual([]);
        }),
        { numRuns: 40 },
      );
    });

    test('what cannot be merged is kept on both sides', async () => {
      const bench = open();
      await bench.store.change(() => [set('notes', 'the port is 80')]);
      const buffer = bench.read() ?? '';
      await bench.store.change(() => [set('notes', 'the port is 443')]);
      bench.write(buffer.replace('the port is 80', 'the port is 8080'));
      const done = await append(bench, 'next');
      expect(done.spaces.notes).toBe('the port is 8080\nnext');
      expect(done.notices.join()).toContain('both versions are kept');
      expect(bench.conflicts()).toHaveLength(1);
      expect(bench.conflicts()[0]).toContain('the port is 443');
      expect(bench.conflicts()[0]).toContain('the port is 8080');
      await append(bench, 'again');
      expect(bench.conflicts()).toHaveLength(1);
    });

    test('front matter that is more than plain lines keeps the stamp', async () => {
      const bench = open();
      await append(bench, 'one');
      edit(bench, '\n---\n', '\ntags:\n  - a # with a remark\n  - b: {c: 1}\n---\n');
      const buffer = bench.read() ?? '';
      await append(bench, 'two');
      bench.write(buffer);
      expect((await append(bench, 'three')).spaces.notes).toBe('one\ntwo\nthree');
      expect(bench.read()).toContain('tags:\n  - a # with a remark\n  - b: {c: 1}\n');
      expect(bench.read()).toContain('revision: 3\n');
    });

    test('an emptied or deleted file is written anew from the journal', async () => {
      const bench = open();
      await append(bench, 'one');
      bench.write('');
      expect((await bench.store.read()).spaces.notes).toBe('one');
      expect((await append(bench, 'two')).spaces.notes).toBe('one\ntwo');
      bench.write(undefined);
      expect((await append(bench, 'three')).spaces.notes).toBe('one\ntwo\nthree');
      expect(bench.read()).toContain('\none\ntwo\nthree\n');
    });

    test('a save cut short loses nothing: not in the sections it lacks, not in the one that lost its end', async () => {
      const bench = open();
      await bench.store.change(() => [
        set('plan', '1. a'),
        set('notes', 'one\ntwo\nthree'),
        set('refs', '- r'),
      ]);
      const text = bench.read() ?? '';
      for (const cut of [text.indexOf('two'), text.indexOf('## Notes'), text.indexOf('1. a'), 60]) {
        bench.write(text.slice(0, cut));
        const { spaces } = await bench.store.change(() => []);
        expect(spaces).toEqual({ plan: '1. a', notes: 'one\ntwo\nthree', refs: '- r' });
      }
    });

    test('a damaged file is kept as it was, once, and the repaired one is not complained of again', async () => {
      const bench = open();
      await append(bench, 'one');
      const damaged = `${bench.read()}\n<!-- scratchpad:notes -->\nforged\n<!-- /scratchpad:notes -->\nfree text\n`;
      bench.write(damaged);
      expect((await bench.store.read()).notices.join()).toContain('a second notes marker');
      const done = await append(bench, 'two');
      expect(done.spaces.notes).toBe('one\ntwo');
      expect(done.notices).toHaveLength(1);
      expect(bench.recovered()).toEqual([damaged]);
      expect(bench.read()).toContain('forged\n');
      expect(bench.read()).toContain('free text\n');
      expect((await append(bench, 'three')).notices).toEqual([]);
      expect(bench.recovered()).toHaveLength(1);
    });

    test('broken front matter becomes comments', async () => {
      const bench = open();
      await append(bench, 'one');
      edit(bench, 'session:', 'bad: [unclosed\nsession:');
      const done = await append(bench, 'two');
      expect(done.notices.join()).toContain('not valid YAML');
      expect(bench.read()).toContain('# bad: [unclosed\n');
      expect(bench.recovered()).toHaveLength(1);
      expect((await append(bench, 'three')).notices).toEqual([]);
      expect((await bench.store.read()).spaces.notes).toBe('one\ntwo\nthree');
    });

    test('a file that was there before is adopted', async () => {
      const bench = open();
      bench.write('# My own notes\n\n## Notes\nwritten by hand\n\n## Other\ntext\n');
      expect(await bench.store.read()).toMatchObject({ exists: true, spaces: { notes: 'written by hand' } });
      const done = await append(bench, 'more');
      expect(done.spaces.notes).toBe('written by hand\nmore');
      expect(done.revisions[0]).toMatchObject({ by: 'edit', content: 'written by hand' });
      expect(bench.read()).toContain('# My own notes\n');
      expect(bench.read()).toContain('## Other\ntext\n');
    });

    test('numbers never go back behind those of the file', async () => {
      const bench = open();
      bench.write('---\nscratchpad: 1\nrevision: 41\n---\n\n## Notes\nkept\n');
      expect((await append(bench, 'more')).revision).toBe(43);
    });

    test('a revision stamp that is not one of ours is ignored', async () => {
      for (const stamp of ['9007199254740991', '1e300', '-3', 'draft', '[1]', '0x10']) {
        const bench = open();
        bench.write(`---\nscratchpad: 1\nrevision: ${stamp}\n---\n\n## Notes\nkept\n`);
        expect((await append(bench, 'more')).revision).toBe(2);
        expect((await append(bench, 'and more')).spaces.notes).toBe('kept\nmore\nand more');
      }
    });

    test('undo takes back one change at a time, redo brings it back, a new change ends that', async () => {
      const bench = open();
      for (const line of ['a', 'b', 'c']) await append(bench, line);
      expect((await undo(bench, 'undo')).spaces.notes).toBe('a\nb');
      expect((await undo(bench, 'undo')).spaces.notes).toBe('a');
      expect((await undo(bench, 'redo')).spaces.notes).toBe('a\nb');
      await append(bench, 'd');
      await expect(undo(bench, 'redo')).rejects.toThrow('nothing to redo');
      expect((await undo(bench, 'undo')).spaces.notes).toBe('a\nb');
      expect((await undo(bench, 'undo')).spaces.notes).toBe('a');
      expect((await undo(bench, 'undo')).spaces.notes).toBe('');
      await expect(undo(bench, 'undo')).rejects.toThrow('nothing to undo');
    });

    test('bytes that are no text, and characters that look like structure, come back as they were', async () => {
      const bench = open();
      const hostile = [
        '<!-- scratchpad:notes -->',
        '<!-- /scratchpad:notes -->',
        '<!-- \\/scratchpad:state -->',
        '---',
        'revision: 99',
        '---',
        '```',
        '## Plan',
        '# Title',
        '\u2028\u2029\u0000\u001b[31m',
        '😀 é\u0301',
      ].join('\n');
      await bench.store.change(() => [set('notes', hostile)]);
      await bench.store.change(() => [set('plan', '1. a')]);
      bench.write(`${bench.read()}`);
      const { spaces, revision, notices } = await bench.store.read();
      expect({ spaces, revision, notices }).toEqual({
        spaces: { plan: '1. a', notes: hostile, refs: '' },
        revision: 2,
        notices: [],
      });
    });
  });
}
