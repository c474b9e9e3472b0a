import type { Config } from '../config/settings.ts';

/** Whether a shared store is set. Nothing else of it is loaded before this is true. */
export function storeIsSet({ store }: Pick<Config, 'store'>, env: NodeJS.ProcessEnv): boolean {
  return store !== undefined || Boolean(env.SCRATCHPAD_STORE);
}
