import { identifyProcess } from '../base/fs/index.ts';
import { toJsonText } from '../base/text/json.ts';
import { digestText } from '../base/text/strings.ts';
import { hasPlan } from '../ledger/plan-detection.ts';
import { isEmpty, learnFromCall } from '../ledger/spaces.ts';
import { HOLD_REASON, hasHints, mayHold, renderReviewHint } from '../ledger/window.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import {
  expectCompaction,
  findNewSummary,
  identifyLastCompaction,
  noticeCompaction,
  turnFits,
  warnOfCompaction,
} from './compactions.ts';
import {
  checkId,
  type EventKind,
  findHostPid,
  type HookAnswer,
  type HookInput,
  hasLongText,
  isCommand,
  isStorable,
} from './protocol.ts';
import type { HookSession } from './session.ts';
import { claimEvent, listChildren, remember, rememberOwnPad, sweepRemembered } from './session-memory.ts';
import { briefSubagent, speak } from './speak.ts';

/** Matches a call that may have changed the pad: our commands, our tools, an edit of the file. */
const SCRATCHPAD_CALL = /scratchpad/i;

/** The handlers of the events. Each may throw; the host is then given an empty answer. */
export const EVENTS: Readonly<Record<EventKind, (session: HookSession) => Promise<HookAnswer>>> = {
  start: answerStart,
  prompt: answerPrompt,
  'before-compaction': answerPreCompaction,
  'after-compaction': answerAfterCompaction,
  tool: answerToolCall,
  subagent: answerSubagentStart,
  stop: answerStop,
  end: answerEnd,
};

/**
 * Event kinds accepted from a subagent. Hosts send its events under the parent's session, so the handlers of other kinds
 * would wrongly treat them as events in the parent's window.
 */
export const SUBAGENT_EVENTS: ReadonlySet<EventKind> = new Set(['subagent', 'tool']);

const START_EVENTS: Readonly<Record<string, InjectionEvent>> = {
  startup: 'start',
  clear: 'clear',
  compact: 'compact',
  resume: 'resume',
  // A fork has the window of the session that it was forked from.
  fork: 'resume',
};

async function answerStart(session: HookSession): Promise<HookAnswer> {
  const { config, host, input, now } = session.event;
  const hints = [...session.event.news];
  session.afterwards(() => sweepRemembered(session.workspace.data, now));
  session.afterwards(async () => (await import('./spill.ts')).pruneOutputs(session));
  markAlive(session);

  const startEvent = START_EVENTS[input.source ?? ''] ?? 'start';
  if (isRepeated(session, startEvent)) {
    session.advance({ is: 'started', how: 'resumed', model: input.model, at: now });
    return host.silentStart ? {} : toContextAnswer(await speak(session, 'resume', hints));
  }

  if (input.source === 'fork') {
    session.memory.forkedFrom = [];
    // Until the host has copied the records, nobody knows the parent: the first prompt looks for it again.
    if (!(await import('./subagents.ts')).followParent(session)) return {};
  }

  if (config.spaces.scope === 'session') await (await import('./subagents.ts')).openOwnPad(session);
  await recordStart(session, startEvent);
  if (config.primary.onNewSession === 'archive' && ['startup', 'clear'].includes(input.source ?? ''))
    await (await import('./subagents.ts')).archivePrimary(session);

  // The first prompt says what a start would have said; a resumed session knows it already.
  if (host.silentStart) return {};
  if (startEvent !== 'compact') return toContextAnswer(await speak(session, startEvent, hints));
  if (session.memory.ledger === undefined) return speakAfterCompaction(session, hints);
  return toContextAnswer(await speak(session, 'resume', hints));
}

async function recordStart(session: HookSession, startEvent: InjectionEvent): Promise<void> {
  const { memory } = session;
  const { host, input, now } = session.event;

  // A mod's text after a compaction waits for the next prompt of the host's process, and is lost with the process.
  if (startEvent === 'resume' && memory.toldAhead === true)
    Object.assign(memory, { ledger: undefined, toldAhead: undefined });

  const startKind = startEvent === 'resume' ? 'resumed' : 'new';
  const how = startEvent === 'compact' ? 'compacted' : startKind;
  session.advance({ is: 'started', how, model: input.model, at: now });

  // Compactions before this window do not concern it; one at the end of a resumed session does.
  if (host.unseenCompaction && memory.ledger === undefined && memory.hints.compactionId === '')
    memory.hints.compactionId = await identifyLastCompaction(session);
}

function markAlive({ memory, event: { host, env } }: HookSession): void {
  const pid = findHostPid(host, env);
  memory.ended = undefined;
  memory.process = pid === undefined ? undefined : identifyProcess(pid);
}

/** Hosts report some starts twice, 82 to 1,400 ms apart (anthropics/claude-code 14937); a loaded machine runs us late. */
const REPEATED_MS = 5000;

