/**
 * The parts of the protocol's library that we use, in one place, so that the build makes one bundle for all
 * ways of serving.
 */
export {
  type CallToolResult,
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Tool,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
