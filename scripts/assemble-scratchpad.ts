#!/usr/bin/env -S npx tsx
/**
 * The assembler in a pipe: messages on stdin, the state block into SCRATCHPAD.md of the
 * workspace and onto stdout.
 *
 *   echo '{"messages": [{"role": "user", "content": "…"}], "utcOffsetHours": 11}' |
 *     npx tsx scripts/assemble-scratchpad.ts [workspace]
 *
 * A bare array of messages, or JSONL in any known format, does as well.
 */
import { text } from 'node:stream/consumers';
import { openScratchpad, ScratchpadError } from '../src/index.ts';

try {
  const pad = await openScratchpad({ workspace: process.argv[2] ?? process.cwd() });
  const messages = { text: await text(process.stdin), name: 'standard input' };
  const { assembly } = await pad.assemble({ messages });
  process.stdout.write(`${assembly.block}\n`);
} catch (error) {
  if (!(error instanceof ScratchpadError)) throw error;
  process.stderr.write(`assemble-scratchpad: ${error.explain()}\n`);
  process.exitCode = error.kind === 'environment' ? 3 : error.kind === 'usage' ? 2 : 1;
}
