import { describe } from 'vitest';
import { MemoryRemote } from '../helpers/memory-remote.ts';
import { describeRemote } from './remote-contract.ts';

describe('a shared store in memory', () => describeRemote(() => new MemoryRemote()));
