import { isObject, type JsonObject } from '../transcript/json.ts';

/** Tool that a host's hooks of the kind `mcp_tool` call. It is in no list: it costs the model no context. */
export const HOOK_TOOL = 'hook';

/** Fields that hosts hand over as JSON inside a string. */
const NESTED = ['tool_input', 'tool_response'];

/** What a host has filled in, as a command hook would read it: without the fields that it left empty. */
export function hookInput(args: unknown): JsonObject {
  const json: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(isObject(args) ? args : {})) {
    if (value === '') continue;
    json[key] = NESTED.includes(key) && typeof value === 'string' ? parsed(value) : value;
  }
  return json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
