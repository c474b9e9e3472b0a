import { isObject, type JsonObject, listAt, membersOf, parsed, textAt } from '../text/json.ts';

/** Codex runs a hook only if its hash is one that the person has trusted. */
export interface HookTrust {
  event: string;
  /** The hook as in the settings. */
  hook: JsonObject;
  status: 'trusted' | 'changed' | 'untrusted' | 'disabled';
}

/** Events whose matcher Codex ignores. */
const NO_MATCHER = new Set(['user_prompt_submit', 'stop']);
const DEFAULT_TIMEOUT_S = 600;

/**
 * The trust state of each hook of a hooks.json.
 * @param hooks the parsed file
 * @param path the file, as Codex names it: absolute
 * @param config the text of `$CODEX_HOME/config.toml`, where trust is stored
 */
export async function codexTrust(hooks: JsonObject, path: string, config: string): Promise<HookTrust[]> {
  const states = hookStates(config);
  const found: HookTrust[] = [];
  for (const [event, groups] of Object.entries(membersOf(hooks.hooks))) {
    const label = labelOf(event);
    for (const [group, one] of (Array.isArray(groups) ? groups : []).entries()) {
      if (!isObject(one)) continue;
      for (const [index, hook] of listAt(one, 'hooks').entries()) {
        if (!isObject(hook)) continue;
        const state = states.get(`${path}:${label}:${group}:${index}`);
        const hash = state?.hash === undefined ? undefined : await trustHash(label, one.matcher, hook);
        const status =
          state?.enabled === false
            ? 'disabled'
            : state?.hash === undefined
              ? 'untrusted'
              : state.hash === hash
                ? 'trusted'
                : 'changed';
        found.push({ event, hook, status });
      }
    }
  }
  return found;
}

/**
 * The hash of a command hook in Codex 0.130 to 0.169: SHA-256 of its identity as JSON with
 * sorted keys (openai/codex, `codex-rs/hooks/src/engine/discovery.rs`).
 * @param label the event, as in `session_start`
 */
export async function trustHash(label: string, matcher: unknown, hook: JsonObject): Promise<string> {
  const { timeout, statusMessage } = hook;
  const handler = {
    async: hook.async === true,
    command: textAt(hook, 'command') ?? '',
    ...(typeof statusMessage === 'string' ? { statusMessage } : {}),
    timeout: Math.max(1, typeof timeout === 'number' ? timeout : DEFAULT_TIMEOUT_S),
    type: 'command',
  };
  const identity = {
    event_name: label,
    hooks: [handler],
    ...(typeof matcher === 'string' && !NO_MATCHER.has(label) ? { matcher } : {}),
  };
  const { createHash } = await import('node:crypto');
  return `sha256:${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}`;
}

const labelOf = (event: string): string =>
  event.replace(/[A-Z]/g, (letter, at) => (at === 0 ? '' : '_') + letter.toLowerCase());

interface HookState {
  hash?: string;
  enabled?: boolean;
}

/** The tables `[hooks.state."KEY"]`, and their one-line forms: all that we need of TOML here. */
function hookStates(config: string): Map<string, HookState> {
  const states = new Map<string, HookState>();
  let key: string | undefined;
  let inState = false;
  for (const line of config.split(/\r?\n/)) {
    const table = /^\s*\[(?!\[)\s*(.*?)\s*\]\s*(?:#.*)?$/.exec(line)?.[1];
    if (table !== undefined) {
      inState = /^hooks\s*\.\s*state$/.test(table);
      key = keyOf(/^hooks\s*\.\s*state\s*\.\s*(.+)$/.exec(table)?.[1]);
      continue;
    }
    const [, name, values] = inState
      ? (/^\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*=\s*\{(.*)\}/.exec(line) ?? [])
      : [];
    const of = name === undefined ? key : keyOf(name);
    if (of === undefined) continue;
    const text = values ?? line;
    const hash = /(?:^|[\s{,])trusted_hash\s*=\s*["']([^"']*)["']/.exec(text)?.[1];
    const enabled = /(?:^|[\s{,])enabled\s*=\s*(true|false)/.exec(text)?.[1];
    states.set(of, {
      ...states.get(of),
      ...(hash === undefined ? {} : { hash }),
      ...(enabled === undefined ? {} : { enabled: enabled === 'true' }),
    });
  }
  return states;
}

function keyOf(quoted: string | undefined): string | undefined {
  if (quoted === undefined) return undefined;
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  const value = parsed(quoted);
  return typeof value === 'string' ? value : undefined;
}
