import { PREVIEW, SPILL_LIMIT, spillText } from '../entries/spill.ts';
import { defineObject, type ObjectSchema, type PropertySchema } from './schema.ts';
import type { Tool } from './tool.ts';

const SCRATCHPAD: PropertySchema = { type: 'string', description: 'Entry to save the answer' };

export function withTarget({ properties, required }: ObjectSchema): ObjectSchema {
  return defineObject({ ...properties, scratchpad: SCRATCHPAD }, required);
}

/** Characters to request of a bounded answer that is stored instead of shown: all of it. */
const WHOLE = 64 * 1024 * 1024;

/** The answer goes to the entry that the argument `scratchpad` names, or to `<tool>_1` if it is over 30,000 characters. */
export function wrapTool(tool: Tool): Tool {
  return {
    ...tool,
    inputSchema: tool.oneLine ? tool.inputSchema : withTarget(tool.inputSchema),
    run: async (context, { scratchpad: name, ...args }) => {
      const [own, shared = own] = context.places;
      if (typeof name === 'string') own.mayWrite(name);
      const most = typeof name === 'string' ? WHOLE : SPILL_LIMIT;
      const limit = Math.min(Number(args.limit ?? most), most);
      const answer = await tool.run(context, tool.bounded ? { ...args, limit } : args);

      if (typeof name !== 'string' && tool.bounded) return answer;

      const { text, entry } = await spillText(own, answer.whole ?? answer.text, {
        ...(typeof name === 'string' ? { name, limit: PREVIEW } : { limit: SPILL_LIMIT }),
        beside: shared,
        autoName: tool.name.replaceAll('.', '_'),
        origin: `tool: ${tool.name}`,
        readTool: 'scratchpad_read',
      });

      return entry === null ? answer : { text, value: { scratchpad: entry, preview: text } };
    },
  };
}
