import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { EndedExecution, Execution } from '@holdfast/domain/execution';
import { limits } from '@holdfast/domain/limits';
import type { ObjectStore } from '@holdfast/files/store';
import { findReadyFile, type ReadyFile } from '../../files/readyFiles.ts';
import type { Reply } from '../../http/endpoint.ts';
import { followOutput } from '../../watching/outputStream.ts';
import type { FaceEvents } from '../eventStream.ts';
import { base64, openFile } from '../outputFiles.ts';
import { type Created, type FaceCall, whenCompleted } from '../run.ts';
import { usageOf } from './completion.ts';
import { streamCompleted } from './finalEvents.ts';
import type { ImageFields } from './imageInput.ts';
import { requireOutput } from './output.ts';

/** As clients give up on one that stalls. */
const stallMs = 60_000;

/** The reply with the images of an execution, or with events if the client asked for them. */
export function imagesReply(
  call: FaceCall,
  created: Created,
  fields: ImageFields,
  name: 'image_generation' | 'image_edit',
): Reply {
  const { response_format: format, stream } = fields;
  if (stream === true)
    return streamCompleted(
      call,
      created,
      (execution) => imageEvents(call, execution, fields, `${name}.completed`),
      fields.partial_images ? (events) => writePartialImages(call, created, fields, name, events) : undefined,
    );
  return whenCompleted(call, created, async (execution) => {
    const files = await requireOutput(call, execution, 'images');
    if (format !== 'url') return await sendImages(call, execution, files);
    const data = await Promise.all(
      files.map(async ({ key, filename, contentType }) => ({
        url: await call.context.store.presignDownload({
          key,
          filename,
          contentType,
          expiresInS: limits.downloadUrlS,
        }),
      })),
    );
    return { ...about(execution), data };
  });
}

function about(execution: EndedExecution): object {
  const usage = tokensOf(execution);
  return { created: seconds(execution.completedAt), ...(usage.total_tokens > 0 && { usage }) };
}

function tokensOf(execution: EndedExecution) {
  const { prompt_tokens, completion_tokens, total_tokens } = usageOf(execution);
  return { input_tokens: prompt_tokens, output_tokens: completion_tokens, total_tokens };
}

const seconds = (time: Date | null) => Math.floor((time?.getTime() ?? Date.now()) / 1000);

/** Writes the images a piece at a time: memory does not grow with them. */
async function sendImages(
  { context: { store }, raw: { response } }: FaceCall,
  execution: Execution,
  [first, ...others]: [ReadyFile, ...ReadyFile[]],
): Promise<null> {
  // An error before the headers is one for the client.
  const bytes = await openFile(store, first);
  response.statusCode = 200;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.setTimeout(stallMs);
  const body = imagesBody(store, execution, bytes, others);
  await pipeline(Readable.from(body), response).catch(() => response.destroy());
  bytes.destroy();
  return null;
}

/** A body with the images in base64; `bytes` are those of the first one. */
export async function* imagesBody(
  store: ObjectStore,
  execution: EndedExecution,
  bytes: Readable,
  others: readonly ReadyFile[],
): AsyncGenerator<string> {
  try {
    yield `${JSON.stringify(about(execution)).slice(0, -1)},"data":[{"b64_json":"`;
    yield* base64(bytes);
    for (const file of others) {
      yield '"},{"b64_json":"';
      yield* base64(await openFile(store, file));
    }
    yield '"}]}';
  } finally {
    bytes.destroy();
  }
}

async function* imageEvents(
  call: FaceCall,
  execution: Execution,
  fields: ImageFields,
  type: string,
): AsyncGenerator<string> {
  const tokens = tokensOf(execution);
  const details = { text_tokens: tokens.input_tokens, image_tokens: 0 };
  const usage = { ...tokens, input_tokens_details: details };
  for (const file of await requireOutput(call, execution, 'images'))
    yield* imageEvent(call, file, fields, { type, created_at: seconds(execution.completedAt), usage });
}

/** Writes as many as the client asked for, while they are made. A stream that is no longer kept has none. */
async function writePartialImages(
  call: FaceCall,
  { execution: { id } }: Created,
  fields: ImageFields,
  name: string,
  events: FaceEvents,
): Promise<void> {
  const { context, caller } = call;
  const type = `${name}.partial_image`;
  let partial_image_index = 0;
  for await (const { data } of followOutput({ ...context, id, after: 0, over: events.over })) {
    const { image } = JSON.parse(data) as { image?: unknown };
    if (typeof image !== 'string' || partial_image_index === fields.partial_images) continue;
    const file = await findReadyFile(context, caller, image).catch(() => null);
    if (file === null) continue;
    const about = { type, created_at: seconds(file.createdAt), partial_image_index };
    partial_image_index += 1;
    await events.writePieces(imageEvent(call, file, fields, about));
  }
}

async function* imageEvent(
  { context: { store } }: FaceCall,
  file: ReadyFile,
  fields: ImageFields,
  about: { type: string; created_at: number } & Record<string, unknown>,
): AsyncGenerator<string> {
  const bytes = await openFile(store, file);
  const { quality, background } = fields;
  const { width, height, contentType } = file;
  const look = {
    size: width === null ? (fields.size ?? 'auto') : `${width}x${height}`,
    quality: typeof quality === 'string' ? quality : 'auto',
    background: typeof background === 'string' ? background : 'auto',
    output_format: contentType.replace('image/', ''),
  };
  const head = JSON.stringify({ ...about, ...look }).slice(0, -1);
  yield `event: ${about.type}\ndata: ${head},"b64_json":"`;
  yield* base64(bytes);
  yield '"}\n\n';
}
