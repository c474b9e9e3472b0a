import { VERSION } from '../version.ts';
import type { Invocation } from './invocation.ts';

/** Shape with `--json`: `{version, node}`. */
export function version(invocation: Invocation): void {
  invocation.result({ version: VERSION, node: process.version }, VERSION);
}
