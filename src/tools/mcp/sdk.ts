/**
 * The parts of the protocol's library that we use, in one place, so that the build makes one bundle of them.
 */
export {
  type CallToolResult,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
