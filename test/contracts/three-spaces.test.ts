import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { moment, transcript } from './host.ts';
import { tools } from './tools.ts';

/** "Session Scratchpad", the three spaces, line by line; examples are the design's own. */

describe('three spaces: session.scratchpad by action', () => {
  test('set_plan', async () => {
    const { call, pad } = await tools();
    const plan = '1. Fix auth bug\n2. Add test\n3. Update docs';
    expect((await call('session.scratchpad', { action: 'set_plan', content: plan })).text).toBe(
      'plan: 42 of 2,000 characters',
    );
    expect(await pad.plan.read()).toBe(plan);
    const progress = '1. ~~Fix auth bug~~ DONE\n2. Add test <-- current\n3. Update docs';
    await call('session.scratchpad', { action: 'set_plan', content: progress });
    expect(await pad.plan.read()).toBe(progress);
  });

  test('set_plan truncates to 2,000 characters and warns in the response', async () => {
    const { call, pad } = await tools();
    const { text, value } = await call('session.scratchpad', {
      action: 'set_plan',
      content: 'x'.repeat(2500),
    });
    expect(text).toBe(
      'plan: 2,000 of 2,000 characters\nplan truncated to 2,000 characters (original: 2,500). Consider summarizing.\n' +
        'the whole text is kept as the entry plan_1',
    );
    expect((await call('scratchpad_read', { name: 'plan_1' })).text).toBe('x'.repeat(2500));
    expect(value).toMatchObject({ used: 2000, limit: 2000 });
    expect((await pad.plan.read()).length).toBe(2000);
  });

  test('append_notes', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', {
      action: 'append_notes',
      content: 'Root cause: timezone mismatch in token expiry',
    });
    await call('session.scratchpad', { action: 'append_notes', content: 'Second' });
    expect(await pad.notes.read()).toBe('Root cause: timezone mismatch in token expiry\nSecond');
  });

  test('append_notes is rejected if combined would exceed 4,000, notes unchanged', async () => {
    const { call, refusal, pad } = await tools();
    await call('session.scratchpad', { action: 'set_notes', content: 'a'.repeat(3999) });
    const refused = await refusal('session.scratchpad', { action: 'append_notes', content: 'b' });
    expect(refused).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('exceed the notes limit'),
    });
    expect(await pad.notes.read()).toBe('a'.repeat(3999));
  });

  test('set_notes truncates to 4,000 characters and warns', async () => {
    const { call } = await tools();
    const { text } = await call('session.scratchpad', { action: 'set_notes', content: 'é🦀'.repeat(2500) });
    expect(text).toContain('notes: 4,000 of 4,000 characters');
    expect(text).toContain('(original: 5,000)');
  });

  test('refs.add, refs.remove by exact match, an error if not found', async () => {
    const { call, refusal, pad } = await tools();
    await call('session.scratchpad', { action: 'refs.add', ref: 'src/auth/login.ts' });
    expect((await refusal('session.scratchpad', { action: 'refs.remove', ref: 'src/auth' })).kind).toBe(
      'refused',
    );
    await call('session.scratchpad', { action: 'refs.remove', ref: 'src/auth/login.ts' });
    expect(await pad.refs.list()).toEqual([]);
    expect((await refusal('session.scratchpad', { action: 'refs.add', ref: '' })).kind).toBe('usage');
  });

  test('refs.add of one that is there moves it to the newest', async () => {
    const { call, pad } = await tools();
    for (const ref of ['a.ts', 'b.ts', 'a.ts']) await call('session.scratchpad', { action: 'refs.add', ref });
    expect(await pad.refs.list()).toEqual(['b.ts', 'a.ts']);
  });

  test('refs.add drops the oldest at 50', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', {
      action: 'refs.set',
      items: Array.from({ length: 50 }, (_, n) => `ref ${n}`),
    });
    await call('session.scratchpad', { action: 'refs.add', ref: 'newest' });
    const refs = await pad.refs.list();
    expect([refs.length, refs[0], refs.at(-1)]).toEqual([50, 'ref 1', 'newest']);
  });

  test('refs.set caps to the first 50 and drops what is not a string, and says so', async () => {
    const { call, pad } = await tools();
    const items = ['src/auth/login.ts', 7, null, 'https://github.com/org/repo/issues/42', { a: 1 }];
    const { value } = await call('session.scratchpad', { action: 'refs.set', items });
    expect(value.warnings).toEqual(['3 left out: empty, too long, not a string, or over the limit of 50']);
    expect(await pad.refs.list()).toEqual(['src/auth/login.ts', 'https://github.com/org/repo/issues/42']);
    await call('session.scratchpad', {
      action: 'refs.set',
      items: Array.from({ length: 60 }, (_, n) => `r${n}`),
    });
    expect((await pad.refs.list()).at(-1)).toBe('r49');
  });

  test('each space is persisted to the session JSONL under its own key, as a tool’s', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', { action: 'set_notes', content: 'n' });
    await call('session.scratchpad', { action: 'set_plan', content: 'p' });
    await call('session.scratchpad', { action: 'refs.add', ref: 'r' });
    const journal = readFileSync(join(pad.workspace, '.scratchpad/sessions/main/journal.jsonl'), 'utf8');
    const entries = journal
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
    expect(entries.map(({ customType, data, scratchpad }) => [customType, data, scratchpad.by])).toEqual([
      ['openclaw:scratchpad:notes', 'n', 'tool'],
      ['openclaw:scratchpad:plan', 'p', 'tool'],
      ['openclaw:scratchpad:refs', ['r'], 'tool'],
    ]);
  });

  test('the schema has the six actions of the contract, then ours, and their parameters', async () => {
    const { properties } = await (await tools()).schema('session.scratchpad');
    expect(properties.action?.enum).toEqual([
      'set_notes',
      'append_notes',
      'set_plan',
      'refs.add',
      'refs.remove',
      'refs.set',
      'refs.clear',
      'plan.add',
      'plan.done',
      'plan.undone',
      'plan.current',
      'show',
      'history',
      'undo',
    ]);
    expect([properties.content?.type, properties.ref?.type, properties.items?.type]).toEqual([
      'string',
      'string',
      'array',
    ]);
  });

  test('set_notes and set_plan replace entirely', async () => {
    const { call, pad } = await tools();
    for (const content of ['a longer first text', 'short', '']) {
      await call('session.scratchpad', { action: 'set_notes', content });
      await call('session.scratchpad', { action: 'set_plan', content });
      expect([await pad.notes.read(), await pad.plan.read()]).toEqual([content, content]);
    }
  });

  test('refs.add at 50 never truncates a string mid-value', async () => {
    const { call, pad } = await tools();
    const items = Array.from(
      { length: 50 },
      (_, n) => `https://github.com/org/repo/issues/${n}#${'x'.repeat(900)}`,
    );
    await call('session.scratchpad', { action: 'refs.set', items });
    await call('session.scratchpad', { action: 'refs.add', ref: 'src/größer 🦀.ts' });
    expect(await pad.refs.list()).toEqual([...items.slice(1), 'src/größer 🦀.ts']);
  });
});

