import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { minimalEnv, runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCRIPT = join(ROOT, 'examples/heartbeat.sh');

describe.skipIf(process.platform === 'win32')('the example of a heartbeat', () => {
  test('hands each alert over once, and has its runs in status', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const note = `memory/${day}.md`;
    const cwd = testDir({
      '.scratchpad/': '',
      [note]: `# Today\n\n- [ ] Renew the certificate, due ${day}\n`,
    });
    const bin = testDir();
    const program = `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/bin/scratchpad.js" "$@"\n`;
    writeFileSync(join(bin, 'scratchpad'), program, { mode: 0o755 });
    const env = { ...minimalEnv(), PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
    const beat = (...command: string[]) => execFileSync(SCRIPT, [cwd, ...command], { env, encoding: 'utf8' });
    expect(beat()).toMatch(/^[^\n]*Renew the certificate[^\n]*\n$/);
    expect(beat()).toBe('');
    appendFileSync(join(cwd, note), `- [ ] Pay the rent, due ${day}\n`);
    expect(beat('sed', 's/^/told: /')).toMatch(/^told: [^\n]*Pay the rent[^\n]*\n$/);
    expect((await runWarm(['status'], { cwd })).stdout).toMatch(/^trigger: +heartbeat, /m);
    expect(() => execFileSync(SCRIPT, [join(cwd, 'gone')], { env, stdio: 'pipe' })).toThrow(
      /not a directory/,
    );
  });

  test('the commands in the words for OpenClaw are commands', async () => {
    const text = readFileSync(join(ROOT, 'examples/HEARTBEAT.md'), 'utf8');
    const [, words = ''] = /`scratchpad (assemble [^`]+)`/.exec(text) ?? [];
    const cwd = testDir({ 'MEMORY.md': '- one\n', '.scratchpad/': '' });
    expect(await runCli(words.split(' '), { cwd })).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
