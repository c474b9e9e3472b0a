import type { PadDocument } from '../pad/document.ts';
import { isRevisionNumber } from './journal.ts';

/**
 * The revision in a file's front matter. It is read from its own line, so that it is found even if the front matter
 * needs a YAML parser or is invalid.
 */
export function revisionStamp({ text, frontMatter }: PadDocument): number | undefined {
  const [from, to] =
    frontMatter.kind === 'fenced'
      ? [frontMatter.range.innerStart, frontMatter.range.innerEnd]
      : frontMatter.kind === 'unclosed'
        ? [frontMatter.bodyStart, frontMatter.fieldsEnd]
        : [0, 0];
  const stamp = /^revision:[ \t]*["']?(\d{1,12})["']?[ \t]*(?:#.*)?\r?$/m.exec(text.slice(from, to))?.[1];
  return stamp !== undefined && isRevisionNumber(Number(stamp)) ? Number(stamp) : undefined;
}

/** Whether git tracks a pad: then it has no fields that change with every write, and no state block. */
export function isTracked({ text, frontMatter }: PadDocument): boolean {
  if (frontMatter.kind !== 'fenced') return false;
  const { innerStart, innerEnd } = frontMatter.range;
  return /^tracked:[ \t]*true[ \t]*\r?$/m.test(text.slice(innerStart, innerEnd));
}
