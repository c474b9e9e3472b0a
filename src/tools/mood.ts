import { readSource, type SourceRequest } from '../assembly/source.ts';
import type { Pad } from '../core/context.ts';
import { hearFeedback } from '../sentiment/feedback/remarks.ts';
import { type Mood, readMood } from '../stages/sentiment.ts';
import type { Transcript } from '../transcript/read.ts';

/**
 * The mood in a transcript and the strategy for it, computed like in an assembly. Nothing is stored.
 * @param now epoch milliseconds: a mood fades with the time since the person's last message
 */
export async function moodOf(
  pad: Pad,
  transcript: Transcript | undefined,
  now: number = pad.now(),
): Promise<Mood> {
  const { root, config } = pad;
  const messages = transcript?.messages ?? [];
  const { events } = hearFeedback(root, config, messages);
  return readMood({
    messages,
    signs: transcript?.signs,
    now,
    config,
    feedback: { events, lastsMs: config.feedback.lasts },
  });
}

/**
 * Like {@link moodOf}, at the time of the last message that has one: for messages that were passed directly.
 */
export function moodThen(pad: Pad, transcript: Transcript): Promise<Mood> {
  const told = transcript.messages.findLast(({ timestamp }) => !Number.isNaN(Date.parse(timestamp ?? '')));
  return moodOf(pad, transcript, told?.timestamp === undefined ? pad.now() : Date.parse(told.timestamp));
}

/** The mood in messages, or else in the most recent session of this workspace. */
export async function currentMood(pad: Pad, request: Pick<SourceRequest, 'messages'> = {}): Promise<Mood> {
  const source = await readSource(request, pad.root, pad.config, pad.env, () => undefined);
  return source !== undefined && request.messages !== undefined
    ? moodThen(pad, source.transcript)
    : moodOf(pad, source?.transcript);
}
