/** Settings of earlier versions, with what to do instead: they are named once and ignored. */
export const RETIRED: ReadonlyMap<string, string> = new Map([['hook.refresh', 'set ttl instead']]);
