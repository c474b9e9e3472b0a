/**
 * The interface of the shared store for the rest of the program. Imported dynamically, and only if a store is
 * set: all of it is one bundle, and the driver (`remote.ts`) another.
 */
export { Exchange } from './exchange.ts';
export { follow, noStore, runWorker, sendMeanwhile, syncNow } from './follow.ts';
export { joinStore, readContact, readMembership, workspaceIdentity } from './membership.ts';
export { shownAddress, storeSettings } from './settings.ts';
export type { Exchanged } from './sync.ts';
