import { MemoryStore } from '../../src/session/memory-store.ts';
import { describeStore, NOW } from './store-contract.ts';

describeStore('a store in memory', () => {
  const store = new MemoryStore('main', () => NOW);
  return {
    store,
    read: () => store.text,
    write: (text) => {
      store.text = text;
    },
    recovered: () => store.recovered,
    conflicts: () => store.conflicts.map(({ acknowledged, file }) => `${acknowledged}\n${file}`),
  };
});
