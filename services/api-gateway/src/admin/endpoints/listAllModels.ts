import { type ModelActivity, readModelActivity } from '@holdfast/db/modelActivity';
import { timeFromNow } from '@holdfast/db/statement';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { jsonObject } from '../../http/fields.ts';
import { sourceField } from '../models.ts';

const Counts = z.object({ completed: z.int(), failed: z.int().describe('FAILED and EXPIRED') });

const Activity = z
  .object({ last_24_hours: Counts, last_7_days: Counts })
  .meta({ id: 'ModelActivity' })
  .optional()
  .describe(
    'With `include=activity`: without executions of test keys; the 7 days are whole days (UTC) and today',
  );

const ModelDefinitionRecord = z
  .object({
    slug: z.string(),
    is_active: z.boolean(),
    source: sourceField,
    definition: jsonObject('The YAML file with defaults filled in', { slug: 'sandbox-text' }),
    activity: Activity,
  })
  .meta({ id: 'ModelDefinition' });

export const listAllModels = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/models',
  tag: 'Models',
  summary: 'List all models with their providers',
  access: 'operator',
  limit: 'other',
  query: z.strictObject({
    include: z.literal('activity').optional().describe('Counts what ran of each model'),
  }),
  responses: {
    200: {
      description: 'The catalogue, including inactive models',
      schema: z
        .object({
          data: z.array(ModelDefinitionRecord),
          has_more_failures: z
            .boolean()
            .optional()
            .describe(
              'With `include=activity`: there are more failures than the newest 20,000, which were counted',
            ),
        })
        .meta({ id: 'ModelDefinitionList' }),
    },
  },
  async handle({ context, query }) {
    const models = await context.models.list();
    const found = query.include && (await readModelActivity(context.db, await timeFromNow(context.db, 0)));
    const activity = new Map(found?.models.map((one) => [one.model, one]));
    const data = models.map(({ definition, isActive, source }) => ({
      slug: definition.slug,
      is_active: isActive,
      source,
      definition,
      ...(found && { activity: activityRecord(activity.get(definition.slug)) }),
    }));
    return { status: 200, body: { data, ...(found && { has_more_failures: found.areMore }) } };
  },
});

const none = { completed: 0, failed: 0 };

function activityRecord({ day = none, week = none }: Partial<ModelActivity> = {}) {
  return { last_24_hours: day, last_7_days: week };
}
