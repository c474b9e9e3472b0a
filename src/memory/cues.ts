import { compilePatterns } from '../text/compile-patterns.ts';
import { FLAG_NUMBER, FLAG_QUESTION, FLAG_TIME } from './segment.ts';

let patterns: { asks: RegExp; time: RegExp; number: RegExp } | undefined;

/** Made when a passage is first read: a search seldom does, and even a pattern that is not used takes time to make. */
function patternsOfFlags(): NonNullable<typeof patterns> {
  if (patterns) return patterns;
  patterns = {
    // A question mark at the end; a remark in brackets may follow it.
    asks: /[?？][\s"'”’)]*(?:\[[^\]]*\]\s*)?$/,
    time: /\b(?:yesterday|today|tomorrow|tonight|last|next|ago|since|just|recently|weeks?|weekend|months?|years?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|january|february|march|april|june|july|august|september|october|november|december|(?:19|20)\d{2}|\d{1,2}(?:st|nd|rd|th))\b/i,
    number:
      /\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|few|several|once|twice|first|second|third|half|hundred|thousand|years?|months?|weeks?|hours?|days?)\b/i,
  };
  compilePatterns(...Object.values(patterns));
  return patterns;
}

/** What kind of statement a passage is, for questions that want one. */
export function flagsOf(text: string): number {
  const { asks, time, number } = patternsOfFlags();
  return (
    (asks.test(text) ? FLAG_QUESTION : 0) |
    (time.test(text) ? FLAG_TIME : 0) |
    (number.test(text) ? FLAG_NUMBER : 0)
  );
}

/** Whether a query asks for a time, and whether it asks for an amount. */
export function wantsOf(query: string): { asksWhen: boolean; asksNumber: boolean } {
  // Most ask for neither, and to see that costs less than to compile the patterns.
  const lower = query.toLowerCase();
  return {
    asksWhen: lower.includes('wh') && /\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)\b/i.test(query),
    asksNumber: lower.includes('how ') && /\bhow (?:many|much|long|often|old|far|big|large)\b/i.test(query),
  };
}
