import { refused } from '../../base/errors.ts';
import type { Target } from './change.ts';
import { isUnwritten } from './hooks-json.ts';

/** The lines around our block in a person's file. */
export interface Markers {
  open: string;
  close: string;
}

/**
 * A block between two marker lines, at the end of a person's text file.
 * @param lines the content between the markers, with a final newline
 * @param unlessHas if the file contains this outside our markers, the person has added it, and nothing is
 * changed
 */
export function markedBlock(path: string, markers: Markers, lines: string, unlessHas?: RegExp): Target {
  const block = `${markers.open}\n${lines}${markers.close}\n`;
  return {
    path,
    add(text) {
      if (text === undefined || isUnwritten(text)) return (text ?? '') + block;
      const eol = text.includes('\r\n') ? '\r\n' : '\n';
      const ours = block.replaceAll('\n', eol);
      const found = blockIn(text, path, markers);
      if (found) {
        const lead = /^\r?\n/.exec(found[0])?.[0] ?? '';
        return text.slice(0, found.index) + lead + ours + text.slice(found.index + found[0].length);
      }
      if (unlessHas?.test(text)) return text;
      return `${text}${text.endsWith('\n') ? '' : eol}${eol}${ours}`;
    },
    remove(text) {
      const found = blockIn(text, path, markers);
      if (!found) return text;
      const before = text.slice(0, found.index);
      const after = text.slice(found.index + found[0].length);
      // A person's text before and after the block must not become one line.
      const apart = before !== '' && !before.endsWith('\n') && after !== '';
      const rest = before + (apart ? (/^\r?\n/.exec(found[0])?.[0] ?? '\n') : '') + after;
      return isUnwritten(rest) ? undefined : rest;
    },
  };
}

/** @throws ScratchpadError `refused` if one marker is missing: only a person can say where our part ends */
function blockIn(text: string, path: string, { open, close }: Markers): RegExpExecArray | undefined {
  const [from, to] = [open, close].map((marker) => marker.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // From an opening marker to the closing one that follows, without another opening one in between.
  const between = new RegExp(`(?:\\r?\\n)?${from}(?:(?!${from})[\\s\\S])*?${to}(?:\\r?\\n)?`);
  const found = between.exec(text);
  const rest = found ? text.slice(0, found.index) + text.slice(found.index + found[0].length) : text;
  const stray = rest.includes(open) ? open : rest.includes(close) ? close : undefined;
  if (stray === undefined) return found ?? undefined;
  const at = stray === open ? text.indexOf(open) : text.lastIndexOf(close);
  throw refused('the markers around our part do not match: nothing was changed', {
    where: `${path}:${text.slice(0, at).split('\n').length}`,
    expected: `${open} and ${close}, once each`,
    found: `a ${stray} without the other`,
    next: 'delete that line and the rest of our part, then run the command again',
  });
}

/** A file that is entirely ours. */
export function ownFile(path: string, text: () => string): Target {
  return { path, add: text, remove: () => undefined };
}
