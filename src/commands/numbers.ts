import { ScratchpadError } from '../errors.ts';

/** An option that is a whole number from 0 on. @throws ScratchpadError `usage` for anything else */
export function wholeNumber(
  text: string | undefined,
  what: string,
  fallback: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (text === undefined) return fallback;
  if (/^\d{1,15}$/.test(text) && Number(text) <= most) return Number(text);
  throw new ScratchpadError('usage', `${what} is not usable`, {
    where: what,
    expected: `a whole number from 0 ${most === Number.MAX_SAFE_INTEGER ? 'on' : `to ${most}`}`,
    found: text,
  });
}
