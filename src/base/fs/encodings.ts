import { isUtf8 } from 'node:buffer';
import { refusal, type ScratchpadError } from '../errors.ts';
import { decodeBytes, encodeBytes } from './read.ts';

/** As `iconv` calls them; UTF-16 with a mark tells its byte order. */
export type Encoding = 'UTF-8' | 'UTF-16' | 'UTF-16BE' | 'WINDOWS-1252' | 'not UTF-8';

/** A text that was not UTF-8, read in the encoding that its bytes show. */
interface Decoded {
  text: string;
  encoding: Encoding;
}

/** The letters of Windows-1252 from 0x80 on; Node's decoder of that name reads them as control characters. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Reads bytes as an editor would: UTF-16 by its mark or its NUL bytes, else UTF-8; other bytes are read as
 * Windows-1252, and called so only where they look like single letters among others.
 */
export function decodeText(bytes: Buffer): Decoded {
  const order = detectByteOrder(bytes);
  if (order !== undefined) {
    const hasNoMark = order === 'utf-16be' && bytes[0] !== 0xfe;
    return { text: new TextDecoder(order).decode(bytes), encoding: hasNoMark ? 'UTF-16BE' : 'UTF-16' };
  }
  if (isUtf8(bytes)) return { text: stripByteOrderMark(bytes.toString()), encoding: 'UTF-8' };

  const text = decodeBytes(bytes).replace(/[\udc80-\udcff]/gu, (byte) => {
    const code = byte.charCodeAt(0) & 0xff;
    return WINDOWS[code - 0x80] ?? String.fromCharCode(code);
  });

  const [high, pairs] = [/[\x80-\xff]/g, /[\x80-\xff]{2,}/g].map(
    (run) => (bytes.toString('latin1').match(run) ?? []).join('').length,
  );
  const isWestern =
    2 * (pairs ?? 0) < (high ?? 0) && !/[\x81\x8d\x8f\x90\x9d]/.test(bytes.toString('latin1'));

  return { text: stripByteOrderMark(text), encoding: isWestern ? 'WINDOWS-1252' : 'not UTF-8' };
}

/** The same of a text that was read byte for byte (`readText`); a mark before UTF-8 stays. */
export function decodeLossless(text: string): Decoded {
  if (text.isWellFormed() && !text.includes('\0')) return { text, encoding: 'UTF-8' };
  const decoded = decodeText(encodeBytes(text));
  return decoded.encoding === 'UTF-8' ? { text, encoding: 'UTF-8' } : decoded;
}

function stripByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** A change would end up in two encodings. */
export const refuseEncoding = (name: string, encoding: Encoding, where?: string): ScratchpadError =>
  refusal(`${name} is ${encoding}: nothing was changed`, {
    where,
    expected: 'UTF-8',
    found: encoding,
    next: `save it as UTF-8 in ${encoding === 'not UTF-8' ? 'the editor that wrote it' : `an editor, or: iconv -f ${encoding} -t UTF-8 ${name}`}`,
  });

const SAMPLE = 64;

/** The byte order of UTF-16: by its mark, else by the NUL of nearly every Latin letter. */
function detectByteOrder(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes.length < 4 || bytes.length % 2 === 1) return undefined;

  const sample = bytes.subarray(0, SAMPLE);
  const nuls = [0, 0];

  sample.forEach((byte, at) => {
    if (byte === 0) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = nuls;
  if (even === 0 && odd * 4 > sample.length) return 'utf-16le';

  return odd === 0 && even * 4 > sample.length ? 'utf-16be' : undefined;
}
