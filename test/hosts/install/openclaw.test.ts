import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const JSON5 = [
  "// mine\n{\n  // agents\n  agents: { defaults: { workspace: '~/x', }, },\n}\n",
  "{\r\n  a: +0x1F, /* b */\r\n  'c': .5,\r\n}\r\n",
  "{ plugins: { entries: { other: { enabled: true } }, allow: ['scratchpad'] } }",
];

function person(config: string) {
  const home = testDir({ '.openclaw/openclaw.json': config });
  const cwd = testDir();
  const path = join(home, '.openclaw/openclaw.json');
  const env = { HOME: home };
  return {
    cwd,
    text: () => readFileSync(path, 'utf8'),
    write: (text: string) => writeFileSync(path, text),
    plugin: () => existsSync(join(home, '.openclaw/extensions/scratchpad/index.js')),
    run: (args: string[]) => runWarm(args, { cwd, env }),
  };
}

const GRANTED = { enabled: true, hooks: { allowConversationAccess: true } };

describe('openclaw.json in JSON5', () => {
  test.each(JSON5)(
    'is for OpenClaw to edit: the command is printed, nothing is changed: %j',
    async (config) => {
      const { run, text, plugin, cwd } = person(config);
      const done = await run(['install', 'openclaw', '--yes']);
      expect(done.exitCode).toBe(3);
      expect(done.stderr).toContain('nothing was changed');
      expect(done.stderr).toContain(
        `openclaw config set plugins.entries.scratchpad '${JSON.stringify(GRANTED)}' --strict-json --merge`,
      );
      expect([text(), plugin(), readdirSync(cwd)]).toEqual([config, false, []]);
    },
  );

  test('lines added by hand do, and are for the person to remove', async () => {
    const mine = `{ plugins: { entries: { scratchpad: ${JSON.stringify(GRANTED)} } }, }// mine\n`.replace(
      '"enabled"',
      'enabled',
    );
    const { run, text, write, plugin } = person(mine);
    expect((await run(['install', 'openclaw', '--yes'])).exitCode).toBe(0);
    expect([text(), plugin()]).toEqual([mine, true]);
    const refused = await run(['uninstall', 'openclaw', '--yes']);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('remove by hand')]);
    write('{ plugins: {}, }// mine\n');
    expect((await run(['uninstall', 'openclaw', '--yes'])).exitCode).toBe(0);
    expect([text(), plugin()]).toEqual(['{ plugins: {}, }// mine\n', false]);
  });
});

describe('what keeps OpenClaw from loading the plugin', () => {
  test.each([
    ['plugins.allow = a list without scratchpad', { allow: ['telegram'] }],
    ['plugins.deny = a list with scratchpad', { deny: ['scratchpad'] }],
    ['plugins.enabled = false', { enabled: false }],
  ])('is named by install, again by install, and by doctor: %s', async (found, plugins) => {
    const { run } = person(JSON.stringify({ plugins }));
    expect((await run(['install', 'openclaw', '--yes'])).stdout).toContain(found);
    expect((await run(['install', 'openclaw', '--yes'])).stdout).toContain(found);
    expect((await run(['doctor'])).stdout).toContain(found);
  });

  test('is not a list that has it, and is a plugin that the person has turned off', async () => {
    const { run, text, write } = person(JSON.stringify({ plugins: { allow: ['scratchpad'], deny: ['x'] } }));
    expect((await run(['install', 'openclaw', '--yes'])).stdout).not.toContain('No hook runs');
    expect((await run(['doctor'])).stdout).not.toContain('no hook runs');
    write(text().replace('"enabled": true', '"enabled": false'));
    expect((await run(['doctor'])).stdout).toContain('plugins.entries.scratchpad.enabled = false');
  });
});

test("the workspace of a second agent gets its own pad, where OpenClaw's part is there already", async () => {
  const { run } = person('{}');
  await run(['install', 'openclaw', '--yes']);
  const second = testDir({ 'SOUL.md': 'second\n' });
  const { stdout } = await run(['-C', second, 'install', 'openclaw', '--yes']);
  expect(stdout).toContain(`created: ${join(second, 'SCRATCHPAD.md')}`);
  expect(existsSync(join(second, 'SCRATCHPAD.md'))).toBe(true);
  expect((await run(['-C', second, 'install', 'openclaw', '--yes'])).stdout).not.toContain('created');
});
