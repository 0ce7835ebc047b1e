import type { Schemas } from '../../api.ts';
import { text } from '../../strings.ts';

export type Role = Schemas['CurrentSession']['role'];

const order: readonly Role[] = ['viewer', 'support', 'admin'];

/** Why an operator may not do something; null: they may. The API decides: this only explains. */
export const missingRole = (role: Role | undefined, needed: Role): string | null =>
  role && order.indexOf(role) >= order.indexOf(needed) ? null : text.needsRole(needed);
