import { ScratchpadError } from '../errors.ts';
import type { Invocation } from './invocation.ts';
import { OUTPUTS, outputSchema } from './output-schema.ts';

/** Prints the JSON schema of what a command prints with `--json`, or of all of them. */
export function schema(invocation: Invocation, words: string[]): void {
  const name = words.join(' ');
  const found = name === '' ? outputSchema() : OUTPUTS[name];
  if (found === undefined) {
    throw new ScratchpadError('usage', 'there is no schema of that name', {
      expected: 'a command with its verb, such as plan done',
      found: name,
      next: 'see them all with: scratchpad schema',
    });
  }
  invocation.result(found, JSON.stringify(found, null, 2));
}
