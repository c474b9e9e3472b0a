import { tryStat } from '../base/fs/index.ts';
import { jsonText } from '../base/text/json.ts';
import { digest } from '../base/text/strings.ts';
import { holdsPlan } from '../ledger/plan-detection.ts';
import { isEmpty, learnFromCall } from '../ledger/spaces.ts';
import { type ContextUse, HOLD_REASON, hintsOn, mayHold, mayWarn, reviewHint } from '../ledger/window.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import type { Transcript } from '../transcript/read.ts';
import {
  type HookAnswer,
  type HookInput,
  type HostEvent,
  holdsLong,
  isCommand,
  mayBeLong,
  plainId,
  windowOf,
} from './protocol.ts';
import type { Session } from './session.ts';
import { childrenOf, remember, sweepRemembered } from './session-memory.ts';
import { briefSubagent, newSummary, speak } from './speak.ts';

/** The kinds of start that begin a conversation. */
const NEW = new Set(['startup', 'clear']);
/** A call that may have changed the pad: our commands, our tools, an edit of the file. */
const OURS = /scratchpad/i;

/** The handlers of the events. Each may throw; the caller then gives an empty answer. */
export const EVENTS: Readonly<Record<HostEvent, (at: Session) => Promise<HookAnswer>>> = {
  start,
  prompt,
  'before-compaction': beforeCompaction,
  'after-compaction': afterwards,
  tool,
  subagent,
  stop,
  end,
};

/**
 * The handlers for events of a subagent. Hosts send them under the parent's session, so other handlers would wrongly
 * treat them as events in the parent's window.
 */
export const OF_SUBAGENTS: ReadonlySet<HostEvent> = new Set(['subagent', 'tool']);

/** The effect of a start on the model's window, by the source that hosts name. */
const STARTS: Readonly<Record<string, InjectionEvent>> = {
  startup: 'start',
  clear: 'clear',
  compact: 'compact',
  resume: 'resume',
  // Its window is that of the session that it was forked from.
  fork: 'resume',
};

async function start(at: Session): Promise<HookAnswer> {
  const { config, input, memory } = at;
  const named = STARTS[input.source ?? ''] ?? 'start';
  const hints = [...at.news];
  at.afterwards(() => sweepRemembered(at.data, at.now));
  at.afterwards(async () => (await import('./spill.ts')).pruneEntries(at));
  memory.ended = undefined;
  if (isRepeated(at, named)) {
    at.next({ is: 'started', how: 'resumed', model: input.model, at: at.now });
    return at.host.silentStart ? {} : contextOf(await speak(at, 'resume', hints));
  }
  if (input.source === 'fork') {
    memory.forkedFrom = [];
    // Until the host has copied the records, its first prompt is told what the window lacks.
    if (!(await import('./relatives.ts')).followParent(at)) return {};
  }
  if (config.spaces.scope === 'session') await (await import('./relatives.ts')).openOwnPad(at);
  const how = named === 'compact' ? 'compacted' : named === 'resume' ? 'resumed' : 'new';
  at.next({ is: 'started', how, model: input.model, at: at.now });
  const event = named === 'compact' && memory.ledger !== undefined ? 'resume' : named;
  // Earlier compactions do not concern this start.
  if (at.host.unseenCompaction && memory.hints.summary === '')
    memory.hints.summary = await lastCompaction(at);
  if (config.primary.onNewSession === 'archive' && NEW.has(input.source ?? '')) {
    await (await import('./relatives.ts')).archivePrimary(at);
  }
  // The first prompt says what a start would have said; a resumed session knows it already.
  if (at.host.silentStart) return {};
  if (event === 'compact' && config.nudgeAfterCompaction > 0) {
    hints.push(reviewHint(isEmpty(await at.pads.spaces()), at.ways));
    // Said here, so it is not repeated at the next prompt.
    memory.hints.phase = 'calm';
  }
  return contextOf(await speak(at, event, hints));
}

/** Hosts report some starts twice, 82 to 1,400 ms apart (anthropics/claude-code 14937). */
const REPEATED_MS = 2000;

function isRepeated({ memory, now }: Session, event: InjectionEvent): boolean {
  const { ledger, prompted } = memory;
  const isSame = event !== 'resume' && ledger?.by === event && prompted === undefined;
  return isSame && now - ledger.began < REPEATED_MS;
}

async function prompt(at: Session): Promise<HookAnswer> {
  const { config, input, memory } = at;
  if (input.speaker === 'parent') return contextOf(await briefSubagent(at, plainId(input.session)));
  const hints = [...at.news];
  memory.ended = undefined;
  // A fork whose parent is unknown by now counts as any other session.
  if (memory.forkedFrom?.length === 0 && !(await import('./relatives.ts')).followParent(at))
    memory.forkedFrom = undefined;
  if (config.spaces.scope === 'session') await (await import('./relatives.ts')).openOwnPad(at);
  // A host without an event for the start of a session reports it with the first prompt; its file tells of a chat that
  // was cleared.
  const isNew = input.source === 'startup' || (await at.record())?.another === true;
  if (isNew || input.source === 'resume')
    at.next({ is: 'started', how: isNew ? 'new' : 'resumed', at: at.now });
  await noticeCompaction(at);
  if (input.session !== undefined && input.speaker === undefined && hintsOn(config))
    hints.push(...(await promptHints(at)));
  if (input.session !== undefined) hints.push(...(await warningFor(at)), ...(await notedByChildren(at)));
  await expectCompaction(at);
  const said = contextOf(await speak(at, 'prompt', hints));
  return { ...said, standing: input.standing ? memory.standing?.text : undefined };
}

