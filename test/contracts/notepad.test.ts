import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openScratchpad, type Scratchpad, Sessions } from '../../src/index.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { moment, transcript } from './host.ts';
import { tools } from './tools.ts';

/** "Session Notepad", line by line; examples are the design's own. */

describe('notepad', () => {
  test('read_notepad returns content, empty when nothing was written', async () => {
    const { call } = await tools();
    expect((await call('read_notepad')).value).toEqual({ content: '' });
    await call('write_notepad', { content: '## Plan\n- [ ] Survey all sheets' });
    expect((await call('read_notepad', {})).value).toEqual({ content: '## Plan\n- [ ] Survey all sheets' });
  });

  test('write_notepad and update_notepad return ok: true; writing "" clears', async () => {
    const { call } = await tools();
    expect((await call('write_notepad', { content: 'a' })).value.ok).toBe(true);
    expect((await call('update_notepad', { operation: 'append', content: 'b' })).value.ok).toBe(true);
    await call('write_notepad', { content: '' });
    expect((await call('read_notepad')).value).toEqual({ content: '' });
  });

  test('over the limit of 4,000 characters write_notepad cuts and says so, update_notepad is refused', async () => {
    const { call, refusal } = await tools();
    const { text, value } = await call('write_notepad', { content: 'x'.repeat(4001) });
    expect(text).toContain('notes truncated to 4,000 characters (original: 4,001)');
    expect(value).toMatchObject({ ok: true, used: 4000 });
    const refused = await refusal('update_notepad', { operation: 'append', content: 'y' });
    expect(refused.message).toContain('exceed the notes limit');
    expect((await call('read_notepad')).value).toEqual({ content: 'x'.repeat(4000) });
  });

  test('update_notepad: append, prepend, find_replace, delete', async () => {
    const { call } = await tools();
    await call('update_notepad', { operation: 'append', content: '- [ ] Sheet 1' });
    await call('update_notepad', { operation: 'prepend', content: '## Plan' });
    await call('update_notepad', { operation: 'find_replace', find: '[ ]', replace: '[x]' });
    expect((await call('read_notepad')).value.content).toBe('## Plan\n- [x] Sheet 1');
    await call('update_notepad', { operation: 'delete', content: '\n- [x] Sheet 1' });
    expect((await call('read_notepad')).value.content).toBe('## Plan');
  });

  test('find_replace and delete refuse with the number of matches, replace_all replaces them', async () => {
    const { call, refusal } = await tools();
    await call('write_notepad', { content: 'x y x' });
    expect(
      (await refusal('update_notepad', { operation: 'find_replace', find: 'x', replace: 'z' })).message,
    ).toContain('2 matches');
    expect((await refusal('update_notepad', { operation: 'delete', content: 'q' })).message).toContain(
      '0 matches',
    );
    await call('update_notepad', { operation: 'find_replace', find: 'x', replace: 'z', replace_all: true });
    expect((await call('read_notepad')).value.content).toBe('z y z');
  });

  test('session.notepad for tools: read, write, append', async () => {
    const { pad } = await tools();
    await pad.notepad.write('progress:');
    await pad.notepad.append('sheet 1 done');
    expect(await pad.notepad.read()).toBe('progress:\nsheet 1 done');
  });

  test('the schemas: names, types and what is required', async () => {
    const { schema } = await tools();
    const shape = async (name: string): Promise<unknown> => {
      const { properties, required } = await schema(name);
      // What any tool that answers with content takes beside its own.
      const { scratchpad: _, ...own } = properties;
      return [Object.fromEntries(Object.entries(own).map(([key, { type }]) => [key, type])), required];
    };
    expect(await shape('read_notepad')).toEqual([{}, []]);
    expect(await shape('write_notepad')).toEqual([{ content: 'string' }, ['content']]);
    expect(await shape('update_notepad')).toEqual([
      { operation: 'string', content: 'string', find: 'string', replace: 'string', replace_all: 'boolean' },
      ['operation'],
    ]);
    expect((await schema('update_notepad')).properties.operation?.enum).toEqual([
      'find_replace',
      'append',
      'prepend',
      'delete',
    ]);
  });

  test('reading what was never written gives an empty text, and writes nothing', async () => {
    const { call, pad } = await tools();
    await call('read_notepad');
    expect(readdirSync(pad.workspace)).toEqual([]);
  });

  test('what is talked about is not written to it', async () => {
    const { call, pad } = await tools();
    const cwd = pad.workspace;
    await call('write_notepad', { content: '' });
    const findings = 'Root cause: the July rows of EMEA are counted twice.\n\n1. Fix\n2. Test\n3. Report';
    writeFileSync(join(cwd, 's.jsonl'), transcript(findings));
    await moment(cwd, 'SessionStart', { source: 'startup' });
    await moment(cwd, 'UserPromptSubmit', { prompt: 'note that rows 251 to 267 are duplicates' });
    await moment(cwd, 'Stop');
    await moment(cwd, 'PreCompact', { trigger: 'auto' });
    await moment(cwd, 'SessionStart', { source: 'compact' });
    await runWarm(['assemble'], { cwd });
    expect((await call('read_notepad')).value).toEqual({ content: '' });
    expect([await pad.plan.read(), await pad.refs.list()]).toEqual(['', []]);
  });

  test('the typical notepad: kept to the byte, a task ticked off, an obsolete note removed', async () => {
    const { call } = await tools();
    const typical = [
      '## Plan',
      '- [x] Survey all sheets (6 sheets, ~2400 rows total)',
      '- [ ] Fix Q3 total formulas in Summary',
      '- [ ] Create YoY comparison sheet',
      '',
      '## Findings',
      '- Sheet 2: 180 rows, 12 expense categories × 15 months',
      '- Q3 discrepancy: Summary shows $1.2M, detail rows sum to $1.155M',
      '',
      '## Decisions',
      '- User wants conditional formatting: green >5% YoY growth, red <0%',
      '',
      '## Delegated',
      '- sub_abc: analyzing revenue sheets → completed, no issues',
    ].join('\n');
    await call('write_notepad', { content: typical });
    expect((await call('read_notepad')).value.content).toBe(typical);
    await call('update_notepad', {
      operation: 'find_replace',
      find: '- [ ] Fix Q3',
      replace: '- [x] Fix Q3',
    });
    await call('update_notepad', { operation: 'delete', content: '- [ ] Create YoY comparison sheet\n' });
    expect((await call('read_notepad')).value.content).toBe(
      typical.replace('[ ] Fix', '[x] Fix').replace('- [ ] Create YoY comparison sheet\n', ''),
    );
  });

  test('find is an exact substring, and replacement text is text: no patterns, no $&', async () => {
    const { call, refusal } = await tools();
    await call('write_notepad', { content: 'cost: $1.2M (a.b) [x]' });
    await call('update_notepad', { operation: 'find_replace', find: 'a.b', replace: '$& $1 $$' });
    expect((await call('read_notepad')).value.content).toBe('cost: $1.2M ($& $1 $$) [x]');
    const refused = await refusal('update_notepad', { operation: 'find_replace', find: 'COST', replace: '' });
    expect(refused.message).toContain('0 matches');
  });
});

