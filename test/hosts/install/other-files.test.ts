import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { makeHookCheck, parseHookProgram, renderHookLine } from '../../../src/hosts/install/hook-command.ts';
import { findProgram, refuseCache } from '../../../src/hosts/install/program.ts';
import { git, testRepository } from '../../helpers/git.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

describe('config.toml of Codex', () => {
  const installed = async (toml: string | Buffer) => {
    const cwd = testDir({ '.codex/config.toml': '' });
    writeFileSync(join(cwd, '.codex/config.toml'), toml);
    const done = await runWarm(['install', 'codex', '--yes'], { cwd });
    const text = readFileSync(join(cwd, '.codex/config.toml'), 'utf8');
    return { cwd, done, text };
  };

  test.each([
    'mcp_servers = { other = { command = "x" } }\n',
    'mcp_servers.other = { command = "x" }\nmcp_servers = { }\n',
    'model = "x\n',
    '[mcp_servers]\n[[mcp_servers.scratchpad]]\ncommand = 5 5\n',
    '[[mcp_servers]]\ncommand = "x"\n',
    Buffer.from('# café\nmodel = "x"\n', 'latin1'),
    Buffer.from('model = "café"\n', 'latin1'),
  ])('stays as it is where our table would break it, or it is broken: %j', async (toml) => {
    const { cwd, done } = await installed(toml);
    expect(done.exitCode).not.toBe(0);
    expect(done.stderr).toMatch(/config\.toml.*\n(?:.*\n)* +next: /);
    expect(readFileSync(join(cwd, '.codex/config.toml'))).toEqual(Buffer.from(toml));
  });

  test.each([
    '[mcp_servers]\nscratchpad = { command = "mine" }\n',
    'mcp_servers.scratchpad.command = "mine"\n',
    '["mcp_servers".\'scratchpad\']\r\ncommand = "mine"\r\n',
  ])('a server of that name which is the person’s own stays: %j', async (toml) => {
    const { done, text } = await installed(toml);
    expect([done.exitCode, text]).toEqual([0, toml]);
  });

  test.each([
    '[mcp_servers.scratchpad]\ncommand = "/gone/node"\nargs = ["mcp"]\n',
    '[ mcp_servers . scratchpad ]\ncommand = "/gone/node"\n',
    'mcp_servers = { scratchpad = { command = "/gone/node" } }\n',
    `[mcp_servers.scratchpad]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["/gone/scratchpad.js", "mcp"]\n`,
  ])('a server whose program is gone is not taken for ours: %j', async (toml) => {
    const { done, text } = await installed(toml);
    expect([done.exitCode, text]).toEqual([1, toml]);
    expect(done.stderr).toMatch(/calls \/gone\/[\s\S]*codex mcp remove scratchpad/);
  });

  test.each(['', '[mcp_servers.other]\ncommand = "x"\n', '\uFEFFmodel = "x"\r\n', '# nothing'])(
    'is valid with our table, and as before without it: %j',
    async (toml) => {
      const { cwd, text } = await installed(toml);
      expect(parse(text.replace('\uFEFF', ''))).toMatchObject({ mcp_servers: { scratchpad: {} } });
      await runWarm(['uninstall', 'codex', '--yes'], { cwd });
      expect(readFileSync(join(cwd, '.codex/config.toml'), 'utf8')).toBe(toml);
    },
  );
});

test.each([
  '/home/me/.npm/_npx/0a1b2c/node_modules/scratchpad/bin/scratchpad.js',
  '/home/me/.cache/pnpm/dlx/x-1/node_modules/scratchpad/bin/scratchpad.js',
  '/tmp/bunx-1000-scratchpad@latest/node_modules/scratchpad/bin/scratchpad.js',
  '/tmp/xfs-1a2b/dlx-12/node_modules/scratchpad/bin/scratchpad.js',
  '/home/me/.yarn/berry/cache/scratchpad-npm-1.0.0-ab.zip/node_modules/scratchpad/bin/scratchpad.js',
  '/home/me/.bun/install/cache/scratchpad@1.0.0@@@1/bin/scratchpad.js',
  '/home/me/.cache/other/scratchpad.js',
  '/mnt/npm/other/scratchpad.js',
])('a program in a cache is not installed: %s', (path) => {
  const env = { HOME: '/home/me', npm_config_cache: '/mnt/npm' };
  expect(() => refuseCache(path, env)).toThrow('runs from a cache');
  expect(() => refuseCache('/usr/lib/node_modules/scratchpad/bin/scratchpad.js', env)).not.toThrow();
});

test.each([
  ['pnpm', 'scratchpad', 'global/5/.pnpm/scratchpad@1.0.0', true],
  ['volta', 'bin/scratchpad', 'tools/image/packages/scratchpad/lib', true],
  ['asdf', 'shims/scratchpad', 'installs/nodejs/20.20.2/lib', true],
  ['another copy', 'bin/scratchpad', '../elsewhere/lib', false],
])('a starter of %s on the PATH stands for the package below its folder', (_, starter, lib, is) => {
  const home = join(testDir({ [`home/${starter}`]: '#!/bin/sh\n', 'elsewhere/none': '' }), 'home');
  const script = join(home, lib, 'node_modules/scratchpad/bin/scratchpad.js');
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, '');
  chmodSync(join(home, starter), 0o755);
  const { command } = findProgram(script, { PATH: dirname(join(home, starter)) });
  expect(command).toBe(is ? 'scratchpad' : process.execPath);
});

