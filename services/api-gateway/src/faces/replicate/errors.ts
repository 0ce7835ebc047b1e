import type { ApiError } from '@holdfast/domain/errors';
import { http } from '@holdfast/kit/http';

export type ReplicateError = {
  title: string;
  detail: string;
  status: number;
  invalid_fields?: { type: string; field: string; description: string }[];
};

/** Replicate gives 422 for an input that its model does not take. */
export function replicateStatus({ code, status }: ApiError): number {
  return code === 'INPUT_VALIDATION_ERROR' ? 422 : status;
}

export function replicateError(error: ApiError): ReplicateError {
  const status = replicateStatus(error);
  const { details } = error;
  return {
    title: details.length > 0 ? 'Input validation failed' : (http.STATUS_CODES[status] ?? 'Error'),
    detail: details.length > 0 ? details.map(({ message }) => `- ${message}\n`).join('') : error.message,
    status,
    ...(details.length > 0 && {
      invalid_fields: details.map(({ field, code, message }) => ({
        type: code.toLowerCase(),
        field,
        description: message,
      })),
    }),
  };
}
