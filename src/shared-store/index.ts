/** The shared store for the rest of the program. Imported dynamically: it is one bundle, the driver (`remote.ts`) another. */
export { type Exchange, openExchange, requireExchange } from './exchange.ts';
export { follow, runWorker, sendMeanwhile } from './follow.ts';
export { joinStore, readContact, readMembership } from './membership.ts';
export { formatAddress } from './settings.ts';
export type { ExchangeReport } from './types.ts';
