import { list, makeMap, makeUnion, number, record, text, type ValueOf } from '../base/fs/json-shape.ts';
import { sanitizeForTerminal } from '../base/safety/index.ts';
import { digestText, formatCount, shorten } from '../base/text/strings.ts';
import { SPACE_NAMES, SPACE_TITLES, type SpaceName } from '../pad/markers.ts';
import type { InjectionEvent } from '../stages/stage.ts';

/**
 * The delivery ledger of one context window: what the model was told in it, and when. Losing the ledger only causes
 * a repetition, but a wrong entry costs the model a line, so everything doubtful counts as never said.
 */
export interface Ledger {
  /** When the window began, epoch milliseconds. */
  began: number;
  by: InjectionEvent;
  /** The lines that were said, by their keys; the oldest first. */
  lines: Record<string, ValueOf<typeof ITEM>>;
  spaces: Record<PadName, Partial<Record<SpaceName, ValueOf<typeof SPACE>>>>;
  /** Lines that the last event held back, and why; for `context --explain`. */
  heldBack: { text: string; reason: string }[];
  /** When that event was, epoch milliseconds. */
  heldAt?: number;
  /** Estimated tokens of all that was said. */
  tokens: number;
  /** The hand-over, where the host drops what is said after each turn: it is said again at each prompt. */
  repeated?: ValueOf<typeof REPEATED>[];
}

/** `shared` is the primary pad, `own` the pad of this host session alone. */
export const PAD_NAMES = ['own', 'shared'] as const;
export type PadName = (typeof PAD_NAMES)[number];

/** Whole lines, which `ITEM` only previews. */
const REPEATED = record({ key: text, text }, { why: text, heading: text });

const ITEM = record({ digest: text, at: number, text }, { why: text });

/**
 * When any of a space was said last, or changed by the agent itself, in epoch milliseconds; and in `told`, what of it a
 * hook has said, absent if the model knows it from its own calls only.
 */
const SPACE = record(
  { lines: list(text), at: number, position: number, stepPosition: number },
  { of: text, told: record({ at: number, lines: number }) },
);

const MOST_LINES = 300;
const MOST_SPACE_LINES = 400;
const MOST_HELD_BACK = 30;
const PREVIEW_CHARACTERS = 80;

export function createLedger(began: number, by: InjectionEvent): Ledger {
  return { began, by, lines: {}, spaces: { shared: {}, own: {} }, heldBack: [], tokens: 0 };
}

export const isSilent = ({ lines, spaces }: Ledger): boolean =>
  [lines, spaces.shared, spaces.own].every((known) => Object.values(known).every((one) => one === undefined));

/**
 * The ledger after a rewind: what was said up to `until` is in the window still, and what was said from `since` on,
 * at the prompt that followed it.
 */
export function rewindLedger(ledger: Ledger, until: number, since: number): Ledger {
  const wasToldBefore = ({ at }: { at: number }): boolean => at <= until || at >= since;
  const copy = structuredClone(ledger);
  for (const [key, line] of Object.entries(copy.lines)) if (!wasToldBefore(line)) delete copy.lines[key];

  for (const toldSpace of Object.values(copy.spaces))
    for (const name of SPACE_NAMES) {
      const space = toldSpace[name];
      if (space === undefined) continue;
      if (!wasToldBefore(space)) delete toldSpace[name];
      else if (space.told !== undefined && !wasToldBefore(space.told)) delete space.told;
    }

  return copy;
}

export function deliver(ledger: Ledger, key: string, said: string, now: number, why?: string): void {
  delete ledger.lines[key];
  ledger.lines[key] = {
    digest: digestText(said),
    at: now,
    text: shorten(said.toWellFormed(), PREVIEW_CHARACTERS),
    why,
  };
  const keys = Object.keys(ledger.lines);
  for (const oldest of keys.slice(0, Math.max(0, keys.length - MOST_LINES))) delete ledger.lines[oldest];
}

/** A space as said: the lines that were said, and those that the model knows afterwards. */
interface LedgerSpace {
  pad: PadName;
  space: SpaceName;
  lines: readonly string[];
  known: readonly string[];
  whole: boolean;
}

