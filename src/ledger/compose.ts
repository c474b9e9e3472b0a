import { defuse } from '../base/safety/index.ts';
import { digestText, formatCount, shorten } from '../base/text/strings.ts';
import { INJECTION_END, INJECTION_START, NEWS_START } from '../pad/injection.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { isRule } from '../pad/rules.ts';
import { estimateLineTokens, estimateTokens } from '../pad/tokens.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import { deliver, deliverSpace, holdBack, isSilent, type Ledger } from './ledger.ts';
import {
  type ChangedBy,
  chooseRecitation,
  collectSpaceParts,
  hasContent,
  isEmpty,
  type PadSpaces,
  type SpaceLines,
} from './spaces.ts';
import { SHOWN, type WriteWays } from './window.ts';

/** A line that may be shown to the model, besides plan, notes and refs. */
export interface Offer {
  key: string;
  /** One line, redacted, understandable on its own. */
  text: string;
  /** Why it is said, for `--explain`. */
  why?: string | undefined;
  heading?: string;
  priority: number;
  at?: readonly InjectionEvent[];
  everyMs?: number;
  /** Does not count against the budget of the event: whoever makes it keeps one of its own. */
  ownBudget?: boolean;
  covers?: readonly string[];
}

export type Room = { characters: number } | { bytes: number };

export interface Request {
  /** The events of this call. Several if one call stands for several events of the session. */
  events: readonly InjectionEvent[];
  spaces: PadSpaces;
  changedBy: ChangedBy;
  offers: readonly Offer[];
  hints: readonly string[];
  scope?: string;
  session: string | undefined;
  now: number;
  /** Length of the conversation so far, in estimated tokens. */
  position: number;
  always: boolean;
  /** Tokens of conversation after which the current step, or the isFirst plan, is repeated; 0: never. */
  recite: { step: number; plan: number };
  room: Room;
}

/** Token budget of an event for lines besides plan, notes and refs. */
const BUDGET: Readonly<Record<InjectionEvent, number>> = {
  start: 300,
  clear: 300,
  compact: 160,
  resume: 120,
  prompt: 250,
  subagent: 200,
};

const ONE_LINE = '[Scratchpad] ';

const LONGEST_LINE = 4000;

/**
 * Composes the text for the model at one event: everything that it does not know yet, once.
 *
 * @param ledger the record of this window; the lines said now are entered, so pass a copy
 * @returns the text, `''` if there is nothing to say
 */
export function composeText(request: Request, ledger: Ledger): string {
  const { hints, now, position, session, spaces } = request;
  const toldBefore = request.always ? { ...ledger, lines: {}, spaces: { shared: {}, own: {} } } : ledger;
  const isFirst = isSilent(toldBefore);

  ledger.heldBack = [];
  ledger.heldAt = now;
  const parts = collectSpaceParts(toldBefore, spaces, request.changedBy, session);
  const again = isFirst ? undefined : chooseRecitation(toldBefore, spaces, request);
  const recitedPlan = again && 'plan' in again ? [again.plan] : [];
  const offers = chooseOffers(request, toldBefore, ledger);
  const scope = isFirst ? request.scope : undefined;
  const frame = isFirst ? INJECTION_START : NEWS_START;

  const take = makeRoom(request.room);
  for (const line of [frame, INJECTION_END, ...hints]) take(line);

  const blocks: string[] = [];

  if (scope !== undefined && take(scope)) {
    blocks.push(scope);
    deliver(ledger, 'scope', scope, now);
  }

  // Where not all of them fit, both plans come before notes and refs.
  const bySpace = SPACE_NAMES.flatMap((space) => parts.filter((part) => part.space === space));
  const all: SpaceLines[] = [...bySpace, ...recitedPlan];

  // However long one is, each keeps room for its heading and a pointer to its lines.
  for (const part of all) take(`${renderPart(part, [renderPointer(part, part.lines.length)])}\n`);

  const shown = new Map(all.map((part) => [part, fitLines(part, take)]));

  for (const part of parts) {
    const lines = shown.get(part) ?? [];
    if (lines.length > 0) blocks.push(renderPart(part, lines));
    const of = part.pad === 'shared' && part.space === 'plan' ? spaces.planId : undefined;
    // Lines cut for room count as known: a pointer says where they are, and a repetition would be cut as well.
    deliverSpace(ledger, part, { now, position, of });
  }

  if (again !== undefined) {
    const isPlan = 'plan' in again;
    const reminder = isPlan ? renderPart(again.plan, shown.get(again.plan) ?? []) : defuse(again.step);
    const plan = ledger.spaces[again.pad].plan;

    if (isPlan || take(reminder)) {
      blocks.push(reminder);
      if (plan) Object.assign(plan, { stepPosition: position }, isPlan ? { position } : {});
    } else holdBack(ledger, reminder, NO_ROOM);
  }

  const fitting = fitOffers(offers, take, ledger);

  blocks.push(...groupOffers(fitting, isFirst));
  for (const { key, text, why, covers = [] } of fitting)
    for (const each of [key, ...covers]) deliver(ledger, each, text, now, why);
  const text = [...hints, ...frameBlocks(blocks, frame, isFirst)].join('\n\n');
  ledger.tokens += estimateTokens(text);

  return text;
}

function frameBlocks(blocks: readonly string[], start: string, isFirst: boolean): string[] {
  const text = blocks.join(isFirst ? '\n\n' : '\n');
  if (text === '') return [];
  if (!isFirst && !text.includes('\n')) return [`${ONE_LINE}${text}`];
  return [[start, text, INJECTION_END].join('\n')];
}

