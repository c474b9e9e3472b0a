// What `import.meta.url` becomes in a CommonJS bundle that asks for it; the others do not pay for it.
import { pathToFileURL } from 'node:url';

export const importMetaUrl = /* @__PURE__ */ pathToFileURL(__filename).href;
