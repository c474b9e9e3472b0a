import { misuse } from '../base/errors.ts';

/** An option that is a whole number, of at least 0 by default. @throws ScratchpadError `usage` otherwise */
export function wholeNumber(
  text: string | undefined,
  what: string,
  fallback: number,
  { least = 0, most = Number.MAX_SAFE_INTEGER }: { least?: number; most?: number } = {},
): number {
  if (text === undefined) return fallback;
  if (/^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw misuse(`${what} is not valid`, {
    where: what,
    expected: `a whole number ${most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`}`,
    found: text,
  });
}

/** The number of a step, a line or a revision. */
export function isNumber(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}

/** @throws ScratchpadError `usage` if it is not a number */
export function numberOf(text: string, what: string): number {
  if (isNumber(text)) return Number(text);
  throw misuse(`not ${what}`, { expected: 'a number such as 2', found: text });
}
