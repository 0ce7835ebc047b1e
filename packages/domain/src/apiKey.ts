import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const shape = /^sk_([0-9a-f]{64})_([0-9a-f]{8})$/;

export const apiKeyPermissions = ['full', 'execution'] as const;
export type ApiKeyPermissions = (typeof apiKeyPermissions)[number];

/** What a key may do; models are read with any. */
export const apiKeyScopes = [
  'executions:write',
  'executions:read',
  'files',
  'webhooks',
  'keys',
  'balance',
] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** A `test` key belongs to its organization's test organization: sandbox and play money. */
export const apiKeyModes = ['live', 'test'] as const;
export type ApiKeyMode = (typeof apiKeyModes)[number];

const scopesByPermissions: Record<ApiKeyPermissions, readonly ApiKeyScope[]> = {
  full: apiKeyScopes,
  execution: ['executions:write', 'executions:read', 'files'],
};

/** Of a key whose own `scopes` are empty: what its permissions stand for. */
export function scopesOf(permissions: ApiKeyPermissions, scopes: readonly string[] | null): ApiKeyScope[] {
  const named = apiKeyScopes.filter((scope) => scopes?.includes(scope));
  return scopes && scopes.length > 0 ? named : [...scopesByPermissions[permissions]];
}

/** The permissions that come closest to scopes, for readers that know no scopes. */
export function permissionsOf(scopes: readonly ApiKeyScope[]): ApiKeyPermissions {
  return apiKeyScopes.every((scope) => scopes.includes(scope)) ? 'full' : 'execution';
}

/** Spec, "Authentication" 2: `sk_` + 64 hex + `_` + 8 hex, the CRC32 of the 64 characters. */
export function newApiKey(): string {
  return apiKeyOf(randomBytes(32).toString('hex'));
}

/** The key of a secret that somebody else keeps: 64 hexadecimal digits, small letters. */
export function apiKeyOf(secret: string): string {
  return `sk_${secret}_${checksum(secret)}`;
}

/** Whether a key can be one of ours at all: refuses typos before any look-up. */
export function isApiKeyShape(key: string): boolean {
  const match = shape.exec(key);
  if (!match?.[1] || !match[2]) return false;
  return timingSafeEqual(Buffer.from(checksum(match[1])), Buffer.from(match[2]));
}

/** What is stored of a key: SHA-256 of the whole of it, hex. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** What lists show of a key. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, 11);
}

function checksum(secret: string): string {
  return crc32(secret).toString(16).padStart(8, '0');
}
