import { DEFAULT_LIMITS } from '../pad/budget.ts';
import type { CommandSpec } from './command.ts';

interface Kinds {
  text: string;
  /** A text that is shown to a model unchanged. */
  label: string;
  zone: string;
  /** `7-23` */
  hours: string;
  /** Milliseconds; `30m` in a file. */
  duration: number;
  count: number;
  /** From 0 on; mostly 0 turns something off. */
  turns: number;
  percent: number;
  choice: string;
  switch: boolean;
  list: string[];
  command: CommandSpec;
}

export type SettingValue = string | number | boolean | readonly string[] | CommandSpec | undefined;

export interface Row {
  kind: keyof Kinds;
  /** As a person would write it. */
  default?: string | number | boolean | readonly string[];
  about: string;
  /** For a choice: its values. For a list: the values that its items may have. */
  options?: readonly string[];
  /** The path in `Config` that lists all values of an `<id>` setting. */
  into?: string;
  /** Names that an `<id>` may not have, because built-in settings use them. */
  taken?: readonly string[];
  /**
   * `true`: only the user's own config may set it, because a cloned workspace must not decide where text is
   * sent or which environment variable goes with it. `'outside'`: a workspace may set it to paths inside the
   * workspace only, so that it cannot have the user's other files shown to an agent.
   */
  own?: boolean | 'outside';
}

/** A row with its key; one that ends in `<id>` covers any name in that place. */
export interface Setting extends Row {
  key: string;
}

const count = (value: number, about: string) => ({ kind: 'count', default: value, about }) as const;
const turnsSetting = (value: number, about: string) => ({ kind: 'turns', default: value, about }) as const;
const percentSetting = (value: number, about: string) =>
  ({ kind: 'percent', default: value, about }) as const;
const durationSetting = (value: string, about: string) =>
  ({ kind: 'duration', default: value, about }) as const;
const label = (value: string, about: string) => ({ kind: 'label', default: value, about }) as const;
const onOffSetting = (value: boolean, about: string) => ({ kind: 'switch', default: value, about }) as const;
const textSetting = (about: string) => ({ kind: 'text', about }) as const;
const list = (value: readonly string[], about: string) => ({ kind: 'list', default: value, about }) as const;
/** The first option is the default. */
const choiceSetting = <const Option extends string>(options: readonly [Option, ...Option[]], about: string) =>
  ({ kind: 'choice', options, default: options[0], about }) as const;
/** A program to run; with `into`, one under any name. */
const programSetting = <const More extends Partial<Row>>(about: string, more?: More) =>
  ({ kind: 'command', about, ...more }) as { kind: 'command'; about: string } & More;
const own = <const Of extends Row>(row: Of) => ({ ...row, own: true }) as const;
const insideSetting = <const Of extends Row>(row: Of) => ({ ...row, own: 'outside' }) as const;

const MEMORIES = ['claude-code', 'codex', 'gemini-cli', 'openclaw'] as const;

