import { ScratchpadError } from '../errors.ts';

/** An option that is a whole number, from 0 on if nothing else is said. @throws ScratchpadError `usage` for anything else */
export function wholeNumber(
  text: string | undefined,
  what: string,
  fallback: number,
  { least = 0, most = Number.MAX_SAFE_INTEGER }: { least?: number; most?: number } = {},
): number {
  if (text === undefined) return fallback;
  if (/^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new ScratchpadError('usage', `${what} is not usable`, {
    where: what,
    expected: `a whole number from ${least} ${most === Number.MAX_SAFE_INTEGER ? 'on' : `to ${most}`}`,
    found: text,
  });
}

/** Digits, as of a step, a line or a revision. */
export function isNumber(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}

/** @throws ScratchpadError `usage` for what is no number */
export function numberOf(text: string, what: string): number {
  if (isNumber(text)) return Number(text);
  throw new ScratchpadError('usage', `not ${what}`, { expected: 'a number such as 2', found: text });
}
