import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copied, write } from '../home.ts';
import { linesOf } from './claude-code.ts';
import { callOf, type Host, list, number, object, string, type Told, textOf, WAIT } from './host.ts';

/** Keys and tables of config.toml that say which model answers and how; everything else is the person's own. */
const KEYS =
  /^(model|model_\w+|review_model|service_tier|openai_base_url|chatgpt_base_url|preferred_auth_method|cli_auth_credentials_store)\s*=/;
const TABLES = /^\[(model_providers)\b/;

/** Lines of config.toml that are taken over; a value of several lines goes with its key. */
export function modelSettings(toml: string): string {
  let keep = false;
  let inTable = false;
  const kept: string[] = [];
  for (const line of toml.split('\n')) {
    if (/^\s*\[/.test(line) && !/^\s*\[.*,\s*$/.test(line)) {
      inTable = true;
      keep = TABLES.test(line.trim());
    } else if (!inTable && /^[\w-]+\s*=/.test(line)) keep = KEYS.test(line);
    if (keep) kept.push(line);
  }
  return kept.join('\n');
}

export const codex: Host = {
  name: 'codex',
  command: 'codex',
  install: 'npm install --global @openai/codex, then: codex login',
  instructions: 'AGENTS.md',
  configuration: ['.codex/auth.json', '.codex/config.toml', '.codex/hooks.json', '.codex/AGENTS.md'],
  variables: /^(OPENAI_|CODEX_API_KEY|AZURE_OPENAI_)/,
  prepare(place) {
    copied(place, '.codex/auth.json');
    const file = join(place.person, '.codex/config.toml');
    const settings = existsSync(file) ? modelSettings(readFileSync(file, 'utf8')) : '';
    const fixed = 'approval_policy = "never"\ncheck_for_update_on_startup = false\n';
    const trusted = `\n[projects.${JSON.stringify(place.work)}]\ntrust_level = "trusted"\n`;
    write(place.home, '.codex/config.toml', `${fixed}${settings}\n${trusted}`);
  },
  env: ({ home }) => ({ CODEX_HOME: join(home, '.codex') }),
  turn: ({ text, session, model, sandbox }) => [
    'exec',
    ...(session ? ['resume', session] : []),
    '--json',
    '--skip-git-repo-check',
    '--dangerously-bypass-hook-trust',
    ...(sandbox ? ['-c', 'sandbox_mode="workspace-write"'] : ['--dangerously-bypass-approvals-and-sandbox']),
    ...(model ? ['-m', model] : []),
    text,
  ],
  // `exec` has no command for it: a limit that is passed already makes a turn begin with a compaction.
  compact: {
    args: (session, sandbox) => {
      const [exec = '', ...args] = codex.turn({ text: WAIT, session, sandbox });
      return [exec, '-c', 'model_auto_compact_token_limit=1', ...args];
    },
  },
  read(line) {
    const item = object(line.item);
    const kind = string(item.type);
    if (line.type === 'thread.started') return [{ session: string(line.thread_id) }];
    if (line.type === 'turn.completed') {
      const usage = object(line.usage);
      const cached = number(usage.cached_input_tokens);
      return [{ usage: { input: number(usage.input_tokens), cached, output: number(usage.output_tokens) } }];
    }
    if (line.type === 'turn.failed') return [{ error: string(object(line.error).message) }];
    if (line.type === 'error') return [{ error: string(line.message) }];
    if (line.type === 'item.started' && kind === 'command_execution') {
      return [callOf(kind, { command: unwrapped(string(item.command)) }, string(item.id))];
    }
    if (line.type !== 'item.completed') return [];
    if (kind === 'agent_message') return [{ say: string(item.text) }];
    if (kind === 'command_execution') return [{ done: string(item.id), failed: item.exit_code !== 0 }];
    const told: Told[] = [];
    if (kind === 'file_change') {
      const paths = list(item.changes).map((change) => string(change.path));
      told.push({ call: 'edit', arg: paths.join(' '), id: string(item.id) });
    }
    if (kind === 'mcp_tool_call') told.push(callOf(string(item.tool), item.arguments, string(item.id)));
    if (told.length > 0) told.push({ done: string(item.id), failed: item.status === 'failed' });
    return told;
  },
  injected({ home }, session) {
    const folder = join(home, '.codex/sessions');
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const file = names.find((name) => name.includes(session) && name.endsWith('.jsonl'));
    if (file === undefined) return [];
    // Hooks' texts are messages of the developer, after those with which the host begins.
    return linesOf(join(folder, file))
      .map(({ payload }) => object(payload))
      .filter(({ type, role }) => type === 'message' && role === 'developer')
      .map(({ content }) => textOf(content))
      .filter(
        (text) => !/^\s*<(permissions|collaboration|environment|skills|apps|personality|model)/.test(text),
      );
  },
};

/** `bash -lc '…'` as the command in it. */
const unwrapped = (command: string): string => {
  const inner = /^\S*(?:bash|zsh|sh) -l?c (['"]?)([\s\S]*)\1$/.exec(command)?.[2];
  return inner ?? command;
};
