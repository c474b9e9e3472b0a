import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Tokens of o200k_base. Special tokens in the text count as ordinary words. */
export function countExactly(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}
