import { describe, expect, it } from '@jest/globals';
import { chargeFor } from './charge.ts';
import { type ModelDefinition, modelDefinition } from './modelDefinition.ts';
import type { Success } from './outcome.ts';
import { estimateCost as costOf, estimateItems as itemsOf } from './pricing.ts';
import type { FileMeasures } from './quantities.ts';

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

type Input = Record<string, unknown>;
const noFiles = new Map<string, FileMeasures>();

const estimateCost = (definition: ModelDefinition, input: Input, files = noFiles) =>
  costOf(definition, { input, files });
const estimateItems = (definition: ModelDefinition, input: Input) =>
  itemsOf(definition, { input, files: noFiles });
const charge = (definition: ModelDefinition, outcome: Success, input: Input = {}, files = noFiles) =>
  chargeFor(definition, { input, files }, outcome);
const actualCost = (definition: ModelDefinition, outcome: Success, input: Input = {}) =>
  charge(definition, outcome, input).cost;

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
    expect(actualCost(definition, success({ output: { images: [{}, {}] } }))).toBe('0.20000000');
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

describe('a quantity that a run neither reports nor shows', () => {
  const seconds = model({
    price: { per_second: '0.40' },
    estimate: { seconds: { input: 'duration', default: 8 } },
  });
  const pixels = model({
    price: { per_megapixel: '0.03' },
    estimate: {
      images: { input: 'n', default: 1 },
      megapixels: { width: 'width', height: 'height', default: 4 },
    },
  });
  const size = { width: 400, height: 300 };
  const tokens = model({ price: { per_input_token: '0.1', per_output_token: '0.2', per_run: '0.5' } });

  it.each<[string, ModelDefinition, Input, Partial<Success>, ReturnType<typeof charge>['billed'], string]>([
    ['seconds', seconds, { duration: 4 }, {}, { seconds: 4 }, '1.60000000'],
    ['megapixels', pixels, size, { output: { images: [{}] } }, { megapixels: 0.12 }, '0.00360000'],
    [
      'megapixels',
      pixels,
      { ...size, n: 2 },
      { output: { images: [{}] } },
      { megapixels: 0.12 },
      '0.00360000',
    ],
    ['megapixels', pixels, size, { output: { images: [{}, {}] } }, { megapixels: 0.12 }, '0.00360000'],
  ])('counts as estimated for this input: %s', (name, definition, input, outcome, billed, cost) => {
    expect(charge(definition, success(outcome), input)).toMatchObject({
      cost,
      billed: { ...billed, estimated: [name] },
      missing: [name],
    });
  });

  it('is shown in the usage as it was charged, tokens too', () => {
    const outcome = success({ usage: { inputTokens: 0, outputTokens: 3 } });
    const input = { prompt: 'x'.repeat(40) };
    expect(charge(tokens, outcome, input)).toEqual({
      cost: '2.10000000',
      usage: { inputTokens: 10, outputTokens: 3 },
      billed: { estimated: ['input_tokens'] },
      missing: ['input_tokens'],
    });
  });

  it('costs nothing with `missing_usage: free`, but is not forgotten', () => {
    const free = { ...seconds, missing_usage: 'free' } as const;
    expect(charge(free, success({}), { duration: 4 })).toEqual({
      cost: '0.00000000',
      usage: { inputTokens: 0, outputTokens: 0 },
      billed: { seconds: 0 },
      missing: ['seconds'],
    });
  });

  it('is no concern when its price is 0', () => {
    const definition = model({ price: { per_output_token: '0', per_run: '1' } });
    expect(charge(definition, success({})).missing).toEqual([]);
  });

  it('is named `cost` when the provider should have reported it', () => {
    const definition = model({ price: { per_run: '1', cost_from_provider: true } });
    expect(charge(definition, success({}))).toMatchObject({
      cost: '1.00000000',
      missing: ['cost'],
      billed: {},
    });
    expect(charge(definition, success({ measured: { cost: '0.5' } })).missing).toEqual([]);
  });
});

