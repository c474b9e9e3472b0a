import { safeText } from '../../base/safety/index.ts';
import { padContext } from '../../core/context.ts';
import { contentOf } from '../../pad/document.ts';
import { freshnessOf } from '../../pad/freshness.ts';
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
    title: 'Hand-over',
    description: 'What the last session left, read from its own records',
    mimeType: 'text/plain',
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
      return { mimeType, text: view === undefined ? '' : safeText(handoverText(view)) };
    }
  }
}
