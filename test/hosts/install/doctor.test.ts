import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testRepository } from '../../helpers/git.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const MESSAGES = JSON.stringify([
  { role: 'user', content: 'the pool leaks', timestamp: '2026-02-06T00:59:00Z', session: 's', id: 'a' },
]);

async function doctor(cwd: string, env: Record<string, string> = {}, args: string[] = []) {
  const { stdout, exitCode } = await runWarm(['doctor', ...args], { cwd, env });
  return { stdout, exitCode };
}

test('a path that is gone', async () => {
  const cwd = testDir();
  const env = { HOME: testDir() };
  await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
  const first = await doctor(cwd, env);
  expect(first.exitCode).toBe(0);
  expect(first.stdout).toContain('no hook has run in this workspace yet');
  const path = join(cwd, '.claude/settings.local.json');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/[^" ]*scratchpad\.js/g, '/nowhere/scratchpad.js'));
  const second = await doctor(cwd, env);
  expect(second.exitCode).toBe(1);
  expect(second.stdout).toContain('/nowhere/scratchpad.js, which does not exist');
});

test.each([
  ['without a sign', {}, 'claude-code'],
  ['with a sign, as init', { 'HEARTBEAT.md': '' }, 'openclaw'],
])('without a host it says so: %s', async (_, files, host) => {
  const cwd = testDir(files);
  await runWarm(['init'], { cwd });
  const done = await doctor(cwd, { HOME: testDir() });
  expect(done.exitCode).toBe(0);
  expect(done.stdout).toMatch(/warn {2}hosts: no host is connected.*\n {8}next: scratchpad install \S+/);
  expect(done.stdout).toContain(`next: scratchpad install ${host} `);
});

test('without a workspace it says so', async () => {
  const cwd = testDir();
  mkdirSync(join(cwd, 'empty'));
  const done = await doctor(join(cwd, 'empty'), {}, ['--json']);
  expect(done.exitCode).toBe(1);
  const { findings } = JSON.parse(done.stdout) as { findings: { level: string; about: string }[] };
  expect(findings).toContainEqual(expect.objectContaining({ level: 'fail', about: 'workspace' }));
});

test('a state that is stale', async () => {
  const cwd = testDir();
  await runWarm(['assemble', '--messages', '-', '--now', '2026-02-06T01:00:00Z'], { cwd, input: MESSAGES });
  expect((await doctor(cwd, {}, ['--now', '2026-02-06T01:10:00Z'])).stdout).toContain(
    'ok    state: fresh, 10',
  );
  const late = await doctor(cwd, {}, ['--now', '2026-02-06T05:00:00Z']);
  expect(late.stdout).toMatch(/warn {2}state: stale, .* old\n {8}next: scratchpad assemble/);
  expect(late.stdout).toMatch(/\nDo this next: scratchpad install claude-code.*; then 1 more finding\n$/);
});

test('the last line is all well, or what to do next: with hooks a stale state is renewed by itself', async () => {
  const cwd = testDir({ 'bin/': '' });
  symlinkSync(join(import.meta.dirname, '../../../bin/scratchpad.js'), join(cwd, 'bin/scratchpad'));
  const env = { HOME: testDir(), PATH: `${join(cwd, 'bin')}:${process.env.PATH ?? ''}` };
  await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
  expect((await doctor(cwd, env)).stdout).toMatch(/\nDo this next: start the host in this directory.*\n$/);
  const input = JSON.stringify({ session_id: 's', cwd, source: 'startup' });
  const now = ['--now', '2026-02-06T01:00:00Z'];
  await runWarm(['hook', 'claude-code', 'SessionStart', ...now], { cwd, env, input });
  await runWarm(['assemble', '--messages', '-', ...now], { cwd, env, input: MESSAGES });
  const { stdout } = await doctor(cwd, env, ['--now', '2026-02-06T05:00:00Z']);
  expect(stdout).toMatch(/ok {4}state: stale, .* old; the next prompt renews it\n/);
  expect(stdout).not.toMatch(/^(?:warn|FAIL)/m);
  expect(stdout).toMatch(/\n\nAll well\.\n$/);
});

test('hooks of two scopes, a server that is missing, a permission that is missing', async () => {
  const cwd = testDir({ 'bin/': '' });
  const env = { HOME: testDir() };
  await runWarm(['install', 'claude-code', '--yes'], { cwd, env });
  expect((await doctor(cwd, env)).stdout).not.toMatch(
    /twice|nothing of scratchpad|as this version writes it/,
  );
  const text = readFileSync(join(cwd, '.claude/settings.local.json'), 'utf8');
  writeFileSync(join(cwd, '.claude/settings.json'), text.replace('mcp__scratchpad__*', 'other'));
  writeFileSync(join(env.HOME, '.claude.json'), '{}');
  const { stdout, exitCode } = await doctor(cwd, env);
  expect(exitCode).toBe(1);
  for (const found of [
    'hooks run twice',
    '.claude.json has nothing of scratchpad',
    '.claude/settings.json is not as this version writes it',
  ])
    expect(stdout).toContain(found);
});

test('a mood in a pad that git tracks', async () => {
  const cwd = testRepository({ 'SCRATCHPAD.md': '# Pad\n' });
  await runWarm(['assemble', '--messages', '-', '--now', '2026-02-06T01:00:00Z'], { cwd, input: MESSAGES });
  const pad = join(cwd, 'SCRATCHPAD.md');
  writeFileSync(pad, `${readFileSync(pad, 'utf8')}\n## Emotional Context\n- **Primary:** calm (0.9)\n`);
  expect((await doctor(cwd)).stdout).toContain('SCRATCHPAD.md is tracked and contains a mood');
});

test('hooks of an earlier version, and how to have them written anew', async () => {
  const cwd = testDir();
  const env = { HOME: testDir() };
  for (const host of ['claude-code', 'codex', 'gemini-cli'])
    await runWarm(['install', host, '--yes'], { cwd, env });
  expect((await doctor(cwd, env)).stdout).not.toContain('as this version writes it');
  for (const [host, name] of [
    ['claude-code', '.claude/settings.local.json'],
    ['codex', '.codex/hooks.json'],
    ['gemini-cli', '.gemini/settings.json'],
  ] as const) {
    const path = join(cwd, name);
    // Before they named our tools to the agent.
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(' --tools', ''));
    const found = new RegExp(
      `${name} is not as this version.*\\n {8}next: scratchpad install ${host}, again`,
    );
    expect((await doctor(cwd, env)).stdout).toMatch(found);
    await runWarm(['install', host, '--yes'], { cwd, env });
    expect((await doctor(cwd, env)).stdout).not.toMatch(found);
  }
});

