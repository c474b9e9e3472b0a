import { VERSION } from '../base/package.ts';
import type { Invocation } from './invocation.ts';

export function version(invocation: Invocation): void {
  invocation.result({ version: VERSION, node: process.version }, VERSION);
}
