/**
 * The whole trial, with a stand-in for Claude Code's command line (the real agents are not installed in continuous
 * integration) and a scripted model on loopback that speaks Anthropic's protocol.
 */

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelStub } from '../../scripts/e2e/model-stub.ts';
import { stateOf } from '../../scripts/trial/home.ts';
import { claudeCode } from '../../scripts/trial/hosts/claude-code.ts';
import type { Summary } from '../../scripts/trial/report.ts';
import { kindOf } from '../../scripts/trial/session.ts';
import { scripted } from '../../scripts/trial/stub/agent.ts';
import { personWith, type Ran, runTrialIn } from '../../scripts/trial/stub.ts';
import { bundled } from '../helpers/script.ts';
import { testDir } from '../helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
const STAND_IN = join(ROOT, 'test/trial/stand-in.mjs');

const stub = new ModelStub();
let url = '';
const people: string[] = [];
const person = (of = url): string => {
  const home = personWith(of);
  people.push(home);
  return home;
};
const PROGRAM = [bundled('scripts/trial/index.ts')];
const run = (home: string, args: readonly string[], env = {}): Promise<Ran> =>
  runTrialIn(home, args, env, PROGRAM);
const trial = (out: string, home: string, ...more: string[]): Promise<Ran> => {
  const agent = [
    '--agent',
    'claude-code',
    '--command',
    `${process.execPath} ${STAND_IN}`,
    '--stub',
    '--yes',
    '--no-sandbox',
    '--pause',
    '0',
  ];
  const tasks = ['--tasks-folder', join(ROOT, 'test/fixtures/trial')];
  return run(home, [...agent, ...tasks, '--out', out, ...more]);
};
const summary = (out: string): Summary =>
  JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as Summary;
const shares = (out: string, task: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(summary(out).byTask[task] ?? {}).map(([arm, { kept, of }]) => [arm, of ? kept : -1]),
  );

beforeAll(async () => {
  url = await stub.start();
});
afterAll(() => {
  stub.stop();
  for (const home of people) rmSync(home, { recursive: true, force: true });
});

describe('the trial with a scripted model', { timeout: 240_000 }, () => {
  it('tells the arms apart as they were scripted, and changes nothing of the person', async () => {
    stub.reply = scripted(true);
    const out = join(testDir(), 'out');
    const home = person();
    const before = stateOf(home, claudeCode.configuration);
    const { code, said } = await trial(out, home, '--tasks', 'echo');
    expect(said).toContain('No figure here is a result');
    expect(said).toContain('Your configuration is as it was');
    expect(code).toBe(0);
    expect(stateOf(home, claudeCode.configuration)).toEqual(before);
    // Four rules and that the calls are known; the summary holds the first rule only.
    expect(shares(out, 'echo')).toMatchObject({ nothing: 2, compaction: 3, resume: 5, paragraph: 5 });
    expect(shares(out, 'echo').ours).toBeGreaterThanOrEqual(2);
    expect(readFileSync(join(out, 'runs/ours-echo-1/told.md'), 'utf8')).toContain('Session Scratchpad');
    const firsts = readdirSync(join(out, 'firsts')).map(
      (name) => JSON.parse(readFileSync(join(out, 'firsts', name, 'events.json'), 'utf8')) as object[],
    );
    expect(firsts.every((events) => events.length > 3)).toBe(true);
    expect(summary(out).results.every(({ first }) => first === 'cut off at first-edit')).toBe(true);
    expect(readFileSync(join(out, 'table.md'), 'utf8')).toContain('No figure here is a result');
  });

  it('compacts in the middle where the task says so', async () => {
    stub.reply = scripted(true);
    const out = join(testDir(), 'out');
    await trial(out, person(), '--tasks', 'squeezed', '--arms', 'nothing,compaction,paragraph');
    expect(shares(out, 'squeezed')).toEqual({ nothing: 3, compaction: -1, paragraph: 5 });
  });

  it('says what it added as the host recorded it, and what the model refuses', () => {
    const refusal = { type: 'result', is_error: false, result: '', stop_reason: 'refusal', usage: {} };
    expect(claudeCode.read(refusal)).toContainEqual({ error: 'the model refuses (refusal)' });
    expect(
      [
        'API Error: 401 invalid x-api-key',
        'the model refuses (refusal)',
        'ENOSPC: no space left',
        'socket hang up',
      ].map(kindOf),
    ).toEqual(['login', 'refused', 'disk full', 'host error']);
  });

  it('finds no difference where the agent does not keep what it is told', async () => {
    stub.reply = scripted(false);
    const out = join(testDir(), 'out');
    const home = person();
    await trial(out, home, '--tasks', 'echo', '--arms', 'nothing,resume');
    expect(shares(out, 'echo')).toEqual({ nothing: 2, resume: 2 });
    // After an interruption it goes on, and runs nothing twice.
    const result = join(out, 'runs/resume-echo-1/result.json');
    const kept = readFileSync(join(out, 'runs/nothing-echo-1/lines.jsonl'), 'utf8');
    rmSync(result);
    const { code, said } = await run(home, ['--continue', out, '--yes']);
    expect(code).toBe(0);
    expect(existsSync(result)).toBe(true);
    expect(said).toContain('run 1 of 1: resume-echo-1');
    expect(readFileSync(join(out, 'runs/nothing-echo-1/lines.jsonl'), 'utf8')).toBe(kept);
  });

  it('stops at a login that is wrong, and says how to go on', async () => {
    const refusing: Server = createServer((_, response) =>
      response
        .writeHead(401)
        .end('{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'),
    );
    await new Promise<void>((listening) => refusing.listen(0, '127.0.0.1', listening));
    const out = join(testDir(), 'out');
    const home = person(`http://127.0.0.1:${(refusing.address() as AddressInfo).port}`);
    const { code, said } = await trial(out, home, '--tasks', 'echo', '--arms', 'nothing');
    refusing.close();
    expect(code).toBe(1);
    expect(said).toContain('login: API Error: 401');
    expect(said).toContain(`--continue ${out}`);
    expect(summary(out).results).toEqual([]);
  });

  it('says what is missing before it starts', async () => {
    const home = person();
    const alone = await run(home, ['--agent', 'claude-code', '--yes'], {
      PATH: join(process.execPath, '..'),
    });
    expect(alone.said).toMatch(/claude is not on the PATH. Install it/);
    const quiet = await run(home, [
      '--agent',
      'claude-code',
      '--command',
      `${process.execPath} ${STAND_IN}`,
      '--out',
      join(testDir(), 'out'),
    ]);
    expect(quiet.said).toContain('Estimate:');
    expect(quiet.said).toContain('add --yes');
    expect([alone.code, quiet.code]).toEqual([1, 1]);
  });
});
