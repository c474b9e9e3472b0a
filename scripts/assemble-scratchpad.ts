#!/usr/bin/env -S npx tsx
/**
 * The assembler in a pipe: messages from a file or stdin, the state block into SCRATCHPAD.md of the workspace and onto
 * stdout.
 *
 *   npx tsx scripts/assemble-scratchpad.ts messages.json [workspace]
 *   echo '{"messages": [{"role": "user", "content": "…"}], "utcOffsetHours": 11}' |
 *     npx tsx scripts/assemble-scratchpad.ts [workspace]
 *
 * A bare array of messages, or JSONL in any known format, does as well.
 */
import { readFileSync, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { openScratchpad, ScratchpadError } from '../src/index.ts';

const [first, second] = process.argv.slice(2);
const isFolder = first !== undefined && statSync(first, { throwIfNoEntry: false })?.isDirectory() === true;
const [file, workspace = process.cwd()] = isFolder ? [undefined, first] : [first, second];

try {
  const messages =
    file === undefined || file === '-'
      ? { text: await text(process.stdin), name: 'standard input' }
      : { text: readFileSync(file, 'utf8'), name: file };
  const pad = await openScratchpad({ workspace });
  const { assembly } = await pad.assemble({ messages });
  process.stdout.write(`${assembly.block}\n`);
} catch (error) {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (!(error instanceof ScratchpadError) && !isMissing) throw error;
  const reason = error instanceof ScratchpadError ? error.explain() : `no such file: ${file}`;
  process.stderr.write(`assemble-scratchpad: ${reason}\n`);
  const kind = error instanceof ScratchpadError ? error.kind : 'usage';
  process.exitCode = kind === 'environment' ? 3 : 1;
  if (kind === 'usage') process.exitCode = 2;
}
