import { WebhookVerificationError } from './errors.ts';
import { blobOfChunks } from './serverSentEvents.ts';
import type { WebhookEvent } from './webhookEvents.ts';
import {
  hasSignature,
  type IncomingHeaders,
  type RawBody,
  secretsOf,
  type UnwrapOptions,
  unwrap,
} from './webhooks.ts';

export type { WebhookEvent } from './webhookEvents.ts';
export { type IncomingHeaders, type RawBody, sign, unwrap } from './webhooks.ts';

export type HandlerOptions = UnwrapOptions & {
  /** The secret of the endpoint (`whsec_…`); during a rotation both. */
  secret: string | readonly string[];
  /**
   * Called with each authentic event. Once it has resolved, the response is 204 and the event counts as delivered; if it
   * rejects, the response is 500 and the event is sent again. Add the event to a queue of yours and process it later. The
   * same event may arrive twice: ignore ids that you have already processed.
   */
  onEvent: (event: WebhookEvent) => Promise<void> | void;
  /** Called with errors of `onEvent`, and for requests that are not authentic. Default: `console.error`. */
  onError?: (error: unknown) => void;
};

type Respond = (read: () => Promise<RawBody>, headers: IncomingHeaders) => Promise<number>;

/** Returns a function for the status of the response to a webhook. @throws TypeError if a secret is missing or no `whsec_…` */
function responder(options: HandlerOptions): Respond {
  const { onEvent, onError = console.error } = options;
  const secrets = secretsOf(options.secret);
  return async (read, headers) => {
    try {
      if (!hasSignature(headers)) throw new WebhookVerificationError('The request has no signature.');
      await onEvent(await unwrap(await read(), headers, secrets, options));
      return 204;
    } catch (error) {
      onError(error);
      return error instanceof WebhookVerificationError ? 401 : 500;
    }
  };
}

/** For everything that speaks the web's Request and Response: Next route handlers, Deno, Bun, workers. */
export function webhookHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  const respond = responder(options);
  return async (request) => {
    const read = async () => (request.body ? await collect(request.body) : new ArrayBuffer(0));
    const status = await respond(read, request.headers);
    return new Response(null, { status });
  };
}

/** For a Next route: `export const POST = nextHandler({ secret, onEvent })`. */
export function nextHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  // At a request: `next build` runs the module too, often without the secrets of the server.
  return async (request) => await webhookHandler(options)(request);
}

/** For Hono: `app.post('/hook', honoHandler({ secret, onEvent }))`. */
export function honoHandler(
  options: HandlerOptions,
): (context: { req: { raw: Request } }) => Promise<Response> {
  const handle = webhookHandler(options);
  return ({ req }) => handle(req.raw);
}

/** Several times what Holdfast sends at most. */
const maxBodyBytes = 1_048_576;

type NodeRequest = AsyncIterable<Uint8Array> & {
  headers: IncomingHeaders;
  readableEnded?: boolean;
  body?: unknown;
};

type NodeResponse = { statusCode: number; end(): unknown };

/** For Express and Node's `http`: `app.post('/hook', expressHandler({ secret, onEvent }))`, before `express.json()`. */
export function expressHandler(
  options: HandlerOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const respond = responder(options);
  return async (request, response) => {
    response.statusCode = await respond(() => rawBodyOf(request), request.headers);
    response.end();
  };
}

/** @throws TypeError if a parser has consumed the body */
async function rawBodyOf(request: NodeRequest): Promise<RawBody> {
  const { body, readableEnded: isRead } = request;
  // As `express.raw()` and `express.text()` leave it.
  if (body instanceof Uint8Array || typeof body === 'string') return body;
  if (isRead) {
    throw new TypeError('A parser has consumed the body: add this handler before express.json().');
  }
  return await collect(request);
}

async function collect(chunks: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): Promise<ArrayBuffer> {
  const tooLarge = () => new WebhookVerificationError('The body is larger than any webhook.');
  return await (await blobOfChunks(chunks, maxBodyBytes, tooLarge)).arrayBuffer();
}

type FastifyReply = { code(status: number): { send(): unknown } };

type FastifyScope = {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer' },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(
    path: string,
    handler: (request: { headers: IncomingHeaders; body: unknown }, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
};

/** For Fastify: `app.register(fastifyPlugin({ path: '/hook', secret, onEvent }))`. Other routes keep their parsers. */
export function fastifyPlugin(
  options: HandlerOptions & { path: string },
): (scope: FastifyScope) => Promise<void> {
  const respond = responder(options);
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post(options.path, async (request, reply) => {
      const status = await respond(async () => request.body as RawBody, request.headers);
      return reply.code(status).send();
    });
  };
}
