import { type FailureKind, ScratchpadError } from '../base/errors.ts';

/** Readers of an error other than a person at the command line: a model that called a tool, or a program. */
export type Face = 'tool' | 'library';

/** Advice in terms of the command line, and its equivalents for the other readers. */
const WORDS: readonly (readonly [said: RegExp, tool: string, library: string])[] = [
  [
    /scratchpad (notes|plan)(?: show)?(?: --numbers)?$/,
    'session.scratchpad with action show',
    'pad.$1.read()',
  ],
  [/scratchpad refs$/, 'session.scratchpad with action show', 'pad.refs.list()'],
  [/scratchpad refs (set|add)$/, 'session.scratchpad with action refs.$1', 'pad.refs.$1()'],
  [/scratchpad notes add$/, 'session.scratchpad with action append_notes', 'pad.notes.append()'],
  [/scratchpad plan add$/, 'session.scratchpad with action plan.add', 'pad.plan.add()'],
  [/scratchpad (notes|plan) set$/, 'session.scratchpad with action set_$1', 'pad.$1.set()'],
  [/scratchpad history$/, 'session.scratchpad with action history', 'pad.history()'],
  [/scratchpad undo ?(\d*)$/, 'session.scratchpad with action undo', 'pad.undo($1)'],
  [
    /scratchpad entry read (\S+) --session (\S+) --raw.*/,
    'scratchpad_read, session $2, and scratchpad: NEW',
    '',
  ],
  [/scratchpad entry list$/, 'scratchpad_list', 'pad.entries.list()'],
  [/scratchpad entry read$/, 'scratchpad_read', 'pad.entries.read()'],
  [/scratchpad entry delete$/, 'scratchpad_delete', 'pad.entries.delete()'],
  [/scratchpad entry merge NEW NAME$/, 'scratchpad_write', 'pad.entries.merge()'],
  [/scratchpad session list$/, '', 'new Sessions(workspace).list()'],
  [
    /^run scratchpad init here,.*/,
    'ask the person to run `scratchpad init` in this directory; nothing can be kept until then',
    '',
  ],
  [/--all \(replace_all\)/, 'replace_all', 'replaceAll'],
  [/--all\b/, 'replace_all', '{ all: true }'],
  [/--force\b/, '', '{ force: true }'],
  [/--workspace\b/, '', 'workspace'],
];

/** An error in the terms of its reader: parameters and tools, or arguments and functions, but no options. */
export function forFace(error: ScratchpadError, face: Face): ScratchpadError {
  const { expected, next, where, ...detail } = error.detail;
  const spoken = { expected: spell(expected, face), next: spell(next, face), where: spell(where, face) };
  const told = Object.fromEntries(Object.entries(spoken).filter(([, text]) => text !== undefined));
  return new ScratchpadError(error.kind, error.message, { ...detail, ...told });
}

/** @returns `undefined` for advice that only a command line can follow */
function spell(text: string | undefined, face: Face): string | undefined {
  if (text === undefined) return undefined;
  let spoken = text;
  for (const [said, tool, library] of WORDS) {
    if (!said.test(spoken)) continue;
    const words = face === 'tool' ? tool : library;
    if (words === '') return undefined;
    spoken = spoken.replace(said, words);
  }
  return /(?<!session\.)\bscratchpad [a-z]+ |\s--[a-z]/.test(spoken) ? undefined : spoken;
}

/** An error as JSON, the same for `--json`, for tools and over MCP. */
export interface Failure {
  kind: FailureKind;
  message: string;
  where?: string;
  expected?: string;
  found?: string;
  next?: string;
}

export function failureOf({ kind, message, detail }: ScratchpadError): Failure {
  const { cause: _, refusal: __, ...told } = detail;
  return { kind, message, ...told };
}
