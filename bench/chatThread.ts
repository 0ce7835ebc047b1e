// The thread of the chat server in provider.ts: a server of OpenAI's protocol whose tokens are the times when they are
// sent. What is not streamed is answered at once.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { parentPort } from 'node:worker_threads';
import { nowMs } from './statistics.ts';

type ChatRequest = {
  messages: { content: string }[];
  stream?: boolean;
  max_tokens?: number;
  max_completion_tokens?: number;
};

const server = createServer((request, response) => {
  // What is no chat, such as a check of a peer, is not answered.
  respond(request, response).catch(() => response.destroy());
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = (await json(request)) as ChatRequest;
  if (asked.stream === true) stream(asked, response);
  else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
}

const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
});

function stream({ messages, ...most }: ChatRequest, response: ServerResponse): void {
  const tokensPerS = Number(messages.at(-1)?.content);
  const count = most.max_completion_tokens ?? most.max_tokens ?? 0;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  // As the first token comes at once, what a stream adds to it is not hidden by the model's own time.
  let sent = 0;
  const startMs = performance.now();
  const sendDue = () => {
    const due = Math.min(count, 1 + Math.floor(((performance.now() - startMs) * tokensPerS) / 1000));
    for (; sent < due; sent++) sendToken(response);
    if (sent < count) return;
    clearInterval(timer);
    sendEnd(response, count);
  };
  const timer = setInterval(sendDue, 1000 / tokensPerS);
  response.once('close', () => clearInterval(timer));
  sendDue();
}

function send(response: ServerResponse, chunk: object): void {
  response.write(`data: ${JSON.stringify({ id: 'chat', object: 'chat.completion.chunk', ...chunk })}\n\n`);
}

function sendToken(response: ServerResponse): void {
  send(response, {
    choices: [{ index: 0, delta: { content: `${nowMs().toFixed(1)} ` }, finish_reason: null }],
  });
}

function sendEnd(response: ServerResponse, tokens: number): void {
  send(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  send(response, { choices: [], usage: { prompt_tokens: 1, completion_tokens: tokens } });
  response.end('data: [DONE]\n\n');
}

const report = parentPort?.postMessage.bind(parentPort);
server.listen(0, '127.0.0.1', () => report?.((server.address() as AddressInfo).port));
