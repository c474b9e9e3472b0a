/** The one module that loads the YAML parser, for front matter and for config files. */
export {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parse,
  parseDocument,
} from 'yaml';
