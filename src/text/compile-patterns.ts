/**
 * V8 compiles a pattern to bytecode when it is first used and to machine code when it is used again; a subject of a
 * thousand characters makes it skip the first, which is the dearer one (`JSRegExp::kTierUpForSubjectLengthValue` in
 * V8's js-regexp.h). NUL, because hardly any pattern begins to match at it.
 */
const SUBJECT = '\0'.repeat(1000);

/**
 * Compiles patterns that a process is going to use more than once; for one that it uses once it costs no more.
 * Call it where they are first used, not where a module is loaded. What they match does not change.
 */
export function compilePatterns(...patterns: readonly RegExp[]): void {
  for (const pattern of patterns) {
    pattern.lastIndex = 0;
    pattern.test(SUBJECT);
    pattern.lastIndex = 0;
  }
}

const compiledOnce = new WeakSet<RegExp>();

/** The pattern, compiled so when it is asked for first. */
export function compiled(pattern: RegExp): RegExp {
  if (!compiledOnce.has(pattern)) {
    compiledOnce.add(pattern);
    compilePatterns(pattern);
  }
  return pattern;
}
