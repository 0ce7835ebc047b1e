import { endpointDialects, isNamedIn } from '@holdfast/domain/endpointDialects';
import { subscribableTypes } from '@holdfast/domain/events';

const unnamed = endpointDialects.flatMap((dialect) =>
  subscribableTypes.filter((type) => !isNamedIn(dialect, type)).map((type) => `('${dialect}', '${type}')`),
);

/** As `isNamedIn` of the domain. */
export function isNamedInSql(dialect: string, type: string): string {
  return `(${dialect}, ${type}) NOT IN (${unnamed.join(', ')})`;
}
