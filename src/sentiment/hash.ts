/** Bits of a feature's hash: wide enough that the few ten thousand kept features rarely meet. */
export const HASH_BITS = 22;
const HASH_MASK = (1 << HASH_BITS) - 1;

const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over the UTF-16 units of a text, 32 bits, going on from `seed`. */
export function hashText(text: string, seed = BASIS): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

/** Mixes one more number into a hash. */
export function hashWith(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ value, 0x9e3779b1);
  mixed ^= mixed >>> 15;
  return Math.imul(mixed, PRIME);
}

/** The feature's number, 0 to 2^22 - 1; every bit of the hash has a say. */
export function fold(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  return mixed & HASH_MASK;
}
