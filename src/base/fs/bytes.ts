import { isUtf8 } from 'node:buffer';

/**
 * Files are edited as JavaScript strings, and every byte that is not ours must come back unchanged, even if
 * it is not valid UTF-8. Such bytes become lone surrogates U+DC80..U+DCFF, one per byte, as in PEP 383
 * ("surrogateescape").
 */
const ESCAPE_BASE = 0xdc00;

/** Decodes bytes losslessly: `encodeBytes(decodeBytes(b))` equals `b` for any `b`. */
export function decodeBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let out = '';
  for (let at = 0; at < bytes.length; ) {
    const from = at;
    for (let length = 1; length > 0 && at < bytes.length; at += length) length = sequenceLength(bytes, at);
    out += bytes.toString('utf8', from, at);
    if (at < bytes.length) out += String.fromCharCode(ESCAPE_BASE + (bytes[at] ?? 0));
    at += 1;
  }
  return out;
}

export function encodeBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const parts: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && isLow(text.charCodeAt(i + 1))) {
      i += 1;
    } else if (unit >= 0xdc80 && unit <= 0xdcff) {
      parts.push(Buffer.from(text.slice(from, i)), Buffer.from([unit - ESCAPE_BASE]));
      from = i + 1;
    }
  }
  parts.push(Buffer.from(text.slice(from)));
  return Buffer.concat(parts);
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Length of the valid UTF-8 sequence at `at` (RFC 3629, section 4); 0 if it is invalid. */
export function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  let length: number;
  let low = 0x80;
  let high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    if (lead === 0xe0) low = 0xa0;
    if (lead === 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead === 0xf0) low = 0x90;
    if (lead === 0xf4) high = 0x8f;
  } else return 0;
  for (let k = 1; k < length; k += 1) {
    const byte = bytes[at + k] ?? 0;
    if (byte < low || byte > high) return 0;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}
