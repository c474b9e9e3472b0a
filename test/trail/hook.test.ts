import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moment } from '../contracts/host.ts';
import { git } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

/** What a hook tells the model of the trail, and what the file holds of it. */

function workspace(config = ''): { cwd: string; talk: ClaudeSession; write(): void } {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/config.yaml': `${config}\n` });
  const talk = new ClaudeSession({ cwd, session: 's1', day: new Date() });
  return { cwd, talk, write: () => writeFileSync(join(cwd, 's.jsonl'), talk.text) };
}

const TODOS = [
  { content: 'Round to cents', status: 'in_progress' },
  { content: 'Cover it with a test', status: 'pending' },
];

describe('after ten compactions', () => {
  test('open tasks, failing names and the last check are known to the file, and said where no summary has them', async () => {
    const { cwd, talk, write } = workspace();
    const known = ['Round to cents', 'Cover it with a test', '`npm test` failed', 'test_a.py::test_total'];
    talk.person('Fix the rounding of totals.').use('TodoWrite', { todos: TODOS });
    talk.bash('npm test', 'FAILED test_a.py::test_total - assert 10.01 == 10.0\n1 failed', 1);
    for (let window = 1; window <= 10; window += 1) {
      talk.use('Read', { file_path: join(cwd, `src/part-${window}.py`) });
      if (window === 5) talk.use('TodoWrite', { todos: TODOS });
      const told =
        window % 2 === 0 ? 'We round to cents; `npm test` failed in test_a.py::test_total.' : 'We read.';
      talk.compaction(told);
      write();
      const said = await moment(cwd, 'SessionStart', { source: 'compact' });
      if (window % 2 === 0) {
        expect(said).not.toContain('test_total');
        expect(said).toContain('Cover it with a test');
      } else for (const fact of known) expect(said).toContain(fact);
      talk.person('go on').agent('Looking.');
    }
    write();
    await runWarm(['assemble', '--transcript', join(cwd, 's.jsonl')], { cwd });
    const [, trail = ''] = readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8').split('## Trail');
    for (const fact of known) expect(trail).toContain(fact);
  });
});

describe('tasks of the host', () => {
  test('are offered for an empty plan space once, and `plan adopt` takes them', async () => {
    const { cwd, talk, write } = workspace('nudgeOnPlanDetected: 1');
    talk.person('Fix the rounding of totals.').use('TodoWrite', { todos: TODOS }).agent('On it.');
    write();
    const hint = 'The open tasks of this session are not in the scratchpad';
    expect(await moment(cwd, 'UserPromptSubmit', { prompt: 'go on' })).toContain(hint);
    expect(await moment(cwd, 'UserPromptSubmit', { prompt: 'yes' })).not.toContain(hint);
    // Not after a compaction and not when the session is resumed, either.
    await moment(cwd, 'SessionStart', { source: 'compact' });
    expect(await moment(cwd, 'UserPromptSubmit', { prompt: 'and on' })).not.toContain(hint);
    await moment(cwd, 'SessionStart', { source: 'resume' });
    expect(await moment(cwd, 'UserPromptSubmit', { prompt: 'next' })).not.toContain(hint);
    const home = { HOME: join(cwd, 'home'), CLAUDE_CONFIG_DIR: join(cwd, 'home/.claude') };
    await runWarm(['config', 'set', 'transcript.paths', join(cwd, 's.jsonl')], { cwd });
    await runWarm(['plan', 'adopt'], { cwd, env: home });
    expect((await runWarm(['plan', 'show'], { cwd })).stdout).toBe(
      '1. Round to cents <-- current\n2. Cover it with a test\n',
    );
  });

  test('are not offered where there is a plan, nor unless hints are wanted', async () => {
    for (const config of ['nudgeOnPlanDetected: 1', '']) {
      const { cwd, talk, write } = workspace(config);
      if (config !== '') await runWarm(['plan', 'set', '1. Round'], { cwd });
      talk.person('Fix the totals.').use('TodoWrite', { todos: TODOS }).agent('On it.');
      write();
      expect(await moment(cwd, 'UserPromptSubmit', { prompt: 'go on' })).not.toContain('plan adopt');
    }
  });
});

test('the trail of a deleted session stays, and that is not an error', async () => {
  const { cwd, talk, write } = workspace();
  git(cwd, 'init', '-q', '-b', 'feat/login');
  talk.person('Fix the totals.').bash('npm test', 'FAILED test_a.py::test_total\n1 failed', 1).agent('Why?');
  write();
  await moment(cwd, 'UserPromptSubmit', { prompt: 'go on' });
  rmSync(join(cwd, 's.jsonl'));
  const next = { session_id: 's2', transcript_path: join(cwd, 't.jsonl'), source: 'startup' };
  expect(await moment(cwd, 'SessionStart', next)).toContain('test_total');
  expect((await runWarm(['status'], { cwd })).stdout).not.toContain('fault');
});

