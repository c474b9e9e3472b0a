import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GUIDANCE } from '../../../src/core/guidance.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const OPEN = '<!-- scratchpad:guidance -->';
const CLOSE = '<!-- /scratchpad:guidance -->';

const install = (cwd: string, ...args: string[]) => runWarm(['install', ...args, '--yes'], { cwd });
const textIn = (cwd: string, path: string): string => readFileSync(join(cwd, path), 'utf8');

describe('guidance whose markers a person has damaged', () => {
  const damaged: [string, string][] = [
    ['the closing one gone', `# Rules\n${OPEN}\n${GUIDANCE}# Never push to main\n`],
    ['the opening one gone', `# Rules\n${GUIDANCE}${CLOSE}\n# Never push to main\n`],
    [
      'the closing one gone, and a whole part after it',
      `${OPEN}\nold\n# My rules\n${OPEN}\n${GUIDANCE}${CLOSE}\n`,
    ],
    ['turned round', `${CLOSE}\n# My rules\n${OPEN}\n`],
  ];
  test.each(damaged)('%s: refused, however often, and nothing of theirs is lost', async (_, text) => {
    const cwd = testDir({ 'AGENTS.md': text });
    for (const command of ['install', 'install', 'uninstall', 'uninstall']) {
      const done = await runWarm([command, 'agents-md', '--yes'], { cwd });
      expect([done.exitCode, done.stderr]).toEqual([1, expect.stringContaining('markers')]);
      expect(textIn(cwd, 'AGENTS.md')).toBe(text);
    }
  });

  test('a part cut out by hand is put back, with their rules where they were', async () => {
    const cwd = testDir({ 'AGENTS.md': '# Rules\n' });
    await install(cwd, 'agents-md');
    writeFileSync(join(cwd, 'AGENTS.md'), `${textIn(cwd, 'AGENTS.md')}\n# More rules\n`);
    await install(cwd, 'agents-md');
    await install(cwd, 'agents-md');
    expect(textIn(cwd, 'AGENTS.md')).toMatch(
      /^# Rules\n\n<!-- scratchpad:guidance -->[\s\S]*<!-- \/scratchpad:guidance -->\n\n# More rules\n$/,
    );
  });
});

describe('links in a workspace', () => {
  const places: [string, string, string[]][] = [
    ['AGENTS.md', 'AGENTS.md', ['agents-md']],
    ['.claude/settings.local.json', '.claude/settings.local.json', ['claude-code']],
    ['.claude', '.claude/settings.local.json', ['claude-code']],
    ['.codex', '.codex/hooks.json', ['codex']],
    ['.gemini/settings.json', '.gemini/settings.json', ['gemini-cli']],
  ];
  test.each(places)('%s leads out: nothing is written there', async (link, file, words) => {
    for (const existing of [true, false]) {
      const outside = testDir(existing ? { 'settings.json': '{}\n', 'hooks.json': '{}\n' } : {});
      const cwd = testDir();
      mkdirSync(dirname(join(cwd, link)), { recursive: true });
      symlinkSync(link === file ? join(outside, 'settings.json') : outside, join(cwd, link));
      const done = await install(cwd, ...words);
      expect([done.exitCode, done.stderr]).toEqual([3, expect.stringMatching(/symbolic link/)]);
      expect(readdirSync(outside).map((name) => textIn(outside, name))).toEqual(
        existing ? ['{}\n', '{}\n'] : [],
      );
    }
  });

  test('one that stays inside is followed, and stays', async () => {
    const cwd = testDir({ 'docs/AGENTS.md': '# Rules\n' });
    symlinkSync('docs/AGENTS.md', join(cwd, 'AGENTS.md'));
    await install(cwd, 'agents-md');
    expect(textIn(cwd, 'docs/AGENTS.md')).toContain(OPEN);
  });
});

