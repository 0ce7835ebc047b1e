import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelFile } from '@holdfast/domain/modelDefinition';
import type { DraftInput } from '../drafts/inputSchema.ts';

type DraftPrice = {
  price: ModelFile['price'] | null;
  priceNote: string;
  /** Whether the seconds are those of the computation. */
  isComputed: boolean;
};

/** From `GET /v1/models/pricing`: an amount and a unit in words. Units that Holdfast can't count stay a note. */
export function draftPrice(
  listed: unknown,
  app: string,
  { schema }: DraftInput,
  isClip: boolean,
): DraftPrice {
  const page = `https://fal.ai/models/${app}`;
  const { prices } = Object(listed);
  const found = (Array.isArray(prices) ? prices : []).find(
    (one) => isObject(one) && one['endpoint_id'] === app,
  );
  const { unit_price: amount, unit, currency } = Object(found);
  if (typeof amount !== 'number' || typeof unit !== 'string')
    return {
      price: null,
      priceNote: `The price is not known (FAL_KEY shows it): see ${page}.`,
      isComputed: false,
    };
  const stated = `fal charges ${decimal(amount)} ${currency} per ${unit}`;
  const text = Object.keys(Object(schema['properties'])).find((name) =>
    ['prompt', 'text', 'input'].includes(name),
  );
  const price = priceOf(unit.toLowerCase(), amount, text);
  if (price === null || currency !== 'USD')
    return { price: null, priceNote: `${stated}: express it by what Holdfast counts.`, isComputed: false };
  return {
    price,
    priceNote: `${stated}: set what you charge.`,
    isComputed: 'per_second' in price && !isClip,
  };
}

function priceOf(unit: string, amount: number, text: string | undefined): ModelFile['price'] | null {
  if (/^(processed )?megapixels?$/.test(unit)) return { per_megapixel: decimal(amount) };
  if (/^images?$/.test(unit)) return { per_image: decimal(amount) };
  if (/^((compute|video|audio) )?seconds?$/.test(unit)) return { per_second: decimal(amount) };
  if (/^(videos?|requests?|generations?|calls?)$/.test(unit)) return { per_run: decimal(amount) };
  const [, thousand, characters] = /^(1000 |1k |thousand )?(characters?)$/.exec(unit) ?? [];
  if (characters === undefined || text === undefined) return null;
  return { per_character: { input: text, price: decimal(thousand === undefined ? amount : amount / 1000) } };
}

/** Without an exponent, to the 12 digits that a price may have. */
const decimal = (amount: number) => amount.toFixed(12).replace(/\.?0+$/, '');
