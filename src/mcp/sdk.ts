/** What is used of the protocol's library, in one place: the build makes one bundle of it for every way of serving. */
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
