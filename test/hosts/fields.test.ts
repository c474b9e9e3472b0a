import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { HOOK_HOSTS, listHostNames } from '../../src/hosts/host-rows.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/* Hosts change what they send: in each of them the scratchpad then says less, and never disturbs; `doctor` names it. */

const ROOT = join(import.meta.dirname, '../..');
const HUGE = 2_000_000;

async function makePad(): Promise<string> {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
  return cwd;
}

/** All that a host may send, by the names of both kinds. */
const makeInput = (cwd: string): Record<string, unknown> => ({
  session_id: 's1',
  transcript_path: join(cwd, 'none.jsonl'),
  cwd,
  prompt: 'find the leak',
  source: 'startup',
  trigger: 'auto',
  model: 'a-model',
  tool_name: 'Bash',
  tool_input: { command: 'make' },
  tool_response: { stdout: 'ok', stderr: '' },
  tool_use_id: 't1',
  permission_mode: 'default',
});

/** Inputs of another version of a host, with what `doctor` names of each. */
function listInputs(cwd: string): [what: string, input: string, fault: RegExp | undefined][] {
  const usual = makeInput(cwd);
  const without = (name: string): string => JSON.stringify({ ...usual, [name]: undefined });
  const other = (name: string, value: unknown): string => JSON.stringify({ ...usual, [name]: value });
  const strange = [7, null, [], { a: 1 }, true];
  return [
    ['nothing', '', /sent no JSON object/],
    ['no JSON', 'an error of the host\n', /sent no JSON object/],
    ['half of it', JSON.stringify(usual).slice(0, 90), /sent no JSON object/],
    ['a list', '[1, 2]', /sent no JSON object/],
    ['null', 'null', /sent no JSON object/],
    ['an empty object', '{}', /sent no session_id/],
    ['unknown fields', other('a_field_of_2028', { deep: [{ very: 'deep' }] }), undefined],
    ['a huge field', other('unknown', 'x'.repeat(HUGE)), undefined],
    ['a huge prompt', other('prompt', 'go on '.repeat(HUGE / 6)), undefined],
    ['a huge result', other('tool_response', { stdout: 'line\n'.repeat(HUGE / 5) }), undefined],
    ['a deep one', other('tool_response', JSON.parse(`${'['.repeat(900)}${']'.repeat(900)}`)), undefined],
    ...Object.keys(usual).map(
      (name) =>
        [`no ${name}`, without(name), name === 'session_id' ? /sent no session_id/ : undefined] as [
          string,
          string,
          RegExp | undefined,
        ],
    ),
    ...Object.keys(usual).flatMap((name) =>
      strange.map(
        (value) =>
          [`${name}: ${JSON.stringify(value)}`, other(name, value), undefined] as [string, string, undefined],
      ),
    ),
    ['session_id: 7', other('session_id', 7), /sent no text as session_id/],
    ['cwd: {}', other('cwd', {}), /sent no text as cwd/],
  ];
}

/** Fields that an answer may have in one of the hosts. */
const ANSWERS = new Set([
  ...['hookSpecificOutput', 'additionalContext', 'decision', 'reason', 'modifiedResult'],
  ...['context', 'standing', 'hold', 'summaryRequest', 'output'],
]);

const ALIASES = new Set(['claude', 'gemini']);
const rows = [...HOOK_HOSTS].filter(([name]) => !ALIASES.has(name));

test.each(rows)('%s: whatever it sends, its events get a valid answer, silently', async (name, host) => {
  const cwd = await makePad();
  const inputs = listInputs(cwd);
  const events = [...Object.keys(host.events), 'AnEventOf2028', undefined];
  // The whole table would take minutes: each event gets a part of it, and all of it with RUNS set.
  for (const [k, event] of events.entries())
    for (const [n, [what, input]] of inputs.entries()) {
      if (process.env.RUNS === undefined && (n + k) % 29 !== 0) continue;
      const ran = await runWarm(['hook', name, ...(event === undefined ? [] : [event])], { cwd, input });
      expect([event, what, ran.exitCode, ran.stderr]).toEqual([event, what, 0, '']);
      // Claude Code takes a plain text before a compaction.
      if (ran.stdout === '' || host.events[event ?? '']?.kind === 'before-compaction') continue;
      const answer = JSON.parse(ran.stdout) as object;
      expect([event, what, Object.keys(answer).filter((field) => !ANSWERS.has(field))]).toEqual([
        event,
        what,
        [],
      ]);
    }
});

test.each(rows)('%s: doctor names what was wrong', async (name, host) => {
  const [event = ''] = Object.entries(host.events).find(([, { kind }]) => kind === 'prompt') ?? [];
  const cwd = await makePad();
  for (const [what, input, fault] of listInputs(cwd)) {
    if (fault === undefined) continue;
    await runWarm(['hook', name, event], { cwd, input });
    const { stdout } = await runWarm(['status', '--json'], { cwd });
    expect([what, stdout]).toEqual([what, expect.stringMatching(fault)]);
  }
  await runWarm(['hook', name, 'AnEventOf2028'], { cwd, input: JSON.stringify(makeInput(cwd)) });
  await runWarm(['install', 'claude-code', '--yes'], { cwd });
  const { stdout } = await runWarm(['doctor'], { cwd });
  expect(stdout).toContain(`no event of ${host.name} is called AnEventOf2028`);
});