function isRepeated(session: HookSession, event: InjectionEvent): boolean {
  const { memory } = session;
  const { now, host } = session.event;
  const { ledger, promptedAt } = memory;
  // Copilot runs the hooks of a start and of its first prompt at once: the prompt may come first.
  const mayFollow = host.silentStart || promptedAt === undefined;
  const isSame = event !== 'resume' && ledger?.by === event && mayFollow;
  return isSame && now - ledger.began < REPEATED_MS;
}

/** Claims an event for which a host may run two commands at once: they do not know each other's answer. */
const claimFirstReport = (
  { event: { env, input }, workspace: { root } }: HookSession,
  what: string,
): boolean => claimEvent(env, input.session, `${what}\0${root}`, REPEATED_MS);

async function answerPrompt(session: HookSession): Promise<HookAnswer> {
  const { memory } = session;
  const { config, input } = session.event;
  if (input.speaker === 'parent') {
    const child = checkId(input.session);
    if (child !== undefined && !memory.ownPad) await rememberOwnPad(session.workspace.data, child);
    return toContextAnswer(await briefSubagent(session, child));
  }

  const hints = [...session.event.news];
  markAlive(session);
  // A fork whose parent is still unknown counts as any other session.
  if (memory.forkedFrom?.length === 0 && !(await import('./subagents.ts')).followParent(session))
    memory.forkedFrom = undefined;
  if (config.spaces.scope === 'session') await (await import('./subagents.ts')).openOwnPad(session);

  // Some hosts report the start of a session with its first prompt; a chat that was cleared shows in the session's file.
  const isNew = input.source === 'startup' || (await session.record())?.another === true;
  if (isNew || input.source === 'resume')
    session.advance({ is: 'started', how: isNew ? 'new' : 'resumed', at: session.event.now });

  await noticeCompaction(session);
  if (input.session !== undefined && input.speaker === undefined && hasHints(config))
    hints.push(...(await collectPromptHints(session)));
  if (input.session !== undefined)
    hints.push(...(await warnOfCompaction(session)), ...(await collectChildNotes(session)));
  await expectCompaction(session);

  const answer = toContextAnswer(await speak(session, 'prompt', hints));
  return { ...answer, standing: input.standing ? memory.standing?.text : undefined };
}

async function collectPromptHints(session: HookSession): Promise<string[]> {
  const { ways } = session;
  const { config } = session.event;
  const spaces = await session.pads.readSpaces();
  const { shared, own } = spaces;
  const event = {
    is: 'prompt',
    settings: config,
    ways,
    empty: isEmpty(spaces),
    digest: digestText(JSON.stringify([shared, own])),
  } as const;
  if (config.nudgeOnPlanDetected === 0 || !event.empty) return session.advance(event);

  const words =
    (await session.transcript())?.messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  return session.advance({ ...event, plan: hasPlan(words) ? digestText(words) : undefined });
}

async function answerPreCompaction(session: HookSession): Promise<HookAnswer> {
  const { memory } = session;
  const { input } = session.event;
  await session.pads.adoptEdits();
  if (input.session === undefined) return {};
  if (input.results !== undefined)
    return { kept: await (await import('./spill.ts')).keepResults(session, input.results) };
  if (session.event.config.compaction.prune) {
    await noticeCompaction(session);
    return { prunes: true, summaryRequest: SUMMARY_REQUEST };
  }

  const { hold } = session.event.config.compaction;
  const canHold = session.event.host.holds && hold === 'once' && input.trigger !== 'manual';
  if (canHold && mayHold(memory.hints) && (await turnFits(session))) {
    session.advance({ is: 'compaction held' });
    // A hold that cannot be recorded would be repeated for ever: this throws first.
    await remember(session.workspace.data, input.session, () => memory);
    return { hold: HOLD_REASON };
  }
  await noticeCompaction(session);
  return claimFirstReport(session, `compaction ${input.trigger} ${memory.ledger?.began}`)
    ? { summaryRequest: SUMMARY_REQUEST }
    : {};
}

/** A summary loses the person's words first, and needs no plan and notes. */
const SUMMARY_REQUEST =
  "Keep each requirement, rule and answer of the person word for word, the newest last. Leave out the scratchpad's plan and notes: they are shown again afterwards.";

async function answerAfterCompaction(session: HookSession): Promise<HookAnswer> {
  session.advance({ is: 'compacted', at: session.event.now, announced: true });
  return session.event.input.summary === undefined ? {} : speakAfterCompaction(session, []);
}

async function speakAfterCompaction(session: HookSession, hints: readonly string[]): Promise<HookAnswer> {
  if (session.event.config.nudgeAfterCompaction === 0)
    return toContextAnswer(await speak(session, 'compact', hints));

  const review = renderReviewHint(isEmpty(await session.pads.readSpaces()), session.ways);
  // The next prompt need not repeat the hint.
  session.memory.hints.phase = 'calm';
  return toContextAnswer(await speak(session, 'compact', [...hints, review]));
}

