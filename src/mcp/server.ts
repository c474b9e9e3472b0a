import { failureOf } from '../core/faces.ts';
import { ScratchpadError } from '../errors.ts';
import type { ResidentHooks } from '../hosts/resident.ts';
import { defuse, withTexts } from '../safety/index.ts';
import { type JsonObject, membersOf, parsed } from '../text/json.ts';
import { callTool, findTool, toolsFor } from '../tools/registry.ts';
import type { ToolContext } from '../tools/tool.ts';
import { VERSION } from '../version.ts';
import { Calls } from './calls.ts';
import { PROMPTS, promptText } from './prompts.ts';
import { RESOURCES, readResource } from './resources.ts';
import {
  type CallToolResult,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from './sdk.ts';

/** Opens the session: settings and files are read again for each call. */
export type Open = () => Promise<ToolContext>;

/** Text that a host shows a model about the whole server: the place for the guidance. */
const INSTRUCTIONS = [
  'Working memory for this session, kept in SCRATCHPAD.md: it survives context compaction and restarts, and is shown again where it is needed. The person reads and edits the same file.',
  'For multi-step or complex tasks, session.scratchpad keeps three spaces: plan (2,000 characters) by set_plan, when a multi-step plan is formed and when a step is done; notes (4,000) by append_notes, for findings, decisions, constraints; refs (50 items) by refs.add, for paths and links that will be needed again.',
  'Notes are edited with read_notepad, write_notepad and update_notepad. Long contents go into named entries with scratchpad_write, outside the conversation, and are read in pieces or searched with scratchpad_read. The action plan.done ticks a step off; history and undo show and take back changes.',
  'Not for whole files, the history of the conversation, speculation or the request itself.',
].join('\n');

/**
 * The server of one connection: an adapter over the tools, without logic of its own.
 * @param subscriptions records the addresses that the client subscribes to
 * @param calls counts the calls in progress
 * @param hooks answers the host's hooks, if the host has started this server
 */
export function mcpServer(
  open: Open,
  subscriptions: Set<string>,
  calls = new Calls(),
  hooks?: ResidentHooks,
): Server {
  const server = new Server(
    { name: 'scratchpad', title: 'Scratchpad', version: VERSION },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () =>
    calls.during(async () => {
      const { pad } = await open();
      return {
        tools: toolsFor(pad.config).map(({ name, description, overMcp, inputSchema, readOnly }) => ({
          name,
          description: overMcp ?? description,
          // Plain JSON, whatever its static type.
          inputSchema: JSON.parse(JSON.stringify(inputSchema)) as McpTool['inputSchema'],
          // Not destructive: what is overwritten or deleted can be restored.
          annotations: { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false },
        })),
      };
    }),
  );
  server.setRequestHandler('tools/call', ({ params }) =>
    calls.during(async () => {
      if (hooks && params.name === HOOK_TOOL) {
        return {
          content: [{ type: 'text', text: await hooks.answer(hookInput(params.arguments, params._meta)) }],
        };
      }
      return answer(await open(), params.name, params.arguments);
    }),
  );
  server.setRequestHandler('resources/list', () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    calls.during(async () => {
      const found = await readResource(await open(), uri);
      if (!found) throw new ResourceNotFoundError(uri);
      const isJson = found.mimeType === 'application/json';
      return { contents: [{ uri, ...found, text: isJson ? found.text : defuse(found.text) }] };
    }),
  );
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    subscriptions.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions.delete(uri);
    return {};
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler('prompts/get', ({ params: { name } }) =>
    calls.during(async () => {
      const text = await promptText(await open(), name);
      if (text === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${name}`);
      return { messages: [{ role: 'user', content: { type: 'text', text: defuse(text) } }] };
    }),
  );
  return server;
}

async function answer(context: ToolContext, name: string, args: unknown): Promise<CallToolResult> {
  try {
    const { text, value } = withTexts(await callTool(context, name, args), defuse);
    const content: CallToolResult['content'] = [{ type: 'text', text }];
    return findTool(context.pad.config, name).textOnly ? { content } : { content, structuredContent: value };
  } catch (error) {
    // A `ScratchpadError` is for the model to read and act on; anything else is a bug.
    if (!(error instanceof ScratchpadError)) throw error;
    return {
      content: [{ type: 'text', text: error.explain() }],
      structuredContent: { error: failureOf(error) },
      isError: true,
    };
  }
}

/**
 * The tool that a host's hooks of type `mcp_tool` call. It is not listed, so it takes none of the model's
 * context.
 */
const HOOK_TOOL = 'hook';

/** Fields that Claude Code passes as JSON inside a string. */
const NESTED = ['tool_input', 'tool_response'];

/** The arguments in the form that a command hook reads: without the fields that the host left empty. */
function hookInput(args: unknown, meta: unknown): JsonObject {
  const given = membersOf(args);
  const isCodex = given.host === 'codex';
  const json: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === '' || value === null) continue;
    // Codex passes values as they are: there a text that looks like JSON is a text.
    const isNested = NESTED.includes(key) && typeof value === 'string' && !isCodex;
    json[key] = isNested ? (parsed(value) ?? value) : value;
  }
  // The thread of a spawned agent is another one than its parent's session.
  const { threadId } = membersOf(meta);
  if (isCodex && typeof threadId === 'string' && threadId !== json.session_id) json.agent_id = threadId;
  return json;
}
