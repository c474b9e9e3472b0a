import { SPACE_NAMES } from '../pad/markers.ts';

/** A JSON schema, as far as the outputs of the commands need it. */
export type Schema = { readonly [key: string]: unknown };

/** The contract's version: it changes when a field is removed or changes its meaning, not when one is added. */
const OUTPUT_VERSION = 1;

/** ISO 8601, with the offset from UTC. */
const time: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)$',
};
const WORDS: Readonly<Record<string, Schema>> = {
  text: { type: 'string' },
  count: { type: 'integer', minimum: 0 },
  whole: { type: 'integer' },
  number: { type: 'number' },
  yes: { type: 'boolean' },
  null: { type: 'null' },
  any: {},
  space: { enum: SPACE_NAMES },
  time,
};

/** Parts that several outputs have, in the form of types; a field without a type is a text. */
const PARTS = `
Filled = {space: space, used: count, limit: count, unit: "characters" | "items"}
Usage = Filled[]
Outcome = {...Filled, message, revision: count, changed: yes, warnings: text[]}
SpaceText = {...Filled, content}
Walked = {of: count[], revision: count, message, usage: Usage, warnings: text[]}
Freshness = "fresh" | "stale" | "missing"
Sections = {title, lines: text[]}[]
Spaces = {plan, notes, refs: text[]}
Skipped = {reason, count: count}[]
Actor = {agent?, session?, user?}
Entry = {name, bytes: count, characters: count, created: time, updated: time, origin, readOnly: yes, owner?}
Matches = {name, lines: {line: count, text, match: yes}[], matches: count, nextOffset: count | null,
  nextLine: count | null}
Piece = {name, content, offset: count, characters: count, total: count, nextOffset: count | null}
Session = {session, pad, primary: yes, parent: text | null, updated: time, revision: count, entries: count}
Strategy = {style, tone, verbosity, preamble: yes}
Leanings = {verbosity: number, preamble: number, direct: number, warm: number, playful: number, professional: number}
Leaning = {levels: Leanings, usual: Strategy}
Remark = {at: time, person, text, meanings: text[], source, strategy: Strategy | null}
Fact = {number: count, id, kind, text, place: whole, time?: time, why, open: yes}
Stage = {id, title, status, reason?, lines: {text, why: text | null}[], dropped: text[]}
Map = {[name]: any}
`;

const COMMANDS = `
scratchpad = {workspace, session, exists: yes, pad, plan: {number: count, text, done: yes, current: yes}[], notes,
  refs: text[], usage: Usage, state: Freshness, ageMs: whole | null}
init = {pad, created: yes, excludedBy: text | null}
show = {session, pad, revision: count, spaces: Spaces, usage: Usage,
  state: {status: Freshness, updated: time | null, sections: Sections}}
  | {revision: count, spaces: Spaces} | {status: Freshness, updated: time | null, sections: Sections} | SpaceText
edit = {pad, changes: {space: space, revision: count}[]} | Outcome | Entry
search = {query, hits: {source, place, text}[]}
context = {session, context, state: Freshness, updated: time | null, ageMs: whole | null}
  | {hostSession, began: time, by, told: {at: time, text}[], heldBack: {text, reason}[]}
check = {session, pad, state: Freshness, updated: time | null, ageMs: whole | null, ttlMs: whole | null,
  problems: text[]}
status = {workspace, session, pad, exists: yes, revision: count, usage: Usage, state: Freshness, updated: time | null,
  ageMs: whole | null, lastRun: Map | null, commands: any[], hooks: Map, triggers: Map, kept: {[name]: text[]},
  problems: text[], origins: Map, told?: any}
audit = {sessions: Map[], resolution: Map | null, groups: Map[], turns: Map[]}
trust = Map[] | Map
install = Map
uninstall = Map
report = {file, bytes: count, events: count}
line = {line, plan: {done: count, steps: count, current: text | null}}
notes show = SpaceText
notes promote = {revision: count, changed: yes}
merge = {conflict: yes}
plan show = SpaceText
refs show = {...Filled, items: text[]}
notes add, notes prepend, notes set, notes edit, notes replace, notes remove, notes delete, notes move, notes clear,
  plan add, plan set, plan edit, plan done, plan undone, plan current, plan remove, plan move, plan clear, plan adopt,
  refs add, refs set, refs edit, refs remove, refs move, refs clear, refs adopt,
  notepad write, notepad update = Outcome
plan take = Map
entry prune = Map
notepad read = SpaceText
notepad section = {section}
history = {rev: count, space: space, op, by, actor?: Actor, timestamp: time, of?: count, characters: count,
  delta: whole, added: text[], removed: text[]}[]
diff = {from: count, to: count, changes: {space: space, before, after}[]}
undo, redo, restore = Walked
assemble = {session, pad, written: yes, updated: time, expires: time, tokens: count, maxTokens: count,
  source: {name, format, messages: count} | null, stages: Stage[], skipped: Skipped, notices: text[]}
  | {session, pad, written: yes, reason, updated?: time, ageMs?: whole}
memory search = {query, hits: {path, line: count, startLine: count, endLine: count, score: number, text,
  headings: text[], why: Map[], date?, author?}[], asked: any, source, files: count, passages: count,
  leftOut: Skipped, meaning?: Map}
memory status = Map
memory index = {files: count, passages: count, leftOut: Skipped, saved: yes, vectors?: Map}
mood = {source, state: Map, strategy: {...Strategy, suggestions: text[], reasons: text[]}, others: Map, trouble?}
feedback = {event: Remark, ...Leaning}
  | {events: {...Remark, mark?}[], people: {person, ...Leaning}[], halfLifeMs: count, threshold: number}
  | {forgotten: count, person: text | null}
trail show = {from, session?, branch?, updated?: time, facts: Fact[]}
trail forget = {forgotten: {id, text}[]}
transcript list = {host, id, path, lastActive: time, cwd?}[]
guidance = {guidance}
doctor = {workspace, findings: {level: "ok" | "warn" | "fail", about, found, next?}[]}
entry write, entry load, entry undelete, entry rename, entry merge = Entry
entry edit = {...Entry, replaced?: count}
entry read = Piece | Matches
entry list = Entry[] | Map[]
entry search = Matches[]
entry delete = {deleted: text[]}
entry save = {name, file, bytes: count}
session list = Session[]
session show = {...Session, usage: Usage, names: text[]}
session fork, session spawn = Session
session archive = {session, archive}
session prune = {dryRun: yes, archived: {session, updated: time, archive: text | null}[]}
session adopt = {adopted, archive, revision: count}
session delete = {deleted, archive: text | null}
session restore = Session | {restored: text[], usage: Usage, revision: count, warnings: text[]}
session persist = {written: text[], parentId: text | null}
config list = {key, value: any, source, about}[]
config get = {key, value: any, text}
config set, config unset = {key, value: any, file}
config check = {problems: text[]}
schedule = {about, runs: text[]}
tool = {name, description, inputSchema: Map}[]
version = {version, node}
`;

