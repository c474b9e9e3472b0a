import { DEFAULT_LIMITS } from '../pad/budget.ts';
import { SECTIONS } from '../pad/sections.ts';
import type { Row, Setting } from './config.ts';

/** All settings, in the order of the documentation. `Config`, its reader and the tables of the docs come from it. */
export const TABLE = {
  primarySession: { kind: 'text', default: 'main', about: 'the session whose pad is SCRATCHPAD.md itself' },
  'primary.onNewSession': {
    kind: 'choice',
    options: ['keep', 'archive'],
    default: 'keep',
    about: 'archive: a new conversation of a host starts with an empty pad, and the old one is archived',
  },
  'archive.age': {
    kind: 'duration',
    default: '90d',
    about: 'how long sessions that were archived or deleted are kept under .scratchpad/archive/',
  },
  timezone: { kind: 'zone', about: "the person's time zone, such as Europe/Berlin" },
  ttl: { kind: 'duration', default: '30m', about: 'how long a state block counts as fresh' },
  'limits.notes': {
    kind: 'count',
    default: DEFAULT_LIMITS.notes,
    about: 'maximum length of the notes in characters',
  },
  'limits.plan': {
    kind: 'count',
    default: DEFAULT_LIMITS.plan,
    about: 'maximum length of the plan in characters',
  },
  'limits.refs': { kind: 'count', default: DEFAULT_LIMITS.refs, about: 'maximum number of refs' },
  'state.maxTokens': { kind: 'count', default: 500, about: 'token budget of the state block' },
  'state.write': {
    kind: 'choice',
    options: ['turn', 'prompt'],
    default: 'turn',
    about:
      'prompt: hooks write the state block into SCRATCHPAD.md at each prompt, not at the end of the turn; for agents that read the file',
  },
  'scratchpad.enabled': {
    kind: 'switch',
    default: true,
    about: 'off: no session.scratchpad tool, and the model is shown nothing',
  },
  'scratchpad.maxTokens': {
    kind: 'count',
    default: 2000,
    about: 'token budget of session.scratchpad without an action',
  },
  'mcp.allTools': {
    kind: 'switch',
    default: false,
    about:
      'on: scratchpad mcp offers every tool, not only session_scratchpad, scratchpad_read and memory_search',
  },
  'window.messages': { kind: 'count', default: 20, about: 'how many messages an assembly reads' },
  'window.age': { kind: 'duration', default: '4h', about: 'how far back from the newest message it reads' },
  'transcript.paths': {
    kind: 'list',
    own: 'outside',
    default: ['sessions'],
    about: 'more files or folders with session transcripts, relative to the workspace',
  },
  'memory.paths': {
    kind: 'list',
    own: 'outside',
    default: [],
    about: 'more Markdown files or folders to search, relative to the workspace',
  },
  'memory.sources': {
    kind: 'list',
    options: ['claude-code', 'codex', 'gemini-cli', 'openclaw'],
    default: [],
    about: 'tools whose memories are searched too: claude-code, codex, gemini-cli, openclaw',
  },
  'memory.results': { kind: 'count', default: 5, about: 'maximum number of memories shown' },
  'memory.embeddings.provider': {
    kind: 'choice',
    options: ['off', 'openai'],
    own: true,
    default: 'off',
    about: "openai: a service that speaks OpenAI's protocol turns memories and queries into vectors",
  },
  'memory.embeddings.url': { kind: 'text', own: true, about: "its base address; default: OpenAI's" },
  'memory.embeddings.model': { kind: 'text', own: true, about: 'its model; default: text-embedding-3-small' },
  'memory.embeddings.keyFrom': {
    kind: 'text',
    own: true,
    about: 'environment variable with the key; default: OPENAI_API_KEY, and none at another address',
  },
  'memory.embeddings.dimensions': {
    kind: 'count',
    own: true,
    about: 'numbers in a vector, for models that support shorter ones',
  },
  'memory.embeddings.deadline': {
    kind: 'duration',
    own: true,
    default: '1s',
    about: 'how long a search waits for the vector of its query',
  },
  'stages.off': { kind: 'list', default: [], about: 'sections to leave out: sentiment, memory, time, …' },
  'stages.<id>': {
    kind: 'command',
    into: 'stages.user',
    taken: ['off', 'user', ...SECTIONS.map(({ id }): string => id)],
    about: 'a command that prints a section: {command, args, title, priority, timeout}',
  },
  'feedback.notice': {
    kind: 'switch',
    default: true,
    about: 'off: feedback counts only if given with scratchpad feedback, not in the conversation',
  },
  'feedback.lasts': {
    kind: 'duration',
    default: '14d',
    about: 'how long a remark about the answers counts',
  },
  'alerts.commands.<id>': {
    kind: 'command',
    into: 'alerts.commands',
    about: 'a command that prints alerts, one per line: {command, args, timeout}',
  },
  'alerts.calendars': {
    kind: 'list',
    own: 'outside',
    default: ['calendar.ics'],
    about: 'calendar files (.ics), or folders of them, for alerts',
  },
  'alerts.disk': {
    kind: 'percent',
    default: 85,
    about: 'disk usage in percent above which growth is reported; 0 = never',
  },
  'alerts.disks': {
    kind: 'list',
    default: ['.'],
    about: 'paths on the disks to check, relative to the workspace',
  },
  'alerts.brief': {
    kind: 'switch',
    default: true,
    about: 'a brief of the day, in the first session of a morning (06:00 to 12:00)',
  },
  'routing.low': { kind: 'label', default: 'fast', about: 'model to suggest for simple work' },
  'routing.medium': { kind: 'label', default: 'standard', about: 'model to suggest for ordinary work' },
  'routing.high': { kind: 'label', default: 'strongest', about: 'model to suggest for hard work' },
  'routing.private': {
    kind: 'label',
    default: 'local only',
    about: 'model to suggest if secrets or personal data are involved',
  },
  'routing.privateFrom': {
    kind: 'choice',
    options: ['medium', 'high', 'never'],
    default: 'high',
    about: 'sensitivity from which routing.private is suggested',
  },
  nudgeAfterTurns: {
    kind: 'turns',
    default: 0,
    about: 'turns between hints while the scratchpad is empty; 0 = off',
  },
  nudgeOnPlanDetected: {
    kind: 'turns',
    default: 0,
    about:
      'hint if the agent states a plan and the scratchpad is empty, or the host has tasks or an approved plan and the plan space is empty; 1 = on',
  },
  nudgeAfterCompaction: {
    kind: 'turns',
    default: 0,
    about: 'hint to review the scratchpad after a compaction; 1 = on',
  },
  nudgeTurnsSinceLastUse: {
    kind: 'turns',
    default: 0,
    about: 'hint after this many turns without a change to the scratchpad; 0 = off',
  },
  'outputs.keep': {
    kind: 'duration',
    default: '14d',
    about: 'how long automatically kept outputs stay; a renamed one stays forever',
  },
  'outputs.size': {
    kind: 'count',
    default: 200,
    about: 'megabytes of such outputs per workspace; beyond that the oldest are deleted',
  },
  'compaction.warnAt': {
    kind: 'percent',
    default: 85,
    about: 'percentage of the context window at which the agent is warned; 0 = never',
  },
  'compaction.window': {
    kind: 'turns',
    default: 0,
    about: "size of the model's context in tokens, if the host does not report it; 0 = guess",
  },
  'compaction.hold': {
    kind: 'choice',
    options: ['off', 'once'],
    default: 'off',
    about: 'once: hold the first automatic compaction of a cycle so that the agent can save (Claude Code)',
  },
  'subagent.copyNotepad': {
    kind: 'switch',
    default: false,
    about: 'on: a subagent starts with a copy of the notes, in its own pad',
  },
  'subagent.inherit': { kind: 'list', default: [], about: 'names of entries that a subagent may read' },
  'hook.deadline': { kind: 'duration', default: '2s', about: 'time limit of a hook' },
  'hook.say': {
    kind: 'choice',
    options: ['once', 'always'],
    default: 'once',
    about: 'always: tell the model everything at every prompt, not only news',
  },
  'recite.step': {
    kind: 'turns',
    default: 10000,
    about: "tokens of conversation after which the plan's current step is repeated; 0 = never",
  },
  'recite.plan': {
    kind: 'turns',
    default: 25000,
    about: 'tokens of conversation after which the whole plan is repeated; 0 = never',
  },
  store: { kind: 'text', own: true, about: 'PostgreSQL server of the shared memory; see docs/sessions.md' },
  'shared.workspace': {
    kind: 'text',
    about: 'name of this workspace in the shared store; default: its origin in git',
  },
  'shared.tenant': { kind: 'text', own: true, about: 'tenant in the shared store, for a role with several' },
  'shared.redact': {
    kind: 'switch',
    own: true,
    default: true,
    about: 'off: trust the shared store with secrets',
  },
  'shared.largestEntry': {
    kind: 'count',
    own: true,
    default: 8,
    about: 'largest entry that is sent, in MiB',
  },
  'shared.wait': {
    kind: 'turns',
    own: true,
    default: 100,
    about: 'milliseconds that a hook waits for the shared store; 0 = never',
  },
  'shared.passwordCommand': {
    kind: 'command',
    own: true,
    about: 'command that prints the password of the shared store',
  },
} as const satisfies Readonly<Record<string, Row>>;

export const SETTINGS: readonly Setting[] = Object.entries<Row>(TABLE).map(([key, row]) => ({ key, ...row }));
