/** Random access to bytes: a file, or text held in memory. */
export interface ByteSource {
  readonly size: number;
  /** Fill `target` from `position`; returns the bytes read. */
  read(target: Buffer, position: number): Promise<number>;
}

/** One line without its line end. */
export interface Line {
  /** Offset of its first byte. */
  at: number;
  /** Bytes that it has. */
  length: number;
  /** Undefined if the line is longer than `MAX_LINE`. */
  bytes: Buffer | undefined;
  /** False for a last line without LF: it may still be being written. */
  ended: boolean;
}

/** Longest line to read, in bytes. Longer ones are counted and skipped, so that memory stays bounded. */
export const MAX_LINE = 8 * 1024 * 1024;
const BLOCK = 512 * 1024;
const LF = 10;

/**
 * Reads lines from an offset to the end of a source, one batch per block, oldest first. Splits at LF only and skips
 * empty lines.
 */
export async function* linesFrom(source: ByteSource, start: number): AsyncGenerator<Line[]> {
  const { size } = source;
  let parts: Buffer[] = [];
  let length = 0;
  let at = start;
  const line = (ended: boolean): Line => {
    const only = parts.length === 1 ? parts[0] : undefined;
    const bytes = length > MAX_LINE ? undefined : (only ?? Buffer.concat(parts));
    return { at, length, bytes, ended };
  };
  for (let position = start; position < size; ) {
    const block = await readBlock(source, position, Math.min(size, position + BLOCK));
    const lines: Line[] = [];
    for (let from = 0; from < block.length; ) {
      const feed = block.indexOf(LF, from);
      const part = block.subarray(from, feed === -1 ? block.length : feed);
      length += part.length;
      if (length > MAX_LINE) parts = [];
      else if (part.length > 0) parts.push(part);
      if (feed === -1) break;
      if (length > 0) lines.push(line(true));
      from = feed + 1;
      at = position + from;
      parts = [];
      length = 0;
    }
    position += block.length;
    if (position >= size && length > 0) lines.push(line(false));
    yield lines;
  }
}

/** The start of the first line at or after an offset. */
export async function lineAfter(source: ByteSource, offset: number): Promise<number> {
  if (!(offset > 0)) return 0;
  const bytes = Buffer.alloc(64 * 1024);
  for (let at = offset; at < source.size; at += bytes.length) {
    const count = await source.read(bytes, at);
    if (count === 0) break;
    const feed = bytes.subarray(0, count).indexOf(LF);
    if (feed !== -1) return at + feed + 1;
  }
  return source.size;
}

async function readBlock(source: ByteSource, from: number, to: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < block.length) {
    const count = await source.read(block.subarray(filled), from + filled);
    // The file was truncated while it was read: the missing part reads as an empty line.
    if (count === 0) return block.fill(LF, filled);
    filled += count;
  }
  return block;
}

/** A source of text in memory. */
export function memorySource(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    read: (target, position) => Promise.resolve(bytes.copy(target, 0, position)),
  };
}

/**
 * Parses a line as JSON; undefined if it is invalid. Tolerates a BOM, a CR, and NUL bytes left by a crash.
 */
export function parseLine(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    const cleaned = text.replace(/^[\uFEFF\0\s]+|[\0\s]+$/g, '');
    if (cleaned === text || cleaned === '') return undefined;
    try {
      return JSON.parse(cleaned);
    } catch {
      return undefined;
    }
  }
}
