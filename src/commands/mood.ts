import { readSource } from '../assembly/source.ts';
import { misuse } from '../base/errors.ts';
import { counted } from '../base/text/strings.ts';
import { tryLoadModel } from '../sentiment/model.ts';
import { analyze, dimensionOf } from '../sentiment/state.ts';
import { howToAnswer, mapStrategy } from '../sentiment/strategy.ts';
import type { Mood } from '../stages/sentiment.ts';
import { lastTime, moodOf } from '../tools/mood.ts';
import { BATCH, batch, messagesOf, timeOf } from './batch.ts';
import { command } from './command.ts';
import { type Lines, withoutSession } from './invocation.ts';
import { openSession } from './open.ts';
import { givenSource, noHostSession, SOURCE } from './transcript.ts';

export const mood = command({
  takes: {
    ...SOURCE,
    ...BATCH,
  },
  examples: ['scratchpad mood', 'scratchpad mood --transcript ~/.claude/projects/-home-me-app/7f3a.jsonl'],
  run: async (call, { messages, transcript, batch: isBatch }) => {
    const model = tryLoadModel();
    if (model === null) call.note('warning: cannot read the trained model: every mood is neutral');
    if (isBatch)
      // A request is `{"messages"}`, with an optional `now` (ISO 8601 or epoch milliseconds).
      return batch(call, ({ messages: said, now: at }) => {
        if (!Array.isArray(said)) throw misuse('messages is not a list');
        const now = timeOf(at);
        if (at !== undefined && now === undefined) throw misuse('now is not a time');
        const state = analyze(messagesOf(said), { model, now });
        return { state, strategy: mapStrategy(state) };
      });
    const { workspace, config, pad } = await openSession(withoutSession(call));
    const given = givenSource(call, { messages, transcript });
    const { session } = call.options;
    const warn = (problem: string): void => call.note(`warning: ${problem}`);
    const source = await readSource(given ?? { session }, workspace.root, config, call.env, warn);
    if (source === undefined)
      throw noHostSession('name one: scratchpad mood --transcript FILE, or --messages FILE');
    // A named file is read as of its last message, a live session as of now.
    const then = given !== undefined && call.options.now === undefined;
    const read = await moodOf(pad, source.transcript, then ? lastTime(source.transcript) : undefined);
    const { state, strategy, others } = read;
    const value = { source: source.name, state, strategy, others: Object.fromEntries(others) };
    call.result(value, shown(read));
  },
});

function shown({ state, strategy, others }: Mood): Lines {
  const { emotion, secondary, sender, confidence, windowSize, signals } = state;
  const dimension = dimensionOf(emotion);
  const told = signals.filter(({ score, raises }) => score >= 0.05 && raises === dimension);
  return [
    `${sender === null ? '' : `${sender}: `}${emotion}${secondary === null ? '' : `, ${secondary}`} (confidence ${confidence.toFixed(2)}, ${counted(windowSize, 'message')})`,
    emotion !== 'neutral' &&
      told.map(({ name, score, evidence }) => {
        const words = evidence.map((each) => `"${each}"`).join(' · ');
        return `  because of ${name} ${score.toFixed(2)}  ${words}`.trimEnd();
      }),
    '',
    `Answer: ${howToAnswer(strategy) ?? 'as usual'}`,
    [...others].map(([name, other]) => ['', `${name === '' ? 'no name' : name}: ${other.emotion}`]),
  ];
}
