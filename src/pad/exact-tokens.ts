import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Tokens of o200k_base. Special tokens in the text count as the words they are. */
export function countExactly(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}
