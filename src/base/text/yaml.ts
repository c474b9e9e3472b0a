/** The one module that loads the YAML parser, for front matter and for config files. */
export {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parse,
  parseDocument,
  type YAMLMap,
} from 'yaml';

/** Deeper than anybody writes by hand. */
const DEEPEST = 40;

/**
 * Whether a YAML text may nest too deep for a recursive parser: a stack overflow can kill the process (V8
 * aborts if a pattern is being compiled then). An upper bound: indentation, leading indicators and open
 * brackets each count as a level.
 */
export function isNestedTooDeep(text: string): boolean {
  let open = 0;
  for (const line of text.split('\n')) {
    const [lead = ''] = /^(?:[ \t]*(?:[-?:] )*)*/.exec(line) ?? [];
    const indicators = lead.split(/[-?:]/).length - 1;
    const levels = indicators + (lead.length - indicators * 2) / 2;
    let deepest = open;

    for (const [bracket] of line.matchAll(/[[\]{}]/g)) {
      open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
      deepest = Math.max(deepest, open);
    }

    if (deepest + levels > DEEPEST) return true;
  }

  return false;
}
