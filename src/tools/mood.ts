import { readSource, type SourceRequest } from '../assembly/source.ts';
import type { Pad } from '../core/context.ts';
import { collectFeedback } from '../sentiment/feedback/remarks.ts';
import { NO_SPACES } from '../session/journal.ts';
import { chooseZone, openClock } from '../stages/clock.ts';
import { createStageContext } from '../stages/context.ts';
import type { Mood } from '../stages/stage.ts';
import type { Transcript } from '../transcript/read.ts';

/** The mood as an assembly reads it, without storing it; it fades with the time since the last message. */
export async function readTranscriptMood(
  pad: Pad,
  transcript: Transcript | undefined,
  now: number = pad.now(),
): Promise<Mood> {
  const { root: workspace, config, env } = pad;
  const { messages = [], signs, facts } = transcript ?? {};
  return createStageContext({
    ...{ workspace, config, env, now, messages, signs, facts },
    clock: openClock(chooseZone(config, facts)),
    spaces: NO_SPACES,
    feedback: collectFeedback(workspace, config, messages).events,
    previous: undefined,
  }).mood();
}

/** The time of the last message that has one; messages that a caller passes are read as of then. */
export function findLastTime({ messages }: Transcript): number | undefined {
  const time = messages.findLast(({ timestamp }) => !Number.isNaN(Date.parse(timestamp ?? '')))?.timestamp;
  return time === undefined ? undefined : Date.parse(time);
}

export async function readCurrentMood(
  pad: Pad,
  request: Pick<SourceRequest, 'messages'> = {},
): Promise<Mood> {
  const transcript = (await readSource(request, pad.root, pad.config, pad.env, () => undefined))?.transcript;
  return readTranscriptMood(pad, transcript, transcript && request.messages && findLastTime(transcript));
}
