import type { z } from 'zod';

type Issue = z.core.$ZodIssue | z.core.$ZodRawIssue;

/** The types of zod and of JSON Schema, in words. */
export const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

/**
 * Leaves out sizes that zod reports besides what counts: the size of a value of the wrong type, such as the length of a
 * text in place of a list, and the limit of all integers where the field's own is exceeded as well.
 */
export function withoutNeedlessSizes(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const placeOf = (issue: z.core.$ZodIssue) => JSON.stringify(issue.path);
  const placesOf = (found: z.core.$ZodIssue[]) => new Set(found.map(placeOf));
  const wrongTypes = placesOf(issues.filter(({ code }) => code === 'invalid_type'));
  const ownLimits = placesOf(issues.filter((issue) => isSize(issue) && !isLimitOfIntegers(issue)));
  return issues.filter((issue) => {
    const besides = isLimitOfIntegers(issue) ? ownLimits : wrongTypes;
    return !(isSize(issue) && besides.has(placeOf(issue)));
  });
}

const isSize = ({ code }: Issue) => code === 'too_small' || code === 'too_big';

const isLimitOfIntegers = (issue: Issue) =>
  (issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER) ||
  (issue.code === 'too_small' && issue.minimum === Number.MIN_SAFE_INTEGER);

/** What would be valid, where zod's own message only names types and operators. Undefined: zod's own words. */
export function requirementOf(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] && `must be ${typeNames[issue.expected]}`;
    case 'invalid_value':
      return describeChoices(issue.values);
    case 'too_small':
      if (isNumber(issue.origin))
        return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
      return describeMinLength(issue.minimum, unitOf(issue.origin));
    case 'too_big':
      if (isNumber(issue.origin))
        return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
      return describeMaxLength(issue.maximum, unitOf(issue.origin));
    default:
      return undefined;
  }
}

const isNumber = (origin: string) => origin === 'number' || origin === 'int';

export function describeChoices(values: readonly unknown[]): string {
  return `must be ${values.length === 1 ? '' : 'one of '}${values.map((value) => JSON.stringify(value)).join(', ')}`;
}

const plurals = { character: 'characters', item: 'items', property: 'properties' };

type Unit = keyof typeof plurals;

const unitOf = (origin: string): Unit => (origin === 'string' ? 'character' : 'item');

export function describeMinLength(minimum: number | bigint, unit: Unit): string {
  return Number(minimum) === 1 ? 'must not be empty' : `must have at least ${counted(minimum, unit)}`;
}

export function describeMaxLength(maximum: number | bigint, unit: Unit): string {
  return `must have at most ${counted(maximum, unit)}`;
}

function counted(count: number | bigint, unit: Unit): string {
  return `${count} ${Number(count) === 1 ? unit : plurals[unit]}`;
}
