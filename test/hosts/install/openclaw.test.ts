import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

/** As OpenClaw 2026.9.6 edits its own settings: JSON5 in, plain JSON without comments out. */
const OPENCLAW = `#!/bin/sh
exec node -e '
const { readFileSync, writeFileSync } = require("node:fs");
const [verb, place, value, ...flags] = process.argv.slice(2);
const path = process.env.HOME + "/.openclaw/openclaw.json";
const config = Function("return (" + readFileSync(path, "utf8") + "\\n)")();
const keys = place.split(".");
const last = keys.pop();
const at = keys.reduce((object, key) => (object[key] ??= {}), config);
if (verb !== "set" || !flags.includes("--strict-json")) process.exit(2);
at[last] = { ...(flags.includes("--merge") ? at[last] : {}), ...JSON.parse(value) };
config.meta = { lastTouchedVersion: "2026.9.6" };
if (flags.includes("--dry-run")) process.exit(Number(process.env.REFUSES ?? 0));
writeFileSync(path, JSON.stringify(config, null, 2) + "\\n");
' "$@"
`;

const JSON5 = [
  "// mine\n{\n  // agents\n  agents: { defaults: { workspace: '~/x', }, },\n}\n",
  "{\r\n  a: +0x1F, /* b */\r\n  'c': .5,\r\n}\r\n",
  "{ plugins: { entries: { other: { enabled: true } }, allow: ['scratchpad'] } }",
];

function person(config: string, more: Record<string, string> = {}) {
  const home = testDir({ '.openclaw/openclaw.json': config, 'bin/openclaw': OPENCLAW });
  chmodSync(join(home, 'bin/openclaw'), 0o755);
  const cwd = testDir();
  const path = join(home, '.openclaw/openclaw.json');
  const without = { HOME: home, ...more };
  const env = { ...without, PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}` };
  return {
    cwd,
    text: () => readFileSync(path, 'utf8'),
    write: (text: string) => writeFileSync(path, text),
    plugin: () => existsSync(join(home, '.openclaw/extensions/scratchpad/index.js')),
    run: (args: string[], has = true) => runWarm(args, { cwd, env: has ? env : without }),
  };
}

const GRANTED = { enabled: true, hooks: { allowConversationAccess: true } };

describe('openclaw.json in JSON5', () => {
  test.each(JSON5)(
    'is edited by OpenClaw itself, and uninstalling restores the bytes: %j',
    async (config) => {
      const { run, text, plugin } = person(config);
      const done = await run(['install', 'openclaw', '--yes']);
      expect([done.exitCode, done.stderr]).toEqual([0, '']);
      expect(JSON.parse(text())).toMatchObject({ plugins: { entries: { scratchpad: GRANTED } } });
      const after = text();
      expect((await run(['install', 'openclaw', '--yes'])).stdout).toContain('already installed');
      expect(text()).toBe(after);
      expect((await run(['uninstall', 'openclaw', '--yes'])).exitCode).toBe(0);
      expect([text(), plugin()]).toEqual([config, false]);
    },
  );

  test('what OpenClaw has changed since stays, and our entry goes', async () => {
    const { run, text, write } = person(JSON5[0] ?? '');
    await run(['install', 'openclaw', '--yes']);
    write(text().replace('2026.9.6', '2026.9.7'));
    await run(['uninstall', 'openclaw', '--yes']);
    expect(JSON.parse(text())).toEqual({
      agents: { defaults: { workspace: '~/x' } },
      meta: { lastTouchedVersion: '2026.9.7' },
    });
  });

  test.each([
    ['is not on the PATH', false, {}],
    ['refuses the change', true, { REFUSES: '1' }],
  ])('OpenClaw %s: the lines to add are printed, and nothing is changed', async (_, has, more) => {
    const { run, text, plugin, cwd } = person(JSON5[0] ?? '', more);
    const done = await run(['install', 'openclaw', '--yes'], has);
    expect(done.exitCode).toBe(3);
    expect(done.stderr).toContain('nothing was changed');
    expect(done.stderr).toContain(`plugins: { entries: { scratchpad: ${JSON.stringify(GRANTED)} } }`);
    expect([text(), plugin(), readdirSync(cwd)]).toEqual([JSON5[0], false, []]);
  });

  test('lines added by hand do, and are for the person to remove', async () => {
    const mine = `{ plugins: { entries: { scratchpad: ${JSON.stringify(GRANTED)} } }, }// mine\n`.replace(
      '"enabled"',
      'enabled',
    );
    const { run, text, write, plugin } = person(mine);
    expect((await run(['install', 'openclaw', '--yes'], false)).exitCode).toBe(0);
    expect([text(), plugin()]).toEqual([mine, true]);
    expect((await run(['doctor'], false)).stdout).toMatch(
      /warn {2}openclaw: .*JSON5.*\n {8}next: openclaw config get/,
    );
    const refused = await run(['uninstall', 'openclaw', '--yes'], false);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('remove by hand')]);
    write('{ plugins: {}, }// mine\n');
    expect((await run(['uninstall', 'openclaw', '--yes'], false)).exitCode).toBe(0);
    expect([text(), plugin()]).toEqual(['{ plugins: {}, }// mine\n', false]);
  });
});
