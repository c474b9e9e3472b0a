import type { StageReport } from '../assembly/assemble.ts';
import { findGitPlace } from '../base/git/place.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import type { HandoverLine } from '../handover/index.ts';
import { composeText, type Offer, type Request, renderScopeLine } from '../ledger/compose.ts';
import { createLedger, deliver, isSilent, type Ledger, rewindLedger } from '../ledger/ledger.ts';
import { type ChangedBy, findChangedSpaces, hasContent, isEmpty, type PadSpaces } from '../ledger/spaces.ts';
import { findCurrentStep, getPlanTitle, parseSteps } from '../pad/steps.ts';
import { NO_SPACES } from '../session/journal.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import type { PadReading, SessionPads } from './pads.ts';
import { checkId } from './protocol.ts';
import type { Session } from './session.ts';
import type { SessionMemory } from './session-memory.ts';
import type { SubagentStart } from './subagents.ts';

/** Events that start a new window of the model, without anything said before. */
const NEW_WINDOW: ReadonlySet<InjectionEvent> = new Set(['start', 'clear', 'compact']);

/**
 * The text for the model at an event: the plan, notes and refs, and the lines made for it, each once per window.
 *
 * @param hints one-line notices of the host layer, said first
 * @returns `''` if there is nothing to say
 */
export async function speak(at: Session, event: InjectionEvent, hints: readonly string[]): Promise<string> {
  const { config, now, host, memory, pads } = at;
  const ledger = await openLedger(at, event);
  const { spaces, others } = await pads.here();
  const made = await collectOffers(at, event, spaces);
  const session = checkId(at.input.session);
  const request: Request = {
    // A window without a start event, in which nothing was said yet, gets both: the text of a start, and the text for
    // this prompt.
    events: event === 'prompt' && isSilent(ledger) ? [ledger.by, event] : [event],
    spaces,
    changedBy: await makeChangedBy(pads, ledger, spaces),
    offers: [...offerOtherPlans(others), ...made],
    hints,
    scope: at.provenance.note ?? renderScopeLine(spaces, session, at.ways),
    session,
    now,
    position: memory.place?.talk ?? 0,
    always: host.ephemeral === true || config.hook.say === 'always',
    recite: config.recite,
    room: host.room,
  };

  const kept = at.input.standing ? ledger.lines : {};

  if (at.input.standing) {
    // That it is empty would soon be untrue, and a change there makes the host pay for the conversation again.
    const scope = isEmpty(spaces) && !spaces.hasOwnText ? at.provenance.note : request.scope;
    memory.standing = chooseStandingText(
      memory.standing,
      { ...request, offers: offerOtherPlans(others), scope },
      ledger,
    );
    // The rest is of this prompt alone: the host drops it after the turn, so earlier lines are not in the window.
    ledger.lines = {};
    Object.assign(request, { offers: made, scope: undefined, always: false });
  }

  const text = composeText(request, ledger);
  const { note } = at.provenance;

  if (note !== undefined && text.includes(note)) deliver(ledger, 'provenance', note, now);
  ledger.lines = { ...kept, ...ledger.lines };
  memory.ledger = ledger;

  return text;
}

/**
 * What a host's system part has of the pad: the text of before as long as the model knows the pad from it and from its own
 * calls, because any other text there makes the host pay for the whole conversation again.
 */
function chooseStandingText(
  kept: SessionMemory['standing'],
  request: Request,
  ledger: Ledger,
): SessionMemory['standing'] {
  const known = findChangedSpaces(ledger, request.spaces).length === 0 && !isSilent(ledger);
  if (kept !== undefined && known) return kept;

  const fresh = createLedger(ledger.began, ledger.by);
  const text = composeText({ ...request, events: [ledger.by], hints: [], always: false }, fresh);

  ledger.spaces = fresh.spaces;

  return { text };
}

/**
 * The text for a subagent, which does other work: its id, the goal of the session that started it with the current
 * step, what it was given. No mood, no time.
 */
export async function briefSubagent(
  at: Session,
  child: string | undefined,
  { spaces: own, lent }: SubagentStart = { spaces: NO_SPACES, lent: [] },
): Promise<string> {
  const goal = describeGoal((await at.pads.assembled()).plan);
  const lines = goal === undefined ? [] : [goal];
  if (child !== undefined) lines.push(ownNotepad(child));
  if (child !== undefined && lent.length > 0) lines.push(describeLent(lent, child));
  if (lines.length === 0 && !hasContent(own)) return '';

  return composeText(
    {
      ...{ events: ['subagent'], spaces: { shared: NO_SPACES, own }, changedBy: {}, hints: [] },
      offers: lines.map((text, k) => ({ key: `brief:${k}`, text, priority: 100 - k, at: ['subagent'] })),
      ...{ session: child, now: at.now, position: 0, always: false },
      ...{ recite: { step: 0, plan: 0 }, room: at.host.room },
    },
    createLedger(at.now, 'subagent'),
  );
}

