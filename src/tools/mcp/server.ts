import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import PACKAGE from '../../../package.json' with { type: 'json' };
import { failure, getMessage, hasCode, renderNextStep, ScratchpadError } from '../../base/errors.ts';
import { exists, findPackageFolder } from '../../base/fs/index.ts';
import { defuse, withTexts } from '../../base/safety/index.ts';
import { type JsonObject, parseJson, toMembers } from '../../base/text/json.ts';
import type { Pad } from '../../core/context.ts';
import type { ResidentHooks } from '../../hosts/resident.ts';
import { callTool, findTool, listPlainTools, TOOLS } from '../registry.ts';
import type { ObjectSchema } from '../schema.ts';
import type { Tool, ToolContext } from '../tool.ts';
import type { Calls } from './calls.ts';
import { type CallToolResult, type Tool as McpTool, Server } from './sdk.ts';

/**
 * Opens the session: settings and files are read again for each call.
 * @param root asks the client for the folder that it works in, for a server that was started elsewhere
 * @param child the subagent that calls: it writes into a notepad of its own
 */
export type OpenContext = (root: () => Promise<string | undefined>, child?: string) => Promise<ToolContext>;

export interface Service {
  open: OpenContext;
  enabled: boolean;
  allTools: boolean;
  /** Answers the hooks of the host that has started the server. */
  hooks: ResidentHooks;
  /** Called when the client asks for the tools, or calls one: it reaches this server. */
  connected?(): void;
}

/** Text that a host shows a model about the whole server: the place for the guidance. */
const INSTRUCTIONS =
  'Working memory in SCRATCHPAD.md, which the person reads and edits too, and which the next session is shown. For work ' +
  'of several steps: set_plan first, plan.done after each step, append_notes for each finding and decision as it is made, ' +
  'refs.add for paths and links needed again. Not for whole files or the conversation.';

export function createMcpServer(service: Service, calls: Calls): Server {
  const { open: openIn, enabled, allTools, hooks } = service;
  const server = new Server(
    { name: 'scratchpad', title: 'Scratchpad', version: PACKAGE.version },
    { capabilities: { tools: {} }, instructions: enabled ? INSTRUCTIONS : undefined },
  );

  const open = (child?: string): Promise<ToolContext> => openIn(() => readRoot(server), child);
  const listServerTools = ({ config }: Pad): readonly Tool[] =>
    listPlainTools(config, allTools || config.mcp.allTools);

  server.setRequestHandler('tools/list', () =>
    calls.run(async () => {
      const tools = listServerTools((await open()).pad).map(
        ({ name, description, inputSchema, readOnly, destructive = false }) => ({
          name,
          description,
          inputSchema: toMcpSchema(inputSchema),
          annotations: { readOnlyHint: readOnly, destructiveHint: destructive, openWorldHint: false },
        }),
      );

      service.connected?.();
      return { tools };
    }),
  );
  server.setRequestHandler('tools/call', ({ params }) =>
    calls.run(async () => {
      service.connected?.();
      if (params.name === HOOK_TOOL) {
        const text = await hooks.answer(buildHookInput(params.arguments, params._meta));
        return { content: [{ type: 'text', text }] };
      }

      const context = await open(hooks.findCaller(toMembers(params._meta)));

      return answer(context, params.name, params.arguments, listServerTools(context.pad));
    }),
  );

  return server;
}

const ROOTS_MS = 2000;

/** Asks the client for the first folder that it works in; `undefined` if it names none. */
async function readRoot(server: Server): Promise<string | undefined> {
  if (server.getClientCapabilities()?.roots === undefined) return undefined;
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS });
    const first = roots.find(({ uri }) => uri.startsWith('file:'));
    return first && fileURLToPath(first.uri);
  } catch {
    return undefined;
  }
}

const BOUNDS: ReadonlySet<string> = new Set(['minimum', 'maximum']);

/** Plain JSON, without what a model does not need: arguments are checked anyway. */
function toMcpSchema({ type, properties, required }: ObjectSchema): McpTool['inputSchema'] {
  const schema = { type, properties, required: required.length > 0 ? required : undefined };
  const plain = JSON.stringify(schema, (key, value: unknown) => (BOUNDS.has(key) ? undefined : value));
  return JSON.parse(plain) as McpTool['inputSchema'];
}

async function answer(
  context: ToolContext,
  name: string,
  args: unknown,
  listed: readonly Tool[],
): Promise<CallToolResult> {
  try {
    const { text, value } = withTexts(await callTool(context, name, args, listed), defuse);
    const content: CallToolResult['content'] = [{ type: 'text', text }];
    return findTool(context.pad.config, name).textOnly ? { content } : { content, structuredContent: value };
  } catch (error) {
    // A `ScratchpadError` is for the model to read and act on; anything else is a bug.
    const expected = error instanceof ScratchpadError ? error : explainMoved(error);
    if (expected === undefined) throw error;

    const failure = filterAdvice(expected, listed);
    return {
      content: [{ type: 'text', text: failure.explain('tool') }],
      structuredContent: { error: failure.toFailure('tool') },
      isError: true,
    };
  }
}

const HOME = findPackageFolder();

/** The error of a server whose package was updated, moved or removed while it runs. */
function explainMoved(error: unknown): ScratchpadError | undefined {
  if (!hasCode(error, 'MODULE_NOT_FOUND') && !hasCode(error, 'ENOENT')) return undefined;
  if (exists(join(HOME, 'package.json')) && !getMessage(error).includes(HOME)) return undefined;
  return failure('scratchpad was updated, moved or removed while this server runs: nothing was changed', {
    where: HOME,
    next: 'restart the agent, which starts the server again',
  });
}

function filterAdvice(error: ScratchpadError, listed: readonly Tool[]): ScratchpadError {
  const { next, ...detail } = error.detail;
  const advice = renderNextStep(next, 'tool');
  const names = TOOLS.map(({ name }) => name.replace('.', '_'));
  const missing = names.filter((name) => !listed.some((tool) => tool.name === name));

  if (!missing.some((name) => advice?.includes(name))) return error;
  return new ScratchpadError(error.kind, error.message, detail);
}

/** The tool that a host's hooks call. It is not listed, so it takes none of the model's context. */
const HOOK_TOOL = 'hook';

/** Fields that Claude Code passes as JSON inside a string. */
const NESTED = ['tool_input', 'tool_response'];

/** The arguments in the form that a command hook reads: without the fields that the host left empty. */
function buildHookInput(args: unknown, meta: unknown): JsonObject {
  const members = toMembers(args);
  const isCodex = members.host === 'codex';
  const json: Record<string, unknown> = {};

  for (const [key, value] of Object.entries(members)) {
    if (value === '' || value === null) continue;
    // Codex passes values as they are: there a text that looks like JSON is a text.
    const isNested = NESTED.includes(key) && typeof value === 'string' && !isCodex;
    json[key] = isNested ? (parseJson(value) ?? value) : value;
  }

  // The thread of a spawned agent is another one than its parent's session.
  const { threadId } = toMembers(meta);
  if (isCodex && typeof threadId === 'string' && threadId !== json.session_id) json.agent_id = threadId;

  return json;
}
