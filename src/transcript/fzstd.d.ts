declare module 'fzstd' {
  export class Decompress {
    constructor(ondata: (chunk: Uint8Array, final?: boolean) => void);
    push(chunk: Uint8Array, final?: boolean): void;
  }
}
