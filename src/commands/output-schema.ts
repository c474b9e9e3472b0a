import { SPACE_NAMES } from '../pad/markers.ts';

/** A JSON schema, as far as the outputs of the commands need it. */
export type Schema = { readonly [key: string]: unknown };

/** The contract's version: it changes when a field is removed or changes its meaning, not when one is added. */
export const OUTPUT_VERSION = 1;

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const whole: Schema = { type: 'integer' };
const number: Schema = { type: 'number' };
const yes: Schema = { type: 'boolean' };
/** ISO 8601, with the offset from UTC. */
const time: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)$',
};
const anything: Schema = {};

function list(items: Schema): Schema {
  return { type: 'array', items };
}

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

function one(...values: readonly string[]): Schema {
  return { enum: values };
}

function either(...schemas: readonly Schema[]): Schema {
  return { anyOf: schemas };
}

function map(values: Schema): Schema {
  return { type: 'object', additionalProperties: values };
}

/** An object; properties with a name that ends in a question mark are optional. */
function object(properties: { readonly [name: string]: Schema }): Schema {
  const names = Object.keys(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), properties[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

const texts = list(text);
const space = one(...SPACE_NAMES);
const usageFields = { space, used: count, limit: count, unit: one('characters', 'items') };
const usage = list(object(usageFields));
const outcome = object({ ...usageFields, message: text, revision: count, changed: yes, warnings: texts });
const spaceText = object({ ...usageFields, content: text });
const walked = object({ of: list(count), revision: count, message: text, usage, warnings: texts });
const freshness = one('fresh', 'stale', 'missing');
const sections = list(object({ title: text, lines: texts }));
const spaces = object({ plan: text, notes: text, refs: texts });
const skipped = list(object({ reason: text, count }));
const actor = object({ 'agent?': text, 'session?': text, 'user?': text });
const entryFields = {
  name: text,
  bytes: count,
  characters: count,
  created: time,
  updated: time,
  origin: text,
  readOnly: yes,
  'owner?': text,
};
const entry = object(entryFields);
const matches = object({
  name: text,
  lines: list(object({ line: count, text, match: yes })),
  matches: count,
  nextOffset: orNull(count),
  nextLine: orNull(count),
});
const piece = object({
  name: text,
  content: text,
  offset: count,
  characters: count,
  total: count,
  nextOffset: orNull(count),
});
const sessionFields = {
  session: text,
  pad: text,
  primary: yes,
  parent: orNull(text),
  updated: time,
  revision: count,
  entries: count,
};
const session = object(sessionFields);
const strategyFields = { style: text, tone: text, verbosity: text, preamble: yes };
const strategy = object(strategyFields);
const leanings = object({
  verbosity: number,
  preamble: number,
  direct: number,
  warm: number,
  playful: number,
  professional: number,
});
const remarkFields = {
  at: time,
  person: text,
  text,
  meanings: texts,
  source: text,
  strategy: orNull(strategy),
};
const leaning = { levels: leanings, usual: strategy };
const fact = object({
  number: count,
  id: text,
  kind: text,
  text,
  place: whole,
  'time?': time,
  why: text,
  open: yes,
});
const left = skipped;
const stage = object({
  id: text,
  title: text,
  status: text,
  'reason?': text,
  lines: list(object({ text, why: orNull(text) })),
  dropped: texts,
});

/** The JSON output of each command, by name; commands without JSON output are left out. */
export const OUTPUTS: { readonly [command: string]: Schema } = {
  scratchpad: object({
    workspace: text,
    session: text,
    exists: yes,
    pad: text,
    plan: list(object({ number: count, text, done: yes, current: yes })),
    notes: text,
    refs: texts,
    usage,
    state: freshness,
    ageMs: orNull(whole),
  }),
  init: object({ pad: text, created: yes, excludedBy: orNull(text) }),
  show: either(
    object({
      session: text,
      pad: text,
      revision: count,
      spaces,
      usage,
      state: object({ status: freshness, updated: orNull(time), sections }),
    }),
    object({ revision: count, spaces }),
    object({ status: freshness, updated: orNull(time), sections }),
    spaceText,
  ),
  edit: either(object({ pad: text, changes: list(object({ space, revision: count })) }), outcome, entry),
  search: object({ query: text, hits: list(object({ source: text, place: text, text })) }),
  context: either(
    object({ session: text, context: text, state: freshness, updated: orNull(time), ageMs: orNull(whole) }),
    object({
      hostSession: text,
      began: time,
      by: text,
      told: list(object({ at: time, text })),
      heldBack: list(object({ text, reason: text })),
    }),
  ),
  check: object({
    session: text,
    pad: text,
    state: freshness,
    updated: orNull(time),
    ageMs: orNull(whole),
    ttlMs: orNull(whole),
    problems: texts,
  }),
  status: object({
    workspace: text,
    session: text,
    pad: text,
    exists: yes,
    revision: count,
    usage,
    state: freshness,
    updated: orNull(time),
    ageMs: orNull(whole),
    lastRun: orNull(map(anything)),
    commands: list(anything),
    hooks: map(anything),
    triggers: map(anything),
    kept: map(texts),
    problems: texts,
    origins: map(anything),
    'told?': anything,
  }),
  audit: object({ sessions: list(map(anything)), groups: list(map(anything)), turns: list(map(anything)) }),
  trust: either(list(map(anything)), map(anything)),
  install: map(anything),
  uninstall: map(anything),
  report: object({ file: text, bytes: count, events: count }),
  line: object({ line: text, plan: object({ done: count, steps: count, current: orNull(text) }) }),
  'notes show': spaceText,
  'notes promote': object({ revision: count, changed: yes }),
  merge: object({ conflict: yes }),
  'plan show': spaceText,
  'refs show': object({ ...usageFields, items: texts }),
  ...Object.fromEntries(
    [
      ...['add', 'prepend', 'set', 'edit', 'replace', 'remove', 'delete', 'move', 'clear'].map(
        (verb) => `notes ${verb}`,
      ),
      ...['add', 'set', 'edit', 'done', 'undone', 'current', 'remove', 'move', 'clear', 'adopt'].map(
        (verb) => `plan ${verb}`,
      ),
      ...['add', 'set', 'edit', 'remove', 'move', 'clear', 'adopt'].map((verb) => `refs ${verb}`),
      'notepad write',
      'notepad update',
    ].map((name) => [name, outcome]),
  ),
  'plan take': map(anything),
  'entry prune': map(anything),
  'notepad read': spaceText,
  'notepad section': object({ section: text }),
  history: list(
    object({
      rev: count,
      space,
      op: text,
      by: text,
      'actor?': actor,
      timestamp: time,
      'of?': count,
      characters: count,
      delta: whole,
      added: texts,
      removed: texts,
    }),
  ),
  diff: object({ from: count, to: count, changes: list(object({ space, before: text, after: text })) }),
  undo: walked,
  redo: walked,
  restore: walked,
  assemble: either(
    object({
      session: text,
      pad: text,
      written: yes,
      updated: time,
      expires: time,
      tokens: count,
      maxTokens: count,
      source: orNull(object({ name: text, format: text, messages: count })),
      stages: list(stage),
      skipped,
      notices: texts,
    }),
    object({ session: text, pad: text, written: yes, reason: text, 'updated?': time, 'ageMs?': whole }),
  ),
  'memory search': object({
    query: text,
    hits: list(
      object({
        path: text,
        line: count,
        startLine: count,
        endLine: count,
        score: number,
        text,
        headings: texts,
        why: list(map(anything)),
        'date?': text,
        'author?': text,
      }),
    ),
    asked: anything,
    source: text,
    files: count,
    passages: count,
    leftOut: left,
    'meaning?': map(anything),
  }),
  'memory status': map(anything),
  'memory index': object({
    files: count,
    passages: count,
    leftOut: left,
    saved: yes,
    'vectors?': map(anything),
  }),
  mood: object({
    source: text,
    state: map(anything),
    strategy: object({ ...strategyFields, suggestions: texts, reasons: texts }),
    others: map(anything),
    'trouble?': text,
  }),
  feedback: either(
    object({ event: object(remarkFields), ...leaning }),
    object({
      events: list(object({ ...remarkFields, 'mark?': text })),
      people: list(object({ person: text, ...leaning })),
      halfLifeMs: count,
      threshold: number,
    }),
    object({ forgotten: count, person: orNull(text) }),
  ),
  'trail show': object({
    from: text,
    'session?': text,
    'branch?': text,
    'updated?': time,
    facts: list(fact),
  }),
  'trail forget': object({ forgotten: list(object({ id: text, text })) }),
  'transcript list': list(object({ host: text, id: text, path: text, lastActive: time, 'cwd?': text })),
  guidance: object({ guidance: text }),
  doctor: object({
    workspace: text,
    findings: list(object({ level: one('ok', 'warn', 'fail'), about: text, found: text, 'next?': text })),
  }),
  'entry write': entry,
  'entry load': entry,
  'entry undelete': entry,
  'entry rename': entry,
  'entry merge': entry,
  'entry edit': object({ ...entryFields, 'replaced?': count }),
  'entry read': either(piece, matches),
  'entry list': either(list(entry), list(map(anything))),
  'entry search': list(matches),
  'entry delete': object({ deleted: texts }),
  'entry save': object({ name: text, file: text, bytes: count }),
  'session list': list(session),
  'session show': object({ ...sessionFields, usage, names: texts }),
  'session fork': session,
  'session spawn': session,
  'session archive': object({ session: text, archive: text }),
  'session prune': object({
    dryRun: yes,
    archived: list(object({ session: text, updated: time, archive: orNull(text) })),
  }),
  'session adopt': object({ adopted: text, archive: text, revision: count }),
  'session delete': object({ deleted: text, archive: orNull(text) }),
  'session restore': either(session, object({ restored: texts, usage, revision: count, warnings: texts })),
  'session persist': object({ written: texts, parentId: orNull(text) }),
  'config list': list(object({ key: text, value: anything, source: text, about: text })),
  'config get': object({ key: text, value: anything, text }),
  'config set': object({ key: text, value: anything, file: text }),
  'config unset': object({ key: text, value: anything, file: text }),
  'config check': object({ problems: texts }),
  schedule: object({ about: text, runs: list(text) }),
  tool: list(object({ name: text, description: text, inputSchema: map(anything) })),
  version: object({ version: text, node: text }),
};

/** The JSON output of any command that fails. */
export const FAILURE: Schema = object({
  error: object({
    kind: one('refused', 'usage', 'environment', 'stale'),
    message: text,
    'where?': text,
    'expected?': text,
    'found?': text,
    'next?': text,
  }),
});

/** The whole contract as one document, as it ships: one definition per command, and `error`. */
export function outputSchema(): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `JSON output of scratchpad, version ${OUTPUT_VERSION}`,
    $defs: { ...OUTPUTS, error: FAILURE },
  };
}

/** A schema in readable form: `{space: "plan" | "notes", used: number, next?: text}`. */
export function spellSchema(schema: Schema): string {
  const { anyOf, enum: values, type, items, properties, required, additionalProperties } = schema;
  if (Array.isArray(anyOf)) return anyOf.map(spellSchema).join(' | ');
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') {
    const inner = spellSchema(items as Schema);
    return inner.includes(' | ') ? `(${inner})[]` : `${inner}[]`;
  }
  if (type === 'object' && properties !== undefined) {
    const needed = required as readonly string[];
    const fields = Object.entries(properties as Record<string, Schema>).map(
      ([name, inner]) => `${name}${needed.includes(name) ? '' : '?'}: ${spellSchema(inner)}`,
    );
    return `{${fields.join(', ')}}`;
  }
  if (type === 'object') return `{[name]: ${spellSchema(additionalProperties as Schema)}}`;
  if (schema === time) return 'time';
  return type === undefined ? 'any' : type === 'integer' ? 'number' : String(type);
}
