import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chargeFor } from './charge.ts';
import { modelDefinition } from './modelDefinition.ts';
import { MoneyDecimal } from './money.ts';
import { estimateCost, estimateItems } from './pricing.ts';
import type { FileMeasures } from './quantities.ts';

const amount = fc.integer({ min: 0, max: 5_000_000 }).map((micros) => (micros / 1_000_000).toFixed(6));
const table = fc
  .tuple(amount, amount)
  .map(([high, rest]) => [{ when: { hd: true }, price: high }, { price: rest }]);
const price = fc.oneof(amount, table);
const ofFile = fc.record({ input: fc.constant('file'), price, default: fc.nat(100) });

const prices = fc
  .record(
    {
      per_run: price,
      per_second: price,
      per_image: price,
      per_megapixel: price,
      per_input_token: price,
      per_output_token: price,
      per_character: fc.record({ input: fc.constant('prompt'), price }),
      per_input_second: ofFile,
      per_input_megapixel: ofFile,
      per_unit: fc.record({ input: fc.constant('steps'), price, default: fc.nat(50) }),
      minimum: amount,
    },
    { requiredKeys: [] },
  )
  .filter((given) => Object.keys(given).some((name) => name.startsWith('per_')));

const estimate = {
  seconds: { input: 'duration', default: 8 },
  images: { input: 'n', default: 1 },
  megapixels: { width: 'width', height: 'height', default: 1 },
  input_tokens: { input: 'tokens', default: 10 },
};

const definition = fc
  .record({ price: prices, missing_usage: fc.constantFrom('free', 'estimate') })
  .map((part) =>
    modelDefinition.parse({
      slug: 'm',
      provider: { adapter: 'cog', connection: 'gpu', model: 'm' },
      input_schema: { type: 'object' },
      output: { kind: 'images' },
      estimate,
      ...part,
    }),
  );

const number = fc.oneof(fc.nat(5000), fc.double({ min: 0, max: 5000, noNaN: true }));
const numbers = {
  duration: number,
  n: fc.nat(20),
  width: number,
  height: number,
  tokens: number,
  steps: number,
};
const input = fc.record(
  { ...numbers, prompt: fc.string(), hd: fc.boolean(), file: fc.constant('file_a') },
  { requiredKeys: [] },
);

const side = fc.option(fc.integer({ min: 1, max: 65_535 }));
const files = fc
  .record({ width: side, height: side, durationMs: side })
  .map((measures) => new Map<string, FileMeasures>([['file_a', measures]]));

const priced = fc.record({ input, files });

const reported = fc.oneof(number, fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }));
const outcome = fc.record({
  ok: fc.constant(true as const),
  output: fc.array(fc.constant({}), { maxLength: 20 }).map((images) => ({ images })),
  usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
  measured: fc.record({ seconds: reported, megapixels: reported }, { requiredKeys: [] }),
});

it('an estimate is the sum of its items, and has no more than 8 decimals', () => {
  fc.assert(
    fc.property(definition, priced, (of, given) => {
      const items = estimateItems(of, given).map((item) => item.amount);
      const sum = items.reduce((all, one) => all.plus(one), new MoneyDecimal(0));
      expect(estimateCost(of, given)).toBe(sum.toFixed(8, MoneyDecimal.ROUND_UP));
      expect(sum.gte(of.price.minimum ?? 0)).toBe(true);
    }),
  );
});

it('a run that shows nothing is charged at most as estimated', () => {
  const nothing = outcome.map((of) => ({ ...of, usage: { inputTokens: 0, outputTokens: 0 }, measured: {} }));
  fc.assert(
    fc.property(definition, priced, nothing, (of, given, success) => {
      // Images are counted, so more of them than expected cost more.
      const expected = estimateItems(of, given)
        .find(({ unit }) => unit === 'image')
        ?.quantity.toNumber();
      const images = success.output.images.slice(0, expected ?? 20);
      const { cost } = chargeFor(of, given, { ...success, output: { images } });
      expect(new MoneyDecimal(cost).lte(estimateCost(of, given))).toBe(true);
    }),
  );
});

it('an estimate never falls when a number of the input grows', () => {
  fc.assert(
    fc.property(
      definition,
      priced,
      fc.constantFrom(...Object.keys(numbers)),
      fc.nat(100),
      (of, given, name, more) => {
        const present = given.input[name as keyof typeof numbers] ?? 0;
        const less = { ...given, input: { ...given.input, [name]: present } };
        const greater = { ...given, input: { ...given.input, [name]: present + more } };
        // A side of 0 is none: the default applies.
        fc.pre(present > 0 || !['width', 'height'].includes(name));
        expect(new MoneyDecimal(estimateCost(of, greater)).gte(estimateCost(of, less))).toBe(true);
      },
    ),
  );
});

it('whatever a run reports, its cost is a plain decimal, and its usage has the quantities that were charged', () => {
  fc.assert(
    fc.property(definition, priced, outcome, (of, given, success) => {
      const { cost, billed, usage } = chargeFor(of, given, success);
      expect(cost).toMatch(/^\d+\.\d{8}$/);
      const numbersOf = [...Object.values(usage), ...Object.values(billed.units ?? {}), billed.seconds ?? 0];
      expect(numbersOf.every(Number.isFinite)).toBe(true);
    }),
  );
});
