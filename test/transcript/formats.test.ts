import { describe, expect, test } from 'vitest';
import { FORMATS } from '../../src/transcript/formats/index.ts';
import { readTranscriptText } from '../../src/transcript/read.ts';

const all = { limit: Number.POSITIVE_INFINITY };
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** One message of the person as each format writes it; a new format needs one here. */
const ADDED = 'qwen:user-prompt-submit-context';
const SAMPLES: Record<string, (words: string, index: number) => object> = {
  'claude-code': (words, index) => ({
    type: 'user',
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    sessionId: 's',
    timestamp: at(index),
    cwd: '/w',
    message: { role: 'user', content: words },
  }),
  codex: (words, index) => ({
    timestamp: at(index),
    type: 'event_msg',
    payload: { type: 'user_message', message: words },
  }),
  pi: (words, index) => ({
    type: 'message',
    id: `e${index}`,
    parentId: index === 0 ? null : `e${index - 1}`,
    timestamp: at(index),
    message: { role: 'user', content: words },
  }),
  gemini: (words, index) => ({
    id: `g${index}`,
    type: 'user',
    timestamp: at(index),
    content: [{ text: words }],
  }),
  copilot: (words, index) => ({
    type: 'user.message',
    id: `m${index}`,
    parentId: null,
    timestamp: at(index),
    data: { content: words, transformedContent: `<current_datetime>x</current_datetime>\n\n${words}` },
  }),
  'qwen-code': (words, index) => ({
    uuid: `q${index}`,
    parentUuid: index === 0 ? null : `q${index - 1}`,
    sessionId: 's',
    timestamp: at(index),
    type: 'user',
    provenance: 'real_user',
    cwd: '/w',
    message: { role: 'user', parts: [{ text: words }, { text: `<${ADDED}>\nours\n</${ADDED}>` }] },
  }),
  droid: (words, index) => ({
    type: 'message',
    id: `742f2e55-f58f-4809-b31a-${String(index).padStart(12, '0')}`,
    timestamp: at(index),
    message: { role: 'user', content: [{ type: 'text', text: words }] },
  }),
  messages: (words, index) => ({ role: 'user', content: words, timestamp: at(index) }),
};

describe.each(FORMATS)('$name', ({ name, recognises, events }) => {
  const sample = SAMPLES[name];

  test('has a sample that it recognises, with the time it was written', () => {
    expect(sample).toBeDefined();
    const record = sample?.('hi', 0) as Record<string, unknown>;
    expect(recognises(record)).toBe(true);
    expect(events(record, 0)).toContainEqual(expect.objectContaining({ type: 'person', timestamp: at(0) }));
  });

  test.each([1, 2, 40])(
    'a file of %i lines gives all its messages, in every way of ending',
    async (count) => {
      const words = Array.from({ length: count }, (_, index) => `words ${index}`);
      const lines = words.map((text, index) => JSON.stringify(sample?.(text, index)));
      for (const text of [
        lines.join('\n'),
        `${lines.join('\n')}\n`,
        `\uFEFF${lines.join('\r\n')}\r\n`,
        `${lines.join('\n\n')}\n\n`,
        `${lines.join('\n')}\n{"cut`,
      ]) {
        const { messages } = await readTranscriptText(text, all);
        expect(messages.map(({ content }) => content)).toEqual(words);
      }
    },
  );

  test('a record says by itself what a reading of the file gives', async () => {
    const record = sample?.('hi there', 0) as Record<string, unknown>;
    const said = events(record, 0).flatMap((event) => (event.type === 'person' ? [event.text] : []));
    const { messages } = await readTranscriptText(JSON.stringify(record), all);
    expect(said).toEqual(messages.map(({ content }) => content));
  });
});
