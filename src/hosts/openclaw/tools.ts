import { readConfigFile } from '../../config/file.ts';
import { composeConfig } from '../../config/load.ts';
import { toolGuidance } from '../../core/guidance.ts';
import { plainNamed } from '../../tools/registry.ts';

/** OpenClaw has a tool of its own of that name. */
const HOSTS_OWN = 'memory_search';

interface Offer {
  tools: { name: string; description: string; parameters: object }[];
  /** For the system prompt; empty where the scratchpad is off. */
  guidance: string;
}

/** What the plugin offers in a workspace, by its settings. Synchronous, as OpenClaw's own call for the tools. */
export function offerIn(workspace: string, env: NodeJS.ProcessEnv): Offer {
  const { config } = composeConfig(workspace, env, readConfigFile);
  const tools = plainNamed(config, false)
    .filter(({ name }) => name !== HOSTS_OWN)
    .map(({ name, description, inputSchema: parameters }) => ({ name, description, parameters }));
  return { tools, guidance: toolGuidance(config, 'session_scratchpad', SHOWN) };
}

const SHOWN = 'What it holds besides your own calls in this conversation:';
