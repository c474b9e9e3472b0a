import { plainLine, redactSecrets } from '../base/safety/index.ts';
import { parsed } from '../base/text/json.ts';

const MOST_LINES = 12;
const LINE_CHARACTERS = 200;
const LONGEST_READ = 4000;

/**
 * The lines of a section from a command's output: JSON (`{"title", "lines": […]}` or a list), else one per line.
 * Each becomes one plain list item without secrets or structure.
 * @throws Error if it begins like a JSON object but is not one, or has no lines
 */
export function readSectionOutput(output: string): { title?: string; lines: string[] } {
  const { title, lines } = read(output.trim());
  // Redacted before it is cut, because a secret is recognised by its context.
  const safe = redactSecrets(lines.map((line) => line.slice(0, LONGEST_READ)).join('\n')).split('\n');
  const plain = safe
    .map((text) => plainLine(text.replace(/^\s*(?:[-*+•]\s+)?/, ''), LINE_CHARACTERS))
    .filter((text) => text !== '')
    .slice(0, MOST_LINES)
    .map((text) => `- ${text}`);
  return { title, lines: plain };
}

function read(output: string): { title?: string; lines: string[] } {
  if (!/^[{[]/.test(output)) return { lines: output.split('\n') };
  const value = parsed(output);
  if (value === undefined) {
    // `[12:00] lunch` is an ordinary line.
    if (output.startsWith('[')) return { lines: output.split('\n') };
    throw new Error('its output begins like JSON but is not valid JSON');
  }
  const { title, lines }: { title?: unknown; lines?: unknown } = Array.isArray(value)
    ? { lines: value }
    : (value as object);
  if (!Array.isArray(lines) || !lines.every((line): line is string => typeof line === 'string'))
    throw new Error('its JSON is not {"title": "…", "lines": ["…"]}');
  return { title: typeof title === 'string' ? title : undefined, lines };
}