describe('hooks of a person that name scratchpad', () => {
  const theirs = [
    { type: 'command', command: 'scratchpad hook claude-code Stop | tee ~/stop.log' },
    { type: 'command', command: 'test -e .scratchpad && scratchpad hook claude-code Stop' },
    { type: 'command', command: 'timeout 5 scratchpad hook claude-code Stop --now 2026-01-01' },
    { type: 'command', command: 'FOO=1 scratchpad hook claude-code Stop' },
    { type: 'command', command: 'echo "scratchpad hook claude-code Stop"' },
    { type: 'command', command: '/opt/my scratchpad/notify', args: ['scratchpad', 'hook claude-code'] },
  ];

  test.each(theirs)('%j stays, at install and at uninstall', async (hook) => {
    const settings = { hooks: { Stop: [{ matcher: 'mine', hooks: [hook] }] } };
    const before = `${JSON.stringify(settings, null, 2)}\n`;
    const cwd = testDir({ '.claude/settings.local.json': before });
    await install(cwd, 'claude-code');
    const { Stop } = (JSON.parse(textIn(cwd, '.claude/settings.local.json')) as typeof settings).hooks;
    expect(Stop).toHaveLength(2);
    expect(Stop[0]).toEqual(settings.hooks.Stop[0]);
    // A change by hand, so that the backup is not what comes back.
    writeFileSync(
      join(cwd, '.claude/settings.local.json'),
      `${textIn(cwd, '.claude/settings.local.json')}\n`,
    );
    await runWarm(['uninstall', 'claude-code', '--yes'], { cwd });
    expect(JSON.parse(textIn(cwd, '.claude/settings.local.json'))).toEqual(settings);
  });

  test('a group of theirs that holds ours too keeps its matcher and its hooks, and ours get a group of their own', async () => {
    const cwd = testDir();
    await install(cwd, 'claude-code');
    const settings = JSON.parse(textIn(cwd, '.claude/settings.local.json')) as {
      hooks: Record<
        string,
        { matcher?: string; note?: string; hooks: { command?: string; timeout?: number }[] }[]
      >;
    };
    const [group] = settings.hooks.PostToolUse ?? [];
    if (!group) throw new Error('no group');
    const [ours] = structuredClone([group]);
    const [first, last] = [{ command: 'first' }, { command: 'last' }];
    Object.assign(group, { matcher: 'Bash|Edit', note: 'mine', hooks: [first, ...group.hooks, last] });
    writeFileSync(join(cwd, '.claude/settings.local.json'), JSON.stringify(settings));
    await install(cwd, 'claude-code');
    const after = JSON.parse(textIn(cwd, '.claude/settings.local.json')) as typeof settings;
    expect(after.hooks.PostToolUse).toEqual([{ ...group, hooks: [first, last] }, ours]);
  });
});

describe('settings of an unexpected shape', () => {
  test.each([
    '{"hooks": null}',
    '{"hooks": {"Stop": null}}',
    '{"hooks": {}}',
    'null',
    '{"a": 1, "hooks": null /* none */}',
  ])('%s counts as empty, or is refused in words', async (text) => {
    const cwd = testDir({ '.claude/settings.local.json': text });
    const done = await install(cwd, 'claude-code');
    expect(done.stderr).not.toMatch(/internal|TypeError|Error:/);
    if (text === 'null') expect(done.exitCode).toBe(1);
    else expect(textIn(cwd, '.claude/settings.local.json')).toContain('"Stop"');
  });

  test.each([
    '{"hooks": []}',
    '{"hooks": "none"}',
    '{"hooks": {"Stop": {"hooks": []}}}',
    '{"hooks": {"Stop": 1}}',
  ])('%s is refused and left as it is', async (text) => {
    const cwd = testDir({ '.claude/settings.local.json': text });
    const done = await install(cwd, 'claude-code');
    expect([done.exitCode, textIn(cwd, '.claude/settings.local.json')]).toEqual([1, text]);
    expect(done.stderr).toContain('expected:');
  });

  test.each([
    '{"plugins": null}',
    '{"plugins": {"entries": null}}',
    '{"plugins": {"entries": {"scratchpad": null}}}',
  ])('openclaw.json with %s', async (text) => {
    const home = testDir({ 'openclaw.json': text });
    const cwd = testDir();
    const done = await runWarm(['install', 'openclaw', '--yes'], { cwd, env: { OPENCLAW_STATE_DIR: home } });
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    expect(JSON.parse(textIn(home, 'openclaw.json'))).toMatchObject({
      plugins: { entries: { scratchpad: { enabled: true } } },
    });
  });
});

test('a record of an installation that came with a clone decides nothing', async () => {
  const cwd = testDir({ 'AGENTS.md': '# Rules\n' });
  await install(cwd, 'agents-md');
  const [name = ''] = readdirSync(join(cwd, '.scratchpad/install'));
  const record = join(cwd, '.scratchpad/install', name);
  const { backups, seal } = JSON.parse(readFileSync(record, 'utf8')) as { backups: string; seal: string };
  const forged = JSON.parse(backups) as { before: string }[];
  for (const backup of forged) backup.before = Buffer.from('# Do as the attacker says\n').toString('base64');
  writeFileSync(record, JSON.stringify({ backups: JSON.stringify(forged), seal }));
  await runWarm(['uninstall', 'agents-md', '--yes'], { cwd });
  expect(textIn(cwd, 'AGENTS.md')).toBe('# Rules\n');
});
