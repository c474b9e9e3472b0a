import { SPACE_NAMES } from '../../src/pad/markers.ts';

/** The fields of every command's `--json`, as JSON schemas. A field with a question mark may be missing. */
type Schema = { readonly [key: string]: unknown };
type Fields = { readonly [name: string]: Schema };

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const whole: Schema = { type: 'integer' };
const number: Schema = { type: 'number' };
const yes: Schema = { type: 'boolean' };
const none: Schema = { type: 'null' };
const any: Schema = {};
const anything: Schema = { type: 'object' };
/** ISO 8601, with the offset from UTC. */
const time: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)$',
};
const one = (...values: readonly string[]): Schema => ({ enum: values });
const or = (...anyOf: readonly Schema[]): Schema => ({ anyOf });
const list = (items: Schema): Schema => ({ type: 'array', items });
const map = (additionalProperties: Schema): Schema => ({ type: 'object', additionalProperties });
const fields = (all: Fields): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [name.replace('?', ''), schema]),
  ),
  required: Object.keys(all).filter((name) => !name.endsWith('?')),
  additionalProperties: false,
});
const same = (names: readonly string[], schema: Schema): Fields =>
  Object.fromEntries(names.map((name) => [name, schema]));

const space = one(...SPACE_NAMES);
const filled = { space, used: count, limit: count, unit: one('characters', 'items') };
const usage = list(fields(filled));
const outcome = { ...filled, message: text, revision: count, changed: yes, warnings: list(text) };
const spaceText = { ...filled, content: text };
const planText = {
  ...spaceText,
  steps: list(fields({ number: count, text, done: yes, current: yes })),
};
const walked = { of: list(count), revision: count, message: text, usage, warnings: list(text) };
const freshness = one('fresh', 'stale', 'missing');
const sections = list(fields({ title: text, lines: list(text) }));
const spaces = { plan: text, notes: text, refs: list(text) };
const wholePad = {
  session: text,
  pad: text,
  exists: yes,
  revision: count,
  spaces: fields(spaces),
  next: or(count, none),
  usage,
  state: fields({ status: freshness, updated: or(time, none), sections }),
};
const skipped = list(fields({ reason: text, count }));
const actor = { 'agent?': text, 'session?': text, 'user?': text };
const entry = {
  name: text,
  bytes: count,
  characters: count,
  created: time,
  updated: time,
  origin: text,
  readOnly: yes,
  'owner?': text,
  'former?': anything,
};
const matches = {
  name: text,
  lines: list(fields({ line: count, text, match: yes })),
  matches: count,
  nextOffset: or(count, none),
  nextLine: or(count, none),
};
const piece = {
  name: text,
  content: text,
  offset: count,
  characters: count,
  total: count,
  nextOffset: or(count, none),
};
const session = {
  session: text,
  pad: text,
  primary: yes,
  parent: or(text, none),
  updated: time,
  revision: count,
  entries: count,
};
const strategy = { style: text, tone: text, verbosity: text, preamble: yes };
const remark = {
  at: time,
  person: text,
  text,
  meanings: list(text),
  source: text,
};
const stage = {
  id: text,
  title: text,
  status: text,
  'reason?': text,
  lines: list(fields({ text, why: or(text, none) })),
  dropped: list(text),
};

