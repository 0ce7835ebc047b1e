import { ApiError } from '@holdfast/domain/errors';
import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { CreateBody } from '../../executions/createRequest.ts';
import { openRequestFiles, type RequestFiles } from '../requestFiles.ts';
import type { ChatMessage } from './completion.ts';
import { type Created, createFrom, type FaceCall } from './run.ts';

/** Whether a model takes a conversation, and not only a prompt. */
export function takesMessages({ input_schema: { properties } }: ModelDefinition): boolean {
  return Object.hasOwn(Object(properties), 'messages');
}

type Conversation = {
  route: string;
  /** As the client sent it. */
  body: unknown;
  definition: ModelDefinition;
  messages: readonly ChatMessage[];
  /** @throws ApiError for what the model cannot do */
  request(messages: readonly ChatMessage[]): CreateBody;
};

/** Creates an execution. Images in the messages become files of the organization, if the model takes messages. */
export async function createFromMessages(
  call: FaceCall,
  { route, body, definition, messages, request }: Conversation,
): Promise<Created> {
  const files = openRequestFiles(call.context, call.caller);
  let stored: Promise<ChatMessage[]> | null = null;
  const keep = () => (stored ??= Promise.all(messages.map((one) => withFiles(one, files))));
  try {
    const created = await createFrom(call, route, body, async () =>
      request(takesMessages(definition) ? await keep() : messages),
    );
    if (created.isJoined) await files.discard();
    return created;
  } catch (error) {
    // After others, the execution may exist.
    if (error instanceof ApiError && error.status < 500) await files.discard();
    throw error;
  }
}

async function withFiles(message: ChatMessage, files: RequestFiles): Promise<ChatMessage> {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = content.map(async (part) => {
    const { image_url: image } = part;
    const url = isObject(image) ? image['url'] : image;
    if (typeof url !== 'string') return part;
    const id = await files.fetch('messages', url);
    return { ...part, image_url: isObject(image) ? { ...image, url: id } : { url: id } };
  });
  return { ...message, content: await Promise.all(parts) };
}
