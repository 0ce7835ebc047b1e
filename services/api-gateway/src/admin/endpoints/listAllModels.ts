import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { jsonObject } from '../../http/fields.ts';

const ModelDefinitionRecord = z
  .object({
    slug: z.string(),
    is_active: z.boolean(),
    definition: jsonObject('The YAML file with defaults filled in', { slug: 'sandbox-text' }),
  })
  .meta({ id: 'ModelDefinition' });

export const listAllModels = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/models',
  tag: 'Models',
  summary: 'List all models with their providers',
  access: 'operator',
  limit: 'other',
  responses: {
    200: {
      description: 'The catalogue, including inactive models',
      schema: z.object({ data: z.array(ModelDefinitionRecord) }).meta({ id: 'ModelDefinitionList' }),
    },
  },
  async handle({ context }) {
    const models = await context.models.list();
    const data = models.map(({ definition, isActive }) => ({
      slug: definition.slug,
      is_active: isActive,
      definition,
    }));
    return { status: 200, body: { data } };
  },
});
