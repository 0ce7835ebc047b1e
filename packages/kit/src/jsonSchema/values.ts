import { isNumber } from '@holdfast/domain/json';
import { type Evaluation, keysOf, spend } from './evaluation.ts';

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const entriesOf = (value: unknown): [string, unknown][] =>
  isObject(value) ? Object.entries(value) : [];

/** JSON's equality: 1 and 1.0 are one number, and the order of properties does not count. */
export function equals(left: unknown, right: unknown, evaluation: Evaluation): boolean {
  spend(evaluation, 1);
  if (isNumber(left)) return isNumber(right) && !(left < right) && !(left > right);
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((one, index) => equals(one, right[index], evaluation))
    );
  }
  if (!isObject(left)) return left === right;
  if (!isObject(right)) return false;
  const names = keysOf(left, evaluation);
  return (
    names.length === keysOf(right, evaluation).length &&
    names.every((name) => Object.hasOwn(right, name) && equals(left[name], right[name], evaluation))
  );
}

const stepsPerText = 20;

/** Equal values have equal texts, and no others. */
export function textOf(value: unknown, evaluation: Evaluation): string {
  spend(evaluation, stepsPerText);
  if (Array.isArray(value)) return `[${value.map((one) => textOf(one, evaluation)).join()}]`;
  if (isObject(value)) {
    const names = keysOf(value, evaluation).toSorted();
    return `{${names.map((name) => `${JSON.stringify(name)}:${textOf(value[name], evaluation)}`).join()}}`;
  }
  if (typeof value === 'string') spend(evaluation, value.length / 4);
  return Number.isInteger(value) ? BigInt(value as number).toString() : JSON.stringify(value);
}
