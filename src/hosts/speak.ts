import type { StageReport } from '../assembly/assemble.ts';
import { findGitPlace } from '../base/git/place.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { embedText } from '../base/text/strings.ts';
import type { HandoverLine, HandoverMoment } from '../handover/index.ts';
import { composeText, type Offer, type Request, renderScopeLine } from '../ledger/compose.ts';
import { createLedger, deliver, isSilent, type Ledger, rewindLedger } from '../ledger/ledger.ts';
import { type ChangedBy, findChangedSpaces, hasContent, isEmpty, type PadSpaces } from '../ledger/spaces.ts';
import { getPlanHeading, getPlanTitle } from '../pad/plan-title.ts';
import { findCurrentStep, parseSteps } from '../pad/steps.ts';
import { isGroupChat } from '../session/actor.ts';
import { NO_SPACES } from '../session/journal.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import { collectLostLines } from './compactions.ts';
import type { PadReading, SessionPads } from './pads.ts';
import { checkId, type HookHost } from './protocol.ts';
import type { HookSession } from './session.ts';
import type { SessionMemory } from './session-memory.ts';
import type { SubagentStart } from './subagents.ts';

const NEW_WINDOW: ReadonlySet<InjectionEvent> = new Set(['start', 'clear', 'compact']);

/**
 * The text for the model at an event: the plan, notes and refs, and the lines made for it, each once per window.
 *
 * @param hints one-line notices of the host layer, said first
 * @returns `''` if there is nothing to say
 */
export async function speak(
  session: HookSession,
  event: InjectionEvent,
  hints: readonly string[],
): Promise<string> {
  const { memory, pads } = session;
  const { config, now, host, input } = session.event;
  const { note } = session.workspace.provenance;
  const ledger = await openLedger(session, event);
  const { spaces, others } = await pads.read();
  const sessionId = checkId(input.session);
  const handover = await collectHandoverOffers(session, event, ledger);
  const withheld = note === undefined || isSilent(ledger) ? [] : [offerNote(note)];
  const request: Request = {
    // A window without a start event, in which nothing was said yet, gets the text of a start as well.
    events: event === 'prompt' && isSilent(ledger) ? [ledger.by, event] : [event],
    spaces,
    offers: [...withheld, ...handover.offers, ...(await collectStateOffers(session, event, spaces))],
    changedBy: await makeChangedBy(pads, ledger, spaces),
    hints,
    scope: note ?? renderScopeLine(spaces, sessionId, session.ways),
    session: sessionId,
    now,
    talkTokens: memory.place?.talk ?? 0,
    repeatsAll: host.ephemeral === true || config.hook.say === 'always',
    recite: config.recite,
    room: host.room,
  };
  const plans = offerOtherPlans(others);
  const text = input.standing
    ? composeBesideStanding(session, request, plans, ledger)
    : composeText({ ...request, offers: [...plans, ...request.offers] }, ledger);

  // Lines that found no room are offered again at a later prompt, where the ledger holds back those that were said.
  if (handover.offers.every(({ key }) => ledger.lines[key] !== undefined)) handover.markSaid();
  if (note !== undefined && text.includes(note)) deliver(ledger, 'provenance', note, now);
  memory.ledger = ledger;

  return text;
}

/** What is said of a stranger's files, where they came while the session ran. */
function offerNote(text: string): Offer {
  return { key: 'provenance', text, priority: 101, everyMs: Number.POSITIVE_INFINITY, ownBudget: true };
}

/**
 * The text beside a host's system part (`standing`), which holds the pad. The part does not say that the pad is empty: this
 * would soon be untrue, and any change of the part makes the host pay for the conversation again.
 */
function composeBesideStanding(
  { memory, workspace }: HookSession,
  request: Request,
  plans: Offer[],
  ledger: Ledger,
): string {
  const { spaces, scope } = request;
  const isBare = isEmpty(spaces) && !spaces.hasOwnText;
  const standingRequest = { ...request, offers: plans, scope: isBare ? workspace.provenance.note : scope };
  memory.standing = chooseStandingText(memory.standing, standingRequest, ledger);

  // The host drops these lines after their turn: those of before are no longer in the window.
  const before = ledger.lines;
  ledger.lines = {};
  const text = composeText({ ...request, scope: undefined, repeatsAll: false }, ledger);
  ledger.lines = { ...before, ...ledger.lines };

  return text;
}

/** A host's system part: any other text there makes the host pay for the whole conversation again. */
function chooseStandingText(
  standing: SessionMemory['standing'],
  request: Request,
  ledger: Ledger,
): SessionMemory['standing'] {
  const isKnown = findChangedSpaces(ledger, request.spaces).length === 0 && !isSilent(ledger);
  if (standing !== undefined && isKnown) return standing;

  const fresh = createLedger(ledger.began, ledger.by);
  const text = composeText({ ...request, events: [ledger.by], hints: [], repeatsAll: false }, fresh);

  ledger.spaces = fresh.spaces;

  return { text };
}

/**
 * The text for a subagent, which does other work: its id, the goal of the session that started it, what it was given.
 * No mood, no time.
 */