/** All settings, in the order of the documentation. `Config`, its reader and the tables of the docs come from it. */
export const TABLE = {
  primarySession: { kind: 'text', default: 'main', about: 'the session whose pad is SCRATCHPAD.md itself' },
  'primary.onNewSession': choiceSetting(['keep', 'archive'], 'archive: a new conversation gets an empty pad'),
  'spaces.scope': choiceSetting(
    ['workspace', 'session'],
    'session: each session of a host has a plan, notes and refs of its own',
  ),
  'archive.age': durationSetting('90d', 'how long archived and deleted sessions are kept'),
  timezone: { kind: 'zone', about: "the person's time zone, such as Europe/Berlin" },
  activeHours: {
    kind: 'hours',
    default: '7-23',
    about: 'when the person works, such as 20-4; advice to defer follows it',
  },
  ttl: durationSetting('30m', 'how long a state block counts as fresh'),
  'limits.notes': count(DEFAULT_LIMITS.notes, 'maximum length of the notes in characters'),
  'limits.plan': count(DEFAULT_LIMITS.plan, 'maximum length of the plan in characters'),
  'limits.refs': count(DEFAULT_LIMITS.refs, 'maximum number of refs'),
  'state.maxTokens': count(500, 'token budget of the state block'),
  'state.write': choiceSetting(['turn', 'prompt'], 'prompt: hooks write the state block at each prompt'),
  'scratchpad.enabled': onOffSetting(true, 'off: no session.scratchpad tool, and the model is shown nothing'),
  'scratchpad.maxTokens': count(2000, 'token budget of session.scratchpad without an action'),
  'mcp.allTools': onOffSetting(
    false,
    "on: scratchpad mcp also offers the notepad's tools, the notes by another name",
  ),
  'window.messages': count(20, 'how many messages an assembly reads'),
  'window.age': durationSetting('4h', 'how far back from the newest message it reads'),
  'transcript.paths': insideSetting(list([], 'more files or folders with session transcripts')),
  'memory.paths': insideSetting(
    list([], 'more Markdown files or folders to search, relative to the workspace'),
  ),
  'memory.sources': {
    ...list([], `tools whose memories are searched too: ${MEMORIES.join(', ')}`),
    options: MEMORIES,
  },
  'memory.results': count(5, 'maximum number of memories shown'),
  'memory.embeddings.provider': own(choiceSetting(['off', 'openai'], "openai: vectors by OpenAI's protocol")),
  'memory.embeddings.url': own(textSetting("its base address; default: OpenAI's")),
  'memory.embeddings.model': own(textSetting('its model; default: text-embedding-3-small')),
  'memory.embeddings.keyFrom': own(
    textSetting('environment variable with the key; OPENAI_API_KEY at OpenAI'),
  ),
  'memory.embeddings.dimensions': own({ kind: 'count', about: 'numbers in a vector, if fewer than usual' }),
  'memory.embeddings.deadline': own(
    durationSetting('1s', 'how long a search waits for the vector of its query'),
  ),
  'stages.off': list([], 'sections to leave out: sentiment, memory, time, …'),
  'stages.<id>': programSetting('a command that prints a section, also in place of one of ours', {
    into: 'stages.user',
    taken: ['off', 'user'],
  }),
  'feedback.notice': onOffSetting(true, 'off: only feedback given with scratchpad feedback counts'),
  'feedback.lasts': durationSetting('14d', 'how long a remark about the answers counts'),
  'alerts.calendars': insideSetting(
    list(['calendar.ics'], 'calendar files (.ics), or folders of them, for alerts'),
  ),
  'alerts.disk': percentSetting(95, 'disk usage in percent from which it is reported; 0 = never'),
  'alerts.brief': onOffSetting(
    true,
    'a brief of the day at the first prompt of a session in the morning (06:00 to 12:00)',
  ),
  'routing.low': label('small', 'model to suggest for simple work'),
  'routing.medium': label('standard', 'model to suggest for ordinary work'),
  'routing.high': label('strongest', 'model to suggest for hard work'),
  'routing.private': label('local only', 'model to suggest if secrets or personal data are involved'),
  nudgeAfterTurns: turnsSetting(0, 'turns between hints while the scratchpad is empty; 0 = off'),
  nudgeOnPlanDetected: turnsSetting(0, 'hint if a plan is stated but not saved; 1 = on'),
  nudgeAfterCompaction: turnsSetting(0, 'hint to review the scratchpad after a compaction; 1 = on'),
  nudgeTurnsSinceLastUse: turnsSetting(
    0,
    'hint after this many turns without a change to the scratchpad; 0 = off',
  ),
  'outputs.keep': durationSetting(
    '14d',
    'how long stored outputs, and entries of ended sessions, stay; a renamed one stays forever',
  ),
  'outputs.size': count(200, 'megabytes of such outputs per workspace; beyond that the oldest are deleted'),
  'compaction.warnAt': percentSetting(85, 'share of the context window, in percent, to warn at; 0 = never'),
  'compaction.window': turnsSetting(0, "the model's context in tokens, if the host does not say; 0 = guess"),
  'compaction.hold': choiceSetting(
    ['off', 'once'],
    'once: hold the first automatic one so that the agent can save',
  ),
  'compaction.prune': onOffSetting(
    false,
    'on: cut old results of tools in place of a summary, in Claude Code with the plugin',
  ),
  'subagent.copyNotepad': onOffSetting(
    false,
    'on: a subagent starts with a copy of the notes, in its own pad',
  ),
  'subagent.inherit': list([], 'names of entries that a subagent may read'),
  'hook.deadline': durationSetting('2s', 'time limit of a hook'),
  'hook.say': choiceSetting(
    ['once', 'always'],
    'always: tell the model everything at every prompt, not only news',
  ),
  'recite.step': turnsSetting(10000, "tokens after which the plan's current step is repeated; 0 = never"),
  'recite.plan': turnsSetting(25000, 'tokens after which the whole plan is repeated; 0 = never'),
  store: own(textSetting('PostgreSQL server of the shared memory; see docs/sessions.md')),
  'shared.workspace': textSetting('name of this workspace in the shared store; default: its origin in git'),
  'shared.tenant': own(textSetting('tenant in the shared store, for a role with several')),
  'shared.redact': own(onOffSetting(true, 'off: trust the shared store with secrets')),
  'shared.wait': own(turnsSetting(100, 'milliseconds that a hook waits for the shared store; 0 = never')),
  'shared.passwordCommand': own(programSetting('command that prints the password of the shared store')),
} as const satisfies Readonly<Record<string, Row>>;

export const SETTINGS: readonly Setting[] = Object.entries<Row>(TABLE).map(([key, row]) => ({ key, ...row }));

type Value<Of extends Row> = Of extends { into: string }
  ? readonly CommandSpec[]
  : Of extends { kind: 'choice'; options: readonly (infer Option)[] }
    ? Option
    : Of extends { default: unknown }
      ? Kinds[Of['kind']]
      : Kinds[Of['kind']] | undefined;

/** `limits.notes` and its value as `{ limits: { notes: value } }`. */
type NestedSettings<Path, Leaf> = Path extends `${infer Group}.${infer Rest}`
  ? { [Name in Group]: NestedSettings<Rest, Leaf> }
  : { [Name in Path & string]: Leaf };

type AllSettings<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  whole: infer Whole,
) => void
  ? Whole
  : never;

/** The configuration in force, with defaults filled in: `config.limits.notes`. Durations are in milliseconds. */
export type Config = AllSettings<
  {
    [Key in keyof typeof TABLE]: NestedSettings<
      (typeof TABLE)[Key] extends { into: infer Path } ? Path : Key,
      Value<(typeof TABLE)[Key]>
    >;
  }[keyof typeof TABLE]
>;
