import { resolve } from 'node:path';
import { searchMemory } from '../memory/search.ts';
import { linesOfFile, quoted, quotedFrom } from './quote.ts';
import type { Stage } from './stage.ts';

const LINE_CHARACTERS = 200;

/** Relevant Memories: the lines of the memory files that matter for the last messages. */
export const memoryStage: Stage = {
  id: 'memory',
  title: 'Relevant Memories',
  priority: 50,
  timeoutMs: 1500,
  async run({ workspace, messages, spaces, config, now, latestNote, refreshMemory }, signal) {
    if (!messages.some((message) => message.role === 'user')) return null;
    const alreadyShown = [
      latestNote?.text ?? '',
      ...spaces.notes.split('\n'),
      ...spaces.plan.split('\n'),
    ].filter((line) => line.trim() !== '');
    const { hits } = await searchMemory(
      { messages },
      {
        workspace,
        include: config.memory.paths,
        limit: config.memory.results,
        now,
        signal,
        alreadyShown,
        ...(refreshMemory ? { background: refreshMemory } : {}),
      },
    );
    if (hits.length === 0) return null;
    const shown = (path: string, startLine: number, endLine: number, text: string): string =>
      quotedFrom(
        linesOfFile(
          workspace,
          path,
          config.memory.paths.map((extra) => resolve(workspace, extra)),
        ),
        startLine,
        endLine,
        text,
        LINE_CHARACTERS,
      );
    return {
      lines: hits.map(({ text, path, line, startLine, endLine, score, why }, rank) => ({
        text: `- ${shown(path, startLine, endLine, text)} (${quoted(path, 120)}:${line})`,
        // The first lines matter most; the fifth goes before almost anything else.
        priority: 75 - rank * 12,
        why: `score ${score.toFixed(2)}: ${why
          .slice(0, 5)
          .map((part) => `${part.term} ${part.score.toFixed(2)}`)
          .join(', ')}`,
      })),
    };
  },
};
