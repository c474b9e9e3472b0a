import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOOK_HOSTS } from '../../src/hosts/host-rows.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { canMount, fillDisk, smallDisk } from '../helpers/small-disk.ts';
import { testDir, vouchFor } from '../helpers/test-dir.ts';

const PAD = '# Pad\n\n## Plan\n<!-- scratchpad:plan -->\n1. Find the leak\n<!-- /scratchpad:plan -->\n';
const TOOLS: Record<string, string> = { 'gemini-cli': 'run_shell_command', openclaw: 'exec' };
/** Gemini CLI and our plugins take an object; the others take nothing. */
const SILENCE = Object.fromEntries(
  [...HOOK_HOSTS.keys()].map((host) => [
    host,
    /^(?:claude|codex|copilot|qwen|droid)/.test(host) ? '' : '{}\n',
  ]),
);
/** Hosts that our plugin asks from inside: `AgentAnswer`. */
const INSIDE = new Set(['openclaw', 'opencode', 'kilo', 'pi']);
const LONG = 'a line of output\n'.repeat(4000);

/** Every event of every host, and one that no host has. */
const EVENTS = [...HOOK_HOSTS.values()]
  .filter((host, k, all) => all.indexOf(host) === k)
  .flatMap(({ name, events }) => [...Object.keys(events), 'Unheard'].map((event) => ({ host: name, event })));

interface Scene {
  cwd: string;
  /** What the host writes to stdin. */
  stdin?: (input: object) => string;
  /** What `status` must say of a host's prompt afterwards. */
  says?: RegExp;
  /** Whether the plan is still before the model at a prompt. */
  plan: boolean;
}

function workspace(extra: Record<string, string> = {}): string {
  return testDir({ 'SCRATCHPAD.md': PAD, '.scratchpad/.gitignore': '*\n', ...extra });
}

function withTranscript(make: (path: string) => string | undefined, says: RegExp): Scene {
  const cwd = workspace();
  const given = join(cwd, 't.jsonl');
  const path = make(given) ?? given;
  return { cwd, stdin: (input) => JSON.stringify({ ...input, transcript_path: path }), says, plan: true };
}

/** A lock that a living process holds. */
function locked(path: string, says?: RegExp): Scene {
  const cwd = workspace({ '.scratchpad/config.yaml': 'state:\n  write: prompt\n' });
  const lock = join(cwd, '.scratchpad/sessions/main', path);
  mkdirSync(join(lock, '..'), { recursive: true });
  writeFileSync(lock, JSON.stringify({ pid: process.pid, start: '', host: hostname(), nonce: 'held-1' }));
  return { cwd, plan: true, ...(says ? { says } : {}) };
}

/** Reading it takes seconds: it is tried with the events of one host, and with RUNS of all. */
const SLOW = 'a transcript of 1 GB of nothing';

const SCENES: Record<string, () => Scene> = {
  'a pad that is a directory': () => ({
    cwd: testDir({ 'SCRATCHPAD.md/inside': '', '.scratchpad/.gitignore': '*\n' }),
    says: /SCRATCHPAD\.md/,
    plan: false,
  }),
  'a pad of bytes': () => ({
    cwd: testDir({
      'SCRATCHPAD.md': '\u0000\u0001<!-- scratchpad:plan -->\u0000',
      '.scratchpad/.gitignore': '*\n',
    }),
    plan: false,
  }),
  'a .scratchpad that is a file': () => ({
    cwd: testDir({ 'SCRATCHPAD.md': PAD, '.scratchpad': '' }),
    plan: false,
  }),
  'a journal of garbage': () => ({
    cwd: workspace({ '.scratchpad/sessions/main/journal.jsonl': '\u0000garbage\n{"a":' }),
    plan: true,
  }),
  'a broken configuration': () => ({
    cwd: workspace({ '.scratchpad/config.yaml': 'hook: [\n : x' }),
    plan: true,
  }),
  'a held lock of the pad': () => locked('lock', /another process has held the scratchpad/),
  'a held lock of the entries': () => locked('entries/lock'),
  'nothing on stdin': () => ({ cwd: workspace(), stdin: () => '', says: /no JSON object/, plan: true }),
  'garbage on stdin': () => ({
    cwd: workspace(),
    stdin: () => '\u0000\u001b[31m}{',
    says: /no JSON object/,
    plan: true,
  }),
  'half of a JSON': () => ({
    cwd: workspace(),
    stdin: (input) => JSON.stringify(input).slice(0, -9),
    says: /no JSON object/,
    plan: true,
  }),
  'fields of other types': () => ({
    cwd: workspace(),
    stdin: () => '{"session_id":[],"cwd":5,"prompt":{},"transcript_path":true,"tool_name":null,"source":1}',
    plan: true,
  }),
  'a transcript that is a directory': () => withTranscript((path) => join(path, '..'), /transcript: /),
  'a transcript that nobody writes to': () =>
    withTranscript((path) => {
      execFileSync('mkfifo', [path]);
      return undefined;
    }, /transcript: /),
  'a transcript without an end': () => withTranscript(() => '/dev/zero', /transcript: /),
  [SLOW]: () =>
    withTranscript((path) => {
      writeFileSync(path, '');
      truncateSync(path, 1024 ** 3);
      return undefined;
    }, /transcript/),
  'a working directory that has gone': () => ({
    cwd: workspace(),
    stdin: (input) => JSON.stringify({ ...input, cwd: '/nowhere/at/all' }),
    plan: true,
  }),
};

