import { expect, test } from 'vitest';
import { questionIn } from '../../../src/transcript/hearing/question.ts';

test.each([
  ['a question at the end', 'I found it.\n\nWant me to fix the parser?', 'Want me to fix the parser?'],
  [
    'choices that end with a question mark each',
    'Done.\n\n**Would you like to:**\n- Run it again?\n- Move on?',
    'Would you like to: - Run it again?; - Move on?',
  ],
  [
    'choices with a remark below them',
    'Would you like me to:\n1. Delete the old files\n2. Keep them\n\nEverything else is in place! 🎉',
    'Would you like me to: 1. Delete the old files; 2. Keep them',
  ],
])('%s is heard', (_, said, question) => {
  expect(questionIn(said)).toBe(question);
});

test.each([
  'Done. What would you like to work on next?',
  'Would you like me to explain any part of this in more detail?',
  'Would you like me to make any other adjustments?',
  'Ready for the next step?',
  'The steps:\n1. Build it\n2. Is it red? Stop\n\nThat is all.',
])('"%s" asks for nothing', (said) => {
  expect(questionIn(said)).toBeUndefined();
});
