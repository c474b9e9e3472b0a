import { identifyProcess } from '../base/fs/index.ts';
import { toJsonText } from '../base/text/json.ts';
import { digestText } from '../base/text/strings.ts';
import { hasPlan } from '../ledger/plan-detection.ts';
import { isEmpty, learnFromCall } from '../ledger/spaces.ts';
import { HOLD_REASON, hasHints, mayHold, renderReviewHint } from '../ledger/window.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import {
  expectCompaction,
  identifyLastCompaction,
  noticeCompaction,
  turnFits,
  warnOfCompaction,
} from './context-use.ts';
import { findNewSummary } from './lost-words.ts';
import {
  checkId,
  type HookAnswer,
  type HookInput,
  type HostEvent,
  hasLongText,
  isCommand,
  mayBeLong,
} from './protocol.ts';
import type { Session } from './session.ts';
import { claimEvent, listChildren, remember, sweepRemembered } from './session-memory.ts';
import { briefSubagent, speak } from './speak.ts';

const NEW = new Set(['startup', 'clear']);
/** A call that may have changed the pad: our commands, our tools, an edit of the file. */
const OURS = /scratchpad/i;

/** The handlers of the events. Each may throw; the caller then gives an empty answer. */
export const EVENTS: Readonly<Record<HostEvent, (at: Session) => Promise<HookAnswer>>> = {
  start,
  prompt: answerPrompt,
  'before-compaction': answerPreCompaction,
  'after-compaction': answerAfterCompaction,
  tool: answerToolCall,
  subagent: answerSubagentStart,
  stop,
  end,
};

/**
 * The handlers for events of a subagent. Hosts send them under the parent's session, so other handlers would wrongly
 * treat them as events in the parent's window.
 */
export const OF_SUBAGENTS: ReadonlySet<HostEvent> = new Set(['subagent', 'tool']);

const STARTS: Readonly<Record<string, InjectionEvent>> = {
  startup: 'start',
  clear: 'clear',
  compact: 'compact',
  resume: 'resume',
  // Its window is that of the session that it was forked from.
  fork: 'resume',
};

async function start(at: Session): Promise<HookAnswer> {
  const { memory } = at;
  const { config, input } = at.event;
  const named = STARTS[input.source ?? ''] ?? 'start';
  const hints = [...at.event.news];
  at.afterwards(() => sweepRemembered(at.workspace.data, at.event.now));
  at.afterwards(async () => (await import('./spill.ts')).pruneEntries(at));
  markAlive(at);
  if (isRepeated(at, named)) {
    at.next({ is: 'started', how: 'resumed', model: input.model, at: at.event.now });
    return at.event.host.silentStart ? {} : toContextAnswer(await speak(at, 'resume', hints));
  }
  if (input.source === 'fork') {
    memory.forkedFrom = [];
    // Until the host has copied the records, its first prompt is told what the window lacks.
    if (!(await import('./subagents.ts')).followParent(at)) return {};
  }
  if (config.spaces.scope === 'session') await (await import('./subagents.ts')).openOwnPad(at);
  // What a mod added after a compaction waits for the next prompt of the host's process, and is lost with it.
  if (named === 'resume' && memory.toldAhead === true)
    Object.assign(memory, { ledger: undefined, toldAhead: undefined });
  const begun = named === 'resume' ? 'resumed' : 'new';
  const how = named === 'compact' ? 'compacted' : begun;
  at.next({ is: 'started', how, model: input.model, at: at.event.now });
  const event = named === 'compact' && memory.ledger !== undefined ? 'resume' : named;
  // Compactions before this window do not concern it; one at the end of a resumed session does.
  if (at.event.host.unseenCompaction && memory.ledger === undefined && memory.hints.summary === '')
    memory.hints.summary = await identifyLastCompaction(at);
  if (config.primary.onNewSession === 'archive' && NEW.has(input.source ?? '')) {
    await (await import('./subagents.ts')).archivePrimary(at);
  }
  // The first prompt says what a start would have said; a resumed session knows it already.
  if (at.event.host.silentStart) return {};
  if (event === 'compact') return speakAfterCompaction(at, hints);
  return toContextAnswer(await speak(at, event, hints));
}

function markAlive({ memory, event: { host } }: Session): void {
  memory.ended = undefined;
  memory.process = host.inProcess && identifyProcess();
}

/** Hosts report some starts twice, 82 to 1,400 ms apart (anthropics/claude-code 14937); a loaded machine runs us late. */
const REPEATED_MS = 5000;

