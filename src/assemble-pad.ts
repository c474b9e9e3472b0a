import { type Assembly, assemble, stateChange } from './assemble.ts';
import { cachePath } from './cache.ts';
import type { Config } from './config/settings.ts';
import type { Pad } from './context.ts';
import { contentOf } from './pad/document.ts';
import { freshnessOf } from './pad/freshness.ts';
import { readState } from './pad/state.ts';
import { readSource, type Source, type SourceRequest } from './source.ts';
import { PROMPT_IN_HAND } from './stages/active.ts';
import { openClock } from './stages/clock.ts';
import type { Zone } from './stages/zone.ts';
import type { Message } from './transcript/message.ts';

export interface AssembleRequest extends SourceRequest {
  ttlMs?: number;
  /** The person's offset from UTC; the config's or the system's zone unless given. */
  utcOffsetMinutes?: number;
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
}

/** Reads a session, runs the stages and writes the state block. */
export async function assemblePad(pad: Pad, request: AssembleRequest = {}): Promise<Assembled> {
  const { root, store, config, env } = pad;
  const source = await readSource(request, root, config, env, request.onProblem ?? (() => undefined));
  const before = await store.read();
  const now = pad.now();
  const offset = request.utcOffsetMinutes ?? hoursToMinutes(source?.transcript.facts.utcOffsetHours);
  const fresh = freshnessOf(before.document, now);
  const from = request.from ?? source?.transcript.facts.id;
  const assembly = await assemble({
    workspace: root,
    now,
    clock: openClock(zoneOf(offset, config), cachePath(root, 'zones.json')),
    messages: withPrompt(source?.transcript.messages ?? [], request.prompt, now),
    facts: source?.transcript.facts,
    spaces: before.spaces,
    config,
    previous: new Map(
      readState(contentOf(before.document, 'state')).map(({ title, lines }) => [title, lines]),
    ),
    previousUpdated: fresh.updated,
    ...(request.ttlMs === undefined ? {} : { ttlMs: request.ttlMs }),
    ...(request.withinMs === undefined ? {} : { withinMs: request.withinMs }),
    ...(from === undefined ? {} : { from }),
    ...(request.refreshMemory ? { refreshMemory: request.refreshMemory } : {}),
  });
  if (request.dryRun) return { assembly, source, notices: before.notices };
  const { notices } = await store.change(() => [stateChange(assembly)]);
  return { assembly, source, notices };
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

function zoneOf(offsetMinutes: number | undefined, config: Config): Zone {
  if (offsetMinutes !== undefined) return { kind: 'offset', minutes: offsetMinutes };
  return config.timezone === undefined ? { kind: 'system' } : { kind: 'named', name: config.timezone };
}

function hoursToMinutes(hours: number | undefined): number | undefined {
  return hours === undefined ? undefined : Math.round(hours * 60);
}
