import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GUIDANCE } from '../../../src/core/guidance.ts';
import { wrapServer } from '../../../src/hosts/install/hook-command.ts';
import { buildHooks, listClaudePermissions } from '../../../src/hosts/install/hosts.ts';
import { git, testRepository } from '../../helpers/git.ts';
import { minimalEnv } from '../../helpers/run-cli.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

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
  ['claude-code', '.claude/settings.local.json', 'UserPromptSubmit'],
  ['codex', '.codex/hooks.json', 'UserPromptSubmit'],
  ['gemini-cli', '.gemini/settings.json', 'BeforeAgent'],
];

test('uninstall --dry-run without a host shows what it would do for every host that is there', async () => {
  const cwd = testDir({ '.claude/': '', '.gemini/': '' });
  const before = await runWarm(['uninstall', '--dry-run'], { cwd });
  expect([before.exitCode, before.stdout]).toEqual([0, expect.stringContaining('all: not installed')]);
  for (const host of ['claude-code', 'gemini-cli']) await runWarm(['install', host, '--yes'], { cwd });
  const done = await runWarm(['uninstall', '--dry-run'], { cwd });
  expect(done.exitCode).toBe(0);
  for (const file of ['.claude/settings.local.json', '.gemini/settings.json']) {
    expect(done.stdout).toContain(file);
    expect(existsSync(join(cwd, file))).toBe(true);
  }
});

describe.each(FILES)('%s', (host, path, event) => {
  test('comments, order and other hooks stay; installing twice changes nothing; uninstalling restores the bytes', async () => {
    const cwd = testDir({ [path]: SETTINGS });
    const done = await runWarm(['install', host, '--yes'], { cwd });
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    const text = readFileSync(join(cwd, path), 'utf8');
    expect(text).toContain('// mine, and it stays');
    expect(text).toContain('/* so does this */');
    expect(text).toContain('my-hook');
    expect(text).toContain(event);
    expect(text.indexOf('"model"')).toBeLessThan(text.indexOf('"permissions"'));
    await runWarm(['install', host, '--yes'], { cwd });
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(text);
    const undone = await runWarm(['uninstall', host, '--yes'], { cwd });
    expect(undone.exitCode).toBe(0);
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(SETTINGS);
  });

  test('uninstalling leaves nothing where nothing was', async () => {
    const cwd = testDir();
    const home = testDir();
    const env = { HOME: home };
    await runWarm(['install', host, '--yes'], { cwd, env });
    const settings = JSON.parse(readFileSync(join(cwd, path), 'utf8')) as { hooks: Record<string, unknown> };
    expect(Object.keys(settings.hooks)).toContain(event);
    await runWarm(['uninstall', host, '--yes'], { cwd, env });
    expect(existsSync(join(cwd, path, '..'))).toBe(false);
    expect(readdirSync(home).filter((name) => !/^\.(?:local|cache)$/.test(name))).toEqual([]);
  });

  test('what a person changed since is kept at uninstall', async () => {
    const cwd = testDir({ [path]: '{\n  "a": 1\n}\n' });
    await runWarm(['install', host, '--yes'], { cwd });
    writeFileSync(join(cwd, path), readFileSync(join(cwd, path), 'utf8').replace('"a": 1', '"a": 2'));
    await runWarm(['uninstall', host, '--yes'], { cwd });
    expect(JSON.parse(readFileSync(join(cwd, path), 'utf8'))).toEqual({ a: 2 });
  });
});

