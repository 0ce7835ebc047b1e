import { readModel } from '@holdfast/db/models';
import { parseJson } from '@holdfast/domain/json';
import { modelChanges } from '@holdfast/domain/modelChanges';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { checkModel, modelVersion, sourceField, yamlField } from '../models.ts';

const Problem = z
  .object({ line: z.int().nullable().describe('From 1; null: the whole text'), message: z.string() })
  .meta({ id: 'ModelProblem' });

const value = (which: string) => z.string().nullable().describe(`The value ${which}, as JSON; null: none`);

const Change = z
  .object({
    field: z.string().meta({ example: 'price.per_run' }),
    from: value('that it has'),
    to: value('that it would have'),
  })
  .meta({ id: 'ModelChange' });

const Check = z
  .object({
    slug: z.string().nullable().describe('Null: the text has no valid one'),
    is_valid: z.boolean(),
    problems: z.array(Problem),
    warnings: z.array(Problem).describe('Also of a valid text'),
    current: z
      .object({ version: modelVersion, source: sourceField })
      .meta({ id: 'CurrentModel' })
      .nullable()
      .describe('The model that it would replace, and the version to name in `PUT`; null: it is new'),
    changes: z
      .array(Change)
      .describe('What a valid text would change, with the defaults of both; for a new model everything'),
    is_offered: z.boolean().describe('Whether it would be offered'),
    missing: z.string().nullable().meta({
      description: 'Why no provider could run it; null: one could, or the text is not valid',
      example: 'ACME_BASE_URL is not set',
    }),
  })
  .meta({ id: 'ModelCheck' });

export const postModelCheck = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/models/check',
  tag: 'Models',
  summary: 'Check a model',
  description:
    'A dry run of applying its YAML: all problems with their lines, and what it would change. Changes nothing.',
  access: 'operator',
  limit: 'other',
  isReading: true,
  body: z.strictObject({ yaml: yamlField }).meta({ id: 'ModelCheckRequest' }),
  responses: { 200: { description: 'The problems and changes', schema: Check } },
  errors: ['SERVICE_UNAVAILABLE'],
  async handle({ context, body }) {
    const { slug, definition, problems, warnings, isOffered, missing } = await checkModel(context, {
      yaml: body.yaml,
      active: null,
    });
    const current = slug === null ? null : await readModel(context.db, slug);
    const reply: z.infer<typeof Check> = {
      slug,
      is_valid: definition !== null,
      problems,
      warnings,
      current: current && { version: current.version, source: current.source },
      changes: definition === null ? [] : modelChanges(current?.definition ?? {}, parseJson(definition)),
      is_offered: isOffered,
      missing,
    };
    return { status: 200, body: reply };
  },
});
