import { fstatSync, type Stats } from 'node:fs';
import { readStdin } from '../base/fs/index.ts';
import { parsed } from '../base/text/json.ts';

/** More than any host sends; longer input is not JSON. */
const MOST_BYTES = 32 * 1024 * 1024;
/** `}`, the last byte of a host's JSON, or the one before a newline. */
const BRACE = 0x7d;

/** Reads a host's input from stdin until it closes, is a complete JSON value, or `waitMs` have passed. */
export async function readHookInput(waitMs: number): Promise<string> {
  const stats = statsOfStdin();
  // A terminal, or /dev/null: no input to expect.
  if (stats === undefined || stats.isCharacterDevice()) return '';
  if (!stats.isFIFO() && !stats.isSocket()) return readStdin();
  const { stdin } = process;
  const parts: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    stdin.on('end', done).on('error', done);
    stdin.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > MOST_BYTES || isComplete(parts)) done();
    });
  });
  stdin.destroy();
  return Buffer.concat(parts).toString();
}

function statsOfStdin(): Stats | undefined {
  try {
    return fstatSync(0);
  } catch {
    return undefined;
  }
}

/** A host may keep its end open after sending everything. */
function isComplete(parts: readonly Buffer[]): boolean {
  const last = parts.at(-1);
  if (last === undefined || (last.at(-1) !== BRACE && last.at(-2) !== BRACE)) return false;
  return parsed(Buffer.concat(parts).toString()) !== undefined;
}
