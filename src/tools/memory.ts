import { resolve } from 'node:path';
import { misuse } from '../base/errors.ts';
import { memoryPaths } from '../memory/places.ts';
import { linesOfFile, quoted, quotedFrom } from '../stages/quote.ts';
import { objectSchema } from './schema.ts';
import type { Tool } from './tool.ts';

const TEXT_LIMIT = 600;

export const memorySearchTool: Tool = {
  name: 'memory_search',
  description:
    'Search the memory files (MEMORY.md, USER.md, memory/) for an answer: the best lines, with their places',
  inputSchema: objectSchema(
    {
      query: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: 50 },
    },
    ['query'],
  ),
  readOnly: true,
  run: async ({ pad }, { query, limit }) => {
    const text = String(query);
    if (text.trim() === '') {
      throw misuse('there is nothing to search for', { where: 'query', expected: 'some words' });
    }
    const { searchMemory } = await import('../memory/search.ts');
    const { config, root } = pad;
    const include = memoryPaths(config.memory, root);
    const { hits } = await searchMemory(
      { text },
      {
        workspace: root,
        include,
        embeddings: config.memory.embeddings,
        limit: typeof limit === 'number' ? limit : config.memory.results,
        now: pad.now(),
      },
    );
    // Redacted with regard to its surroundings in the file.
    const extras = include.map((extra) => resolve(root, extra));
    const results = hits.map(({ path, line, startLine, endLine, score, text: found, headings }) => ({
      path,
      line,
      startLine,
      endLine,
      score,
      text: quotedFrom(linesOfFile(root, path, extras), startLine, endLine, found, TEXT_LIMIT),
      headings: headings.map((heading) => quoted(heading, 120)),
    }));
    const lines = results.map(({ path, line, text: found }) => `${found} (${path}:${line})`);
    return { text: lines.join('\n') || '(nothing relevant)', value: { results } };
  },
};
