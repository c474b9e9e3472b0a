import { cachePath } from '../cache.ts';
import type { Config } from '../config/config.ts';
import type { Pad } from '../core/context.ts';
import { contentOf } from '../pad/document.ts';
import { freshnessOf } from '../pad/freshness.ts';
import { readState } from '../pad/state.ts';
import type { Snapshot } from '../session/store.ts';
import { openClock } from '../stages/clock.ts';
import { PROMPT_IN_HAND } from '../stages/gap.ts';
import type { Zone } from '../stages/zone.ts';
import { isoUtc } from '../text/iso-time.ts';
import type { Message } from '../transcript/message.ts';
import { WindowCache } from '../window-cache.ts';
import { type Assembly, assemble, stateChange } from './assemble.ts';
import { hearFeedback, keepFeedback, keepMood } from './feedback.ts';
import { readSource, type Source, type SourceRequest } from './source.ts';

export interface AssembleRequest extends SourceRequest {
  ttlMs?: number;
  /** The person's offset from UTC; else the config's zone, the host's offset, the system's zone. */
  utcOffsetMinutes?: number;
  /** The pad as the caller has read it just now. */
  before?: Snapshot;
  /** Compose the block and write nothing. */
  dryRun?: boolean;
  /** What the human has just typed, where the transcript does not have it yet. */
  prompt?: string;
  /** Id of the host's session; else what the transcript says. */
  from?: string;
  /** Longest that a stage may take, milliseconds, if less than its own limit. */
  withinMs?: number;
  onProblem?: (message: string) => void;
  /** Starts bringing a large memory's index up to date in a process of its own; else it is done here. */
  refreshMemory?: () => void;
}

export interface Assembled {
  assembly: Assembly;
  source: Source | undefined;
  /** What the store had to say: damage, merged edits. */
  notices: readonly string[];
  /**
   * Keeps what was noticed besides the block: remarks on the answers, and the mood where that is
   * wanted. Done already unless it was a dry run: then it is for the caller that writes the block.
   */
  keep(): Promise<void>;
}

/** Reads a session, runs the stages and writes the state block. */
export async function assemblePad(pad: Pad, request: AssembleRequest = {}): Promise<Assembled> {
  const { root, store, config, env } = pad;
  const source = await readSource(request, root, config, env, request.onProblem ?? (() => undefined));
  const before = request.before ?? (await store.read());
  const now = pad.now();
  const fresh = freshnessOf(before.document, now);
  const from = request.from ?? source?.transcript.facts.id;
  const messages = withPrompt(source?.transcript.messages ?? [], request.prompt, now);
  const kept = new WindowCache(cachePath(root, 'window.json'));
  const heard = hearFeedback(root, config, messages, before.document, kept);
  const assembly = await assemble({
    workspace: root,
    now,
    clock: openClock(zoneOf(request, source, config), cachePath(root, 'zones.json')),
    messages,
    facts: source?.transcript.facts,
    spaces: before.spaces,
    config,
    env,
    feedback: heard.events,
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
  kept.keep();
  const keep = async (): Promise<void> => {
    await keepFeedback(root, heard);
    await keepMood(pad, assembly, messages);
  };
  if (request.dryRun) return { assembly, source, notices: before.notices, keep };
  const { notices } = await store.change(() => [stateChange(assembly)]);
  try {
    await keep();
  } catch (error) {
    // The block is written: what was noticed is noticed again at the next assembly.
    request.onProblem?.(`feedback not kept: ${error instanceof Error ? error.message : String(error)}`);
  }
  return { assembly, source, notices, keep };
}

/** Hosts write their transcripts late: the prompt in hand may be there already, or not yet. */
function withPrompt(messages: readonly Message[], prompt: string | undefined, now: number): Message[] {
  const words = prompt?.trim() ?? '';
  const last = messages.findLast((message) => message.role === 'user');
  if (words === '') return [...messages];
  if (last?.content.trim() === words) {
    return messages.map((message) => (message === last ? { ...message, id: PROMPT_IN_HAND } : message));
  }
  const timestamp = isoUtc(now);
  const session = messages.at(-1)?.session ?? 'unknown';
  return [...messages, { id: PROMPT_IN_HAND, role: 'user', content: words, timestamp, session }];
}

/**
 * What this very call says, then the person's own setting, which knows of summer time, then what the host says, whose
 * machine may be anywhere, then the system.
 */
function zoneOf({ utcOffsetMinutes }: AssembleRequest, source: Source | undefined, config: Config): Zone {
  const ofHost = source?.transcript.facts.utcOffsetHours;
  if (utcOffsetMinutes !== undefined) return { kind: 'offset', minutes: utcOffsetMinutes };
  if (config.timezone !== undefined) return { kind: 'named', name: config.timezone };
  return ofHost === undefined ? { kind: 'system' } : { kind: 'offset', minutes: Math.round(ofHost * 60) };
}
