/**
 * Makes `models/tokens.bin`: the first tokens of o200k_base (MIT), as `src/pad/tokens.ts` looks them up.
 *   npx tsx scripts/train/tokens.ts
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import o200k from 'gpt-tokenizer/esm/bpeRanks/o200k_base';
import { FARTHEST, HASH_BITS, KNOWN_TOKENS, packToken } from '../../src/pad/tokens.ts';

const packed = Float64Array.from(o200k.slice(0, KNOWN_TOKENS), (token, rank) =>
  packToken(typeof token === 'string' ? Buffer.from(token) : Uint8Array.from(token), rank),
).sort();

const expectedPlace = (token: number): number => token / 2 ** HASH_BITS;
if (packed.some((token, place) => Math.abs(expectedPlace(token) - place) >= FARTHEST - 1))
  throw new Error('a token is too far from its place');

const hashes = new Set(packed.map((token) => Math.floor(token / KNOWN_TOKENS)));
if (hashes.size !== packed.length) throw new Error(`${packed.length - hashes.size} tokens share a hash`);

writeFileSync(join(import.meta.dirname, '../../models/tokens.bin'), packed);
