import { ApiError } from '@holdfast/domain/errors';
import type { Caller } from '../http/endpoint.ts';

export function mayUseModel({ models }: Pick<Caller, 'models'>, slug: string): boolean {
  return models.length === 0 || models.includes(slug);
}

/** Of what there is beside the key's models it learns nothing. @throws ApiError FORBIDDEN */
export function requireModel(caller: Pick<Caller, 'models'>, slug: string): void {
  if (mayUseModel(caller, slug)) return;
  const allowed = caller.models.map((one) => `\`${one}\``).join(', ');
  throw new ApiError('FORBIDDEN', `This API key may not use this model; it may use ${allowed}.`);
}
