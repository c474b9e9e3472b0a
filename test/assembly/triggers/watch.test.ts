import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCli } from '../../helpers/resident.ts';
import { runCli } from '../../helpers/run-cli.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const QUICK = ['watch', '--debounce', '20ms', '--interval', '1ms'];
const at = (minute: number): string => `2026-02-06T01:${String(minute).padStart(2, '0')}:00Z`;
const said = (content: string, minute: number): string =>
  `${JSON.stringify({ role: 'user', content, timestamp: at(minute) })}\n`;
const folded = (path: string): string => path.replace(/[^a-zA-Z0-9]/g, '-');
const claudeLine = (cwd: string, content: string, minute: number): string =>
  `${JSON.stringify({
    type: 'user',
    uuid: `u${minute}`,
    parentUuid: null,
    sessionId: 's',
    cwd,
    timestamp: at(minute),
    message: { role: 'user', content },
  })}\n`;

describe('what is watched', () => {
  test('session, memory and settings; not the pad and not other files', async () => {
    const paths = 'transcript: {paths: [sessions]}\n';
    const cwd = testDir({
      'MEMORY.md': '- one\n',
      'sessions/a.jsonl': said('hello there', 1),
      '.scratchpad/config.yaml': paths,
    });
    const watcher = startCli(QUICK, { cwd });
    expect(await watcher.next('watching')).toMatchObject({ session: join(cwd, 'sessions/a.jsonl') });
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['start'], messages: 1, problems: [] });
    appendFileSync(join(cwd, 'sessions/a.jsonl'), said('and more', 2));
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['transcript'], messages: 2 });
    writeFileSync(join(cwd, 'src.md'), 'nobody waits for it');
    expect((await runCli(['notes', 'append', 'mine'], { cwd })).exitCode).toBe(0);
    mkdirSync(join(cwd, 'memory/2026'), { recursive: true });
    writeFileSync(join(cwd, 'memory/2026/02-06.md'), '- a note\n');
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['memory'] });
    writeFileSync(join(cwd, '.scratchpad/config.yaml'), `${paths}ttl: 7m\n`);
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['config'], ttlMs: 420_000 });
    watcher.child.kill('SIGTERM');
    expect(await watcher.next('ended')).toMatchObject({ because: 'SIGTERM' });
    expect(await watcher.ended).toEqual({ code: 0, stderr: '' });
    expect(existsSync(join(cwd, '.scratchpad/sessions/main/watch.lock'))).toBe(false);
    expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('<!-- TTL: 7 minutes');
  });

  test('calendars, files of tasks and USER.md', async () => {
    const cwd = testDir({
      'MEMORY.md': '- one\n',
      '.scratchpad/config.yaml': 'alerts: {calendars: [plans.ics, cal]}\n',
    });
    const watcher = startCli(QUICK, { cwd });
    await watcher.next('assembled');
    const write = (name: string): void => writeFileSync(join(cwd, name), '- [ ] Buy candles by tomorrow\n');
    mkdirSync(join(cwd, 'cal'));
    for (const [name, kind] of [
      ['plans.ics', 'calendar'],
      ['cal/team.ics', 'calendar'],
      ['TODO.md', 'memory'],
      ['USER.md', 'memory'],
    ] as const) {
      write(name);
      expect(await watcher.next('assembled'), name).toMatchObject({ reasons: [kind] });
    }
  });

  test("a change of the plan, by a command or in the file; not the watcher's own block, nor notes", async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n' });
    const pad = join(cwd, 'SCRATCHPAD.md');
    const watcher = startCli(QUICK, { cwd });
    await watcher.next('assembled');
    const today = new Date().toISOString().slice(0, 10);
    await runCli(['plan', 'add', `send stats, due ${today}`], { cwd });
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['plan'] });
    expect(readFileSync(pad, 'utf8').split('scratchpad:state')[1]).toContain('send stats');
    writeFileSync(pad, readFileSync(pad, 'utf8').replace(/^1\. send stats/m, '1. send all stats'));
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['plan'] });
    await runCli(['notes', 'add', 'mine'], { cwd });
    await new Promise((resolve) => setTimeout(resolve, 500));
    // A run that its own block, or the notes, had caused would come first.
    writeFileSync(join(cwd, 'MEMORY.md'), '- two\n');
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['memory'] });
    watcher.child.kill('SIGTERM');
  });

  test('folders that a new setting names', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n', 'elsewhere/': '' });
    const watcher = startCli(QUICK, { cwd });
    await watcher.next('assembled');
    writeFileSync(join(cwd, '.scratchpad/config.yaml'), 'memory:\n  paths: [elsewhere]\n');
    await watcher.next('assembled');
    writeFileSync(join(cwd, 'elsewhere/a.md'), '- found\n');
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['memory'] });
  });

  test("a session that begins in a host's folder which is not there yet, and then another one", async () => {
    const cwd = testDir({ 'AGENTS.md': '' });
    const home = testDir();
    const watcher = startCli(QUICK, { cwd, env: { HOME: home } });
    expect(await watcher.next('watching')).toMatchObject({ session: null });
    expect(await watcher.next('assembled')).toMatchObject({ source: null });
    const project = join(home, '.claude/projects', folded(cwd));
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, 'first.jsonl'), claudeLine(cwd, 'the first words', 1));
    expect(await watcher.next('session')).toMatchObject({ session: join(project, 'first.jsonl') });
    expect(await watcher.next('assembled')).toMatchObject({ messages: 1 });
    writeFileSync(join(project, 'second.jsonl'), claudeLine(cwd, 'words of another', 2));
    expect(await watcher.next('session')).toMatchObject({ session: join(project, 'second.jsonl') });
    expect(await watcher.next('assembled')).toMatchObject({
      source: expect.stringContaining('second.jsonl'),
    });
    // Of a subagent and of another project: nothing is made anew.
    appendFileSync(join(project, 'agent-x.jsonl'), claudeLine(cwd, 'a subagent', 3));
    writeFileSync(join(project, 'third.jsonl'), claudeLine('/elsewhere', 'another project', 4));
    expect(await watcher.next('unchanged')).toMatchObject({ reasons: ['transcript'] });
  });

  test('a named file that does not exist yet', async () => {
    const cwd = testDir({ 'AGENTS.md': '' });
    const path = join(cwd, 'not/yet/here.jsonl');
    const watcher = startCli([...QUICK, '--transcript', 'not/yet/here.jsonl', '--once'], { cwd });
    expect(await watcher.next('watching')).toMatchObject({ session: path });
    expect(await watcher.next('waiting')).toMatchObject({ transcript: path });
    mkdirSync(join(cwd, 'not/yet'), { recursive: true });
    writeFileSync(path, said('here it is', 1));
    expect(await watcher.next('assembled')).toMatchObject({ source: path, messages: 1 });
    expect(await watcher.next('ended')).toMatchObject({ because: 'one run was asked for' });
    expect((await watcher.ended).code).toBe(0);
  });

  test('by looking, where the system tells of nothing', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n' });
    const watcher = startCli([...QUICK, '--poll', '50ms'], { cwd });
    await watcher.next('assembled');
    appendFileSync(join(cwd, 'MEMORY.md'), '- two\n');
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['memory'] });
    mkdirSync(join(cwd, 'memory'));
    writeFileSync(join(cwd, 'memory/a.md'), '- three\n');
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['memory'] });
  });
});

