import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { copied, json, write } from '../home.ts';
import { callOf, type Host, list, number, object, string, type Told, textOf } from './host.ts';

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
  prepare(place) {
    for (const path of [CONFIG, '.openclaw/.env', `${AGENT}/auth-profiles.json`, `${AGENT}/models.json`])
      copied(place, path);
    const settings = json(place.home, CONFIG);
    for (const section of ['channels', 'plugins', 'hooks', 'cron', 'bindings']) delete settings[section];
    const defaults = {
      ...object(object(settings.agents).defaults),
      workspace: place.work,
      skipBootstrap: true,
      ...(place.sandbox ? { sandbox: { mode: 'all', workspaceAccess: 'rw' } } : {}),
    };
    write(place.home, CONFIG, {
      ...settings,
      agents: { ...object(settings.agents), defaults },
      gateway: { ...object(settings.gateway), mode: 'local' },
    });
  },
  env: () => ({ OPENCLAW_DISABLE_UPDATE_CHECK: '1', NO_COLOR: '1' }),
  // Without an id it goes on with the main session.
  turn: ({ text, session }) => [...agent, '--session-id', session ?? randomUUID(), '-m', text],
  // Its gateway can, in a conversation that it has itself; `agent --local` cannot.
  compact: undefined,
  database: true,
  follow: ({ home }, { command, args }) => ({
    command: args.length > 0 ? command : process.execPath,
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

const agent = ['agent', '--local', '--agent', 'main', '--json'];
