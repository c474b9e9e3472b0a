import type { StageReport } from '../assembly/assemble.ts';
import { findGitPlace } from '../base/git/place.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import type { HandoverLine, HandoverMoment } from '../handover/index.ts';
import { composeText, type Offer, type Request, renderScopeLine } from '../ledger/compose.ts';
import { createLedger, deliver, isSilent, type Ledger, rewindLedger } from '../ledger/ledger.ts';
import { type ChangedBy, findChangedSpaces, hasContent, isEmpty, type PadSpaces } from '../ledger/spaces.ts';
import { findCurrentStep, getPlanTitle, parseSteps } from '../pad/steps.ts';
import { NO_SPACES } from '../session/journal.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import { collectLostLines } from './lost-words.ts';
import type { PadReading, SessionPads } from './pads.ts';
import { checkId } from './protocol.ts';
import type { Session } from './session.ts';
import type { SessionMemory } from './session-memory.ts';
import type { SubagentStart } from './subagents.ts';

const NEW_WINDOW: ReadonlySet<InjectionEvent> = new Set(['start', 'clear', 'compact']);

/**
 * The text for the model at an event: the plan, notes and refs, and the lines made for it, each once per window.
 *
 * @param hints one-line notices of the host layer, said first
 * @returns `''` if there is nothing to say
 */
export async function speak(at: Session, event: InjectionEvent, hints: readonly string[]): Promise<string> {
  const { memory, pads } = at;
  const { config, now, host } = at.event;
  const { provenance } = at.workspace;
  const ledger = await openLedger(at, event);
  const { spaces, others } = await pads.here();
  const session = checkId(at.event.input.session);
  const offers = await collectOffers(at, event, spaces);
  const always = host.ephemeral === true || config.hook.say === 'always';
  const request: Request = {
    // A window without a start event, in which nothing was said yet, gets the text of a start as well.
    events: event === 'prompt' && isSilent(ledger) ? [ledger.by, event] : [event],
    spaces,
    changedBy: await makeChangedBy(pads, ledger, spaces),
    offers,
    ...{ hints, session, now, always, position: memory.place?.talk ?? 0 },
    ...{ recite: config.recite, room: host.room },
  };
  const scope = provenance.note ?? renderScopeLine(spaces, session, at.ways);
  const plans = offerOtherPlans(others);
  let text: string;

  if (at.event.input.standing) {
    const before = ledger.lines;
    // That it is empty would soon be untrue, and a change there makes the host pay for the conversation again.
    const isBare = isEmpty(spaces) && !spaces.hasOwnText;
    const standing = { ...request, offers: plans, scope: isBare ? provenance.note : scope };
    memory.standing = chooseStandingText(memory.standing, standing, ledger);
    // The host drops the rest after the turn, so earlier lines are not in the window.
    ledger.lines = {};
    text = composeText({ ...request, always: false }, ledger);
    ledger.lines = { ...before, ...ledger.lines };
  } else {
    text = composeText({ ...request, offers: [...plans, ...offers], scope }, ledger);
  }

  const { note } = provenance;
  if (note !== undefined && text.includes(note)) deliver(ledger, 'provenance', note, now);
  memory.ledger = ledger;

  return text;
}

