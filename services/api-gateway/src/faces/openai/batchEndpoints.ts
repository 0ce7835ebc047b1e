import type { EndedExecution } from '@holdfast/domain/execution';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { OpenaiOperation } from '@holdfast/domain/modelOpenai';
import type { z } from 'zod';
import type { ItemLine } from '../../batches/batchRequest.ts';
import { validate } from '../../http/validate.ts';
import { openFile } from '../outputFiles.ts';
import type { RequestFiles } from '../requestFiles.ts';
import type { FaceCall } from '../run.ts';
import { promptBody, promptInput } from './chat.ts';
import { chatBody, chatInput, completionOf, textCompletionOf } from './completion.ts';
import { embeddingsBody, embeddingsInput } from './embeddingsInput.ts';
import { imageFields, imageInput } from './imageInput.ts';
import { imagesBody } from './imagesReply.ts';
import { mapped, refused } from './mapping.ts';
import { keepImages } from './messages.ts';
import { requireNamed } from './models.ts';
import { requireOutput } from './output.ts';
import { messagesIn, responseBody, responseInput, responseOf } from './response.ts';
import { messagesBefore } from './responses.ts';
import { vectorsOf } from './vectors.ts';

type Call = Pick<FaceCall, 'context' | 'caller'>;
type Files = Pick<RequestFiles, 'fetch'>;

type BatchEndpoint = {
  /** The item that the body of a request asks for. @throws ApiError */
  item(call: Call, body: unknown, files: Files): Promise<Pick<ItemLine, 'model' | 'input' | 'metadata'>>;
  /** The body of the response, in pieces if it is long. @throws ApiError */
  reply(call: Call, execution: EndedExecution): Promise<object | AsyncIterable<string>>;
};

/** What a line cannot ask for, because its response is written later: the field, and the value that it may not have. */
const refusedValues = { stream: true, encoding_format: 'base64', response_format: 'url' };

function endpointOf<Schema extends z.ZodType<{ model: string }>>(
  operation: OpenaiOperation,
  schema: Schema,
  input: (
    call: Call,
    definition: ModelDefinition,
    body: z.infer<Schema>,
    files: Files,
  ) => Promise<ItemLine['input']>,
  reply: BatchEndpoint['reply'],
): BatchEndpoint {
  return {
    async item(call, given, files) {
      const body = validate(schema, given);
      for (const [field, value] of Object.entries(refusedValues)) {
        if (Reflect.get(body, field) === value)
          throw refused(field, `\`${field}\` cannot be \`${value}\` in a batch.`);
      }
      const { definition } = await requireNamed(call.context, call.caller, body.model, operation);
      const metadata: unknown = Reflect.get(body, 'metadata');
      return {
        model: definition.slug,
        input: await input(call, definition, body, files),
        ...(metadata ? { metadata: metadata as Record<string, unknown> } : {}),
      };
    },
    reply,
  };
}

/** A choice is an execution, and so is an item. @throws ApiError */
function ofOne<Body extends { n?: number | null | undefined }>(body: Body): Body {
  if ((body.n ?? 1) === 1) return body;
  throw refused('n', 'A request of a batch has one choice.');
}

/** Those whose requests a batch runs. */
export const batchEndpoints: Readonly<Record<string, BatchEndpoint>> = {
  '/v1/chat/completions': endpointOf(
    'chat',
    chatBody,
    async (_call, definition, body, files) =>
      chatInput(definition, { ...ofOne(body), messages: await keepImages(definition, body.messages, files) }),
    async ({ context }, ended) => completionOf([await mapped(context, ended, 'chat')], ended.model),
  ),
  '/v1/completions': endpointOf(
    'chat',
    promptBody,
    async (_call, definition, body) => promptInput(definition, ofOne(body)),
    async ({ context }, ended) => textCompletionOf([await mapped(context, ended, 'chat')], ended.model),
  ),
  '/v1/responses': endpointOf(
    'chat',
    responseBody,
    async ({ context, caller }, definition, body, files) => {
      const earlier = await messagesBefore(context, caller, definition, body.previous_response_id ?? null);
      const messages = await keepImages(definition, messagesIn(body), files);
      return responseInput(definition, body, [...earlier, ...messages]);
    },
    async ({ context }, ended) => responseOf(await mapped(context, ended, 'chat')),
  ),
  '/v1/embeddings': endpointOf(
    'embeddings',
    embeddingsBody,
    async (_call, definition, body) => embeddingsInput(definition, body),
    async (call, ended) => vectorsOf(call, ended, { model: ended.model, isBase64: false }),
  ),
  '/v1/images/generations': endpointOf(
    'images',
    imageFields,
    async (_call, definition, body) => imageInput(definition, body),
    async (call, ended) => {
      const [first, ...others] = await requireOutput(call, ended, 'images');
      const { store } = call.context;
      return imagesBody(store, ended, await openFile(store, first), others);
    },
  ),
};