describe('three spaces: how it works', () => {
  test('only the spaces that hold something are prepended', async () => {
    const { call, pad } = await tools();
    expect((await pad.context()).text).toBe('');
    await call('session.scratchpad', { action: 'set_plan', content: '1. Fix auth bug' });
    expect((await pad.context()).text).toMatch(/\n## Plan\n1\. Fix auth bug\n\[End Scratchpad\]\n$/);
    expect((await pad.context()).text).not.toMatch(/## (Notes|Refs)/);
    await call('session.scratchpad', { action: 'refs.add', ref: 'src/auth/login.ts' });
    expect((await pad.context()).text).toMatch(/## Plan\n[\s\S]*\n## Refs\n- src\/auth\/login\.ts\n/);
    await call('session.scratchpad', { action: 'set_plan', content: '' });
    expect((await pad.context()).text).not.toContain('## Plan');
  });

  test('what is prepended is not saved: neither in the message history nor as a change of the spaces', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', { action: 'set_notes', content: 'a finding' });
    const history = join(pad.workspace, 's.jsonl');
    writeFileSync(history, transcript('On it.'));
    const files = [history, join(pad.workspace, '.scratchpad/sessions/main/journal.jsonl')];
    const before = files.map((file) => readFileSync(file, 'utf8'));
    await pad.context();
    expect(await moment(pad.workspace, 'UserPromptSubmit', { prompt: 'go on' })).toContain('a finding');
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });

  const session = (id: string, cwd: string, ...entries: [key: string, data: unknown][]): string =>
    [
      { type: 'session', version: 3, id, timestamp: '2026-02-01T00:00:00Z', cwd },
      ...entries.map(([customType, data], k) => ({
        ...{ type: 'custom', customType, data, id: String(k), parentId: null },
        timestamp: '2026-02-01T00:00:00Z',
      })),
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
  const HOSTS: [string, (cwd: string) => string][] = [
    ['pi', (cwd) => `.pi/agent/sessions/--${cwd.slice(1).replaceAll('/', '-')}--/s.jsonl`],
    ['OpenClaw', () => '.openclaw/agents/main/sessions/s.jsonl'],
  ];

  test.each(HOSTS)(
    'the old single key, openclaw:scratchpad, is loaded into notes on first use, from %s',
    async (_, at) => {
      const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/': '' });
      const old = session('s', cwd, ['openclaw:scratchpad', 'first'], ['openclaw:scratchpad', 'last']);
      const env = { HOME: testDir({ [at(cwd)]: old }) };
      const first = await runWarm(['notes'], { cwd, env });
      expect([first.stdout, first.stderr]).toEqual([
        'last\n',
        expect.stringMatching(/^loaded notes from the .* session .*; scratchpad undo takes it back\n$/),
      ]);
      expect(await runWarm(['notes'], { cwd, env })).toMatchObject({ stdout: 'last\n', stderr: '' });
      await runWarm(['undo', '--others'], { cwd, env });
      expect(await runWarm(['notes'], { cwd, env })).toMatchObject({ stdout: '' });
    },
  );

  test('the keys of the spaces are loaded, too; what is no text is said, and nothing goes over what is there', async () => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/': '' });
    const [, at] = HOSTS[0] as (typeof HOSTS)[0];
    const kept = session(
      's',
      cwd,
      ['openclaw:scratchpad', 'old'],
      ['openclaw:scratchpad:notes', 'new key'],
      ['openclaw:scratchpad:refs', ['a.ts', 7]],
      ['openclaw:scratchpad:plan', { steps: 1 }],
    );
    const env = { HOME: testDir({ [at(cwd)]: kept }) };
    const input = JSON.stringify({ session_id: 's1', cwd, source: 'startup' });
    const { stdout } = await runWarm(['hook', 'claude-code', 'SessionStart'], { cwd, env, input });
    expect(stdout).toContain('loaded notes, refs from the pi session');
    expect(stdout).toContain('the entry openclaw:scratchpad:plan, whose form is unknown');
    expect((await runWarm(['refs'], { cwd, env })).stdout).toContain('a.ts');
    const file = testDir({ 'x.jsonl': session('s', cwd, ['openclaw:scratchpad', 7]) });
    const refused = await runWarm(['session', 'restore', '--from', `${file}/x.jsonl`], { cwd, env });
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining('another form: openclaw:scratchpad'),
    ]);
    const used = testDir({ 'SCRATCHPAD.md': '# Pad\n\n## Notes\nmine\n', '.scratchpad/': '' });
    const home = { HOME: testDir({ [at(used)]: session('s', used, ['openclaw:scratchpad', 'theirs']) }) };
    expect(await runWarm(['notes'], { cwd: used, env: home })).toMatchObject({
      stdout: 'mine\n',
      stderr: '',
    });
  });

  test('lines of the old key, and of a tool that writes no numbers, are read in our own journal', async () => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    const journal = '.scratchpad/sessions/main/journal.jsonl';
    const old = session('main', cwd, ['openclaw:scratchpad', 'one'], ['openclaw:scratchpad', 'two']);
    const other = testDir({ 'SCRATCHPAD.md': '# Pad\n', [journal]: old });
    expect(await runWarm(['notes'], { cwd: other })).toMatchObject({ stdout: 'two\n', stderr: '' });
    await runWarm(['notes', 'add', 'three'], { cwd: other });
    expect((await runWarm(['notes'], { cwd: other })).stdout).toBe('two\nthree\n');
    const history = await runWarm(['history'], { cwd: other });
    expect(history.stderr).not.toContain('unreadable');
    const named = session(
      'main',
      cwd,
      ['openclaw:scratchpad:plan', '1. a'],
      ['openclaw:scratchpad', 'old'],
      ['openclaw:scratchpad:notes', 'new'],
    );
    const both = testDir({ 'SCRATCHPAD.md': '# Pad\n', [journal]: named });
    expect((await runWarm(['notes'], { cwd: both })).stdout).toBe('new\n');
    expect((await runWarm(['plan'], { cwd: both })).stdout).toContain('a');
  });

  test('survives auto-compaction and process restarts', async () => {
    const cwd = testDir();
    const input = JSON.stringify({ action: 'set_plan', content: '1. Fix auth bug\n2. Add test' });
    await runWarm(['tool', 'session.scratchpad'], { cwd, input });
    await moment(cwd, 'PreCompact', { trigger: 'auto' });
    expect(await moment(cwd, 'SessionStart', { source: 'compact' })).toContain('2. Add test');
    expect((await runWarm(['plan', 'show'], { cwd })).stdout).toBe('1. Fix auth bug\n2. Add test\n');
  });
});

