/**
 * Small hashes, never against an attacker: for keys and for noticing honest edits.
 * Our own code, because loading `node:crypto` costs every hook 5 ms.
 */

/** FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). */
const PRIME = 0x01000193;
const BASIS = 0x811c9dc5;

/** 32 bits over the UTF-16 units of a text, going on from `seed`; its lower bits depend on the last units only. */
export function rollText(text: string, seed = BASIS): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

/** The last steps of MurmurHash3, so that low bits depend on every bit. */
export function finish(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** 32 bits over the UTF-16 units of a text. Another seed gives an independent hash. */
export function hashText(text: string, seed = 0): number {
  return finish(rollText(text, BASIS ^ seed));
}

/**
 * A 53-bit hash (two multiply-xorshift lanes, the murmur3 finalizer) in base 36.
 */
export function digest(content: string): string {
  let a = 0xdeadbeef ^ content.length;
  let b = 0x41c6ce57 ^ content.length;
  for (let i = 0; i < content.length; i += 1) {
    const unit = content.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
