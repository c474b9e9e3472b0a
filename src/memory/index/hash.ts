/**
 * Small non-cryptographic hashes (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/). Our own code, because loading
 * `node:crypto` costs a cold query more than the whole search.
 */

const PRIME = 0x01000193;
const BASIS = 0x811c9dc5;

/** 32 bits over the UTF-16 units of a text. Another seed gives an independent hash. */
export function hashText(text: string, seed = 0): number {
  let hash = BASIS ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  // The last steps of MurmurHash3, so that low bits depend on every unit.
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return hash >>> 0;
}

/**
 * Check value of bytes. Each step is reversible for a given byte or word, so that one changed byte always changes
 * the result. The seed depends on the place: the same bytes elsewhere do not match.
 */
export function checkBytes(bytes: Uint8Array, seed = 0): number {
  let hash = BASIS ^ seed;
  let at = 0;
  if (bytes.byteOffset % 4 === 0) {
    // Signed, because the interpreter stores unsigned 32-bit numbers on the heap.
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
    for (let i = 0; i < words.length; i++) {
      hash = Math.imul(hash ^ (words[i] ?? 0), PRIME);
      hash ^= hash >>> 15;
    }
    at = words.length * 4;
  } else {
    for (; at + 4 <= bytes.length; at += 4) {
      const word =
        (bytes[at] ?? 0) |
        ((bytes[at + 1] ?? 0) << 8) |
        ((bytes[at + 2] ?? 0) << 16) |
        ((bytes[at + 3] ?? 0) << 24);
      hash = Math.imul(hash ^ word, PRIME);
      hash ^= hash >>> 15;
    }
  }
  for (; at < bytes.length; at++) {
    hash = Math.imul(hash ^ (bytes[at] ?? 0), PRIME);
    hash ^= hash >>> 15;
  }
  return (hash ^ bytes.length) >>> 0;
}