/** What the session that started a subagent works on, in one line. */
function describeGoal(plan: string): string | undefined {
  const steps = parseSteps(plan);
  const step = findCurrentStep(steps);
  if (plan.trim() === '') return undefined;

  const at =
    step === undefined || step.done ? '' : `; at step ${step.number} of ${steps.length}: ${step.text}`;

  return sanitizeLine(`The session that started this agent works on: ${getPlanTitle(plan)}${at}`);
}

const ownNotepad = (child: string): string =>
  `This agent's id is ${child} and its notepad is its own: \`scratchpad notes add "…" --session ${child}\`. ` +
  'Its notes are reported to the parent session.';

const describeLent = (names: readonly string[], child: string): string =>
  sanitizeLine(
    `Entries lent to this agent, to be read with \`scratchpad entry read NAME --session ${child}\`: ` +
      names.map((name) => JSON.stringify(name)).join(', '),
  );

/** The ledger of the current window: the saved one, or a new one if the window is or may be new. */
async function openLedger(at: Session, event: InjectionEvent): Promise<Ledger> {
  const { memory, now } = at;
  const followed = await at.followed();
  const begins = NEW_WINDOW.has(event);

  // The records of a window's start may still be incomplete, so rewinds are noticed from the first prompt on.
  if (followed) memory.place = { ...followed.place, tied: !begins };
  const kept = memory.ledger;
  const { prompted = now } = memory;

  memory.prompted = event === 'prompt' ? now : undefined;
  if (begins) return createLedger(now, event);
  if (kept === undefined) return createLedger(now, 'start');
  if (followed?.holds !== false) return structuredClone(kept);

  const { forkedAt, goesOn } = followed;
  const since = goesOn ? prompted : now;
  const ledger = forkedAt === undefined ? undefined : rewindLedger(kept, forkedAt, since);

  // The model still sees the conversation, as after a resume, but perhaps nothing of what was said.
  return ledger === undefined || isSilent(ledger) ? createLedger(now, 'resume') : ledger;
}

async function makeChangedBy(pads: SessionPads, ledger: Ledger, spaces: PadSpaces): Promise<ChangedBy> {
  const found: ChangedBy = {};
  for (const { pad, space } of findChangedSpaces(ledger, spaces)) {
    if (ledger.spaces[pad][space] === undefined) continue;
    const who = await pads.changedBy(pad, space);
    if (who !== undefined) found[`${pad}:${space}`] = who;
  }

  return found;
}

/** Offered lines besides the spaces. Lines that miss the deadline are left out. */
async function collectOffers(at: Session, event: InjectionEvent, spaces: PadSpaces): Promise<Offer[]> {
  const offers = await collectHandoverOffers(at, event);
  const done = await at.assemble();
  if (done === undefined) return offers;

  const machine = at.input.speaker === 'machine';
  // A start without a conversation has nothing for readers of the file, and a machine's prompt nothing about the
  // person.
  if (!machine && (event === 'prompt' || event === 'resume' || event === 'compact')) {
    at.afterwards(async () => void (await done.store('turn')));
  }
  const state = offerStateLines(done.assembly.stages, spaces, at.host.stampsTime === true);

  return [...offers, ...state.filter(({ key }) => !machine || !ABOUT_THE_PERSON.test(key))];
}

/** Lines in response to the person's words: how to answer, and memory for the question. */
const ABOUT_THE_PERSON = /^(?:how-to-answer$|memory:)/;

/**
 * The work before this moment: of the last session at the first prompt of a person, and of this one what a compaction has
 * lost. Ready as soon as the spaces, because it needs no assembly.
 */
async function collectHandoverOffers(at: Session, event: InjectionEvent): Promise<Offer[]> {
  if (at.provenance.spaces === 'untrusted') return [];

  const { lines = [], told } = (await at.inTime('the hand-over', collectHandoverLines(at, event))) ?? {};
  told?.();

  return lines.map(({ key, text, why, heading }, rank) => ({
    key,
    text: sanitizeLine(text),
    why,
    everyMs: Number.POSITIVE_INFINITY,
    ownBudget: true,
    heading,
    // In their order, before lines of the state.
    priority: 100 - rank / 100,
    at: [event],
  }));
}

