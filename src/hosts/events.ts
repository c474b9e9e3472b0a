import { append } from '../base/fs/index.ts';
import { digest } from '../base/text/strings.ts';
import { hasContent, learnFromCall } from '../ledger/spaces.ts';
import { HOLD_REASON, hintsOn, mayHold, reviewHint } from '../ledger/window.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import { expectCompaction, lastCompaction, noticeCompaction, turnFits, warningFor } from './compactions.ts';
import {
  type HookAnswer,
  type HookInput,
  type HostEvent,
  holdsLong,
  isCommand,
  mayBeLong,
  plainId,
} from './protocol.ts';
import type { Session } from './session.ts';
import { remember, sweepRemembered } from './session-memory.ts';

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
  'failed-tool': failedTool,
  subagent,
  stop,
  end,
};

/**
 * The handlers for events of a subagent. Hosts send them under the parent's session, so other handlers would wrongly
 * treat them as events in the parent's window.
 */
export const OF_SUBAGENTS: ReadonlySet<HostEvent> = new Set(['subagent', 'tool', 'failed-tool']);

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
  memory.ended = undefined;
  if (input.source === 'fork') {
    memory.forkedFrom = [];
    // Until the host has copied the records, its first prompt is told what the window lacks.
    if (!(await import('./beginnings.ts')).followParent(at)) return {};
  }
  const how = named === 'compact' ? 'compacted' : named === 'resume' ? 'resumed' : 'new';
  at.next({ is: 'started', how, model: input.model, at: at.now });
  const event = named === 'compact' && memory.ledger !== undefined ? 'resume' : named;
  // Earlier compactions do not concern this start.
  if (at.host.unseenCompaction && memory.hints.summary === '')
    memory.hints.summary = await lastCompaction(at);
  if (config.primary.onNewSession === 'archive' && NEW.has(input.source ?? '')) {
    await (await import('./beginnings.ts')).archivePrimary(at);
  }
  if (at.host.keepsEntries && event !== 'clear' && event !== 'compact') await takeEntriesIn(at);
  // The first prompt says what a start would have said; a resumed session knows it already.
  if (at.host.silentStart) return {};
  if (event !== 'compact') exportSession(at);
  if (event === 'compact' && config.nudgeAfterCompaction > 0) {
    const { shared, own } = await (await at.pads()).spaces();
    hints.push(reviewHint(!hasContent(shared) && !hasContent(own), at.ways));
    // Said here, so it is not repeated at the next prompt.
    memory.hints.phase = 'calm';
  }
  return contextOf(await (await import('./speak.ts')).speak(at, event, hints));
}

/**
 * Claude Code runs the agent's commands with the variables that a SessionStart hook appends to this file. With
 * `hook.pad: own` they use the session's own pad without naming it.
 */
function exportSession(at: Session): void {
  const file = at.env.CLAUDE_ENV_FILE;
  const { session } = at.input;
  if (at.config.hook.pad !== 'own' || !file || session === undefined) return;
  at.attempt('CLAUDE_ENV_FILE', () =>
    append(file, 'host', `export SCRATCHPAD_SESSION='${session.replace(/'/g, "'\\''")}'\n`),
  );
}

async function prompt(at: Session): Promise<HookAnswer> {
  const { config, input, memory } = at;
  if (input.speaker === 'parent')
    return contextOf(await (await import('./speak.ts')).briefSubagent(at, plainId(input.session)));
  const hints = [...at.news];
  memory.ended = undefined;
  memory.answered = at.now;
  // A fork whose parent is unknown by now counts as any other session.
  if (memory.forkedFrom?.length === 0 && !(await import('./beginnings.ts')).followParent(at))
    memory.forkedFrom = undefined;
  // A host without an event for the start of a session reports it with the first prompt; its file tells of a chat that
  // was cleared.
  const isNew = input.source === 'startup' || (await at.record())?.another === true;
  if (isNew || input.source === 'resume')
    at.next({ is: 'started', how: isNew ? 'new' : 'resumed', at: at.now });
  const first = memory.taken === undefined || input.source !== undefined;
  if (at.host.keepsEntries && first) await takeEntriesIn(at);
  await noticeCompaction(at);
  if (input.session !== undefined && input.speaker === undefined && hintsOn(config))
    hints.push(...(await promptHints(at)));
  if (input.session !== undefined) hints.push(...(await warningFor(at)));
  await expectCompaction(at);
  const said = contextOf(await (await import('./speak.ts')).speak(at, 'prompt', hints));
  return { ...said, standing: input.standing ? memory.standing?.text : undefined };
}