test('hooks that run and say nothing: turned off', async () => {
  const cwd = testDir();
  await runWarm(['install', 'claude-code', '--yes'], { cwd });
  await runWarm(['config', 'set', 'scratchpad.enabled', 'off'], { cwd });
  expect((await doctor(cwd)).stdout).toMatch(
    /warn {2}config: scratchpad\.enabled is off.*\n {8}next: .*enabled on/,
  );
});

test('a pad that cannot be read: why', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md/inside': '', '.scratchpad/.gitignore': '*\n' });
  const done = await doctor(cwd);
  expect([done.exitCode, done.stdout]).toEqual([
    1,
    expect.stringMatching(/FAIL {2}pad: cannot read SCRATCHPAD\.md; .*EISDIR/),
  ]);
});

test.each([
  ['another program', { command: 'node', args: ['tools/server.mjs'] }, true],
  ['a program of the project with our name', { command: './bin/scratchpad', args: ['mcp'] }, true],
  ['this program', { command: 'scratchpad', args: ['mcp'] }, false],
])('a server of our name in the project, which runs %s', async (_, scratchpad, isNamed) => {
  const cwd = testDir({ '.mcp.json': JSON.stringify({ mcpServers: { scratchpad } }) });
  const env = { HOME: testDir() };
  await runWarm(['install', 'claude-code', '--scope', 'user', '--yes'], { cwd, env });

  const { stdout } = await doctor(cwd, env);
  expect(/\.mcp\.json has an MCP server called scratchpad/.test(stdout)).toBe(isNamed);
});

test("says whether the plugin's mod or its hooks answer, and why", async () => {
  const cwd = testDir({ 'bin/claude': '#!/bin/sh\necho "$CLAUDE_VERSION (Claude Code)"\n' });
  chmodSync(join(cwd, 'bin/claude'), 0o755);
  const home = testDir({ '.claude/settings.json': '{"enabledPlugins": {"scratchpad@scratchpad": true}}' });
  const env = {
    HOME: home,
    PATH: `${join(cwd, 'bin')}:${process.env.PATH ?? ''}`,
    CLAUDE_VERSION: '2.1.332',
  };
  await runWarm(['init'], { cwd, env });
  const prompt = (host: string, event: string) =>
    runWarm(['hook', host, event], {
      cwd,
      env,
      input: JSON.stringify({ session_id: 's', cwd, prompt: 'go on' }),
    });

  expect((await doctor(cwd, env)).stdout).toContain('no prompt yet');
  await prompt('claude-code', 'UserPromptSubmit');
  expect((await doctor(cwd, env)).stdout).toMatch(/warn {2}claude-code: hooks answered the last prompt, not/);
  expect((await doctor(cwd, { ...env, CLAUDE_VERSION: '2.1.286' })).stdout).toContain(
    'hooks answer, without a pane: mods need 2.1.287, this is 2.1.286',
  );
  await prompt('claude-code-mod', 'prompt');
  expect((await doctor(cwd, env)).stdout).toContain("the plugin's mod answers prompts and compactions");
});
