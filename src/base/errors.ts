/**
 * Why a command failed. The command line turns each kind into an exit code (`commands/print.ts`).
 *
 * - `refused`: the request was understood and declined (over budget, not found, no match, conflict)
 * - `usage`: a wrong command line or invalid input
 * - `environment`: a system error (I/O, lock timeout, missing program)
 * - `stale`: the requested item exists but is too old
 */
export type FailureKind = 'refused' | 'usage' | 'environment' | 'stale';

/** Who reads an error: a person at the command line, a model that called a tool, or a program that called a function. */
type Reader = 'command' | 'tool' | 'call';

/** What a reader can do now (`to`), and the way of each reader to do it. A reader without a way is told nothing. */
export interface Advice extends Partial<Record<Reader, string | undefined>> {
  to?: string | undefined;
}

export interface FailureDetail {
  expected?: string | undefined;
  /** The actual value; cut to 200 characters when shown. */
  found?: string | undefined;
  where?: string | undefined;
  /** What the reader can do now: a sentence for everybody, or the way of each reader. */
  next?: string | Advice | undefined;
  /** For a file that may not be opened: because it is a link, is not a regular file, or is too large. */
  refusal?: 'link' | 'kind' | 'size' | undefined;
  /** Replaces the exit code of the kind, such as by that of a shell. */
  exitCode?: number | undefined;
  cause?: unknown;
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

const FOUND_LIMIT = 200;
/** Registered globally: several bundles contain the class, and an error may cross between them. */
const BRAND = Symbol.for('scratchpad.error');

/** An expected failure with everything a person needs to act on it. */
export class ScratchpadError extends Error {
  readonly kind: FailureKind;
  /** The same as `kind`, in the form of Node's own errors: `ERR_SCRATCHPAD_REFUSED`. */
  readonly code: `ERR_SCRATCHPAD_${Uppercase<FailureKind>}`;
  readonly detail: FailureDetail;
  readonly [BRAND] = true;

  /** Node prints it for an uncaught error; a minifier renames the class. */
  static override readonly name = 'ScratchpadError';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  constructor(kind: FailureKind, message: string, detail: FailureDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'ScratchpadError';
    this.kind = kind;
    this.code = `ERR_SCRATCHPAD_${kind.toUpperCase() as Uppercase<FailureKind>}`;
    this.detail = detail;
  }

  explain(reader: Reader = 'call'): string {
    const { expected, found, where, next } = this.toFailure(reader);
    const lines = [this.message];

    if (where !== undefined) lines.push(`  where:    ${where}`);
    if (expected !== undefined) lines.push(`  expected: ${expected}`);
    if (found !== undefined) lines.push(`  found:    ${clipText(String(found))}`);
    if (next !== undefined) lines.push(`  next:     ${next}`);

    return lines.join('\n');
  }

  toFailure(reader: Reader): Failure {
    const { cause: _, refusal: __, next, ...facts } = this.detail;
    return { kind: this.kind, message: this.message, ...facts, next: renderNextStep(next, reader) };
  }

  /** For `JSON.stringify` in a program. */
  toJSON(): Failure & { code: string } {
    return { code: this.code, ...this.toFailure('call') };
  }
}

/** The advice in words: `see them with: scratchpad entry list`. */
export function renderNextStep(next: FailureDetail['next'], reader: Reader): string | undefined {
  if (next === undefined || typeof next === 'string') return next;
  const way = next[reader];
  return way === undefined || next.to === undefined ? way : `${next.to} with: ${way}`;
}

export const refusal = (message: string, detail?: FailureDetail): ScratchpadError =>
  new ScratchpadError('refused', message, detail);

export const failure = (message: string, detail?: FailureDetail): ScratchpadError =>
  new ScratchpadError('environment', message, detail);

export const usageError = (message: string, detail?: FailureDetail): ScratchpadError =>
  new ScratchpadError('usage', message, detail);

function clipText(text: string): string {
  const flat = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  const points = [...flat.slice(0, FOUND_LIMIT * 2)];
  return points.length > FOUND_LIMIT ? `${points.slice(0, FOUND_LIMIT).join('')}…` : points.join('');
}

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);

export const getMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

export function describeError(error: unknown): string {
  const text = error instanceof ScratchpadError ? error.explain('command') : String(error);
  return text.replace(/(?<!\s)\s*\n\s*/g, '; ');
}

/** Whether an action returns without an error. */
export const succeeds = (action: () => unknown): boolean => attempt(() => [action()]) !== undefined;

/** The result of an action; `undefined` if it throws. For errors that do not matter. */
export function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
