import { expect, test } from 'vitest';
import { detectFeedback } from '../../../src/sentiment/feedback/remarks.ts';
import type { Message } from '../../../src/transcript/types.ts';

const said = (role: Message['role'], content: string, minute: number): Message => ({
  id: `m${minute}`,
  role,
  content,
  timestamp: `2026-02-06T01:${String(minute).padStart(2, '0')}:00Z`,
  session: 's',
});

test('of two messages with words of a remark, only that on the answers is one', () => {
  const talk = [
    said('assistant', 'done', 1),
    said('user', 'the long lines are too long for the table', 2),
    said('user', 'shorter answers please', 3),
  ];
  const found = detectFeedback(talk);
  expect(found.map(({ text }) => text)).toEqual([expect.stringContaining('shorter')]);
});

test('a prompt in hand and its record, which has another time, are one remark', () => {
  const inHand = detectFeedback([said('assistant', 'done', 1), said('user', 'shorter answers please', 3)]);
  const talk = [said('assistant', 'done', 1), said('user', 'shorter answers please', 4)];
  expect(inHand).toHaveLength(1);
  expect(detectFeedback(talk, { events: inHand })).toEqual([]);
});