describe('hooks in a host that has not the PATH of a shell', () => {
  const program = {
    command: 'scratchpad',
    args: [],
    fallback: ['/opt/my node/bin/node', '/opt/s/scratchpad.js'],
  };

  test('name this Node and this file beside the command, and are known as ours', () => {
    const command = renderHookLine(program, 'claude-code', 'Stop');
    expect(command).toContain("'/opt/my node/bin/node' /opt/s/scratchpad.js hook claude-code Stop");
    expect(makeHookCheck('claude-code')({ type: 'command', command })).toBe(true);
    expect(parseHookProgram({ command })).toEqual(program);
  });

  test('but not in a file that git tracks', async () => {
    const cwd = testRepository();
    mkdirSync(join(cwd, '.claude'));
    mkdirSync(join(cwd, 'bin'));
    symlinkSync(join(import.meta.dirname, '../../../bin/scratchpad.js'), join(cwd, 'bin/scratchpad'));
    const env = { HOME: testDir(), PATH: `${join(cwd, 'bin')}:${process.env.PATH ?? ''}` };
    const path = join(cwd, '.claude/settings.local.json');
    await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
    expect(readFileSync(path, 'utf8')).toContain('elif [ -f ');
    expect((await runWarm(['doctor'], { cwd, env })).stdout).not.toContain('as this version writes it');
    await runWarm(['uninstall', 'claude-code', '--yes'], { cwd, env });
    writeFileSync(path, '{}\n');
    git(cwd, 'add', '-f', '.claude/settings.local.json');
    await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
    expect(readFileSync(path, 'utf8')).toContain('scratchpad hook claude-code');
    expect(readFileSync(path, 'utf8')).not.toContain('elif');
  });
});

test('disableAllHooks is said by install and doctor', async () => {
  const cwd = testDir({ '.claude/settings.json': '{"disableAllHooks": true}' });
  const env = { HOME: testDir() };
  const done = await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
  expect(done.stdout).toMatch(/note: No hook runs: .*settings\.json has disableAllHooks/);
  expect((await runWarm(['doctor'], { cwd, env })).stdout).toMatch(/warn {2}claude-code: .*disableAllHooks/);
});

test.each([
  ['codex', '.codex/config.toml', '[features]\nhooks = false\n', 'features.hooks = false'],
  [
    'gemini-cli',
    '.gemini/settings.json',
    '{"hooksConfig": {"enabled": false}}',
    'hooksConfig.enabled = false',
  ],
  ['qwen-code', '.qwen/settings.json', '{"disableAllHooks": true}', 'disableAllHooks'],
  ['droid', '.factory/settings.json', '{"hooks": {"hooksDisabled": true}}', 'hooks.hooksDisabled'],
])('the switch of %s that turns hooks off is said by install and doctor', async (host, file, text, named) => {
  const cwd = testDir({ [file]: text });
  const env = { HOME: testDir() };
  const done = await runWarm(['install', host, '--yes'], { cwd, env });
  expect(done.stdout).toContain(`note: No hook runs: ${join(cwd, file)} has ${named}.`);
  expect((await runWarm(['doctor'], { cwd, env })).stdout).toContain(
    `${host}: ${join(cwd, file)} has ${named}: no hook runs`,
  );
});

test.each(['copilot', 'qwen-code', 'droid'])(
  '%s: installed once, found by doctor, taken out',
  async (host) => {
    const cwd = testRepository();
    const env = { HOME: testDir() };
    expect((await runWarm(['install', host, '--yes'], { cwd, env })).exitCode).toBe(0);
    expect(git(cwd, 'status', '--porcelain', '--untracked-files=all')).toBe('');
    expect((await runWarm(['install', host, '--yes'], { cwd, env })).stdout).toContain('already installed');
    const { stdout } = await runWarm(['doctor'], { cwd, env });
    expect(stdout).toMatch(new RegExp(`ok {4}${host}: hooks in`));
    expect(stdout).not.toContain('as this version writes it');
    await runWarm(['uninstall', host, '--yes'], { cwd, env });
    expect((await runWarm(['doctor'], { cwd, env })).stdout).not.toContain(`${host}: hooks in`);
  },
);

test.each(['\ufeff# Hi\n', '# Hi, without a mark\n'])(
  'an AGENTS.md in UTF-16 stays as it is: %j',
  async (text) => {
    const cwd = testDir({});
    const bytes = Buffer.from(text, 'utf16le');
    writeFileSync(join(cwd, 'AGENTS.md'), bytes);
    const { exitCode, stderr } = await runWarm(['install', 'agents-md', '--yes'], { cwd });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('iconv -f UTF-16 -t UTF-8 AGENTS.md');
    expect(readFileSync(join(cwd, 'AGENTS.md'))).toEqual(bytes);
  },
);
