import { invalidField } from '@holdfast/domain/errors';
import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { CreateBody } from '../../executions/createRequest.ts';
import { createWithFiles, type RequestFiles } from '../requestFiles.ts';
import { type Created, createFrom, type FaceCall } from '../run.ts';
import { type ChatMessage, takesMessages } from './completion.ts';

const maxImages = 100;

type Conversation = {
  route: string;
  /** As the client sent it. */
  body: unknown;
  definition: ModelDefinition;
  messages: readonly ChatMessage[];
  /** How many the client asks for. */
  choices?: number;
  /** @throws ApiError for what the model cannot do */
  request(messages: readonly ChatMessage[]): CreateBody;
};

/** Creates an execution, with the images of the messages as files. */
export async function createFromMessages(
  call: FaceCall,
  { route, body, definition, messages, choices, request }: Conversation,
): Promise<Created> {
  return await createWithFiles(call, (files) => {
    let stored: Promise<readonly ChatMessage[]> | null = null;
    const keep = () => (stored ??= keepImages(definition, messages, files));
    return createFrom(call, route, body, async () => request(await keep()), choices);
  });
}

/** Images in the messages become files of the organization, if the model takes messages. @throws ApiError */
export async function keepImages(
  definition: ModelDefinition,
  messages: readonly ChatMessage[],
  files: Pick<RequestFiles, 'fetch'>,
): Promise<readonly ChatMessage[]> {
  return takesMessages(definition) ? await withFiles(messages, files) : messages;
}

/** One after the other, so that a refusal leaves no download behind that no one removes. @throws ApiError */
export async function withFiles(
  messages: readonly ChatMessage[],
  files: Pick<RequestFiles, 'fetch'>,
  field = 'messages',
): Promise<ChatMessage[]> {
  const count = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(imageOf) : [],
  ).length;
  if (count > maxImages) throw invalidField(field, 'OUT_OF_RANGE', `${field} may have ${maxImages} images.`);
  const kept: ChatMessage[] = [];
  for (const message of messages) {
    const { content } = message;
    if (!Array.isArray(content)) {
      kept.push(message);
      continue;
    }
    const parts = [];
    for (const part of content) {
      const image = imageOf(part);
      const id = image && (await files.fetch(field, image.url));
      parts.push(image ? { ...part, image_url: { ...image, url: id } } : part);
    }
    kept.push({ ...message, content: parts });
  }
  return kept;
}

/** As an object, or as its URL alone; null: the part is no image. */
function imageOf({ image_url: image }: Record<string, unknown>): { url: string } | null {
  const given = isObject(image) ? image : { url: image };
  return typeof given['url'] === 'string' ? { ...given, url: given['url'] } : null;
}
