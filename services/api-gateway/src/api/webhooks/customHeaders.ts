import type { ErrorDetail } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { fieldPath } from '../../http/validate.ts';

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Without line breaks and anything else that HTTP cannot carry. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

const reserved = [
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect)$/i,
  /^(content|proxy|webhook)-/i,
  /^x-signature/i,
];

/** Problems of the custom headers of an endpoint. Hop-by-hop headers and the ones Holdfast sets are reserved. */
export function headerProblems(headers: Record<string, string>): ErrorDetail[] {
  const names = Object.keys(headers);
  if (names.length > limits.customHeaders)
    return [tooMuch(`at most ${limits.customHeaders} headers are allowed`)];
  const problems = names.flatMap((name) => problemsOf(name, headers));
  if (problems.length > 0) return problems;
  const sizeBytes = names.reduce((sum, name) => sum + bytesOf(name, headers[name]), 0);
  return sizeBytes > limits.customHeadersBytes
    ? [tooMuch(`headers exceed ${limits.customHeadersBytes} bytes in total`)]
    : [];
}

const tooMuch = (message: string) => ({ field: 'headers', code: 'OUT_OF_RANGE', message: `${message}.` });

function problemsOf(name: string, headers: Record<string, string>): ErrorDetail[] {
  const isRepeated = Object.keys(headers).some(
    (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
  );
  const problem = isRepeated
    ? { code: 'DUPLICATE', message: 'is given more than once' }
    : headerProblem(name, headers[name] ?? '');
  if (!problem) return [];
  const field = fieldPath('headers', name);
  return [{ field, code: problem.code, message: `${field} ${problem.message}.` }];
}

function headerProblem(name: string, value: string): { code: string; message: string } | null {
  if (!token.test(name)) return { code: 'INVALID_HEADER', message: 'is not a valid header name' };
  if (reserved.some((shape) => shape.test(name))) {
    return { code: 'RESERVED_HEADER', message: 'is reserved and cannot be set' };
  }
  if (!headerValue.test(value)) {
    return { code: 'INVALID_HEADER', message: 'has a value that is not valid in HTTP' };
  }
  return bytesOf(name, value) > limits.customHeaderBytes
    ? { code: 'OUT_OF_RANGE', message: `exceeds ${limits.customHeaderBytes} bytes` }
    : null;
}

const bytesOf = (name: string, value = '') => Buffer.byteLength(name) + Buffer.byteLength(value);

/** Custom headers are stored sealed, because they often contain credentials. Null: none. */
export function sealedHeaders(box: { seal(plain: string): string }, headers: Record<string, string>) {
  return Object.keys(headers).length === 0 ? null : box.seal(JSON.stringify(headers));
}
