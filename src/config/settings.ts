import { ScratchpadError } from '../errors.ts';
import { DEFAULT_LIMITS } from '../pad/budget.ts';
import { parseDuration } from '../pad/freshness.ts';

/** The configuration in force, defaults filled in. Durations in milliseconds. */
export interface Config {
  primarySession: string;
  /** IANA name; `undefined` for the system's zone. */
  timezone: string | undefined;
  ttl: number;
  limits: { notes: number; plan: number; refs: number };
  state: { maxTokens: number };
  window: { messages: number; age: number };
  transcript: { paths: string[] };
  memory: { paths: string[]; results: number };
  stages: { off: string[] };
  scratchpad: { enabled: boolean; maxTokens: number };
  tokens: { exact: boolean };
  /** Turns; 0 turns a nudge off. */
  nudgeAfterTurns: number;
  nudgeOnPlanDetected: number;
  nudgeAfterCompaction: number;
  nudgeTurnsSinceLastUse: number;
  compaction: { warnAt: number; window: number; hold: 'off' | 'once' };
  hook: { deadline: number; refresh: number | undefined; pad: 'shared' | 'own' };
}

export type SettingValue = string | number | boolean | readonly string[] | undefined;

/** One setting: what it may be, what it is by default, and what it is for. */
export interface Setting {
  key: string;
  kind: 'text' | 'zone' | 'duration' | 'count' | 'turns' | 'percent' | 'choice' | 'switch' | 'list';
  /** For a choice. */
  options?: readonly string[];
  /** As a person would write it. */
  default: string | number | boolean | readonly string[] | undefined;
  about: string;
}

export const SETTINGS: readonly Setting[] = [
  {
    key: 'primarySession',
    kind: 'text',
    default: 'main',
    about: 'the session whose pad is SCRATCHPAD.md itself',
  },
  {
    key: 'timezone',
    kind: 'zone',
    default: undefined,
    about: "the person's time zone, such as Europe/Berlin",
  },
  { key: 'ttl', kind: 'duration', default: '30m', about: 'how long a state block counts as fresh' },
  {
    key: 'limits.notes',
    kind: 'count',
    default: DEFAULT_LIMITS.notes,
    about: 'characters that notes may hold',
  },
  { key: 'limits.plan', kind: 'count', default: DEFAULT_LIMITS.plan, about: 'characters that plan may hold' },
  { key: 'limits.refs', kind: 'count', default: DEFAULT_LIMITS.refs, about: 'items that refs may hold' },
  { key: 'state.maxTokens', kind: 'count', default: 500, about: 'token budget of the state block' },
  {
    key: 'scratchpad.enabled',
    kind: 'switch',
    default: true,
    about: 'off: no session.scratchpad tool, and nothing put before the model',
  },
  {
    key: 'scratchpad.maxTokens',
    kind: 'count',
    default: 2000,
    about: 'token budget of session.scratchpad without an action',
  },
  {
    key: 'tokens.exact',
    kind: 'switch',
    default: false,
    about: 'on: count tokens with o200k_base, which takes half a second to load, instead of an estimate',
  },
  { key: 'window.messages', kind: 'count', default: 20, about: 'messages that an assembly looks at' },
  {
    key: 'window.age',
    kind: 'duration',
    default: '4h',
    about: 'how far back from the newest message it looks',
  },
  {
    key: 'transcript.paths',
    kind: 'list',
    default: ['sessions'],
    about: 'more files or folders with session transcripts, relative to the workspace',
  },
  {
    key: 'memory.paths',
    kind: 'list',
    default: [],
    about: 'more Markdown files or folders to search, relative to the workspace',
  },
  { key: 'memory.results', kind: 'count', default: 5, about: 'memories shown at most' },
  {
    key: 'stages.off',
    kind: 'list',
    default: [],
    about: 'sections to leave out: sentiment, memory, time, …',
  },
  {
    key: 'nudgeAfterTurns',
    kind: 'turns',
    default: 0,
    about: 'hint every so many turns while the scratchpad is empty; 0 = off',
  },
  {
    key: 'nudgeOnPlanDetected',
    kind: 'turns',
    default: 0,
    about: 'hint when the agent states a plan and the scratchpad is empty; 1 = on',
  },
  {
    key: 'nudgeAfterCompaction',
    kind: 'turns',
    default: 0,
    about: 'hint to review the scratchpad after a compaction; 1 = on',
  },
  {
    key: 'nudgeTurnsSinceLastUse',
    kind: 'turns',
    default: 0,
    about: 'hint when the scratchpad has not changed for so many turns; 0 = off',
  },
  {
    key: 'compaction.warnAt',
    kind: 'percent',
    default: 85,
    about: 'share of the context window, in percent, at which the agent is warned; 0 = never',
  },
  {
    key: 'compaction.window',
    kind: 'turns',
    default: 0,
    about: "tokens in the model's context, where the host does not tell; 0 = guess",
  },
  {
    key: 'compaction.hold',
    kind: 'choice',
    options: ['off', 'once'],
    default: 'off',
    about: 'once: hold the first automatic compaction of a cycle so that the agent can save (Claude Code)',
  },
  { key: 'hook.deadline', kind: 'duration', default: '2s', about: 'longest time that a hook may take' },
  {
    key: 'hook.refresh',
    kind: 'duration',
    default: undefined,
    about: 'age at which a hook assembles the state anew; the TTL unless set',
  },
  {
    key: 'hook.pad',
    kind: 'choice',
    options: ['shared', 'own'],
    default: 'shared',
    about: "own: the agent's commands go to a pad of its host session (Claude Code)",
  },
];

