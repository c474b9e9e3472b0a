import { readSource } from '../assembly/source.ts';
import { cachePath } from '../cache.ts';
import type { Pad } from '../core/context.ts';
import type { SentimentState } from '../sentiment/index.ts';
import { openClock } from '../stages/clock.ts';
import { stageContext } from '../stages/context.ts';
import type { Zone } from '../stages/zone.ts';
import type { Transcript } from '../transcript/read.ts';

/**
 * The mood in a transcript, read exactly as an assembly reads it.
 * @param now epoch milliseconds: a reading fades with the time since
 */
export async function moodOf(
  pad: Pad,
  transcript: Transcript | undefined,
  now = pad.now(),
): Promise<SentimentState> {
  const { config } = pad;
  const hours = transcript?.facts.utcOffsetHours;
  const { spaces } = await pad.store.read();
  const zone: Zone =
    hours !== undefined
      ? { kind: 'offset', minutes: Math.round(hours * 60) }
      : config.timezone === undefined
        ? { kind: 'system' }
        : { kind: 'named', name: config.timezone };
  const context = stageContext({
    workspace: pad.root,
    now,
    clock: openClock(zone, cachePath(pad.root, 'zones.json')),
    messages: transcript?.messages ?? [],
    facts: transcript?.facts,
    spaces,
    config,
    env: pad.env,
    previous: new Map(),
    previousUpdated: undefined,
  });
  return (await context.mood()).state;
}

/** The mood in the session that was active last in this workspace. Nothing is kept of it. */
export async function currentMood(pad: Pad): Promise<SentimentState> {
  const source = await readSource({}, pad.root, pad.config, pad.env, () => undefined);
  return moodOf(pad, source?.transcript);
}