const FAILED = `
failure = {error: {kind: "refused" | "usage" | "environment" | "stale", message, where?, expected?, found?, next?}}
`;

const parts = read(PARTS, WORDS);
/** The JSON output of each command, by name; commands without JSON output are left out. */
export const OUTPUTS = read(COMMANDS, { ...WORDS, ...parts });
/** The JSON output of any command that fails. */
export const FAILURE = read(FAILED, WORDS).failure as Schema;

/** The schemas of `name, name = type` lines, which may go on in indented lines. */
function read(text: string, words: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> {
  const known: Record<string, Schema> = { ...words };
  const found: Record<string, Schema> = {};
  for (const line of text.trim().split(/\n(?! )/)) {
    const [, names = '', type = ''] = /^([^=]*) = (.*)$/s.exec(line) ?? [];
    const schema = parse(type, known);
    for (const name of names.split(/,\s+/)) {
      known[name] = schema;
      found[name] = schema;
    }
  }
  return found;
}

/** Reads one type: words, texts in quotes, `{fields}`, `{[name]: type}`, `type[]` and `type | type`. */
function parse(text: string, known: Readonly<Record<string, Schema>>): Schema {
  const tokens = text.match(/"\w+"|\.{3}|\w+|\[\]|\S/g) ?? [];
  let at = 0;
  const has = (token: string): boolean => tokens[at] === token && at++ >= 0;
  const named = (name = ''): Schema => {
    const schema = known[name];
    if (schema === undefined) throw new Error(`${name} is no type in: ${text}`);
    return schema;
  };
  const either = (): Schema => {
    const all: Schema[] = [];
    do {
      let schema = tokens[at]?.startsWith('"') ? { enum: [JSON.parse(tokens[at++] ?? '')] } : single();
      while (has('[]')) schema = { type: 'array', items: schema };
      all.push(schema);
    } while (has('|'));
    if (all.length === 1) return all[0] as Schema;
    return all.every((schema) => 'enum' in schema)
      ? { enum: all.flatMap((schema) => schema.enum) }
      : { anyOf: all };
  };
  const single = (): Schema => {
    if (!has('{')) return named(tokens[at++]);
    if (has('[')) {
      at += 3;
      const additionalProperties = either();
      at += 1;
      return { type: 'object', additionalProperties };
    }
    const properties: Record<string, unknown> = {};
    const required: string[] = [];
    for (; !has('}'); has(',')) {
      if (has('...')) {
        const part = named(tokens[at++]);
        Object.assign(properties, part.properties);
        required.push(...(part.required as string[]));
        continue;
      }
      const name = tokens[at++] ?? '';
      if (!has('?')) required.push(name);
      properties[name] = has(':') ? either() : named('text');
    }
    return { type: 'object', properties, required, additionalProperties: false };
  };
  return either();
}

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
