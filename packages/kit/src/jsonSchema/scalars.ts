import { isNumber } from '@holdfast/domain/json';
import { limits } from '@holdfast/domain/limits';
import { compilePattern } from '@holdfast/domain/pattern';
import type { KeywordTable } from './compile.ts';
import { type Check, type Evaluation, report, spend } from './evaluation.ts';
import { equals, isObject } from './values.ts';

/** Keywords of any value, of numbers and of texts. */
export const scalarKeywords: KeywordTable = {
  type: (type, _compiler, { nullable }) => {
    const names = [type, ...(nullable === true ? ['null'] : [])].flat().map(String);
    return check('type', names, (value) => names.some((name) => types[name]?.(value) ?? false));
  },
  enum: (choices) =>
    check('enum', choices, (value, evaluation) =>
      [choices].flat().some((choice) => equals(choice, value, evaluation)),
    ),
  const: (only) => check('const', only, (value, evaluation) => equals(only, value, evaluation)),
  minimum: (limit) => numberCheck('minimum', limit, (value, least) => value >= least),
  maximum: (limit) => numberCheck('maximum', limit, (value, most) => value <= most),
  exclusiveMinimum: (limit) => numberCheck('exclusiveMinimum', limit, (value, least) => value > least),
  exclusiveMaximum: (limit) => numberCheck('exclusiveMaximum', limit, (value, most) => value < most),
  multipleOf: (step) => numberCheck('multipleOf', step, isMultiple),
  maxLength: (limit) =>
    isNumber(limit) ? textCheck('maxLength', limit, (text) => !isLonger(text, Number(limit))) : undefined,
  minLength: (limit) =>
    isNumber(limit) ? textCheck('minLength', limit, (text) => isLonger(text, Number(limit) - 1)) : undefined,
  pattern: (source) => {
    const pattern = compilePattern(String(source));
    return textCheck('pattern', source, (text, evaluation) => {
      spend(evaluation, text.length * pattern.size);
      return pattern.test(text);
    });
  },
  format: (format, { formats }) => {
    const isOfFormat = formats[String(format)];
    return isOfFormat && textCheck('format', format, isOfFormat);
  },
};

const types: Record<string, (value: unknown) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: isNumber,
  integer: (value) => typeof value === 'bigint' || Number.isInteger(value),
  array: Array.isArray,
  object: isObject,
};

type Test<Value> = (value: Value, evaluation: Evaluation) => boolean;

function check(keyword: string, argument: unknown, isRight: Test<unknown>): Check {
  return (value, at, evaluation) => {
    if (!isRight(value, evaluation)) report(evaluation, value, at, { keyword, argument });
  };
}

function textCheck(keyword: string, argument: unknown, isRight: Test<string>): Check {
  return check(keyword, argument, (value, evaluation) => {
    return typeof value !== 'string' || isRight(value, evaluation);
  });
}

type Numeric = number | bigint;

function numberCheck(keyword: string, limit: unknown, isRight: (value: Numeric, limit: Numeric) => boolean) {
  return isNumber(limit)
    ? check(keyword, limit, (value) => !isNumber(value) || isRight(value, limit))
    : undefined;
}

/** Integers exactly; a quotient of fractions may be off by its last digits: 0.3 / 0.1 is 2.9999999999999996. */
function isMultiple(value: Numeric, step: Numeric): boolean {
  if (isWhole(value) && isWhole(step)) return BigInt(value) % BigInt(step) === 0n;
  const quotient = Number(value) / Number(step);
  return Math.abs(Math.round(quotient) - quotient) <= 10 ** -limits.multipleOfPrecision;
}

const isWhole = (value: Numeric) => typeof value === 'bigint' || Number.isInteger(value);

/** Counts characters, of which a text has at most as many as UTF-16 units, and at least half as many. */
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit + 1) return true;
  let length = 0;
  for (const _character of text) length += 1;
  return length > limit;
}
