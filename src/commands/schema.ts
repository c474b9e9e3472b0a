import { ScratchpadError } from '../errors.ts';
import type { Invocation } from './invocation.ts';
import { OUTPUTS, outputSchema } from './output-schema.ts';

/** Prints the JSON schema of the `--json` output of one command, or of all commands. */
export function schema(invocation: Invocation, words: string[]): void {
  const name = words.join(' ');
  const found = name === '' ? outputSchema() : OUTPUTS[name];
  if (found === undefined) {
    throw new ScratchpadError('usage', 'no schema has that name', {
      expected: 'a command, such as plan done',
      found: name,
      next: 'list them with: scratchpad schema',
    });
  }
  invocation.result(found, JSON.stringify(found, null, 2));
}