function isRepeated(at: Session, event: InjectionEvent): boolean {
  const { memory } = at;
  const { now, host } = at.event;
  const { ledger, prompted } = memory;
  // Copilot runs the hooks of a start and of its first prompt at once: the prompt may come first.
  const mayFollow = host.silentStart || prompted === undefined;
  const isSame = event !== 'resume' && ledger?.by === event && mayFollow;
  return isSame && now - ledger.began < REPEATED_MS;
}

/** Two commands that a host runs at once do not know each other's answer. */
const isFirstReport = ({ event: { env, input }, workspace: { root } }: Session, what: string): boolean =>
  claimEvent(env, input.session, `${what}\0${root}`, REPEATED_MS);

async function answerPrompt(at: Session): Promise<HookAnswer> {
  const { memory } = at;
  const { config, input } = at.event;
  if (input.speaker === 'parent') return toContextAnswer(await briefSubagent(at, checkId(input.session)));
  const hints = [...at.event.news];
  markAlive(at);
  // A fork whose parent is unknown by now counts as any other session.
  if (memory.forkedFrom?.length === 0 && !(await import('./subagents.ts')).followParent(at))
    memory.forkedFrom = undefined;
  if (config.spaces.scope === 'session') await (await import('./subagents.ts')).openOwnPad(at);
  // A host without an event for the start of a session reports it with the first prompt; its file tells of a chat that
  // was cleared.
  const isNew = input.source === 'startup' || (await at.record())?.another === true;
  if (isNew || input.source === 'resume')
    at.next({ is: 'started', how: isNew ? 'new' : 'resumed', at: at.event.now });
  await noticeCompaction(at);
  if (input.session !== undefined && input.speaker === undefined && hasHints(config))
    hints.push(...(await collectPromptHints(at)));
  if (input.session !== undefined)
    hints.push(...(await warnOfCompaction(at)), ...(await collectChildNotes(at)));
  await expectCompaction(at);
  const answer = toContextAnswer(await speak(at, 'prompt', hints));
  return { ...answer, standing: input.standing ? memory.standing?.text : undefined };
}

async function collectPromptHints(at: Session): Promise<string[]> {
  const { ways } = at;
  const { config } = at.event;
  const spaces = await at.pads.spaces();
  const { shared, own } = spaces;
  const event = {
    is: 'prompt',
    settings: config,
    ways,
    empty: isEmpty(spaces),
    digest: digestText(JSON.stringify([shared, own])),
  } as const;
  if (config.nudgeOnPlanDetected === 0 || !event.empty) return at.next(event);
  const words = (await at.transcript())?.messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  return at.next({ ...event, plan: hasPlan(words) ? digestText(words) : undefined });
}

async function answerPreCompaction(at: Session): Promise<HookAnswer> {
  const { memory } = at;
  const { input } = at.event;
  await at.pads.adoptEdits();
  if (input.session === undefined) return {};
  if (input.results !== undefined)
    return { kept: await (await import('./spill.ts')).keepResults(at, input.results) };
  if (at.event.config.compaction.prune) {
    await noticeCompaction(at);
    return { prunes: true, summaryRequest: SUMMARY_REQUEST };
  }
  const canHold =
    at.event.host.holds && at.event.config.compaction.hold === 'once' && input.trigger !== 'manual';
  if (canHold && mayHold(memory.hints) && (await turnFits(at))) {
    at.next({ is: 'compaction held' });
    // Held only if this can be recorded, so that no compaction is held forever.
    await remember(at.workspace.data, input.session, () => memory);
    return { hold: HOLD_REASON };
  }
  await noticeCompaction(at);
  return isFirstReport(at, `compaction ${input.trigger} ${memory.ledger?.began}`)
    ? { summaryRequest: SUMMARY_REQUEST }
    : {};
}

/** Asks for what a summary loses first, and leaves out what is shown again anyway. */
const SUMMARY_REQUEST =
  "Keep each requirement, rule and answer of the person word for word, the newest last. Leave out the scratchpad's plan and notes: they are shown again afterwards.";

async function answerAfterCompaction(at: Session): Promise<HookAnswer> {
  at.next({ is: 'compacted', at: at.event.now, announced: true });
  return at.event.input.summary === undefined ? {} : speakAfterCompaction(at, []);
}

async function speakAfterCompaction(at: Session, hints: string[]): Promise<HookAnswer> {
  if (at.event.config.nudgeAfterCompaction > 0) {
    hints.push(renderReviewHint(isEmpty(await at.pads.spaces()), at.ways));
    // Said here, so it is not repeated at the next prompt.
    at.memory.hints.phase = 'calm';
  }

  return toContextAnswer(await speak(at, 'compact', hints));
}

