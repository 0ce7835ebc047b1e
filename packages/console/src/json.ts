import { isNumber, parseJson as parseExactly } from '../../domain/src/json.ts';

export { isNumber };

/** With the digits of long integers, in browsers that can send them as they were (from 2025 on). */
export const parseJson: (text: string) => unknown = Object.hasOwn(JSON, 'rawJSON')
  ? parseExactly
  : JSON.parse;
