/**
 * How often the plan nudge would appear over whole sessions: for messages of the assistant, and for outputs of
 * tools, which should never trigger it.
 *
 *   npx tsx scripts/evaluate/plan-detection.ts FILE… [--show]
 *
 * FILE is a transcript that `transcript show` can read. `--show` prints the numbered lines of what was found.
 */
import { basename } from 'node:path';
import { holdsPlan } from '../../src/nudge/plan-detection.ts';
import { readTranscriptFile } from '../../src/transcript/read.ts';

const args = process.argv.slice(2);
const files = args.filter((arg) => !arg.startsWith('--'));
if (files.length === 0) throw new Error('usage: tsx scripts/evaluate/plan-detection.ts FILE… [--show]');
const ALL = { limit: Number.MAX_SAFE_INTEGER, maxAgeMs: Number.POSITIVE_INFINITY };

for (const file of files) {
  const { messages } = await readTranscriptFile(file, ALL);
  for (const role of ['assistant', 'tool'] as const) {
    const said = messages.filter((message) => message.role === role);
    const found = said.filter(({ content }) => holdsPlan(content));
    console.log(`${basename(file)}, ${role}: ${found.length} of ${said.length} messages hold a plan`);
    if (!args.includes('--show')) continue;
    for (const { content } of found) {
      const items = content.split('\n').filter((line) => /^\s*(?:\d+[.)]|[-*+] \[)/.test(line));
      console.log(
        items
          .slice(0, 4)
          .map((line) => `    ${line.trim().slice(0, 100)}`)
          .join('\n'),
      );
    }
  }
}
