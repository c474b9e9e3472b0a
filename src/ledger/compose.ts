import { defuse } from '../base/safety/index.ts';
import { digestText, formatCount, shorten } from '../base/text/strings.ts';
import { INJECTION_END, INJECTION_START, NEWS_START } from '../pad/injection.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { escapeHeadings } from '../pad/our-headings.ts';
import { isLasting } from '../pad/rules.ts';
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
  type Recitation,
  type SpaceLines,
  type SpacePart,
} from './spaces.ts';
import { SHOWN, type WriteWays } from './window.ts';

/** A line that may be shown to the model, besides plan, notes and refs. */
export interface Offer {
  key: string;
  /** One line, redacted, understandable on its own. */
  text: string;
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
  talkTokens: number;
  /** Whether all is told again, as if the window were new. */
  repeatsAll: boolean;
  /** Tokens of conversation after which the current step, or the whole plan, is repeated; 0: never. */
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

interface Composition {
  request: Request;
  ledger: Ledger;
  isFirst: boolean;
  reserve: Reserve;
}

/**
 * Composes the text for the model at one event: everything that it does not know yet, once.
 *
 * Room is given in this order: the frame and the hints; the scope line; a heading and a pointer to the file for each
 * changed space and a repeated plan; their lines; the reminder of a step; the offers.
 *
 * @param ledger the record of this window; the lines said now are entered, so pass a copy
 * @returns the text, `''` if there is nothing to say
 */
export function composeText(request: Request, ledger: Ledger): string {
  const { hints, now, session, spaces } = request;
  // Read before anything is delivered, for it is usually the same object.
  const earlier = request.repeatsAll ? { ...ledger, lines: {}, spaces: { shared: {}, own: {} } } : ledger;
  const isFirst = isSilent(earlier);

  ledger.heldBack = [];
  ledger.heldAt = now;
  const parts = collectSpaceParts(earlier, spaces, request.changedBy, session);
  const recitation = isFirst ? undefined : chooseRecitation(earlier, spaces, request);
  const repeated = recitation && 'plan' in recitation ? [recitation.plan] : [];
  const offers = chooseOffers(request, earlier, ledger);

  const frame = isFirst ? INJECTION_START : NEWS_START;
  const reserve = createReserve(request.room);
  for (const line of [frame, INJECTION_END, ...hints]) reserve(line);

  const composition = { request, ledger, isFirst, reserve };
  const scope = fitScope(composition);
  const shown = fitParts(parts, repeated, reserve);
  const spaceBlocks = deliverParts(composition, parts, shown);
  const reminder = recitation ? fitReminder(composition, recitation, shown) : [];
  const blocks = [...scope, ...spaceBlocks, ...reminder, ...fitOffers(composition, offers)];
  const text = [...hints, ...frameBlocks(blocks, frame, isFirst)].join('\n\n');
  ledger.tokens += estimateTokens(text);

  return text;
}

function fitScope({ request: { scope, now }, ledger, isFirst, reserve }: Composition): string[] {
  if (!isFirst || scope === undefined || !reserve(scope)) return [];
  deliver(ledger, 'scope', scope, now);
  return [scope];
}

type ShownLines = ReadonlyMap<SpaceLines, readonly string[]>;

function fitParts(parts: readonly SpaceLines[], repeated: SpaceLines[], reserve: Reserve): ShownLines {
  // Where not all of them fit, both plans come before notes and refs, and what is only repeated comes last.
  const bySpace = SPACE_NAMES.flatMap((space) => parts.filter((part) => part.space === space));
  const all = [...bySpace, ...repeated];

  // However long one is, each keeps room for its heading and a pointer to its lines.
  for (const part of all) reserve(`${renderPart(part, [renderPointer(part, part.lines)])}\n`);

  return new Map(all.map((part) => [part, fitLines(part, reserve)]));
}

function deliverParts(
  { request, ledger }: Composition,
  parts: readonly SpacePart[],
  shown: ShownLines,
): string[] {
  const { spaces, now, talkTokens: position } = request;
  return parts.flatMap((part) => {
    const of = part.pad === 'shared' && part.space === 'plan' ? spaces.planId : undefined;
    // Lines cut for room count as known: a pointer says where they are, and a repetition would be cut as well.
    deliverSpace(ledger, part, { now, position, of });

    const lines = shown.get(part) ?? [];
    return lines.length > 0 ? [renderPart(part, lines)] : [];
  });
}

function fitReminder(
  { request: { talkTokens: position }, ledger, reserve }: Composition,
  recitation: Recitation,
  shown: ShownLines,
): string[] {
  const { plan } = ledger.spaces[recitation.pad];
  if ('plan' in recitation) {
    if (plan) Object.assign(plan, { stepPosition: position, position });
    return [renderPart(recitation.plan, shown.get(recitation.plan) ?? [])];
  }

  const reminder = defuse(recitation.step);
  if (!reserve(reminder)) {
    holdBack(ledger, reminder, NO_ROOM);
    return [];
  }

  if (plan) plan.stepPosition = position;
  return [reminder];
}

/** The offers that fit, those of one heading in one block. */
function fitOffers({ request, ledger, isFirst, reserve }: Composition, offers: readonly Offer[]): string[] {
  const blocks: string[] = [];
  let last: Offer | undefined;

  for (const offer of offers) {
    const { key, text, why, heading, covers = [] } = offer;
    const line = heading === undefined ? defuse(text) : `- ${defuse(text)}`;
    const isGrouped = last !== undefined && last.heading === heading;

    if (!reserve(isGrouped ? line : `\n## ${heading ?? ''}\n${line}`)) {
      holdBack(ledger, text, NO_ROOM);
      continue;
    }

    const head = isFirst ? `## ${heading}` : `${heading}:`;
    if (isGrouped) blocks.push(`${blocks.pop()}\n${line}`);
    else blocks.push(heading === undefined ? line : `${head}\n${line}`);

    for (const each of [key, ...covers]) deliver(ledger, each, text, request.now, why);
    last = offer;
  }

  return blocks;
}

function frameBlocks(blocks: readonly string[], start: string, isFirst: boolean): string[] {
  const text = blocks.join(isFirst ? '\n\n' : '\n');
  if (text === '') return [];
  if (!isFirst && !text.includes('\n')) return [`${ONE_LINE}${text}`];
  return [[start, text, INJECTION_END].join('\n')];
}

/** The new offers of this event in their order; the event's budget goes to the most important ones first. */
function chooseOffers(request: Request, before: Ledger, ledger: Ledger): Offer[] {
  const { events, now } = request;
  const news = request.offers.filter(({ key, text, everyMs, at = DEFAULT_EVENTS }) => {
    if (!events.some((event) => at.includes(event))) return false;

    const earlier = before.lines[key];
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
type Reserve = (line: string) => boolean;

function createReserve(room: Room): Reserve {
  let left = 'bytes' in room ? room.bytes : room.characters;
  return (line) => {
    const size = ('bytes' in room ? Buffer.byteLength(line) : line.length) + 1;
    if (size > left) return false;
    left -= size;
    return true;
  };
}

const renderPart = ({ heading }: SpaceLines, lines: readonly string[]): string =>
  [`## ${heading}`, ...lines].join('\n');

function renderPointer({ space, file }: SpaceLines, cutLines: readonly string[]): string {
  const rules = space === 'notes' ? cutLines.filter(isLasting).length : 0;
  const others = cutLines.filter((line) => line.trim() !== '').length - rules;
  const counts = [
    others > 0 && formatCount(others, 'more line'),
    rules > 0 && formatCount(rules, 'more rule'),
  ];
  return `(${counts.filter(Boolean).join(' and ')} in ${file})`;
}

/** The lines of a part that fit, besides its pointer: of a plan its start, else each that fits, rules and newest first. */
function fitLines(part: SpaceLines, reserve: Reserve): string[] {
  const { space } = part;
  const lines = part.lines.map((line) => shorten(escapeHeadings(defuse(line)), LONGEST_LINE));
  const isRuleLine = (line: string): boolean => space === 'notes' && isLasting(line);
  const cutLines: string[] = [];
  const fits = (line: string): boolean => {
    const isCut = (space === 'plan' && cutLines.length > 0) || !reserve(line);
    if (isCut) cutLines.push(line);
    return !isCut;
  };

  const rules = lines.filter(isRuleLine).filter(fits);
  const others = lines.filter((line) => !isRuleLine(line));
  const shown = space === 'plan' ? others.filter(fits) : others.toReversed().filter(fits).reverse();
  if (cutLines.every((line) => line.trim() === '')) return [...rules, ...shown];

  const pointer = renderPointer(part, cutLines);
  return space === 'plan' ? [...shown, pointer] : [pointer, ...rules, ...shown];
}

const NO_ROOM = "no room in the host's limit";

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
