import { describe, expect, test } from 'vitest';
import { asksForBanned, endOf } from '../../src/trail/bans.ts';

describe('a message asks for what is forbidden', () => {
  test.each([
    ['do not push before Ines is back on Friday', 'commit this and push'],
    ['do not push before Ines is back on Friday', 'push it'],
    ['do not push before Ines is back on Friday', 'ok, can you ship it now?'],
    ['Never commit the fixtures folder.', 'pip install httpx, commit the fixtures folder and push it'],
    ["don't touch the shared package, web depends on it.", 'edit shared/a.py and rename load()'],
    [
      "don't touch the shared package, web depends on it.",
      'can you rename the export in packages/shared/src/index.ts',
    ],
    ['never rename public functions.', 'rename the public function load() to read()'],
    ['stop adding comments everywhere', 'add a comment to each function'],
    ["don't ever force push", 'rebase it and force-push'],
    ["don't ever force push", 'git is stuck. Push with --force then'],
    ['ask me before running migrations', 'run the migration on staging'],
    ['sent invoices must never change, legal requirement', 'fix the sent invoices of May'],
    ['Never edit or delete config/local.yml', 'please remove local.yml'],
    ['never delete anything in data/', 'clean up the data folder'],
    ['do not commit secrets.env', 'commit secrets.env too'],
    ['You must not call the production API from tests', 'let us test it. Call the production API once'],
  ])('after "%s", "%s"', (instruction, prompt) => {
    expect(asksForBanned(prompt, instruction)).toBe(true);
  });

  test.each([
    ['do not push before Ines is back on Friday', 'commit this'],
    ['do not push before Ines is back on Friday', 'why did the push fail?'],
    ['do not push before Ines is back on Friday', "commit it, but don't push"],
    ['do not push before Ines is back on Friday', 'the button has to push the panel aside'],
    ['Never commit the fixtures folder.', 'commit this'],
    ['Never commit the fixtures folder.', 'add a test that uses the fixtures folder'],
    ["don't ever force push", 'push it'],
    ["don't touch the shared package", 'what does the shared package export?'],
    ["don't touch the shared package", 'read shared/a.py and explain it'],
    ["don't change anything yet", 'rename load() to read()'],
    ['never rename public functions.', 'rename the file'],
    ['Only use tabs in Makefiles', 'use spaces in the Makefile'],
    ['do not commit secrets.env', 'commit the secrets module'],
    ['always run cargo fmt before a commit', 'commit this'],
  ])('after "%s", not "%s"', (instruction, prompt) => {
    expect(asksForBanned(prompt, instruction)).toBe(false);
  });
});

describe('an instruction ends', () => {
  // A Thursday.
  const said = new Date(2026, 10, 19, 15).toISOString();
  const day = (text: string, standing = false): string | undefined => {
    const end = endOf(text, said, standing);
    return end === undefined ? undefined : new Date(end).toDateString();
  };

  test.each([
    ['do not push before Ines is back on Friday', 'Fri Nov 20 2026'],
    ['do not deploy before Monday', 'Mon Nov 23 2026'],
    ["don't deploy tomorrow", 'Fri Nov 20 2026'],
    ["don't merge until 2026-11-25", 'Wed Nov 25 2026'],
    ['do not merge anything before the 1st of December', 'Tue Dec 01 2026'],
    ["don't publish this week", 'Sun Nov 22 2026'],
    ['do not push until Ines is back', 'Thu Dec 03 2026'],
    ['do not touch the API until the release', 'Thu Dec 03 2026'],
    ["don't merge before it is approved", 'Thu Dec 03 2026'],
    ['do not change prices before 24 January', 'Thu Dec 03 2026'],
  ])('"%s": %s', (text, end) => {
    expect(day(text)).toBe(end);
  });

  test.each([
    ["don't commit until I say so"],
    ["don't stop until all tests pass"],
    ['do not edit files before reading them'],
    ["don't touch the docs"],
  ])('"%s" with the session', (text) => {
    expect(day(text)).toBeUndefined();
  });

  test('"never deploy on a Friday" never', () => {
    expect(day('never deploy on a Friday', true)).toBeUndefined();
    expect(day('never run the tests before the build', true)).toBeUndefined();
  });
});
