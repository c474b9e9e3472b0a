/** The engine for patterns by itself: the build makes one bundle of it that all commands load when they have a pattern. */
export { RE2JS } from 're2js';
