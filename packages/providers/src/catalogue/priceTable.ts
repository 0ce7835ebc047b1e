import { appliesTo, type PriceRow } from '@holdfast/domain/modelPrice';
import { brokenRule, domainOf, isAlwaysGiven, type Schema, type Value } from './inputValues.ts';
import type { ModelProblem } from './problems.ts';

export type PlacedRow = PriceRow & { path: PropertyKey[] };

/** The most combinations of input values that are compared with the rows of a table. */
const maxCombinations = 20_000;

/** Rows that are never used, and inputs without a row. `at`: where the table is. */
export function tableProblems(schema: Schema, rows: readonly PlacedRow[], at: PropertyKey[]): ModelProblem[] {
  const unknown = rows.flatMap((row) => unknownValues(schema, row));
  const shadowed = rows.flatMap((row, index) => shadows(row, rows.slice(0, index)));
  const problems = [...unknown, ...shadowed];
  if (rows.length === 0 || problems.length > 0) return problems;
  const missing = missingCombination(schema, rows);
  return missing === null ? [] : [{ path: at, message: missing }];
}

function unknownValues(schema: Schema, { when, path }: PlacedRow): ModelProblem[] {
  return Object.entries(when).flatMap(([name, value]) => {
    const { values, isOpen } = domainOf(schema, name);
    const never = `is ${JSON.stringify(value)}, which ${name} never is`;
    const problem = (message: string) => [{ path: [...path, 'when', name], message: `${never}: ${message}` }];
    if (!isOpen) {
      const given = values.map((one) => JSON.stringify(one)).join(', ');
      return values.includes(value) ? [] : problem(`it is ${given}`);
    }
    const rule = brokenRule(schema, name, value);
    return rule === null ? [] : problem(`it ${rule}`);
  });
}

function shadows({ when, path }: PlacedRow, earlier: readonly PlacedRow[]): ModelProblem[] {
  const index = earlier.findIndex((row) => appliesTo(row, when));
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
    if (!rows.some((row) => appliesTo(row, input)))
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
