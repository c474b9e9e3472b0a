declare module 'siphash' {
  /** SipHash-2-4 (Aumasson and Bernstein, 2012) of a message under a key of 128 bits, as 16 hex digits. */
  function hash_hex(key: readonly [number, number, number, number], message: Uint8Array): string;
  // A CommonJS module whose named exports Node cannot detect: without a bundler only the default import works.
  const siphash: { hash_hex: typeof hash_hex };
  export default siphash;
}
