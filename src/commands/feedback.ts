import { refusal, usageError } from '../base/errors.ts';
import { ensureFolder } from '../base/fs/index.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { formatDuration } from '../base/text/durations.ts';
import { formatCount } from '../base/text/strings.ts';
import {
  changeFeedback,
  type FeedbackEvent,
  MEANINGS,
  type Meaning,
  readFeedback,
  understandRemark,
  withEvents,
} from '../sentiment/feedback/remarks.ts';
import { defineCommand } from './command.ts';
import { type Invocation, readWords, refuseAgent } from './invocation.ts';
import { type OpenPad, openSession } from './open.ts';
import { makeTimeFormatter } from './print.ts';

const TEXT_LENGTH = 200;

const NAMES = MEANINGS.map((meaning) => meaning.replace(' ', '-')).join(', ');

export const feedback = defineCommand({
  takes: {
    '[remark...]': 'such as "too verbose"; - for stdin',
    '--as <meanings>': `what it means, for remarks in any language; of ${NAMES} (preamble: a sentence before the answer); several with commas`,
    '--list': 'list the remarks',
    '--reset': 'forget all remarks',
  },
  examples: ['scratchpad feedback "too verbose"', 'scratchpad feedback "zu lang" --as shorter'],
  run: async (call, { remark, as: names, list: isList, reset: isReset }) => {
    if ((isList || isReset) && remark.length > 0)
      throw usageError(`${isList ? '--list' : '--reset'} takes no text`, { found: remark.join(' ') });

    const opened = await openSession(call);
    if (isList) return list(call, opened);
    refuseAgent(call, 'feedback is for a person: nothing was changed');
    if (isReset) return reset(call, opened);

    const text = readWords(remark);
    const meanings = names === undefined ? parseMeanings(text) : names.split(',').map(parseMeaning);

    opened.assertCanCreate();
    const { config, store } = opened;
    const event: FeedbackEvent = {
      at: new Date(call.now).toISOString(),
      person: '',
      text: sanitizeLine(text, TEXT_LENGTH) || meanings.join(', '),
      meanings,
      source: 'said',
    };

    ensureFolder(store.paths.data);
    const damaged = await changeFeedback(store.paths.data, (stored) => withEvents(stored, [event]));
    if (damaged !== undefined) call.note(`warning: the file was damaged; it is kept as ${damaged}`);
    const isPraise = meanings[0] === 'good';
    const effect = isPraise ? 'audit counts it' : `it counts for ${formatDuration(config.feedback.lasts)}`;
    call.report({ event }, `understood: ${meanings.join(', ')}; ${effect}`);
  },
});

function list(call: Invocation, { config, store }: OpenPad): void {
  const { events } = readFeedback(store.paths.data);
  const formatTime = makeTimeFormatter(config);
  call.print({ events, lastsMs: config.feedback.lasts }, [
    events.length === 0 && 'no feedback yet',
    events.map(({ at, person, source, text, meanings }) => {
      const who = person === '' ? '' : `  (${person})`;
      return `${formatTime(at)}  ${source.padEnd(7)}  "${text}"  -> ${meanings.join(', ')}${who}`;
    }),
  ]);
}

async function reset(call: Invocation, { workspace, store }: OpenPad): Promise<void> {
  const { data } = store.paths;
  const forgotten = readFeedback(data).events.length;
  if (workspace.exists) {
    ensureFolder(data);
    await changeFeedback(data, () => ({ events: [], forgotten: new Date(call.now).toISOString() }));
  }

  call.report({ forgotten }, `forgotten: ${formatCount(forgotten, 'remark')}`);
}

function parseMeaning(name: string): Meaning {
  const meaning = MEANINGS.find((each) => each.replace(' ', '-') === name.trim());
  if (meaning !== undefined) return meaning;
  throw usageError('--as is not valid', { expected: `one of ${NAMES}`, found: name });
}

/** @throws ScratchpadError `usage` without a remark, `refused` if its words say nothing about answers */
function parseMeanings(text: string): Meaning[] {
  if (text === '')
    throw usageError('no feedback was given', {
      expected: 'what was wrong or right with the answers, such as "too verbose"; or --list, --reset',
    });

  // Typed for this command, "that is too long" can only be about the answers.
  const bare = text.replace(/^(?:(?:that|this|it) (?:is|was)|(?:that|it)['’]s)\s+/i, '');
  const remarks = [text, bare].map(understandRemark).find(({ length }) => length > 0);
  if (remarks !== undefined) return remarks.map(({ meaning }) => meaning);

  throw refusal('the remark is not one of those that are known: nothing was stored', {
    expected:
      'a remark such as "too verbose", "too short", "skip the fluff", "that was perfect"; or an option',
    found: text,
    next: `say what it means: --as, with one of ${NAMES}`,
  });
}
