import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCli } from '../../helpers/resident.ts';
import { minimalEnv } from '../../helpers/run-cli.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SCRIPT = join(ROOT, 'examples/heartbeat.sh');

/** @param args stand before those of each call. @returns an environment whose PATH has the program */
function install(...args: string[]): NodeJS.ProcessEnv {
  const bin = testDir();
  const program = `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/bin/scratchpad.js" ${args.join(' ')} "$@"\n`;
  writeFileSync(join(bin, 'scratchpad'), program, { mode: 0o755 });
  return { ...minimalEnv(), PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
}

describe.skipIf(process.platform === 'win32')('the example of a heartbeat', () => {
  test('hands each alert over once, and has its runs in status', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const note = `memory/${day}.md`;
    const cwd = testDir({
      '.scratchpad/': '',
      [note]: `# Today\n\n- [ ] Renew the certificate, due ${day}\n`,
    });
    const env = install();
    const beat = (...command: string[]) => execFileSync(SCRIPT, [cwd, ...command], { env, encoding: 'utf8' });
    // In the morning a brief holds all of them.
    await runWarm(['config', 'set', 'alerts.brief', 'off'], { cwd });
    expect(beat()).toMatch(/^[^\n]*Renew the certificate[^\n]*\n$/);
    expect(beat()).toBe('');
    appendFileSync(join(cwd, note), `- [ ] Pay the rent, due ${day}\n`);
    expect(beat('sed', 's/^/told: /')).toMatch(/^told: [^\n]*Pay the rent[^\n]*\n$/);
    const text = readFileSync(join(cwd, note), 'utf8');
    const review = (number: number): string => `- [ ] Review PR ${number}, due ${day}\n`;
    writeFileSync(join(cwd, note), text + review(12));
    expect(beat()).toMatch(/^[^\n]*Review PR 12[^\n]*\n$/);
    writeFileSync(join(cwd, note), text + review(13));
    expect(beat()).toMatch(/^[^\n]*Review PR 13[^\n]*\n$/);
    // What is ticked moves others to other lines, and from the list to lines of their own.
    writeFileSync(join(cwd, note), text + review(13) + review(14));
    expect(beat()).toMatch(/^[^\n]*Review PR 14[^\n]*\n$/);
    writeFileSync(join(cwd, note), `# Today\n\n${review(13)}${review(14)}`);
    expect(beat()).toBe('');
    writeFileSync(join(cwd, note), text + review(13));
    beat();
    const inMinutes = (minutes: number): string =>
      new Date(Date.now() + minutes * 60_000).toISOString().replace(/[-:]|\.\d+/g, '');
    const event = (name: string, start: string): string =>
      `BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:${name}\nSUMMARY:${name}\nDTSTART:${start}\nEND:VEVENT\nEND:VCALENDAR\n`;
    const start = inMinutes(50);
    writeFileSync(join(cwd, 'calendar.ics'), event('Dentist', start));
    expect(beat()).toMatch(/^Calendar: “Dentist” in /m);
    // As it was said at another time.
    const told = join(cwd, '.scratchpad/cache/heartbeat');
    expect(readFileSync(told, 'utf8')).toMatch(/^Calendar: “Dentist” soon, at \d\d:\d\d$/m);
    expect(beat()).toBe('');
    expect((await runWarm(['status'], { cwd })).stdout).toMatch(/^trigger: +heartbeat, /m);
    // What `watch` has just made of the session that it was given stays.
    const watcher = startCli(['watch', '--transcript', 'none.jsonl'], { cwd });
    await watcher.next('waiting');
    beat();
    watcher.child.kill();
    await watcher.ended;
    expect((await runWarm(['status'], { cwd })).stdout).toMatch(/^trigger: +heartbeat, .*left as it is/m);
    expect(() => execFileSync(SCRIPT, [join(cwd, 'gone')], { env, stdio: 'pipe' })).toThrow(
      /not a directory/,
    );
  });

  test('hands a brief of the morning over once, and again only for what is new in it', () => {
    const due = (name: string): string => `- [ ] ${name}, due 2026-02-06\n`;
    const event = (hour: number): string =>
      `BEGIN:VEVENT\nUID:${hour}\nSUMMARY:Call ${hour}\nDTSTART:20260206T${hour}0000\nEND:VEVENT\n`;
    const calendar = `BEGIN:VCALENDAR\n${event(10)}${event(11)}END:VCALENDAR\n`;
    const late = '- [ ] Send the offer, due 2026-02-05\n';
    const note = 'memory/2026-02-06.md';
    const cwd = testDir({
      '.scratchpad/': '',
      [note]: `# Today\n\n${late}${due('Pay the rent')}${due('Review')}`,
      'calendar.ics': calendar,
    });
    const beat = (time: string) =>
      execFileSync(SCRIPT, [cwd], { env: install('--now', `2026-02-06T${time}:00`), encoding: 'utf8' });
    expect(beat('07:00')).toMatch(
      /^Today: 10:00 \S*Call 10.*11:00 .*\. Overdue: Send the offer\. Due today: Pay the rent; Review\n$/,
    );
    expect(beat('09:30')).toBe('');
    writeFileSync(join(cwd, note), `# Today\n\n${due('Review')}`);
    expect(beat('10:30')).not.toMatch(/Review|Call 11/);
    appendFileSync(join(cwd, note), due('Write the report'));
    expect(beat('10:40')).toMatch(/Write the report\n$/);
  });

  test('finds the program where npm has installed it, with the PATH of cron, and else says what to do', () => {
    const prefix = testDir({
      'lib/node_modules/scratchpad/examples/': '',
      'bin/': '',
      'agent/.scratchpad/': '',
    });
    const script = join(prefix, 'lib/node_modules/scratchpad/examples/heartbeat.sh');
    copyFileSync(SCRIPT, script);
    const PATH = testDir();
    for (const tool of ['dirname', 'sh', 'sed', 'mkdir', 'touch', 'tr', 'grep', 'mv'])
      symlinkSync(
        execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(),
        join(PATH, tool),
      );
    const run = (): string =>
      execFileSync('/bin/sh', [script, join(prefix, 'agent')], {
        env: { ...minimalEnv(), PATH },
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(run).toThrow(/scratchpad is not on the PATH; put the folder .* into the crontab/);
    symlinkSync(process.execPath, join(prefix, 'bin/node'));
    symlinkSync(join(ROOT, 'bin/scratchpad.js'), join(prefix, 'bin/scratchpad'));
    expect(run()).toBe('');
    expect(readFileSync(join(prefix, 'agent/SCRATCHPAD.md'), 'utf8')).toContain('## Time Context');
  });

  test('the commands in the words for OpenClaw are commands', async () => {
    const text = readFileSync(join(ROOT, 'examples/HEARTBEAT.md'), 'utf8');
    const [, words = ''] = /`scratchpad (assemble [^`]+)`/.exec(text) ?? [];
    const cwd = testDir({ 'MEMORY.md': '- one\n', '.scratchpad/': '' });
    expect(await runWarm(words.split(' '), { cwd })).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