/** The new offers of this event in their order; the event's budget goes to the most important ones first. */
function chooseOffers(request: Request, known: Ledger, ledger: Ledger): Offer[] {
  const { events, now } = request;
  const news = request.offers.filter(({ key, text, everyMs, at = DEFAULT_EVENTS }) => {
    if (!events.some((event) => at.includes(event))) return false;

    const earlier = known.lines[key];
    if (earlier === undefined) return true;

    const isDue = everyMs === undefined ? earlier.digest !== digestText(text) : now - earlier.at >= everyMs;
    if (!isDue) holdBack(ledger, text, `said in this window at ${new Date(earlier.at).toISOString()}`);

    return isDue;
  });

  let left = Math.max(...events.map((event) => BUDGET[event]));
  const chosen = new Set<Offer>();

  for (const offer of [...news].sort((a, b) => b.priority - a.priority)) {
    const cost = offer.ownBudget === true ? 0 : estimateLineTokens(offer.text);
    if (cost > left) {
      holdBack(ledger, offer.text, `over the budget of the event (${events.join(', ')})`);
    } else {
      chosen.add(offer);
      left -= cost;
    }
  }

  return news.filter((offer) => chosen.has(offer));
}

/** Events of the person's own session: a subagent is told only what names it. */
const DEFAULT_EVENTS: readonly InjectionEvent[] = ['start', 'clear', 'compact', 'resume', 'prompt'];

/** Reserves space for a line and its newline. @returns false, without reserving, if it does not fit */
type AcceptLine = (line: string) => boolean;

function makeRoom(room: Room): AcceptLine {
  let left = 'bytes' in room ? room.bytes : room.characters;
  return (line) => {
    const size = ('bytes' in room ? Buffer.byteLength(line) : line.length) + 1;
    if (size > left) return false;
    left -= size;
    return true;
  };
}

function renderPart({ heading }: SpaceLines, lines: readonly string[]): string {
  return [`## ${heading}`, ...lines].join('\n');
}

function renderPointer({ file }: SpaceLines, count: number): string {
  return `(${formatCount(count, 'more line')} in ${file})`;
}

/** The lines of a part that fit, besides its pointer: the plan from its start, notes and refs from their newest. */
function fitLines(part: SpaceLines, take: AcceptLine): string[] {
  const { lines, space } = part;
  const fromStart = space === 'plan';
  const rules = fromStart ? [] : lines.filter(isRule);
  const order = fromStart ? lines : [...rules, ...lines.slice(rules.length).reverse()];
  const shorts = order.map((line) => shorten(defuse(line), LONGEST_LINE));
  const end = shorts.findIndex((line) => !take(line));
  const fits = end === -1 ? shorts : shorts.slice(0, end);
  const shown = fromStart ? fits : [...fits.slice(0, rules.length), ...fits.slice(rules.length).reverse()];

  if (end === -1) return shown;

  const pointer = renderPointer(part, lines.length - end);

  return fromStart ? [...shown, pointer] : [pointer, ...shown];
}

const NO_ROOM = "no room in the host's limit";

function fitOffers(offers: readonly Offer[], take: AcceptLine, ledger: Ledger): Offer[] {
  let last: Offer | undefined;

  return offers.filter((offer) => {
    const isGrouped = last !== undefined && last.heading === offer.heading;
    const head = isGrouped ? '' : `\n## ${offer.heading ?? ''}\n`;
    const fits = take(`${head}${renderOffer(offer)}`);

    if (fits) last = offer;
    else holdBack(ledger, offer.text, NO_ROOM);

    return fits;
  });
}

function renderOffer({ heading, text }: Offer): string {
  return heading === undefined ? defuse(text) : `- ${defuse(text)}`;
}

function groupOffers(offers: readonly Offer[], isFirst: boolean): string[] {
  const groups: { heading: string | undefined; lines: string[] }[] = [];
  for (const offer of offers) {
    const { heading } = offer;
    const line = renderOffer(offer);
    const last = groups.at(-1);
    if (last !== undefined && last.heading === heading) last.lines.push(line);
    else groups.push({ heading, lines: [line] });
  }

  return groups.map(({ heading, lines }) => {
    const head = heading === undefined ? [] : [isFirst ? `## ${heading}` : `${heading}:`];
    return [...head, ...lines].join('\n');
  });
}

const EMPTY = 'The scratchpad is empty.';
const WITH_OWN_TEXT =
  "Plan, notes and refs of SCRATCHPAD.md are empty; the rest of the file is the person's own text.";

export function renderScopeLine(
  spaces: PadSpaces,
  session: string | undefined,
  { firstUse, remarks, more }: Pick<WriteWays, 'firstUse' | 'remarks' | 'more'>,
): string | undefined {
  if (isEmpty(spaces)) {
    if (spaces.planAside) return undefined;
    if (spaces.isApart) return `(${EMPTY} ${firstUse}. ${remarks})`;
    return `(${spaces.hasOwnText ? WITH_OWN_TEXT : EMPTY} ${firstUse}; ${SHOWN} them. ${remarks})`;
  }

  if (spaces.isApart) return "(Plan, notes and refs are this session's own.)";
  if (session === undefined) return undefined;

  return hasContent(spaces.own)
    ? `(This session's own pad is \`--session ${session}\`; SCRATCHPAD.md is shared with this workspace's other agents and people. ${more})`
    : `(SCRATCHPAD.md is shared with the other agents and people of this workspace. ${more})`;
}
