import { refsOf } from '../pad/budget.ts';
import { INJECTION_END, INJECTION_START } from '../pad/injection.ts';
import { SPACE_NAMES, SPACE_TITLES, type SpaceName } from '../pad/markers.ts';
import { defuseElements, defuseInjection } from '../safety/fence.ts';
import type { Spaces } from '../session/journal.ts';

/** What goes before the model at one moment of one host session. */
export interface Injected {
  /** The primary pad: everybody's in this workspace. */
  shared: Spaces;
  /** The pad of this session alone. */
  own: Spaces;
  /** The host's session id. */
  session: string | undefined;
  /** Sections of the state block. */
  state: readonly { title: string; lines: readonly string[] }[];
  /** Said of the state: its age, or why it is missing. */
  stateNote?: string;
  /** Shown when there is nothing else. */
  emptyNote?: string;
}

/** Pieces that go when it gets too long, the first ones first. */
interface Part {
  title: string;
  lines: string[];
  /** What was left out, told in the last line. */
  left: number;
  rest: string;
}

/**
 * The injection block. Without a pad of its own a session sees what `scratchpad context`
 * prints and whose it is; what does not fit is left out line by line and counted: the oldest
 * refs, then the state from its end, then notes from their start, then the plan from its end.
 *
 * @param fits whether a text is short enough for the host
 * @returns `''` when there is nothing to put there
 */
export function renderForHost(given: Injected, fits: (text: string) => boolean): string {
  const session = isPlainId(given.session) ? given.session : undefined;
  const injected = { ...given, session };
  const { shared, own } = injected;
  const parts: Part[] = [
    ...partsOf(own, '', session === undefined ? '' : ` --session ${session}`),
    ...partsOf(shared, hasContent(own) ? 'Shared ' : '', ''),
  ];
  const state: Part[] = injected.state
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => ({
      title,
      lines: defuseElements(defuseInjection(lines.join('\n'))).split('\n'),
      left: 0,
      rest: '',
    }));
  const bare = parts.length === 0 && state.length === 0;
  const note = bare ? injected.emptyNote : scopeNote(injected);
  if (bare && note === undefined) return '';
  const render = (): string => join(parts, state, note, injected.stateNote);
  const ends = (title: string): Part[] => parts.filter((part) => part.title.endsWith(title));
  const steps: (() => boolean)[] = [
    () => dropFirst(ends('Refs'), 10),
    () => dropSection(state),
    () => dropFirst(ends('Refs'), 0),
    () => dropFirst(ends('Notes').reverse(), 1),
    () => dropLast(ends('Plan').reverse(), 1),
  ];
  let text = render();
  for (const step of steps) {
    while (!fits(text) && step()) text = render();
  }
  // Single lines of thousands of characters are left.
  for (let size = 4000; !fits(text) && size > 100; size = Math.floor(size / 2)) {
    for (const part of parts) part.lines = part.lines.map((line) => clip(line, size));
    text = render();
  }
  return fits(text) ? text : '';
}

/** An id is put before the model only when it can be nothing else. */
export function isPlainId(id: string | undefined): boolean {
  return /^[\w.:-]{1,128}$/.test(id ?? '');
}

export function hasContent(spaces: Spaces): boolean {
  return SPACE_NAMES.some((name) => spaces[name].trim() !== '');
}

function partsOf(spaces: Spaces, prefix: string, option: string): Part[] {
  return SPACE_NAMES.filter((name) => spaces[name].trim() !== '').map((name) => ({
    title: `${prefix}${SPACE_TITLES[name]}`,
    lines: linesOf(spaces, name),
    left: 0,
    rest: `scratchpad ${name} ${name === 'refs' ? 'list' : 'show'}${option}`,
  }));
}

function linesOf(spaces: Spaces, name: SpaceName): string[] {
  const text =
    name === 'refs'
      ? refsOf(spaces.refs)
          .map((ref) => `- ${ref}`)
          .join('\n')
      : spaces[name];
  return defuseInjection(text).trimEnd().split('\n');
}

/** Whose the spaces are. Facts, the same ones at every turn of a session. */
function scopeNote({ session, own }: Injected): string | undefined {
  if (session === undefined) return undefined;
  const shared = 'SCRATCHPAD.md of this workspace, shared with its other agents and people';
  return hasContent(own)
    ? `(Plan, Notes and Refs: this session's own pad, \`--session ${session}\`. Shared: ${shared}.)`
    : `(Plan, Notes and Refs: ${shared}. This session's own pad: \`--session ${session}\`.)`;
}

function join(
  parts: readonly Part[],
  state: readonly Part[],
  note: string | undefined,
  stateNote: string | undefined,
): string {
  const body = [
    ...(note === undefined ? [] : [note]),
    ...parts.map(show),
    ...(stateNote === undefined ? [] : [stateNote]),
    ...state.map(show),
  ];
  return `${[INJECTION_START, body.join('\n\n'), INJECTION_END].join('\n')}\n`;
}

function show({ title, lines, left, rest }: Part): string {
  const more = left === 0 ? [] : [`(${left} more ${left === 1 ? 'line' : 'lines'}: ${rest})`];
  return [`## ${title}`, ...lines, ...more].join('\n');
}

/** Takes the first line of the first part that has more than `keep`. */
function dropFirst(parts: readonly Part[], keep: number): boolean {
  const part = parts.find(({ lines }) => lines.length > keep);
  if (!part) return false;
  part.lines.shift();
  part.left += 1;
  return true;
}

function dropLast(parts: readonly Part[], keep: number): boolean {
  const part = parts.find(({ lines }) => lines.length > keep);
  if (!part) return false;
  part.lines.pop();
  part.left += 1;
  return true;
}

function dropSection(state: Part[]): boolean {
  return state.pop() !== undefined;
}

function clip(line: string, size: number): string {
  return line.length <= size ? line : `${line.slice(0, size).toWellFormed()}…`;
}
