import { misuse, ScratchpadError } from '../base/errors.ts';
import { safeJson } from '../base/safety/visible.ts';
import { failureOf } from '../core/faces.ts';
import { callTool, toolContext, toolsFor } from '../tools/registry.ts';
import { EXIT_CODES } from './failure.ts';
import { type Invocation, readStdin, write } from './invocation.ts';
import { openSession } from './open.ts';

/**
 * Calls a tool: its arguments as JSON on stdin (nothing for none), its answer as JSON on stdout. A refusal is JSON on
 * stdout too, `{error: {kind, message, …}}`, with the exit code of its kind. Without a name the tools are listed:
 * `[{name, description, inputSchema}]`.
 */
export async function tool(invocation: Invocation, name: string | undefined): Promise<void> {
  const { pad, store } = await openSession(invocation);
  const print = (value: unknown): void => write(1, `${safeJson(value)}\n`);
  if (name === undefined) {
    const offered = toolsFor(pad.config);
    const listed = offered.map(({ name: called, description, inputSchema }) => ({
      name: called,
      description,
      inputSchema,
    }));
    invocation.result(
      listed,
      offered.map(({ name: called, description }) => `${called}\n    ${description}`).join('\n'),
    );
    return;
  }
  try {
    const args = parseArguments(readStdin());
    const { value } = await callTool(await toolContext(pad, store.paths), name, args);
    print(value);
  } catch (error) {
    if (!(error instanceof ScratchpadError)) throw error;
    print({ error: failureOf(error) });
    invocation.exitCode = EXIT_CODES[error.kind];
  }
}

function parseArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw misuse('the arguments are not JSON', {
      where: 'standard input',
      expected: 'a JSON object',
      found: text,
      cause: error,
    });
  }
}