async function promptHints(at: Session): Promise<string[]> {
  const { config, ways } = at;
  const spaces = await at.pads.spaces();
  const { shared, own } = spaces;
  const event = {
    is: 'prompt',
    settings: config,
    ways,
    empty: isEmpty(spaces),
    digest: digest(JSON.stringify([shared, own])),
  } as const;
  if (config.nudgeOnPlanDetected === 0 || !event.empty) return at.next(event);
  const words = (await at.transcript())?.messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  return at.next({ ...event, plan: holdsPlan(words) ? digest(words) : undefined });
}

async function beforeCompaction(at: Session): Promise<HookAnswer> {
  const { memory, input } = at;
  await at.pads.adoptEdits();
  if (input.session === undefined) return {};
  const canHold = at.host.holds && at.config.compaction.hold === 'once' && input.trigger !== 'manual';
  if (canHold && mayHold(memory.hints) && (await turnFits(at))) {
    at.next({ is: 'compaction held' });
    // Held only if this can be recorded, so that no compaction is held forever.
    await remember(at.data, input.session, () => memory);
    return { hold: HOLD_REASON };
  }
  await noticeCompaction(at);
  return { summaryRequest: SUMMARY_REQUEST };
}

/** Asks for what a summary loses first, and leaves out what is shown again anyway. */
const SUMMARY_REQUEST =
  "Keep each requirement, rule and answer of the person word for word, the newest last. Leave out the scratchpad's plan and notes: they are shown again afterwards.";

async function afterwards(at: Session): Promise<HookAnswer> {
  at.next({ is: 'compacted', at: at.now, announced: true });
  return {};
}