export function deliverSpace(
  ledger: Ledger,
  { pad, space, lines, known, whole }: LedgerSpace,
  { now, position, of }: { now: number; position: number; of: string | undefined },
): void {
  const before = ledger.spaces[pad][space];
  const sum = whole ? known.length : Math.min(known.length, (before?.told?.lines ?? 0) + lines.length);
  ledger.spaces[pad][space] = {
    lines: known.slice(-MOST_SPACE_LINES).map(digestLine),
    at: now,
    told: lines.length === 0 ? before?.told : { at: now, lines: sum },
    position: whole ? position : (before?.position ?? position),
    stepPosition: whole ? position : (before?.stepPosition ?? position),
    of,
  };
}

/**
 * A line's digest: of its words, without bullets and numbers, and of its marks as done or current. Renumbering a
 * list is not news.
 */
export function digestLine(line: string): string {
  const marks = `${/~~\s+DONE\b|^\s*(?:[-*+]|\d+[.)])\s+\[[xX]\]/.test(line) ? '+' : ''}${CURRENT_AT_END.test(line) ? '*' : ''}`;
  return digestText(stripMarks(line)) + marks;
}

export const hasSameWords = (a: string, b: string): boolean => stripDigestMarks(a) === stripDigestMarks(b);

/** A line's words without its marks as an item, a done step or the current one. */
export function stripMarks(line: string): string {
  return line
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, '')
    .replace(CURRENT_AT_END, '')
    .replace(/~~\s+DONE\b.*$/, '')
    .replace(/~~/g, '')
    .trim();
}

const CURRENT_AT_END = /<-- current\s*$/;
const stripDigestMarks = (lineDigest: string): string => lineDigest.replace(/[+*]+$/, '');

export function holdBack(ledger: Ledger, text: string, reason: string): void {
  if (ledger.heldBack.length < MOST_HELD_BACK) ledger.heldBack.push({ text, reason });
}

const SPACES = record({}, { plan: SPACE, notes: SPACE, refs: SPACE });
const SHAPE = record(
  {
    began: number,
    by: makeUnion('start', 'clear', 'compact', 'resume', 'prompt', 'subagent'),
    lines: makeMap(ITEM),
    spaces: record({ shared: SPACES, own: SPACES }),
  },
  {
    heldAt: number,
    tokens: number,
    heldBack: list(record({ text, reason: text })),
    repeated: list(REPEATED),
  },
);

/** A ledger from parsed JSON; what it does not hold counts as never said. */
export function readLedger(value: unknown): Ledger | undefined {
  const ledger = SHAPE(value);
  return ledger && { ...createLedger(ledger.began, ledger.by), ...ledger };
}

const KINDS: Readonly<Record<string, string>> = {
  scope: 'how to write to it',
  clock: 'the time',
  'working-on': 'what it works on',
  'how-to-answer': 'how to answer',
  handover: 'the last session',
  said: 'the last session',
  uncommitted: 'the last session',
  agent: 'the last session',
  memory: 'memory',
  'plan-beside': 'other plans',
  child: 'notes of subagents',
};

/** `at` is ISO 8601, UTC. */
export function listTold({ lines, spaces, repeated, heldAt }: Ledger) {
  const spaceRows = PAD_NAMES.flatMap((pad) =>
    SPACE_NAMES.flatMap((name) => {
      const lastTold = spaces[pad][name]?.told;
      if (lastTold === undefined) return [];
      const size = formatCount(lastTold.lines, 'line');
      const [whose, of] = pad === 'own' ? ['own ', ' of its own pad'] : ['', ''];
      return {
        at: lastTold.at,
        text: `${SPACE_TITLES[name]}${of}, ${size}`,
        kind: `${whose}${name} (${size})`,
        why: undefined,
      };
    }),
  );
  // Where the host drops lines, those said before are no longer in the window.
  const present = Object.entries(lines).filter(([, { at }]) => repeated === undefined || at === heldAt);
  const items = present.map(([key, { at, text, why }]) => {
    return { at, text, why, kind: KINDS[key.split(':')[0] ?? ''] ?? 'reminders' };
  });

  return [...spaceRows, ...items]
    .sort((a, b) => a.at - b.at)
    .map((item) => ({ ...item, at: new Date(item.at).toISOString(), text: sanitizeForTerminal(item.text) }));
}
