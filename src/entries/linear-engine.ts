/**
 * The engine for patterns on its own, so that the build makes one bundle of it that commands load only for a
 * pattern.
 */
export { RE2JS } from 're2js';
