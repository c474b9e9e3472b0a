import { usageError } from '../base/errors.ts';
import { isForeignFolder, MEMORY_WITHHELD } from '../core/hide-untrusted.ts';
import { dateOfHit } from '../memory/dates.ts';
import { listMemoryPaths } from '../memory/places.ts';
import { searchSafely, shortenForeignText } from '../stages/quote.ts';
import { defineTool } from './tool.ts';

const TEXT_LIMIT = 600;

export const memorySearchTool = defineTool({
  name: 'memory_search',
  description:
    'Search the memory files (MEMORY.md, USER.md, memory/) for an answer: the best lines, each with the titles above it, its place and its date',
  takes: { query: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 50 } },
  required: ['query'],
  readOnly: true,
  run: async ({ pad }, { query: text, limit }) => {
    if (!/[^\s\p{C}\p{P}]/u.test(text))
      throw usageError('there is nothing to search for', { where: 'query', expected: 'some words' });

    const { config, root } = pad;
    const isForeign = isForeignFolder(pad);
    const { hits } = await searchSafely(
      { text },
      {
        workspace: root,
        include: listMemoryPaths(config.memory, root),
        isForeign,
        embeddings: config.memory.embeddings,
        limit: limit ?? config.memory.results,
        now: pad.now(),
      },
    );

    const results = hits.map((hit) => {
      const { path, line, startLine, endLine, score, text: found, headings } = hit;
      const text = shortenForeignText(found, TEXT_LIMIT);
      return { path, line, startLine, endLine, score, headings, date: dateOfHit(hit), text };
    });
    const lines = results.map(({ path, line, text: found, headings, date }) => {
      const above = headings.length === 0 ? '' : `[${headings.join(' > ')}] `;
      return `${above}${found} (${path}:${line}${date === undefined ? '' : `, ${date}`})`;
    });

    const none = isForeign ? MEMORY_WITHHELD : '(nothing relevant)';

    return { text: lines.join('\n') || none, value: { results } };
  },
});