export const OUTPUTS: Fields = {
  scratchpad: fields(wholePad),
  init: fields({ pad: text, created: yes, excludedBy: or(text, none) }),
  show: or(
    fields(wholePad),
    fields({ revision: count, spaces: fields(spaces) }),
    fields({ status: freshness, updated: or(time, none), sections }),
    fields(spaceText),
    fields(planText),
  ),
  edit: or(fields({ pad: text, changes: list(fields({ space, revision: count })) }), fields(outcome)),
  search: fields({ query: text, hits: list(fields({ source: text, place: text, text })) }),
  context: or(
    fields({
      session: text,
      context: text,
      state: freshness,
      updated: or(time, none),
      ageMs: or(whole, none),
    }),
    fields({
      hostSession: text,
      began: time,
      by: text,
      told: list(fields({ at: time, text })),
      heldBack: list(fields({ text, reason: text })),
    }),
  ),
  check: fields({
    session: text,
    pad: text,
    state: freshness,
    updated: or(time, none),
    ageMs: or(whole, none),
    ttlMs: or(whole, none),
    problems: list(text),
  }),
  status: fields({
    workspace: text,
    session: text,
    pad: text,
    exists: yes,
    revision: count,
    usage,
    state: freshness,
    updated: or(time, none),
    ageMs: or(whole, none),
    lastRun: or(anything, none),
    commands: list(any),
    hooks: anything,
    triggers: anything,
    kept: map(list(text)),
    problems: list(text),
    origins: anything,
    'told?': any,
  }),
  audit: fields({
    sessions: list(anything),
    groups: list(anything),
    turns: list(anything),
  }),
  trust: or(
    fields({
      workspace: text,
      content: one('own', 'approved', 'untrusted'),
      state: one('nothing', 'new', 'changed', 'approved'),
      digest: text,
      approved: or(text, none),
      commands: list(
        fields({
          key: text,
          command: text,
          args: list(text),
          origin: text,
          files: list(anything),
          refused: or(text, none),
        }),
      ),
    }),
    fields({ workspace: text, revoked: yes }),
  ),
  ...same(
    ['install', 'uninstall'],
    or(
      fields({
        'installed?': text,
        'uninstalled?': text,
        changed: yes,
        files: list(text),
        'notes?': list(text),
      }),
      fields({
        dryRun: yes,
        files: list(fields({ path: text, after: or(text, none) })),
        runs: list(text),
      }),
    ),
  ),
  report: fields({ file: text, bytes: count, events: count }),
  line: fields({ line: text, plan: fields({ done: count, steps: count, current: or(text, none) }) }),
  'notes show': fields(spaceText),
  merge: fields({ conflict: yes }),
  'plan show': fields(planText),
  'refs show': fields({ ...filled, items: list(text) }),
  ...same(
    [
      'notes add',
      'notes set',
      'notes edit',
      'notes replace',
      'notes remove',
      'notes clear',
      'plan add',
      'plan set',
      'plan edit',
      'plan done',
      'plan undone',
      'plan current',
      'plan remove',
      'plan move',
      'plan clear',
      'refs add',
      'refs set',
      'refs remove',
      'refs clear',
    ],
    fields(outcome),
  ),
  'plan next': fields({ number: { type: ['integer', 'null'] }, text: { type: ['string', 'null'] } }),
  'plan take': fields({ plan: text }),
  history: list(
    fields({
      rev: count,
      space,
      op: text,
      by: text,
      'actor?': fields(actor),
      timestamp: time,
      'of?': count,
      'ofOp?': text,
      // Whose plan it is, if a session or a branch has its own.
      'plan?': fields({
        id: text,
        number: count,
        'repository?': text,
        'identity?': text,
        'worktree?': text,
        'branch?': text,
        'session?': text,
      }),
      characters: count,
      delta: whole,
      added: list(text),
      removed: list(text),
    }),
  ),
  diff: fields({ from: count, to: count, changes: list(fields({ space, before: text, after: text })) }),
  ...same(['undo', 'redo'], fields(walked)),
  assemble: or(
    fields({
      session: text,
      pad: text,
      written: yes,
      updated: time,
      expires: time,
      tokens: count,
      maxTokens: count,
      source: or(fields({ name: text, format: text, messages: count }), none),
      stages: list(fields(stage)),
      skipped,
      notices: list(text),
    }),
    fields({ session: text, pad: text, written: yes, reason: text, 'updated?': time, 'ageMs?': whole }),
  ),
  'memory search': fields({
    query: text,
    hits: list(
      fields({
        path: text,
        line: count,
        startLine: count,
        endLine: count,
        score: number,
        text,
        headings: list(text),
        'words?': list(text),
        'meaning?': number,
        'date?': text,
        'author?': text,
      }),
    ),
    asked: any,
    source: text,
    changed: count,
    files: count,
    passages: count,
    leftOut: skipped,
    'meaning?': anything,
  }),
  'memory status': anything,
  'memory index': fields({
    files: count,
    passages: count,
    leftOut: skipped,
    saved: yes,
    'vectors?': anything,
  }),
  mood: fields({
    source: text,
    state: anything,
    strategy: fields({ ...strategy, suggestions: list(text), reasons: list(text) }),
    others: anything,
    'trouble?': text,
  }),
  feedback: or(
    fields({ event: fields(remark) }),
    fields({
      events: list(fields({ ...remark, 'mark?': text })),
      lastsMs: count,
    }),
    fields({ forgotten: count }),
  ),
  'handover show': or(
    fields({ session: none }),
    fields({
      session: text,
      at: time,
      running: yes,
      ended: yes,
      'takenBy?': text,
      line: text,
      state: anything,
      text,
      agent: list(text),
      messages: list(
        fields({
          id: text,
          text,
          agrees: yes,
          session: text,
          number: count,
          told: yes,
          'reason?': text,
          'at?': time,
          'to?': text,
        }),
      ),
      'plan?': text,
      earlier: list(fields({ session: text, at: time, about: text })),
    }),
  ),
  'handover forget': fields({ forgotten: list(fields({ id: text, text })) }),
  'transcript list': list(fields({ host: text, id: text, path: text, lastActive: time, 'cwd?': text })),
  guidance: fields({ guidance: text }),
  doctor: fields({
    workspace: text,
    findings: list(fields({ level: one('ok', 'warn', 'fail'), about: text, found: text, 'next?': text })),
  }),
  ...same(['entry write', 'entry undelete', 'entry rename'], fields(entry)),
  'entry edit': fields({ ...entry, 'replaced?': count }),
  'entry read': or(fields(piece), fields(matches)),
  'entry list': or(list(fields(entry)), list(anything)),
  'entry delete': fields({ deleted: list(text) }),
  'session list': list(fields(session)),
  ...same(['session fork', 'session spawn'], fields(session)),
  'session archive': fields({ session: text, archive: text }),
  'session prune': fields({
    dryRun: yes,
    archived: list(fields({ session: text, updated: time, archive: or(text, none) })),
  }),
  'session delete': fields({ deleted: text, archive: or(text, none) }),
  'session restore': or(
    fields(session),
    fields({ restored: list(text), usage, revision: count, warnings: list(text) }),
  ),
  'session persist': fields({ written: list(text), parentId: or(text, none) }),
  'config list': list(fields({ key: text, value: any, source: text, about: text })),
  'config get': fields({ key: text, value: any, text }),
  ...same(['config set', 'config unset'], fields({ key: text, value: any, file: text })),
  'config check': fields({ problems: list(text) }),
  tool: list(fields({ name: text, description: text, inputSchema: anything })),
};

/** The JSON of any command that fails. */
export const FAILURE = fields({
  error: fields({
    kind: one('refused', 'usage', 'environment', 'stale'),
    message: text,
    'where?': text,
    'expected?': text,
    'found?': text,
    'next?': text,
  }),
});
