/**
 * A 53-bit hash (two multiply-xorshift lanes, the murmur3 finalizer) in base 36. For keys and for detecting
 * accidental changes, never against an attacker; loading `node:crypto` instead would cost every hook 5 ms.
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
