import { nearest } from '../config/nearest.ts';
import { ScratchpadError } from '../errors.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { spellValue } from '../text/spell-value.ts';

/**
 * The arguments of functions that a program without types may get wrong: `name:kind`, `...` for any number of them,
 * `+` for at least one, `?` for one that may be missing. `{name:kind;name:kind}` is an object with these fields, all
 * of which may be missing, and no others.
 */
const SIGNATURES = `
openScratchpad options?:{workspace:text;session:text;store:text;now:function;env:fields}
notes|plan|notepad: append text:text
notes|plan: set text:text, prepend text:text, delete text:text options?:{all:boolean}
notes|plan: replace find:text replacement:text options?:{all:boolean}
notes|plan: editLine line:number text:text, removeLines +lines:number, moveLine from:number to:number
plan: add step:text, done ...steps:number, undone +steps:number, current step:number, remove +steps:number
plan: edit step:number text:text, move step:number to:number
refs: add +refs:text, remove ref:text, edit ref:text replacement:text, move ref:text to:number, set items:list
notepad: write content:text, update edit:{operation:text;content:text;find:text;replace:text;replace_all:boolean}
entries: info name:text, bytes name:text, read name:text range?:{offset:number;limit:number}
entries: write name:text content:content options?:{origin:text;append:boolean}
entries: search name:text pattern:text options?:{ignoreCase:boolean;context:number;limit:number;offset:number;maxMs:time}
entries: edit name:text edit:{content:text;oldString:text;newString:text;replaceAll:boolean}
entries: delete name:text options?:{forGood:boolean}, undelete name:text back?:number
entries: rename from:text to:text options?:{force:boolean}
entries: merge into:text names:texts options?:{separator:text;remove:boolean;force:boolean}
memory: search query:text options?:{limit:number}
pad: undo count?:number, redo count?:number, diff from?:number to?:number, restore revision:number spaces?:spaces
pad: mood request?:{messages:any}
pad: handover request?:{session:text;transcript:text}, callTool name:text
pad: assemble request?:{messages:any;transcript:text;session:text;read:source;ttlMs:time;utcOffsetMinutes:offset;before:snapshot;prompt:text;from:text;withinMs:time;onProblem:function;refreshMemory:function;handover:function;reportTo:text}
new Sessions root:text options?:{primary:text;now:function;archiveMs:time}
sessions: info session:text, archive session:text, bringBack session:text, delete session:text
sessions: fork parent:text child:text, spawn parent:text child:text options?:{copyNotepad:boolean;inherit:texts}
sessions: prune options?:{olderThanMs:time;dryRun:boolean}
new MemoryStore session?:text now?:function
memoryStore: change decide:function by?:text
tokenCounter exact?:boolean
counter: count text:text
`;

let takes: ReadonlyMap<string, readonly string[]> | undefined;

/** The parameters of each function. Read when first asked for, so that a bundler can leave this module out. */
function signatures(): ReadonlyMap<string, readonly string[]> {
  if (takes) return takes;
  const all = new Map<string, readonly string[]>();
  for (const line of SIGNATURES.trim().split('\n')) {
    const [, objects = '', functions = line] = /^([\w|]+): (.*)$/.exec(line) ?? [];
    for (const each of functions.split(', ')) {
      const [name = '', ...parameters] = each.replace('new ', 'new_').split(' ');
      for (const object of objects.split('|'))
        all.set(object === '' ? name.replace('_', ' ') : `${object}.${name}`, parameters);
    }
  }
  takes = all;
  return all;
}

const isList = (value: unknown, fits: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(fits);
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const has = (value: unknown, name: string): boolean => isObject(value) && name in value;

const KINDS: Readonly<Record<string, { said: string; fits(value: unknown): boolean }>> = {
  text: { said: 'a string', fits: (value) => typeof value === 'string' },
  number: { said: 'a whole number', fits: (value) => Number.isSafeInteger(value) },
  time: {
    said: 'a number of milliseconds of at least 0',
    fits: (value) => typeof value === 'number' && value >= 0,
  },
  offset: {
    said: 'a whole number of minutes from -1440 to 1440',
    fits: (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) <= 1440,
  },
  boolean: { said: 'true or false', fits: (value) => typeof value === 'boolean' },
  function: { said: 'a function', fits: (value) => typeof value === 'function' },
  list: { said: 'an array', fits: (value) => Array.isArray(value) },
  texts: {
    said: 'an array of strings',
    fits: (value) => isList(value, (item) => typeof item === 'string'),
  },
  spaces: {
    said: 'an array of plan, notes, refs',
    fits: (value) => isList(value, (item) => SPACE_NAMES.some((name) => name === item)),
  },
  /** Checked where it is read. */
  any: { said: 'a value', fits: () => true },
  source: { said: 'a source that was read', fits: (value) => has(value, 'transcript') },
  snapshot: { said: 'a snapshot of a pad', fits: (value) => has(value, 'document') },
  promise: { said: 'a promise', fits: (value) => has(value, 'then') },
  fields: { said: 'an object', fits: (value) => isObject(value) && !Array.isArray(value) },
  content: {
    said: 'a string, a Uint8Array or an iterable of Uint8Arrays',
    fits: (value) =>
      typeof value === 'string' ||
      (isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value)),
  },
};

/** @throws ScratchpadError `usage` that names the argument, what it takes and what was found */
export function checkCall(called: string, given: readonly unknown[]): void {
  (signatures().get(called) ?? []).forEach((parameter, at) => {
    const [, many = '', name = '', optional, kind = 'text'] =
      /^(\.{3}|\+)?(\w+)(\?)?:(.+)$/.exec(parameter) ?? [];
    const rest = given.slice(at);
    const values = many === '' ? rest.slice(0, 1) : rest;
    if (values.length === 0 && (many === '+' || (many === '' && !optional))) values.push(undefined);
    for (const value of values) {
      if (optional && value === undefined) continue;
      if (kind.startsWith('{')) checkFields(called, name, kind, value);
      else checkKind(called, name, kind, value);
    }
  });
}

function checkFields(called: string, name: string, shape: string, value: unknown): void {
  checkKind(called, name, 'fields', value);
  const fields = new Map(
    shape
      .slice(1, -1)
      .split(';')
      .map((field) => field.split(':') as [name: string, kind: string]),
  );
  for (const [field, found] of Object.entries(value as object)) {
    if (found === undefined) continue;
    const kind = fields.get(field);
    if (kind === undefined) {
      const near = nearest(field, [...fields.keys()]);
      throw invalid(called, name, near ? `perhaps ${near}` : `only ${[...fields.keys()].join(', ')}`, field);
    }
    checkKind(called, `${name}.${field}`, kind, found);
  }
}

function checkKind(called: string, where: string, kind: string, value: unknown): void {
  const known = KINDS[kind];
  if (known === undefined || known.fits(value)) return;
  throw invalid(called, where, known.said, spellValue(value));
}

function invalid(called: string, where: string, expected: string, found: string): ScratchpadError {
  return new ScratchpadError('usage', `${called} was called with an invalid argument: nothing was changed`, {
    where,
    expected,
    found,
  });
}
