import { DEFAULT_LIMITS } from '../pad/budget.ts';
import { SECTIONS } from '../pad/sections.ts';
import type { Setting } from './config.ts';

/**
 * All settings, in the order of the documentation; the tables of the docs are made from it. A row is
 * `key  kind option
 * option = default`, with the purpose below it. `(own)`: only the user's own config may set it. The row of an
 * `<id>` setting says which list of `Config` collects the values, and which names are taken.
 */
const TABLE = `
primarySession  text = main
  the session whose pad is SCRATCHPAD.md itself
primary.onNewSession  choice keep|archive = keep
  archive: a new conversation of a host starts with an empty pad, and the old one is archived
archive.age  duration = 90d
  how long sessions that were archived or deleted are kept under .scratchpad/archive/
scope.age  duration = 1d
  age at which a plan of another session is described in one line instead of being shown to the model
scope.branchAge  duration = 14d
  the same for a plan of the branch that the session works on
scope.branches  choice apart|shared = apart
  shared: sessions on every branch are shown a plan, not only those on its own branch
scope.worktrees  choice apart|shared = apart
  shared: all linked work trees of a repository share one plan, as they share notes and refs
timezone  zone
  the person's time zone, such as Europe/Berlin
ttl  duration = 30m
  how long a state block counts as fresh
limits.notes  count = ${DEFAULT_LIMITS.notes}
  maximum length of the notes in characters
limits.plan  count = ${DEFAULT_LIMITS.plan}
  maximum length of the plan in characters
limits.refs  count = ${DEFAULT_LIMITS.refs}
  maximum number of refs
state.maxTokens  count = 500
  token budget of the state block
state.write  choice turn|prompt = turn
  prompt: hooks write the state block into SCRATCHPAD.md at each prompt, not at the end of the turn; for agents that read the file
scratchpad.enabled  switch = on
  off: no session.scratchpad tool, and the model is shown nothing
scratchpad.maxTokens  count = 2000
  token budget of session.scratchpad without an action
mcp.allTools  switch = off
  on: scratchpad mcp offers every tool, not only session_scratchpad, scratchpad_read and memory_search
tokens.exact  switch = off
  on: count tokens with o200k_base, which takes half a second to load, instead of an estimate
window.messages  count = 20
  how many messages an assembly reads
window.age  duration = 4h
  how far back from the newest message it reads
transcript.paths  list (own outside) = sessions
  more files or folders with session transcripts, relative to the workspace
memory.paths  list (own outside)
  more Markdown files or folders to search, relative to the workspace
memory.sources  list claude-code|codex|gemini-cli|openclaw
  tools whose memories are searched too: claude-code, codex, gemini-cli, openclaw
memory.results  count = 5
  maximum number of memories shown
memory.embeddings.provider  choice off|openai (own) = off
  openai: a service that speaks OpenAI's protocol turns memories and queries into vectors
memory.embeddings.url  text (own)
  its base address; default: OpenAI's
memory.embeddings.model  text (own)
  its model; default: text-embedding-3-small
memory.embeddings.keyFrom  text (own)
  environment variable with the key; default: OPENAI_API_KEY, and none at another address
memory.embeddings.dimensions  count (own)
  numbers in a vector, for models that support shorter ones
memory.embeddings.deadline  duration (own) = 1s
  how long a search waits for the vector of its query
stages.off  list
  sections to leave out: sentiment, memory, time, …
stages.<id>  command -> stages.user not ${['off', 'user', ...SECTIONS.map(({ id }) => id)].join('|')}
  a command that prints a section: {command, args, title, priority, timeout}
sentiment.command  command
  a command that reads the mood instead of the built-in engine
mood.history  switch = off
  on: record each mood and the strategy given in .scratchpad/mood.jsonl
feedback.notice  switch = on
  off: feedback counts only if given with scratchpad feedback, not in the conversation
feedback.halfLife  duration = 14d
  time in which feedback loses half its weight
alerts.commands.<id>  command -> alerts.commands
  a command that prints alerts, one per line: {command, args, timeout}
alerts.calendars  list (own outside) = calendar.ics
  calendar files (.ics), or folders of them, for alerts
alerts.disk  percent = 85
  disk usage in percent above which growth is reported; 0 = never
alerts.disks  list = .
  paths on the disks to check, relative to the workspace
alerts.brief  switch = on
  a brief of the day, in the first session of a morning (06:00 to 12:00)
routing.low  label = fast
  model to suggest for simple work
routing.medium  label = standard
  model to suggest for ordinary work
routing.high  label = strongest
  model to suggest for hard work
routing.private  label = local only
  model to suggest if secrets or personal data are involved
routing.privateFrom  choice medium|high|never = high
  sensitivity from which routing.private is suggested
nudgeAfterTurns  turns = 0
  turns between hints while the scratchpad is empty; 0 = off
nudgeOnPlanDetected  turns = 0
  hint if the agent states a plan and the scratchpad is empty, or the host has tasks or an approved plan and the plan space is empty; 1 = on
nudgeAfterCompaction  turns = 0
  hint to review the scratchpad after a compaction; 1 = on
nudgeTurnsSinceLastUse  turns = 0
  hint after this many turns without a change to the scratchpad; 0 = off
outputs.keep  duration = 14d
  how long automatically kept outputs stay; a renamed one stays forever
outputs.size  count = 200
  megabytes of such outputs per workspace; beyond that the oldest are deleted
compaction.warnAt  percent = 85
  percentage of the context window at which the agent is warned; 0 = never
compaction.window  turns = 0
  size of the model's context in tokens, if the host does not report it; 0 = guess
compaction.hold  choice off|once = off
  once: hold the first automatic compaction of a cycle so that the agent can save (Claude Code)
subagent.copyNotepad  switch = off
  on: a subagent starts with a copy of the notes, in its own pad
subagent.inherit  list
  names of entries that a subagent may read
hook.deadline  duration = 2s
  time limit of a hook
hook.say  choice once|always = once
  always: tell the model everything at every prompt, not only news
hook.pad  choice shared|own = shared
  own: the agent's commands use a separate pad for its host session (Claude Code)
recite.step  turns = 10000
  tokens of conversation after which the plan's current step is repeated; 0 = never
recite.plan  turns = 25000
  tokens of conversation after which the whole plan is repeated; 0 = never
store  text (own)
  PostgreSQL server of the shared memory; see docs/sessions.md
shared.workspace  text
  name of this workspace in the shared store; default: its origin in git
shared.tenant  text (own)
  tenant in the shared store, for a role with several
shared.redact  switch (own) = on
  off: trust the shared store with secrets
shared.largestEntry  count (own) = 8
  largest entry that is sent, in MiB
shared.wait  turns (own) = 100
  milliseconds that a hook waits for the shared store; 0 = never
shared.passwordCommand  command (own)
  command that prints the password of the shared store
`;

const ROW =
  /^(\S+) {2}(\w+)(?: (?!->)(\S+\|\S+))?(?: \((own)( outside)?\))?(?: -> (\S+))?(?: not (\S+))?(?: = (.*))?\n {2}(.*)$/;

export const SETTINGS: readonly Setting[] = TABLE.trim()
  .split(/\n(?! )/)
  .map((row) => {
    const [, key, kind = '', options, own, outside, into, taken, fallback, about = ''] = ROW.exec(row) ?? [];
    if (key === undefined) throw new Error(`this is no setting: ${row}`);
    return {
      ...{ key, about, kind: kind as Setting['kind'], default: defaultOf(kind, fallback) },
      ...(options && { options: options.split('|') }),
      ...(own && { own: outside ? 'outside' : true }),
      ...(into && { into }),
      ...(taken && { taken: taken.split('|') }),
    };
  });

function defaultOf(kind: string, text: string | undefined): Setting['default'] {
  if (kind === 'list') return text?.split(', ') ?? [];
  if (kind === 'switch') return text === 'on';
  return text !== undefined && /^(?:count|turns|percent)$/.test(kind) ? Number(text) : text;
}
