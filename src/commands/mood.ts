import { readSource } from '../assembly/source.ts';
import { usageError } from '../base/errors.ts';
import { formatCount } from '../base/text/strings.ts';
import { tryLoadModel } from '../sentiment/model.ts';
import { analyzeMood, findDimension } from '../sentiment/state.ts';
import { mapStrategy, renderAdvice } from '../sentiment/strategy.ts';
import type { Mood } from '../stages/stage.ts';
import { findLastTime, readTranscriptMood } from '../tools/mood.ts';
import { answerBatch, BATCH, parseMessages, parseTime } from './batch.ts';
import { defineCommand } from './command.ts';
import { dropSession, type Lines, readWords } from './invocation.ts';
import { openSession } from './open.ts';
import { hostSessionNotFound, readSourceOptions, SOURCE } from './transcript.ts';

export const mood = defineCommand({
  takes: { ...SOURCE, ...BATCH },
  examples: ['scratchpad mood', 'scratchpad mood --transcript ~/.claude/projects/-home-me-app/7f3a.jsonl'],
  run: async (call, { messages, transcript, batch: isBatch }) => {
    const model = tryLoadModel();
    if (model === null) call.note('warning: cannot read the trained model: every mood is neutral');

    if (isBatch)
      // A request is `{"messages"}`, with an optional `now` (ISO 8601 or epoch milliseconds).
      return answerBatch(call, ({ messages: list, now: time }) => {
        if (!Array.isArray(list)) throw usageError('messages is not a list');
        const now = parseTime(time);
        if (time !== undefined && now === undefined) throw usageError('now is not a time');
        const state = analyzeMood(parseMessages(list), { model, now });
        return { state, strategy: mapStrategy(state) };
      });

    if ((messages ?? transcript) === undefined && readWords([]) !== '')
      throw usageError('mood reads no text on stdin', { expected: 'messages as JSON: --messages -' });

    const { workspace, config, pad } = await openSession(dropSession(call));
    const request = readSourceOptions(call, { messages, transcript });
    const { session } = call.options;
    const warn = (problem: string): void => call.note(`warning: ${problem}`);
    const source = await readSource(request ?? { session }, workspace.root, config, call.env, warn);

    if (source === undefined)
      throw hostSessionNotFound('name one: scratchpad mood --transcript FILE, or --messages FILE');

    // A named file is read as of its last message, a live session as of now.
    const then = request !== undefined && call.options.now === undefined;
    const analysis = await readTranscriptMood(
      pad,
      source.transcript,
      then ? findLastTime(source.transcript) : undefined,
    );

    const { state, strategy, others } = analysis;
    const value = { source: source.name, state, strategy, others: Object.fromEntries(others) };
    call.print(value, renderMood(analysis));
  },
});

function renderMood({ state, strategy, others }: Mood): Lines {
  const { emotion, secondary, sender, confidence, windowSize, signals } = state;
  const dimension = findDimension(emotion);
  const evident = signals.filter(({ score, raises }) => score >= 0.05 && raises === dimension);

  const who = sender === null ? '' : `${sender}: `;
  const moods = secondary === null ? emotion : `${emotion}, ${secondary}`;
  const messages = formatCount(windowSize, 'message');

  return [
    emotion === 'not read'
      ? `${who}not read: only English is (${messages})`
      : `${who}${moods} (confidence ${confidence.toFixed(2)}, ${messages})`,
    emotion !== 'neutral' &&
      evident.map(({ name, score, evidence }) => {
        const words = evidence.map((each) => `"${each}"`).join(' · ');
        return `  ${name} (${score.toFixed(2)})  ${words}`.trimEnd();
      }),
    '',
    `Answer: ${renderAdvice(strategy) ?? 'as usual'}`,
    [...others].map(([name, other]) => ['', `${name === '' ? 'no name' : name}: ${other.emotion}`]),
  ];
}
