import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliResult, runCli } from '../../helpers/run-cli.ts';
import { testDir } from '../../helpers/test-dir.ts';

const NOW = ['--now', '2026-02-06T03:00:00Z'];
const TALK = JSON.stringify([{ role: 'user', content: 'why is the upload test still flaky?' }]);

interface Place {
  home: string;
  code: string;
  run(args: readonly string[], env?: Record<string, string>): Promise<CliResult>;
}

function place(): Place {
  const dir = testDir();
  const home = join(dir, 'home');
  const workspace = join(dir, 'workspace');
  mkdirSync(home);
  mkdirSync(workspace);
  const run: Place['run'] = (args, env = {}) =>
    runCli([...args, '-w', workspace, ...NOW], {
      cwd: workspace,
      input: TALK,
      env: { HOME: home, XDG_CACHE_HOME: '', ...env },
    });
  return { home, code: join(home, '.cache/scratchpad/code'), run };
}

function contents(code: string): Map<string, string> {
  return new Map(
    readdirSync(code).map((name) => [name, readFileSync(join(code, name)).toString('base64')] as const),
  );
}

test('a run keeps its compiled code for the next of its kind, for this user alone', async () => {
  const { code, run } = place();
  const assemble = ['assemble', '--dry-run', '-m', '-'];
  const first = await run(assemble);
  const kept = contents(code);
  expect([...kept.keys()].some((name) => /^commands\.assemble-[0-9a-z]{8,11}$/.test(name))).toBe(true);
  expect(statSync(code).mode & 0o777).toBe(0o700);
  for (const name of kept.keys()) expect(statSync(join(code, name)).mode & 0o777).toBe(0o600);

  const second = await run(assemble);
  expect(second).toEqual(first);
  expect(contents(code)).toEqual(kept);
});

test('another kind of run adds what it needs, and both leave it at that', async () => {
  const { code, run } = place();
  await run(['notes', 'show']);
  const one = contents(code);
  await run(['notes', 'append', 'x']);
  const two = contents(code);
  expect(two).not.toEqual(one);
  await run(['notes', 'show']);
  await run(['notes', 'append', 'x']);
  expect(contents(code)).toEqual(two);
});

test('a file that is not what was written is not used, and made anew', async () => {
  const { code, run } = place();
  const first = await run(['notes', 'show']);
  const kept = contents(code);
  for (const name of kept.keys()) {
    const bytes = readFileSync(join(code, name));
    const at = Math.floor(bytes.length / 3);
    bytes[at] = (bytes[at] ?? 0) ^ 0x41;
    writeFileSync(join(code, name), bytes);
  }
  expect(await run(['notes', 'show'])).toEqual(first);
  for (const name of kept.keys()) writeFileSync(join(code, name), '');
  expect(await run(['notes', 'show'])).toEqual(first);
  for (const name of readdirSync(code)) expect(statSync(join(code, name)).size).toBeGreaterThan(1000);
});

test('code that the engine refuses costs a plain start, and is made anew', async () => {
  const { code, run } = place();
  const first = await run(['notes', 'show']);
  const half = Buffer.from('nothing that any engine would take');
  const foreign = Buffer.concat([half, half, Buffer.alloc(4)]);
  const names = readdirSync(code);
  for (const name of names) writeFileSync(join(code, name), foreign);
  expect(await run(['notes', 'show'])).toEqual(first);
  for (const name of names) expect(readFileSync(join(code, name))).not.toEqual(foreign);
});

test('what somebody else could have written is left alone', async () => {
  const { home, code, run } = place();
  mkdirSync(code, { recursive: true });
  chmodSync(code, 0o777);
  const open = await run(['notes', 'show']);
  expect(open.exitCode).toBe(0);
  expect(readdirSync(code)).toEqual([]);

  const elsewhere = join(home, 'elsewhere');
  mkdirSync(elsewhere);
  mkdirSync(join(home, 'other/scratchpad'), { recursive: true });
  symlinkSync(elsewhere, join(home, 'other/scratchpad/code'));
  expect(await run(['notes', 'show'], { XDG_CACHE_HOME: join(home, 'other') })).toEqual(open);
  expect(readdirSync(elsewhere)).toEqual([]);

  // A file that others may write counts as none, though the folder is ours.
  chmodSync(code, 0o700);
  await run(['notes', 'show']);
  const names = readdirSync(code);
  for (const name of names) chmodSync(join(code, name), 0o666);
  await run(['notes', 'show']);
  for (const name of names) expect(statSync(join(code, name)).mode & 0o777).toBe(0o600);
});

test('without a place to keep it everything goes on as before', async () => {
  const { home, code, run } = place();
  const plain = await run(['notes', 'show'], { NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(plain.exitCode).toBe(0);
  expect(existsSync(code)).toBe(false);
  const nowhere = join(home, 'nowhere');
  for (const env of [
    { HOME: nowhere },
    { HOME: '' },
    { XDG_CACHE_HOME: '/dev/null' },
    { XDG_CACHE_HOME: 'relative' },
  ] as Record<string, string>[]) {
    expect(await run(['notes', 'show'], env)).toEqual(plain);
  }
  expect(existsSync(nowhere)).toBe(false);
});

test('every bundle is ASCII and names its content', () => {
  const bundles = join(import.meta.dirname, '../../../dist/cli');
  for (const name of readdirSync(bundles)) {
    const text = readFileSync(join(bundles, name), 'latin1');
    expect(text, name).toMatch(/^\/\/[0-9a-f]{16}\n/);
    expect(/[^\0-\x7f]/.test(text), name).toBe(false);
  }
});

test('the oldest go when all together is too much', async () => {
  const { code, run } = place();
  mkdirSync(code, { recursive: true, mode: 0o700 });
  const aged = (name: string, hours: number, megabytes: number): void => {
    const path = join(code, name);
    writeFileSync(path, '');
    truncateSync(path, megabytes * 1024 * 1024);
    const then = Date.now() / 1000 - hours * 3600;
    utimesSync(path, then, then);
  };
  aged('oldest', 3, 20);
  aged('older', 2, 20);
  aged('old', 1, 1);
  await run(['notes', 'show']);
  const names = readdirSync(code);
  expect(names).toEqual(expect.arrayContaining(['older', 'old']));
  expect(names).not.toContain('oldest');
  expect(names.some((name) => name.startsWith('main-'))).toBe(true);
});
