import { FLAG_NUMBER, FLAG_QUESTION, FLAG_TIME } from './segment.ts';

/** A question mark at the end; a remark in parentheses may follow it. */
const ASKS = /[?？][\s"'”’)]*(?:\[[^\]]*\]\s*)?$/;
const TIME =
  /\b(?:yesterday|today|tomorrow|tonight|last|next|ago|since|just|recently|weeks?|weekend|months?|years?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|january|february|march|april|june|july|august|september|october|november|december|(?:19|20)\d{2}|\d{1,2}(?:st|nd|rd|th))\b/i;
const NUMBER =
  /\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|few|several|once|twice|first|second|third|half|hundred|thousand|years?|months?|weeks?|hours?|days?)\b/i;

/** What kind of statement a passage is, for questions that want one. */
export function flagsOf(text: string): number {
  return (
    (ASKS.test(text) ? FLAG_QUESTION : 0) |
    (TIME.test(text) ? FLAG_TIME : 0) |
    (NUMBER.test(text) ? FLAG_NUMBER : 0)
  );
}

/** Whether a query asks for a time, and whether it asks for an amount. */
export function wantsOf(query: string): { asksWhen: boolean; asksNumber: boolean } {
  return {
    asksWhen: /\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)\b/i.test(query),
    asksNumber: /\bhow (?:many|much|long|often|old|far|big|large)\b/i.test(query),
  };
}
