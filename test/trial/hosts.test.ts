import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stateOf } from '../../scripts/trial/home.ts';
import { claudeCode } from '../../scripts/trial/hosts/claude-code.ts';
import { codex } from '../../scripts/trial/hosts/codex.ts';
import { geminiCli } from '../../scripts/trial/hosts/gemini-cli.ts';
import type { Host } from '../../scripts/trial/hosts/host.ts';
import { openclaw } from '../../scripts/trial/hosts/openclaw.ts';
import { personWith } from '../../scripts/trial/stub.ts';
import { testDir } from '../helpers/test-dir.ts';

const HOSTS: Host[] = [claudeCode, codex, geminiCli, openclaw];

describe.each(HOSTS)('the home for $name', (host) => {
  const person = personWith('http://127.0.0.1:9');
  const dir = testDir();
  const place = { person, home: join(dir, 'home'), work: join(dir, 'work'), sandbox: false };
  const before = stateOf(person, host.configuration);
  host.prepare(place);
  const own = host.configuration.filter((path) => existsSync(join(place.home, path)));
  const written = own.map((path) => readFileSync(join(place.home, path), 'utf8')).join('\n');

  it('has the model of the person, and none of their hooks and servers', () => {
    expect(written).toMatch(/127\.0\.0\.1:9|GEMINI_API_KEY/);
    expect(written).not.toMatch(/hooks"|mcp_servers|notify|rule-alpha/);
  });

  it('leaves that of the person as it is', () => {
    expect(stateOf(person, host.configuration)).toEqual(before);
  });
});

describe('what the hosts print', () => {
  const read = (host: Host, ...lines: object[]) =>
    lines.flatMap((line) => host.read(line as Record<string, unknown>));

  it('is read from Codex', () => {
    const item = { id: 'item_3', type: 'command_execution', command: "/bin/bash -lc 'node --test'" };
    expect(
      read(
        codex,
        { type: 'thread.started', thread_id: 't' },
        { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'a warning' } },
        { type: 'item.started', item: { ...item, exit_code: null, status: 'in_progress' } },
        { type: 'item.completed', item: { ...item, exit_code: 1, status: 'failed' } },
        { type: 'item.completed', item: { id: 'item_4', type: 'agent_message', text: 'Done.' } },
      ),
    ).toEqual([
      { session: 't' },
      { call: 'bash', arg: 'node --test', id: 'item_3' },
      { done: 'item_3', failed: true },
      { say: 'Done.' },
    ]);
  });

  it('is read from Gemini CLI', () => {
    const stats = { total_tokens: 2020, input_tokens: 2000, output_tokens: 20, cached: 5 };
    expect(
      read(
        geminiCli,
        { type: 'init', session_id: 's', model: 'm' },
        { type: 'message', role: 'user', content: 'hello' },
        { type: 'tool_use', tool_name: 'run_shell_command', tool_id: 'a', parameters: { command: 'ls' } },
        { type: 'tool_result', tool_id: 'a', status: 'success', output: '' },
        { type: 'message', role: 'assistant', content: 'Done.', delta: true },
        { type: 'result', status: 'success', stats },
      ),
    ).toEqual([
      { session: 's' },
      { model: 'm' },
      { call: 'bash', arg: 'ls', id: 'a' },
      { done: 'a', failed: false },
      { say: 'Done.' },
      { usage: { input: 2000, cached: 5, output: 20 }, of: 'turn' },
    ]);
  });

  it('is read from what OpenClaw files', () => {
    const usage = { input: 1000, output: 10, cacheRead: 7, cacheWrite: 0 };
    const content = [{ type: 'toolCall', id: 'c', name: 'exec', arguments: { command: 'ls' } }];
    expect(
      read(
        openclaw,
        { session: 's' },
        { type: 'message', id: 'u', message: { role: 'user', content: 'hello' } },
        { type: 'message', id: 'r', message: { role: 'assistant', content, usage } },
        { type: 'message', id: 't', message: { role: 'toolResult', toolCallId: 'c', isError: false } },
      ),
    ).toEqual([
      { session: 's' },
      { usage: { input: 1007, cached: 7, output: 10 }, of: 'r' },
      { call: 'bash', arg: 'ls', id: 'c' },
      { done: 'c', failed: false },
    ]);
  });
});
