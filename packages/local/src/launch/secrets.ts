import { createHmac, randomBytes } from 'node:crypto';
import { type Role, roles } from '@holdfast/db/roles/rights';
import { readJson, writePrivateJson } from './home.ts';
import { LaunchError } from './launchError.ts';

/** Stored between starts. `apiKey` is the demo organization's, shown at each start. */
export type Secrets = {
  encryptionKeys: string;
  fileUrlSecret: string;
  adminToken: string;
  /** Database role passwords are derived from it. */
  roleSecret: string;
  apiKey?: string;
  /** Not secret, but the same at each start: the port of `npm run webhooks:listen`. */
  webhooksPort?: number;
  /** As stable: the console and the admin API are there. */
  adminPort?: number;
};

function freshSecrets(): Secrets {
  return {
    encryptionKeys: `local:${randomBytes(32).toString('base64')}`,
    fileUrlSecret: randomBytes(32).toString('base64url'),
    adminToken: randomBytes(32).toString('base64url'),
    roleSecret: randomBytes(32).toString('base64url'),
  };
}

/** Homes from before database roles have no `roleSecret`. */
type Kept = Omit<Secrets, 'roleSecret'> & { roleSecret?: string };

function isSecrets(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false;
  const { encryptionKeys, fileUrlSecret, adminToken } = value as Partial<Record<keyof Secrets, unknown>>;
  return [encryptionKeys, fileUrlSecret, adminToken].every((text) => typeof text === 'string' && text !== '');
}

function damaged(path: string): LaunchError {
  return new LaunchError(
    `${path} is damaged: restore it, or remove its whole folder to start with fresh data.`,
  );
}

export function loadSecrets(path: string): Secrets {
  let kept: unknown;
  try {
    kept = readJson(path);
  } catch {
    throw damaged(path);
  }
  if (kept !== undefined && !isSecrets(kept)) throw damaged(path);
  const secrets = { ...freshSecrets(), ...kept };
  if (!kept?.roleSecret) writePrivateJson(path, secrets);
  return secrets;
}

export function keepPorts(
  path: string,
  secrets: Secrets,
  { webhooksPort, adminPort }: Required<Pick<Secrets, 'webhooksPort' | 'adminPort'>>,
): Secrets {
  if (secrets.webhooksPort === webhooksPort && secrets.adminPort === adminPort) return secrets;
  const kept = { ...secrets, webhooksPort, adminPort };
  writePrivateJson(path, kept);
  return kept;
}

export function rolePasswords({ roleSecret }: Secrets): Record<Role, string> {
  const passwordOf = (role: Role) => createHmac('sha256', roleSecret).update(role).digest('hex');
  return Object.fromEntries(roles.map((role) => [role, passwordOf(role)])) as Record<Role, string>;
}