describe('a long-running program', () => {
  test('one for each session; status names it, and knows when it was killed', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n' });
    const first = startCli(QUICK, { cwd });
    await first.next('assembled');
    const second = await runWarm(QUICK, { cwd });
    expect(second).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`process ${first.child.pid}`),
    });
    const status = await runWarm(['status'], { cwd });
    expect(status.stdout).toMatch(new RegExp(`watch: +process ${first.child.pid}$`, 'm'));
    expect(status.stdout).toMatch(/trigger: +watch, \d+ s ago: \d+ tokens \(\d+ ms\)/);
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await runWarm(['status'], { cwd })).stdout).not.toMatch(/^watch:/m);
    const third = startCli(QUICK, { cwd });
    await third.next('assembled');
  });

  test.runIf(process.platform === 'linux')(
    'a lock whose pid is another process by now holds nothing',
    async () => {
      const lock = '.scratchpad/sessions/main/watch.lock';
      const host = `${readFileSync('/proc/sys/kernel/hostname', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
      const holder = { pid: process.pid, start: '1', host, nonce: 'a-b-c' };
      const cwd = testDir({ 'MEMORY.md': '- one\n', [lock]: JSON.stringify(holder) });
      const watcher = startCli(QUICK, { cwd });
      await watcher.next('assembled');
      expect(JSON.parse(readFileSync(join(cwd, lock), 'utf8'))).toMatchObject({ pid: watcher.child.pid });
    },
  );

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends it, the run in hand first', async (signal) => {
    const cwd = testDir({ 'MEMORY.md': '- one\n' });
    const watcher = startCli(QUICK, { cwd });
    await watcher.next('assembled');
    appendFileSync(join(cwd, 'MEMORY.md'), '- two\n');
    watcher.child.kill(signal);
    expect(await watcher.next('ended')).toMatchObject({ because: signal });
    expect(await watcher.ended).toEqual({ code: 0, stderr: '' });
    expect(existsSync(join(cwd, '.scratchpad/sessions/main/watch.lock'))).toBe(false);
    expect(await runWarm(['check'], { cwd })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('an assembly that fails is told, named in status, and the next change is followed', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n' });
    const watcher = startCli(QUICK, { cwd });
    await watcher.next('assembled');
    rmSync(join(cwd, 'SCRATCHPAD.md'));
    mkdirSync(join(cwd, 'SCRATCHPAD.md'));
    appendFileSync(join(cwd, 'MEMORY.md'), '- two\n');
    expect(await watcher.next('failed')).toMatchObject({ error: expect.stringContaining('a directory') });
    rmSync(join(cwd, 'SCRATCHPAD.md'), { recursive: true });
    expect((await runWarm(['status'], { cwd })).stdout).toContain('watch, ');
    appendFileSync(join(cwd, 'MEMORY.md'), '- three\n');
    expect(await watcher.next('assembled')).toMatchObject({ reasons: ['memory'] });
  });

  test('a config that is wrong is named, and the block is made all the same', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n', '.scratchpad/config.yaml': 'timezone: Mars/Phobos\n' });
    const watcher = startCli(QUICK, { cwd });
    expect(await watcher.next('assembled')).toMatchObject({
      problems: [expect.stringContaining('Mars/Phobos')],
    });
    expect((await runWarm(['status'], { cwd })).stdout).toMatch(/trigger: .*Mars\/Phobos/);
  });

  test('ends when the workspace is gone', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n' });
    const other = startCli([...QUICK, '--workspace', cwd], { cwd: testDir() });
    await other.next('assembled');
    rmSync(cwd, { recursive: true });
    expect(await other.next('ended')).toMatchObject({ because: 'the workspace no longer exists' });
    expect(existsSync(cwd)).toBe(false);
  });

  test('refuses what it cannot use, before it begins', async () => {
    const cwd = testDir({ 'AGENTS.md': '' });
    const wrong = await runWarm(['watch', '--debounce', 'soon'], { cwd });
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('--debounce')]);
    const nowhere = await runWarm(['watch'], { cwd: testDir(), env: { SCRATCHPAD_INIT: '' } });
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([1, expect.stringContaining('no scratchpad here')]);
  });
});
