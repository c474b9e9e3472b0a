import { expect, test } from 'vitest';
import { isPostponing } from '../../src/hearing/postponing.ts';

test.each([
  'let me think about it, bye',
  'gute nacht',
  'Good night!',
  'ok, see you tomorrow',
  'lunch, back in an hour',
  "hmm, I'll sleep on it. talk tomorrow!",
  'ok leave it for tomorrow',
  'I have to leave now, bye 👋',
  "I'm off, thanks!",
  'let me ask Ines first',
  "I'll get back to you",
  'let’s continue tomorrow',
  'gotta go',
  'muss los, bis morgen',
  'ich überlege es mir, gute Nacht',
  'hasta mañana',
  'bonne nuit',
  'brb',
])('"%s" puts the answer off', (words) => {
  expect(isPostponing(words)).toBe(true);
});

test.each([
  'yes',
  'no',
  'tomorrow',
  'later',
  'not now',
  'go on',
  'go ahead',
  'continue',
  'yes, good night',
  'I think we should use Redis',
  'let me see the diff',
  'think about it again',
  'let me know when it is done',
  'leave it as it is',
  'run the tests, then bye',
  'back to the parser',
  'the meeting is on Friday',
  'I will use Redis. bye',
  'stop',
  'run it',
  'go',
  'back',
  'leave it',
  'break',
  'keep it',
  'done',
  'go to the tests',
  'run it now',
  'go now',
  'stop now',
])('"%s" does not', (words) => {
  expect(isPostponing(words)).toBe(false);
});
