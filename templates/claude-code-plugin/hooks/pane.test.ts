import { expect, test } from 'claude-code/testing';

/* Run by `claude plugin test templates/claude-code-plugin`: the host's own test kit, without a session or a network. */

const PANE = {
  plugin: 'scratchpad',
  component: 'Pane',
  requestId: 'scratchpad',
  props: {
    title: 'Scratchpad',
    isFocused: false,
    bodyColumns: 56,
    placement: 'dock',
    scroll: { offset: 0, bodyRows: 20 },
    view: {},
  },
} as const;

const PAD = {
  exists: true,
  title: 'Find the leak',
  progress: '0 of 2 done',
  steps: [
    { number: 1, text: 'Find the leak', done: false, current: true },
    { number: 2, text: 'Write the test', done: false, current: false },
  ],
  notes: ['release() is skipped on timeout'],
  refs: ['src/pool.ts'],
  entries: [{ name: 'trace', size: '29 characters' }],
  told: [{ at: '03:21', text: 'Plan, 2 lines' }],
  message: '',
  entry: null,
  files: ['/pad'],
};

for (const surface of ['terminal', 'desktop', 'vscode'] as const)
  test(`the pane shows the pad and acts on it: ${surface}`, async ($, on) => {
    const acts: Record<string, unknown>[] = [];
    let pad: object = PAD;
    on('session.start', (_, e) => ({ cwd: e.cwd }));
    on('session.id', () => ({ value: 's1' }));
    on('session.cwd', () => ({ value: '/' }));
    on('session.info', () => ({ value: { transcriptPath: '/t.jsonl' } }));
    on('env.set', () => ({ value: undefined }));
    on('env.get', () => ({ value: '/home' }));
    on('process.hookEnv', () => ({ value: { CLAUDE_PID: '1' } }));
    on('clock.every', () => ({ value: undefined }));
    on('clock.sleep', () => new Promise(() => {}));
    on('store.set', () => ({ value: undefined }));
    on('store.get', () => ({ value: undefined }));
    on('ui.open', () => ({ value: { isPlaced: true } }));
    on('fs.stat', () => ({ value: { mtimeMs: 1, size: 1 } }));
    on('http.fetch', (_, e) => {
      const { session_id, cwd, transcript_path, ...act } = JSON.parse(e.init.body);
      if (Object.keys(act).length > 0) acts.push(act);
      pad = act.act === 'entry' ? { ...PAD, entry: { name: 'trace', text: 'the whole' } } : PAD;
      return { value: { status: 200, text: JSON.stringify(pad) } };
    });

    await $.command.run({ command: 'scratchpad:scratchpad', args: '' });
    const ui = await $.ui.mount({ ...PANE, surface });
    expect((await ui.find({ type: 'Text', text: /release/ }))?.text).toBe('release() is skipped on timeout');
    expect((await ui.find({ type: 'Text', text: /0 of 2/ }))?.text).toBe('▱▱ 0 of 2 done');
    expect((await ui.find({ type: 'Text', text: /ctrl\+x/ })) !== undefined).toBe(surface === 'terminal');

    await ui.press({ key: 'step:2' });
    await ui.press({ key: 'undo' });
    await ui.press({ key: 'entry:trace' });
    expect((await ui.find({ type: 'Text', text: /the whole/ }))?.text).toBe('the whole');
    await ui.press({ key: 'back' });
    expect(acts).toEqual([{ act: 'tick', step: 2 }, { act: 'undo' }, { act: 'entry', name: 'trace' }]);
    await ui.unmount();
  });