export async function briefSubagent(
  session: HookSession,
  child: string | undefined,
  { spaces: own, lent }: SubagentStart = { spaces: NO_SPACES, lent: [] },
): Promise<string> {
  const { host } = session.event;
  const goal = describeGoal((await session.pads.readAssembledSpaces()).plan);
  const lines = goal === undefined ? [] : [goal];
  if (child !== undefined) lines.push(describeNotepad(child, host));
  if (child !== undefined && lent.length > 0) lines.push(describeLent(lent, child, host));
  if (lines.length === 0 && !hasContent(own)) return '';

  return composeText(
    {
      events: ['subagent'],
      spaces: { shared: NO_SPACES, own },
      changedBy: {},
      hints: [],
      offers: lines.map((text, k) => ({ key: `brief:${k}`, text, priority: 100 - k, at: ['subagent'] })),
      session: child,
      now: session.event.now,
      talkTokens: 0,
      repeatsAll: false,
      recite: { step: 0, plan: 0 },
      room: session.event.host.room,
    },
    createLedger(session.event.now, 'subagent'),
  );
}

function describeGoal(plan: string): string | undefined {
  const steps = parseSteps(plan);
  const step = findCurrentStep(steps);
  if (plan.trim() === '') return undefined;

  const place = step && `step ${step.number} of ${steps.length}: ${step.text}`;
  const heading = place === undefined ? getPlanTitle(plan) : getPlanHeading(plan);
  const goal = [heading, place].filter((part) => part !== undefined).join('; at ');

  return sanitizeLine(`The session that started this agent works on: ${embedText(goal)}`);
}

/** Only where the tools run in the host's process do they know which agent calls. */
function describeNotepad(child: string, { inProcess, tool = 'session_scratchpad' }: HookHost): string {
  const way = inProcess ? `\`${tool}\` writes there` : `\`scratchpad notes add "…" --session ${child}\``;
  return `This agent's id is ${child} and its notepad is its own: ${way}. Its notes are reported to the parent session.`;
}

function describeLent(names: readonly string[], child: string, { inProcess }: HookHost): string {
  const way = inProcess ? 'scratchpad_read' : `scratchpad entry read NAME --session ${child}`;
  const list = names.map((name) => JSON.stringify(name)).join(', ');
  return sanitizeLine(`Entries lent to this agent, to be read with \`${way}\`: ${list}`);
}

/** The ledger of the current window: the saved one, or a new one if the window is or may be new. */
async function openLedger(session: HookSession, event: InjectionEvent): Promise<Ledger> {
  const { memory } = session;
  const { now } = session.event;
  const change = await session.followConversation();
  const begins = NEW_WINDOW.has(event);

  // The records of a window's start may still be incomplete, so rewinds are noticed from the first prompt on.
  if (change) memory.place = { ...change.place, tied: !begins };
  const { ledger: saved, promptedAt = now } = memory;

  memory.promptedAt = event === 'prompt' ? now : undefined;
  if (begins) return createLedger(now, event);
  if (saved === undefined) return createLedger(now, 'start');
  if (change?.isIntact !== false) return structuredClone(saved);

  const { rewoundTo, hasContinued } = change;
  const since = hasContinued ? promptedAt : now;
  const ledger = rewoundTo === undefined ? undefined : rewindLedger(saved, rewoundTo, since);

  // The model still sees the conversation, as after a resume, but perhaps nothing of what was said.
  return ledger === undefined || isSilent(ledger) ? createLedger(now, 'resume') : ledger;
}

async function makeChangedBy(pads: SessionPads, ledger: Ledger, spaces: PadSpaces): Promise<ChangedBy> {
  const found: ChangedBy = {};
  for (const { pad, space } of findChangedSpaces(ledger, spaces)) {
    if (ledger.spaces[pad][space] === undefined) continue;
    const who = await pads.findEditor(pad, space);
    if (who !== undefined) found[`${pad}:${space}`] = who;
  }

  return found;
}

/** Lines of the state block for the model. Those that miss the deadline are left out. */
async function collectStateOffers(
  session: HookSession,
  event: InjectionEvent,
  spaces: PadSpaces,
): Promise<Offer[]> {
  const done = await session.assemble();
  if (done === undefined) return [];

  const { speaker, session: id } = session.event.input;
  const isMachine = speaker === 'machine';
  // A stranger's file is not ours to write unasked.
  const isOwn = session.workspace.provenance.spaces === 'own';
  // A start has no conversation yet that the file's block could be about.
  const hasConversation = event === 'prompt' || event === 'resume' || event === 'compact';
  // A machine's prompt says nothing about the person.
  if (isOwn && hasConversation && !isMachine) session.afterwards(async () => void (await done.store('turn')));

  const offers = offerStateLines(done.assembly.stages, spaces, session.event.host.stampsTime === true);
  const hidden = [...(isMachine ? [ABOUT_THE_PERSON] : []), ...(isGroupChat(id) ? [OF_THE_OWNER] : [])];
  return offers.filter(({ key }) => !hidden.some((keys) => keys.test(key)));
}

