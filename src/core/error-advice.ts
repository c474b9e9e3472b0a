import { type FailureKind, type Reader, renderNextStep, ScratchpadError } from '../base/errors.ts';

/** An error for a model that called a tool, or for a program: with the advice that this reader can follow. */
export function adaptError({ kind, message, detail }: ScratchpadError, reader: Reader): ScratchpadError {
  return new ScratchpadError(kind, message, { ...detail, next: renderNextStep(detail.next, reader) });
}

/** An error as JSON, the same for `--json`, for tools and over MCP. */
export interface Failure {
  kind: FailureKind;
  message: string;
  where?: string;
  expected?: string;
  found?: string;
  next?: string;
}

export function toFailure({ kind, message, detail }: ScratchpadError): Failure {
  const { cause: _, refusal: __, next, ...told } = detail;
  return { kind, message, ...told, next: renderNextStep(next, 'command') };
}
