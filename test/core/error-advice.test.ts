import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openScratchpad, ScratchpadError } from '../../src/index.ts';
import { testDir } from '../helpers/test-dir.ts';

const open = (files: Record<string, string> = {}) =>
  openScratchpad({ workspace: testDir(files), env: { HOME: '/nonexistent', TZ: 'UTC' } });

describe('the library alone', () => {
  test('history, diff, undo and redo, an edit in the file included', async () => {
    const pad = await open();
    await pad.notes.set('one');
    await pad.notes.append('two');
    writeFileSync(pad.path, readFileSync(pad.path, 'utf8').replace('two', 'two, by hand'));
    expect((await pad.history()).map(({ by, added }) => [by, added])).toEqual([
      ['library', ['one']],
      ['library', ['two']],
      ['edit', ['two, by hand']],
    ]);
    expect(await pad.diff()).toEqual({
      from: 2,
      to: 3,
      changes: [{ space: 'notes', before: 'one\ntwo', after: 'one\ntwo, by hand' }],
    });
    expect((await pad.undo(2)).of).toEqual([3, 2]);
    expect(await pad.notes.read()).toBe('one');
    await pad.redo();
    expect(await pad.notes.read()).toBe('one\ntwo');
  });

  test('assembles from messages as everybody has them, searches the memory, reads the mood', async () => {
    const pad = await open({ 'MEMORY.md': '- The lab cluster config lives in ~/.kube/lab\n' });
    const messages = [
      { role: 'user' as const, content: 'where does the lab cluster config live?' },
      { role: 'assistant' as const, content: [{ type: 'text', text: 'Looking.' }] },
    ];
    const { source } = await pad.assemble({ messages });
    expect(source?.transcript.messages.map(({ content }) => content)).toEqual([
      messages[0]?.content,
      'Looking.',
    ]);
    expect(readFileSync(pad.path, 'utf8')).toContain('~/.kube/lab (MEMORY.md:1)');
    expect(await pad.memory.search('cluster config', { limit: 1 })).toEqual([
      expect.objectContaining({ path: 'MEMORY.md', line: 1 }),
    ]);
    expect((await pad.mood()).strategy.style).toBe('neutral');
  });

  test('its errors have codes, and name functions and arguments', async () => {
    const pad = await open();
    const refused = async (work: Promise<unknown>): Promise<ScratchpadError> => {
      const error: unknown = await work.catch((thrown: unknown) => thrown);
      if (!(error instanceof ScratchpadError)) throw new Error('nothing was refused');
      return error;
    };
    const twice = await refused(pad.notes.set('a a').then(() => pad.notes.replace('a', 'b')));
    expect([twice.code, twice.detail.expected]).toEqual(['ERR_SCRATCHPAD_REFUSED', 'exactly one match']);
    const nextStep = async (work: Promise<unknown>, reader: 'call' | 'tool' | 'command') =>
      (await refused(work)).toFailure(reader).next;
    expect(await nextStep(pad.undo(9), 'call')).toBe('see what happened with: pad.history()');
    expect(await nextStep(pad.undo(9), 'command')).toBe('see what happened with: scratchpad history');
    expect(await nextStep(pad.entries.read('x'), 'call')).toBe('see them with: pad.entries.list()');
    expect(await nextStep(pad.entries.read('x'), 'tool')).toBe('see them with: scratchpad_list');
    expect((await refused(pad.plan.done(3))).explain()).not.toMatch(/scratchpad [a-z]| --[a-z]/);
    expect((await refused(pad.assemble({ messages: [] }))).code).toBe('ERR_SCRATCHPAD_USAGE');
    const missing = await refused(openScratchpad({ workspace: join(pad.workspace, 'nope/nope') }));
    expect(missing.code).toBe('ERR_SCRATCHPAD_USAGE');
  });
});

test('the tools alone tick off a step, show the pad and its history, and take a change back', async () => {
  const pad = await open();
  const call = (args: object) => pad.callTool('session.scratchpad', args);
  await call({ action: 'set_plan', content: '1. Fix auth bug\n2. Add test' });
  expect((await call({ action: 'plan.done' })).text).toBe(
    '1. ~~Fix auth bug~~ DONE - next: 2. Add test\nplan: 36 of 2,000 characters',
  );
  await call({ action: 'plan.add', content: 'Ship it' });
  await call({ action: 'plan.undone', steps: [1] });
  expect((await call({ action: 'undo', count: 2 })).text).toMatch(/undid revision 4: plan undone/);
  expect((await call({ action: 'show' })).value).toEqual({
    plan: '1. ~~Fix auth bug~~ DONE\n2. Add test',
    notes: '',
    refs: [],
  });
  const { text } = await call({ action: 'history' });
  expect(text.split('\n')).toHaveLength(6);
  expect(text).toMatch(/^6 {2}\S+Z {2}plan undo \(tool\) {2}- 3\. Ship it$/m);
  for (const args of [
    { action: 'plan.undone' },
    { action: 'plan.done', steps: ['first'] },
    { action: 'undo', count: 99 },
  ]) {
    const error = (await call(args).catch((thrown: unknown) => thrown)) as ScratchpadError;
    expect(error.explain('tool')).not.toMatch(/(?<!session_)scratchpad [a-z]+ | --[a-z]/);
  }
});
