import type { Config } from '../config/config.ts';
import { hereOf, type Pad } from '../core/context.ts';
import { spacesHere } from '../core/scope.ts';
import { messageOf } from '../errors.ts';
import { cachePath } from '../fs/cache.ts';
import { contentOf } from '../pad/document.ts';
import { freshnessOf } from '../pad/freshness.ts';
import { readState } from '../pad/state.ts';
import { NO_SPACES } from '../session/journal.ts';
import type { Snapshot } from '../session/store.ts';
import { openClock } from '../stages/clock.ts';
import { PROMPT_IN_HAND } from '../stages/gap.ts';
import type { Zone } from '../stages/zone.ts';
import { openTrail, type Trail } from '../trail/index.ts';
import type { Message } from '../transcript/message.ts';
import type { SessionFacts } from '../transcript/read.ts';
import { WindowCache } from '../transcript/window-cache.ts';
import { provenanceOf } from '../trust/provenance.ts';
import { type Assembly, assemble, stateChange } from './assemble.ts';
import { hearFeedback, keepFeedback, keepMood } from './feedback.ts';
import { writeLastRun } from './last-run.ts';
import { readSource, type Source, type SourceRequest } from './source.ts';

export interface AssembleRequest extends SourceRequest {
  ttlMs?: number;
  /** The person's offset from UTC; else the config's zone, the host's offset, the system's zone. */
  utcOffsetMinutes?: number;
  /** The pad as the caller has read it just now, without a plan that is not of this place. */
  before?: Snapshot;
  /** What the human has just typed, where the transcript does not have it yet. */
  prompt?: string;
  /** Id of the host's session; else what the transcript says. */
  from?: string;
  /** Longest that a stage may take, milliseconds, if less than its own limit. */
  withinMs?: number;
  onProblem?: (message: string) => void;
  /** Starts bringing a large memory's index up to date in a process of its own; else it is done here. */
  refreshMemory?: () => void;
  /** The trail, where the caller has opened it; else that of the session that is read. */
  trail?: Promise<Trail | undefined>;
  /** Directory for the report that `status` shows; none is kept unless given. */
  reportTo?: string;
}

export interface Assembled {
  assembly: Assembly;
  source: Source | undefined;
  /** What reading the pad had to say: damage, merged edits. */
  notices: readonly string[];
  /**
   * Writes the block into the pad, and what was noticed beside it: remarks on the answers, the mood where that is
   * wanted, the report for `status`.
   * @returns what the store had to say
   * @throws what the store throws; the rest goes to `onProblem`
   */
  store(): Promise<readonly string[]>;
}

/** Reads a session and runs the stages: the one way from a request to a state block. Nothing is written yet. */
export async function assemblePad(pad: Pad, request: AssembleRequest = {}): Promise<Assembled> {
  const { root, store, config, env } = pad;
  const { onProblem = () => undefined } = request;
  const source = await readSource(request, root, config, env, onProblem);
  const before = request.before ?? (await readHere(pad, request));
  const now = pad.now();
  const fresh = freshnessOf(before.document, now);
  const from = request.from ?? source?.transcript.facts.id;
  const messages = withPrompt(source?.transcript.messages ?? [], request.prompt, now);
  const kept = new WindowCache(cachePath(root, 'window.json'));
  const heard = hearFeedback(root, config, messages, before.document, kept);
  const isOwn = provenanceOf(root, env).spaces === 'own';
  const assembly = await assemble({
    workspace: root,
    now,
    clock: openClock(zoneOf(request, source?.transcript.facts, config), cachePath(root, 'zones.json')),
    messages,
    signs: source?.transcript.signs,
    facts: source?.transcript.facts,
    // What a stranger wrote is not put into words of ours.
    spaces: isOwn ? before.spaces : NO_SPACES,
    config,
    env,
    feedback: isOwn ? heard.events : heard.noticed,
    openTrail: () => request.trail ?? trailOf(pad, source, from),
    kept,
    previous: new Map(
      readState(contentOf(before.document, 'state')).map(({ title, lines }) => [title, lines]),
    ),
    previousUpdated: fresh.updated,
    ...(request.ttlMs === undefined ? {} : { ttlMs: request.ttlMs }),
    ...(request.withinMs === undefined ? {} : { withinMs: request.withinMs }),
    ...(from === undefined ? {} : { from }),
    ...(request.refreshMemory ? { refreshMemory: request.refreshMemory } : {}),
  });
  return {
    assembly,
    source,
    notices: before.notices,
    store: async () => {
      kept.keep();
      const { notices } = await store.change(() => [stateChange(assembly)]);
      if (request.reportTo !== undefined) writeLastRun(request.reportTo, assembly, source);
      try {
        await keepFeedback(root, heard);
        await keepMood(pad, assembly, messages);
      } catch (error) {
        // The block is written: what was noticed is noticed again at the next assembly.
        onProblem(`feedback not kept: ${messageOf(error)}`);
      }
      return notices;
    },
  };
}

async function readHere(pad: Pad, { from }: AssembleRequest): Promise<Snapshot> {
  const read = await pad.store.read();
  const here = { ...hereOf(pad), ...(from === undefined ? {} : { session: from }) };
  return { ...read, spaces: spacesHere(read, here, pad.config).spaces };
}

/** Assembles and writes the block. @throws what reading the source or writing the pad throws */
export async function assembleAndStore(
  pad: Pad,
  request: AssembleRequest = {},
): Promise<Omit<Assembled, 'store'>> {
  const { assembly, source, store } = await assemblePad(pad, request);
  return { assembly, source, notices: await store() };
}

/** The trail of the session that was read. */
async function trailOf(
  { root, config, env, now }: Pad,
  source: Source | undefined,
  session: string | undefined,
): Promise<Trail | undefined> {
  const path = source?.path;
  if (path === undefined && session === undefined) return undefined;
  const cwd = source?.transcript.facts.cwd;
  return openTrail({
    ...{ root, config, env, now: now() },
    ...(path === undefined ? {} : { transcript: path }),
    ...(session === undefined ? {} : { session }),
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** Hosts write their transcripts late: the prompt in hand may be there already, or not yet. */
function withPrompt(messages: readonly Message[], prompt: string | undefined, now: number): Message[] {
  const words = prompt?.trim() ?? '';
  const last = messages.findLast((message) => message.role === 'user');
  if (words === '') return [...messages];
  if (last?.content.trim() === words) {
    return messages.map((message) => (message === last ? { ...message, id: PROMPT_IN_HAND } : message));
  }
  const timestamp = new Date(now).toISOString();
  const session = messages.at(-1)?.session ?? 'unknown';
  return [...messages, { id: PROMPT_IN_HAND, role: 'user', content: words, timestamp, session }];
}

/**
 * What this very call says, then the person's own setting, which knows of summer time, then what the host says, whose
 * machine may be anywhere, then the system.
 */
export function zoneOf(
  { utcOffsetMinutes }: Pick<AssembleRequest, 'utcOffsetMinutes'>,
  facts: SessionFacts | undefined,
  config: Config,
): Zone {
  const ofHost = facts?.utcOffsetHours;
  if (utcOffsetMinutes !== undefined) return { kind: 'offset', minutes: utcOffsetMinutes };
  if (config.timezone !== undefined) return { kind: 'named', name: config.timezone };
  return ofHost === undefined ? { kind: 'system' } : { kind: 'offset', minutes: Math.round(ofHost * 60) };
}
