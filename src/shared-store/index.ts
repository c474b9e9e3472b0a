/**
 * The interface of the shared store for the rest of the program. Imported dynamically, and only if a store is
 * set: all of it is one bundle, and the driver (`postgres-remote.ts`) another.
 */
export { shownAddress } from './address.ts';
export { readCircuit } from './circuit.ts';
export { Exchange, type Exchanged, type ExchangeOptions, type Unsent } from './exchange.ts';
export { listenToStore } from './listener.ts';
export { noStore, runWorker, sendMeanwhile, syncNow } from './meanwhile.ts';
export { joinStore, readMembership, workspaceIdentity } from './membership.ts';
export { storeSettings } from './settings.ts';
