import { resolve } from 'node:path';
import { memoryPaths } from '../memory/layouts.ts';
import { searchMemory } from '../memory/search.ts';
import type { MemoryHit } from '../memory/types.ts';
import { PRIORITY } from './priorities.ts';
import { linesOfFile, quoted, quotedFrom } from './quote.ts';
import type { Stage } from './stage.ts';

const LINE_CHARACTERS = 200;
const TASKS_TOLD = 2;
const BY_RANK: readonly number[] = [
  PRIORITY.firstMemory,
  PRIORITY.secondMemory,
  PRIORITY.thirdMemory,
  PRIORITY.fourthMemory,
];

/** Relevant Memories: the lines of the memory files that matter for the last messages. */
export const memoryStage: Stage = {
  id: 'memory',
  title: 'Relevant Memories',
  priority: PRIORITY.fifthMemory,
  timeoutMs: 1500,
  async run(context, limit) {
    const { workspace, messages, spaces, config, now, latestNote, refreshMemory } = context;
    if (!messages.some((message) => message.role === 'user')) return null;
    const tasks = context.tasks();
    const alreadyShown = [
      latestNote?.text ?? '',
      ...spaces.notes.split('\n'),
      ...spaces.plan.split('\n'),
    ].filter((line) => line.trim() !== '');
    const include = memoryPaths(config.memory, workspace);
    const { hits: found } = await searchMemory(
      { messages },
      {
        workspace,
        include,
        limit: config.memory.results,
        now,
        alreadyShown,
        embeddings: config.memory.embeddings,
        // Only a service over the network is called off.
        ...(config.memory.embeddings.provider === 'off' ? {} : { signal: limit.signal }),
        ...(refreshMemory ? { background: refreshMemory } : {}),
      },
    );
    // A task that has been ticked off since, or stands in a newer list, is not what it was; the alerts tell the urgent ones.
    const told = new Set(tasks.dated.slice(0, TASKS_TOLD).map(({ place }) => place));
    const hits = found.filter(
      ({ path, line }) => !tasks.superseded.has(`${path}:${line}`) && !told.has(`${path}:${line}`),
    );
    if (hits.length === 0) return null;
    const roots = include.map((extra) => resolve(workspace, extra));
    const files = new Map<string, readonly string[]>();
    const linesOf = (path: string): readonly string[] => {
      const lines = files.get(path) ?? linesOfFile(workspace, path, roots);
      files.set(path, lines);
      return lines;
    };
    const shown = (path: string, startLine: number, endLine: number, text: string): string =>
      quotedFrom(linesOf(path), startLine, endLine, text, LINE_CHARACTERS);
    return {
      lines: hits.map((hit, rank) => ({
        text: `- ${shown(hit.path, hit.startLine, hit.endLine, hit.text)} (${quoted(hit.path, 120)}:${hit.line})`,
        priority: BY_RANK[rank] ?? PRIORITY.fifthMemory,
        // Found out when somebody asks: a host does not.
        get why() {
          return reasonOf(hit);
        },
      })),
    };
  },
};

function reasonOf({ score, why }: MemoryHit): string {
  const parts = why.slice(0, 5).map((part) => `${part.term} ${part.score.toFixed(2)}`);
  return `score ${score.toFixed(2)}: ${parts.join(', ')}`;
}
