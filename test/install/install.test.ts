import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';

const SETTINGS = `{
    // mine, and it stays
    "model": "opus", /* so does this */
    "hooks": {
        "UserPromptSubmit": [
            { "hooks": [{ "type": "command", "command": "my-hook" }] },
        ],
    },
    "permissions": { "allow": ["Bash(ls:*)"] }
}
`;
const FILES: [host: string, path: string, event: string][] = [
  ['claude-code', '.claude/settings.json', 'UserPromptSubmit'],
  ['codex', '.codex/hooks.json', 'UserPromptSubmit'],
  ['gemini-cli', '.gemini/settings.json', 'BeforeAgent'],
];

describe.each(FILES)('%s', (host, path, event) => {
  test('comments, order and other hooks stay; twice is once; uninstall gives the bytes back', async () => {
    const cwd = testDir({ [path]: SETTINGS });
    const done = await runCli(['install', host, '--yes'], { cwd });
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    const text = readFileSync(join(cwd, path), 'utf8');
    expect(text).toContain('// mine, and it stays');
    expect(text).toContain('/* so does this */');
    expect(text).toContain('my-hook');
    expect(text).toContain(event);
    expect(text.indexOf('"model"')).toBeLessThan(text.indexOf('"permissions"'));
    await runCli(['install', host, '--yes'], { cwd });
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(text);
    const undone = await runCli(['uninstall', host, '--yes'], { cwd });
    expect(undone.exitCode).toBe(0);
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(SETTINGS);
  });

  test('where there was nothing there is nothing again', async () => {
    const cwd = testDir();
    await runCli(['install', host, '--yes'], { cwd });
    const settings = JSON.parse(readFileSync(join(cwd, path), 'utf8')) as { hooks: Record<string, unknown> };
    expect(Object.keys(settings.hooks)).toContain(event);
    await runCli(['uninstall', host, '--yes'], { cwd });
    expect(existsSync(join(cwd, path, '..'))).toBe(false);
  });

  test('what a person changed since is kept at uninstall', async () => {
    const cwd = testDir({ [path]: '{\n  "a": 1\n}\n' });
    await runCli(['install', host, '--yes'], { cwd });
    writeFileSync(join(cwd, path), readFileSync(join(cwd, path), 'utf8').replace('"a": 1', '"a": 2'));
    await runCli(['uninstall', host, '--yes'], { cwd });
    expect(JSON.parse(readFileSync(join(cwd, path), 'utf8'))).toEqual({ a: 2 });
  });
});

test('the change is shown, and without a yes nothing is written', async () => {
  const cwd = testDir({ '.claude/settings.json': SETTINGS });
  const done = await runCli(['install', 'claude-code'], { cwd });
  expect(done.exitCode).toBe(2);
  expect(done.stderr).toMatch(/\+ .*hook.*\n[\s\S]*--yes/);
  const dry = await runCli(['install', 'claude-code', '--dry-run'], { cwd });
  expect([dry.exitCode, dry.stdout]).toEqual([0, expect.stringContaining('SessionStart')]);
  expect(readFileSync(join(cwd, '.claude/settings.json'), 'utf8')).toBe(SETTINGS);
  expect(existsSync(join(cwd, 'SCRATCHPAD.md'))).toBe(false);
});

test('a link to the settings stays a link, and bytes that are no text come back', async () => {
  const cwd = testDir({
    'dotfiles/settings.json': Buffer.from('{"a": "caf\xe9"}\n', 'latin1'),
    '.claude/': '',
  });
  symlinkSync('../dotfiles/settings.json', join(cwd, '.claude/settings.json'));
  const before = readFileSync(join(cwd, 'dotfiles/settings.json'));
  expect((await runCli(['install', 'claude-code', '--yes'], { cwd })).exitCode).toBe(0);
  expect(lstatSync(join(cwd, '.claude/settings.json')).isSymbolicLink()).toBe(true);
  await runCli(['uninstall', 'claude-code', '--yes'], { cwd });
  expect(lstatSync(join(cwd, '.claude/settings.json')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(cwd, 'dotfiles/settings.json')).equals(before)).toBe(true);
});

test('settings that are not JSON are refused and left as they are', async () => {
  const cwd = testDir({ '.claude/settings.json': '{ "hooks": [ }' });
  const done = await runCli(['install', 'claude-code', '--yes'], { cwd });
  expect([done.exitCode, done.stderr]).toEqual([1, expect.stringContaining('settings.json:1')]);
  expect(readFileSync(join(cwd, '.claude/settings.json'), 'utf8')).toBe('{ "hooks": [ }');
});

test('the installed hook runs', async () => {
  const cwd = testDir();
  await runCli(['install', 'claude-code', '--yes'], { cwd });
  await runCli(['plan', 'set', '1. a'], { cwd });
  const { hooks } = JSON.parse(readFileSync(join(cwd, '.claude/settings.json'), 'utf8')) as {
    hooks: Record<string, { hooks: { command: string; args: string[] }[] }[]>;
  };
  const { args = [] } = hooks.UserPromptSubmit?.[0]?.hooks[0] ?? {};
  const done = await runCli(args.slice(1), { cwd, input: JSON.stringify({ cwd }), program: args[0] ?? '' });
  expect(done.stdout).toContain('1. a');
});