describe('three spaces: auto-trigger nudges', () => {
  const PLAN = 'I will go on like this:\n\n1. Fix auth bug\n2. Add test\n3. Update docs\n';
  const hints = (context: string): string[] =>
    context.split('\n').filter((line) => line.startsWith('[Hint: '));
  const workspace = (config: string, answer = 'On it.'): string =>
    testDir({
      'SCRATCHPAD.md': '# Pad\n',
      '.scratchpad/config.yaml': `${config}\ncompaction:\n  warnAt: 0\n`,
      's.jsonl': transcript(answer),
    });
  const turns = async (cwd: string, count: number): Promise<number[]> => {
    const found: number[] = [];
    for (let turn = 0; turn < count; turn += 1) {
      found.push(hints(await moment(cwd, 'UserPromptSubmit', { prompt: 'go on' })).length);
    }
    return found;
  };

  test('all are off by default', async () => {
    const cwd = workspace('ttl: 30m', PLAN);
    expect(await turns(cwd, 3)).toEqual([0, 0, 0]);
    expect(hints(await moment(cwd, 'SessionStart', { source: 'compact' }))).toEqual([]);
  });

  test('nudgeAfterTurns: empty after N turns; silent once it is used', async () => {
    const cwd = workspace('nudgeAfterTurns: 2');
    expect(await turns(cwd, 4)).toEqual([0, 1, 0, 1]);
    await runWarm(['refs', 'add', 'a.ts'], { cwd });
    expect(await turns(cwd, 2)).toEqual([0, 0]);
  });

  test.each([
    ['a numbered list', PLAN],
    ['"Step N"', 'Step 1: fix\nStep 2: test\nStep 3: document'],
    ['a task list', '- [ ] fix\n- [x] test\n- [X] document'],
  ])('nudgeOnPlanDetected: %s of three items while the scratchpad is empty', async (_, plan) => {
    expect(await turns(workspace('nudgeOnPlanDetected: 1', plan), 2)).toEqual([1, 0]);
    const used = workspace('nudgeOnPlanDetected: 1', plan);
    await runWarm(['plan', 'set', '1. Fix auth bug'], { cwd: used });
    expect(await turns(used, 1)).toEqual([0]);
    const short = plan.split('\n').filter((line) => !/^(3\.|Step 3|- \[X)/.test(line));
    expect(await turns(workspace('nudgeOnPlanDetected: 1', short.join('\n')), 1)).toEqual([0]);
  });

  test('nudgeAfterCompaction: to save or to review', async () => {
    const cwd = workspace('nudgeAfterCompaction: 1');
    expect(hints(await moment(cwd, 'SessionStart', { source: 'compact' })).length).toBe(1);
    expect(await turns(cwd, 1)).toEqual([0]);
  });

  test('nudgeTurnsSinceLastUse: content that was not updated in N turns', async () => {
    const cwd = workspace('nudgeTurnsSinceLastUse: 3');
    await runWarm(['notes', 'set', 'a finding'], { cwd });
    expect(await turns(cwd, 4)).toEqual([0, 0, 1, 0]);
    await runWarm(['notes', 'append', 'another'], { cwd });
    expect(await turns(cwd, 4)).toEqual([0, 0, 0, 1]);
  });

  test('trigger state is reset when the host starts the session anew, the content stays', async () => {
    const cwd = workspace('nudgeAfterTurns: 2');
    expect(await turns(cwd, 1)).toEqual([0]);
    await moment(cwd, 'SessionStart', { source: 'startup' });
    expect(await turns(cwd, 2)).toEqual([0, 1]);
    await runWarm(['notes', 'set', 'kept'], { cwd });
    expect(await moment(cwd, 'SessionStart', { source: 'resume' })).toContain('kept');
  });
});
