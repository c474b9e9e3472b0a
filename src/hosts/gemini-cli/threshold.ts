import { join } from 'node:path';
import { tryReadText } from '../../base/fs/index.ts';
import { isObject } from '../../base/text/json.ts';

/** Size of its models' context in tokens. */
const WINDOW = 1_048_576;
/** Fraction of it at which Gemini CLI compresses unless its settings say otherwise. */
const USUAL_SHARE = 0.5;

/** Tokens at which Gemini CLI compresses: `model.compressionThreshold` of the project's settings, or of the person's. */
export async function compressesAt(root: string, env: NodeJS.ProcessEnv): Promise<number> {
  const home = env.GEMINI_CLI_HOME || env.HOME;
  for (const folder of [root, ...(home === undefined ? [] : [home])]) {
    const text = tryReadText(join(folder, '.gemini', 'settings.json'), 'host');
    if (!text?.includes('compressionThreshold')) continue;
    const { parse } = await import('jsonc-parser');
    const settings: unknown = parse(text);
    const model = isObject(settings) ? settings.model : undefined;
    const share = isObject(model) ? model.compressionThreshold : undefined;
    if (typeof share === 'number' && share > 0 && share <= 1) return Math.round(share * WINDOW);
  }
  return WINDOW * USUAL_SHARE;
}
