import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { targetOf } from '@holdfast/domain/modelOpenai';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import type { Reply } from '../../http/endpoint.ts';
import { fileLimits } from '../requestFiles.ts';
import { type Created, type FaceCall, whenCompleted } from '../run.ts';
import { createFromFiles } from './fileRequest.ts';
import { eventText, streamCompleted } from './finalEvents.ts';
import { flag } from './imageInput.ts';
import { inputFor, mapped } from './mapping.ts';
import { choicesOf } from './properties.ts';
import { subtitlesOf, type Transcript, transcriptOf } from './transcript.ts';

const formats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;

const transcriptionFields = z.looseObject({
  model: z.string().min(1).max(200),
  response_format: z.enum(formats).nullish(),
  stream: flag.nullish(),
});

type Fields = z.infer<typeof transcriptionFields>;

const common = {
  ...fileLimits,
  method: 'POST',
  tag: 'OpenAI',
  scope: 'executions:write',
  limit: 'create',
  body: z.looseObject({}),
  responses: { 200: { description: 'The text', schema: null } },
} as const;

const taken = {
  fields: transcriptionFields,
  files: ['file'],
  operation: 'transcriptions',
} as const;

export const postTranscription = endpoint({
  ...common,
  path: '/v1/openai/audio/transcriptions',
  operationId: 'createOpenaiTranscription',
  summary: 'Transcribe a recording',
  async handle({ body, ...call }) {
    const route = 'POST /v1/openai/audio/transcriptions';
    const { created, fields } = await createFromFiles(call, body, {
      ...taken,
      route,
      input: transcriptionInput,
    });
    return transcriptReply(call, created, fields, 'transcribe');
  },
});

export const postTranslation = endpoint({
  ...common,
  path: '/v1/openai/audio/translations',
  operationId: 'createOpenaiTranslation',
  summary: 'Translate a recording into English',
  async handle({ body, ...call }) {
    const route = 'POST /v1/openai/audio/translations';
    const input = (definition: ModelDefinition, fields: Fields) => ({
      ...transcriptionInput(definition, fields),
      ...translation(definition),
    });
    const { created, fields } = await createFromFiles(call, body, { ...taken, route, input });
    return transcriptReply(call, created, fields, 'translate');
  },
});

/** @throws ApiError for a format that the model does not offer */
function transcriptionInput(definition: ModelDefinition, fields: Fields): Record<string, unknown> {
  const { model: _model, stream: _stream, response_format: format, ...rest } = fields;
  if ((format === 'srt' || format === 'vtt') && definition.output.kind === 'text')
    throw unsupported('response_format', `The model does not offer the format \`${format}\`.`);
  return inputFor(
    definition,
    'transcriptions',
    Object.entries(rest).map(([field, value]) => ({ field, value })),
  );
}

/** @throws ApiError for a model that transcribes only */
function translation(definition: ModelDefinition): Record<string, unknown> {
  const target = targetOf(definition, 'transcriptions', 'task') ?? 'task';
  const takes =
    typeof target === 'string' ? choicesOf(definition, target)?.includes('translate') : 'input' in target;
  if (!takes) throw unsupported('model', 'The model does not translate recordings.');
  return inputFor(definition, 'transcriptions', [{ field: 'task', value: 'translate' }]);
}

function unsupported(field: string, message: string): ApiError {
  return new ApiError('INPUT_VALIDATION_ERROR', message, {
    details: [{ field, code: 'unsupported_parameter', message }],
    headers: { 'x-should-retry': 'false' },
  });
}

function transcriptReply(
  call: FaceCall,
  created: Created,
  { response_format: format, stream }: Fields,
  task: 'transcribe' | 'translate',
): Reply {
  const read = async (execution: Execution) =>
    transcriptOf(await mapped(call.context, execution, 'transcriptions'));
  if (stream === true)
    return streamCompleted(call, created, (execution) => transcriptEvents(read(execution)));
  return whenCompleted(call, created, async (execution) => {
    const { text, segments, language, durationS } = await read(execution);
    if (format === 'text') return sendText(call, `${text}\n`, 'text/plain');
    if (format === 'srt' || format === 'vtt') {
      if (segments === null)
        throw unsupported('response_format', `The model does not offer the format \`${format}\`.`);
      return sendText(call, subtitlesOf(segments, format), format === 'vtt' ? 'text/vtt' : 'text/plain');
    }
    if (format !== 'verbose_json')
      return { text, ...(durationS !== null && { usage: { type: 'duration', seconds: durationS } }) };
    const known = Object.entries({ language, duration: durationS, segments });
    return { task, text, ...Object.fromEntries(known.filter(([, value]) => value !== null)) };
  });
}

async function* transcriptEvents(transcript: Promise<Transcript>): AsyncGenerator<string> {
  const { text } = await transcript;
  yield eventText({ type: 'transcript.text.delta', delta: text });
  yield eventText({ type: 'transcript.text.done', text });
}

function sendText({ raw: { response } }: FaceCall, text: string, type: string): null {
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Cache-Control', 'no-store');
  response.end(text);
  return null;
}
