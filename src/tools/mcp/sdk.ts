/** The parts of the protocol's library that we use, of which the build makes one bundle. */
export { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
