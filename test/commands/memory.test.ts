import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

function workspace(): string {
  const cwd = testDir();
  mkdirSync(join(cwd, 'memory'));
  writeFileSync(
    join(cwd, 'MEMORY.md'),
    '# Lab\n\n- cluster config lives in ~/.kube/lab\n- Ray drinks tea\u001b[31m at night\n',
  );
  writeFileSync(join(cwd, 'memory', '2026-02-03.md'), '- the backup of the cluster failed\n');
  return cwd;
}

describe('memory', () => {
  test('search prints places that can be opened, and no terminal control sequences', async () => {
    const cwd = workspace();
    const done = await runWarm(['memory', 'search', 'where', 'is', 'the', 'cluster', 'config?'], { cwd });
    expect(done).toMatchObject({ exitCode: 0, stderr: '' });
    expect(done.stdout.split('\n')[0]).toBe('MEMORY.md:3: cluster config lives in ~/.kube/lab');
    const tea = await runWarm(['memory', 'search', 'tea'], { cwd });
    expect(tea.stdout).toContain('MEMORY.md:4: Ray drinks tea at night');
    const none = await runWarm(['memory', 'search', 'zeppelin'], { cwd });
    expect(none).toMatchObject({ exitCode: 1, stdout: '' });
    expect(none.stderr).toContain('nothing relevant');
  });

  test('search --json has one shape, with what counted', async () => {
    const cwd = workspace();
    const { stdout } = await runWarm(['memory', 'search', '--json', '-n', '1', 'cluster config'], { cwd });
    const answer = JSON.parse(stdout) as { hits: Record<string, unknown>[] };
    expect(answer).toMatchObject({
      query: 'cluster config',
      files: 2,
      passages: 4,
      leftOut: [],
    });
    expect(answer.hits).toHaveLength(1);
    expect(Object.keys(answer.hits[0] ?? {}).sort()).toEqual(
      ['endLine', 'headings', 'line', 'path', 'score', 'startLine', 'text'].sort(),
    );
  });

  test('search removes secrets, in every form of its answer', async () => {
    const cwd = workspace();
    writeFileSync(
      join(cwd, 'memory', 'access.md'),
      '# Staging\n\n- database password: correct-horse-91x\n- the database has port 5432\n',
    );
    const input = '{"id":1,"query":"staging database"}';
    for (const args of [['staging database'], ['--json', 'staging database'], ['--batch']]) {
      const { stdout } = await runWarm(['memory', 'search', ...args], { cwd, input });
      expect(stdout).toContain('5432');
      expect(stdout).not.toContain('correct-horse');
    }
    const tool = await runWarm(['tool', 'memory_search'], { cwd, input: '{"query":"staging database"}' });
    expect(tool.stdout).toContain('5432');
    expect(tool.stdout).not.toContain('correct-horse');
  });

  test('only the user’s own configuration decides where text is sent', async () => {
    const cwd = workspace();
    const home = testDir();
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    const url = 'http://127.0.0.1:1/v1';
    mkdirSync(join(cwd, '.scratchpad'));
    writeFileSync(
      join(cwd, '.scratchpad/config.yaml'),
      `memory: {embeddings: {provider: openai, url: '${url}', keyFrom: HOME}}\n`,
    );
    await runWarm(['trust'], { cwd, env });
    for (let i = 0; i < 2; i++) {
      const done = await runWarm(['memory', 'search', 'cluster config'], { cwd, env });
      expect(done.stdout).toContain('MEMORY.md:3: cluster config');
      expect(done.stderr).toContain('memory.embeddings.url is only taken from your own file');
      expect(done.stderr).not.toContain('by words alone');
    }
    writeFileSync(join(cwd, '.scratchpad/config.yaml'), '');
    for (const [key, value] of [
      ['provider', 'openai'],
      ['url', url],
    ]) {
      const set = await runWarm(['config', 'set', `memory.embeddings.${key}`, value ?? ''], { cwd, env });
      expect(set.stdout).toContain(join(home, '.config/scratchpad/config.yaml'));
    }
    const index = await runWarm(['memory', 'index'], { cwd, env });
    expect(index).toMatchObject({ exitCode: 0 });
    expect(index.stdout).toContain('vectors: 0 passages (0 sent now), 3 without');
    expect(index.stderr).toContain('127.0.0.1:1 cannot be reached');
    const search = await runWarm(['memory', 'search', 'cluster config'], { cwd, env });
    expect(search.stdout).toContain('MEMORY.md:3: cluster config');
    expect(search.stderr).toContain('by words only: there are no vectors of this model yet');
    const status = await runWarm(['memory', 'status'], { cwd, env });
    expect(status.stdout).toMatch(/^vectors: +0 passages \(127\.0\.0\.1:1 cannot be reached/m);
  }, 60_000);

  test('search --batch answers each line in order and goes on after a bad one', async () => {
    const requests = [
      '{"id":1,"query":"cluster config"}',
      'not json',
      '',
      '{"id":"b","messages":[{"role":"user","content":"did the backup fail?"},{"role":"user","content":"yes please"}]}',
      '{"id":3,"messages":["tea"],"limit":1}',
      '{"id":4}',
    ];
    const done = await runWarm(['memory', 'search', '--batch'], {
      cwd: workspace(),
      input: requests.join('\n'),
    });
    const answers = done.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id)).toEqual([1, null, 'b', 3, 4]);
    expect(Object.keys(answers[0].results[0])).toEqual([
      'path',
      'line',
      'startLine',
      'endLine',
      'score',
      'text',
    ]);
    expect(answers[1]).toEqual({ id: null, error: 'not JSON' });
    expect(answers[2].results[0].path).toBe('memory/2026-02-03.md');
    expect(answers[4].error).toBe('neither query nor messages');
    expect(done.exitCode).toBe(2);
  });

  test('a search leaves nothing in a folder without a workspace, where index asks for init', async () => {
    const cwd = testDir({ 'MEMORY.md': '- The deploy window is Tuesday\n' });
    const env = { SCRATCHPAD_INIT: '' };
    const { stdout } = await runWarm(['memory', 'search', 'deploy window'], { cwd, env });
    expect(stdout).toContain('MEMORY.md:1: The deploy window');
    const { exitCode, stderr } = await runWarm(['memory', 'index'], { cwd, env });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('scratchpad init')]);
    expect(readdirSync(cwd)).toEqual(['MEMORY.md']);
  });

  test('index and status report what there is', async () => {
    const cwd = workspace();
    const none = await runWarm(['memory', 'status'], { cwd });
    expect(none.stdout).toContain('index:    none');
    expect(none.stdout).toContain('searched: MEMORY.md, memory/\n');
    expect((await runWarm(['memory', 'index'], { cwd })).stdout).toContain('4 passages from 2 files');
    const status = JSON.parse((await runWarm(['memory', 'status', '--json'], { cwd })).stdout);
    expect(status).toMatchObject({ state: 'sound', files: 2, passages: 4, leftOut: [] });
    writeFileSync(join(cwd, '.scratchpad/index/memory.base'), 'x');
    expect((await runWarm(['memory', 'status'], { cwd })).stdout).toContain('index:    broken');
    expect((await runWarm(['memory', 'index', '--changed'], { cwd })).exitCode).toBe(0);
    expect((await runWarm(['memory', 'status'], { cwd })).stdout).toContain('index:    sound');
  });

  test('where there is no memory, it says where it may be', async () => {
    const cwd = testDir();
    const search = await runWarm(['memory', 'search', 'cluster'], { cwd });
    expect(search).toMatchObject({ exitCode: 1, stdout: '' });
    expect(search.stderr).toContain('no memory to search: write MEMORY.md');
    expect(search.stderr).toContain('scratchpad config set memory.paths docs');
    const status = await runWarm(['memory', 'status'], { cwd });
    expect(status.stdout).toContain('searched: nothing yet; write MEMORY.md');
    await runWarm(['install', 'claude-code', '--yes'], { cwd });
    mkdirSync(join(cwd, 'notes'));
    writeFileSync(join(cwd, 'notes/a.md'), '- the cluster\n');
    await runWarm(['config', 'set', 'memory.paths', 'notes'], { cwd });
    const then = await runWarm(['memory', 'status', '--json'], { cwd });
    expect(JSON.parse(then.stdout).searched).toEqual(['notes/']);
  });

  test('wrong arguments are wrong usage', async () => {
    const cwd = workspace();
    for (const args of [
      ['search'],
      ['search', '-n', '0', 'tea'],
      ['search', '-n', 'x', 'tea'],
      ['find', 'tea'],
    ]) {
      expect((await runWarm(['memory', ...args], { cwd })).exitCode, args.join(' ')).toBe(2);
    }
  });
});
