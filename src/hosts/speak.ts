import type { StageReport } from '../assembly/assemble.ts';
import { compose, type Offer, scopeLine } from '../injection/compose.ts';
import { afterRewind, isSilent, type Ledger, newLedger } from '../injection/ledger.ts';
import { type ChangedBy, changedSpaces, hasContent, type PadSpaces } from '../injection/spaces.ts';
import { stepsOf } from '../pad/steps.ts';
import { safeLine } from '../safety/index.ts';
import { NO_SPACES } from '../session/journal.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import { spellGap } from '../text/counts.ts';
import { mayRun, type Trail, trailFor } from '../trail/index.ts';
import type { SessionPads } from './pads.ts';
import { plainId } from './protocol.ts';
import type { Session } from './session.ts';
import type { Given } from './subagent.ts';

/** Events that start a new window of the model, without anything said before. */
const NEW_WINDOW: ReadonlySet<InjectionEvent> = new Set(['start', 'clear', 'compact']);

/**
 * The text for the model at an event: the plan, notes and refs, and the lines made for it, each once per window.
 *
 * @param hints one-line notices of the host layer, said first
 * @returns `''` if there is nothing to say
 */
export async function speak(at: Session, event: InjectionEvent, hints: readonly string[]): Promise<string> {
  const { config, now, host } = at;
  const told = event !== 'start' && event !== 'clear' && at.planTold;
  const ledger = openLedger(at, event);
  const pads = await at.pads();
  const { spaces, aside } = await pads.here(told);
  const made = await offersFor(at, event, ledger, spaces);
  const offers = [...asideOffer(aside), ...made.offers];
  // A window without a start event, in which nothing was said yet, gets both: the text of a start, and the text for
  // this prompt.
  const events: InjectionEvent[] = event === 'prompt' && isSilent(ledger) ? [ledger.by, event] : [event];
  const text = compose(
    {
      events,
      spaces,
      changedBy: await changers(pads, ledger, spaces),
      offers,
      heldBack: made.heldBack,
      hints,
      ...scoped(at.provenance.note ?? scopeLine(spaces, plainId(at.input.session), at.ways.empty)),
      session: plainId(at.input.session),
      now,
      position: at.memory.place?.talk ?? 0,
      always: host.ephemeral === true || config.hook.say === 'always',
      recite: config.recite,
      room: host.room,
    },
    ledger,
  );
  at.memory.ledger = ledger;
  return text;
}

/**
 * The text for a subagent, which does other work: the pads and the trail's facts about its task, no mood, no time.
 */
export async function briefSubagent(
  at: Session,
  child: string | undefined,
  given: Given = { spaces: NO_SPACES, notes: [] },
): Promise<string> {
  const {
    spaces: { shared },
  } = await (await at.pads()).here(true);
  const spaces = { shared, own: given.spaces };
  const offers = trailOffers(await at.trail(), 'subagent', at);
  const nothing = !hasContent(shared) && !hasContent(given.spaces) && offers.length === 0;
  if (nothing && given.notes.length === 0) return '';
  return compose(
    {
      events: ['subagent'],
      ...{ spaces, offers, changedBy: {}, hints: given.notes, session: child, now: at.now, position: 0 },
      ...scoped(nothing ? undefined : scopeLine(spaces, child, '')),
      always: false,
      recite: { step: 0, plan: 0 },
      room: at.host.room,
    },
    newLedger(at.now, 'subagent'),
  );
}

const scoped = (scope: string | undefined): { scope?: string } =>
  scope === undefined || scope === '' ? {} : { scope };

/** The ledger of the current window: the saved one, or a new one if the window is or may be new. */
function openLedger(at: Session, event: InjectionEvent): Ledger {
  const { memory, now } = at;
  const followed = at.followTranscript();
  const begins = NEW_WINDOW.has(event);
  if (followed) {
    const { tip, ...untied } = followed.place;
    // The records of a window's start may still be incomplete, so the chain is followed from the first prompt on.
    memory.place = begins || tip === undefined ? untied : { ...untied, tip };
  }
  const kept = memory.ledger;
  const { prompted = now } = memory;
  memory.prompted = event === 'prompt' ? now : undefined;
  if (begins) return newLedger(now, event);
  if (kept === undefined) return newLedger(now, 'start');
  if (followed?.holds !== false) return structuredClone(kept);
  const { forkedAt, goesOn } = followed;
  const since = goesOn ? prompted : now;
  const ledger = forkedAt === undefined ? undefined : afterRewind(kept, forkedAt, since);
  // The model still sees the conversation, as after a resume, but perhaps nothing of what was said.
  return ledger === undefined || isSilent(ledger) ? newLedger(now, 'resume') : ledger;
}

async function changers(pads: SessionPads, ledger: Ledger, spaces: PadSpaces): Promise<ChangedBy> {
  const found: ChangedBy = {};
  for (const { pad, space } of changedSpaces(ledger, spaces)) {
    if (ledger.spaces[pad][space] === undefined) continue;
    const who = await pads.changedBy(pad, space);
    if (who !== undefined) found[`${pad}:${space}`] = who;
  }
  return found;
}

interface Made {
  offers: Offer[];
  heldBack: Ledger['heldBack'];
}