describe('a price of the input', () => {
  const measured = (part: Partial<FileMeasures>) => ({
    width: null,
    height: null,
    durationMs: null,
    ...part,
  });
  const files = new Map<string, FileMeasures>([
    ['file_song', measured({ durationMs: 62_023 })],
    ['file_clip', measured({ durationMs: 2000, width: 1920, height: 1080 })],
    ['file_odd', measured({})],
  ]);

  it.each<[object, Input, string, object]>([
    [
      { per_character: { input: 'text', price: '0.00001' } },
      { text: 'Grüße 👋', voice: 'a' },
      '0.00007000',
      { characters: 7 },
    ],
    [
      { per_character: { input: 'text', price: '0.00001' } },
      { text: ['ab', 'c'] },
      '0.00003000',
      { characters: 3 },
    ],
    [{ per_unit: { input: 'steps', price: '0.001' } }, { steps: 28 }, '0.02800000', { units: { steps: 28 } }],
    [
      { per_unit: { input: 'steps', price: '0.001', default: 20 } },
      {},
      '0.02000000',
      { units: { steps: 20 } },
    ],
    [
      { per_unit: { input: 'length', price: '0.1' } },
      { length: '8s' },
      '0.80000000',
      { units: { length: 8 } },
    ],
    [
      {
        per_unit: [
          { input: 'steps', price: '0.001' },
          { input: 'frames', price: '0.01' },
        ],
      },
      { steps: 10, frames: 3 },
      '0.04000000',
      { units: { steps: 10, frames: 3 } },
    ],
    [
      { per_input_second: { input: 'audio', price: '0.0001', default: 60 } },
      { audio: 'file_song' },
      '0.00620230',
      { input_seconds: 62.023 },
    ],
    [
      { per_input_second: { input: 'audio', price: '0.01', default: 60 } },
      { audio: ['file_clip', 'file_clip'] },
      '0.04000000',
      { input_seconds: 4 },
    ],
    [
      { per_input_second: { input: 'audio', price: '1', default: 60 } },
      {},
      '0.00000000',
      { input_seconds: 0 },
    ],
    [
      { per_input_megapixel: { input: 'image', price: '1', default: 1 } },
      { image: 'file_clip' },
      '2.07360000',
      { input_megapixels: 2.0736 },
    ],
  ])('%j is charged for %j as estimated', (price, input, cost, billed) => {
    const definition = model({ price });
    expect(estimateCost(definition, input, files)).toBe(cost);
    expect(charge(definition, success({}), input, files)).toMatchObject({ cost, billed, missing: [] });
  });

  it('counts a file that can not be measured as its default, and says so', () => {
    const definition = model({ price: { per_input_second: { input: 'audio', price: '0.01', default: 60 } } });
    const input = { audio: ['file_clip', 'file_odd'] };
    expect(estimateCost(definition, input, files)).toBe('0.62000000');
    expect(charge(definition, success({}), input, files)).toMatchObject({
      cost: '0.62000000',
      billed: { input_seconds: 62, estimated: ['input_seconds'] },
      missing: ['input_seconds'],
    });
    const free = charge({ ...definition, missing_usage: 'free' }, success({}), input, files);
    expect(free).toMatchObject({ cost: '0.02000000', billed: { input_seconds: 2 } });
  });

  it('is missing for a file that can not be measured, even if its default is 0', () => {
    const definition = model({ price: { per_input_second: { input: 'audio', price: '1', default: 0 } } });
    expect(charge(definition, success({}), { audio: 'file_odd' }, files).missing).toEqual(['input_seconds']);
  });

  it('may be what the output is estimated by', () => {
    const upscaler = model({
      price: { per_megapixel: '0.1', per_second: '0.01' },
      estimate: {
        megapixels: { input: 'video', default: 1 },
        seconds: { input: 'video', default: 10 },
      },
    });
    expect(estimateCost(upscaler, { video: 'file_clip' }, files)).toBe('0.22736000');
    expect(estimateCost(upscaler, { video: 'file_odd' }, files)).toBe('0.20000000');
  });
});

