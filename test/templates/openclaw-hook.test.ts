import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { minimalEnv, PROGRAM } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const HANDLER = join(import.meta.dirname, '../../templates/openclaw-hook/scratchpad/handler.js');

interface BootstrapEvent {
  context: { workspaceDir: string; bootstrapFiles: { name: string; content?: string }[] };
}

async function handlerOf(): Promise<(event: BootstrapEvent) => Promise<void>> {
  const bin = testDir();
  const program = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
  writeFileSync(join(bin, 'scratchpad'), program, { mode: 0o755 });
  const before = process.env;
  process.env = { ...minimalEnv(), PATH: `${bin}:${before.PATH ?? ''}` };
  onTestFinished(() => {
    process.env = before;
  });
  return ((await import(HANDLER)) as { default: (event: BootstrapEvent) => Promise<void> }).default;
}

test('the hook directory writes the state at each turn, and makes no pad where there is none', async () => {
  const handle = await handlerOf();
  const cwd = testDir();
  await handle({ context: { workspaceDir: cwd, bootstrapFiles: [] } });
  expect(readdirSync(cwd)).toEqual([]);
  await runWarm(['plan', 'set', '1. Fix the login'], { cwd });
  await handle({ context: { workspaceDir: cwd, bootstrapFiles: [] } });
  expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('<!-- scratchpad:state');
});

test('the hook directory puts the pad among the bootstrap files, in a new list, once', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Fix the login'], { cwd });
  const handle = await handlerOf();
  const given = [{ name: 'SOUL.md', content: 'x' }];
  const event: BootstrapEvent = { context: { workspaceDir: cwd, bootstrapFiles: given } };
  await handle(event);
  await handle(event);
  expect(given).toHaveLength(1);
  expect(event.context.bootstrapFiles).toEqual([
    { name: 'SOUL.md', content: 'x' },
    {
      name: 'SCRATCHPAD.md',
      path: join(cwd, 'SCRATCHPAD.md'),
      content: expect.stringContaining('1. Fix the login'),
      missing: false,
    },
  ]);
});
