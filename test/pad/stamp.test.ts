import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** A pad with a block of ten o'clock, and its age as `check` and `context` see it. */
async function assembled() {
  const cwd = testDir();
  await runWarm(['init'], { cwd });
  await runWarm(['assemble', '--now', '2026-02-06T10:00:00Z'], { cwd });
  const path = join(cwd, 'SCRATCHPAD.md');
  const edit = (from: RegExp, to: string) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  const at = async (time: string) => {
    const now = ['--now', `2026-02-06T${time}:00Z`];
    const checked = await runWarm(['check', '--json', ...now], { cwd });
    const { state, problems } = JSON.parse(checked.stdout) as { state: string; problems: string[] };
    const { stdout } = await runWarm(['context', ...now], { cwd });
    return { state, problems, code: checked.exitCode, isTold: stdout.includes('## Time Context') };
  };
  return { cwd, path, edit, at };
}

describe('the lifetime in the front matter', () => {
  test('that a person changes counts, and other commands leave it', async () => {
    const { cwd, path, edit, at } = await assembled();
    expect(await at('10:10')).toMatchObject({ state: 'fresh', code: 0, isTold: true });
    edit(/^ttl: .*/m, 'ttl: 5m');
    expect(await at('10:10')).toMatchObject({ state: 'stale', code: 4, isTold: false });
    await runWarm(['notes', 'add', 'x'], { cwd });
    expect(readFileSync(path, 'utf8')).toMatch(/^ttl: 5m\nexpires: 2026-02-06T10:05:00\+00:00$/m);
    edit(/^ttl: .*/m, "ttl: '2h' # long");
    expect(await at('11:50')).toMatchObject({ state: 'fresh', code: 0, isTold: true });
  });

  test('ends with `expires`, too', async () => {
    const { edit, at } = await assembled();
    edit(/^expires: .*/m, 'expires: 2026-02-06T10:07:00Z');
    expect((await at('10:06')).state).toBe('fresh');
    expect(await at('10:08')).toMatchObject({ state: 'stale', code: 4, isTold: false });
  });

  test('that cannot be read is named, and the one it was made with counts', async () => {
    const { edit, at } = await assembled();
    edit(/^ttl: .*/m, 'ttl: soon');
    const { state, problems, code } = await at('10:10');
    expect([state, code]).toEqual(['fresh', 1]);
    expect(problems.join()).toContain('ttl is "soon": expected a duration such as 30m');
  });

  test('of a block that was not assembled here says how old it is; its text is shown to nobody', async () => {
    const { cwd, at } = await assembled();
    rmSync(join(cwd, '.scratchpad/sessions'), { recursive: true });
    expect(await at('10:10')).toMatchObject({ state: 'fresh', isTold: false });
    expect((await at('10:40')).state).toBe('stale');
    const { stdout, stderr } = await runWarm(['show'], { cwd });
    expect(stdout).toContain('not assembled here, of 2026-02-06T10:00:00+00:00, is left out');
    expect(stdout).not.toContain('## Time Context');
    expect(stderr).toContain('not assembled here');
  });

  test('of the published design’s own file, which has no front matter, is read from its comments', async () => {
    const { cwd, path, at } = await assembled();
    rmSync(join(cwd, '.scratchpad/sessions'), { recursive: true });
    const head = '<!-- Updated: 2026-02-06T21:00:00+11:00 -->\n<!-- TTL: 30 minutes — ignore if older -->\n';
    const block = `<!-- scratchpad:state -->\n${head}\n## Time Context\n- x\n<!-- /scratchpad:state -->\n`;
    writeFileSync(path, `# SCRATCHPAD.md\n\n${block}`);
    expect((await at('10:10')).state).toBe('fresh');
    expect((await at('10:40')).state).toBe('stale');
  });
});