async function promptHints(at: Session): Promise<string[]> {
  const { config, ways } = at;
  const { shared, own } = await (await at.pads()).spaces();
  const empty = !hasContent(shared) && !hasContent(own);
  const event = {
    is: 'prompt',
    settings: config,
    ways,
    empty,
    digest: digest(JSON.stringify([shared, own])),
  } as const;
  if (config.nudgeOnPlanDetected === 0 || `${shared.plan}${own.plan}`.trim() !== '') return at.next(event);
  const { planOf } = await import('../handover/index.ts');
  const { holdsPlan } = await import('../ledger/plan-detection.ts');
  const record = await at.record();
  const words = (await at.transcript())?.messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  const adoptable = record !== undefined && planOf(record) !== undefined;
  return at.next({ ...event, adoptable, plan: holdsPlan(words) ? digest(words) : undefined });
}

async function takeEntriesIn(at: Session): Promise<void> {
  await (await import('./beginnings.ts')).takeIn(at);
}

async function beforeCompaction(at: Session): Promise<HookAnswer> {
  const { memory, input } = at;
  await (await at.pads()).adoptEdits();
  if (input.session === undefined) return {};
  const canHold = at.host.holds && at.config.compaction.hold === 'once' && input.trigger !== 'manual';
  if (canHold && mayHold(memory.hints) && (await turnFits(at))) {
    at.next({ is: 'compaction held' });
    // Held only if this can be recorded, so that no compaction is held forever.
    remember(at.data, input.session, memory);
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
  const response = JSON.stringify(called?.response ?? '');
  // The parent does not know what a subagent writes.
  if (called !== undefined && agent === undefined) await learn(at, called, response);
  // A host that drops what is said has no place for it beside a result.
  const warned = at.host.ephemeral ? {} : await besides(at);
  if (called === undefined || !mayBeLong(called.name)) return warned;
  try {
    const recovered = isCommand(called.name) ? ((await at.host.recover?.(at.input)) ?? {}) : {};
    if (recovered.output !== undefined || holdsLong(response)) {
      const { pruneOutputs, spillOutput } = await import('./spill.ts');
      const shown = await spillOutput(at.entriesOf(), called, recovered);
      if (shown !== undefined) {
        at.afterwards(() => pruneOutputs(at));
        return { ...warned, toolOutput: shown.toolOutput, toolText: shown.text };
      }
    }
    const context = [warned.context, recovered.loss].filter((part) => part !== undefined).join('\n\n');
    return context === '' ? {} : { context };
  } catch (error) {
    at.fault('keeping the output', error);
    return warned;
  }
}

/** The agent knows the changes made by its own calls. */
async function learn(
  at: Session,
  { name, input }: NonNullable<HookInput['tool']>,
  response: string,
): Promise<void> {
  if (at.input.session === undefined) return;
  const call = `${name} ${JSON.stringify(input ?? '')} ${response}`;
  if (!OURS.test(call)) return;
  const { ledger } = at.memory;
  if (ledger !== undefined) learnFromCall(ledger, await (await at.pads()).spaces(), call, at.now);
}

async function failedTool(at: Session): Promise<HookAnswer> {
  const { tool: called } = at.input;
  const kept =
    called !== undefined && isCommand(called.name)
      ? await (await import('./spill.ts')).recordFailure(at.entriesOf(), called)
      : undefined;
  const { context } = await besides(at);
  return contextOf([kept, context].filter(Boolean).join('\n\n'));
}

/** What the model is told besides a tool's result. */
async function besides(at: Session): Promise<HookAnswer> {
  const { session, agent } = at.input;
  if (session === undefined || agent !== undefined) return {};
  const warning = at.config.compaction.warnAt === 0 ? [] : await warningFor(at);
  const rewound = (await rewoundSincePrompt(at))
    ? await (await import('./speak.ts')).speak(at, 'resume', [])
    : '';
  const noted = at.memory.children ? await (await import('./subagent.ts')).newsOfChildren(at) : '';
  return contextOf([...warning, rewound, noted].filter(Boolean).join('\n\n'));
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

/**
 * A subagent starts with an empty notepad and its own id, the goal of its parent in a line, and the parts that the
 * setting `subagent` names.
 */
async function subagent(at: Session): Promise<HookAnswer> {
  const child = plainId(at.input.agent);
  const given =
    child === undefined ? undefined : await (await import('./subagent.ts')).spawnFor(at, at.input, child);
  return contextOf(await (await import('./speak.ts')).briefSubagent(at, child, given));
}

/** The session may be resumed, so the ledger of its window is kept. */
async function end(at: Session): Promise<HookAnswer> {
  const { session } = at.input;
  at.memory.ended = at.now;
  await stop(at);
  const { endSession } = await import('../transcript/store.ts');
  if (session !== undefined) at.afterwards(() => endSession(at.root, session));
  return {};
}

/**
 * The record of this turn is stored, also for a session of one prompt, and its state rendered into the file, which the
 * prompts have left alone.
 */
async function stop(at: Session): Promise<HookAnswer> {
  at.turnIsOver = true;
  await at.record();
  at.afterwards(async () => void (await (await at.pads()).view.writeState()));
  return {};
}

const contextOf = (text: string): HookAnswer => (text === '' ? {} : { context: text.trimEnd() });