/** What the plugin of OpenClaw shares between its loads. */
const SHARED = Symbol.for('scratchpad');

type Handler = (...args: unknown[]) => unknown;

/** The handlers of each plugin, as its host loads it. */
const PLUGINS: Readonly<Record<string, (cwd: string) => Promise<Map<string, Handler>>>> = {
  opencode: async (cwd) => loadOpenCode(cwd, 'opencode'),
  kilo: async (cwd) => loadOpenCode(cwd, 'kilo'),
  async pi(cwd) {
    const handlers = new Map<string, Handler>();
    const { default: extension } = await loadInstalled<{ default(pi: object): void }>(
      cwd,
      'pi',
      '.pi/extensions/scratchpad.js',
    );
    extension({
      on: (name: string, handler: Handler) => handlers.set(name, handler),
      registerTool: ({ name, execute }: { name: string; execute: Handler }) =>
        handlers.set(`tool ${name}`, execute),
    });
    return handlers;
  },
  async openclaw() {
    const before: unknown = Reflect.get(globalThis, SHARED);
    Reflect.deleteProperty(globalThis, SHARED);
    onTestFinished(() => void Reflect.set(globalThis, SHARED, before));
    const dir = testDir({
      'package.json': '{"type": "module"}',
      'node_modules/openclaw/package.json':
        '{"type": "module", "exports": {"./plugin-sdk/plugin-entry": "./entry.js"}}',
      'node_modules/openclaw/entry.js': 'export const definePluginEntry = (entry) => entry;\n',
    });
    const text = readFileSync(join(ROOT, 'templates/openclaw-plugin/index.js'), 'utf8');
    writeFileSync(join(dir, 'index.js'), text.replace("PACKAGE = ''", `PACKAGE = ${JSON.stringify(ROOT)}`));
    const handlers = new Map<string, Handler>();
    const { default: entry } = (await import(pathToFileURL(join(dir, 'index.js')).href)) as {
      default: { register(api: object): void };
    };
    entry.register({
      on: (name: string, handler: Handler) => handlers.set(name, handler),
      registerAgentToolResultMiddleware: (handler: Handler) => handlers.set('middleware', handler),
    });
    return handlers;
  },
};

async function loadOpenCode(cwd: string, host: string): Promise<Map<string, Handler>> {
  const { Scratchpad } = await loadInstalled<{
    Scratchpad(context: object): Promise<Record<string, Handler>>;
  }>(cwd, host, `.${host}/plugins/scratchpad.js`);
  return new Map(Object.entries(await Scratchpad({ directory: cwd })));
}

async function loadInstalled<Module>(cwd: string, host: string, file: string): Promise<Module> {
  await runWarm(['install', host, '--yes'], { cwd });
  const copy = join(testDir({ 'package.json': '{"type": "module"}' }), 'scratchpad.mjs');
  writeFileSync(copy, readFileSync(join(cwd, file)));
  return (await import(pathToFileURL(copy).href)) as Module;
}

const STRANGE: readonly unknown[] = [undefined, null, 7, 'text', [], {}, { deep: { of: 2028 } }];

test.each(Object.keys(PLUGINS))(
  '%s: its plugin bears whatever the host hands it, and doctor names it',
  async (name) => {
    const cwd = await makePad();
    const handlers = await PLUGINS[name]?.(cwd);
    expect(handlers?.size).toBeGreaterThan(5);
    const session = { sessionManager: { getSessionId: () => 's1', getSessionFile: () => 7 }, cwd };
    const contexts =
      name === 'openclaw' ? [{ workspaceDir: cwd }, { workspaceDir: cwd, sessionKey: 7 }] : [session];
    for (const [event, handler] of handlers ?? [])
      for (const [k, first] of STRANGE.entries())
        for (const context of [...contexts, STRANGE[(k + 3) % STRANGE.length]]) {
          // A tool of ours gets the call's id first.
          const args = event.startsWith('tool ')
            ? ['id', first, undefined, undefined, session]
            : [first, context];
          await expect(
            Promise.resolve(handler(...args)),
            `${event} ${JSON.stringify(args)}`,
          ).resolves.not.toThrow();
        }
    await runWarm(['install', 'claude-code', '--yes'], { cwd });
    const { stdout } = await runWarm(['doctor'], { cwd });
    expect(stdout).toMatch(new RegExp(`${name} \\S+, .* ago: .*(?:not as expected|the host sent)`));
  },
);

test('the help of hook names the known hosts', async () => {
  const { stdout } = await runWarm(['hook', '--help'], { cwd: testDir() });
  for (const host of listHostNames().split(', ')) expect(stdout).toContain(host);
});
