import type { Decimal } from 'decimal.js';
import { toNumber } from './json.ts';
import type { Estimate } from './modelPrice.ts';
import { MoneyDecimal } from './money.ts';
import type { InputLine, InputUnit, RunUnit } from './priceLines.ts';

/** Pixels, and milliseconds of audio and video; null: unknown. */
export type FileMeasures = { width: number | null; height: number | null; durationMs: number | null };

/** The input of an execution, and what is known about the files that it refers to. */
export type PricedInput = {
  input: Readonly<Record<string, unknown>>;
  files: ReadonlyMap<string, FileMeasures>;
};

export type ExpectedQuantity = (estimate: Estimate, priced: PricedInput) => Decimal;

/** What a run with this input is expected to consume. */
export const expectedQuantity: Record<RunUnit, ExpectedQuantity> = {
  run: () => decimal(1),
  second: ({ seconds }, priced) => count(seconds, priced, secondsOf) ?? decimal(0),
  image: expectedImages,
  megapixel: (estimate, priced) =>
    expectedMegapixels(estimate, priced).times(expectedImages(estimate, priced)),
  input_token: expectedInputTokens,
  output_token: (estimate, priced) =>
    count(estimate.output_tokens, priced) ?? expectedInputTokens(estimate, priced),
};

export function expectedImages({ images }: Estimate, priced: PricedInput): Decimal {
  return count(images, priced) ?? decimal(1);
}

function expectedInputTokens({ input_tokens: rule }: Estimate, priced: PricedInput): Decimal {
  return count(rule, priced) ?? decimal(Math.ceil(textLength(priced.input) / 4));
}

/** The megapixels that one image is expected to have. */
export function expectedMegapixels({ megapixels: rule }: Estimate, { input, files }: PricedInput): Decimal {
  if (rule === undefined || typeof rule === 'number') return decimal(rule ?? 1);
  const named = (name: string | undefined) => (name === undefined ? undefined : input[name]);
  const size = named(rule.size);
  const sides = typeof size === 'string' ? sidesIn(size) : [named(rule.width), named(rule.height)];
  const [width, height] = sides;
  if (isSide(width) && isSide(height)) return decimal(width).times(height).div(1_000_000);
  return filesIn(named(rule.input), files).map(megapixelsOf)[0] ?? decimal(rule.default);
}

/** `known`: without the part that rests on a default or an estimate, if the quantity `isMissing` in whole or in part. */
export type Quantity = { quantity: Decimal; known: Decimal; isMissing: boolean };

export function inputQuantity(line: InputLine, priced: PricedInput): Quantity {
  return ofInput[line.unit](line, priced);
}

const ofInput: Record<InputUnit, (line: InputLine, priced: PricedInput) => Quantity> = {
  character: ({ input: name }, { input }) => exactly(characters(input[name])),
  input_second: (line, priced) => ofFiles(line, priced, secondsOf),
  input_megapixel: (line, priced) => ofFiles(line, priced, megapixelsOf),
  unit: ({ input: name, default: preset = 0 }, { input }) => exactly(numberIn(input[name]) ?? preset),
};

function exactly(value: number): Quantity {
  const quantity = decimal(value);
  return { quantity, known: quantity, isMissing: false };
}

function ofFiles(
  { input: name, default: preset = 0 }: InputLine,
  { input, files }: PricedInput,
  measure: Measure,
): Quantity {
  const found = filesIn(input[name], files).map(measure);
  const sum = (otherwise: number) =>
    found.reduce<Decimal>((total, one) => total.plus(one ?? otherwise), decimal(0));
  return { quantity: sum(preset), known: sum(0), isMissing: found.includes(null) };
}

type Rule = Estimate['images'];

function count(rule: Rule, { input, files }: PricedInput, measure: Measure = () => null): Decimal | null {
  if (rule === undefined) return null;
  if (typeof rule === 'number') return decimal(rule);
  const given = input[rule.input];
  const number = numberIn(given);
  if (number !== null) return decimal(number);
  const found = filesIn(given, files).map(measure);
  if (found.every((one) => one === null)) return decimal(rule.default);
  return found.reduce<Decimal>((total, one) => total.plus(one ?? rule.default), decimal(0));
}

/** Also "8" and "8s", as some providers name lengths. */
function numberIn(value: unknown): number | null {
  const isText = typeof value === 'string' && /^\d{1,12}(\.\d{1,12})?s?$/.test(value);
  const number = isText ? Number.parseFloat(value) : toNumber(value);
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

type Measure = (file: FileMeasures | null) => Decimal | null;

const secondsOf: Measure = (file) => (file?.durationMs ? decimal(file.durationMs).div(1000) : null);
const megapixelsOf: Measure = (file) =>
  file?.width && file.height ? decimal(file.width).times(file.height).div(1_000_000) : null;

/** One entry for each text, which refers to a file; null: nothing is known about it. */
function filesIn(value: unknown, files: PricedInput['files']): (FileMeasures | null)[] {
  if (Array.isArray(value)) return value.flatMap((one) => filesIn(one, files));
  return typeof value === 'string' ? [files.get(value) ?? null] : [];
}

function sidesIn(size: string): number[] {
  return /^(\d{1,6})[x×*](\d{1,6})$/i.exec(size)?.slice(1).map(Number) ?? [];
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

const textLength = (value: unknown) => sumOfTexts(value, (text) => text.length);

/** As people count them: an emoji of one code point is one. */
const characters = (value: unknown) =>
  sumOfTexts(value, (text) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0));

function sumOfTexts(value: unknown, lengthOf: (text: string) => number): number {
  if (typeof value === 'string') return lengthOf(value);
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + sumOfTexts(one, lengthOf), 0);
}

function decimal(value: Decimal.Value): Decimal {
  return new MoneyDecimal(value);
}