const ABOUT_THE_PERSON = /^(?:how-to-answer$|memory:)/;
/** Appointments, tasks and memory are told in the owner's own chats only. */
const OF_THE_OWNER = /^(?:memory|event|task|brief|alerts):/;

/**
 * Lines about earlier work: at a person's first prompt that of the last session, after a compaction what its summary
 * lacks. They need no assembly, so a slow one does not cost them.
 */
async function collectHandoverOffers(session: HookSession, event: InjectionEvent, ledger: Ledger) {
  const isUntrusted = session.workspace.provenance.spaces === 'untrusted';
  const found = isUntrusted
    ? undefined
    : await session.runInTime('the hand-over', collectHandoverLines(session, event));
  const { lines: news, markSaid } = found ?? { lines: [], markSaid: () => undefined };
  const newKeys = new Set(news.map(({ key }) => key));
  const isPersonal = session.event.input.speaker === undefined;
  const lines = [...(ledger.repeated ?? []).filter(({ key }) => isPersonal && !newKeys.has(key)), ...news];
  if (session.event.host.ephemeral && isPersonal && !isUntrusted) ledger.repeated = lines;

  // In their order, before lines of the state.
  const offers = lines.map((line, rank) => ({
    ...line,
    text: sanitizeLine(line.text),
    priority: 100 - rank / 100,
    at: [event],
    everyMs: Number.POSITIVE_INFINITY,
    ownBudget: true,
  }));

  return { offers, markSaid };
}

/** @returns `markSaid`: to be called once all lines are said; otherwise a later prompt tells them */
async function collectHandoverLines(
  session: HookSession,
  event: InjectionEvent,
): Promise<{ lines: HandoverLine[]; markSaid(): void }> {
  if (event !== 'prompt' && event !== 'compact') return collectLostLines(session, event);

  const { memory } = session;
  const { prompt, speaker } = session.event.input;
  const options = session.handoverOptions();
  const { tellLastSession, tellPlanMessages, findPreviousSessions, linkPlanTakers, renderUncommittedLines } =
    await import('../handover/index.ts');
  const journal = session.pads.stampJournal();
  const planGiver = journal === memory.plansReadAt ? undefined : await linkPlanTakers(options);
  const lost = await collectLostLines(session, event);

  if (event !== 'prompt' || prompt === undefined || speaker !== undefined) return lost;

  const isFirst = memory.handed === undefined && !(await hasPrompts(session));
  const branch = findGitPlace(options.cwd ?? session.workspace.root)?.branch ?? '';
  const toldBranches = memory.handed ?? assumeToldBranches(isFirst, branch);

  const own = await session.record();
  const isNewPlan = own !== undefined && planGiver !== undefined && planGiver !== memory.planFrom;
  const planLines = isNewPlan ? tellPlanMessages(own, options.root, options.now) : [];
  const previous = isFirst ? await findPreviousSessions(options, own) : undefined;
  const uncommitted = await renderUncommittedLines(options, own, prompt, previous);

  // A hand-over that misses the deadline is not begun again as one for a first prompt.
  memory.handed = toldBranches;
  const moment = findMoment(isFirst, toldBranches, branch);
  const handover = await tellLastSession(options, own, prompt, moment, previous);
  const markSaid = (): void => {
    lost.markSaid();
    if (!handover.open) memory.handed = [...toldBranches, branch];
    if (isNewPlan) memory.planFrom = planGiver;
    memory.plansReadAt = journal;
    session.afterwards(handover.said);
  };

  return { lines: [...lost.lines, ...uncommitted, ...handover.lines, ...planLines], markSaid };
}

/** The branches on which the last session counts as told in a session without a memory of it: one that was resumed knows. */
const assumeToldBranches = (isFirst: boolean, branch: string): string[] => (isFirst ? [] : [branch]);

function findMoment(isFirst: boolean, toldBranches: readonly string[], branch: string): HandoverMoment {
  if (isFirst) return 'first';
  if (toldBranches.length === 0) return 'later';
  return toldBranches.includes(branch) ? 'told' : 'switched';
}

/** Whether the person has spoken in this session before the prompt in hand: it was resumed, or is a fork. */
async function hasPrompts(session: HookSession): Promise<boolean> {
  const record = await session.record();
  if (record === undefined) return false;

  const { isPrompt, listItems } = await import('../transcript/record.ts');
  const words = session.event.input.prompt?.trim();
  const prompts = listItems(record.record).filter(isPrompt);

  // The host may have written the prompt in hand already.
  return prompts.some((item) => item.type !== 'person' || item.text.trim() !== words);
}

const offerOtherPlans = (others: PadReading['others']): Offer[] =>
  others.map(({ id, text, isTaken }) => ({
    key: `plan-${isTaken ? 'taken' : 'beside'}:${id}`,
    text,
    priority: 100,
    at: isTaken ? [...WINDOW_STARTS, 'prompt'] : WINDOW_STARTS,
    everyMs: Number.POSITIVE_INFINITY,
  }));

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
