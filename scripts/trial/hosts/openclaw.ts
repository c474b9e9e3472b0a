import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copied, write } from '../home.ts';
import {
  callOf,
  type Host,
  type Json,
  list,
  number,
  object,
  type Place,
  type Program,
  string,
  type Told,
  textOf,
} from './host.ts';

const CONFIG = '.openclaw/openclaw.json';
const AGENT = '.openclaw/agents/main/agent';
const FOLLOW = join(import.meta.dirname, 'openclaw-follow.mjs');

export const openclaw: Host = {
  name: 'openclaw',
  command: 'openclaw',
  install: 'npm install --global openclaw (it needs Node 24), then: openclaw onboard',
  instructions: 'AGENTS.md',
  configuration: [CONFIG, '.openclaw/.env', `${AGENT}/auth-profiles.json`, `${AGENT}/models.json`],
  variables: /^(OPENAI_|ANTHROPIC_|GEMINI_API_KEY|OPENROUTER_|GOOGLE_)/,
  prepare(place, program) {
    for (const path of [CONFIG, '.openclaw/.env', `${AGENT}/auth-profiles.json`, `${AGENT}/models.json`])
      copied(place, path);
    const changes: [path: string, value?: unknown][] = [
      ...['channels', 'plugins', 'hooks', 'cron', 'bindings'].map((section): [string] => [section]),
      ['agents.defaults.workspace', place.work],
      ['agents.defaults.skipBootstrap', true],
      ['gateway.mode', 'local'],
      ...(place.sandbox
        ? [['agents.defaults.sandbox', { mode: 'all', workspaceAccess: 'rw' }] as [string, unknown]]
        : []),
    ];
    const strict = jsonOrNothing(join(place.home, CONFIG));
    if (strict) {
      for (const [path, value] of changes) assign(strict, path.split('.'), value);
      write(place.home, CONFIG, strict);
      return;
    }
    // JSON5 is for its own command to edit, in the copy.
    for (const [path, value] of changes) {
      const edit =
        value === undefined ? ['unset', path] : ['set', path, JSON.stringify(value), '--strict-json'];
      own(place, program, ...edit);
    }
  },
  env: () => ({ OPENCLAW_DISABLE_UPDATE_CHECK: '1', NO_COLOR: '1' }),
  // Without an id it goes on with the main session.
  turn: ({ text, session }) => [...agent, '--session-id', session ?? randomUUID(), '-m', text],
  // Its gateway can, in a conversation that it has itself; `agent --local` cannot.
  compact: undefined,
  follow: ({ home }, { command }) => ({
    command,
    args: [FOLLOW, join(home, AGENT, 'openclaw-agent.sqlite')],
  }),
  read(line) {
    const message = object(line.message);
    if (line.session !== undefined) return [{ session: string(line.session) }];
    if (line.type !== 'message') return [];
    if (message.role === 'toolResult')
      return [{ done: string(message.toolCallId), failed: message.isError === true }];
    if (message.role !== 'assistant') return [];
    const told: Told[] = [];
    const raw = object(message.usage);
    const cached = number(raw.cacheRead);
    const input = number(raw.input) + cached + number(raw.cacheWrite);
    told.push({ usage: { input, cached, output: number(raw.output) }, of: string(line.id) });
    if (message.model) told.push({ model: string(message.model) });
    for (const part of list(message.content)) {
      if (part.type === 'toolCall') told.push(callOf(string(part.name), part.arguments, string(part.id)));
    }
    const text = textOf(message.content).trim();
    if (text) told.push({ say: text });
    if (message.stopReason === 'error') told.push({ error: string(message.errorMessage) });
    return told;
  },
  // It takes what hooks put before the prompt out of the conversation again, and records none of it.
  injected: () => [],
};

function jsonOrNothing(file: string): Json | undefined {
  if (!existsSync(file)) return {};
  try {
    return object(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function assign(into: Json, [key = '', ...rest]: string[], value: unknown): void {
  if (rest.length > 0) {
    into[key] = object(into[key]);
    assign(object(into[key]), rest, value);
  } else if (value === undefined) delete into[key];
  else into[key] = value;
}

const agent = ['agent', '--local', '--agent', 'main', '--json'];

/** OpenClaw's own command, in the temporary home. */
function own({ home, work }: Place, { command, args }: Program, ...edit: string[]): void {
  const env = { PATH: process.env.PATH ?? '', HOME: home, OPENCLAW_DISABLE_UPDATE_CHECK: '1', NO_COLOR: '1' };
  const done = spawnSync(command, [...args, 'config', ...edit], { cwd: work, env, encoding: 'utf8' });
  // What is not there cannot be taken away.
  if (done.status !== 0 && edit[0] !== 'unset')
    throw new Error(`openclaw config ${edit.join(' ')}: ${done.stderr || done.stdout}`);
}
