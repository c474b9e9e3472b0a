import { join } from 'node:path';
import type { Pad } from '../core/context.ts';
import { ScratchpadError } from '../errors.ts';
import type { SentimentState, Strategy } from '../sentiment/index.ts';
import { DATA_DIR } from '../session/workspace.ts';
import { objectSchema } from './schema.ts';
import type { Tool, ToolAnswer } from './tool.ts';

const analyzeMessages: Tool = {
  name: 'analyze_messages',
  description:
    'Read the mood in messages and get advice on how to answer. Each message is {role, content, timestamp?, sender?}.',
  inputSchema: objectSchema(
    { messages: { type: 'array', items: { type: 'object' }, description: 'The messages, oldest first' } },
    ['messages'],
  ),
  readOnly: true,
  run: async ({ pad }, { messages }) => {
    if (!Array.isArray(messages) || messages.length === 0) {
      throw new ScratchpadError('usage', 'there are no messages to read', {
        where: 'messages',
        expected: 'at least one {role, content}',
        found: JSON.stringify(messages),
      });
    }
    const { readTranscriptText } = await import('../transcript/read.ts');
    const { moodOf } = await import('./mood.ts');
    const { config } = pad;
    const options = { limit: config.window.messages, maxAgeMs: config.window.age };
    const transcript = await readTranscriptText(JSON.stringify(messages), options, 'messages');
    // Messages that are handed over are judged as of the last of them, whenever that was.
    const last = Date.parse(transcript.messages.at(-1)?.timestamp ?? '');
    const state = await moodOf(pad, transcript, Number.isNaN(last) ? pad.now() : last);
    const strategy = await strategyFor(state);
    return { text: `${describeState(state)}\n${describeStrategy(strategy)}`, value: { state, strategy } };
  },
};

const getState: Tool = {
  name: 'get_state',
  description: 'How the person seems to be, read from the last messages of the session that was active last.',
  inputSchema: objectSchema({}),
  readOnly: true,
  run: async ({ pad }) => {
    const { currentMood } = await import('./mood.ts');
    const state = await currentMood(pad);
    return { text: describeState(state), value: { state } };
  },
};

const getStrategy: Tool = {
  name: 'get_strategy',
  description: 'How to answer the person now: style, tone, verbosity, and whether to begin with a preamble.',
  inputSchema: objectSchema({}),
  readOnly: true,
  run: async ({ pad }): Promise<ToolAnswer> => {
    const { currentMood } = await import('./mood.ts');
    const strategy = await adjusted(pad, await currentMood(pad));
    return { text: describeStrategy(strategy), value: { strategy } };
  },
};

export const sentimentTools: readonly Tool[] = [analyzeMessages, getState, getStrategy];

/** What the state block would say: with what this person has said of earlier answers. */
async function adjusted(pad: Pad, state: SentimentState): Promise<Strategy> {
  const { adjust } = await import('../feedback/adjust.ts');
  const { readFeedback } = await import('../feedback/file.ts');
  const { events } = readFeedback(join(pad.root, DATA_DIR));
  const feedback = { events, halfLifeMs: pad.config.feedback.halfLife };
  return adjust(await strategyFor(state), feedback, state.sender ?? '', pad.now()).strategy;
}

async function strategyFor(state: SentimentState): Promise<Strategy> {
  const { mapStrategy } = await import('../sentiment/index.ts');
  return mapStrategy(state);
}

function describeState({ emotion, secondary, valence, arousal, confidence }: SentimentState): string {
  const second = secondary === null ? '' : `, then ${secondary}`;
  return `${emotion}${second}; valence ${valence}, arousal ${arousal}, confidence ${confidence}`;
}

function describeStrategy({ style, tone, verbosity, preamble, suggestions }: Strategy): string {
  return [
    `style ${style}, tone ${tone}, verbosity ${verbosity}, preamble ${preamble ? 'yes' : 'no'}`,
    ...suggestions,
  ].join('\n');
}
