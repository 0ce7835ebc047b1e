import { endpoint } from '../../context/endpoint.ts';
import { createFrom } from '../run.ts';
import { embeddingsBody, embeddingsInput } from './embeddingsInput.ts';
import { requireNamed } from './models.ts';
import { vectorsReply } from './vectors.ts';

export const postEmbeddings = endpoint({
  method: 'POST',
  path: '/v1/openai/embeddings',
  operationId: 'createOpenaiEmbeddings',
  tag: 'OpenAI',
  summary: 'Create embeddings',
  scope: 'executions:write',
  limit: 'create',
  maxJsonBytes: 4_194_304,
  body: embeddingsBody,
  responses: { 200: { description: 'The vectors', schema: null } },
  async handle({ body, ...call }) {
    const { definition } = await requireNamed(call.context, call.caller, body.model, 'embeddings');
    const created = await createFrom(call, 'POST /v1/openai/embeddings', body, () => ({
      model: definition.slug,
      input: embeddingsInput(definition, body),
    }));
    return vectorsReply(call, created, { model: body.model, isBase64: body.encoding_format === 'base64' });
  },
});
