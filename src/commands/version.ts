import { VERSION } from '../version.ts';
import type { Invocation } from './invocation.ts';

export function version(invocation: Invocation): void {
  invocation.result({ version: VERSION, node: process.version }, VERSION);
}
