import { join } from 'node:path';
import { openScratchpad, type Scratchpad } from '../../src/index.ts';
import { testDir } from '../helpers/test-dir.ts';

/** A workspace and its tools, called as a host calls them. */
export interface Tools {
  pad: Scratchpad;
  call: (name: string, args?: unknown) => Promise<{ text: string; value: Record<string, unknown> }>;
  refusal: (
    name: string,
    args?: unknown,
  ) => Promise<{ kind: string; message: string; detail: Record<string, string> }>;
  /** JSON schema of a tool's arguments. */
  schema: (name: string) => Promise<{
    properties: Record<string, Record<string, unknown>>;
    required: readonly string[];
  }>;
}

export async function tools(
  config = '',
  files: Record<string, string> = {},
  workspace = testDir({ ...files, ...(config === '' ? {} : { '.scratchpad/config.yaml': config }) }),
): Promise<Tools> {
  // What the test's other programs made here is as its own.
  const { XDG_STATE_HOME } = process.env;
  const env = { HOME: join(workspace, 'home'), XDG_STATE_HOME, TZ: 'UTC' };
  const pad = await openScratchpad({ workspace, env });
  return {
    pad,
    call: (name, args) => pad.callTool(name, args),
    refusal: async (name, args) => {
      const done: unknown = await pad.callTool(name, args).catch((error: unknown) => error);
      return done as { kind: string; message: string; detail: Record<string, string> };
    },
    schema: async (name) => {
      const tool = (await pad.tools()).find((each) => each.name === name.replace('.', '_'));
      if (!tool) throw new Error(`there is no tool ${name}`);
      return tool.inputSchema as never;
    },
  };
}
