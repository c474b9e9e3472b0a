/** Less than the hosts' own limit of about 30,000 characters. */
export const LIMIT = 28_000;

/** Names of the hosts' tools that run commands. */
const COMMANDS = new Set(['Bash', 'run_shell_command', 'exec']);
/** Tools that make changes, with results mostly hidden from the model, and our own tools, with limited answers. */
const NOT_SPILLED = /^(?:Edit|MultiEdit|Write|NotebookEdit|Todo\w*|replace|write_file)$|scratchpad/i;

export const isCommand = (name: string): boolean => COMMANDS.has(name);
export const mayBeLong = (name: string): boolean => !NOT_SPILLED.test(name);

/**
 * Whether a tool's result may contain a text over the limit, or one that the host has cut. Judged by its JSON, which is
 * never shorter: most calls load none of the code that stores outputs.
 */
export function holdsLong(json: string): boolean {
  return json.length > LIMIT || json.includes('"persistedOutputPath"');
}