test('the change is shown, and without a yes nothing is written', async () => {
  const cwd = testDir({ '.claude/settings.local.json': SETTINGS });
  const done = await runWarm(['install', 'claude-code'], { cwd });
  expect(done.exitCode).toBe(2);
  const [short = ''] = done.stderr.split('(show every line with --dry-run)');
  expect(short.trim().split('\n')).toHaveLength(9);
  for (const part of ['hooks', 'MCP server', 'SCRATCHPAD.md', 'scratchpad uninstall'])
    expect(short).toContain(part);
  const allowed = /^ +permission {2}[\s\S]*?(?=^ +workspace)/m.exec(short)?.[0] ?? '';
  for (const rule of listClaudePermissions('mcp__scratchpad')) {
    const [, first = '', second = ''] = /^Bash\(scratchpad (\w+)(?: (\w+))?/.exec(rule) ?? [];
    expect(allowed.split(/[\s,]+/)).toContain(second || first || 'tools');
  }
  const dry = await runWarm(['install', 'claude-code', '--dry-run'], { cwd });
  expect([dry.exitCode, dry.stdout]).toEqual([0, expect.stringContaining('SessionStart')]);
  expect(readFileSync(join(cwd, '.claude/settings.local.json'), 'utf8')).toBe(SETTINGS);
  expect(existsSync(join(cwd, 'SCRATCHPAD.md'))).toBe(false);
});

test('a link to the settings stays a link, and bytes that are no text come back', async () => {
  const cwd = testDir({
    'dotfiles/settings.json': Buffer.from('{"a": "caf\xe9"}\n', 'latin1'),
    '.claude/': '',
  });
  symlinkSync('../dotfiles/settings.json', join(cwd, '.claude/settings.local.json'));
  const before = readFileSync(join(cwd, 'dotfiles/settings.json'));
  expect((await runWarm(['install', 'claude-code', '--yes'], { cwd })).exitCode).toBe(0);
  expect(lstatSync(join(cwd, '.claude/settings.local.json')).isSymbolicLink()).toBe(true);
  await runWarm(['uninstall', 'claude-code', '--yes'], { cwd });
  expect(lstatSync(join(cwd, '.claude/settings.local.json')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(cwd, 'dotfiles/settings.json')).equals(before)).toBe(true);
});

test('settings that are not JSON are refused and left as they are', async () => {
  const cwd = testDir({ '.claude/settings.local.json': '{ "hooks": [ }' });
  const done = await runWarm(['install', 'claude-code', '--yes'], { cwd });
  expect([done.exitCode, done.stderr]).toEqual([1, expect.stringContaining('settings.local.json:1')]);
  expect(readFileSync(join(cwd, '.claude/settings.local.json'), 'utf8')).toBe('{ "hooks": [ }');
});

interface Settings {
  hooks: Record<string, { matcher?: string; hooks: Record<string, unknown>[] }[]>;
  permissions: { allow: string[] };
}
const settingsIn = (cwd: string, path = '.claude/settings.local.json'): Settings =>
  JSON.parse(readFileSync(join(cwd, path), 'utf8')) as Settings;

test('an installed command hook runs, and is silent once the program is gone', async () => {
  const cwd = testDir();
  await runWarm(['install', 'claude-code', '--yes'], { cwd });
  await runWarm(['plan', 'set', '1. a'], { cwd });
  const command = String(settingsIn(cwd).hooks.SessionStart?.[0]?.hooks[0]?.command);
  const run = (line: string) =>
    spawnSync('sh', ['-c', line], {
      cwd,
      input: JSON.stringify({ cwd, source: 'startup' }),
      encoding: 'utf8',
    });
  expect(run(command).stdout).toContain('1. a');
  const gone = run(command.replaceAll('scratchpad.js', 'gone/scratchpad.js'));
  expect([gone.status, gone.stdout, gone.stderr]).toEqual([0, '', '']);
});

test('claude-code: an installation of an earlier version, which allowed fewer words, goes, too', async () => {
  const path = '.claude/settings.local.json';
  const cwd = testDir({ [path]: SETTINGS });
  await runWarm(['install', 'claude-code', '--yes'], { cwd });
  const file = join(cwd, path);
  const short = /\n +"Bash\(scratchpad (?:todo|note|ref|done|next|reopen|ls|cat|log|find):\*\)",/g;
  const now = readFileSync(file, 'utf8');
  expect(now.match(short)).toHaveLength(10);
  writeFileSync(file, now.replace(short, ''));
  await runWarm(['uninstall', 'claude-code', '--yes'], { cwd });
  const left = readFileSync(file, 'utf8');
  expect(left).not.toContain('scratchpad');
  const bare = (text: string): string => text.replace(/\s|,(?=\s*[\]}])/g, '');
  expect(bare(left)).toBe(bare(SETTINGS));
});

