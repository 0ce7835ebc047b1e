import { createHmac, randomBytes } from 'node:crypto';
import { type Role, roles } from '@holdfast/db/roles/rights';
import { LaunchError } from './launchError.ts';
import { readJson, writePrivateJson } from './privateFile.ts';

/** What a home keeps between starts. `apiKey` is the demo organization's, which is shown again at each start. */
export type Secrets = {
  encryptionKeys: string;
  fileUrlSecret: string;
  adminToken: string;
  /** The passwords of the database roles are made of it. */
  roleSecret: string;
  apiKey?: string;
  /** No secret, but the same at each start: where `npm run webhooks:listen` listens. */
  webhooksPort?: number;
};

function freshSecrets(): Secrets {
  return {
    encryptionKeys: `local:${randomBytes(32).toString('base64')}`,
    fileUrlSecret: randomBytes(32).toString('base64url'),
    adminToken: randomBytes(32).toString('base64url'),
    roleSecret: randomBytes(32).toString('base64url'),
  };
}

/** A home that was made before there were roles has no `roleSecret`. */
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

/** The secrets kept at `path`, made and written (mode 600) at the first start. */
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

/** Keeps what was chosen at this start for the next ones. Answers the secrets as they are now. */
export function keepWebhooksPort(path: string, secrets: Secrets, webhooksPort: number): Secrets {
  if (secrets.webhooksPort === webhooksPort) return secrets;
  const kept = { ...secrets, webhooksPort };
  writePrivateJson(path, kept);
  return kept;
}

/** What each database role logs in with. */
export function rolePasswords({ roleSecret }: Secrets): Record<Role, string> {
  const passwordOf = (role: Role) => createHmac('sha256', roleSecret).update(role).digest('hex');
  return Object.fromEntries(roles.map((role) => [role, passwordOf(role)])) as Record<Role, string>;
}