describe('notepad: in context', () => {
  test('the section ## Session Notepad holds the notes, and the hint goes once there are some', async () => {
    const { pad, call } = await tools();
    expect(await pad.notepad.section()).toBe(
      '## Session Notepad\n(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)\n',
    );
    await call('write_notepad', { content: '- Sheet 1: 500 rows' });
    const section = '## Session Notepad\n- Sheet 1: 500 rows\n';
    expect(await pad.notepad.section()).toBe(section);
  });

  test('pre-compaction warning: once, before the threshold, with what to save and what is kept in full', async () => {
    const cwd = testDir({
      'SCRATCHPAD.md': '# Pad\n',
      '.scratchpad/config.yaml': 'compaction:\n  window: 200000\n',
      's.jsonl': transcript('On it.', 180_000),
    });
    const warned = await moment(cwd, 'UserPromptSubmit', { prompt: 'go on' });
    expect(warned).toMatch(/^\[Notice: Context is approaching the token limit/);
    expect(warned).toContain('will be compacted');
    expect(warned).toContain('Working state, findings and progress');
    expect(warned).toContain('Conversation details may be summarized during compaction');
    expect(warned).toContain('kept in full');
    expect(await moment(cwd, 'UserPromptSubmit', { prompt: 'go on' })).not.toContain('token limit');
  });

  test('after the compaction the full notepad is there', async () => {
    const { call, pad } = await tools();
    const findings = Array.from({ length: 90 }, (_, n) => `- Sheet ${n}: row ${n * 7} is counted twice`).join(
      '\n',
    );
    await call('write_notepad', { content: findings });
    await moment(pad.workspace, 'PreCompact', { trigger: 'auto' });
    expect(await moment(pad.workspace, 'SessionStart', { source: 'compact' })).toContain(findings);
  });

  test('system prompt instruction', async () => {
    expect((await tools()).pad.guidance()).toMatch(
      /For multi-step or complex tasks, use the session notepad .*to track your plan and record findings as you work\. The notepad survives context compaction.*the notepad is preserved in full\. Update it after significant findings or completed steps\./,
    );
  });
});

describe('notepad: sub-sessions and forks', () => {
  async function family(): Promise<{ sessions: Sessions; open: (session: string) => Promise<Scratchpad> }> {
    const { pad } = await tools();
    await pad.notepad.write('## Delegated\n- sub_abc: analyzing revenue sheets');
    return {
      sessions: new Sessions(pad.workspace),
      open: (session) => openScratchpad({ workspace: pad.workspace, session, env: {} }),
    };
  }

  test('spawn_session: starts empty, unless copy_notepad', async () => {
    const { sessions, open } = await family();
    await sessions.spawn('main', 'sub_abc');
    await sessions.spawn('main', 'sub_def', { copyNotepad: true });
    expect(await (await open('sub_abc')).notepad.read()).toBe('');
    expect(await (await open('sub_def')).notepad.read()).toContain('analyzing revenue sheets');
  });

  test('fork_session: always copied', async () => {
    const { sessions, open } = await family();
    await sessions.fork('main', 'fork');
    expect(await (await open('fork')).notepad.read()).toContain('analyzing revenue sheets');
  });

  test('parent and child are independent, and nothing of a child reaches the parent by itself', async () => {
    const { sessions, open } = await family();
    await sessions.fork('main', 'sub');
    const [parent, child] = [await open('main'), await open('sub')];
    await child.notepad.append('internal working state');
    await parent.notepad.append('- sub_def: analyzing expense sheets');
    expect(await parent.notepad.read()).not.toContain('internal working state');
    expect(await child.notepad.read()).not.toContain('sub_def');
    // What report_result sends is a summary of the child's own making: its pad may go, the parent's stays.
    await sessions.delete('sub');
    expect(await parent.notepad.read()).toContain('sub_def');
  });

  test('archived with its session', async () => {
    const { sessions, open } = await family();
    await sessions.fork('main', 'sub');
    await (await open('sub')).notepad.append('kept in the archive');
    const where = await sessions.archive('sub');
    expect(readFileSync(join(where, 'SCRATCHPAD.md'), 'utf8')).toContain('kept in the archive');
    expect(await (await open('sub')).notepad.read()).toBe('');
  });
});
