import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { faultOf, HOSTILE_OUTPUTS, TOOL_RESULTS } from './hostile-outputs.ts';

/** With `RUNS` all sixty are tried, the largest of a hundred megabytes. */
const SAMPLE =
  /^(?:nothing|binary as text|colours, long|json of a hook, long|a preview of ours, long|emoji, long)$/;

const ALL = process.env.RUNS !== undefined;

describe.each(Object.entries(TOOL_RESULTS))('%s', (host, { event, fields }) => {
  test('the turn continues whatever a tool prints, and what is stored has the same bytes', {
    timeout: 300_000,
  }, async () => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    let kept = 0;
    for (const { name, make } of HOSTILE_OUTPUTS.filter((output) => ALL || SAMPLE.test(output.name))) {
      const output = make();
      const input = JSON.stringify({
        session_id: 's1',
        cwd,
        tool_input: { command: name },
        ...fields(output),
      });
      const { stdout, exitCode } = await runWarm(['hook', host, event], { cwd, input });
      expect(
        faultOf(host, output, { code: exitCode, stdout }, (path) => readFileSync(path)),
        name,
      ).toBeUndefined();
      if (stdout.includes('kept as')) kept += 1;
    }
    // A limit counts characters: the emoji stay below it.
    if (ALL) expect(kept).toBeGreaterThan(20);
    else expect(kept).toBe(4);
  });
});