async function answerToolCall(at: Session): Promise<HookAnswer> {
  const { tool: called, agent, isAnswered } = at.event.input;
  const response = toJsonText(called?.response ?? '');
  // The parent does not know what a subagent writes.
  if (called !== undefined && agent === undefined) await learn(at, called, response);
  if (isAnswered) return {};
  // A host that drops what is said has no place for it beside a result.
  const warned = at.event.host.ephemeral ? {} : await collectToolContext(at);
  if (called === undefined || !at.event.host.replaces || !mayBeLong(called.name)) return warned;
  try {
    const recovered = isCommand(called.name) ? ((await at.event.host.recover?.(at.event.input)) ?? {}) : {};
    if (recovered.output !== undefined || called.file !== undefined || hasLongText(response)) {
      const { pruneEntries, spillOutput } = await import('./spill.ts');
      const shown = await spillOutput(at, called, recovered);
      if (shown !== undefined) {
        at.afterwards(() => pruneEntries(at));
        return { ...warned, ...shown };
      }
    }
    return toContextAnswer([warned.context, recovered.loss].filter(Boolean).join('\n\n'));
  } catch (error) {
    at.fault('keeping the output', error);
    return warned;
  }
}

async function learn(
  at: Session,
  { name, input }: NonNullable<HookInput['tool']>,
  response: string,
): Promise<void> {
  if (at.event.input.session === undefined) return;
  const call = `${name} ${toJsonText(input ?? '')} ${response}`;
  if (!OURS.test(call)) return;
  const { ledger } = at.memory;
  if (ledger !== undefined) learnFromCall(ledger, await at.pads.spaces(), call, at.event.now);
}

async function collectToolContext(at: Session): Promise<HookAnswer> {
  const { session, agent } = at.event.input;
  if (session === undefined || agent !== undefined) return {};
  const warning = at.event.config.compaction.warnAt === 0 ? [] : await warnOfCompaction(at);
  const isDue = (await wasRewound(at)) || (await hasNewSummary(at));
  // A compaction in the middle of a turn, after which the host goes on without a start or a prompt.
  const isAnew = at.memory.ledger === undefined && at.memory.hints.phase === 'announced';
  const news = isAnew || isDue ? await speak(at, isAnew ? 'compact' : 'resume', []) : '';
  return toContextAnswer(
    [...warning, news, (await collectChildNotes(at)).join('\n')].filter(Boolean).join('\n\n'),
  );
}

async function collectChildNotes(at: Session): Promise<string[]> {
  const { session } = at.event.input;
  if (session === undefined || listChildren(at.workspace.data, session).length === 0) return [];
  return (await import('./subagents.ts')).collectChildNews(at);
}

/**
 * A rewind shows in the host's file only after the prompt that follows it: at the first call of a tool the model is
 * told what it does not know any more.
 */
async function wasRewound(at: Session): Promise<boolean> {
  const { memory } = at;
  if (memory.prompted === undefined) return false;
  if ((await at.followed())?.holds === false) return true;
  memory.prompted = undefined;
  return false;
}

/** Within a turn, the summary of a compaction may only now be in the host's file. */
const hasNewSummary = async (at: Session): Promise<boolean> =>
  at.memory.awaitsSummary === true && (await findNewSummary(at)) !== undefined;

/**
 * A subagent starts with an empty notepad and its own id, the goal of its parent in a line, and the parts that the
 * setting `subagent` names.
 */
async function answerSubagentStart(at: Session): Promise<HookAnswer> {
  const child = checkId(at.event.input.agent);
  if (child !== undefined && !isFirstReport(at, `subagent ${child}`)) return {};
  const lent =
    child === undefined ? undefined : await (await import('./subagents.ts')).spawnSubagent(at, child);
  return toContextAnswer(await briefSubagent(at, child, lent));
}

/** The session may be resumed, so the ledger of its window is kept. */
async function end(at: Session): Promise<HookAnswer> {
  const { session } = at.event.input;
  at.memory.ended = at.event.now;
  await stop(at);
  const { endSession } = await import('../transcript/store.ts');
  if (session !== undefined) at.afterwards(() => endSession(at.workspace.root, session));
  if (at.event.config.spaces.scope === 'session')
    at.afterwards(async () => (await import('./subagents.ts')).archiveOwnPad(at));
  return {};
}

/**
 * The record of this turn is stored, also for a session of one prompt, and its state rendered into the file, which the
 * prompts have left alone.
 */
async function stop(at: Session): Promise<HookAnswer> {
  at.turnIsOver = true;
  await at.record();
  at.afterwards(async () => void (await at.pads.view.writeState()));
  return {};
}

const toContextAnswer = (text: string): HookAnswer => (text === '' ? {} : { context: text.trimEnd() });
