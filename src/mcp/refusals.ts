/** The tools that do what a refusal names commands for: who calls over MCP may have no shell. */
const TOOLS: readonly [command: RegExp, tool: string][] = [
  [/scratchpad entry list/, 'scratchpad_list'],
  [/scratchpad entry read/, 'scratchpad_read'],
  [/scratchpad entry delete/, 'scratchpad_delete'],
  [/scratchpad entry merge NEW NAME/, 'scratchpad_read and scratchpad_write'],
  [/scratchpad notes set/, 'write_notepad'],
  [/scratchpad plan (?:set|add)/, 'session.scratchpad, action set_plan'],
  [/scratchpad refs add/, 'session.scratchpad, action refs.add'],
  [/scratchpad notes show(?: --numbers)?/, 'read_notepad'],
  [/scratchpad (?:plan|refs)(?: show)?(?: --numbers)?$/, 'the file SCRATCHPAD.md'],
];

/** What a refusal says, with tools in place of commands. */
export function inTools(next: string): string {
  return TOOLS.reduce((text, [command, tool]) => text.replace(command, tool), next);
}
