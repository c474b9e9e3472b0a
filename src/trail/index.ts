/**
 * The trail: what a session's own records prove and a colleague would carry over - files that are edited and not
 * committed, the last check, what fails, open tasks, what was turned down, decided and asked. Kept as the session
 * goes, without a model and without anybody writing it down.
 */
export { type Fact, KINDS, type Kind } from './fact.ts';
export { type SayOptions, type TrailEvent, type TrailLine, trailFor } from './say.ts';
export { forget, isKind, openTrail, type Trail, type TrailOptions } from './trail.ts';
export { type Work, workingOn } from './working-on.ts';