/** @returns `told`: to be called once the lines are said; those that took too long are told by a later prompt */
async function collectHandoverLines(
  at: Session,
  event: InjectionEvent,
): Promise<{ lines?: HandoverLine[]; told?: () => void }> {
  const { prompt, speaker } = at.input;
  const { memory } = at;
  const lost = await collectLostLines(at, event);

  if (event !== 'prompt' || prompt === undefined || speaker !== undefined) return lost;

  const { tellLastSession, findPreviousSessions, renderUncommittedLines } = await import(
    '../handover/index.ts'
  );
  const options = at.handoverOptions();
  const first = memory.handed === undefined && !(await hasPrompts(at));
  const own = await at.record();
  const before = first ? await findPreviousSessions(options, own) : undefined;
  const lines = [...lost.lines, ...(await renderUncommittedLines(options, own, prompt, before))];
  const branch = findGitPlace(options.cwd ?? at.root)?.branch ?? '';
  const { handed = first ? [] : [branch] } = memory;

  memory.handed = handed;
  const late = handed.length === 0 ? 'later' : handed.includes(branch) ? 'told' : 'switched';
  const when = first ? 'first' : late;

  const handover = await tellLastSession(options, own, prompt, when, before);
  const told = (): void => {
    lost.told();
    if (!handover.open) memory.handed = [...handed, branch];
    at.afterwards(handover.said);
  };

  return { lines: [...lines, ...handover.lines], told };
}

/**
 * The person's messages that the summary of a compaction lacks, once for each compaction. Some hosts write the summary
 * only after the start of the new window.
 */
async function collectLostLines(
  at: Session,
  event: InjectionEvent,
): Promise<{ lines: HandoverLine[]; told(): void }> {
  const { memory } = at;
  const id = await findNewSummary(at);
  if (event === 'compact' && id === undefined) memory.awaitsSummary = true;
  const told = (): void => {
    if (id !== undefined) Object.assign(memory, { summaryOf: id, awaitsSummary: undefined });
  };
  const record = id === undefined ? undefined : await at.record();

  if (record === undefined) return { lines: [], told };

  const { tellAfterCompaction } = await import('../handover/index.ts');

  return { lines: tellAfterCompaction(record, at.root), told };
}

/** The id of the newest compaction whose summary can be read, if nothing was told of it; none from before we looked. */
export async function findNewSummary(at: Session): Promise<string | undefined> {
  const { summaryOf, hints } = at.memory;
  const record = await at.record();
  if (record === undefined || (hints.compactedAt === '' && summaryOf !== undefined)) return undefined;

  const { listItems } = await import('../transcript/record.ts');
  const isReadable = (item: { type: string; summary?: string | undefined }): boolean =>
    item.type === 'compacted' && Boolean(item.summary);
  const id = listItems(record.record).findLast(isReadable)?.id ?? '';

  // A session that was compacted before this event has its words, or has lost them long ago.
  if (summaryOf === undefined && hints.compactedAt === '') at.memory.summaryOf = id;

  return id === '' || id === at.memory.summaryOf ? undefined : id;
}

/** Whether the person has spoken in this session before the prompt in hand: it was resumed, or is a fork. */
async function hasPrompts(at: Session): Promise<boolean> {
  const record = await at.record();
  if (record === undefined) return false;

  const { isPrompt, listItems } = await import('../transcript/record.ts');
  const words = at.input.prompt?.trim();
  const prompts = listItems(record.record).filter(isPrompt);

  // The host may have written the prompt in hand already.
  return prompts.some((item) => item.type !== 'person' || item.text.trim() !== words);
}

/** The other open plans, each in one line, once in a window; the loss of the plan that was shown, as it happens. */
function offerOtherPlans(others: PadReading['others']): Offer[] {
  return others.map(({ id, text, isTaken }) => ({
    key: `plan-${isTaken ? 'taken' : 'beside'}:${id}`,
    text,
    priority: 100,
    at: isTaken ? [...WINDOW_STARTS, 'prompt'] : WINDOW_STARTS,
    everyMs: Number.POSITIVE_INFINITY,
  }));
}

const WINDOW_STARTS: readonly InjectionEvent[] = ['start', 'clear', 'compact', 'resume'];

/** Lines from the sections of a finished assembly. A section kept from an earlier one is older than this event. */
function offerStateLines(stages: readonly StageReport[], spaces: PadSpaces, stamped: boolean): Offer[] {
  const hasPlan = spaces.shared.plan.trim() !== '' || spaces.own.plan.trim() !== '';
  return stages
    .filter(({ status }) => status === 'ok')
    .flatMap(({ lines, dropped }) => [...lines, ...dropped])
    .flatMap(({ text, priority = 0, inject }) => {
      if (inject === undefined) return [];
      if (inject.key === 'clock' && stamped) return [];
      if (inject.key === 'working-on' && hasPlan) return [];
      const { key, at, everyMs, covers } = inject;
      return { key, text: inject.text ?? text, priority, at, everyMs, covers };
    });
}
