import { tryReadText, type WriteOptions, writeAtomically } from '../fs/index.ts';
import { parseJson } from '../text/json.ts';
import { computeSeal } from './index.ts';

const HEAD = /^\{"seal":"([0-9a-f]{16})","body":/;
const FOOT = '}\n';

/**
 * Writes a JSON file with a seal, which proves to `readSealed` that a process of this user wrote it: what is told from
 * it may be words of a person. Without a home there is no key, and nothing is read back.
 */
export function writeSealed(
  path: string,
  purpose: string,
  value: object,
  options: WriteOptions,
  env = process.env,
): void {
  const body = JSON.stringify(value);
  writeAtomically(path, `{"seal":"${computeSeal(purpose, body, env) ?? ''}","body":${body}${FOOT}`, options);
}

/** The value of a sealed file; `undefined` if there is none, or its seal is not that of its content. */
export function readSealed(path: string, purpose: string, env = process.env): unknown {
  const text = tryReadText(path, 'cache') ?? '';
  const [head, seal] = HEAD.exec(text) ?? [];
  if (head === undefined || !text.endsWith(FOOT)) return undefined;
  const body = text.slice(head.length, -FOOT.length);
  return seal === computeSeal(purpose, body, env) ? parseJson(body) : undefined;
}
