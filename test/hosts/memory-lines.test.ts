import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const NOW = ['--now', '2026-02-06T10:00:00Z'];
const DEPLOY = 'Production deploys go through `make ship` on the bastion, never from a laptop.';
const DOCKER = 'Integration tests need Docker running and take eight minutes.';
const FROZEN = '`legacy_auth` module is frozen; Dana removes it in March.';
const FLAKY = 'the login test is flaky because of the clock in the token check';

const workspace = (): string =>
  testDir({
    'SCRATCHPAD.md': '# Pad\n',
    '.scratchpad/.gitignore': '*\n',
    'MEMORY.md': `# Memory\n\n- ${DEPLOY}\n- ${DOCKER}\n- ${FROZEN}\n`,
    'memory/2026-02-05.md': `- ${FLAKY}\n`,
    'memory/2026-02-03.md': '- the product images moved to a bucket of their own\n',
  });

/** The lines of memory that a prompt brings, without their places. */
async function memoryAt(cwd: string, prompt: string): Promise<string[]> {
  const input = JSON.stringify({
    ...{ session_id: 's1', transcript_path: join(cwd, 'none.jsonl'), cwd, prompt },
    hook_event_name: 'UserPromptSubmit',
  });
  const done = await runWarm(['hook', 'claude-code', 'UserPromptSubmit', ...NOW], { cwd, input });
  expect([done.exitCode, done.stderr]).toEqual([0, '']);
  if (done.stdout === '') return [];
  const { hookSpecificOutput } = JSON.parse(done.stdout) as {
    hookSpecificOutput?: { additionalContext?: string };
  };
  const text = hookSpecificOutput?.additionalContext ?? '';
  return [...text.matchAll(/From memory, perhaps the answer: (.*) \([^)]*\)$/gm)].map(
    ([, line = '']) => line,
  );
}

describe('the line of memory that a question brings', () => {
  test.each([
    ['how do we deploy to production?', DEPLOY],
    ['do the integration tests need Docker?', DOCKER],
    ['what is legacy_auth?', FROZEN],
    ['who is Dana?', FROZEN],
    // Yesterday's note is in the file, but nobody has told it to the model.
    ['why is the login test flaky?', FLAKY],
    ['I am at the bastion, how do we deploy to production?', DEPLOY],
  ])('%j', async (prompt, line) => {
    expect(await memoryAt(workspace(), prompt)).toEqual([line]);
  });

  test.each([
    'run the unit tests',
    'deploy it to production',
    'can you run the integration tests?',
    'make the header darker',
    'commit this',
    'yes',
    'add a clock to the page header',
    'which module is the slowest?',
    'add a test for the login form',
    'the build takes eight minutes',
    'move the images to the left',
    'read the notes of the last release, then say how do we deploy to production, and write a page about it with a list of all steps and who does them',
  ])('none at %j', async (prompt) => {
    expect(await memoryAt(workspace(), prompt)).toEqual([]);
  });

  test('once in a window', async () => {
    const cwd = workspace();
    expect(await memoryAt(cwd, 'where do production deploys go through?')).toEqual([DEPLOY]);
    expect(await memoryAt(cwd, 'how do we deploy to production?')).toEqual([]);
  });
});

describe('a name that is also a small word', () => {
  const LINES = [
    'Will owns the billing service',
    'May owns the relay',
    'An reviews the contracts',
    'Can writes the firmware',
    'Hope leads the support desk',
    'We meet on Fridays',
  ];
  const team = (): string =>
    testDir({
      'SCRATCHPAD.md': '# Pad\n',
      '.scratchpad/.gitignore': '*\n',
      'MEMORY.md': LINES.map((line) => `- ${line}\n`).join(''),
    });

  test.each([
    ['what does Will own?', 0],
    ['who is Will?', 0],
    ['remind me who May is', 1],
    ['what does May own?', 1],
    ['who is An?', 2],
    ['who is Can?', 3],
    ['who is Hope?', 4],
    ['what does Hope own?', 4],
  ])('%j', async (prompt, at) => {
    expect(await memoryAt(team(), prompt)).toEqual([LINES[at]]);
  });

  test.each([
    'who will own it?',
    'what may we own?',
    'what can we do?',
    'Can we do it?',
    'Will it be ours?',
    'what do you hope?',
  ])('none at %j', async (prompt) => {
    expect(await memoryAt(team(), prompt)).toEqual([]);
  });
});

describe('a question to a line of any memory file', () => {
  const STAGING = 'Decision: staging database is db7, never db3';
  const WINDOW = 'The deploy window is Tuesdays 14:00-16:00';
  const REVIEWS = 'Lena reviews every migration';
  const notes = (): string =>
    testDir({
      'SCRATCHPAD.md': '# Pad\n',
      '.scratchpad/.gitignore': '*\n',
      'memory/2026-01-21.md': `- ${STAGING}\n- ${WINDOW}\n- ${REVIEWS}\n`,
    });

  test.each([
    ['which staging database do we use?', STAGING],
    ['and when is the deploy window?', WINDOW],
  ])('%j', async (prompt, line) => {
    expect(await memoryAt(notes(), prompt)).toEqual([line]);
  });

  test.each([
    'fix the staging database',
    'why is the database so slow?',
    'close the window',
    'what is the window?',
    'when do we deploy the database?',
  ])('not at %j', async (prompt) => {
    expect(await memoryAt(notes(), prompt)).toEqual([]);
  });
});
