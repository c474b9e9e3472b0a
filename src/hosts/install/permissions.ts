/**
 * The commands that an agent may call without asking: they change nothing but the pad and its entries. Not among them:
 * `run`, `config`, `trust` and `install`, which lead to programs of any kind, and commands that write other files.
 */
const COMMANDS = (
  'plan notes refs show context status check search history diff undo redo restore memory handover trail mood ' +
  'guidance todo note ref done next reopen ls cat log find'
).split(' ');
const ENTRY_COMMANDS = ['read', 'list', 'search', 'write', 'edit'];

/** What an installation allows, for a person, in lines of its summary. */
export const ALLOWED: readonly string[] = [
  "permission  the server's tools, and these commands, which change only the pad and its entries, run without asking:",
  `            scratchpad ${COMMANDS.join(', ')}`,
  `            scratchpad entry ${ENTRY_COMMANDS.join(', ')}`,
];

/** As rules of Claude Code: a prefix of the command line each. */
export function claudePermissions(tools: string): string[] {
  const commands = [...COMMANDS, ...ENTRY_COMMANDS.map((name) => `entry ${name}`)];
  return [...commands.map((name) => `Bash(scratchpad ${name}:*)`), `${tools}__*`];
}

/** What earlier versions allowed: every command, and so with `scratchpad run` every program. */
export const FORMER_CLAUDE_PERMISSION = 'Bash(scratchpad:*)';

/** As rules of Codex: its list at a place has the alternatives for that word. */
export function codexRules(): string {
  const rule = (...pattern: readonly (string | readonly string[])[]): string =>
    `prefix_rule(pattern = ${JSON.stringify(['scratchpad', ...pattern])}, decision = "allow")\n`;
  return `# scratchpad install codex\n${rule(COMMANDS)}${rule('entry', ENTRY_COMMANDS)}`;
}
