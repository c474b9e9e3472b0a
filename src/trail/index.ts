/**
 * The trail: facts that a session's own records prove and that a colleague would hand over - edited but uncommitted
 * files, the last check, failures, open tasks, refusals, decisions and questions. It is kept up to date during the
 * session, without a model and without anyone writing it down.
 */
export { type Fact, KINDS, type Kind } from './fact.ts';
export { mayRun } from './last.ts';
export type { TrailLine } from './line.ts';
export type { TrailOptions } from './records.ts';
export { type SayOptions, type TrailEvent, trailFor } from './say.ts';
export { endTrail } from './store.ts';
export {
  forget,
  isKind,
  openTrail,
  type Trail,
  trailOf,
  type Work,
  workingOn,
} from './trail.ts';
