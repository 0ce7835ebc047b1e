import { isMoney } from '@holdfast/domain/money';
import { UsageError } from '../usageError.ts';

/** An amount as it was typed; whether it is too much is not for us to say. @throws UsageError for what is none */
export function readAmount(of: string, text: string, { isSigned = false } = {}): string {
  if (isMoney(isSigned ? text.replace(/^-/, '') : text)) return text;
  const example = isSigned ? '25.00 or -3.50' : '25.00';
  throw new UsageError(`${of} needs an amount such as ${example}, with at most 8 decimals`);
}
