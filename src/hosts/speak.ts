import type { StageReport } from '../assembly/assemble.ts';
import { compose, type Offer, scopeLine } from '../injection/compose.ts';
import { afterRewind, isSilent, type Ledger, newLedger } from '../injection/ledger.ts';
import { type ChangedBy, changedSpaces, hasContent, type PadSpaces } from '../injection/spaces.ts';
import { currentStep, stepsOf } from '../pad/steps.ts';
import { safeLine } from '../safety/index.ts';
import { NO_SPACES } from '../session/journal.ts';
import { titleOf } from '../session/plan-words.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import { spellGap } from '../text/counts.ts';
import { mayRun, type Trail, trailFor } from '../trail/index.ts';
import type { PadsHere, SessionPads } from './pads.ts';
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
  const ledger = openLedger(at, event);
  const pads = await at.pads();
  const { spaces, others } = await pads.here();
  const made = await offersFor(at, event, ledger, spaces);
  const children = await (await import('./subagent.ts')).notedByChildren(at);
  const offers = [...besideOffers(others), ...children, ...made.offers];
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
 * The text for a subagent, which does other work: its id, the goal of the session that started it with the current
 * step, what it was given. No mood, no time.
 */
export async function briefSubagent(at: Session, child: string | undefined, given?: Given): Promise<string> {
  const { spaces } = await (await at.pads()).here();
  const { lent = [] } = given ?? {};
  const goal = goalOf(spaces.shared.plan);
  const lines = [
    ...(goal === undefined ? [] : [goal]),
    ...(child === undefined ? [] : [ownNotepad(child)]),
    ...(lent.length > 0 && child !== undefined ? [lentNote(lent, child)] : []),
  ];
  const own = given?.spaces ?? NO_SPACES;
  if (lines.length === 0 && !hasContent(own)) return '';
  return compose(
    {
      ...{ events: ['subagent'], spaces: { shared: NO_SPACES, own }, changedBy: {}, hints: [] },
      offers: lines.map((text, k) => ({ key: `brief:${k}`, text, priority: 100 - k, at: ['subagent'] })),
      ...{ session: child, now: at.now, position: 0, always: false },
      ...{ recite: { step: 0, plan: 0 }, room: at.host.room },
    },
    newLedger(at.now, 'subagent'),
  );
}

/** What the session that started a subagent works on, in one line. */
function goalOf(plan: string): string | undefined {
  const steps = stepsOf(plan);
  const step = currentStep(steps);
  if (plan.trim() === '') return undefined;
  const at =
    step === undefined || step.done ? '' : `; at step ${step.number} of ${steps.length}: ${step.text}`;
  return safeLine(`The session that started this agent works on: ${titleOf({ content: plan })}${at}`);
}

const ownNotepad = (child: string): string =>
  `This agent's id is ${child} and its notepad is its own: \`scratchpad notes add "…" --session ${child}\`. ` +
  'The session that started it is told what it notes.';

const lentNote = (names: readonly string[], child: string): string =>
  safeLine(
    `Entries lent to this agent, to be read with \`scratchpad entry read NAME --session ${child}\`: ` +
      names.map((name) => JSON.stringify(name)).join(', '),
  );

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
    at.afterwards(async () => void (await done.store()));
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

/** The other open plans, each in one line, once in a window. */
function besideOffers(others: PadsHere['others']): Offer[] {
  return others.map(({ id, text }) => ({
    key: `plan-beside:${id}`,
    text,
    priority: 100,
    at: WINDOW_STARTS,
    everyMs: Number.POSITIVE_INFINITY,
  }));
}

const WINDOW_STARTS: readonly InjectionEvent[] = ['start', 'clear', 'compact', 'resume'];

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