test('claude-code: the MCP server and the permissions, and only ours of them go again', async () => {
  const cwd = testDir({ '.claude/settings.local.json': '{"permissions": {"allow": ["Bash(ls:*)"]}}' });
  const before = readFileSync(join(cwd, '.claude/settings.local.json'), 'utf8');
  const state = `${JSON.stringify({ projects: { [cwd]: { allowedTools: [], mcpServers: {} } }, userID: 'x' }, null, 2)}\n`;
  const home = testDir({ '.claude.json': state });
  const env = { HOME: home };
  await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
  const { allow } = settingsIn(cwd).permissions;
  expect([allow[0], allow.at(-1)]).toEqual(['Bash(ls:*)', 'mcp__scratchpad__*']);
  expect(allow).toContain('Bash(scratchpad plan:*)');
  // What leads to other programs, or writes other files, is asked for.
  const risky = [
    'run -- sh',
    'trust',
    'config set',
    'install x',
    'export x',
    'edit',
    'memory index',
    'entry delete x',
  ];
  for (const command of [...risky, 'hook x', 'watch', 'import x', 'tool x', '-s x run']) {
    const rules = allow.filter((rule) => `Bash(scratchpad ${command}`.startsWith(rule.replace(/:\*\)$/, '')));
    expect([command, rules]).toEqual([command, []]);
  }
  const { projects } = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')) as {
    projects: Record<string, { mcpServers: Record<string, { args: string[] }> }>;
  };
  expect(projects[cwd]?.mcpServers.scratchpad?.args.at(-1)).toContain('scratchpad.js mcp;');
  expect((await runWarm(['doctor'], { cwd, env })).stdout).not.toContain('which is not in any settings');
  // Claude Code writes this file all the time.
  const now = readFileSync(join(home, '.claude.json'), 'utf8');
  writeFileSync(join(home, '.claude.json'), now.replace('"userID": "x"', '"userID": "y"'));
  await runWarm(['uninstall', 'claude-code', '--yes'], { cwd, env });
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(state.replace('"x"', '"y"'));
  expect(readFileSync(join(cwd, '.claude/settings.local.json'), 'utf8')).toBe(before);
});

test('claude-code: a rule of the person that is ours in words, too, stays theirs', async () => {
  const mine = '{"permissions": {"allow": ["Bash(ls:*)", "Bash(scratchpad plan:*)"]}}\n';
  const cwd = testDir({ '.claude/settings.local.json': mine });
  const env = { HOME: testDir() };
  const path = join(cwd, '.claude/settings.local.json');
  for (const times of [1, 2]) {
    for (let k = 0; k < times; k += 1) {
      await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
      // The person goes on writing, so the bytes of before cannot simply be put back.
      writeFileSync(path, `${readFileSync(path, 'utf8').trimEnd()}\n\n`);
      const now = JSON.parse(readFileSync(path, 'utf8')) as Settings;
      delete now.hooks.Stop;
      writeFileSync(path, JSON.stringify(now));
    }
    await runWarm(['uninstall', 'claude-code', '--yes'], { cwd, env });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(mine));
  }
});