/** A host's system part: any other text there makes the host pay for the whole conversation again. */
function chooseStandingText(
  kept: SessionMemory['standing'],
  request: Request,
  ledger: Ledger,
): SessionMemory['standing'] {
  const isKnown = findChangedSpaces(ledger, request.spaces).length === 0 && !isSilent(ledger);
  if (kept !== undefined && isKnown) return kept;

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
      ...{ session: child, now: at.event.now, position: 0, always: false },
      ...{ recite: { step: 0, plan: 0 }, room: at.event.host.room },
    },
    createLedger(at.event.now, 'subagent'),
  );
}

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
  const { memory } = at;
  const { now } = at.event;
  const followed = await at.followed();
  const begins = NEW_WINDOW.has(event);

  // The records of a window's start may still be incomplete, so rewinds are noticed from the first prompt on.
  if (followed) memory.place = { ...followed.place, tied: !begins };
  const ledgerBefore = memory.ledger;
  const { prompted = now } = memory;

  memory.prompted = event === 'prompt' ? now : undefined;
  if (begins) return createLedger(now, event);
  if (ledgerBefore === undefined) return createLedger(now, 'start');
  if (followed?.holds !== false) return structuredClone(ledgerBefore);

  const { forkedAt, goesOn } = followed;
  const since = goesOn ? prompted : now;
  const ledger = forkedAt === undefined ? undefined : rewindLedger(ledgerBefore, forkedAt, since);

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

  const machine = at.event.input.speaker === 'machine';
  const isOwn = at.workspace.provenance.spaces === 'own';
  // A start without a conversation has nothing for readers of the file, and a machine's prompt nothing about the
  // person. A stranger's file is not ours to write unasked.
  if (isOwn && !machine && (event === 'prompt' || event === 'resume' || event === 'compact')) {
    at.afterwards(async () => void (await done.store('turn')));
  }
  const state = offerStateLines(done.assembly.stages, spaces, at.event.host.stampsTime === true);

  return [...offers, ...state.filter(({ key }) => !machine || !ABOUT_THE_PERSON.test(key))];
}

const ABOUT_THE_PERSON = /^(?:how-to-answer$|memory:)/;

/**
 * The work before this moment: of the last session at the first prompt of a person, and of this one what a compaction has
 * lost. Ready as soon as the spaces, because it needs no assembly.
 */
async function collectHandoverOffers(at: Session, event: InjectionEvent): Promise<Offer[]> {
  if (at.workspace.provenance.spaces === 'untrusted') return [];

  const { lines = [], told } = (await at.inTime('the hand-over', collectHandoverLines(at, event))) ?? {};
  told?.();

  // In their order, before lines of the state.
  return lines.map((line, rank) => ({
    ...{ ...line, text: sanitizeLine(line.text), priority: 100 - rank / 100, at: [event] },
    ...{ everyMs: Number.POSITIVE_INFINITY, ownBudget: true },
  }));
}

/** @returns `told`: to be called once the lines are said; those that took too long are told by a later prompt */
async function collectHandoverLines(
  at: Session,
  event: InjectionEvent,
): Promise<{ lines?: HandoverLine[]; told?: () => void }> {
  const { prompt, speaker } = at.event.input;
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
  const branch = findGitPlace(options.cwd ?? at.workspace.root)?.branch ?? '';
  const { handed = first ? [] : [branch] } = memory;

  memory.handed = handed;
  let when: HandoverMoment = handed.includes(branch) ? 'told' : 'switched';
  if (handed.length === 0) when = first ? 'first' : 'later';

  const handover = await tellLastSession(options, own, prompt, when, before);
  const markTold = (): void => {
    lost.told();
    if (!handover.open) memory.handed = [...handed, branch];
    at.afterwards(handover.said);
  };

  return { lines: [...lines, ...handover.lines], told: markTold };
}

/** Whether the person has spoken in this session before the prompt in hand: it was resumed, or is a fork. */
async function hasPrompts(at: Session): Promise<boolean> {
  const record = await at.record();
  if (record === undefined) return false;

  const { isPrompt, listItems } = await import('../transcript/record.ts');
  const words = at.event.input.prompt?.trim();
  const prompts = listItems(record.record).filter(isPrompt);

  // The host may have written the prompt in hand already.
  return prompts.some((item) => item.type !== 'person' || item.text.trim() !== words);
}

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
    .flatMap(({ text, priority = 0, inject }) =>
      inject === undefined ? [] : { ...inject, priority, text: inject.text ?? text },
    )
    .filter(({ key }) => !(key === 'clock' && stamped) && !(key === 'working-on' && hasPlan));
}
