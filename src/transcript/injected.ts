/** Opening tags as hosts write them around text they inject. */
const OPENING = /<([a-zA-Z][a-zA-Z_-]{1,40})(?: [^<>\n]{0,400})?>/g;

/** The text without the elements of the given names; an unclosed element stays. */
export function withoutElements(text: string, names: ReadonlySet<string>): string {
  if (!text.includes('<')) return text;
  const unclosed = new Set<string>();
  const opening = new RegExp(OPENING);
  let kept = '';
  let from = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const name = match[1] ?? '';
    if (!names.has(name) || unclosed.has(name)) continue;
    const close = text.indexOf(`</${name}>`, opening.lastIndex);
    if (close === -1) {
      // Remembered, so that a text with many opening tags is not searched to its end for each.
      unclosed.add(name);
      continue;
    }
    kept += text.slice(from, match.index);
    from = close + name.length + 3;
    opening.lastIndex = from;
  }
  return kept + text.slice(from);
}

/** The content of the first element of that name; undefined if there is none. */
export function elementText(text: string, name: string): string | undefined {
  const open = text.indexOf(`<${name}>`);
  if (open === -1) return undefined;
  const from = open + name.length + 2;
  const close = text.indexOf(`</${name}>`, from);
  return close === -1 ? undefined : text.slice(from, close).trim();
}

/** Whether the whole text is one element, such as `<environment_context>…</environment_context>`. */
export function isOneElement(text: string): boolean {
  const name = /^\s*<([a-zA-Z][a-zA-Z_ -]{1,40})>/.exec(text)?.[1];
  return name !== undefined && text.trimEnd().endsWith(`</${name}>`);
}
