import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRecord, recordRun } from '../../src/hosts/session-memory.ts';
import { testDir } from '../helpers/test-dir.ts';

const RUN = { at: '2026-02-06T01:40:00.000Z', host: 'claude-code', event: 'Stop', session: 's1', ms: 3 };

function recorded(outcome: string, failed = true) {
  const data = testDir({ '.scratchpad/': '' });
  recordRun(data, { ...RUN, outcome }, failed);
  return readRecord(data);
}

test('what a hook records is read back in any alphabet', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), fc.boolean(), (text, failed) => {
      const run = { ...RUN, outcome: text.slice(0, 200) };
      expect(recorded(run.outcome, failed)).toEqual(failed ? { last: run, lastFailure: run } : { last: run });
    }),
    { numRuns: 50 },
  );
});