export function settingFor(key: string): Setting {
  const setting = SETTINGS.find((candidate) => candidate.key === key);
  if (setting) return setting;
  throw new ScratchpadError('usage', 'no such setting', {
    expected: SETTINGS.map((known) => known.key).join(', '),
    found: key,
  });
}

/**
 * Checks one value and brings it into the form that `Config` has.
 * @throws ScratchpadError `usage` with the key, what it takes and what was found.
 */
export function readValue(setting: Setting, value: unknown): SettingValue {
  switch (setting.kind) {
    case 'text':
      if (typeof value === 'string' && value.trim() !== '') return value;
      throw wrong(setting, 'a text', value);
    case 'zone':
      if (typeof value === 'string' && isZone(value)) return value;
      throw wrong(setting, 'an IANA time zone such as Europe/Berlin', value);
    case 'duration':
      try {
        return parseDuration(String(value));
      } catch {
        throw wrong(setting, 'a duration such as 90s, 30m, 2h', value);
      }
    case 'count':
      if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 1_000_000)
        return value;
      throw wrong(setting, 'a whole number above 0', value);
    case 'switch':
      // YAML 1.2 reads on and off as texts.
      if (value === true || value === 'on' || value === 'true') return true;
      if (value === false || value === 'off' || value === 'false') return false;
      throw wrong(setting, 'on or off', value);
    case 'turns':
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100_000_000)
        return value;
      throw wrong(setting, 'a whole number, 0 to turn it off', value);
    case 'percent':
      if (typeof value === 'number' && value >= 0 && value <= 100) return value;
      throw wrong(setting, 'a share from 0 to 100', value);
    case 'choice': {
      // YAML reads a bare `off` as text, its older version as false.
      const text = value === false ? 'off' : value;
      if (typeof text === 'string' && setting.options?.includes(text)) return text;
      throw wrong(setting, `one of ${setting.options?.join(', ')}`, value);
    }
    case 'list': {
      const items: unknown[] = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
      const texts = items.filter((item): item is string => typeof item === 'string' && item !== '');
      if ((typeof value === 'string' || Array.isArray(value)) && texts.length === items.length) return texts;
      throw wrong(setting, 'a list of texts', value);
    }
  }
}

/** A value from the command line, in the type that the setting has in YAML. */
export function parseArgument(setting: Setting, text: string): string | number | string[] {
  if (setting.kind === 'count' || setting.kind === 'turns' || setting.kind === 'percent')
    return /^\d+$/.test(text) ? Number(text) : text;
  if (setting.kind === 'list')
    return text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  return text;
}

/** Builds a `Config` from checked values by key; what is missing has its default. */
export function buildConfig(values: ReadonlyMap<string, SettingValue>): Config {
  const root: Record<string, unknown> = {};
  for (const setting of SETTINGS) {
    const fallback = setting.default === undefined ? undefined : readValue(setting, setting.default);
    const path = setting.key.split('.');
    const leaf = path.pop() as string;
    let node = root;
    for (const part of path) {
      const inner = (node[part] ?? {}) as Record<string, unknown>;
      node[part] = inner;
      node = inner;
    }
    node[leaf] = values.has(setting.key) ? values.get(setting.key) : fallback;
  }
  return root as unknown as Config;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function wrong(setting: Setting, expected: string, value: unknown): ScratchpadError {
  return new ScratchpadError('usage', `${setting.key} is not usable`, {
    where: setting.key,
    expected,
    found: typeof value === 'string' ? value : JSON.stringify(value),
  });
}
