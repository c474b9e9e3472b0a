/** The calls that an agent of a host makes on the scratchpad: commands, or tools if it has them. */
export interface Ways {
  /** For an empty pad: how to write to it, said once per window. */
  empty: string;
  /** The calls that save working state. */
  save: string;
  plan: string;
}

const COMMANDS: Ways = {
  empty:
    '(The scratchpad is empty. `scratchpad plan set "1. …"` keeps a plan, `scratchpad notes append "…"` findings and decisions, `scratchpad refs add PATH` files that will be needed again; they survive context compaction.)',
  save: '`scratchpad notes append "…"` and `scratchpad plan set "1. …"`',
  plan: '`scratchpad plan set "1. …"`',
};

const UNTIL_LISTED =
  'Until that tool is listed, the commands `scratchpad plan set "1. …"` and `scratchpad notes append "…"` do the same.';

/**
 * @param tool the model's name for our tool, if the host has our MCP server or plugin
 * @param late whether the host may ask its model before it has the server's tools
 */
export function waysOf(tool: string | undefined, late = false): Ways {
  if (tool === undefined) return COMMANDS;
  const call = (args: string): string => `\`${tool} {${args}}\``;
  const plan = call('"action": "set_plan", "content": "1. …"');
  const notes = call('"action": "append_notes", "content": "…"');
  const refs = call('"action": "refs.add", "ref": "PATH"');
  return {
    empty: `(The scratchpad is empty. The tool call ${plan} keeps a plan, ${notes} findings and decisions, ${refs} files that will be needed again; they survive context compaction.${late ? ` ${UNTIL_LISTED}` : ''})`,
    save: `${notes} and ${plan}`,
    plan,
  };
}