describe('the next session', () => {
  const started = Date.now() - 5 * 60_000;

  test.each([
    ['that the host has ended', true, 'Where the last session here stopped, '],
    ['without an end, a moment ago', false, 'min ago (it may still be running)'],
  ])('after one %s', async (_, ends, heading) => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/.gitignore': '*\n' });
    const talk = new ClaudeSession({ cwd, session: 's1', branch: '', day: new Date(started) });
    // The host writes the prompt after its hook.
    await moment(cwd, 'UserPromptSubmit', { prompt: 'mend the cart' });
    talk
      .person('mend the cart')
      .use('Edit', { file_path: join(cwd, 'cart.py') })
      .agent('Done.');
    writeFileSync(join(cwd, 's.jsonl'), talk.text);
    await moment(cwd, 'Stop', { last_assistant_message: 'Done.' });
    if (ends) await moment(cwd, 'SessionEnd', { reason: 'exit' });
    const next = { session_id: 's2', transcript_path: join(cwd, 's2.jsonl'), source: 'startup' };
    const said = await moment(cwd, 'SessionStart', next);
    expect(said).toContain(heading);
    expect(said).toContain('cart.py');
  });
});

test('tasks that the plan has taken over are not repeated', async () => {
  const { cwd, talk, write } = workspace();
  const todos = [...TODOS, { content: 'Tell the customer', status: 'pending' }];
  talk.person('Fix the rounding of totals.').use('TodoWrite', { todos }).agent('On it.');
  write();
  expect(await moment(cwd, 'SessionStart', { source: 'clear' })).toMatch(
    /Open tasks: .*Round to cents; .*Cover it with a test/,
  );
  await runWarm(['plan', 'set', '1. Round to cents <-- current\n2. Cover it with a test'], { cwd });
  const said = await moment(cwd, 'SessionStart', { source: 'clear' });
  expect(said).toContain('2. Cover it with a test');
  expect(said.match(/Cover it with a test/g)).toHaveLength(1);
  expect(said).toContain('Open tasks: Tell the customer');
});

describe('what the person forbade', () => {
  const hours = (count: number): Date => new Date(Date.now() - count * 3_600_000);

  test('is said at a prompt that asks for it, where the model does not see it any more, and once', async () => {
    const { cwd } = workspace();
    git(cwd, 'init', '-q', '-b', 'feat/login');
    const talk = new ClaudeSession({ cwd, session: 's1', day: hours(20) });
    talk
      .person('Mend the totals. Never commit the fixtures folder. do not push before Ines is back')
      .use('Edit', { file_path: join(cwd, 'a.py') })
      .agent('Done.');
    writeFileSync(join(cwd, 's.jsonl'), talk.text);
    const ban = 'The person said: “do not push before Ines is back” (20h ago)';
    expect(await moment(cwd, 'UserPromptSubmit', { prompt: 'push it' })).not.toContain(ban);
    const next = { session_id: 's2', transcript_path: join(cwd, 't.jsonl') };
    const started = await moment(cwd, 'SessionStart', { ...next, source: 'startup' });
    expect(started).toContain(
      'The person said: “do not push before Ines is back”; “Never commit the fixtures folder.”',
    );
    expect(await moment(cwd, 'UserPromptSubmit', { ...next, prompt: 'what is open?' })).not.toContain(ban);
    expect(await moment(cwd, 'UserPromptSubmit', { ...next, prompt: 'commit this and push' })).toContain(ban);
    const later = await moment(cwd, 'UserPromptSubmit', {
      ...next,
      prompt: 'push it, and commit the fixtures',
    });
    expect(later).not.toContain(ban);
    expect(later).toContain('“Never commit the fixtures folder.” (20h ago)');
  });

  test('is said once in a text that begins a window', async () => {
    const { cwd } = workspace();
    git(cwd, 'init', '-q', '-b', 'feat/login');
    const talk = new ClaudeSession({ cwd, session: 's1', day: hours(20) });
    talk
      .person('Mend it. Never push to main.')
      .use('Edit', { file_path: join(cwd, 'a.py') })
      .agent('Done.');
    writeFileSync(join(cwd, 's.jsonl'), talk.text);
    await moment(cwd, 'Stop', { last_assistant_message: 'Done.' });
    // No start was reported, as by a host without such an event.
    const next = { session_id: 's2', transcript_path: join(cwd, 't.jsonl'), prompt: 'push it to main' };
    expect((await moment(cwd, 'UserPromptSubmit', next)).match(/Never push to main/g)).toHaveLength(1);
  });

  test('comes first after a compaction, and the rest is pointed at', async () => {
    const { cwd, talk, write } = workspace();
    talk.person('Never commit the fixtures folder.').agent('ok').person("don't touch the shared package");
    for (const words of ['answer in short sentences from now on', 'always use pnpm', 'stop adding comments'])
      talk.agent('ok').person(words);
    for (let at = 0; at < 4; at += 1)
      talk
        .agent('ok')
        .person(`never rename the function that reads the ${'very '.repeat(8)}old table number ${at}`);
    talk.compaction('We worked on the importer.');
    write();
    const said = await moment(cwd, 'SessionStart', { source: 'compact' });
    const line = said.split('\n').find((one) => one.includes('The person said')) ?? '';
    expect(line).toContain('never rename');
    expect(line).not.toContain('stop adding comments');
    expect(line).toMatch(/ \(\+\d more: `scratchpad trail`\)$/);
    expect(line.length).toBeLessThan(450);
  });
});
