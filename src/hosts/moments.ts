import { HOLD_REASON } from '../nudge/compaction.ts';
import { forget, type Remembered, recall, remember, sweepRemembered } from '../nudge/memory.ts';
import { afterCompaction, nudge, nudgesOn } from '../nudge/nudges.ts';
import { digest, NO_SPACES } from '../session/journal.ts';
import { isoUtc } from '../text/iso-time.ts';
import { hasContent, renderForHost } from './injection.ts';
import type { HookAnswer, HookInput, Moment } from './protocol.ts';
import type { Session } from './session.ts';
import { warningFor } from './warning.ts';

/** Tools that run commands, by the names that hosts give them. */
const COMMANDS = new Set(['Bash', 'run_shell_command', 'exec']);
/** Starts with which a conversation begins, of those that hosts tell of. */
const NEW = new Set(['startup', 'clear']);
const SAME_COMPACTION_MS = 30_000;
const NOTHING_GIVEN = { spaces: NO_SPACES, notes: [] };
const EMPTY_NOTE =
  '(The scratchpad is empty. `scratchpad plan set`, `scratchpad notes append` and `scratchpad refs add` keep plan, findings and references here; they survive context compaction.)';

/** What a hook does at each moment. Every one may throw: the caller answers with silence then. */
export const MOMENTS: Readonly<Record<Moment, (at: Session, input: HookInput) => Promise<HookAnswer>>> = {
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

async function start(at: Session, input: HookInput): Promise<HookAnswer> {
  const { config } = at;
  const compacted = input.source === 'compact';
  const hints: string[] = [];
  at.attempt('session memory', () => {
    sweepRemembered(at.data, at.now);
    if (input.session === undefined) return;
    if (compacted) update(at, input.session, endCycle);
    else forget(at.data, input.session);
    // What was compacted before is no news to this start.
    if (at.host.unseenCompaction) {
      update(at, input.session, (memory, now) => {
        memory.compactedAt = isoUtc(now);
      });
    }
  });
  if (config.primary.onNewSession === 'archive' && NEW.has(input.source ?? '')) {
    await (await import('./new-session.ts')).archivePrimary(at);
  }
  if (at.host.silentStart) return {};
  if (!compacted) await (await import('./environment.ts')).exportSession(at, input);
  const { shared, own } = await at.pads();
  if (compacted && config.nudgeAfterCompaction > 0) {
    hints.push(afterCompaction(!hasContent(shared) && !hasContent(own)));
    // Said here, so not at the next prompt again.
    at.attempt('session memory', () =>
      update(at, input.session, (memory) => {
        memory.compacted = false;
      }),
    );
  }
  const state = await at.state(compacted || input.source === 'resume' ? 'own' : 'any');
  const text = renderForHost(
    { shared, own, session: input.session, emptyNote: EMPTY_NOTE, ...state },
    (block) => at.host.fits([...hints, block].join('\n\n')),
  );
  return contextOf(hints, text);
}

async function prompt(at: Session, input: HookInput): Promise<HookAnswer> {
  const { config } = at;
  const { shared, own } = await at.pads();
  const hints: string[] = [];
  const { session } = input;
  if (session !== undefined) {
    // A host without a moment for a session's start tells of it at the first prompt.
    if (input.source === 'startup') forget(at.data, session);
    const before = recall(at.data, session);
    const memory = { ...before };
    await noticeCompaction(at, memory);
    if (nudgesOn(config)) {
      hints.push(
        ...(await nudge(config, memory, {
          empty: !hasContent(shared) && !hasContent(own),
          digest: digest(JSON.stringify([shared, own])),
          plan: async () => {
            const words = (await at.transcript())?.messages.findLast(
              ({ role }) => role === 'assistant',
            )?.content;
            if (words === undefined) return { found: false, words: '' };
            const { holdsPlan } = await import('../nudge/plan-detection.ts');
            return { found: holdsPlan(words), words: digest(words) };
          },
        })),
      );
    }
    const warning = await warningFor(at, input, memory);
    if (warning !== undefined) hints.push(warning);
    at.attempt('session memory', () => keep(at, session, before, memory));
  }
  const state = await at.state('own');
  const text = renderForHost({ shared, own, session, ...state }, (block) =>
    at.host.fits([...hints, block].join('\n\n')),
  );
  return contextOf(hints, text);
}

async function beforeCompaction(at: Session, input: HookInput): Promise<HookAnswer> {
  const { session } = input;
  await at.snapshot();
  if (session === undefined) return {};
  const before = recall(at.data, session);
  const mayHold =
    at.host.holds && at.config.compaction.hold === 'once' && input.trigger !== 'manual' && !before.held;
  if (mayHold) {
    // Held only when that can be remembered: a compaction must never be held for ever.
    remember(at.data, session, { ...before, held: true });
    return { hold: HOLD_REASON };
  }
  const memory = { ...before };
  await noticeCompaction(at, memory);
  keep(at, session, before, memory);
  return {};
}

async function afterwards(at: Session, input: HookInput): Promise<HookAnswer> {
  update(at, input.session, (memory, now) => {
    // Claude Code tells of one compaction twice: at the session's new start, too.
    if (now - (Date.parse(memory.compactedAt) || 0) > SAME_COMPACTION_MS) endCycle(memory, now);
  });
  return {};
}

async function tool(at: Session, input: HookInput): Promise<HookAnswer> {
  const warned = await warningOf(at, input);
  const { tool: called } = input;
  if (called === undefined || !COMMANDS.has(called.name)) return warned;
  try {
    const recovered = (await at.host.recover?.(input)) ?? {};
    const { spillOutput } = await import('./spill.ts');
    const toolOutput = await spillOutput(at.entriesOf(), called, recovered);
    if (toolOutput !== undefined) return { ...warned, toolOutput };
    const context = [warned.context, recovered.loss].filter((part) => part !== undefined).join('\n\n');
    return context === '' ? {} : { context };
  } catch (error) {
    at.fault('keeping the output', error);
    return warned;
  }
}

async function failedTool(at: Session, input: HookInput): Promise<HookAnswer> {
  const { tool: called } = input;
  if (called !== undefined && COMMANDS.has(called.name)) {
    const { recordFailure } = await import('./spill.ts');
    await recordFailure(at.entriesOf(), called);
  }
  return warningOf(at, input);
}

async function warningOf(at: Session, input: HookInput): Promise<HookAnswer> {
  if (input.session === undefined || at.config.compaction.warnAt === 0) return {};
  const before = recall(at.data, input.session);
  const memory = { ...before };
  const warning = await warningFor(at, input, memory);
  if (warning === undefined) return {};
  keep(at, input.session, before, memory);
  return { context: warning };
}

/**
 * A subagent begins with what `subagent` in the settings gives it; the shared pad it sees, the
 * mood of the person it does not.
 */
async function subagent(at: Session, input: HookInput): Promise<HookAnswer> {
  const { shared } = await at.pads();
  const session = input.agent;
  const { copyNotepad, inherit } = at.config.subagent;
  const given =
    session !== undefined && (copyNotepad || inherit.length > 0)
      ? await (await import('./subagent.ts')).spawnFor(at, input, session)
      : NOTHING_GIVEN;
  const text = renderForHost({ shared, own: given.spaces, session, state: [] }, (block) =>
    at.host.fits([...given.notes, block].join('\n\n')),
  );
  return contextOf(given.notes, text);
}

async function stop(at: Session, input: HookInput): Promise<HookAnswer> {
  if (at.config.nudgeOnPlanDetected === 0 || input.lastWords === undefined) return {};
  const { holdsPlan } = await import('../nudge/plan-detection.ts');
  const words = digest(input.lastWords);
  if (!holdsPlan(input.lastWords)) return {};
  update(at, input.session, (memory) => {
    memory.planWaiting = memory.plan !== words;
  });
  return {};
}

async function end(at: Session, input: HookInput): Promise<HookAnswer> {
  if (input.session !== undefined) forget(at.data, input.session);
  return {};
}

/** Where no event tells of a compaction, the transcript is asked, by those who want to know. */
async function noticeCompaction(at: Session, memory: Remembered): Promise<void> {
  if (!at.host.unseenCompaction || !(memory.warned || at.config.nudgeAfterCompaction > 0)) return;
  const last = (await at.transcript())?.facts.compactions.at(-1)?.timestamp ?? '';
  if (last > memory.compactedAt) endCycle(memory, at.now);
}

function endCycle(memory: Remembered, now: number): void {
  memory.warned = false;
  memory.held = false;
  memory.compacted = true;
  memory.compactedAt = isoUtc(now);
}

function update(
  at: Session,
  session: string | undefined,
  change: (memory: Remembered, now: number) => void,
): void {
  if (session === undefined) return;
  const before = recall(at.data, session);
  const memory = { ...before };
  change(memory, at.now);
  keep(at, session, before, memory);
}

/** Most prompts leave nothing to remember when no nudge is on: then nothing is written. */
function keep(at: Session, session: string, before: Remembered, memory: Remembered): void {
  if (JSON.stringify(before) === JSON.stringify(memory)) return;
  remember(at.data, session, memory);
}

/** Hints first, then the scratchpad; the human's own words follow. */
function contextOf(hints: readonly string[], block: string): HookAnswer {
  const text = [...hints, ...(block === '' ? [] : [block.trimEnd()])].join('\n\n');
  return text === '' ? {} : { context: text };
}
