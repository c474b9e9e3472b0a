/** Below what the hosts themselves cut: about 30,000 characters of an output. */
export const LIMIT = 28_000;

/** Tools that run commands, by the names that hosts give them. */
const COMMANDS = new Set(['Bash', 'run_shell_command', 'exec']);
/** Tools whose result is about a change, most of which the model is not shown, and our own, whose answers are bounded. */
const NOT_SPILLED = /^(?:Edit|MultiEdit|Write|NotebookEdit|Todo\w*|replace|write_file)$|scratchpad/i;

export const isCommand = (name: string): boolean => COMMANDS.has(name);
export const mayBeLong = (name: string): boolean => !NOT_SPILLED.test(name);

/**
 * Whether a tool's result may hold a text over the limit, or be one that the host has cut. Told from its JSON, which is
 * no shorter: most calls need nothing of what keeps an output.
 */
export function holdsLong(json: string): boolean {
  return json.length > LIMIT || json.includes('"persistedOutputPath"');
}
