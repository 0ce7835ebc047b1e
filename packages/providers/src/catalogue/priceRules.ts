import type { OutputKind } from '@holdfast/domain/modelResponse';
import { type PriceLine, priceLines } from '@holdfast/domain/priceLines';
import { isAlwaysGiven, propertyOf, type Schema } from './inputValues.ts';
import type { ModelParts } from './modelParts.ts';
import { type PlacedRow, tableProblems } from './priceTable.ts';
import type { ModelProblem } from './problems.ts';

type Placed = { line: PriceLine; at: PropertyKey[] };

/** Prices that can't apply, and inputs for which there is none. */
export function priceProblems(parts: ModelParts): ModelProblem[] {
  const { output, input_schema: schema } = parts;
  return pricesOf(parts).flatMap((lines) => [
    ...(output ? unusedPrices(lines, output.kind) : []),
    ...(schema ? lines.flatMap((one) => lineProblems(schema, one)) : []),
  ]);
}

/** What clients pay, and what the providers take. */
function pricesOf({ price, provider_price: ofProviders, providers }: ModelParts): Placed[][] {
  return [
    placed(price, ['price']),
    placed(ofProviders, ['provider_price']),
    ...providers.map((route, index) => placed(route?.provider_price, ['providers', index, 'provider_price'])),
  ];
}

function lineProblems(schema: Schema, one: Placed): ModelProblem[] {
  return [...quantityProblems(schema, one), ...tableProblems(schema, rowsOf(one), one.at)];
}

/** The input properties that prices name, and where. */
export function pricedInputs(parts: ModelParts): { path: PropertyKey[]; name: string }[] {
  return pricesOf(parts)
    .flat()
    .flatMap(({ line, at }) => [
      ...('input' in line ? [{ path: [...at, 'input'], name: line.input }] : []),
      ...rowsOf({ line, at }).flatMap(({ when, path }) =>
        Object.keys(when).map((name) => ({ path: [...path, 'when', name], name })),
      ),
    ]);
}

function placed(price: ModelParts['price'], root: PropertyKey[]): Placed[] {
  if (!price) return [];
  const several = Array.isArray(price.per_unit);
  let units = 0;
  return priceLines(price).map((line) => {
    const at = [...root, `per_${line.unit}`];
    return { line, at: line.unit === 'unit' && several ? [...at, units++] : at };
  });
}

function rowsOf({ line, at }: Placed): PlacedRow[] {
  if (typeof line.price === 'string') return [];
  const table = 'input' in line ? [...at, 'price'] : at;
  return line.price.map((row, index) => ({ ...row, path: [...table, index] }));
}

const chargedOn = {
  per_image: ['images', 'raw'],
  per_megapixel: ['images', 'videos', 'raw'],
} as const satisfies Record<string, readonly OutputKind[]>;

function unusedPrices(lines: Placed[], kind: OutputKind): ModelProblem[] {
  return Object.entries(chargedOn)
    .filter(([, kinds]) => !(kinds as readonly string[]).includes(kind))
    .flatMap(([name, kinds]) => {
      const message = `is never charged: the output is ${kind}, not ${kinds.join(' or ')}`;
      const unused = lines.find(({ at }) => at.at(-1) === name);
      return unused ? [{ path: unused.at, message }] : [];
    });
}

/** Whether the property has what is counted in every input. */
function quantityProblems(schema: Schema, { line, at }: Placed): ModelProblem[] {
  if (!('input' in line)) return [];
  const property = propertyOf(schema, line.input);
  if (property === null) return [];
  const isFile = JSON.stringify(property).includes('"format":"file"');
  if (line.unit.startsWith('input_') && !isFile) {
    return [{ path: [...at, 'input'], message: `${line.input} is not a file: it needs \`format: file\`` }];
  }
  if (line.unit !== 'unit' || line.default !== undefined || isAlwaysGiven(schema, line.input)) return [];
  const message = `is missing: ${line.input} is not required and has no default, so it may be absent`;
  return [{ path: [...at, 'default'], message }];
}