describe('a table of prices', () => {
  const definition = model({
    price: {
      per_image: [
        { when: { quality: 'low', size: '1024x1024' }, price: '0.011' },
        { when: { quality: 'low' }, price: '0.016' },
        { when: { hd: true }, price: '0.25' },
        { when: { steps: 4 }, price: '0.1' },
      ],
      per_unit: { input: 'steps', price: [{ when: { hd: true }, price: '1' }, { price: '2' }] },
    },
  });

  it.each([
    [{ quality: 'low', size: '1024x1024', steps: 1 }, '2.01100000'],
    [{ quality: 'low', size: '1536x1024', hd: true, steps: 1 }, '1.01600000'],
    [{ quality: 'high', hd: true, steps: 2 }, '2.25000000'],
    [{ quality: 'high', hd: false, steps: 4 }, '8.10000000'],
    // No row is for it, which `models validate` refuses: the highest price.
    [{ steps: 3 }, '6.25000000'],
  ])('applies its first row that fits %j', (input, cost) => {
    expect(estimateCost(definition, input)).toBe(cost);
    expect(actualCost(definition, success({ output: { images: [{}] } }), input)).toBe(cost);
  });
});

describe('a minimum', () => {
  const definition = model({
    price: { per_character: { input: 'text', price: '0.001' }, minimum: '0.01', cost_from_provider: true },
  });

  it('is an item that adds what is left', () => {
    const items = estimateItems(definition, { text: 'abc' });
    expect(items.map(({ unit, amount }) => [unit, amount.toFixed()])).toEqual([
      ['character', '0.003'],
      ['minimum', '0.007'],
    ]);
    expect(estimateItems(definition, { text: 'x'.repeat(10) })).toHaveLength(1);
  });

  it('is the least that a run is charged, also where the provider reports its cost', () => {
    expect(charge(definition, success({}), { text: 'abc' })).toMatchObject({
      cost: '0.01000000',
      billed: { characters: 3 },
    });
    expect(actualCost(definition, success({ measured: { cost: '0.002' } }))).toBe('0.01000000');
    expect(actualCost(definition, success({ measured: { cost: '0.02' } }))).toBe('0.02000000');
  });
});

describe('modelDefinition', () => {
  it('refuses a model without a price', () => {
    expect(() => model({ price: {} })).toThrow('at least one price');
    expect(() => model({ price: { cost_from_provider: true } })).toThrow('at least one price');
    expect(() => model({ price: { minimum: '1' } })).toThrow('at least one price');
    expect(() => model({})).toThrow();
  });
});

describe('price.batch', () => {
  const perRun = { per_run: '0.00000003' };
  const reported = { per_run: '1', cost_from_provider: true };

  it.each([
    [
      'its part of the price, rounded against the client once',
      { ...perRun, batch: '0.5' },
      '0.00000002',
      '0.00000002',
    ],
    ['a third', { ...perRun, batch: '0.3333' }, '0.00000001', '0.00000001'],
    ['nothing, when it is 0', { ...perRun, batch: '0' }, '0.00000000', '0.00000000'],
    ['its part of a reported cost', { ...reported, batch: '0.5' }, '0.50000000', '0.02000000'],
    ['the whole price where there is none', perRun, '0.00000003', '0.00000003'],
  ])('estimates and charges the items of batches at %s', (_what, price, estimate, charged) => {
    const definition = model({ price });
    const priced = { input: {}, files: noFiles };
    expect(costOf(definition, priced, true)).toBe(estimate);
    const outcome = success({ measured: { cost: '0.04' } });
    expect(chargeFor(definition, priced, outcome, true).cost).toBe(charged);
  });
});
