import type { ExecutionErrorCode } from '@holdfast/domain/errors';

/** A run that fails as it should. Cog knows only an error text, so the code stands before the message. */
export class ModelError extends Error {
  constructor(code: ExecutionErrorCode, message: string) {
    super(`${code}: ${message}`);
    this.name = 'ModelError';
  }
}
