import { expect, test } from 'vitest';
import { questionIn } from '../../src/handover/state.ts';

test.each([
  ['a question at the end', 'I found it.\n\nWant me to fix the parser?', 'Want me to fix the parser?'],
  ['with the sentence before it', 'Red. It is the parser. Fix it?', 'It is the parser. Fix it?'],
  ['in another language', '終わりました。\n\n次に進みますか？', '次に進みますか？'],
  ['above its options', 'Which one?\n\n1. Delete the old files\n2. Keep them', 'Which one?'],
  [
    'choices that end with a question mark each',
    'Done.\n\n**Would you like to:**\n- Run it again?\n- Move on?',
    'Would you like to: - Run it again? - Move on?',
  ],
])('%s', (_, said, question) => {
  expect(questionIn(said)).toBe(question);
});

test.each([
  'The steps:\n1. Build it\n2. Is it red? Stop\n\nThat is all.',
  'Is it red? Yes.\n\nThat is all.',
  '```\nwhy?\n```',
  '',
])('"%s" asks for nothing', (said) => {
  expect(questionIn(said)).toBeUndefined();
});
