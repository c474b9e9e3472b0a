import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { git, testRepository } from '../../helpers/git.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const PAD = '## Notes\n<!-- scratchpad:notes -->\nevil words\n<!-- /scratchpad:notes -->\n';
const PORT = 'port 8123';
const FILES = {
  'MEMORY.md': `- The cart uses ${PORT} for the staging database\n`,
  'TODO.md': `- [ ] Move the cart to ${PORT}, due 2020-01-01\n`,
  'calendar.ics': 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\nEND:VCALENDAR\n',
};
const AGENT = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'session-1' };
const QUESTION = 'Which port does the cart use for the staging database?';

async function ask(cwd: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await runWarm(args, { cwd, env: AGENT });
  return stdout + stderr;
}

async function prompt(cwd: string): Promise<string> {
  const input = JSON.stringify({ session_id: 'session-1', cwd, prompt: QUESTION });
  return (await runWarm(['hook', 'claude-code', 'UserPromptSubmit'], { cwd, input })).stdout;
}

/** All ways in which a model is told of memory files. */
const listAnswers = async (cwd: string): Promise<string[]> => [
  await prompt(cwd),
  await ask(cwd, 'search', 'port'),
  await ask(cwd, 'recall', QUESTION),
  await ask(cwd, 'memory', 'search', 'cart port'),
  await ask(cwd, 'assemble', '--dry-run'),
  (await runWarm(['tool', 'memory_search'], { cwd, input: '{"query":"cart port"}' })).stdout,
];

describe('memory files', () => {
  let cwd: string;
  beforeEach(() => {
    cwd = testRepository();
  });

  test.each<[string, Record<string, string>]>([
    ['a pad', { 'SCRATCHPAD.md': PAD }],
    ['settings', { '.scratchpad/config.yaml': 'timezone: Asia/Tokyo\n' }],
  ])('of a clone with %s are told once the person approves it', async (_, withheld) => {
    mkdirSync(join(cwd, '.scratchpad'));
    for (const [name, text] of Object.entries({ ...FILES, ...withheld }))
      writeFileSync(join(cwd, name), text);
    git(cwd, 'add', '-f', '.');
    git(cwd, 'commit', '-qm', 'theirs');
    const clone = join(testDir(), 'clone');
    git(cwd, 'clone', '-q', cwd, clone);

    for (const answer of await listAnswers(clone)) expect(answer).not.toContain(PORT);
    expect(await ask(clone, 'memory', 'search', 'cart port')).toContain('withheld until the person runs');
    const shown = await runWarm(['memory', 'search', 'cart port'], { cwd: clone });
    expect(shown.stdout).toContain(PORT);

    await runWarm(['trust'], { cwd: clone });
    expect(await prompt(clone)).toContain(PORT);
    expect(await ask(clone, 'memory', 'search', 'cart port')).toContain(PORT);
  });

  test("of a person's own repository are told, with a pad and without", async () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
    git(cwd, 'add', '-f', '.');
    git(cwd, 'commit', '-qm', 'mine');
    expect(await ask(cwd, 'memory', 'search', 'cart port')).toContain(PORT);
    await runWarm(['init'], { cwd });
    expect(await prompt(cwd)).toContain(PORT);
    expect(await ask(cwd, 'search', 'port')).toContain(PORT);
  });

  test('outside the folder are told beside a stranger’s', async () => {
    const home = testDir({ 'notes/facts.md': `- The cart uses ${PORT} for the staging database\n` });
    mkdirSync(join(home, '.config/scratchpad'), { recursive: true });
    writeFileSync(
      join(home, '.config/scratchpad/config.yaml'),
      `memory: {paths: [${join(home, 'notes')}]}\n`,
    );
    writeFileSync(join(cwd, 'SCRATCHPAD.md'), PAD);
    writeFileSync(join(cwd, 'MEMORY.md'), '- The cart uses port 6666 for the staging database\n');
    const env = { ...AGENT, HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    const { stdout } = await runWarm(['memory', 'search', 'cart port'], { cwd, env });
    expect(stdout).toContain(PORT);
    expect(stdout).not.toContain('6666');
  });
});