/**
 * That the process ends, and well, is tested with a prompt of the hosts in turn. What they share is run in this process,
 * which takes a fraction of the time.
 */
function inAProcess(host: string, nth: number): boolean {
  const hosts = [...new Set(EVENTS.map((event) => event.host))];
  return host === hosts[nth % hosts.length];
}

const isPromptOf = (host: string, event: string): boolean =>
  HOOK_HOSTS.get(host)?.events[event]?.kind === 'prompt';

/** Prompts, and every third of the other events; with RUNS all. */
const eventsOf = (nth: number, isSlow = false) =>
  EVENTS.filter(
    ({ host, event }, k) =>
      process.env.RUNS !== undefined ||
      ((isPromptOf(host, event) || (k + nth) % 3 === 0) && (!isSlow || inAProcess(host, nth))),
  );

describe.each(Object.entries(SCENES).map(([name, scene], nth) => ({ name, scene, nth })))(
  '$name',
  ({ name, scene, nth }) => {
    test.each(eventsOf(nth, name === SLOW))('$host $event', async ({ host, event }) => {
      const { cwd, stdin = JSON.stringify, says, plan } = scene();
      const input = stdin(inputOf(host, cwd, event));
      const isPrompt = isPromptOf(host, event);
      const run = isPrompt && inAProcess(host, nth) ? runCli : runWarm;
      const done = await run(['hook', host, event], { cwd, input });
      expect([done.exitCode, done.stderr]).toEqual([0, '']);
      mustBeValid(host, event, done.stdout);
      if (event === 'Unheard') expect(done.stdout).toBe(SILENCE[host]);
      if (!isPrompt) return;
      expect(done.stdout.includes('1. Find the leak')).toBe(plan);
      if (!says) return;
      const status = await runWarm(['status'], { cwd });
      expect(status.stdout).toMatch(new RegExp(`^last event: .*${host} ${event}.*${says.source}`, 'm'));
    });
  },
);

test.each(EVENTS)('no workspace: $host $event is silent and makes none', async ({ host, event }) => {
  const cwd = testDir({ 'x.txt': '' });
  const done = await runWarm(['hook', host, event], {
    cwd,
    input: JSON.stringify(inputOf(host, cwd, event)),
  });
  expect(done).toEqual({ exitCode: 0, stderr: '', stdout: SILENCE[host] });
  expect(readdirSync(cwd)).toEqual(['x.txt']);
});

describe.runIf(canMount)('a real full disk', () => {
  test.each(eventsOf(0))('$host $event', async ({ host, event }) => {
    const cwd = smallDisk('256k');
    writeFileSync(join(cwd, 'SCRATCHPAD.md'), PAD);
    vouchFor(cwd);
    const input = inputOf(host, cwd, event);
    const other = { ...input, session_id: 'before', tool_name: 'none' };
    await runWarm(['hook', host, event], { cwd, input: JSON.stringify(other) });
    fillDisk(cwd);
    const isPrompt = isPromptOf(host, event);
    const run = isPrompt && host === 'claude-code' ? runCli : runWarm;
    const done = await run(['hook', host, event, '--now', '2026-02-06T03:00:00Z'], {
      cwd,
      input: JSON.stringify(input),
    });
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    mustBeValid(host, event, done.stdout);
    if (!isPrompt) return;
    expect(done.stdout).toContain('1. Find the leak');
    expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('1. Find the leak');
  });
});

function inputOf(host: string, cwd: string, event: string): object {
  const kind = HOOK_HOSTS.get(host)?.events[event]?.kind;
  return {
    session_id: 's1',
    cwd,
    prompt: 'the upload test is flaky again',
    ...(kind === 'start' ? { source: 'startup' } : {}),
    ...(kind === 'before-compaction' ? { trigger: 'auto' } : {}),
    ...(kind === 'subagent' ? { agent_id: 'a1' } : {}),
    last_assistant_message: '1. Read\n2. Fix\n3. Test',
    tool_name: TOOLS[host] ?? 'Bash',
    tool_input: { command: 'make' },
    tool_response: host === 'claude-code' ? { stdout: LONG, stderr: '', isImage: false } : LONG,
    error: LONG,
  };
}

/** What each host's contract allows on stdout; Codex takes an unknown field for an error. */
function mustBeValid(host: string, event: string, stdout: string): void {
  if (stdout === '') {
    expect(SILENCE[host]).toBe('');
    return;
  }
  // Text there is part of the request for the summary.
  if (host === 'claude-code' && event === 'PreCompact' && !stdout.startsWith('{')) return;
  const answer = JSON.parse(stdout) as Record<string, unknown>;
  const { hookSpecificOutput: specific = { hookEventName: event } } = answer as {
    hookSpecificOutput?: Record<string, unknown>;
  };
  const printed =
    host === 'copilot'
      ? ['hookSpecificOutput', 'additionalContext', 'modifiedResult']
      : ['hookSpecificOutput', 'decision', 'reason'];
  const allowed = INSIDE.has(host) ? ['context', 'output', 'standing', 'summaryRequest'] : printed;
  expect(allowed).toEqual(expect.arrayContaining(Object.keys(answer)));
  const inside = [
    'hookEventName',
    'additionalContext',
    ...(host === 'claude-code' ? ['updatedToolOutput'] : []),
  ];
  expect(inside).toEqual(expect.arrayContaining(Object.keys(specific)));
  expect(specific.hookEventName).toBe(event);
}