async function tool(at: Session): Promise<HookAnswer> {
  const { tool: called, agent } = at.input;
  const response = jsonText(called?.response ?? '');
  // The parent does not know what a subagent writes.
  if (called !== undefined && agent === undefined) await learn(at, called, response);
  // A host that drops what is said has no place for it beside a result.
  const warned = at.host.ephemeral ? {} : await besides(at);
  if (called === undefined || !at.host.replaces || !mayBeLong(called.name)) return warned;
  try {
    const recovered = isCommand(called.name) ? ((await at.host.recover?.(at.input)) ?? {}) : {};
    if (recovered.output !== undefined || holdsLong(response)) {
      const { pruneEntries, spillOutput } = await import('./spill.ts');
      const shown = await spillOutput(at, called, recovered);
      if (shown !== undefined) {
        at.afterwards(() => pruneEntries(at));
        return { ...warned, ...shown };
      }
    }
    return contextOf([warned.context, recovered.loss].filter(Boolean).join('\n\n'));
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
  if (at.input.session === undefined) return;
  const call = `${name} ${jsonText(input ?? '')} ${response}`;
  if (!OURS.test(call)) return;
  const { ledger } = at.memory;
  if (ledger !== undefined) learnFromCall(ledger, await at.pads.spaces(), call, at.now);
}

async function besides(at: Session): Promise<HookAnswer> {
  const { session, agent } = at.input;
  if (session === undefined || agent !== undefined) return {};
  const warning = at.config.compaction.warnAt === 0 ? [] : await warningFor(at);
  const isDue = (await rewoundSincePrompt(at)) || (await hasNewSummary(at));
  // A compaction in the middle of a turn, after which the host goes on without a start or a prompt.
  const isAnew = at.memory.ledger === undefined && at.memory.hints.phase === 'announced';
  const news = isAnew || isDue ? await speak(at, isAnew ? 'compact' : 'resume', []) : '';
  return contextOf([...warning, news, (await notedByChildren(at)).join('\n')].filter(Boolean).join('\n\n'));
}

async function notedByChildren(at: Session): Promise<string[]> {
  const { session } = at.input;
  if (session === undefined || childrenOf(at.data, session).length === 0) return [];
  return (await import('./relatives.ts')).newsOfChildren(at);
}

/**
 * A rewind shows in the host's file only after the prompt that follows it: at the first call of a tool the model is
 * told what it does not know any more.
 */
async function rewoundSincePrompt(at: Session): Promise<boolean> {
  const { memory } = at;
  if (memory.prompted === undefined) return false;
  if ((await at.followed())?.holds === false) return true;
  memory.prompted = undefined;
  return false;
}

/** Within a turn, the summary of a compaction may only now be in the host's file. */
const hasNewSummary = async (at: Session): Promise<boolean> =>
  at.memory.awaitsSummary === true && (await newSummary(at)) !== undefined;

/**
 * A subagent starts with an empty notepad and its own id, the goal of its parent in a line, and the parts that the
 * setting `subagent` names.
 */
async function subagent(at: Session): Promise<HookAnswer> {
  const child = plainId(at.input.agent);
  const given = child === undefined ? undefined : await (await import('./relatives.ts')).spawnFor(at, child);
  return contextOf(await briefSubagent(at, child, given));
}

/** The session may be resumed, so the ledger of its window is kept. */
async function end(at: Session): Promise<HookAnswer> {
  const { session } = at.input;
  at.memory.ended = at.now;
  await stop(at);
  const { endSession } = await import('../transcript/store.ts');
  if (session !== undefined) at.afterwards(() => endSession(at.root, session));
  if (at.config.spaces.scope === 'session')
    at.afterwards(async () => (await import('./relatives.ts')).archiveOwnPad(at));
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

const contextOf = (text: string): HookAnswer => (text === '' ? {} : { context: text.trimEnd() });

/** Fraction of the tokens at which a host compacts: its own count differs slightly from its transcript's. */
const ABOUT_FULL = 0.97;

/** If no event reports a compaction, look in the transcript. */
async function noticeCompaction(at: Session): Promise<void> {
  if (!at.host.unseenCompaction) return;
  const summary = await lastCompaction(at);
  if (summary !== '' && summary !== at.memory.hints.summary)
    at.next({ is: 'compacted', at: at.now, summary });
}

/** Identifies the last compaction by its summary, because a resumed session rewrites its time. */
async function lastCompaction(at: Session): Promise<string> {
  const last = (await at.transcript())?.facts.compactions.at(-1);
  return last === undefined ? '' : digest(last.summary || (last.timestamp ?? ''));
}

/**
 * For a host that compacts between a prompt and its request, without an event afterwards: the model would answer
 * this prompt without the pad. So everything is said again if the context is nearly full.
 */
async function expectCompaction(at: Session): Promise<void> {
  if (!at.host.unseenCompaction || !at.host.compactsAt) return;
  const used = (await at.transcript())?.facts.tokensUsed ?? 0;
  if (used >= (await at.host.compactsAt(at.root, at.env)) * ABOUT_FULL)
    at.next({ is: 'compaction expected' });
}

/** A smaller transcript cannot fill a context enough for a warning. */
const SMALL_TRANSCRIPT = 160 * 1024;

/** The warning before a compaction, once per cycle; if one was held, the reason. */
async function warningFor(at: Session): Promise<string[]> {
  const { hints } = at.memory;
  const { warnAt, window } = at.config.compaction;
  const { ways } = at;
  if (hints.phase === 'held') return at.next({ is: 'context full', use: { used: 0, window: 0 }, ways });
  if (warnAt === 0 || !mayWarn(hints)) return [];
  const { transcript: path, contextUse: told } = at.input;
  const size = path === undefined ? 0 : (tryStat(path)?.size ?? 0);
  if (size < SMALL_TRANSCRIPT && window === 0 && told === undefined) return [];
  const use = await contextUseOf(at);
  if (use === undefined || use.used < (use.window * warnAt) / 100) return [];
  return at.next({ is: 'context full', use, ways });
}

const TURN = 25_000;

/** Whether another turn fits before the model's whole context is full: hosts compact before it is. */
async function turnFits(at: Session): Promise<boolean> {
  const use = await contextUseOf(at, true);
  return use !== undefined && use.window - use.used >= TURN;
}

/** How full the context was at the last answer: by the host's own figures, else by the transcript's. */
async function contextUseOf(at: Session, whole = false): Promise<ContextUse | undefined> {
  if (at.input.contextUse !== undefined) return at.input.contextUse;
  const { model: named, compactedAt } = at.memory.hints;
  const transcript = await at.transcript();
  if (!transcript || answeredBefore(transcript, compactedAt)) return undefined;
  const { tokensUsed: used, contextWindow, model: said } = transcript.facts;
  // Transcripts do not say whether a model is the variant with the large context.
  const model = said !== undefined && named.startsWith(said) ? named : said;
  const usual = whole ? undefined : await at.host.compactsAt?.(at.root, at.env);
  const window = contextWindow ?? (at.config.compaction.window || usual || windowOf(model));
  // A context that is fuller than its limit is not the one that the model's name suggests.
  return used === undefined || window === undefined || used > window ? undefined : { used, window };
}

/** Figures from an answer before the compaction do not apply to the context after it. */
function answeredBefore({ messages, facts }: Transcript, compactedAt: string): boolean {
  const answer = messages.findLast(({ role }) => role !== 'user')?.timestamp ?? '';
  const inFile = facts.compactions.at(-1)?.timestamp ?? '';
  const last = inFile > compactedAt ? inFile : compactedAt;
  return last !== '' && answer !== '' && answer <= last;
}