/** Offered lines besides the spaces, and those held back. Lines that miss the deadline are left out. */
async function offersFor(
  at: Session,
  event: InjectionEvent,
  ledger: Ledger,
  spaces: PadSpaces,
): Promise<Made> {
  const trail = beside(await at.trail(), spaces);
  // A window without a start event begins with its first prompt.
  const trailed = event === 'prompt' && isSilent(ledger) ? [...trailOffers(trail, ledger.by, at)] : [];
  const offers = [...trailed, ...trailOffers(trail, event, at, trailed)];
  const done = await at.assemble();
  if (done === undefined) return { offers, heldBack: [] };
  const machine = at.input.speaker === 'machine';
  // A start without a conversation has nothing for readers of the file, and a machine's prompt nothing about the
  // person.
  if (!machine && (event === 'prompt' || event === 'resume' || event === 'compact')) {
    at.afterwards(async () => void (await done.keep()));
  }
  const state = stateOffers(done.assembly.stages, spaces, at.host.stampsTime === true);
  if (machine)
    return { offers: [...offers, ...state.filter(({ key }) => !ABOUT_THE_PERSON.test(key))], heldBack: [] };
  const heldBack = done.assembly.stages.flatMap((stage) => stage.heldBack ?? []);
  return { offers: [...offers, ...state], heldBack };
}

/** The trail without the tasks that the plan holds, as after `plan adopt`. */
function beside(trail: Trail | undefined, { shared, own }: PadSpaces): Trail | undefined {
  const steps = [shared, own].flatMap(({ plan }) => stepsOf(plan).map(({ text }) => wordsIn(text)));
  if (trail === undefined || steps.length === 0) return trail;
  const isPlanned = (text: string): boolean => steps.includes(wordsIn(text.replace(/^in progress: /, '')));
  return { ...trail, facts: trail.facts.filter(({ kind, text }) => kind !== 'task' || !isPlanned(text)) };
}

const wordsIn = (text: string): string =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';

/** Lines in response to the person's words: how to answer, and memory for the question. */
const ABOUT_THE_PERSON = /^(?:how-to-answer$|memory:)/;

/**
 * Lines from the session's own records: ready as soon as the spaces, because they need no assembly.
 *
 * @param already lines of the same text
 */
function trailOffers(
  trail: Trail | undefined,
  event: InjectionEvent,
  at: Session,
  already: readonly Offer[] = [],
): Offer[] {
  const budgetTokens = TRAIL_TOKENS[event];
  if (trail === undefined || budgetTokens === undefined) return [];
  const { prompt } = at.input;
  const heading = event === 'prompt' ? undefined : headingOf(trail, event, at.now);
  const lines = trailFor(trail, {
    event,
    budgetTokens,
    ...(heading !== undefined && { instructionTokens: INSTRUCTION_TOKENS }),
    ...(prompt === undefined ? {} : { prompt }),
    already: already.map(({ text }) => text).join('\n'),
  });
  const counts = new Map<string, number>();
  return lines.map(({ key, text, once }, rank) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return {
      key: `${key}#${count}`,
      text: safeLine(text),
      ...(once && { everyMs: Number.POSITIVE_INFINITY }),
      ...(heading === undefined ? {} : { heading }),
      // In the order of the trail, before lines of the state.
      priority: 100 - rank / 100,
      at: [event],
    };
  });
}

/** A plan that does not belong here, in one line. */
function asideOffer(aside: string | undefined): Offer[] {
  return aside === undefined ? [] : [{ key: 'plan-aside', text: aside, priority: 100, everyMs: DAY_MS }];
}

const DAY_MS = 86_400_000;

/** Token budget of the trail at each event; after a resume the window already has it. */
const TRAIL_TOKENS: Partial<Record<InjectionEvent, number>> = {
  start: 150,
  clear: 150,
  compact: 60,
  prompt: 100,
  subagent: 100,
};

/** Besides, at the start of a window, for the person's instructions. */
const INSTRUCTION_TOKENS = 50;

function headingOf(trail: Trail, event: InjectionEvent, now: number): string {
  const { from, updated } = trail;
  if (from === 'session') return 'From this session so far';
  const ago = updated === undefined ? '' : `, ${spellGap(now - updated)} ago`;
  if (event === 'start' && mayRun(trail, now))
    return `Where the last session here was${ago.slice(1)} (it may still be running)`;
  return `Where the last session here stopped${ago}`;
}

/** Lines from the sections of a finished assembly. A section kept from an earlier one is older than this event. */
function stateOffers(stages: readonly StageReport[], spaces: PadSpaces, stamped: boolean): Offer[] {
  const hasPlan = spaces.shared.plan.trim() !== '' || spaces.own.plan.trim() !== '';
  return stages
    .filter(({ status }) => status === 'ok')
    .flatMap(({ lines, dropped }) => [...lines, ...dropped])
    .flatMap(({ text, priority = 0, inject }) => {
      if (inject === undefined) return [];
      if (inject.key === 'clock' && stamped) return [];
      if (inject.key === 'working-on' && hasPlan) return [];
      const { key, at, everyMs, covers } = inject;
      return {
        key,
        text: inject.text ?? text,
        priority,
        ...(at === undefined ? {} : { at }),
        ...(everyMs === undefined ? {} : { everyMs }),
        ...(covers === undefined ? {} : { covers }),
      };
    });
}
