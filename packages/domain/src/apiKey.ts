import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isSameSecret } from './constantTime.ts';
import { cellDigits } from './ids.ts';

const shape = /^sk_([0-9a-f]{64})_([0-9a-f]{8})$/;

export const apiKeyPermissions = ['full', 'execution'] as const;
export type ApiKeyPermissions = (typeof apiKeyPermissions)[number];

/** Models can be read with any scope. */
export const apiKeyScopes = [
  'executions:write',
  'executions:read',
  'files',
  'webhooks',
  'keys',
  'balance',
  'portal',
] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** A `test` key belongs to the test organization: sandbox and test balance. */
export const apiKeyModes = ['live', 'test'] as const;
export type ApiKeyMode = (typeof apiKeyModes)[number];

const scopesByPermissions: Record<ApiKeyPermissions, readonly ApiKeyScope[]> = {
  full: apiKeyScopes,
  execution: ['executions:write', 'executions:read', 'files'],
};

export function scopesOf(permissions: ApiKeyPermissions, scopes: readonly string[] | null): ApiKeyScope[] {
  const named = apiKeyScopes.filter((scope) => scopes?.includes(scope));
  return scopes && scopes.length > 0 ? named : [...scopesByPermissions[permissions]];
}

/** The permissions that come closest to these scopes: every key has some. */
export function permissionsOf(scopes: readonly ApiKeyScope[]): ApiKeyPermissions {
  return apiKeyScopes.every((scope) => scopes.includes(scope)) ? 'full' : 'execution';
}

/** Contract 9.2: `sk_` + 64 hex + `_` + 8 hex, the CRC32 of the 64 characters. The first three are the cell. */
export function newApiKey(): string {
  return apiKeyOf(cellDigits() + randomBytes(32).toString('hex').slice(3));
}

/** The key of a secret kept elsewhere: 64 lower-case hex digits. */
export function apiKeyOf(secret: string): string {
  return `sk_${secret}_${checksum(secret)}`;
}

/** Refuses typos before any look-up. */
export function isApiKeyShape(key: string): boolean {
  const match = shape.exec(key);
  if (!match?.[1] || !match[2]) return false;
  return isSameSecret(checksum(match[1]), match[2]);
}

export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

export function apiKeyPrefix(key: string): string {
  return key.slice(0, 11);
}

function checksum(secret: string): string {
  return crc32(secret).toString(16).padStart(8, '0');
}
