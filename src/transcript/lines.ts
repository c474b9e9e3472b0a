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
/** A line longer than this is not from a session: reading backwards ends there. */
const NO_LINE = 128 * 1024 * 1024;
const FIRST_BLOCK = 64 * 1024;
const BLOCK = 512 * 1024;
const LF = 10;

/**
 * Reads lines from the end of a source to its start, one batch per block, newest first. Splits at LF only and
 * skips empty lines. Ends early at an extremely long line.
 * @param end offset to start from, exclusive (default: the end of the source)
 * @param start offset of the line at which to end
 */
export async function* linesFromEnd(
  source: ByteSource,
  end = source.size,
  start = 0,
): AsyncGenerator<Line[]> {
  let position = end;
  let size = FIRST_BLOCK;
  const tail = new Tail(end === source.size);
  while (position > start) {
    const block = await readBlock(source, Math.max(start, position - size), position);
    position = block.length === 0 ? start : position - block.length;
    size = BLOCK;
    const lines: Line[] = [];
    let stop = block.length;
    while (stop > 0) {
      const feed = block.lastIndexOf(LF, stop - 1);
      if (feed === -1) break;
      const line = tail.take(block.subarray(feed + 1, stop), position + feed + 1);
      if (line !== undefined) lines.push(line);
      tail.ended = true;
      stop = feed;
    }
    tail.keep(block.subarray(0, stop));
    if (tail.length > NO_LINE) return;
    if (position === start) {
      const line = tail.take(Buffer.alloc(0), start);
      if (line !== undefined) lines.push(line);
    }
    yield lines;
  }
}

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

/** The end of a line whose start is in an earlier block. */
class Tail {
  ended: boolean;
  #parts: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  constructor(atEndOfSource: boolean) {
    this.ended = !atEndOfSource;
  }

  keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length > MAX_LINE) this.#parts = [];
    else this.#parts.push(part);
  }

  /** The line that begins with `head`; undefined if it is empty. */
  take(head: Buffer, at: number): Line | undefined {
    this.keep(head);
    const parts = this.#parts.reverse();
    const length = this.#length;
    this.#parts = [];
    this.#length = 0;
    if (length === 0) return undefined;
    if (length > MAX_LINE) return { at, length, bytes: undefined, ended: this.ended };
    const only = parts.length === 1 ? parts[0] : undefined;
    return { at, length, bytes: only ?? Buffer.concat(parts), ended: this.ended };
  }
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
