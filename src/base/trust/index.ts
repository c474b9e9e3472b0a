export * from './approval.ts';
export * from './provenance.ts';
export * from './seal.ts';
