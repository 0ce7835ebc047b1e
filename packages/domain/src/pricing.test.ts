import { describe, expect, it } from '@jest/globals';
import { type ModelDefinition, modelDefinition } from './modelDefinition.ts';
import type { Success } from './outcome.ts';
import { actualCost, estimateCost, estimateItems } from './pricing.ts';

function model(part: Record<string, unknown>): ModelDefinition {
  return modelDefinition.parse({
    slug: 'm',
    provider: { adapter: 'cog', connection: 'gpu', model: 'm' },
    input_schema: { type: 'object' },
    output: { kind: 'text' },
    ...part,
  });
}

function success(part: Partial<Success>): Success {
  return { ok: true, output: {}, usage: { inputTokens: 0, outputTokens: 0 }, measured: {}, ...part };
}

describe('estimateCost', () => {
  it('adds up all prices of the model', () => {
    const definition = model({
      price: { per_run: '0.01', per_second: '0.002', per_image: '0.04' },
      estimate: { seconds: 5, images: 2 },
    });
    expect(estimateCost(definition, {})).toBe('0.10000000');
  });

  it('takes the number of images from the input, or its default', () => {
    const definition = model({
      price: { per_image: '0.04' },
      estimate: { images: { input: 'count', default: 1 } },
    });
    expect(estimateCost(definition, { count: 3 })).toBe('0.12000000');
    expect(estimateCost(definition, {})).toBe('0.04000000');
    expect(estimateCost(definition, { count: 'many' })).toBe('0.04000000');
  });

  it('takes a quarter of the characters as tokens, nested ones too', () => {
    const definition = model({ price: { per_input_token: '0.001' } });
    expect(estimateCost(definition, { messages: [{ content: 'x'.repeat(7) }, { content: 'y' }] })).toBe(
      '0.00200000',
    );
  });

  it.each([
    [{ size: '1024x768' }, '0.15728640'],
    [{ width: 512, height: 512, images: 3 }, '0.07864320'],
    [{ size: 'auto', width: 1000, height: 1000 }, '0.30000000'],
    [{ width: 512 }, '0.30000000'],
    [{ width: -1, height: 512 }, '0.30000000'],
    [{}, '0.30000000'],
  ])('takes the megapixels of every image from the input %j, or their default', (input, cost) => {
    const definition = model({
      price: { per_megapixel: '0.1' },
      estimate: {
        images: { input: 'images', default: 2 },
        megapixels: { size: 'size', width: 'width', height: 'height', default: 1.5 },
      },
    });
    expect(estimateCost(definition, input)).toBe(cost);
  });

  it('assumes one megapixel per image without an estimate', () => {
    expect(estimateCost(model({ price: { per_megapixel: '0.1' } }), {})).toBe('0.10000000');
    const withEstimate = model({ price: { per_megapixel: '0.1' }, estimate: { images: 2, megapixels: 0.5 } });
    expect(estimateCost(withEstimate, { width: 9, height: 9 })).toBe('0.10000000');
  });

  it('is the exact sum of one item for each price', () => {
    const definition = model({
      price: { per_run: '0.01', per_megapixel: '0.00000003', per_output_token: '0' },
      estimate: { megapixels: { width: 'width', height: 'height', default: 1 }, output_tokens: 7 },
    });
    const input = { width: 1001, height: 999 };
    const items = estimateItems(definition, input).map(({ unit, quantity, unitPrice, amount }) =>
      [unit, quantity.toFixed(), unitPrice, amount.toFixed()].join(' '),
    );
    expect(items).toEqual([
      'run 1 0.01 0.01',
      'megapixel 0.999999 0.00000003 0.00000002999997',
      'output_token 7 0 0',
    ]);
    expect(estimateCost(definition, input)).toBe('0.01000003');
  });

  it('rounds up at 8 decimals', () => {
    const definition = model({ price: { per_second: '0.000000001' }, estimate: { seconds: 11 } });
    expect(estimateCost(definition, {})).toBe('0.00000002');
  });
});

describe('actualCost', () => {
  it('charges the measured amounts', () => {
    const definition = model({
      price: { per_second: '0.1', per_input_token: '0.01', per_output_token: '0.02' },
    });
    const outcome = success({ usage: { inputTokens: 3, outputTokens: 5 }, measured: { seconds: 0.3 } });
    expect(actualCost(definition, outcome)).toBe('0.16000000');
  });

  it('counts the images of the output when the provider reports no number', () => {
    const definition = model({ price: { per_image: '0.04' } });
    expect(actualCost(definition, success({ output: { images: [{}, {}, {}] } }))).toBe('0.12000000');
  });

  it('charges measured megapixels, and estimates for anything not measured', () => {
    const definition = model({ price: { per_megapixel: '0.1' }, estimate: { megapixels: 2 } });
    expect(actualCost(definition, success({ measured: { megapixels: 0.786432, images: 9 } }))).toBe(
      '0.07864320',
    );
    expect(actualCost(definition, success({ output: { images: [{}, {}] } }))).toBe('0.40000000');
  });

  it("uses the provider's cost only if the model says so", () => {
    const outcome = success({ measured: { cost: '0.123456785' } });
    expect(actualCost(model({ price: { per_run: '1', cost_from_provider: true } }), outcome)).toBe(
      '0.12345679',
    );
    expect(actualCost(model({ price: { per_run: '1' } }), outcome)).toBe('1.00000000');
  });

  it.each([
    ['2.1e-05', '0.00002100'],
    ['1E-7', '0.00000010'],
    ['0.0', '0.00000000'],
    ['0.1234567890123456789', '0.12345679'],
  ])('takes the cost %s of a header exactly', (cost, charged) => {
    const definition = model({ price: { per_run: '1', cost_from_provider: true } });
    expect(actualCost(definition, success({ measured: { cost } }))).toBe(charged);
  });

  it.each(['-1', 'NaN', '1e30', '99999999999', 'None', '', `0.${'1'.repeat(41)}`])(
    'does not believe a cost of %s',
    (cost) => {
      const definition = model({ price: { per_run: '1', cost_from_provider: true } });
      expect(actualCost(definition, success({ measured: { cost } }))).toBe('1.00000000');
    },
  );
});

describe('modelDefinition', () => {
  it('refuses a model without a price', () => {
    expect(() => model({ price: {} })).toThrow('at least one price');
    expect(() => model({ price: { cost_from_provider: true } })).toThrow('at least one price');
    expect(() => model({})).toThrow();
  });
});
