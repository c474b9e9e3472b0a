import { resolve } from 'node:path';
import { usageError } from '../base/errors.ts';
import { defuse } from '../base/safety/index.ts';
import { dateOfHit } from '../memory/dates.ts';
import { listMemoryPaths } from '../memory/places.ts';
import type { MemoryAnswer, MemoryOptions, MemoryQuery } from '../memory/types.ts';
import { quoteForeignText, readFileLines, redactPassageLines } from '../stages/quote.ts';
import { defineTool } from './tool.ts';

/** What a search finds, without secrets and personal data, with regard to the surroundings in the file. */
export async function searchSafely(query: MemoryQuery, options: MemoryOptions): Promise<MemoryAnswer> {
  const { searchMemory } = await import('../memory/search.ts');
  const answer = await searchMemory(query, options);
  const { workspace, include = [] } = options;
  const roots = include.map((extra) => resolve(workspace, extra));

  for (const hit of answer.hits) {
    const lines = readFileLines(workspace, hit.path, roots);
    hit.text = defuse(redactPassageLines(lines, hit.startLine, hit.endLine, hit.text));
    hit.headings = hit.headings.map((heading) => quoteForeignText(heading, heading.length));
  }

  return answer;
}

const TEXT_LIMIT = 600;

export const memorySearchTool = defineTool({
  name: 'memory_search',
  description:
    'Search the memory files (MEMORY.md, USER.md, memory/) for an answer: the best lines, each with the titles above it, its place and its date',
  takes: { query: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 50 } },
  required: ['query'],
  readOnly: true,
  run: async ({ pad }, { query: text, limit }) => {
    if (text.trim() === '')
      throw usageError('there is nothing to search for', { where: 'query', expected: 'some words' });

    const { config, root } = pad;
    const { hits } = await searchSafely(
      { text },
      {
        workspace: root,
        include: listMemoryPaths(config.memory, root),
        embeddings: config.memory.embeddings,
        limit: limit ?? config.memory.results,
        now: pad.now(),
      },
    );

    const results = hits.map(({ path, line, startLine, endLine, score, text: found, headings }) => ({
      ...{ path, line, startLine, endLine, score, headings, date: dateOfHit({ path, headings }) },
      text: quoteForeignText(found, TEXT_LIMIT),
    }));
    const lines = results.map(({ path, line, text: found, headings, date }) => {
      const above = headings.length === 0 ? '' : `[${headings.join(' > ')}] `;
      return `${above}${found} (${path}:${line}${date === undefined ? '' : `, ${date}`})`;
    });

    return { text: lines.join('\n') || '(nothing relevant)', value: { results } };
  },
});
