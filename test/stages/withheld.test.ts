import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const readPad = (cwd: string): string => readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');
const task = `- [ ] Call the printer (due ${new Date().toISOString().slice(0, 10)})\n`;

test('the block says that a config from git withholds tasks and calendars', async () => {
  const cwd = testDir({ '.scratchpad/config.yaml': 'timezone: Europe/Berlin\n', 'TODO.md': task });
  const git = (...words: string[]) => execFileSync('git', words, { cwd });
  git('init', '-q');
  git('add', '-Af');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'x');
  await runWarm(['init'], { cwd });
  await runWarm(['assemble'], { cwd });
  expect(readPad(cwd)).toMatch(/^- Not read: tasks, calendars .* not approved, `scratchpad trust`$/m);
  await runWarm(['trust'], { cwd });
  await runWarm(['assemble'], { cwd });
  expect(readPad(cwd)).not.toContain('Not read');
});

test('a cited file that is gone makes the block stale', async () => {
  const cwd = testDir({ '.scratchpad/': '', 'TODO.md': task });
  await runWarm(['assemble'], { cwd });
  expect((await runWarm(['assemble', '--if-stale'], { cwd })).stdout).toContain('left as it is');
  rmSync(join(cwd, 'TODO.md'));
  await runWarm(['assemble', '--if-stale'], { cwd });
  expect(readPad(cwd)).not.toContain('TODO.md');
});

test.each(['Das ist doch Mist.', 'hurry please, we open in an hour'])(
  'a remark is no request: %s',
  async (remark) => {
    const cwd = testDir({ 'SCRATCHPAD.md': '' });
    const messages = [
      { role: 'user', content: 'Write the poster text for the hall, please' },
      { role: 'user', content: remark },
    ];
    writeFileSync(join(cwd, 'chat.json'), JSON.stringify(messages));
    const { stdout } = await runWarm(['assemble', '--messages', 'chat.json', '--dry-run'], { cwd });
    expect(stdout).toContain('Working on: Write the poster text for the hall');
  },
);