async function answerToolCall(session: HookSession): Promise<HookAnswer> {
  const { tool: call, agent, isAnswered } = session.event.input;
  const { host } = session.event;
  const response = toJsonText(call?.response ?? '');
  // The parent does not know what a subagent writes.
  if (call !== undefined && agent === undefined) await learn(session, call, response);
  if (isAnswered) return {};

  // A host that drops context after the turn takes none beside a result.
  const news = host.ephemeral ? {} : await collectToolContext(session);
  if (call === undefined || !host.replaces || !isStorable(call.name)) return news;

  let loss: string | undefined;
  try {
    const recovered = isCommand(call.name) ? ((await host.recover?.(session.event.input)) ?? {}) : {};
    loss = recovered.loss;

    if (recovered.output !== undefined || call.file !== undefined || hasLongText(response)) {
      const { pruneOutputs, spillOutput } = await import('./spill.ts');
      const preview = await spillOutput(session, call, recovered);
      if (preview !== undefined) {
        session.afterwards(() => pruneOutputs(session));
        return { ...news, ...preview };
      }
    }
  } catch (error) {
    session.reportFault('keeping the output', error);
  }

  return toContextAnswer([news.context, loss].filter(Boolean).join('\n\n'));
}

async function learn(
  session: HookSession,
  { name, input }: NonNullable<HookInput['tool']>,
  response: string,
): Promise<void> {
  if (session.event.input.session === undefined) return;
  const call = `${name} ${toJsonText(input ?? '')} ${response}`;
  if (!SCRATCHPAD_CALL.test(call)) return;
  const { ledger } = session.memory;
  if (ledger !== undefined) learnFromCall(ledger, await session.pads.readSpaces(), call, session.event.now);
}

async function collectToolContext(session: HookSession): Promise<HookAnswer> {
  const { session: id, agent } = session.event.input;
  if (id === undefined || agent !== undefined) return {};
  const warning = session.event.config.compaction.warnAt === 0 ? [] : await warnOfCompaction(session);
  const hasNews = (await consumeRewind(session)) || (await hasNewSummary(session));
  // A compaction in the middle of a turn, after which the host goes on without a start or a prompt.
  const isNewWindow = session.memory.ledger === undefined && session.memory.hints.phase === 'announced';
  const news = isNewWindow || hasNews ? await speak(session, isNewWindow ? 'compact' : 'resume', []) : '';
  return toContextAnswer(
    [...warning, news, (await collectChildNotes(session)).join('\n')].filter(Boolean).join('\n\n'),
  );
}

async function collectChildNotes(session: HookSession): Promise<string[]> {
  const id = session.event.input.session;
  if (id === undefined || listChildren(session.workspace.data, id).length === 0) return [];
  return (await import('./subagents.ts')).collectChildNews(session);
}

/**
 * Looks once after each prompt, at the first call of a tool, for a rewind before the prompt: the host's file shows it only
 * by then. The model is told again what the rewind has removed from its window.
 */
async function consumeRewind(session: HookSession): Promise<boolean> {
  const { memory } = session;
  if (memory.promptedAt === undefined) return false;
  if ((await session.followConversation())?.isIntact === false) return true;
  memory.promptedAt = undefined;
  return false;
}

/** Whether the host's file has a summary now that it lacked when the compaction was reported. */
const hasNewSummary = async (session: HookSession): Promise<boolean> =>
  session.memory.awaitsSummary === true && (await findNewSummary(session)) !== undefined;

/**
 * A subagent starts with an empty notepad and its own id, the goal of its parent in a line, and the parts that the
 * setting `subagent` names.
 */
async function answerSubagentStart(session: HookSession): Promise<HookAnswer> {
  const child = checkId(session.event.input.agent);
  if (child !== undefined && !claimFirstReport(session, `subagent ${child}`)) return {};
  const inheritance =
    child === undefined ? undefined : await (await import('./subagents.ts')).spawnSubagent(session, child);
  return toContextAnswer(await briefSubagent(session, child, inheritance));
}

/** The session may be resumed, so the ledger of its window is kept. */
async function answerEnd(session: HookSession): Promise<HookAnswer> {
  const id = session.event.input.session;
  session.memory.ended = session.event.now;
  await answerStop(session);
  const { endSession } = await import('../transcript/store.ts');
  if (id !== undefined) session.afterwards(() => endSession(session.workspace.root, id));
  if (session.event.config.spaces.scope === 'session')
    session.afterwards(async () => (await import('./subagents.ts')).archiveOwnPad(session));
  return {};
}

/**
 * The record of this turn is stored, also for a session of one prompt, and its state rendered into the file, which the
 * prompts have left alone.
 */
async function answerStop(session: HookSession): Promise<HookAnswer> {
  session.turnIsOver = true;
  await session.record();
  session.afterwards(async () => void (await session.pads.view.writeState()));
  return {};
}

const toContextAnswer = (text: string): HookAnswer => (text === '' ? {} : { context: text.trimEnd() });
