import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Execution } from '@holdfast/domain/execution';
import { limits } from '@holdfast/domain/limits';
import type { ReadyFile } from '../../files/readyFiles.ts';
import type { Reply } from '../../http/endpoint.ts';
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
  { response_format: format, stream }: Pick<ImageFields, 'response_format' | 'stream'>,
  event: string,
): Reply {
  if (stream === true)
    return streamCompleted(call, created, (execution) => imageEvents(call, execution, event));
  return whenCompleted(call, created, async (execution) => {
    const files = await requireOutput(call, execution);
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

function about(execution: Execution): object {
  const { prompt_tokens, completion_tokens, total_tokens } = usageOf(execution);
  const usage = { input_tokens: prompt_tokens, output_tokens: completion_tokens, total_tokens };
  return {
    created: Math.floor((execution.completedAt ?? execution.createdAt).getTime() / 1000),
    ...(total_tokens > 0 && { usage }),
  };
}

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
  const pieces = async function* () {
    yield `${JSON.stringify(about(execution)).slice(0, -1)},"data":[{"b64_json":"`;
    yield* base64(bytes);
    for (const file of others) {
      yield '"},{"b64_json":"';
      yield* base64(await openFile(store, file));
    }
    yield '"}]}';
  };
  await pipeline(Readable.from(pieces()), response).catch(() => response.destroy());
  bytes.destroy();
  return null;
}

async function* imageEvents(call: FaceCall, execution: Execution, event: string): AsyncGenerator<string> {
  const { created, usage } = { usage: undefined, created: 0, ...about(execution) };
  for (const file of await requireOutput(call, execution)) {
    const bytes = await openFile(call.context.store, file);
    const fields = JSON.stringify({ type: event, created_at: created, usage }).slice(0, -1);
    yield `event: ${event}\ndata: ${fields},"b64_json":"`;
    yield* base64(bytes);
    yield '"}\n\n';
  }
}
