import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that a host sent to its model. */
export interface ModelRequest {
  path: string;
  body: Record<string, unknown>;
  text: string;
}

/** The reply of the model: a text or a tool call, with the number of tokens that it claims to have read. */
export interface Reply {
  text?: string;
  /** `namespace` as Codex groups a server's tools. */
  tool?: { name: string; namespace?: string; input: unknown } | undefined;
  inputTokens?: number;
}

/** A model on loopback that records its requests, with the interfaces of Anthropic, OpenAI and Google. */
export class ModelStub {
  readonly requests: ModelRequest[] = [];
  /** Decides the reply to each request. */
  reply: (request: ModelRequest) => Reply = () => ({ text: 'Understood.' });
  /** The reply to requests for titles and summaries. */
  aside = 'Understood.';
  /** Whether a request with tools is one for an answer to the person. */
  isTurn: (request: ModelRequest) => boolean = () => true;
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Requests for an answer, without the small auxiliary ones of hosts. */
  turns(): ModelRequest[] {
    return this.requests.filter(
      (request) =>
        /messages$|responses$|completions$|[gG]enerateContent$/.test(request.path) &&
        request.body.tools &&
        this.isTurn(request),
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const path = (request.url ?? '').replace(/\?.*$/, '');
    let body: Record<string, unknown> = {};
    try {
      body = JSON.parse(text) as Record<string, unknown>;
    } catch {
      // A request without a body.
    }
    const modelRequest = { path, body, text };
    if (request.method === 'POST') this.requests.push(modelRequest);
    if (path.endsWith('/count_tokens')) return sendJson(response, { input_tokens: 1000 });
    if (path.endsWith('/messages')) return answerAnthropic(response, body, this.reply(modelRequest));
    if (path.endsWith('/responses')) return answerResponses(response, this.reply(modelRequest));
    if (path.endsWith('/chat/completions'))
      return answerCompletions(
        response,
        body,
        this.isTurn(modelRequest) ? this.reply(modelRequest) : { text: this.aside },
      );
    if (path.endsWith(':countTokens')) return sendJson(response, { totalTokens: 1000 });
    if (/:(?:streamG|g)enerateContent$/.test(path))
      return answerGoogle(response, path, this.reply(modelRequest));
    sendJson(response, {});
  }
}

const drawId = (kind: string): string => `${kind}_${Math.random().toString(36).slice(2)}`;

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function sendStream(response: ServerResponse): (event: string | undefined, data: unknown) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (event, data) => {
    const line = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${line}\n\n`);
  };
}

function answerAnthropic(response: ServerResponse, body: Record<string, unknown>, reply: Reply): void {
  const { text = '', tool, inputTokens = 1000 } = reply;
  const usage = { input_tokens: inputTokens, output_tokens: 10 };
  const id = drawId('msg');
  const message = { id, type: 'message', role: 'assistant', model: body.model, stop_sequence: null };
  const block = tool
    ? { type: 'tool_use', id: drawId('toolu'), name: tool.name, input: tool.input }
    : { type: 'text', text };
  const reason = tool ? 'tool_use' : 'end_turn';
  if (body.stream !== true) {
    sendJson(response, { ...message, content: [block], stop_reason: reason, usage });
    return;
  }
  const send = sendStream(response);
  send('message_start', {
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage },
  });
  send('content_block_start', {
    type: 'content_block_start',
    index: 0,
    content_block: tool ? { ...block, input: {} } : { type: 'text', text: '' },
  });
  send('content_block_delta', {
    type: 'content_block_delta',
    index: 0,
    delta: tool
      ? { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) }
      : { type: 'text_delta', text },
  });
  send('content_block_stop', { type: 'content_block_stop', index: 0 });
  const delta = { stop_reason: reason, stop_sequence: null };
  send('message_delta', { type: 'message_delta', delta, usage });
  send('message_stop', { type: 'message_stop' });
  response.end();
}

function answerResponses(response: ServerResponse, reply: Reply): void {
  const { text = '', tool, inputTokens = 1000 } = reply;
  const id = drawId('resp');
  const send = sendStream(response);
  const item = tool
    ? {
        type: 'function_call',
        id: `fc_${id}`,
        call_id: `call_${id}`,
        ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }),
        name: tool.name,
        arguments: JSON.stringify(tool.input),
      }
    : {
        type: 'message',
        id: `m_${id}`,
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      };
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: null,
    output_tokens: 10,
    output_tokens_details: null,
    total_tokens: inputTokens + 10,
  };
  send('response.created', { type: 'response.created', response: { id } });
  send('response.output_item.done', { type: 'response.output_item.done', output_index: 0, item });
  send('response.completed', { type: 'response.completed', response: { id, output: [item], usage } });
  response.end();
}

function answerCompletions(response: ServerResponse, body: Record<string, unknown>, reply: Reply): void {
  const { text = '', tool, inputTokens = 1000 } = reply;
  const call = tool && {
    index: 0,
    id: drawId('call'),
    type: 'function',
    function: { name: tool.name, arguments: JSON.stringify(tool.input) },
  };
  const usage = { prompt_tokens: inputTokens, completion_tokens: 10, total_tokens: inputTokens + 10 };
  const message = { role: 'assistant', ...(call ? { tool_calls: [call] } : { content: text }) };
  const finish = call ? 'tool_calls' : 'stop';
  const head = { id: 'c1', created: 1, model: body.model };
  if (body.stream !== true) {
    const choices = [{ index: 0, message, finish_reason: finish }];
    sendJson(response, { ...head, object: 'chat.completion', choices, usage });
    return;
  }
  const send = sendStream(response);
  const chunk = { ...head, object: 'chat.completion.chunk' };
  send(undefined, { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] });
  send(undefined, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }], usage });
  send(undefined, '[DONE]');
  response.end();
}

function answerGoogle(response: ServerResponse, path: string, reply: Reply): void {
  const { text = '', tool, inputTokens = 1000 } = reply;
  const part = tool ? { functionCall: { name: tool.name, args: tool.input } } : { text };
  const answer = {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: 10,
      totalTokenCount: inputTokens + 10,
    },
  };
  if (path.endsWith(':generateContent')) {
    sendJson(response, answer);
    return;
  }
  sendStream(response)(undefined, answer);
  response.end();
}
