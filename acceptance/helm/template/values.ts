export type Dict = { [key: string]: unknown };

export const isDict = (value: unknown): value is Dict =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether Go's templates treat a value as true: not zero, not empty. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isDict(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Formats a value for the output; nil is empty, as in Helm. @throws for values that Go formats differently */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  throw new Error(`Go would write ${JSON.stringify(value)} otherwise`);
}

/** The value at a path. A missing key is nil; a field of nil is an error. */
export function fieldOf(value: unknown, fields: string[]): unknown {
  return fields.reduce<unknown>((inside, field) => {
    if (isDict(inside)) return inside[field];
    throw new Error(`.${field} of ${JSON.stringify(inside)}`);
  }, value);
}
