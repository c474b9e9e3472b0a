import { tokenCounter as coreTokenCounter, type TokenCounter } from '../pad/token-counter.ts';
import { checkCall } from './arguments.ts';

export type { TokenCounter } from '../pad/token-counter.ts';

/**
 * Counts tokens: by an estimate, within a tenth on whole texts, that needs no loading, or exactly (o200k_base), which
 * takes some hundred milliseconds to load.
 */
export async function tokenCounter(exact = false): Promise<TokenCounter> {
  checkCall('tokenCounter', [exact]);
  const count = await coreTokenCounter(exact);
  return (text) => {
    checkCall('counter.count', [text]);
    return count(text);
  };
}