/** All commands that a settings file runs. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/"command": "((?:[^"\\]|\\.)*)"/g)].map(([, line]) => JSON.parse(`"${line}"`) as string);

describe.each([
  ['claude-code', '.claude/settings.json'],
  ['codex', '.codex/hooks.json'],
  ['gemini-cli', '.gemini/settings.json'],
])('%s for everybody', (host, path) => {
  test('runs on a machine that has the package, and is silent in a clone on one that has not', async () => {
    const cwd = testRepository();
    const done = await runWarm(['install', host, '--scope', 'project', '--yes'], { cwd });
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'settings');
    // A server that is not there is told to the model by some hosts, and to the person by others.
    const committed = git(cwd, 'ls-files')
      .split('\n')
      .map((name) => readFileSync(join(cwd, name), 'utf8'));
    expect(committed.join('\n')).not.toMatch(/mcp_?servers/i);
    const clone = join(cwd, '../clone');
    git(cwd, 'clone', '-q', cwd, clone);
    const text = readFileSync(join(clone, path), 'utf8');
    expect(text).not.toMatch(/\/(?:usr|home|root|work|tmp)\//);
    const commands = commandsIn(text);
    expect(commands.length).toBeGreaterThanOrEqual(5);
    const bin = testDir({ 'with/': '', 'without/': '' });
    for (const name of ['sh', 'node'])
      for (const dir of ['with', 'without'])
        symlinkSync(name === 'sh' ? '/bin/sh' : process.execPath, join(bin, dir, name));
    symlinkSync(join(import.meta.dirname, '../../../bin/scratchpad.js'), join(bin, 'with/scratchpad'));
    const run = (line: string, dir: string) =>
      spawnSync('sh', ['-c', line], {
        cwd: clone,
        env: { PATH: join(bin, dir), HOME: bin },
        input: JSON.stringify({ session_id: 's', cwd: clone, source: 'startup', prompt: 'what is next?' }),
        encoding: 'utf8',
      });
    for (const line of commands) {
      const { status, stdout, stderr } = run(line, 'without');
      expect([line, status, stdout, stderr]).toEqual([line, 0, '', '']);
    }
    await runWarm(['plan', 'set', '1. Find the leak'], {
      cwd: clone,
      env: { HOME: bin, XDG_STATE_HOME: '' },
    });
    const told = commands.filter((line) => /SessionStart|BeforeAgent|UserPromptSubmit/.test(line));
    expect(told.map((line) => run(line, 'with').stdout).join('')).toContain('Find the leak');
    expect(git(clone, 'status', '--porcelain')).toBe('');
    // A path of this machine does not get into what everybody has.
    const mine = await runWarm(['install', host, '--yes'], { cwd: clone });
    expect(git(clone, 'status', '--porcelain')).toBe('');
    expect(mine.exitCode).toBe(host === 'claude-code' ? 0 : 1);
    if (host !== 'claude-code') expect(mine.stderr).toContain('a path of this machine would be committed');
  });
});

test('claude-code: with hooks for everybody a person adds the server alone, and can take it back', async () => {
  const cwd = testDir();
  const home = testDir();
  const env = { HOME: home };
  await runWarm(['install', 'claude-code', '--scope', 'project', '--yes'], { cwd, env });
  const shared = readFileSync(join(cwd, '.claude/settings.json'), 'utf8');
  const { exitCode, stderr } = await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(existsSync(join(cwd, '.claude/settings.local.json'))).toBe(false);
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toContain('scratchpad.js mcp;');
  expect((await runWarm(['doctor'], { cwd, env })).stdout).not.toMatch(/twice|which is not in any settings/);
  const again = await runWarm(['install', 'claude-code', '--scope', 'project', '--yes'], { cwd, env });
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('already installed')]);
  await runWarm(['uninstall', 'claude-code', '--scope', 'local', '--yes'], { cwd, env });
  expect(existsSync(join(home, '.claude.json'))).toBe(false);
  expect(readFileSync(join(cwd, '.claude/settings.json'), 'utf8')).toBe(shared);
  await runWarm(['uninstall', 'claude-code', '--yes'], { cwd, env });
  expect(readdirSync(cwd).filter((name) => name.startsWith('.') && name !== '.scratchpad')).toEqual([]);
});

test('with the plugin enabled the permission alone is added', async () => {
  const home = testDir({ '.claude/settings.json': '{"enabledPlugins": {"scratchpad@scratchpad": true}}' });
  const cwd = testDir();
  await runWarm(['install', 'claude-code', '--yes'], { cwd, env: { HOME: home } });
  expect(Object.keys(settingsIn(cwd))).toEqual(['permissions']);
  const { allow } = settingsIn(cwd).permissions;
  expect(allow.filter((rule) => !rule.startsWith('Bash(scratchpad '))).toEqual([
    'mcp__plugin_scratchpad_scratchpad__*',
  ]);
});

test('from a folder below: the workspace, and its settings, are at the top, and git sees none of it', async () => {
  const cwd = testRepository();
  mkdirSync(join(cwd, 'src/deep'), { recursive: true });
  for (const host of ['claude-code', 'codex', 'gemini-cli']) {
    const done = await runWarm(['install', host, '--yes'], { cwd: join(cwd, 'src/deep') });
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
  }
  expect(existsSync(join(cwd, 'SCRATCHPAD.md'))).toBe(true);
  expect(existsSync(join(cwd, '.claude/settings.local.json'))).toBe(true);
  expect(git(cwd, 'status', '--porcelain', '--untracked-files=all')).toBe('');
  const exclude = readFileSync(join(cwd, '.git/info/exclude'), 'utf8');
  await runWarm(['uninstall', '--all', '--yes'], { cwd: join(cwd, 'src') });
  expect(readdirSync(cwd).filter((name) => /^\.(?:claude|codex|gemini|mcp)/.test(name))).toEqual([]);
  expect(readFileSync(join(cwd, '.git/info/exclude'), 'utf8').split('\n').length).toBeLessThan(
    exclude.split('\n').length,
  );
  expect(readFileSync(join(cwd, '.git/info/exclude'), 'utf8')).not.toContain('scratchpad install');
});

describe('codex', () => {
  const installed = async (...args: string[]) => {
    const cwd = testDir();
    const env = { HOME: testDir() };
    const run = (...words: string[]) => runWarm(words, { cwd, env });
    const done = await run('install', 'codex', '--yes', ...args);
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    const { hooks } = settingsIn(cwd, '.codex/hooks.json');
    const types = Object.fromEntries(
      Object.entries(hooks).map(([event, [group]]) => [event, group?.hooks[0]?.type]),
    );
    return { cwd, run, hooks, types };
  };

  test('asks the server: prompt, result and stop do, with the fields that these events have', async () => {
    const { cwd, run, hooks, types } = await installed();
    expect(types).toEqual({
      ...{ SessionStart: 'command', PreCompact: 'command', PostCompact: 'command', SubagentStart: 'command' },
      ...{ UserPromptSubmit: 'mcp_tool', PostToolUse: 'mcp_tool', Stop: 'mcp_tool', SessionEnd: 'command' },
    });
    expect(hooks.UserPromptSubmit?.[0]?.hooks[0]).toEqual({
      ...{ type: 'mcp_tool', server: 'scratchpad', tool: 'hook', timeout: 3 },
      input: {
        ...{ host: 'codex', event: 'UserPromptSubmit', session_id: `\${session_id}` },
        ...{ transcript_path: `\${transcript_path}`, cwd: `\${cwd}`, prompt: `\${prompt}` },
      },
    });
    const path = join(cwd, '.codex/config.toml');
    const toml = readFileSync(path, 'utf8');
    expect((await run('doctor')).stdout).not.toMatch(/nothing of scratchpad|as this version writes it/);
    writeFileSync(path, '');
    expect((await run('doctor')).stdout).toMatch(/FAIL {2}codex: .*config.toml has nothing of scratchpad/);
    writeFileSync(path, toml);
    await run('uninstall', 'codex', '--yes');
    expect(existsSync(join(cwd, '.codex'))).toBe(false);
  });

  test('for everybody: commands', async () => {
    const { types } = await installed('--scope', 'project');
    expect(new Set(Object.values(types))).toEqual(new Set(['command']));
  });
});

test('codex: the tools and the commands need no approval, and a config.toml keeps what it has', async () => {
  const mine = 'model = "x"\n\n[features]\nhooks = true\n';
  const cwd = testDir({ '.codex/config.toml': mine });
  await runWarm(['install', 'codex', '--yes'], { cwd });
  const toml = readFileSync(join(cwd, '.codex/config.toml'), 'utf8');
  expect(toml.startsWith(mine)).toBe(true);
  expect(toml).toContain('[mcp_servers.scratchpad]');
  expect(toml).toContain('default_tools_approval_mode = "approve"');
  const rules = readFileSync(join(cwd, '.codex/rules/scratchpad.rules'), 'utf8');
  expect(rules).toContain('prefix_rule(pattern = ["scratchpad",["plan","notes",');
  expect(rules).not.toMatch(/"(?:run|trust|config|install|export|save|memory"\]|index|delete)"/);
  expect(rules).toContain('["scratchpad","memory",["search","status"]]');
  await runWarm(['uninstall', 'codex', '--yes'], { cwd });
  expect(readFileSync(join(cwd, '.codex/config.toml'), 'utf8')).toBe(mine);
  expect(readdirSync(join(cwd, '.codex'))).toEqual(['config.toml']);
});

test('the plugin of Claude Code has the hooks that an installation writes', async () => {
  const template = join(import.meta.dirname, '../../../templates/claude-code-plugin/hooks/hooks.json');
  const plugin = JSON.parse(readFileSync(template, 'utf8')) as Pick<Settings, 'hooks'>;
  const hooks = buildHooks(
    'claude-code',
    { command: 'scratchpad', args: [] },
    'plugin:scratchpad:scratchpad',
  );
  expect(plugin.hooks).toEqual(Object.fromEntries([...hooks].map(([event, group]) => [event, [group]])));
  const servers = readFileSync(join(template, '../../.mcp.json'), 'utf8');
  expect(JSON.parse(servers)).toEqual({
    mcpServers: { scratchpad: wrapServer({ command: 'scratchpad', args: [] }) },
  });
});

test('the plugin of Codex has the hooks that an installation writes, and both have the guidance', async () => {
  const cwd = testDir();
  await runWarm(['install', 'codex', '--scope', 'project', '--yes'], { cwd });
  const templates = join(import.meta.dirname, '../../../templates');
  const hooks = readFileSync(join(templates, 'codex-plugin/hooks/hooks.json'), 'utf8');
  expect(JSON.parse(hooks)).toEqual(settingsIn(cwd, '.codex/hooks.json'));
  for (const folder of ['claude-code-plugin/skills/working-memory', 'codex-plugin/skills/scratchpad']) {
    const skill = readFileSync(join(templates, folder, 'SKILL.md'), 'utf8');
    expect(skill).toContain(GUIDANCE.slice(GUIDANCE.indexOf('\n')).trim());
  }
});

test('the extension of Gemini CLI has the hooks that an installation writes; with it, the server alone is added', async () => {
  const folder = join(import.meta.dirname, '../../../templates/gemini-extension');
  const json = (path: string): Record<string, unknown> =>
    JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const hooks = buildHooks('gemini-cli', { command: 'scratchpad', args: [] });
  expect(json(join(folder, 'hooks/hooks.json'))).toEqual({
    hooks: Object.fromEntries([...hooks].map(([event, group]) => [event, [group]])),
  });
  const { version } = json(join(folder, '../../package.json'));
  expect(json(join(folder, 'gemini-extension.json'))).toMatchObject({
    version,
    contextFileName: 'GEMINI.md',
  });
  const home = testDir();
  const copy = join(home, '.gemini/extensions/scratchpad');
  cpSync(folder, copy, { recursive: true });
  const cwd = testDir();
  const env = { HOME: home };
  await runWarm(['install', 'gemini-cli', '--yes'], { cwd, env });
  expect(Object.keys(json(join(cwd, '.gemini/settings.json')))).toEqual(['mcpServers']);
  expect((await runWarm(['doctor'], { cwd, env })).stdout).toMatch(/^ok +gemini-cli: extension in /m);
  expect((await runWarm(['doctor'], { cwd, env })).stdout).not.toContain('twice');
});

test('an event that earlier versions had a hook for goes at the next installation, and only ours of it', async () => {
  const cwd = testDir();
  const env = { HOME: testDir() };
  await runWarm(['install', 'gemini-cli', '--yes'], { cwd, env });
  const path = join(cwd, '.gemini/settings.json');
  const now = JSON.parse(readFileSync(path, 'utf8')) as Settings;
  const old = { type: 'command', command: 'scratchpad hook gemini-cli PreCompress --tools' };
  const theirs = { type: 'command', command: 'my-own hook' };
  now.hooks.PreCompress = [{ hooks: [old] }, { hooks: [theirs] }];
  writeFileSync(path, JSON.stringify(now, null, 2));
  await runWarm(['install', 'gemini-cli', '--yes'], { cwd, env });
  const { hooks } = JSON.parse(readFileSync(path, 'utf8')) as Settings;
  expect(hooks.PreCompress).toEqual([{ hooks: [theirs] }]);
  expect(Object.keys(hooks)).toContain('SessionEnd');
});

test('the package is its own marketplace, and its plugins have its version', () => {
  const root = join(import.meta.dirname, '../../..');
  const json = (path: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>;
  const { version, files } = json('package.json') as { version: string; files: string[] };
  expect(files).toEqual(expect.arrayContaining(['.claude-plugin', '.agents', 'templates']));
  const claude = json('.claude-plugin/marketplace.json') as { plugins: { source: string }[] };
  const own = json('templates/.claude-plugin/marketplace.json') as { plugins: { source: string }[] };
  expect(join('templates', own.plugins[0]?.source ?? '')).toBe(join(claude.plugins[0]?.source ?? ''));
  const codex = json('.agents/plugins/marketplace.json') as { plugins: { source: { path: string } }[] };
  expect(json(join(claude.plugins[0]?.source ?? '', '.claude-plugin/plugin.json')).version).toBe(version);
  expect(json(join(codex.plugins[0]?.source.path ?? '', '.codex-plugin/plugin.json')).version).toBe(version);
});

test('a PATH entry that only npx sees does not serve the hooks', async () => {
  const cwd = testDir({ 'node_modules/.bin/': '', 'bin/': '' });
  const program = join(import.meta.dirname, '../../../bin/scratchpad.js');
  const commandWith = async (dir: string): Promise<string> => {
    symlinkSync(program, join(cwd, dir, 'scratchpad'));
    const env = { PATH: `${join(cwd, dir)}:${process.env.PATH ?? ''}` };
    await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
    return String(settingsIn(cwd).hooks.SessionStart?.[0]?.hooks[0]?.command);
  };
  expect(await commandWith('node_modules/.bin')).toContain(process.execPath);
  expect(await commandWith('bin')).toContain('exec scratchpad hook');
});

test('openclaw: plugin files and the access it needs, installed and removed', async () => {
  const home = testDir({ '.openclaw/openclaw.json': '{\n  // gateway\n  "agents": {}\n}\n' });
  const cwd = testDir();
  const env = { HOME: home };
  const config = join(home, '.openclaw/openclaw.json');
  const before = readFileSync(config, 'utf8');
  expect((await runWarm(['install', 'openclaw', '--yes'], { cwd, env })).exitCode).toBe(0);
  const plugin = join(home, '.openclaw/extensions/scratchpad');
  expect(JSON.parse(readFileSync(join(plugin, 'openclaw.plugin.json'), 'utf8'))).toMatchObject({
    id: 'scratchpad',
  });
  const root = realpathSync(join(import.meta.dirname, '../../..'));
  expect(readFileSync(join(plugin, 'index.js'), 'utf8')).toContain(
    `const PACKAGE = ${JSON.stringify(root)};`,
  );
  expect(readFileSync(config, 'utf8')).toContain('"allowConversationAccess": true');
  expect((await runWarm(['doctor'], { cwd, env })).stdout).toMatch(
    /ok {4}openclaw: a plugin, by .*openclaw\.json/,
  );
  writeFileSync(
    config,
    readFileSync(config, 'utf8').replace(
      '"allowConversationAccess": true',
      '"allowConversationAccess": false',
    ),
  );
  const sick = await runWarm(['doctor'], { cwd, env });
  expect(sick.stdout).toMatch(/openclaw\.json is not as this version writes it: .*allowConversationAccess/);
  await runWarm(['install', 'openclaw', '--yes'], { cwd, env });
  await runWarm(['uninstall', 'openclaw', '--yes'], { cwd, env });
  expect(existsSync(plugin)).toBe(false);
  expect(JSON.parse(readFileSync(config, 'utf8').replace('// gateway', ''))).toEqual({ agents: {} });
  expect(before).toContain('// gateway');
});

describe('agents-md', () => {
  test('between markers, updated in place, and removed to the byte', async () => {
    for (const mine of ['# Mine\n\nwords\n', '# Mine, no end of line', '# Mine\r\n\r\nwords\r\n']) {
      const cwd = testDir({ 'AGENTS.md': mine });
      await runWarm(['install', 'agents-md', '--yes'], { cwd });
      const text = readFileSync(join(cwd, 'AGENTS.md'), 'utf8');
      expect(text.startsWith(mine)).toBe(true);
      expect(text).toContain('<!-- scratchpad:guidance -->');
      writeFileSync(join(cwd, 'AGENTS.md'), text.replace('plan set', 'plan sett'));
      await runWarm(['install', 'agents-md', '--yes'], { cwd });
      expect(readFileSync(join(cwd, 'AGENTS.md'), 'utf8')).toBe(text);
      await runWarm(['uninstall', 'agents-md', '--yes'], { cwd });
      expect(readFileSync(join(cwd, 'AGENTS.md'), 'utf8').trimEnd()).toBe(mine.trimEnd());
    }
  });

  test('another file by name', async () => {
    const cwd = testDir();
    await runWarm(['install', 'agents-md', '--file', 'CLAUDE.md', '--yes'], { cwd });
    expect(readFileSync(join(cwd, 'CLAUDE.md'), 'utf8')).toContain('## Session Scratchpad');
    await runWarm(['uninstall', 'agents-md', '--file', 'CLAUDE.md', '--yes'], { cwd });
    expect(existsSync(join(cwd, 'CLAUDE.md'))).toBe(false);
  });
});

test('guidance prints what a system prompt should say', async () => {
  const { stdout } = await runWarm(['guidance'], { cwd: testDir() });
  expect(stdout).toMatch(/^## Session Scratchpad\n/);
  expect(stdout).toContain('survives context compaction');
});

test('install says what it keeps, and uninstall what it leaves', async () => {
  const cwd = testRepository();
  const shown = await runWarm(['install', 'claude-code', '--dry-run'], { cwd });
  expect(shown.stdout).toMatch(/outputs .* the whole is kept in \.scratchpad\/ \(14 days, 200 MB at most\)/);
  await runWarm(['install', 'claude-code', '--yes'], { cwd });
  const asked = await runWarm(['status'], { cwd });
  expect(asked.stdout).toMatch(
    /^connected: .*claude-code is installed, but has not called the scratchpad yet: restart it/m,
  );
  const { stdout } = await runWarm(['uninstall', 'claude-code', '--yes'], { cwd });
  expect(stdout).toContain('long outputs of tools as they came');
  expect(stdout).toMatch(/rm -r .*SCRATCHPAD\.md .*\.scratchpad.*\n.*compiled code in .*scratchpad\n/);
  expect(stdout).toContain(
    `left as it is: SCRATCHPAD.md and .scratchpad/ in ${cwd}, kept out of git as before`,
  );
});

test('drafts that a killed install left beside its records and the key go with the next one', async () => {
  const cwd = testDir({ '.claude/': '' });
  const env = minimalEnv();
  await runWarm(['init'], { cwd, env });
  const drafts = [
    join(cwd, '.scratchpad/install/.claude-code-local.json.4194399-abc.tmp'),
    join(env.XDG_STATE_HOME ?? '', 'scratchpad/.key.4194399-abc.tmp'),
  ];
  for (const draft of drafts) {
    mkdirSync(dirname(draft), { recursive: true });
    writeFileSync(draft, 'x');
  }
  await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
  expect(drafts.map((draft) => existsSync(draft))).toEqual([false, false]);
});
