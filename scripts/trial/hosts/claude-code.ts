import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copied, json, only, write } from '../home.ts';
import {
  callOf,
  type Host,
  type Json,
  list,
  number,
  object,
  string,
  type Told,
  textOf,
  type Usage,
} from './host.ts';

const usage = (raw: Json): Usage => {
  const cached = number(raw.cache_read_input_tokens);
  const input = number(raw.input_tokens) + number(raw.cache_creation_input_tokens) + cached;
  return { input, cached, output: number(raw.output_tokens) };
};

export const claudeCode: Host = {
  name: 'claude-code',
  command: 'claude',
  install: 'npm install --global @anthropic-ai/claude-code, then log in: claude',
  instructions: 'CLAUDE.md',
  configuration: ['.claude.json', '.claude/.credentials.json', '.claude/settings.json', '.claude/CLAUDE.md'],
  variables: /^(ANTHROPIC_|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_CODE_USE_|AWS_|GOOGLE_|CLOUD_ML_)/,
  prepare(place) {
    const { person, home, sandbox } = place;
    copied(place, '.claude/.credentials.json');
    const account = ['oauthAccount', 'userID', 'primaryApiKey', 'customApiKeyResponses'];
    const state = only(json(person, '.claude.json'), account);
    write(home, '.claude.json', { ...state, hasCompletedOnboarding: true });
    const settings = only(json(person, '.claude/settings.json'), ['model', 'env', 'apiKeyHelper']);
    const fenced = { enabled: true, autoAllowBashIfSandboxed: true, allowUnsandboxedCommands: false };
    write(home, '.claude/settings.json', {
      ...settings,
      permissions: { defaultMode: 'acceptEdits', allow: ['Bash(scratchpad *)', 'mcp__scratchpad'] },
      ...(sandbox ? { sandbox: { ...fenced, failIfUnavailable: true } } : {}),
    });
  },
  env: ({ sandbox }) => ({
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    ...(sandbox ? {} : { IS_SANDBOX: '1' }),
  }),
  turn: ({ text, session, model, sandbox }) => [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    ...(sandbox ? [] : ['--dangerously-skip-permissions']),
    ...(model ? ['--model', model] : []),
    ...(session ? ['--resume', session] : []),
    text,
  ],
  compact: {
    args: (session) => ['-p', '--output-format', 'stream-json', '--verbose', '--resume', session, '/compact'],
  },
  read(line) {
    const told: Told[] = [];
    const message = object(line.message);
    if (line.parent_tool_use_id) return told;
    if (line.type === 'system' && line.subtype === 'init') {
      told.push({ session: string(line.session_id) }, { model: string(line.model) });
    }
    if (line.type === 'assistant') {
      told.push({ usage: usage(object(message.usage)), of: string(message.id) });
      for (const part of list(message.content)) {
        if (part.type === 'text' && string(part.text).trim()) told.push({ say: string(part.text) });
        if (part.type === 'tool_use') told.push(callOf(string(part.name), part.input, string(part.id)));
      }
    }
    if (line.type === 'user') {
      for (const part of list(message.content)) {
        if (part.type === 'tool_result')
          told.push({ done: string(part.tool_use_id), failed: part.is_error === true });
      }
    }
    if (line.type === 'result') {
      told.push({ usage: usage(object(line.usage)), of: 'turn' });
      if (line.is_error === true) told.push({ error: string(line.result) || string(line.subtype) });
      if (line.stop_reason === 'refusal') told.push({ error: 'the model refuses (refusal)' });
    }
    return told;
  },
  injected({ home }, session) {
    const projects = join(home, '.claude/projects');
    if (!existsSync(projects)) return [];
    const files = readdirSync(projects).map((name) => join(projects, name, `${session}.jsonl`));
    return files.filter(existsSync).flatMap((file) => linesOf(file).flatMap(hooked));
  },
};

export const linesOf = (file: string): Json[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [object(JSON.parse(line))];
      } catch {
        return [];
      }
    });

/** Claude Code records what hooks added as attachments. */
function hooked(line: Json): string[] {
  const attachment = object(line.attachment);
  if (!/^hook_(additional_context|success)$/.test(string(attachment.type))) return [];
  const { content } = attachment;
  const texts = Array.isArray(content)
    ? content.map((one) => textOf(typeof one === 'string' ? one : [one]))
    : [textOf(content)];
  return texts.filter((text) => text.trim() !== '');
}
