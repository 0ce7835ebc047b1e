import { type ModelFile, modelDefinition } from '@holdfast/domain/modelDefinition';
import { mappingOf } from '@holdfast/domain/outcome';
import { describe, expect, it } from '@jest/globals';
import { reportedFailure } from './failure.ts';

const connection = { baseUrl: 'http://gpu', apiKey: 'hunter2hunter2' };
const words = 'AzureException: 9999 is greater than the maximum for acme/model';

function mapping(more: Partial<ModelFile> = {}, given = {}) {
  const definition = modelDefinition.parse({
    slug: 'painter',
    provider: {
      adapter: 'cog',
      connection: 'gpu',
      model: 'acme/model',
      input: { rename: { prompt: 'text' }, set: { steps: 4 }, omit: ['note'] },
    },
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string' },
        note: { type: 'string' },
        steps: { type: 'integer' },
        size: { type: 'object', properties: { width: { type: 'integer' } } },
        images: { type: 'array', items: { type: 'string', format: 'file' } },
      },
    },
    price: { per_run: '0.01' },
    output: { kind: 'images' },
    ...more,
  });
  const [route] = definition.providers;
  if (route === undefined) throw new Error('the model has no provider');
  return mappingOf(definition, route, given);
}

const messageOf = (code: Parameters<typeof reportedFailure>[0]['code'], more: Partial<ModelFile> = {}) =>
  reportedFailure({ text: words, code }, mapping(more), connection).message;

describe('the message of a failed run', () => {
  it.each([
    ['INPUT_VALIDATION_ERROR', 'The model refused the input.'],
    ['FILE_FORMAT_UNSUPPORTED', 'The format of a file is not supported by the model.'],
    ['CONTENT_MODERATION_REJECTED', 'The input or the output was rejected by content moderation.'],
    ['GENERATION_FAILED', 'The model failed to generate a result.'],
    ['MODEL_OVERLOADED', 'The model is overloaded. Try again later.'],
    ['SERVICE_UNAVAILABLE', 'The service is not available at the moment.'],
  ] as const)('for %s is our own, whatever the provider reports', (code, message) => {
    const failure = reportedFailure({ text: words, code }, mapping(), connection);
    expect(failure).toEqual({ ok: false, code, message, raw: words });
  });

  it.each([
    [[['text']], 'input.prompt'],
    [
      [
        ['size', 'width'],
        ['images', 1],
      ],
      'input.size.width, input.images.1',
    ],
    [
      [
        ['size', 'AzureSize'],
        ['images', 'azure'],
      ],
      'input.size, input.images',
    ],
    [[['text'], ['text', 'x']], 'input.prompt'],
    [[['seed']], 'input.seed'],
  ])("uses the client's names of the fields that the provider reports: %j", (fields, names) => {
    const report = { text: words, code: 'INPUT_VALIDATION_ERROR', fields } as const;
    expect(reportedFailure(report, mapping({}, { seed: 'x' }), connection).message).toBe(
      `The model refused the input: check ${names}.`,
    );
  });

  it.each([
    [[]],
    [['prompt']],
    [['steps']],
    [['note']],
    [['azure_deployment']],
    [['__proto__']],
    [['constructor']],
  ])('omits fields that clients do not set: %j', (...path) => {
    const report = { text: words, code: 'INPUT_VALIDATION_ERROR', fields: path } as const;
    expect(reportedFailure(report, mapping(), connection).message).toBe('The model refused the input.');
  });

  it('is the text of the provider if the model shows it, without our keys', () => {
    const all = { show_to_clients: ['validation', 'moderation'] } satisfies Partial<ModelFile>;
    expect(messageOf('INPUT_VALIDATION_ERROR', all)).toBe(words);
    expect(messageOf('CONTENT_MODERATION_REJECTED', all)).toBe(words);
    expect(messageOf('GENERATION_FAILED', all)).toBe('The model failed to generate a result.');
    expect(messageOf('CONTENT_MODERATION_REJECTED', { show_to_clients: ['validation'] })).toBe(
      'The input or the output was rejected by content moderation.',
    );
    const text = 'hunter2hunter2 is no prompt';
    expect(reportedFailure({ text, code: 'INPUT_VALIDATION_ERROR' }, mapping(all), connection).message).toBe(
      '[key] is no prompt',
    );
  });

  it('is that of the rule of the model', () => {
    const ruled = (rule: object) =>
      messageOf('GENERATION_FAILED', { errors: [{ match: 'greater', ...rule }] });
    expect(ruled({ code: 'INPUT_VALIDATION_ERROR' })).toBe('The model refused the input.');
    expect(ruled({ code: 'INPUT_VALIDATION_ERROR', message: 'Too wide.' })).toBe('Too wide.');
    expect(ruled({ match: '(?<message>\\d+ is .* maximum)', code: 'INPUT_VALIDATION_ERROR' })).toBe(
      '9999 is greater than the maximum',
    );
    expect(ruled({ match: 'nothing of it', code: 'INPUT_VALIDATION_ERROR' })).toBe(
      'The model failed to generate a result.',
    );
  });
});
