export { type FailureDetail, type FailureKind, ScratchpadError } from './errors.ts';
export type { Message, Role } from './transcript/message.ts';
