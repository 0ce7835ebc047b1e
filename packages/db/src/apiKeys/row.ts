import { type ApiKeyPermissions, type ApiKeyScope, scopesOf } from '@holdfast/domain/apiKey';

/** How far a key reaches. */
export type ApiKeyBounds = {
  scopes: ApiKeyScope[];
  /** Null: it has no end. */
  expiresAt: Date | null;
  /** Slugs that it may name; empty: all. */
  models: string[];
  /** Addresses and CIDR ranges that it may be used from; empty: all. */
  addresses: string[];
};

/** An API key as lists show it: never its value. */
export type ApiKeyRow = ApiKeyBounds & {
  id: string;
  name: string;
  permissions: ApiKeyPermissions;
  prefix: string;
  /** It belongs to the organization's test organization. */
  isTest: boolean;
  createdAt: Date;
  revokedAt: Date | null;
};

/** With the scopes that its permissions stand for when it has none of its own. */
export function withScopes<Row extends { permissions: string; scopes: string[] | null }>(row: Row) {
  const permissions = row.permissions as ApiKeyPermissions;
  return { ...row, permissions, scopes: scopesOf(permissions, row.scopes) };
}
