/**
 * The interface of the shared store for the rest of the program. Imported dynamically, and only if a store is
 * set: all of it is one bundle, and the driver (`remote.ts`) another.
 */
export { Exchange } from './exchange.ts';
export { follow, runExchange, runWorker, sendMeanwhile, storeNotConfigured } from './follow.ts';
export { computeIdentity, joinStore, readContact, readMembership } from './membership.ts';
export { formatAddress, storeSettings } from './settings.ts';
export type { ExchangeReport } from './types.ts';
