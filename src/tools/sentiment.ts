import { misuse } from '../base/errors.ts';
import type { SentimentState, Strategy } from '../sentiment/index.ts';
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
      throw misuse('there are no messages to read', {
        where: 'messages',
        expected: 'at least one {role, content}',
        found: JSON.stringify(messages),
      });
    }
    const { readTranscriptText } = await import('../transcript/read.ts');
    const { moodThen } = await import('./mood.ts');
    const { config } = pad;
    const options = { limit: config.window.messages, maxAgeMs: config.window.age };
    const transcript = await readTranscriptText(JSON.stringify(messages), options, 'messages');
    const { state, strategy } = await moodThen(pad, transcript);
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
    const { state } = await currentMood(pad);
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
    const { strategy } = await currentMood(pad);
    return { text: describeStrategy(strategy), value: { strategy } };
  },
};

export const sentimentTools: readonly Tool[] = [analyzeMessages, getState, getStrategy];

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
