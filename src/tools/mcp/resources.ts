import { safeText } from '../../base/safety/index.ts';
import { padContext } from '../../core/context.ts';
import { contentOf } from '../../pad/document.ts';
import { freshnessOf } from '../../pad/freshness.ts';
import { callTool } from '../registry.ts';
import type { ToolContext } from '../tool.ts';

export const RESOURCES = [
  {
    uri: 'scratchpad://current',
    name: 'current',
    title: 'Scratchpad',
    description: 'What goes before the model: the plan, the notes, the refs, and the state while it is fresh',
    mimeType: 'text/markdown',
  },
  {
    uri: 'scratchpad://state',
    name: 'state',
    title: 'Assembled state',
    description: 'The state block: mood, strategy, context, memories, time; empty when it is stale',
    mimeType: 'text/markdown',
  },
  {
    uri: 'scratchpad://handover',
    name: 'handover',
    title: 'Trail',
    description:
      'What the last session left, read from its own records: edits, checks, open tasks, decisions',
    mimeType: 'text/plain',
  },
  {
    uri: 'sentiment://state',
    name: 'sentiment-state',
    title: 'Mood',
    description: 'How the person seems to be, read now from the session that was active last',
    mimeType: 'application/json',
  },
  {
    uri: 'sentiment://strategy',
    name: 'sentiment-strategy',
    title: 'Response strategy',
    description: 'How to answer the person now',
    mimeType: 'application/json',
  },
] as const;

/** @returns `undefined` for an unknown address */
export async function readResource(
  context: ToolContext,
  uri: string,
): Promise<{ mimeType: string; text: string } | undefined> {
  const resource = RESOURCES.find((candidate) => candidate.uri === uri);
  if (!resource) return undefined;
  const { mimeType } = resource;
  switch (resource.uri) {
    case 'scratchpad://current':
      return { mimeType, text: (await padContext(context.pad)).text };
    case 'scratchpad://state': {
      const { document, state } = await context.pad.store.read();
      const fresh = freshnessOf(state, context.pad.now()).status === 'fresh';
      return { mimeType, text: fresh ? contentOf(document, 'state') : '' };
    }
    case 'scratchpad://handover': {
      const { root, config, env } = context.pad;
      const { handoverText, openHandover } = await import('../../handover/index.ts');
      const now = context.pad.now();
      const view = await openHandover({ root, config, env, now, onProblem: () => undefined });
      return { mimeType, text: view === undefined ? '' : safeText(handoverText(view, now)) };
    }
    case 'sentiment://state':
      return { mimeType, text: JSON.stringify((await callTool(context, 'get_state', {})).value.state) };
    case 'sentiment://strategy':
      return { mimeType, text: JSON.stringify((await callTool(context, 'get_strategy', {})).value.strategy) };
  }
}
