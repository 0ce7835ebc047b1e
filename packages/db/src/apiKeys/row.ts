import type { ApiKeyPermissions } from '@holdfast/domain/apiKey';

/** An API key as lists show it: never its value. */
export type ApiKeyRow = {
  id: string;
  name: string;
  permissions: ApiKeyPermissions;
  prefix: string;
  createdAt: Date;
  revokedAt: Date | null;
};
