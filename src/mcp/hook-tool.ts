import { isObject, type JsonObject, parsed } from '../text/json.ts';

/**
 * The tool that a host's hooks of type `mcp_tool` call. It is not listed, so it takes none of the model's
 * context.
 */
export const HOOK_TOOL = 'hook';

/** Fields that hosts pass as JSON inside a string. */
const NESTED = ['tool_input', 'tool_response'];

/** The arguments in the form that a command hook reads: without the fields that the host left empty. */
export function hookInput(args: unknown): JsonObject {
  const json: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(isObject(args) ? args : {})) {
    if (value === '') continue;
    json[key] = NESTED.includes(key) && typeof value === 'string' ? (parsed(value) ?? value) : value;
  }
  return json;
}
