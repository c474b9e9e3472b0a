import { adviceFor, type FailureKind, type Reader, ScratchpadError } from '../base/errors.ts';

/** An error for a model that called a tool, or for a program: with the advice that this reader can follow. */
export function forFace({ kind, message, detail }: ScratchpadError, reader: Reader): ScratchpadError {
  return new ScratchpadError(kind, message, { ...detail, next: adviceFor(detail.next, reader) });
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

export function failureOf({ kind, message, detail }: ScratchpadError): Failure {
  const { cause: _, refusal: __, next, ...told } = detail;
  return { kind, message, ...told, next: adviceFor(next, 'command') };
}
