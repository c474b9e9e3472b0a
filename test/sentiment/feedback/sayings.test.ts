import { describe, expect, test } from 'vitest';
import { understandRemark } from '../../../src/sentiment/feedback/remarks.ts';

const noticed = (text: string) => understandRemark(text).map(({ meaning }) => meaning);

describe('in the middle of other work', () => {
  test.each([
    ['too verbose', 'shorter'],
    ['Way too long.', 'shorter'],
    ['your last answer was way too wordy, just give me the command', 'shorter'],
    ["you're being too verbose again. restart it", 'shorter'],
    ['could you be more concise?', 'shorter'],
    ['that is too long, please be brief', 'shorter'],
    ['This answer was too long.', 'shorter'],
    ['please keep your answers shorter', 'shorter'],
    ['too terse', 'longer'],
    ['your explanations are a bit too short for me', 'longer'],
    ["stop saying you're absolutely right", 'no preamble'],
    ['please skip the pleasantries', 'no preamble'],
    ["tell me what you're about to do before you do it", 'preamble'],
    ['stop hedging and tell me', 'direct'],
    ["you're too cold today", 'warm'],
    ["don't be so formal", 'playful'],
    ['no more emojis please', 'professional'],
    ['That was perfect', 'good'],
    ['great answer, thanks', 'good'],
  ])('%s', (text, meaning) => {
    expect(noticed(text)).toEqual([meaning]);
  });

  test('two wishes in one sentence are two', () => {
    expect(noticed('too long, skip the preamble')).toEqual(['shorter', 'no preamble']);
  });

  test.each([
    'the logging is too verbose, make it less chatty',
    'that function is too long, split it',
    'too long, split the function',
    'not too long',
    'your answers are not too long',
    'write a commit message and keep it short',
    'run it with --verbose',
    'make the error messages shorter',
    'TL;DR: we ship on Friday',
    'the intro of the README is too wordy',
    '> you are too verbose\nwho wrote this comment?',
    '```\ntoo verbose\n```',
    'stop saying it works when it does not',
    'no emojis in the commit messages of the bot',
    'that is perfect. now book the table for two',
    'give me a good answer to this review',
    'be careful with the direct link',
    '',
  ])('is none: %s', (text) => {
    expect(noticed(text)).toEqual([]);
  });
});
