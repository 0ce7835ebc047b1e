import type { Database } from '@holdfast/db/client';
import { applyModels } from '@holdfast/db/models';
import { modelDefinition } from '@holdfast/domain/modelDefinition';

const provider = { adapter: 'cog', connection: 'secret_provider', model: 'theirs' };

/** Models with every kind of input rule. A run of `painter` with `images: 10` is held at 0.60. */
const definitions = [
  {
    slug: 'writer',
    provider,
    input_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['prompt'],
      properties: { prompt: { type: 'string', minLength: 1 } },
    },
    price: { per_run: '0.01' },
    output: { kind: 'text' },
  },
  {
    slug: 'painter',
    provider,
    input_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['prompt'],
      properties: {
        prompt: { type: 'string', minLength: 1 },
        width: { type: 'integer', minimum: 16, maximum: 4096 },
        format: { enum: ['png', 'jpeg'] },
        source: { type: 'string', format: 'file' },
        images: { type: 'integer', minimum: 1 },
        seed: { type: 'integer' },
        cost: { anyOf: [{ type: 'string', pattern: '^\\d+$' }, { type: 'number' }] },
        style: { type: 'object', additionalProperties: false, properties: { tone: { type: 'string' } } },
      },
    },
    price: { per_image: '0.05' },
    estimate: { images: { input: 'images', default: 1 } },
    timeout_s: 300,
    output: { kind: 'images' },
  },
  {
    slug: 'keyless',
    provider,
    input_schema: { type: 'object' },
    price: { per_run: '0.01' },
    output: { kind: 'raw' },
  },
  {
    slug: 'retired',
    active: false,
    provider,
    input_schema: { type: 'object' },
    price: { per_run: '0.01' },
    output: { kind: 'raw' },
  },
];

/** `keyless` has no configured provider, and `retired` is inactive. */
export async function applyTestModels(db: Database): Promise<void> {
  const models = definitions.map((one) => modelDefinition.parse(one));
  await applyModels(db, models, ({ active, slug }) => active && slug !== 'keyless');
}
