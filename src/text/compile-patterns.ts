/**
 * V8 compiles a pattern to bytecode when it is first used and to machine code when it is used again; a subject of a
 * thousand characters makes it skip the bytecode (`JSRegExp::kTierUpForSubjectLengthValue` in V8's js-regexp.h).
 * NUL, because hardly any pattern begins to match at it. The flag that does this for all patterns would make Node
 * refuse its own compiled code.
 */
const SUBJECT = '\0'.repeat(1000);
const compiledOnce = new WeakSet<RegExp>();

/**
 * A pattern, compiled to machine code when it is asked for first; what it matches does not change. For tables of many
 * patterns that a process uses a few times each: for the cues of a mood it saves half of a bare start of Node.
 */
export function compiled(pattern: RegExp): RegExp {
  if (!compiledOnce.has(pattern)) {
    compiledOnce.add(pattern);
    pattern.test(SUBJECT);
    pattern.lastIndex = 0;
  }
  return pattern;
}
