import type { Price, Prices } from './modelPrice.ts';

/** Units whose quantity only the run shows. */
export const runUnits = ['run', 'second', 'image', 'megapixel', 'input_token', 'output_token'] as const;
export type RunUnit = (typeof runUnits)[number];

/** Units whose quantity the input determines. */
export const inputUnits = ['character', 'input_second', 'input_megapixel', 'unit'] as const;
export type InputUnit = (typeof inputUnits)[number];

export type RunLine = { unit: RunUnit; price: Price };
/** `input`: the property that has the text, the files or the number. */
export type InputLine = { unit: InputUnit; price: Price; input: string; default?: number | undefined };
/** One price of a model. */
export type PriceLine = RunLine | InputLine;

export function priceLines(prices: Prices): PriceLine[] {
  const ofRun = runUnits.flatMap((unit): RunLine[] => {
    const price = prices[`per_${unit}`];
    return price === undefined ? [] : [{ unit, price }];
  });
  const ofInput = inputUnits.flatMap((unit): InputLine[] =>
    [prices[`per_${unit}`] ?? []].flat().map((one) => ({ unit, ...one })),
  );
  return [...ofRun, ...ofInput];
}

/** For people: `0.04 per image`, `0.011 to 0.25 per image, by quality and size`. */
export function priceLineText(line: PriceLine): string {
  const of = 'input' in line ? ` of ${line.input}` : '';
  const what = `per ${line.unit.replace('input_', 'input' in line ? '' : 'input_').replaceAll('_', ' ')}${of}`;
  if (typeof line.price === 'string') return `${line.price} ${what}`;
  const amounts = line.price.map(({ price }) => price).toSorted((a, b) => Number(a) - Number(b));
  const names = [...new Set(line.price.flatMap(({ when }) => Object.keys(when)))];
  return `${amounts[0]} to ${amounts.at(-1)} ${what}${names.length > 0 ? `, by ${names.join(' and ')}` : ''}`;
}
