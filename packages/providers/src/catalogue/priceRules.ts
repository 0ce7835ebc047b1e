import type { PriceRow } from '@holdfast/domain/modelPrice';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import { type PriceLine, priceLines } from '@holdfast/domain/priceLines';
import type { ModelParts } from './modelParts.ts';
import type { ModelProblem } from './problems.ts';

type Schema = Record<string, unknown>;
type Placed = { line: PriceLine; at: PropertyKey[] };

/** Prices that can't apply, and inputs for which there is none. */
export function priceProblems({ price, output, input_schema: schema }: ModelParts): ModelProblem[] {
  if (!price) return [];
  const lines = placed(price);
  return [
    ...(output ? unusedPrices(lines, output.kind) : []),
    ...(schema
      ? lines.flatMap((one) => [...quantityProblems(schema, one), ...tableProblems(schema, one)])
      : []),
  ];
}

/** The input properties that prices name, and where. */
export function pricedInputs({ price }: ModelParts): { path: PropertyKey[]; name: string }[] {
  return (price ? placed(price) : []).flatMap(({ line, at }) => [
    ...('input' in line ? [{ path: [...at, 'input'], name: line.input }] : []),
    ...rowsOf({ line, at }).flatMap(({ when, path }) =>
      Object.keys(when).map((name) => ({ path: [...path, 'when', name], name })),
    ),
  ]);
}

function placed(price: NonNullable<ModelParts['price']>): Placed[] {
  const several = Array.isArray(price.per_unit);
  let units = 0;
  return priceLines(price).map((line) => {
    const at = ['price', `per_${line.unit}`];
    return { line, at: line.unit === 'unit' && several ? [...at, units++] : at };
  });
}

type PlacedRow = PriceRow & { path: PropertyKey[] };

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
      return lines.some(({ at }) => at[1] === name) ? [{ path: ['price', name], message }] : [];
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

/** The most combinations of input values that are compared with the rows of a table. */
const maxCombinations = 20_000;

function tableProblems(schema: Schema, one: Placed): ModelProblem[] {
  const rows = rowsOf(one);
  const unknown = rows.flatMap((row) => unknownValues(schema, row));
  const shadowed = rows.flatMap((row, index) => shadows(row, rows.slice(0, index)));
  const problems = [...unknown, ...shadowed];
  if (rows.length === 0 || problems.length > 0) return problems;
  const missing = missingCombination(schema, rows);
  return missing === null ? [] : [{ path: one.at, message: missing }];
}

function unknownValues(schema: Schema, { when, path }: PlacedRow): ModelProblem[] {
  return Object.entries(when).flatMap(([name, value]) => {
    const { values, isOpen } = domainOf(schema, name);
    if (isOpen || values.includes(value)) return [];
    const message = `is ${JSON.stringify(value)}, which ${name} never is: it is ${values.map((one) => JSON.stringify(one)).join(', ')}`;
    return [{ path: [...path, 'when', name], message }];
  });
}

function shadows({ when, path }: PlacedRow, earlier: readonly PlacedRow[]): ModelProblem[] {
  const index = earlier.findIndex((row) =>
    Object.entries(row.when).every(([name, value]) => when[name] === value),
  );
  return index === -1 ? [] : [{ path, message: `is never used: row ${index} applies to the same inputs` }];
}

/** The first inputs that no row is for, in words; null: there are none. */
function missingCombination(schema: Schema, rows: readonly PlacedRow[]): string | null {
  if (rows.some(({ when }) => Object.keys(when).length === 0)) return null;
  const names = [...new Set(rows.flatMap(({ when }) => Object.keys(when)))];
  const domains = names.map((name) => candidates(schema, name, rows));
  const count = domains.reduce((product, { length }) => product * length, 1);
  const advice = 'add a row, or a last row without `when`';
  if (count > maxCombinations) return `depends on too many combinations of ${names.join(', ')}: ${advice}`;
  for (let nth = 0; nth < count; nth += 1) {
    const values = combination(domains, nth);
    const input: Record<string, Candidate | undefined> = Object.fromEntries(
      names.map((name, index) => [name, values[index]]),
    );
    const isPriced = rows.some(({ when }) =>
      Object.entries(when).every(([name, value]) => input[name] === value),
    );
    if (!isPriced)
      return `has no row for ${names.map((name) => inWords(name, input[name])).join(', ')}: ${advice}`;
  }
  return null;
}

/** Stands for every value that no row names, and for none. */
const other: unique symbol = Symbol('other');
type Candidate = Value | typeof other;

function candidates(schema: Schema, name: string, rows: readonly PlacedRow[]): Candidate[] {
  const { values, isOpen } = domainOf(schema, name);
  if (!isOpen) return isAlwaysGiven(schema, name) ? values : [...values, other];
  const named = rows.flatMap(({ when }) => (Object.hasOwn(when, name) ? [when[name] as Value] : []));
  return [...new Set([...named, ...values]), other];
}

function combination(domains: readonly Candidate[][], nth: number): (Candidate | undefined)[] {
  let rest = nth;
  return domains.map((domain) => {
    const value = domain[rest % domain.length];
    rest = Math.floor(rest / domain.length);
    return value;
  });
}

function inWords(name: string, value: Candidate | undefined): string {
  return typeof value === 'symbol' ? `no ${name}, or another one` : `${name} ${JSON.stringify(value)}`;
}

type Value = string | number | boolean;
/** Open: there may be other values, too. */
type Domain = { values: Value[]; isOpen: boolean };

function domainOf(schema: Schema, name: string): Domain {
  const property = propertyOf(schema, name);
  const isOpen = { values: [], isOpen: true };
  if (property === null) return isOpen;
  const { type, enum: choices, const: only } = property;
  const given = only === undefined ? choices : [only];
  if (given === undefined) return type === 'boolean' ? { values: [true, false], isOpen: false } : isOpen;
  if (!Array.isArray(given)) return isOpen;
  const values = given.filter((one): one is Value => ['string', 'number', 'boolean'].includes(typeof one));
  return { values, isOpen: values.length < given.length };
}

/** Only where the schema itself declares it: parts of a choice may differ. */
function propertyOf({ properties }: Schema, name: string): Schema | null {
  const found = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(found) ? found : null;
}

/** Defaults other than null are filled in before a run is priced. */
function isAlwaysGiven(schema: Schema, name: string): boolean {
  const { required } = schema;
  const isRequired = Array.isArray(required) && required.includes(name);
  return isRequired || (propertyOf(schema, name)?.['default'] ?? null) !== null;
}

function isObject(value: unknown): value is Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
