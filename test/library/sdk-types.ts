import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { OpenOptions, Scratchpad } from '../../src/index.ts';

// The types of the APIs' libraries, as they declare them. The compiler reads this; nothing runs.
interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: 'object'; properties?: unknown; required?: string[] | null; [key: string]: unknown };
}
interface OpenAITool {
  type: 'function';
  function: { name: string; description?: string; parameters?: { [key: string]: unknown } };
}
interface GeminiTool {
  functionDeclarations: { name?: string; description?: string; parametersJsonSchema?: unknown }[];
}
interface AnthropicMessage {
  role: 'user' | 'assistant';
  content: string | ({ type: 'text'; text: string } | { type: 'tool_use'; id: string; input: unknown })[];
}
type OpenAIMessage =
  | {
      role: 'developer' | 'system' | 'user';
      content: string | { type: 'text'; text: string }[];
      name?: string;
    }
  | { role: 'assistant'; content?: string | null; tool_calls?: { id: string; type: 'function' }[] }
  | { role: 'tool'; content: string; tool_call_id: string };
interface GeminiMessage {
  role?: string;
  parts?: { text?: string; functionCall?: object }[];
}
type ResponsesItem =
  | { type?: 'message'; role: 'user' | 'assistant'; content: string }
  | { type: 'function_call'; call_id: string; name: string; arguments: string; id?: string };

export async function compiles(
  pad: Scratchpad,
  ...given: [AnthropicMessage[], OpenAIMessage[], GeminiMessage[], ResponsesItem[]]
): Promise<unknown> {
  for (const messages of given) await pad.handover({ messages });
  const tools = await pad.tools();
  const anthropic: AnthropicTool[] = tools.map(({ inputSchema, ...tool }) => ({
    ...tool,
    input_schema: inputSchema,
  }));
  const openai: OpenAITool[] = tools.map(({ inputSchema, ...tool }) => ({
    type: 'function',
    function: { ...tool, parameters: inputSchema },
  }));
  const gemini: GeminiTool = {
    functionDeclarations: tools.map(({ inputSchema, ...tool }) => ({
      ...tool,
      parametersJsonSchema: inputSchema,
    })),
  };
  const mcp: McpTool[] = tools.map(({ inputSchema, ...tool }) => ({ ...tool, inputSchema }));
  return [anthropic, openai, gemini, mcp];
}

/** An option that is not set, as a program passes it on, under `exactOptionalPropertyTypes`. */
export async function acceptsUndefined(pad: Scratchpad, none: undefined): Promise<unknown> {
  const options: OpenOptions = { workspace: none, session: none, now: none, env: none };
  const source = { messages: none, transcript: none, session: none };
  const more = { prompt: none, ttlMs: none, withinMs: none, onProblem: none };
  await pad.assemble({ ...source, ...more });
  await pad.mood({ messages: none });
  await pad.entries.read('name', { offset: none, limit: none });
  return [options, await pad.handover(source), await pad.memory.search('word', { limit: none })];
}
