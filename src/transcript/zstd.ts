import { failed } from '../base/errors.ts';

interface ZstdZlib {
  zstdDecompressSync?: (data: Uint8Array, options?: { maxOutputLength?: number }) => Buffer;
}

/**
 * Unpacks zstandard data: with Node's decoder (22.15 and later), else with the `fzstd` package.
 * @param limit most bytes it may unpack to
 * @throws {Error} if the data is damaged or too large
 */
export async function unpackZstd(packed: Uint8Array, limit: number): Promise<Buffer> {
  const zlib = (await import('node:zlib')) as object as ZstdZlib;
  if (zlib.zstdDecompressSync !== undefined)
    return zlib.zstdDecompressSync(packed, { maxOutputLength: limit });
  return unpackWithPackage(packed, limit);
}

async function unpackWithPackage(packed: Uint8Array, limit: number): Promise<Buffer> {
  let Decompress: typeof import('fzstd').Decompress;
  try {
    ({ Decompress } = await import('fzstd'));
  } catch (cause) {
    throw failed('zstandard data cannot be unpacked on this Node', {
      found: `Node ${process.versions.node} without the fzstd package`,
      next: 'use Node 22.15 or later, or install fzstd',
      cause,
    });
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((chunk) => {
    length += chunk.length;
    if (length > limit) throw new RangeError(`unpacks to more than ${limit} bytes`);
    chunks.push(chunk);
  });
  // In parts, so that a small file that unpacks to gigabytes is stopped in time.
  for (let at = 0; at < packed.length; at += 65_536) {
    stream.push(packed.subarray(at, at + 65_536), at + 65_536 >= packed.length);
  }
  return Buffer.concat(chunks);
}
