import { isUtf8 } from 'node:buffer';
import { refusal, type ScratchpadError } from '../errors.ts';
import { decodeBytes, encodeBytes } from './read.ts';

/** Names as `iconv` takes them. `UTF-16` begins with a mark that tells its byte order. */
export type Encoding = 'UTF-8' | 'UTF-16' | 'UTF-16BE' | 'WINDOWS-1252' | 'not UTF-8';

interface DecodedText {
  text: string;
  encoding: Encoding;
}

/** The characters of Windows-1252 from 0x80 on; Node's decoder of that name reads them as control characters. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Reads bytes as an editor would: UTF-16 by its mark or its NUL bytes, else UTF-8; other bytes are read as
 * Windows-1252, and called so only where they look like single letters among others.
 */
export function decodeText(bytes: Buffer): DecodedText {
  const order = detectByteOrder(bytes);
  if (order !== undefined) {
    const hasNoMark = order === 'utf-16be' && bytes[0] !== 0xfe;
    return { text: new TextDecoder(order).decode(bytes), encoding: hasNoMark ? 'UTF-16BE' : 'UTF-16' };
  }
  if (isUtf8(bytes)) return { text: stripByteOrderMark(bytes.toString()), encoding: 'UTF-8' };

  const text = decodeBytes(bytes).replace(/[\udc80-\udcff]/gu, (byte) => {
    const code = byte.charCodeAt(0) & 0xff;
    return WINDOWS_1252[code - 0x80] ?? String.fromCharCode(code);
  });

  const latin1 = bytes.toString('latin1');
  const countMatched = (pattern: RegExp): number => latin1.match(pattern)?.join('').length ?? 0;
  const areMostSingle = 2 * countMatched(/[\x80-\xff]{2,}/g) < countMatched(/[\x80-\xff]/g);
  const isWestern = areMostSingle && !/[\x81\x8d\x8f\x90\x9d]/.test(latin1);

  return { text: stripByteOrderMark(text), encoding: isWestern ? 'WINDOWS-1252' : 'not UTF-8' };
}

/** Decodes a text that `readText` read byte for byte; a byte order mark before UTF-8 stays. */
export function decodeLossless(text: string): DecodedText {
  if (text.isWellFormed() && !text.includes('\0')) return { text, encoding: 'UTF-8' };
  const decoded = decodeText(encodeBytes(text));
  return decoded.encoding === 'UTF-8' ? { text, encoding: 'UTF-8' } : decoded;
}

const stripByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** Refuses to change a file that is not UTF-8: it would end up in two encodings. */
export const refuseEncoding = (name: string, encoding: Encoding, where?: string): ScratchpadError =>
  refusal(`${name} is ${encoding}: nothing was changed`, {
    where,
    expected: 'UTF-8',
    found: encoding,
    next:
      encoding === 'not UTF-8'
        ? 'save it as UTF-8 in the editor that wrote it'
        : `save it as UTF-8 in an editor, or: iconv -f ${encoding} -t UTF-8 ${name}`,
  });

const SAMPLE_BYTES = 64;

/** The byte order of UTF-16: by its mark, else by the NUL of nearly every Latin letter. */
function detectByteOrder(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes.length < 4 || bytes.length % 2 === 1) return undefined;

  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const even = sample.filter((byte, index) => byte === 0 && index % 2 === 0).length;
  const odd = sample.filter((byte, index) => byte === 0 && index % 2 === 1).length;
  if (even === 0 && odd * 4 > sample.length) return 'utf-16le';

  return odd === 0 && even * 4 > sample.length ? 'utf-16be' : undefined;
}
