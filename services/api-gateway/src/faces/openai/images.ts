import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { fileLimits } from '../requestFiles.ts';
import { createFrom } from '../run.ts';
import { createFromFiles } from './fileRequest.ts';
import { imageFields, imageInput, showsPartialImages } from './imageInput.ts';
import { imagesReply } from './imagesReply.ts';
import { requireNamed } from './models.ts';

const common = {
  method: 'POST',
  tag: 'OpenAI',
  scope: 'executions:write',
  limit: 'create',
  responses: { 200: { description: 'The images', schema: null } },
} as const;

export const postImageGeneration = endpoint({
  ...common,
  path: '/v1/openai/images/generations',
  operationId: 'createOpenaiImage',
  summary: 'Create images',
  body: imageFields,
  async handle({ body, ...call }) {
    const { definition } = await requireNamed(call.context, call.caller, body.model, 'images');
    const created = await createFrom(call, 'POST /v1/openai/images/generations', body, () => ({
      model: definition.slug,
      input: imageInput(definition, body),
      ...(showsPartialImages(definition, body) && { stream: true }),
    }));
    return imagesReply(call, created, body, 'image_generation');
  },
});

const edit = {
  operation: 'images',
  fields: imageFields,
  files: ['image', 'mask'],
  input: imageInput,
  isStreamed: showsPartialImages,
} as const;

export const postImageEdit = endpoint({
  ...common,
  ...fileLimits,
  path: '/v1/openai/images/edits',
  operationId: 'createOpenaiImageEdit',
  summary: 'Edit images',
  body: z.looseObject({}),
  async handle({ body, ...call }) {
    const route = 'POST /v1/openai/images/edits';
    const { created, fields } = await createFromFiles(call, body, { ...edit, route });
    return imagesReply(call, created, fields, 'image_edit');
  },
});

export const postImageVariation = endpoint({
  ...common,
  ...fileLimits,
  path: '/v1/openai/images/variations',
  operationId: 'createOpenaiImageVariation',
  summary: 'Vary an image',
  body: z.looseObject({}),
  async handle({ body, ...call }) {
    const route = 'POST /v1/openai/images/variations';
    const { created, fields } = await createFromFiles(call, body, { ...edit, route });
    return imagesReply(call, created, fields, 'image_edit');
  },
});
