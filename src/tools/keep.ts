import { MOST_BYTES } from '../entries/contents.ts';
import { PREVIEW, SPILL_LIMIT, spillText } from '../entries/spill.ts';
import { defineObject, type ObjectSchema, type PropertySchema } from './schema.ts';
import type { Tool } from './tool.ts';

const SCRATCHPAD: PropertySchema = { type: 'string', description: 'Entry to save the answer' };

/** Adds the argument `scratchpad`: the name of an entry for the answer. */
export const addTarget = ({ properties, required }: ObjectSchema): ObjectSchema =>
  defineObject({ ...properties, scratchpad: SCRATCHPAD }, required);

/** Sends the answer to the entry that the argument `scratchpad` names, or to `<tool>_1` if it is over 30,000 characters. */
export const keepAnswers = (tool: Tool): Tool => ({
  ...tool,
  inputSchema: tool.oneLine ? tool.inputSchema : addTarget(tool.inputSchema),
  run: async (context, { scratchpad: name, ...args }) => {
    const [own, shared = own] = context.places;
    if (typeof name === 'string') own.checkWritable(name);
    const most = typeof name === 'string' ? MOST_BYTES : SPILL_LIMIT;
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
});
