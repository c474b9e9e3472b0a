/**
 * The interface of the shared store for the rest of the program. Imported dynamically, and only if a store is
 * set: all of it is one bundle, and the driver (`remote.ts`) another.
 */
export { type Exchange, openExchange, requireExchange } from './exchange.ts';
export { follow, runWorker, sendMeanwhile } from './follow.ts';
export { joinStore, readContact, readMembership } from './membership.ts';
export { formatAddress } from './settings.ts';
export type { ExchangeReport } from './types.ts';
