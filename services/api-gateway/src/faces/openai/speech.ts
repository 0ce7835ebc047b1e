import type { Execution } from '@holdfast/domain/execution';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { sendObject } from '@holdfast/files/objectResponse';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { respondStoreError } from '../../files/storage.ts';
import type { RawRequest } from '../../http/endpoint.ts';
import { takeStreamSlot } from '../eventStream.ts';
import { base64, openFile } from '../outputFiles.ts';
import { createFrom, type FaceCall, whenCompleted } from '../run.ts';
import { eventText, streamCompleted } from './finalEvents.ts';
import { inputFor } from './mapping.ts';
import { requireNamed } from './models.ts';
import { requireOutput } from './output.ts';

const speechBody = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.string().min(1),
  voice: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  stream_format: z.enum(['audio', 'sse']).nullish(),
});

export const postSpeech = endpoint({
  method: 'POST',
  path: '/v1/openai/audio/speech',
  operationId: 'createOpenaiSpeech',
  tag: 'OpenAI',
  summary: 'Speak a text',
  scope: 'executions:write',
  limit: 'create',
  body: speechBody,
  responses: { 200: { description: 'The audio', schema: null } },
  async handle({ body, ...call }) {
    const { definition } = await requireNamed(call.context, call.caller, body.model, 'speech');
    if (body.stream_format === 'sse') takeStreamSlot(call);
    const created = await createFrom(call, 'POST /v1/openai/audio/speech', body, () => ({
      model: definition.slug,
      input: speechInput(definition, body),
    }));
    if (body.stream_format === 'sse')
      return streamCompleted(call, created, (execution) => speechEvents(call, execution));
    return whenCompleted(call, created, (execution) => sendSpeech(call, execution));
  },
});

function speechInput(definition: ModelDefinition, body: z.infer<typeof speechBody>): Record<string, unknown> {
  const { model: _model, stream_format: _stream, input, voice, ...rest } = body;
  return inputFor(definition, 'speech', [
    ...Object.entries(rest).map(([field, value]) => ({ field, value })),
    { field: 'input', value: input, isEssential: true },
    { field: 'voice', value: typeof voice === 'string' ? voice : voice?.id },
  ]);
}

async function sendSpeech(call: FaceCall & { raw: RawRequest }, execution: Execution): Promise<null> {
  const [{ key, filename, contentType }] = await requireOutput(call, execution, 'speech');
  const { request, response } = call.raw;
  await sendObject(request, response, call.context.store, { key, filename, contentType }, respondStoreError);
  return null;
}

async function* speechEvents(call: FaceCall, execution: Execution): AsyncGenerator<string> {
  const [file] = await requireOutput(call, execution, 'speech');
  for await (const audio of base64(await openFile(call.context.store, file)))
    yield eventText({ type: 'speech.audio.delta', audio });
  yield eventText({ type: 'speech.audio.done' });
}