test('the plugin of Claude Code has the hooks that an installation writes, most of them by its MCP server', async () => {
  const cwd = testDir();
  await runCli(['install', 'claude-code', '--yes'], { cwd });
  const settings = readFileSync(join(cwd, '.claude/settings.json'), 'utf8');
  const { hooks } = JSON.parse(settings) as { hooks: Record<string, { hooks: Record<string, unknown>[] }[]> };
  const template = join(import.meta.dirname, '../../templates/claude-code-plugin/hooks/hooks.json');
  const plugin = JSON.parse(readFileSync(template, 'utf8')) as { hooks: typeof hooks };
  expect(Object.keys(plugin.hooks).sort()).toEqual(Object.keys(hooks).sort());
  for (const [event, groups] of Object.entries(plugin.hooks)) {
    expect(groups.map((group) => ({ ...group, hooks: [] }))).toEqual(
      hooks[event]?.map((group) => ({ ...group, hooks: [] })),
    );
    for (const hook of groups.flatMap((group) => group.hooks)) {
      if (hook.type === 'mcp_tool') {
        expect(hook).toMatchObject({ tool: 'hook', input: { event, cwd: expect.stringContaining('cwd') } });
      } else expect([hook.command, hook.args]).toEqual(['scratchpad', ['hook', 'claude-code', event]]);
    }
  }
});

test('a PATH that only npx sees is none for the hooks', async () => {
  const cwd = testDir({ 'node_modules/.bin/': '', 'bin/': '' });
  const program = join(import.meta.dirname, '../../bin/scratchpad.js');
  const commandWith = async (dir: string): Promise<string> => {
    symlinkSync(program, join(cwd, dir, 'scratchpad'));
    const env = { PATH: `${join(cwd, dir)}:${process.env.PATH ?? ''}` };
    await runCli(['install', 'claude-code', '--yes'], { cwd, env });
    const settings = readFileSync(join(cwd, '.claude/settings.json'), 'utf8');
    return (JSON.parse(settings) as { hooks: Record<string, { hooks: { command: string }[] }[]> }).hooks
      .Stop?.[0]?.hooks[0]?.command as string;
  };
  expect(await commandWith('node_modules/.bin')).toBe(process.execPath);
  expect(await commandWith('bin')).toBe('scratchpad');
});

test('openclaw: plugin files and the access it needs, and back', async () => {
  const home = testDir({ '.openclaw/openclaw.json': '{\n  // gateway\n  "agents": {}\n}\n' });
  const cwd = testDir();
  const env = { HOME: home };
  const config = join(home, '.openclaw/openclaw.json');
  const before = readFileSync(config, 'utf8');
  expect((await runCli(['install', 'openclaw', '--yes'], { cwd, env })).exitCode).toBe(0);
  const plugin = join(home, '.openclaw/extensions/scratchpad');
  expect(JSON.parse(readFileSync(join(plugin, 'openclaw.plugin.json'), 'utf8'))).toMatchObject({
    id: 'scratchpad',
  });
  expect(readFileSync(join(plugin, 'index.js'), 'utf8')).toContain('bin/scratchpad.js"]');
  expect(readFileSync(config, 'utf8')).toContain('"allowConversationAccess": true');
  expect((await runCli(['doctor'], { cwd, env })).stdout).toContain('openclaw: plugin enabled');
  writeFileSync(
    config,
    readFileSync(config, 'utf8').replace(
      '"allowConversationAccess": true',
      '"allowConversationAccess": false',
    ),
  );
  const sick = await runCli(['doctor'], { cwd, env });
  expect([sick.exitCode, sick.stdout]).toEqual([1, expect.stringContaining('may not see the conversation')]);
  await runCli(['install', 'openclaw', '--yes'], { cwd, env });
  await runCli(['uninstall', 'openclaw', '--yes'], { cwd, env });
  expect(existsSync(plugin)).toBe(false);
  expect(JSON.parse(readFileSync(config, 'utf8').replace('// gateway', ''))).toEqual({ agents: {} });
  expect(before).toContain('// gateway');
});

describe('agents-md', () => {
  test('between markers, brought up to date in place, and out again to the byte', async () => {
    for (const mine of ['# Mine\n\nwords\n', '# Mine, no end of line', '# Mine\r\n\r\nwords\r\n']) {
      const cwd = testDir({ 'AGENTS.md': mine });
      await runCli(['install', 'agents-md', '--yes'], { cwd });
      const text = readFileSync(join(cwd, 'AGENTS.md'), 'utf8');
      expect(text.startsWith(mine)).toBe(true);
      expect(text).toContain('<!-- scratchpad:guidance -->');
      writeFileSync(join(cwd, 'AGENTS.md'), text.replace('plan set', 'plan sett'));
      await runCli(['install', 'agents-md', '--yes'], { cwd });
      expect(readFileSync(join(cwd, 'AGENTS.md'), 'utf8')).toBe(text);
      await runCli(['uninstall', 'agents-md', '--yes'], { cwd });
      expect(readFileSync(join(cwd, 'AGENTS.md'), 'utf8').trimEnd()).toBe(mine.trimEnd());
    }
  });

  test('another file by name', async () => {
    const cwd = testDir();
    await runCli(['install', 'agents-md', '--file', 'CLAUDE.md', '--yes'], { cwd });
    expect(readFileSync(join(cwd, 'CLAUDE.md'), 'utf8')).toContain('## Session Scratchpad');
    await runCli(['uninstall', 'agents-md', '--file', 'CLAUDE.md', '--yes'], { cwd });
    expect(existsSync(join(cwd, 'CLAUDE.md'))).toBe(false);
  });
});

test('guidance prints what a system prompt should say', async () => {
  const { stdout } = await runCli(['guidance'], { cwd: testDir() });
  expect(stdout).toMatch(/^## Session Scratchpad\n/);
  expect(stdout).toContain('survives context compaction');
});
