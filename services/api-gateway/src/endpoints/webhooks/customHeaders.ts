import type { ErrorDetail } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { fieldPath } from '../../http/json.ts';

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Neither line breaks nor anything else that HTTP can't carry. */
const carriedValue = /^[\t\x20-\x7e\x80-\xff]*$/;

const reserved = [
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect)$/i,
  /^(content|proxy|webhook)-/i,
  /^x-signature/i,
];

/** What is wrong with the headers that a client wants on its deliveries; ours and hop-by-hop ones are not theirs to set. */
export function headerProblems(headers: Record<string, string>): ErrorDetail[] {
  const names = Object.keys(headers);
  if (names.length > limits.customHeaders)
    return [tooMuch(`there may be at most ${limits.customHeaders} headers`)];
  const problems = names.flatMap((name) => problemsOf(name, headers));
  if (problems.length > 0) return problems;
  const sizeBytes = names.reduce((sum, name) => sum + bytesOf(name, headers[name]), 0);
  return sizeBytes > limits.customHeadersBytes
    ? [tooMuch(`headers exceed ${limits.customHeadersBytes} bytes in all`)]
    : [];
}

const tooMuch = (message: string) => ({ field: 'headers', code: 'OUT_OF_RANGE', message: `${message}.` });

function problemsOf(name: string, headers: Record<string, string>): ErrorDetail[] {
  const isRepeated = Object.keys(headers).some(
    (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
  );
  const problem = isRepeated
    ? { code: 'DUPLICATE', message: 'is given twice' }
    : headerProblem(name, headers[name] ?? '');
  if (!problem) return [];
  const field = fieldPath('headers', name);
  return [{ field, code: problem.code, message: `${field} ${problem.message}.` }];
}

function headerProblem(name: string, value: string): { code: string; message: string } | null {
  if (!token.test(name)) return { code: 'INVALID_HEADER', message: 'is not a header name' };
  if (reserved.some((shape) => shape.test(name))) {
    return { code: 'RESERVED_HEADER', message: 'may not be set' };
  }
  if (!carriedValue.test(value)) {
    return { code: 'INVALID_HEADER', message: 'has a value that HTTP cannot carry' };
  }
  return bytesOf(name, value) > limits.customHeaderBytes
    ? { code: 'OUT_OF_RANGE', message: `exceeds ${limits.customHeaderBytes} bytes` }
    : null;
}

const bytesOf = (name: string, value = '') => Buffer.byteLength(name) + Buffer.byteLength(value);

/** An endpoint's custom headers as they are stored: sealed, for they often carry credentials. Null: none. */
export function sealedHeaders(box: { seal(plain: string): string }, headers: Record<string, string>) {
  return Object.keys(headers).length === 0 ? null : box.seal(JSON.stringify(headers));
}
